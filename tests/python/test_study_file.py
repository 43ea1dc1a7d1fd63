"""Study files: what they stand for, and what they refuse with its line."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import weft
from weft.errors import StudyError
from weft.study import DEFAULT_ROUTINGS, StudyFile, StudySpec, read_study, study_keys
from weft.study.places import line_of

if TYPE_CHECKING:
    from pathlib import Path


FULL = """\
title = "Sizes and patterns"
source = "here"
routings = ["updown", "ud_itb:root=0"]
loads = [0.05, 0.1]
seeds = [1, 2]
precision = 0.2
max_packets = 1000
pool_interval_ns = 500
[[fabrics]]
topology = "irregular"
switches = [8, 10]
seed = [1, 2, 3]

[[fabrics]]
topology = "torus"
extents = ["4x4", [4, 2]]
hosts_per_switch = 2

[[hardware]]
preset = "myrinet"
routing_delay_ns = [100, 150]

[[traffic]]
pattern = ["uniform", "complement"]
payload_bytes = [32, "32:0.2,2048:0.8"]
arrivals = "poisson"

[quick]
seeds = [1]
loads = "ladder"

[[quick.fabrics]]
topology = "ring"
switches = 4
"""


#: Writes and reads a study file.
Read = Callable[..., StudyFile]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def reader(text: str, *, quick: bool = False) -> StudyFile:
        path = tmp_path / "sizes.toml"
        path.write_text(text)
        return read_study(path, quick=quick)

    return reader


def test_lists_are_varied_over_the_first_slowest(read: Read) -> None:
    study = read(FULL)
    assert (study.title, study.source) == ("Sizes and patterns", "here")
    assert len(study.cases) == (2 * 3 + 2) * 2 * (2 * 2)
    assert len({case.name for case in study.cases}) == len(study.cases)
    first, second = study.cases[:2]
    assert first.fabric == weft.irregular(8, seed=1)
    assert first.spec == StudySpec(
        ("updown", "ud_itb:root=0"),
        weft.hardware("myrinet", routing_delay_ns=100),
        weft.Traffic("uniform", payload_bytes=32, arrivals="poisson"),
        seeds=(1, 2),
        loads=(0.05, 0.1),
        precision=0.2,
        max_packets=1000,
        pool_interval_ns=500.0,
    )
    assert second.spec.traffic.sizes == {32: 0.2, 2048: 0.8}
    assert first.settings == {
        "fabrics.topology": "irregular",
        "fabrics.switches": 8,
        "fabrics.seed": 1,
        "hardware.preset": "myrinet",
        "hardware.routing_delay_ns": 100,
        "traffic.pattern": "uniform",
        "traffic.payload_bytes": 32,
        "traffic.arrivals": "poisson",
    }
    tori = [case for case in study.cases if case.settings["fabrics.topology"] == "torus"]
    assert [case.fabric.switch_count for case in tori[::8]] == [16, 8]


def test_quick_takes_the_place_of_whole_keys(read: Read) -> None:
    study = read(FULL, quick=True)
    assert {case.fabric.name for case in study.cases} == {"ring-4"}
    assert len(study.cases) == 2 * 4
    assert study.cases[0].spec.seeds == (1,)
    assert study.cases[0].spec.loads is None
    assert study.cases[0].spec.routings == ("updown", "ud_itb:root=0")


def test_everything_but_a_fabric_has_a_default(read: Read) -> None:
    study = read('[[fabrics]]\ntopology = "ring"\nswitches = 4\n')
    expected = StudySpec(DEFAULT_ROUTINGS, weft.hardware(), weft.Traffic(), max_packets=400_000)
    assert [case.spec for case in study.cases] == [expected]
    assert study.title == "sizes"


def test_the_stated_defaults_are_those_that_are_used(read: Read) -> None:
    keys = {f"{key.section}.{key.name}".lstrip("."): key for key in study_keys()}
    spec = read('[[fabrics]]\ntopology = "ring"\nswitches = 4\n').cases[0].spec
    assert keys["routings"].default == ", ".join(spec.routings)
    assert keys["seeds"].default == str(list(spec.seeds))
    assert float(keys["precision"].default) == spec.precision
    assert int(keys["max_packets"].default) == spec.max_packets
    assert keys["hardware.preset"].default.endswith(f"else {spec.hardware.preset}")
    for name in ("pattern", "payload_bytes", "share_of", "arrivals"):
        assert keys[f"traffic.{name}"].default == str(getattr(spec.traffic, name))


def test_a_fabric_file_counts_from_the_study_file(read: Read, tmp_path: Path) -> None:
    weft.write_fabric(weft.irregular(8, seed=4), tmp_path / "net.json")
    study = read('[[fabrics]]\nfile = "net.json"\n')
    assert study.cases[0].fabric == weft.irregular(8, seed=4)
    assert study.cases[0].given == shlex.quote(str(tmp_path / "net.json"))
    study = read('[[fabrics]]\nfile = "net.json"\nservice = "host[0-2]"\nsubnet = 1\n')
    assert str(study.cases[0].given).endswith("net.json --service 'host[0-2]' --subnet 1")
    assert read('[[fabrics]]\ntopology = "ring"\nswitches = 4\n').cases[0].given is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seeds = [1, 2]", "seed = [1, 2]", ":5: unknown key “seed”; did you mean seeds?"),
        ("switches = [8, 10]", "switch = 8", ":11: unknown key “switch” of fabrics; did you mean"),
        ('topology = "torus"', 'topology = "tours"', ":15: unknown topology “tours”; did you mean"),
        ("routing_delay_ns", "routing_dely_ns", ":21: unknown key “routing_dely_ns” of hardware"),
        ('"myrinet"', '"myrinett"', ":20: "),
        ("[100, 150]", "[100, -5]", ":21: "),
        ('pattern = ["uniform"', 'pattern = ["unifrom"', ":24: "),
        ('"complement"', '"bit_reversal"', ":24: irregular-10-seed1"),
        ('"32:0.2,2048:0.8"', '"32:x"', ":25: payload_bytes 32:x"),
        ("payload_bytes = [32,", "payload_bytes = [true,", ":25: payload_bytes"),
        ("loads = [0.05, 0.1]", "loads = [0.05, 1.5]", ":4: load 1.5"),
        ("updown", "updwon", ":3: found routing “updwon”, expected one of"),
        ("ud_itb:root=0", "ud_itb:rot=0", ":3: found parameter “rot” for routing ud_itb"),
        ("loads = [0.05, 0.1]", 'loads = "climb"', ":4: loads: found 'climb'"),
        ("seeds = [1, 2]", "seeds = [1, 1]", ":5: seed 1 is given twice"),
        ("seeds = [1, 2]", 'seeds = ["1"]', ":5: seeds: found"),
        ("precision = 0.2", "precision = 2", ":6: precision 2"),
        ("precision = 0.2", 'precision = "low"', ":6: precision: found “low”, expected a share"),
        ("max_packets = 1000", "max_packets = 3", ":7: max_packets 3"),
        ("max_packets = 1000", f"max_packets = {2**64}", ":7: max_packets 1844674407370955"),
        ("interval_ns = 500", "interval_ns = 0", ":8: pool_interval_ns 0: expected more than 0"),
        ("interval_ns = 500", 'interval_ns = "0"', ":8: pool_interval_ns 0: expected more than 0"),
        ("seed = [1, 2, 3]", "seed = [1, 1]", "is given twice"),
        ("seed = [1, 2, 3]", "seed = []", ":12: seed: found an empty list"),
        ("[[traffic]]", "[traffic]", ":23: traffic: expected tables, each headed [[traffic]]"),
        ("[quick]\n", "[quick]\ntitle = 'x'\n", ":29: unknown key “title”"),
        ("switches = [8, 10]", 'file = "x.json"', "expected either topology or file"),
        ("extents = ", "extents = =", "not TOML: "),
    ],
)
def test_a_mistake_is_told_with_its_line(read: Read, old: str, new: str, message: str) -> None:
    assert old in FULL
    with pytest.raises(StudyError) as refused:
        read(FULL.replace(old, new, 1))
    assert message in str(refused.value)
    assert "sizes.toml:" in str(refused.value)


def test_a_study_without_a_fabric_is_refused(read: Read) -> None:
    with pytest.raises(StudyError, match=r"sizes.toml:1: no fabric"):
        read("seeds = [1]\n")


def test_lines_are_those_where_statements_begin() -> None:
    text = 'a = 1\nb = [\n  1,\n  2,\n]\n\n[c]\nd = """\ne = 3\n"""\n[[f]]\ng = 1\n[[f]]\ng = 2\n'
    places = {("a",): 1, ("b",): 2, ("c",): 7, ("c", "d"): 8, ("f", 0, "g"): 12, ("f", 1, "g"): 14}
    assert {place: line_of(text, place) for place in places} == places
    assert line_of(text, ("c", "e")) == 1


def test_quantities_are_said_as_on_the_command_line(tmp_path: Path) -> None:
    head = '[[fabrics]]\ntopology = "ring"\nswitches = 4\n'
    plain = write(
        tmp_path / "plain.toml",
        "loads = [0.1, 0.25]\nprecision = 0.02\npool_interval_ns = 1500\n" + head
        + '[[hardware]]\npreset = "myrinet"\nrouting_delay_ns = [150, 0.5]\n'
        + "[[traffic]]\npayload_bytes = [65536, 1000]\n",
    )  # fmt: skip
    told = write(
        tmp_path / "told.toml",
        "loads = ['10%', 0.25]\nprecision = '2%'\npool_interval_ns = '1.5us'\n" + head
        + "[[hardware]]\npreset = 'myrinet'\nrouting_delay_ns = ['0.15us', '0.5 ns']\n"
        + "[[traffic]]\npayload_bytes = ['64KiB', '1kB']\n",
    )  # fmt: skip
    one, other = read_study(plain), read_study(told)
    assert [case.spec for case in one.cases] == [case.spec for case in other.cases]
    program = '[[programs]]\noperation = "allreduce"\n'
    plain = write(tmp_path / "p.toml", f"{head}{program}bytes = [8, 65536]\nresend_ns = 1500000\n")
    told = write(tmp_path / "t.toml", f"{head}{program}bytes = [8, '64KiB']\nresend_ns='1.5ms'\n")
    one, other = read_study(plain), read_study(told)
    assert [case.spec for case in one.programs] == [case.spec for case in other.programs]
    assert [case.name for case in one.programs] == [case.name for case in other.programs]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "loads = ['10 percent']",
            "loads: found “10 percent”, expected a share such as 0.1 or 10%",
        ),
        ("precision = '5ns'", "precision: found “5ns”, expected a share such as 0.1 or 10%"),
        ("pool_interval_ns = '5kB'", "pool_interval_ns: found “5kB”, expected a time such as"),
    ],
)
def test_a_unit_of_another_quantity_is_refused(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "study.toml"
    file.write_text(f'title = "x"\n{line}\n[[fabrics]]\ntopology = "ring"\nswitches = 4\n')
    with pytest.raises(StudyError, match=re.escape(f"study.toml:2: {message}")):
        read_study(file)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path
