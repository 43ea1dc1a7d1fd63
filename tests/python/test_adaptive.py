"""Routings that let packets choose on their way: proofs, simulations, and what refuses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done, refused
from command import weft as command

import weft
from weft.errors import RoutingError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Those that route a torus.
ADAPTIVE = ["minimal_adaptive", "valiant", "ugal"]
IN_GROUPS = ["ar_updn", "ar_ftree", "adaptive", "omniwar", "dfp"]


@pytest.fixture(scope="module")
def torus() -> weft.Fabric:
    return weft.torus(4, 4, hosts_per_switch=1)


def test_the_algorithms_that_let_packets_choose_say_so() -> None:
    first, *others = ADAPTIVE
    expected = [first, *IN_GROUPS, *others]
    assert [entry.name for entry in weft.algorithms() if entry.is_adaptive] == expected


@pytest.mark.parametrize("name", ADAPTIVE)
def test_adaptive_routings_are_proved_by_a_certificate(
    name: str, torus: weft.Fabric, tmp_path: Path
) -> None:
    routing = weft.route(torus, name)
    assert routing.is_adaptive
    assert routing.granularity == "switch"
    assert routing.most_addresses == 1
    proof = weft.prove(torus, routing)
    assert proof.verdict == "deadlock-free"
    assert proof.text.startswith("deadlock-free: whatever they choose, packets of 240 host pairs")
    assert proof.certificate is not None
    path = tmp_path / "order.json"
    weft.write_certificate(torus, routing, proof.certificate, path)
    weft.check_certificate(torus, routing, weft.read_certificate(torus, path))


def test_parameters_are_recorded_with_what_rules_came_to(torus: weft.Fabric) -> None:
    assert weft.route(torus, "valiant").parameters == {
        "lanes": "16",
        "minimal": "dimension_order",
        "seed": "1",
    }
    assert weft.route(torus, "minimal_adaptive:lanes=5").lane_count == 5
    irregular = weft.irregular(16, seed=1)
    assert weft.route(irregular, "ugal").parameters["minimal"] == "lash"


@pytest.mark.parametrize("name", ADAPTIVE)
def test_adaptive_routings_are_simulated_on_hardware_with_lanes(
    name: str, torus: weft.Fabric
) -> None:
    routing = weft.route(torus, name)
    hardware = weft.hardware("infiniband_1x", lanes=4)
    traffic = weft.Traffic(payload_bytes=32, load=0.1)
    measured = weft.simulate(torus, routing, hardware, traffic, max_packets=4_000)
    assert measured.reason in ("steady", "budget")
    assert measured.accepted_load == pytest.approx(0.1, rel=0.1)
    again = weft.simulate(torus, routing, hardware, traffic, max_packets=4_000)
    # As texts, for a figure that is not known is no number, which does not equal itself.
    assert str(again.to_dict()) == str(measured.to_dict())


@pytest.mark.parametrize(
    ("what", "use"),
    [
        (
            "wormhole hardware",
            lambda fabric, routing: weft.simulate(
                fabric, routing, weft.hardware("myrinet"), weft.Traffic(load=0.1)
            ),
        ),
        ("the load of channels", weft.load_figures),
        (
            "the load of channels",
            lambda fabric, routing: weft.expected_load(fabric, routing, weft.Traffic(load=0.1)),
        ),
        ("a forwarding table", weft.to_tables),
        ("the way of a pair", lambda _, routing: routing.route_names(0, 5)),
        ("a file of routes", lambda _, routing: routing.to_json()),
        ("a search for all that is wrong with routes", weft.route_findings),
    ],
)
def test_what_needs_fixed_routes_says_so(
    what: str, use: Callable[[weft.Fabric, weft.Routing], object], torus: weft.Fabric
) -> None:
    expected = f"{what} needs a fixed route for every pair, but with routing ugal packets choose"
    with pytest.raises(RoutingError, match=expected):
        use(torus, weft.route(torus, "ugal"))


def test_the_commands_take_adaptive_routings(torus: weft.Fabric, tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(torus, path)
    shown = done("route", path, "minimal_adaptive:lanes=3")
    assert "several ports by destination switch, and an escape" in shown.stdout
    assert "lanes" in shown.stdout
    assert command("route", path, "valiant", "--json").document["load_figures"] is None
    message = "the load of channels needs a fixed route for every pair"
    refused(message, "route", path, "valiant", "--hottest", 3)
    done("prove", path, "ugal")
    point = ("simulate", path, "--routing", "ugal", "--load", "0.1")
    lanes = "--hardware infiniband_1x --set lanes=4 --payload-bytes 32 --max-packets 3000"
    done(*point, *lanes.split())
    refused("wormhole hardware needs a fixed route for every pair", *point)


def test_adaptive_routings_are_compared_with_fixed_ones(torus: weft.Fabric, tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(torus, path)
    ended = done(
        "compare", path, "--routing", "updown", "--routing", "minimal_adaptive:lanes=4",
        "--routing", "valiant", "--hardware", "infiniband_1x", "--set", "lanes=4",
        "--payload-bytes", "32", "--max-packets", 2000, "--out", tmp_path / "study", "--json",
    )  # fmt: skip
    ranking = {row["label"]: row for row in ended.document["ranking"]}
    assert len(ranking) == 3
    adaptive = ranking["minimal_adaptive:lanes=4"]
    assert adaptive["max_routes_per_channel"] is None
    found, fixed = (
        row["throughput_bytes_per_ns_per_switch"] for row in (adaptive, ranking["updown"])
    )
    assert found > fixed
