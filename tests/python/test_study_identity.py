"""What a point is known by: whatever may change its figures is part of it, and nothing else."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from inspect import signature
from typing import TYPE_CHECKING, Any

import pytest

import weft
from weft import _core
from weft._files import text_digest
from weft.errors import HardwareError
from weft.replay import messaging_defaults
from weft.results.identity import differences, study_identity
from weft.spec.programs import PROGRAM_KEYS, ProgramSpec, program_of
from weft.study import StudySpec, case
from weft.study.case import fabric_text, point_content, replay_content
from weft.study.executors.interface import RoutedCase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FABRIC = weft.torus(4, 4, hosts_per_switch=1)
ROUTING = weft.route(FABRIC, "updown:root=0")
TRAFFIC = weft.Traffic(payload_bytes={32: 1, 512: 3})
SPEC = StudySpec(("updown:root=0",), weft.hardware(), TRAFFIC, max_packets=1_000)

#: Members of a study that say which points there are, not what comes out of one.
WHICH_POINTS = {"routings", "loads", "seeds", "own_routings"}
#: Those of traffic that each point has its own of.
OF_POINTS = {"load", "seed"}
#: Arguments of a simulation that a study leaves at what its version of Weft has: how well accepted
#: traffic is known, packets at least; and those that decide no figure.
OF_VERSION = {"precision_accepted", "min_packets"} | {"threads", "cancel"}

#: Another value of every other member.
OTHER_SPEC: dict[str, Any] = {
    "hardware": weft.hardware("rhinet2"),
    "traffic": weft.Traffic(),
    "precision": 0.06,
    "max_packets": 1_001,
    "pool_interval_ns": 1_000.0,
}
OTHER_TRAFFIC: dict[str, Any] = {
    "pattern": "complement",
    "payload_bytes": {32: 1, 512: 2},
    "arrivals": "constant",
    "share_of": "bytes",
}


def routed(
    spec: Any = SPEC,  # noqa: ANN401 - of traffic or of programs
    *,
    fabric: weft.Fabric = FABRIC,
    specification: str = "updown:root=0",
) -> RoutedCase[Any]:
    routing = weft.route(fabric, specification)
    digest = text_digest(fabric_text(fabric))
    return RoutedCase(fabric, digest, routing, routing.parameters, specification, spec)


def content(of: StudySpec | RoutedCase[Any] = SPEC, load: float = 0.1, seed: int = 1) -> str:
    return point_content(routed(of) if isinstance(of, StudySpec) else of, load, seed)


def members(kind: type) -> set[str]:
    return {field.name for field in fields(kind)}


def other_values(parameter: Any, value: Any) -> Iterator[Any]:  # noqa: ANN401 - of hardware
    """Values of a parameter that differ from one; some may be out of range."""
    if parameter.type == "choice":
        yield from (word for word in parameter.kind.split(", ") if word != value)
    else:
        yield from (value + 1, value - 1, 2 * value, value / 2 or 0.001)


def changed(hardware: weft.Hardware, parameter: Any) -> weft.Hardware:  # noqa: ANN401 - its name
    """The same hardware with another value of a parameter."""
    value = hardware.parameters[parameter.name]
    for other in other_values(parameter, value):
        try:
            found = weft.hardware(hardware.preset, **{parameter.name: other})
        except HardwareError:
            continue
        if found.parameters[parameter.name] != value:
            return found
    pytest.fail(f"no other value of {parameter.name} is taken")


def test_every_member_of_a_study_is_part_of_its_points_or_says_which_there_are() -> None:
    assert set(OTHER_SPEC) == members(StudySpec) - WHICH_POINTS
    assert members(weft.Traffic) == set(OTHER_TRAFFIC) | OF_POINTS | {"pattern_text"}
    # A new argument of a simulation is one of a study, or of the version.
    arguments = set(signature(weft.simulate).parameters)
    assert arguments == {"fabric", "routing"} | OF_VERSION | set(OTHER_SPEC)
    changes = [replace(SPEC, **{name: value}) for name, value in OTHER_SPEC.items()]
    for name, value in OTHER_TRAFFIC.items():
        changes.append(replace(SPEC, traffic=replace(TRAFFIC, **{name: value})))
    contents = [content(spec) for spec in (SPEC, *changes)]
    assert len(set(contents)) == len(contents)


@pytest.mark.parametrize("preset", ["myrinet", "rhinet2", "infiniband_hdr"])
def test_every_parameter_of_hardware_is_part_of_its_points(preset: str) -> None:
    hardware = weft.hardware(preset)
    parameters = weft.hardware_parameters(preset)
    assert {parameter.name for parameter in parameters} == set(hardware.parameters)
    others = [changed(hardware, parameter) for parameter in parameters]
    contents = [content(replace(SPEC, hardware=other)) for other in (hardware, *others)]
    assert len(set(contents)) == len(contents)


def test_what_stands_in_the_file_of_a_pattern_is_part_of_its_points(tmp_path: Path) -> None:
    file = tmp_path / "pairs.txt"
    contents = set()
    for shift in (1, 2):
        file.write_text("".join(f"{host} {(host + shift) % 16}\n" for host in range(16)))
        spec = replace(SPEC, traffic=weft.Traffic(f"permutation:file={file}"))
        contents.add(content(spec))
    assert len(contents) == 2


def test_load_seed_routes_fabric_and_version_are_parts_of_a_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contents = [
        content(),
        content(load=0.2),
        content(seed=2),
        content(routed(fabric=weft.torus(4, 4, hosts_per_switch=2))),
        content(routed(specification="updown:root=1")),
        content(routed(specification="minimal")),
    ]
    monkeypatch.setattr(case, "weft_version", lambda: "0.0.0")
    contents.append(content())
    assert len(set(contents)) == len(contents)


def test_which_points_a_study_has_is_no_part_of_them() -> None:
    other = replace(SPEC, routings=("minimal", "updown:root=0"), loads=(0.1, 0.2), seeds=(3, 1))
    other = replace(other, traffic=replace(TRAFFIC, load=0.7, seed=9))
    assert content(other) == content()


def test_packets_left_to_the_core_are_those_of_the_hosts_that_send(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_core, "packets_allowed", lambda senders: 1_000 * senders)
    left = replace(SPEC, max_packets=None)
    assert left.on(FABRIC).max_packets == 16_000
    # The hosts on the diagonal would send to themselves.
    assert replace(left, traffic=weft.Traffic("transpose")).on(FABRIC).max_packets == 12_000
    assert SPEC.on(FABRIC) == SPEC


def test_a_study_comes_back_from_its_identity_with_every_member() -> None:
    spec = replace(
        SPEC,
        **{**OTHER_SPEC, "traffic": weft.Traffic(**OTHER_TRAFFIC, seed=5)},
        seeds=(5, 7),
        loads=(0.1, 0.3),
    )
    identity = json.loads(json.dumps(spec.identity()))
    assert StudySpec.from_identity(identity, spec.routings, spec.loads).identity() == identity
    again = StudySpec.from_identity(identity, spec.routings, spec.loads)
    assert again.traffic == spec.traffic
    assert replace(again, hardware=spec.hardware) == spec
    assert again.hardware.parameters == spec.hardware.parameters
    at = spec.traffic_at(0.3, 7)
    assert (at.load, at.seed) == (0.3, 7)
    assert replace(at, load=spec.traffic.load, seed=5) == spec.traffic


def test_what_differs_is_named_whichever_of_the_two_has_it() -> None:
    here = study_identity(FABRIC, SPEC)
    file = {**here["traffic"], "pattern_text": "0 1"}
    assert differences(here, here) == []
    assert differences(here, {**here, "traffic": file}) == [
        "traffic pattern_text is not given there and 0 1 here"
    ]
    assert differences({**here, "traffic": file}, here) == [
        "traffic pattern_text is 0 1 there and not given here"
    ]
    assert differences(here, {**here, "more": {"key": 1}}) == [
        "more key is not given there and 1 here"
    ]


def test_of_another_preset_the_preset_alone_is_named() -> None:
    here = study_identity(FABRIC, SPEC)
    other = study_identity(FABRIC, replace(SPEC, hardware=weft.hardware("infiniband_edr")))
    assert differences(here, other) == [
        f"hardware preset is {SPEC.hardware.preset} there and infiniband_edr here"
    ]
    hardware = {**here["hardware"], "buffer_bytes": 96}
    assert differences(here, {**here, "hardware": hardware}) == [
        f"hardware buffer_bytes is {here['hardware']['buffer_bytes']} there and 96 here"
    ]


def replayed(keys: dict[str, Any], folder: Path, hosts: tuple[int, ...] = (0, 1)) -> str:
    spec = ProgramSpec(("updown:root=0",), weft.hardware(), program_of(keys, folder))
    return replay_content(routed(spec), list(hosts))


#: Another value of every key of a program.
OTHER_KEYS: dict[str, Any] = {
    "trace": "b.ti",
    "operation": "barrier",
    "bytes": 16,
    "ranks": 4,
    "region": "1..",
    "flops_per_s": 2e9,
    "clock_ns": 5.0,
    "placement": "random",
    "seed": 2,
    "algorithms": "allreduce=ring",
    "matrix": "other.csv",
    "zipf": 1.5,
    "skew": 1.5,
}


def test_every_key_of_a_program_and_its_hosts_are_part_of_how_it_runs(tmp_path: Path) -> None:
    assert set(OTHER_KEYS) == set(PROGRAM_KEYS)
    for name, size in (("a.ti", 5), ("b.ti", 6)):
        (tmp_path / name).write_text(f"0 send 1 0 {size}\n1 recv 0 0 {size}\n")
    of_traces = {"trace": "a.ti"}
    of_operations = {"operation": "allreduce"}
    for name, size in (("m.csv", 7), ("other.csv", 8)):
        (tmp_path / name).write_text(f"0,1,{size}\n1,0,{size}\n")
    of_matrix = {"operation": "alltoallv", "matrix": "m.csv"}
    of_zipf = {"operation": "alltoallv", "zipf": 0.5}
    of_skew = {"operation": "alltoallv", "skew": 1.2}
    common = {"placement", "seed", "algorithms"} | set(messaging_defaults("myrinet"))
    for base, own in (
        (of_traces, {"trace", "region", "flops_per_s", "clock_ns"}),
        (of_operations, {"operation", "bytes", "ranks"}),
        (of_matrix, {"matrix", "ranks"}),
        (of_zipf, {"zipf", "bytes", "ranks"}),
        (of_skew, {"skew", "bytes", "ranks"}),
    ):
        contents = [replayed(base, tmp_path), replayed(base, tmp_path, (1, 0))]
        contents += [
            replayed({**base, key: OTHER_KEYS.get(key, 123)}, tmp_path)
            for key in sorted(own | common)
        ]
        assert len(set(contents)) == len(contents)
