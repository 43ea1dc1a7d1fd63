"""Loads that no routing is below: beside HiGHS, as certificates, and on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from command import done, refused
from command import weft as run
from exact_one_lane import least_on_one_lane
from test_linear_programs import largest_switch_load
from trunk import trunk

import weft
from weft.load_gap import bounded_load, load_gap

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FABRICS = {
    "irregular": lambda: weft.irregular(16, seed=1),
    "sparse": lambda: weft.irregular(24, seed=5),
    "torus": lambda: weft.torus(5, 4, hosts_per_switch=3),
    "dragonfly": lambda: weft.generate("dragonfly", p=4, a=4, h=1),
    "slim fly": lambda: weft.generate("slim_fly", q=3, hosts_per_switch=6),
}


@pytest.mark.parametrize("make", FABRICS.values(), ids=list(FABRICS))
def test_a_bound_is_within_a_thousandth_of_what_highs_finds(
    make: Callable[[], weft.Fabric],
) -> None:
    fabric = make()
    bound = weft.load_bound(fabric)
    exact = (fabric.host_count - 1) / weft.throughput_bound(fabric)
    assert exact * (1 - 1e-3) <= bound.load <= np.ceil(exact * (1 - 1e-6))
    assert bound.split_load >= exact * (1 - 1e-6)
    weft.check_load_bound(fabric, bound)
    assert bound.load <= largest_switch_load(fabric, weft.route(fabric, "best"))


def test_weights_of_pairs_are_so_many_routes() -> None:
    fabric = weft.irregular(16, seed=1)
    bound = weft.load_bound(fabric)
    count = fabric.host_count
    assert weft.load_bound(fabric, np.ones((count, count), dtype=int)).load == bound.load
    thrice = weft.load_bound(fabric, np.full((count, count), 3)).load
    assert 3 * bound.load - 3 <= thrice <= np.ceil(3 * bound.split_load)
    with pytest.raises(weft.RoutingError, match="whole numbers of shape"):
        weft.load_bound(fabric, np.ones((2, 2), dtype=int))
    with pytest.raises(weft.RoutingError, match="weights are all 0"):
        weft.load_bound(fabric, np.zeros((count, count), dtype=int))
    with pytest.raises(weft.RoutingError, match="“long”, expected any, shortest or tables"):
        weft.load_bound(fabric, routes="long")  # type: ignore[arg-type]


def test_ends_of_service_send_nothing() -> None:
    fabric = weft.irregular(8, seed=2)
    names = fabric.host_names
    marked = weft.mark_ends(fabric, service=names[:4])
    (whole, part) = (weft.load_bound(one) for one in (fabric, marked))
    assert part.load < whole.load
    weft.check_load_bound(marked, part)
    with pytest.raises(weft.RoutingError, match="the weights show that some channel carries"):
        weft.check_load_bound(marked, whole)


def test_a_file_is_read_again_and_judged(tmp_path: Path) -> None:
    fabric = weft.irregular(16, seed=1)
    net, path = tmp_path / "net.json", tmp_path / "bound.json"
    weft.write_fabric(fabric, net)
    written = done("route", net, "best", "--bound", path).stdout
    bound = weft.load_bound(fabric, routes="tables")
    largest = largest_switch_load(fabric, weft.route(fabric, "best"))
    better = f"{100 * (largest / bound.load - 1):.1f} %"
    told = f"no tables by destination are below {bound.load}: at most {better}"
    assert told in " ".join(written.split())
    read = weft.read_load_bound(fabric, path)
    assert (read.load, read.routes) == (bound.load, "tables")
    assert np.array_equal(read.weights, bound.weights)
    told = done("prove", net, "best", "--check", path, "--json").document
    assert told["holds"]
    assert told["better_possible"] == pytest.approx(largest / bound.load - 1)
    assert (
        f"no tables by destination are below {bound.load} routes"
        in done("prove", net, "best", "--check", path).stdout
    )
    # What claims more than it shows does not hold.
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document | {"load": bound.load + 1}))
    ended = run("prove", net, "best", "--check", path)
    assert ended.code == 1
    shown = f"some channel carries {bound.load} routes or more, not {bound.load + 1}"
    assert shown in ended.stdout


@pytest.mark.parametrize("hosts", [1, 4])
def test_a_ring_of_five_on_one_lane_leads_some_pair_the_long_way(hosts: int) -> None:
    """Each way round five pairs go two links: the turn that is left out costs one pair one link."""
    ring = weft.generate("ring", switches=5, hosts_per_switch=hosts)
    pairs = hosts**2
    assert weft.load_bound(ring).load == 3 * pairs
    # 5 · 2 · (1 + 2) links of shortest routes and one more each way round, on ten channels.
    bound = weft.load_bound(ring, one_lane=True)
    assert bound.load == -(-32 * pairs // 10)
    weft.check_load_bound(ring, bound)
    with_stops = weft.load_bound(ring, routes="shortest", one_lane=True, stop_cost=5)
    assert with_stops.load == (30 + 2 * 5) * pairs // 10
    weft.check_load_bound(ring, with_stops)
    routing = weft.route(ring, "best_itb:stop_cost=5")
    reached = bounded_load(ring, weft.load_figures(ring, routing), with_stops)
    assert reached == pytest.approx(4 * pairs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("spec", "routes", "stop_cost"),
    [
        ("best:lanes=1", "tables", None),
        ("updown", "any", None),
        ("best_itb:stop_cost=2", "shortest", 2),
        ("best_itb:stop_cost=40,slack=2", "any", 40),
    ],
)
def test_nothing_on_one_lane_is_below_its_bound(
    seed: int, spec: str, routes: Literal["any", "shortest", "tables"], stop_cost: int | None
) -> None:
    fabric = weft.irregular(10, seed=seed)
    bound = weft.load_bound(fabric, routes=routes, one_lane=True, stop_cost=stop_cost)
    weft.check_load_bound(fabric, bound)
    figures = weft.load_figures(fabric, weft.route(fabric, spec))
    assert bounded_load(fabric, figures, bound) >= bound.load
    assert bound.load >= weft.load_bound(fabric, routes=routes).load


def test_a_bound_of_one_lane_is_told_written_and_judged(tmp_path: Path) -> None:
    net, path = tmp_path / "net.json", tmp_path / "bound.json"
    ring = weft.generate("ring", switches=5, hosts_per_switch=4)
    weft.write_fabric(ring, net)
    told = done("route", net, "best_itb:stop_cost=5", "--bound", path).stdout
    none = "stops counted at stop_cost=5, no routing of shortest routes is below 64"
    assert f"; 64 with stops; on one lane, {none}: none better" in " ".join(told.split())
    ended = done("prove", net, "best_itb:stop_cost=5", "--check", path).stdout
    assert f"holds: on one lane, {none}" in ended
    assert "has 64: none better is possible" in ended
    document = json.loads(path.read_text())
    assert document["one_lane"]["stop_cost"] == 5
    read = weft.read_load_bound(ring, path)
    assert (
        read.one_lane
        == weft.load_bound(ring, routes="shortest", one_lane=True, stop_cost=5).one_lane
    )
    circle = document["one_lane"]["circles"][0]
    for change, expected in [
        ({"price": circle["price"] + 1}, "which costs"),
        ({"channels": circle["channels"][1:]}, "does not lead to where the next comes from"),
        ({"channels": []}, "does not lead to where the next comes from"),
    ]:
        circles = [circle | change, *document["one_lane"]["circles"][1:]]
        changed = document | {"one_lane": document["one_lane"] | {"circles": circles}}
        path.write_text(json.dumps(changed))
        judged = run("prove", net, "best_itb", "--check", path)
        assert judged.code == 1
        assert expected in judged.stdout


def test_a_bound_of_one_lane_takes_no_weights_and_a_price_needs_one() -> None:
    fabric = weft.irregular(8, seed=1)
    weights = np.ones((fabric.host_count,) * 2, dtype=int)
    with pytest.raises(weft.RoutingError, match="weights of pairs for a bound of one lane"):
        weft.load_bound(fabric, weights, one_lane=True)
    with pytest.raises(weft.RoutingError, match="found stop_cost 2 for any number of lanes"):
        weft.load_bound(fabric, stop_cost=2)


DAMAGE = {
    "another fabric": (lambda file: file | {"fingerprint": "0"}, "with fingerprint 0"),
    "another kind": (lambda file: file | {"format": "weft"}, "no “channels”|no “format”|found"),
    "no load": (lambda file: file | {"load": -1}, "-1 for “load”"),
    "no channels": (lambda file: file | {"channels": None}, "no “channels”"),
    "a channel twice": (
        lambda file: file | {"channels": [file["channels"][0]] * 2},
        "twice, expected each once",
    ),
    "no such channel": (
        lambda file: file | {"channels": [{"channel": 10**6, "weight": 1}]},
        "as entry 0, expected “channel” from 0",
    ),
    "a weight too large": (
        lambda file: file | {"channels": [{"channel": 100, "weight": 2**32}]},
        "as entry 0",
    ),
    "no circles": (lambda file: file | {"one_lane": {"stop_cost": 1}}, "for “one_lane”"),
    "no price": (
        lambda file: file | {"one_lane": {"stop_cost": 1, "circles": [{"channels": [0]}]}},
        "as circle 0, expected “channels” from 0",
    ),
    "other routes": (lambda file: file | {"routes": "long"}, "found routes “long”"),
}


@pytest.mark.parametrize("case", DAMAGE, ids=lambda case: case.replace(" ", "-"))
def test_a_damaged_file_is_refused(tmp_path: Path, case: str) -> None:
    fabric = weft.irregular(8, seed=1)
    net, path = tmp_path / "net.json", tmp_path / "bound.json"
    weft.write_fabric(fabric, net)
    weft.write_load_bound(fabric, weft.load_bound(fabric), path)
    damage, expected = DAMAGE[case]
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(weft.FormatError, match=expected):
        weft.read_load_bound(fabric, path)
    refused("bound.json", "prove", net, "updown", "--check", path)


def test_where_no_channel_joins_switches_there_is_no_bound_to_write(tmp_path: Path) -> None:
    net = tmp_path / "net.json"
    done("fabric", "new", "mesh", "--extents", "1x1", "--hosts-per-switch", "3", "-o", net)
    assert "none between switches" in done("route", net, "updown").stdout
    path, out = tmp_path / "bound.json", tmp_path / "out"
    refused("no load to bound", "route", net, "updown", "--bound", path)
    # Comparisons refuse it before anything is routed or simulated.
    for command, *options in (
        ("audit", "--against", "best"),
        ("advise", "--lanes", "1"),
        ("compare", "--routing", "best", "--out", out),
    ):
        told = refused("no load to bound", command, net, *options, "--bound", path)
        assert "judging" not in told.stderr
    assert not path.exists()
    assert not out.exists()


def test_comparisons_tell_how_much_better_than_the_most_even_is_possible(tmp_path: Path) -> None:
    fabric = weft.irregular(16, seed=1)
    net = tmp_path / "net.json"
    weft.write_fabric(fabric, net)
    bound = weft.load_bound(fabric, is_tight=False).load
    # Hosts hang in fours, and so do the routes of tables.
    of_tables = weft.load_bound(fabric, routes="tables", is_tight=False).load
    assert of_tables == -(-bound // 4) * 4
    specs = ("updown:selection=first", "best:lanes=8")
    loads = {spec: largest_switch_load(fabric, weft.route(fabric, spec)) for spec in specs}
    assert bound <= loads["best:lanes=8"] < loads["updown:selection=first"]
    most_even = loads["best:lanes=8"]

    def told(none: str, bound: int) -> str:
        better = f"{100 * (most_even / bound - 1):.1f} %"
        return (
            f"{none} below {bound} routes over some channel, and best:lanes=8 has {most_even}:"
            f" at most {better} better is possible"
        )

    against = [word for spec in specs for word in ("--against", spec)]
    judged = told("no tables by destination are", of_tables)
    assert judged in done("audit", net, *against, "--count", "5").stdout
    report = tmp_path / "audit.html"
    done("audit", net, *against, "--count", "5", "--report", report)
    assert judged.removeprefix("no ") in report.read_text()
    routings = [word for spec in specs for word in ("--routing", spec)]
    short = ("--loads", "0.02", "--max-packets", "2000", "--no-report", "--out", tmp_path / "c")
    compared = done("compare", net, *routings, "--hardware", "infiniband_edr", *short).stdout
    assert told("no routing is", bound) in compared
    advice = done("advise", net, "--lanes", "8", *routings, "--count", "5", "--simulate", "0")
    assert "As the network is, no tables by destination are below" in advice.stdout


def test_what_comparisons_tell_is_written_as_a_certificate(tmp_path: Path) -> None:
    # Each host's own channel carries 35 routes, more than any between switches does.
    fabric = weft.irregular(18, hosts_per_switch=2, seed=611)
    net = tmp_path / "net.json"
    weft.write_fabric(fabric, net)
    spec = "best:lanes=4"
    largest = largest_switch_load(fabric, weft.route(fabric, spec))
    bound = weft.load_bound(fabric, routes="tables").load
    assert bound <= largest < fabric.host_count - 1
    short = ("--loads", "0.02", "--max-packets", "2000", "--no-report", "--out", tmp_path / "c")
    asked = {
        "audit": ("--against", spec, "--count", "5"),
        "advise": ("--lanes", "4", "--routing", spec, "--count", "5", "--simulate", "0"),
        "compare": ("--routing", spec, "--hardware", "infiniband_edr", *short),
    }
    for command, options in asked.items():
        path = tmp_path / f"{command}.json"
        told = done(command, net, *options, "--bound", path).stdout
        assert f"below {bound} routes over some channel, and {spec} has {largest}" in told, command
        assert str(path) in told
        checked = done("prove", net, spec, "--check", path, "--json").document
        assert (checked["load"], checked["largest_load"]) == (bound, largest), command
        assert done(command, net, *options, "--json").document["load_bound"] == bound
        written = json.loads(path.read_text())
        path.write_text(json.dumps(written | {"load": written["load"] + 2}))
        ended = run("prove", net, spec, "--check", path)
        assert (ended.code, "does not hold" in ended.stdout) == (1, True), command


def test_the_bound_of_tables_is_told_of_tables_with_one_way_to_each_host() -> None:
    fabric = weft.irregular(8, seed=2)
    tables = weft.load_bound(fabric, routes="tables", is_tight=False).load
    pairs, best = weft.route(fabric, "best_itb"), weft.route(fabric, "best")
    loads = [largest_switch_load(fabric, routing) for routing in (pairs, best)]
    assert loads == [tables - 1, tables], "routes of pairs are below"
    found = weft.audit(fabric, alternatives=["best_itb", "best"], count=1)
    assert found.possible.endswith(f"and best has {tables}: none better is possible")
    assert not weft.audit(fabric, alternatives=["best_itb"], count=1).possible
    # With several addresses of a host, tables lead pairs as routes of pairs do.
    several = weft.to_tables(fabric, weft.route(fabric, "updown:root=0"), 3)
    for routing, kind in [(best, "tables"), (several, "any")]:
        gap = load_gap(fabric, routing, weft.load_figures(fabric, routing))
        assert gap is not None
        assert (routing.form, gap.bound.routes) == ("forwarding tables", kind)


def test_bounds_of_whole_routes_are_not_told_of_pairs_with_several(tmp_path: Path) -> None:
    # 16 routes each way over three cables: 5.33 on each where pairs spread, 6 on one where they do
    # not, and 8 where each switch has one way to each host.
    pair = trunk(hosts=4, cables=3)
    net, bound = tmp_path / "net.json", tmp_path / "bound.json"
    weft.write_fabric(pair, net)
    done("route", net, "best:lanes=1", "--bound", bound)
    several = "best:lanes=1,lmc=5"
    gap = done("route", net, several, "--json").document["load_gap"]
    assert (gap["largest_load"], gap["bound"], gap["bound_of"]) == (5, 5, "any")
    found = weft.load_bound(pair)
    assert (found.load, found.mean_load) == (6, pytest.approx(16 / 3))
    # The bound of tables holds, and says nothing of these routes.
    checked = done("prove", net, several, "--check", bound, "--json").document
    told = (checked["holds"], checked["load"], checked["largest_load"], checked["better_possible"])
    assert told == (True, 8, 5, None)
    compared = ("--routing", several, "--routing", "min_hop", "--hardware", "infiniband_edr")
    short = ("--loads", "0.02", "--max-packets", "2000", "--no-report", "--out", tmp_path / "c")
    assert "and min_hop has 8" in done("compare", net, *compared, *short).stdout
    # Of a single pair each cable may have a third; 32 addresses over three are 11, 11 and 10.
    traffic = tmp_path / "one.csv"
    traffic.write_text("s0,t0,5\n")
    shares = {
        spec: weft.traffic_gaps(pair, weft.route(pair, spec), str(traffic))[0]
        for spec in (several, "best:lanes=1")
    }
    assert shares[several].bound == pytest.approx(1 / 3)
    assert shares[several].largest_load >= 11 / 32
    assert (shares["best:lanes=1"].largest_load, shares["best:lanes=1"].bound) == (1.0, 1.0)


def test_nothing_is_said_where_links_have_several_rates_or_some_hosts_send(tmp_path: Path) -> None:
    net = tmp_path / "net.json"
    fabric = weft.irregular(8, seed=1)
    weft.write_fabric(fabric, net)
    some = ("--hosts", ",".join(fabric.host_names[:6]))
    assert "possible" not in done("audit", net, "--against", "updown", *some).stdout
    document = json.loads(net.read_text())
    for link, rate in zip(document["links"], (40, 100) * len(document["links"]), strict=False):
        link["rate"] = f"{rate} Gbit/s"
    net.write_text(json.dumps(document))
    assert "possible" not in done("audit", net, "--against", "updown", "--count", "5").stdout


@pytest.mark.parametrize(
    "fabric",
    [
        lambda: weft.generate("ring", switches=5, hosts_per_switch=4),
        lambda: weft.generate("ring", switches=8, hosts_per_switch=1),
        lambda: weft.irregular(6, seed=1),
        lambda: weft.irregular(8, seed=2),
        lambda: weft.torus(3, 3, hosts_per_switch=4),
    ],
    ids=["ring of five", "ring of eight", "irregular 6", "irregular 8", "torus"],
)
def test_on_one_lane_best_is_within_a_tenth_of_what_trying_all_turns_shows(
    fabric: Callable[[], weft.Fabric],
) -> None:
    net = fabric()
    largest = largest_switch_load(net, weft.route(net, "best:lanes=1"))
    least = least_on_one_lane(net, largest / 1.1)
    assert largest <= 1.1 * least * (1 + 1e-6)


def test_a_bound_of_one_lane_is_not_above_what_trying_all_turns_finds() -> None:
    for net in (
        weft.generate("ring", switches=6, hosts_per_switch=4),
        weft.generate("ring", switches=7, hosts_per_switch=1),
    ):
        exact = least_on_one_lane(net)
        assert weft.load_bound(net, one_lane=True).load <= np.ceil(exact * (1 - 1e-6))
        # Eight lanes would have less: the price of one lane is no fault of the routes.
        largest = largest_switch_load(net, weft.route(net, "best:lanes=1"))
        assert largest == pytest.approx(exact)
        assert largest > largest_switch_load(net, weft.route(net, "best:lanes=8"))
