"""Bandwidth: data over the time until they are acknowledged, by formula and by law."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from command import weft as command

import weft
from weft.errors import InputError
from weft.replay import messaging_defaults

if TYPE_CHECKING:
    from pathlib import Path

#: An empty chain of three switches, two hosts each.
CHAIN = weft.mesh(3, 1, hosts_per_switch=2)
ROUTING = weft.route(CHAIN, "dimension_order")
CYCLE_NS = 32 / 3
#: Flight of 25 ns of cable; what a switch needs to look a packet up.
FLIGHT = 3
LOOKUP = round(float(weft.hardware("rhinet2").parameters["lookup_delay_ns"]) / CYCLE_NS)


def pair(source: int, destination: int) -> list[int | None]:
    targets: list[int | None] = [None] * CHAIN.host_count
    targets[source] = destination
    return targets


def flight_cycles(switches: int, flits: int) -> int:
    """Cycles from the generation of a packet to the arrival of its last flit, alone."""
    return (switches + 1) * FLIGHT + switches * LOOKUP + flits - 1


@pytest.mark.parametrize("switches", [1, 2, 3])
@pytest.mark.parametrize("payload", [96, 1792])
def test_two_hosts_get_what_the_formula_says(switches: int, payload: int) -> None:
    other = 2 * switches - 1
    found = weft.bandwidth(
        CHAIN, ROUTING, weft.hardware("rhinet2"), pair(0, other), size_bytes=payload, messages=3
    )
    # Overhead of sending; PUSH crosses the own bus, PIO does not; the receiver's; and back.
    constants = messaging_defaults("rhinet2")
    send = round(constants["send_message_ns"] / CYCLE_NS)
    bus = round(payload / (4.22 / 8 * CYCLE_NS))
    crossings = bus + (bus if payload > 96 else 0)
    flits = 5 + payload // 8
    cycles = send + crossings + flight_cycles(switches, flits) + flight_cycles(switches, 17) + 2
    expected = payload / (cycles * CYCLE_NS)
    assert found.mean_bytes_per_ns == pytest.approx(expected, rel=1e-9)
    assert found.min_bytes_per_ns == found.max_bytes_per_ns == found.mean_bytes_per_ns
    assert sum(map(math.isfinite, found.host_bytes_per_ns)) == 1
    assert found.mean_switches == switches


def test_without_waiting_distance_costs_nothing_and_the_bus_is_the_limit() -> None:
    found = [
        weft.bandwidth(
            CHAIN,
            ROUTING,
            weft.hardware("rhinet2"),
            pair(0, other),
            messages=200,
            messaging={"acknowledged": 2},
        ).mean_bytes_per_ns
        for other in (1, 3, 5)
    ]
    assert found[0] == pytest.approx(found[2], rel=0.01)
    bus = 4.22 / 8
    assert 0.97 * bus < min(found) <= max(found) <= bus


def test_hosts_that_share_a_link_get_less_of_it() -> None:
    hardware = weft.hardware("rhinet2", link_gbit_per_s=1)

    def measured(targets: list[int | None]) -> float:
        found = weft.bandwidth(
            CHAIN, ROUTING, hardware, targets, messages=20, messaging={"acknowledged": 2}
        )
        return found.mean_bytes_per_ns

    together = measured([4, 5, None, None, None, None])
    assert together == pytest.approx(measured(pair(0, 4)) / 2, rel=0.05)


@pytest.mark.parametrize(
    ("targets", "settings", "message"),
    [
        (
            pair(0, 1),
            {"messaging": {"acknowledged": 0}},
            r"acknowledged is 0; expected 1 \(ack-wait\) or 2",
        ),
        ("uniform", {}, "sends to 5 others; expected a permutation"),
        ([1, 0], {}, "2 destinations; expected one for each host"),
        ([None] * 6, {}, r"no host of .* sends anything"),
        (pair(0, 1), {"messages": 0}, "messages is 0; expected a whole number from 1 to"),
        (
            pair(0, 1),
            {"hardware": weft.hardware("infiniband_1x"), "messaging": {"acknowledged": 0}},
            "acknowledged is 0",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(
    targets: object, settings: dict[str, object], message: str
) -> None:
    given = {"hardware": weft.hardware("rhinet2"), **settings}
    with pytest.raises(InputError, match=message):
        weft.bandwidth(CHAIN, ROUTING, pattern=targets, **given)


@pytest.mark.parametrize("preset", [preset.name for preset in weft.hardware_presets()])
@pytest.mark.parametrize("hosts", [2, 3, 6, 7, 12])
def test_what_is_measured_unless_said_can_be_on_any_number_of_hosts_and_any_hardware(
    preset: str, hosts: int
) -> None:
    fabric = weft.mesh(hosts, 1, hosts_per_switch=1)
    network = fabric, weft.route(fabric, "dimension_order"), weft.hardware(preset)
    found = weft.bandwidth(*network)
    assert found.mean_bytes_per_ns > 0
    waits = messaging_defaults(preset)["acknowledged"] or 2
    same = weft.bandwidth(*network, "random_permutation", messaging={"acknowledged": waits})
    assert found.mean_bytes_per_ns == same.mean_bytes_per_ns


def test_the_command_says_the_pattern_and_what_hosts_wait_for(tmp_path: Path) -> None:
    path = str(tmp_path / "mesh.json")
    assert command("fabric", "new", "mesh", "--extents", "5x3", "-o", path).code == 0
    arguments = ["--fabric", path, "--routing", "dimension_order"]
    for preset, waits in (
        ("rhinet2", "ack-wait (acknowledged=1)"),
        ("infiniband_edr", "no-ack-wait (acknowledged=2)"),
    ):
        shown = command("bandwidth", *arguments, "--hardware", preset)
        assert shown.code == 0
        lines = shown.stdout.splitlines()
        assert lines[0].split()[:2] == ["hardware", preset + ","]
        assert lines[1].split() == ["pattern", "random_permutation"]
        assert lines[2].split(maxsplit=1) == ["acknowledgements", waits]
        document = command("bandwidth", *arguments, "--hardware", preset, "--json").document
        assert document["pattern"] == "random_permutation"
        assert f"={document['runs'][0]['acknowledged']})" in waits
    refused = command("bandwidth", *arguments, "--messaging", "acknowledged=0")
    assert refused.code == 2
    assert "expected 1 (ack-wait) or 2 (no-ack-wait)" in refused.stderr


def test_routes_may_use_no_lanes_of_control() -> None:
    routing = weft.route(CHAIN, "multi_tree", trees=1, lanes=9)
    with pytest.raises(weft.RoutingError, match=r"9 virtual lanes, but channels .* have 8"):
        weft.bandwidth(CHAIN, routing, weft.hardware("rhinet2"), pair(0, 5))


def test_the_command_shows_mean_minimum_and_maximum(tmp_path: Path) -> None:
    path = str(tmp_path / "mesh.json")
    assert command("fabric", "new", "mesh", "--extents", "4x4", "-o", path).code == 0
    arguments = ["--hardware", "rhinet2", "--fabric", path, "--routing", "dimension_order"]
    found = command("bandwidth", *arguments, "--bytes", "512", "--bytes", "1792", "--json")
    runs = found.document["runs"]
    assert [run["bytes"] for run in runs] == [512, 1792]
    for run in runs:
        assert 0 < run["min_bytes_per_ns"] <= run["mean_bytes_per_ns"] <= run["max_bytes_per_ns"]
    shown = command("bandwidth", *arguments).stdout.splitlines()
    mean = 1000 * runs[1]["mean_bytes_per_ns"]
    assert shown[-1].split()[:4] == ["mesh-4x4", "dimension_order", "1792", f"{mean:.2f}"]
