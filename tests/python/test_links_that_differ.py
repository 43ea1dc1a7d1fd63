"""Links of several rates: what every host can send of its own, and what sweeps make of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from command import done

import weft
from weft.shares import bound_of_rates, uniform_loads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def star(tmp_path: Path) -> Path:
    """Write a switch with four hosts, of which one has a link of a fiftieth."""
    rates = {"a": "4xEDR", "b": "4xEDR", "c": "4xEDR", "slow": "1xSDR"}
    ends = {"from": "s", "to_port": 1}
    links = [
        {"source": "s", "target": host, "to": host, "from_port": port, "rate": rate} | ends
        for port, (host, rate) in enumerate(rates.items(), 1)
    ]
    nodes = [{"id": "s", "kind": "switch"}, *({"id": host, "kind": "host"} for host in rates)]
    document = {"directed": False, "multigraph": False, "graph": {}, "nodes": nodes, "edges": links}
    path = tmp_path / "star.json"
    path.write_text(json.dumps(document))
    return path


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
    assert f"{bound}, uniform traffic, were all links alike; 0.0265 at their rates" in told
    assert f"saturation bound  {bound}, were all links alike; 0.0265 at their rates" in told
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
