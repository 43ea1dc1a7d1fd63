"""The stage routing: known figures, parameters, routes by name, errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_algorithms_are_listed_with_their_parameters() -> None:
    known = {algorithm.name: algorithm for algorithm in weft.algorithms()}
    assert {"updown", "simple_routes", "ud_itb", "ud_mitb", "minimal"} <= known.keys()
    for algorithm in known.values():
        assert algorithm.title
        assert algorithm.summary
        assert algorithm.guarantees
        assert algorithm.source


def test_routings_over_lanes_are_free_of_deadlock_or_say_why_they_refuse() -> None:
    torus = weft.torus(8, 8, hosts_per_switch=1)
    irregular = weft.irregular(16, seed=1)
    known = {algorithm.name: algorithm for algorithm in weft.algorithms()}
    for name in ("structured_pools", "descending_layers", "lash", "lash_tor", "dimension_order"):
        routing = weft.route(torus, name)
        assert weft.prove(torus, routing).deadlock_free
        assert weft.load_figures(torus, routing).minimal_share == 1.0
    assert known["dimension_order"].refuses == ["it is no full mesh or torus"]
    with pytest.raises(weft.errors.RoutingError, match="is no full mesh or torus: the switches"):
        weft.route(irregular, "dimension_order")
    with pytest.raises(weft.errors.RoutingError, match="found lanes=3; give lanes=4"):
        weft.route(torus, "lash:lanes=3")
    assert known["updown"].refuses == []


def rounded(value: float, digits: int = 4) -> Any:  # noqa: ANN401 - what pytest compares with
    """Stand for a figure that was published with so many digits behind the point."""
    return pytest.approx(value, abs=0.5 * 10**-digits)


@pytest.mark.parametrize(
    ("topology", "routing", "published"),
    [
        (
            weft.torus,
            "updown:root=0",
            {
                "mean_distance_links": rounded(4.5714),
                "minimal_share": rounded(0.818, 3),
                "mean_in_transit_stops": 0.0,
            },
        ),
        (
            weft.torus,
            "minimal",
            {"mean_distance_links": rounded(4.0635), "minimal_share": 1.0, "max_hops_links": 8},
        ),
        (weft.express_torus, "updown:root=0", {"minimal_share": rounded(0.9375)}),
    ],
)
def test_routes_on_8x8_switches_have_the_published_figures(
    topology: Callable[..., weft.Fabric], routing: str, published: dict[str, float]
) -> None:
    fabric = topology(8, 8, hosts_per_switch=8)
    figures = weft.load_figures(fabric, weft.route(fabric, routing))
    assert {name: getattr(figures, name) for name in published} == published


def test_minimal_in_transit_routes_stop_where_up_down_must_not_turn() -> None:
    fabric = weft.torus(8, 8, hosts_per_switch=1)
    routing = weft.route(fabric, "ud_mitb", root=0)
    figures = weft.load_figures(fabric, routing)
    assert figures.minimal_share == 1.0
    assert figures.max_in_transit_stops == 1


def test_every_channel_of_every_route_is_counted() -> None:
    fabric = weft.irregular(8, hosts_per_switch=2, ports_per_switch=5, seed=2)
    figures = weft.load_figures(fabric, weft.route(fabric, "updown"))
    hosts = fabric.host_count
    pairs = hosts * (hosts - 1)
    routes = figures.routes_per_channel
    assert routes.shape == (fabric.channel_count,)
    switch_channels = fabric.is_switch_channel
    assert int(routes[~switch_channels].sum()) == 2 * pairs
    hops = figures.mean_hops_links * pairs
    assert int(routes[switch_channels].sum()) == pytest.approx(hops)
    assert figures.max_routes_per_channel == int(routes.max())
    assert figures.mean_routes_per_channel == pytest.approx(float(routes[switch_channels].mean()))
    bound = min(1.0, (hosts - 1) / figures.max_routes_per_channel)
    assert figures.saturation_bound == pytest.approx(bound)


def test_the_same_seed_gives_the_same_routes() -> None:
    fabric = weft.torus(6, 6)

    def loads(seed: int) -> np.ndarray:
        routing = weft.route(fabric, "ud_itb", selection="random", seed=seed)
        return weft.load_figures(fabric, routing).routes_per_channel

    assert np.array_equal(loads(5), loads(5))
    assert not np.array_equal(loads(5), loads(6))


def test_parameters_may_be_given_in_either_way() -> None:
    fabric = weft.torus(4, 4)
    by_text = weft.route(fabric, "updown:selection=random,seed=9")
    by_name = weft.route(fabric, "updown", selection="random", seed=9)
    assert by_text.algorithm == by_name.algorithm == "updown"
    assert by_text.parameters == by_name.parameters
    assert by_text.parameters["seed"] == "9"
    assert by_text.parameters["selection"] == "random"
    assert by_text.label == by_name.label


def test_every_parameter_is_recorded_with_the_value_used() -> None:
    routing = weft.route(weft.torus(4, 4), "updown")
    specified = next(a for a in weft.algorithms() if a.name == "updown").parameters
    assert sorted(routing.parameters) == sorted(parameter.name for parameter in specified)


def test_a_route_is_named_switch_by_switch() -> None:
    fabric = weft.mesh(3, 1, hosts_per_switch=1)
    routing = weft.route(fabric, "updown")
    assert routing.route_names(0, 2) == ["host0", "sw0", "sw1", "sw2", "host2"]
    fabric = weft.mesh(1, 1, hosts_per_switch=2)
    assert weft.route(fabric, "updown").route_names(1, 0) == ["host1", "sw0", "host0"]


def test_an_in_transit_stop_is_part_of_the_route() -> None:
    fabric = weft.torus(8, 8, hosts_per_switch=1)
    routing = weft.route(fabric, "ud_mitb", root=0)
    routes = [
        routing.route_names(source, destination)
        for source in range(64)
        for destination in range(64)
        if source != destination
    ]
    with_stop = [names for names in routes if sum(name.startswith("host") for name in names) == 3]
    assert len(with_stop) == 732
    for names in with_stop:
        stop = next(i for i, name in enumerate(names[1:-1], 1) if name.startswith("host"))
        assert names[stop - 1] == names[stop + 1] == f"sw{names[stop].removeprefix('host')}"


def test_a_host_that_does_not_exist_is_an_index_error() -> None:
    routing = weft.route(weft.torus(4, 4), "updown")
    with pytest.raises(IndexError, match="host 16 does not exist; the fabric has hosts 0 to 15"):
        routing.route_names(0, 16)


@pytest.mark.parametrize(
    ("algorithm", "parameters", "text"),
    [
        ("updwn", {}, "updown"),
        ("updown", {"selektion": "random"}, "selection"),
        ("updown", {"selection": "best"}, "least_loaded"),
        ("updown", {"seed": True}, "seed is True; expected a text or a whole number"),
        ("updown:seed=1", {"seed": 2}, "seed"),
        ("updown", {"time_budget_s": 1}, "“updown”; only best goes on"),
        ("best", {"time_budget_s": -1}, "a time budget of -1 s, expected"),
    ],
)
def test_what_cannot_be_routed_is_refused(
    algorithm: str, parameters: dict[str, Any], text: str
) -> None:
    with pytest.raises(weft.RoutingError, match=text):
        weft.route(weft.torus(4, 4), algorithm, **parameters)


def test_numbers_of_numpy_are_parameters_too() -> None:
    assert weft.route(weft.torus(4, 4), "lash", lanes=np.int64(4)).label == "lash:lanes=4"


def test_load_figures_of_another_fabric_are_refused() -> None:
    routing = weft.route(weft.torus(4, 4), "updown")
    with pytest.raises(weft.RoutingError, match="another fabric"):
        weft.load_figures(weft.torus(4, 4, hosts_per_switch=2), routing)


def test_a_disconnected_fabric_is_refused_with_a_switch_of_each_part(tmp_path: Path) -> None:
    path = tmp_path / "parts.json"
    weft.write_fabric(weft.mesh(2, 1), path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["links"].pop()["ends"] == [["sw0", 2], ["sw1", 3]]
    path.write_text(json.dumps(document), encoding="utf-8")
    fabric = weft.read_fabric(path).fabric
    assert weft.fabric_figures(fabric).components == 2
    with pytest.raises(weft.RoutingError, match=r"“sw0” is in one, “sw1” in another"):
        weft.route(fabric, "updown")


def test_routes_come_back_from_their_file(tmp_path: Path) -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    for routing in (
        weft.route(fabric, "ud_itb"),
        weft.route(fabric, "down_preferred"),
        weft.to_tables(fabric, weft.route(fabric, "updown")),
    ):
        path = tmp_path / "routes.json"
        weft.write_routes(routing, path)
        read = weft.read_routes(fabric, path)
        assert read.notes == []
        assert read.routing.to_json() == routing.to_json()
        assert read.routing.parameters == routing.parameters
        assert read.routing.form == routing.form
        for pair in ((0, 31), (7, 8)):
            assert read.routing.route_names(*pair) == routing.route_names(*pair)
    with pytest.raises(weft.FormatError, match="found routes of fabric “torus-4x4”"):
        weft.read_routes(weft.torus(4, 4), path)


def test_renaming_keeps_the_routes_and_is_bounded_by_the_lmc() -> None:
    fabric = weft.irregular(32, hosts_per_switch=2, ports_per_switch=6, seed=1)
    routing = weft.route(fabric, "updown", seed=1)
    tables = weft.to_tables(fabric, routing)
    assert routing.form == "source routes"
    assert tables.form == "forwarding tables"
    assert tables.most_addresses > 1
    for host in range(1, 64):
        assert tables.route_names(0, host) == routing.route_names(0, host)
    with pytest.raises(weft.RoutingError, match=r"needs 2 addresses .* an LMC of 0 allows 1"):
        weft.to_tables(fabric, routing, lmc=0)
    for wrong in (-1, 8, True, 1.5):
        with pytest.raises(weft.RoutingError, match="expected a whole number from 0 to 7"):
            weft.to_tables(fabric, routing, lmc=wrong)  # type: ignore[arg-type]
    stopping = weft.route(weft.torus(8, 8), "ud_mitb", root=0)
    with pytest.raises(weft.RoutingError, match="stops in transit at host"):
        weft.to_tables(weft.torus(8, 8), stopping)


def test_best_goes_on_until_the_time_is_over_and_can_be_repeated() -> None:
    fabric = weft.irregular(12, seed=1, hosts_per_switch=2)
    once = weft.route(fabric, "best:lanes=1", time_budget_s=0)
    assert once.label == "best:lanes=1,starts=1"
    longer = weft.route(fabric, "best", lanes=1, time_budget_s=1)
    starts = int(longer.parameters["starts"])
    assert starts > 1
    assert longer.label == f"best:lanes=1,starts={starts}"
    again = weft.route(fabric, longer.label)
    hosts = range(fabric.host_count)
    for pair in [(one, other) for one in hosts for other in hosts if one != other]:
        assert again.route_names(*pair) == longer.route_names(*pair)

    def most(routing: weft.Routing) -> int:
        loads = weft.load_figures(fabric, routing).routes_per_channel
        return int(loads[fabric.is_switch_channel].max())

    assert most(longer) <= most(once)


def test_a_time_budget_of_weights_is_checked_and_kept() -> None:
    fabric = weft.torus(2, 2)
    weights = np.ones((4, 4), dtype=int)
    with pytest.raises(weft.RoutingError, match="a time budget of nan s, expected"):
        weft.route_for_weights(fabric, weights, time_budget_s=float("nan"))
    timed = weft.route_for_weights(fabric, weights, lanes=1, time_budget_s=0)
    assert int(timed.parameters["starts"]) >= 1
