"""Links of several rates: what every host can send of its own, and what sweeps make of it."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

import pytest
from command import done, refused

import weft
from weft.load_gap import are_links_alike
from weft.shares import bound_of_pattern, bound_of_rates, uniform_loads

if TYPE_CHECKING:
    from pathlib import Path


def written(path: Path, links: list[tuple[str, str, str]]) -> Path:
    """Write a fabric of links between two nodes with their rates; switches begin with s."""
    names = sorted({name for *ends, _ in links for name in ends})
    kinds = {name: "switch" if name.startswith("s") else "host" for name in names}
    nodes = [{"id": name, "kind": kind} for name, kind in kinds.items()]
    edges = [{"source": one, "target": other, "rate": rate} for one, other, rate in links]
    head = {"directed": False, "multigraph": True, "graph": {}}
    path.write_text(json.dumps(head | {"nodes": nodes, "edges": edges}))
    return path


@pytest.fixture
def star(tmp_path: Path) -> Path:
    """Write a switch with four hosts, of which one has a link of a fiftieth."""
    rates = {"a": "4xEDR", "b": "4xEDR", "c": "4xEDR", "host": "1xSDR"}
    return written(tmp_path / "star.json", [("s", host, rate) for host, rate in rates.items()])


@pytest.fixture
def trunk(tmp_path: Path) -> Path:
    """Write two switches of five hosts each, and a fast and a slow cable between them."""
    hosts = [("s0" if host < 5 else "s1", f"host{host}", "4xEDR") for host in range(10)]
    cables = [("s0", "s1", "4xNDR"), ("s0", "s1", "4xEDR")]
    return written(tmp_path / "trunk.json", cables + hosts)


#: Gbit/s of the slow link over the mean of 100, 100, 100 and 2.
HELD_TO = 2 / 75.5


def test_a_slow_host_holds_what_all_send_alike(star: Path) -> None:
    fabric = weft.read_fabric(star).fabric
    loads = uniform_loads(fabric, weft.load_figures(fabric, weft.route(fabric, "min_hop")))
    assert loads == [1.0] * 8
    assert bound_of_rates(fabric, loads) == pytest.approx(HELD_TO)
    edr = weft.hardware("infiniband_edr")
    assert bound_of_rates(fabric, loads, edr) == pytest.approx(HELD_TO)
    assert bound_of_rates(fabric, loads, weft.hardware("myrinet")) is None
    assert bound_of_rates(weft.torus(3, 3), [1.0] * 72) is None


def test_route_tells_the_bound_at_the_rates_of_the_links(star: Path) -> None:
    told = done("route", star, "min_hop", "--pattern", "uniform").stdout
    bound = "load 1.0000 of the host link rate"
    assert f"{bound}, uniform traffic, were all links alike; about 0.0265 at their rates" in told
    assert f"saturation bound  {bound}, were all links alike; about 0.0265 at their rates" in told
    document = done("route", star, "min_hop", "--json").document
    assert document["bound_at_rates"] == pytest.approx(HELD_TO)


def test_a_sweep_begins_where_the_slow_host_is_unloaded(star: Path) -> None:
    results = weft.compare(
        weft.read_fabric(star).fabric,
        ["best:lanes=8"],
        max_packets=20_000,
        precision=0.5,
        results=star.with_suffix(".sqlite"),
    )
    (routing,) = results.routings
    assert min(point.load for point in routing.points) < HELD_TO / 8
    assert routing.knee is not None
    assert routing.knee.accepted_load < HELD_TO


def test_a_bound_is_not_written_where_routings_are_not_set_beside_one(
    trunk: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bound.json"
    for command, *options in (
        ("audit", "--against", "best"),
        ("advise", "--lanes", "1"),
        ("compare", "--routing", "best", "--out", tmp_path / "c"),
    ):
        refused("links have several rates", command, trunk, *options, "--bound", path)
    refused("leave out --hosts", "audit", trunk, "--hosts", "host0,host1", "--bound", path)
    assert not path.exists()


def test_routes_alone_do_not_say_what_is_possible_where_links_differ(trunk: Path) -> None:
    # Four fifths on the cable of four times the rate are as good as can be, but uneven.
    fabric = weft.read_fabric(trunk).fabric
    even, by_rates = (weft.route(fabric, name) for name in ("min_hop", "best:lanes=1"))
    loads = [weft.load_figures(fabric, routing) for routing in (even, by_rates)]
    assert [load.max_routes_per_channel for load in loads] == [15, 20]
    bounds = [bound_of_rates(fabric, uniform_loads(fabric, load)) for load in loads]
    assert bounds == pytest.approx([0.9, 1.0])
    for routing in ("min_hop", "best:lanes=1,traffic=uniform"):
        told = done("route", trunk, routing).stdout
        assert "no tables by destination are below 15" in told
        assert "better is possible" not in told
        assert "links have several rates" in told
        assert (
            done("route", trunk, routing, "--json").document["load_gap"]["better_possible"] is None
        )


def test_hosts_that_differ_send_unlike_amounts_by_each_route(tmp_path: Path) -> None:
    def alike(rates: list[str]) -> bool:
        hosts = [(f"s{number}", f"host{number}", rate) for number, rate in enumerate(rates)]
        path = written(tmp_path / "two.json", [("s0", "s1", "4xNDR"), *hosts])
        return are_links_alike(weft.read_fabric(path).fabric)

    assert alike(["4xEDR", "4xEDR"])
    assert not alike(["4xEDR", "4xHDR"])


def test_pairs_share_links_by_their_rates(tmp_path: Path) -> None:
    """Shares in shifts are those told from the names on the routes, channel by channel."""
    spines = [("s2", "4xHDR"), ("s3", "4xEDR")]
    links = [(leaf, spine, rate) for leaf in ("s0", "s1") for spine, rate in spines]
    rates = ["4xHDR", "4xHDR", "2xEDR", "4xHDR", "4xNDR", "4xHDR"]
    links += [(f"s{host // 3}", f"host{host}", rate) for host, rate in enumerate(rates)]
    fabric = weft.read_fabric(written(tmp_path / "tree.json", links)).fabric
    routing = weft.route(fabric, "min_hop")
    speeds = {"4xEDR": 100.0, "2xEDR": 50.0, "4xHDR": 200.0, "4xNDR": 400.0}
    room = {frozenset(ends): speeds[rate] for *ends, rate in links}
    found = weft.congestion(fabric, routing, "shifts").mean_share.tolist()
    for shift, mean in enumerate(found, 1):
        names = [routing.route_names(host, (host + shift) % 6) for host in range(6)]
        ways = [list(pairwise(way)) for way in names]
        flows = Counter(channel for way in ways for channel in way)
        shares = []
        for way in ways:
            left = min(room[frozenset(channel)] / flows[channel] for channel in way)
            shares.append(left / min(room[frozenset(way[0])], room[frozenset(way[-1])]))
        assert mean == pytest.approx(fmean(shares)), shift


def test_a_failure_of_the_faster_of_two_cables_costs_more(trunk: Path) -> None:
    fabric = weft.read_fabric(trunk).fabric
    found = weft.survive(fabric, weft.route(fabric, "best:lanes=1"), parts=["cables"])
    assert found.whole.saturation_bound == 1.0
    # All 25 routes each way go over the cable that is left, of 400 or of 100 Gbit/s.
    loads = [one.load for one in found.failures if one.load is not None]
    assert [load.saturation_bound for load in loads] == pytest.approx([0.36, 1.0])
    assert loads[0].effective_bisection < loads[1].effective_bisection


def test_a_matrix_fills_links_by_their_rates(trunk: Path, tmp_path: Path) -> None:
    # Two hosts fill their links over the cable that has room for four, a third half over the other.
    matrix = tmp_path / "m.csv"
    rows = ["host0,host5,100", "host1,host7,100", "host2,host8,50"]
    matrix.write_text("\n".join(["source,destination,amount", *rows]))
    fabric = weft.read_fabric(trunk).fabric
    routing = weft.route(fabric, "min_hop")
    pattern = f"matrix:file={matrix}"
    load = weft.expected_load(fabric, routing, weft.Traffic(pattern=pattern))
    assert load.saturation_bound == 0.5
    assert bound_of_pattern(fabric, pattern, load) == 1.0
    told = done("audit", trunk, "min_hop", "--matrix", matrix, "--json").document
    assert told["today"]["matrix_share"] == 1.0
