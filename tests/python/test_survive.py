"""What failures cost before they happen: counts by hand, ranking, refusals, and the command."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from addresses import names_an_address
from command import done, refused
from command import weft as command
from report_samples import HOSTILE_NAME, hostile
from trunk import trunk

import weft
from weft import _core
from weft._numbers import in_percent
from weft.report import render_survival

if TYPE_CHECKING:
    from pathlib import Path


#: A director of two leaf boards, of two chips each, and a spine board, below it two switches.
_DIRECTOR = {
    **{f"core:CS7500/L0{board}/U{chip}": "0x9" for board in (1, 2) for chip in (1, 2)},
    "core:CS7500/S01/U1": "0x9",
    "edge1": None,
    "edge2": None,
}


def _director() -> weft.Fabric:
    """Return the director with the two switches on every chip of its leaf boards."""
    names = list(_DIRECTOR)
    *chips, spine = names[:5]
    ends = [[(chip, 1), (spine, 1 + number)] for number, chip in enumerate(chips)]
    for edge, port in (("edge1", 2), ("edge2", 3)):
        ends += [[(chip, port), (edge, 1 + number)] for number, chip in enumerate(chips)]
    hosts = [f"{edge}-{number}" for edge in ("edge1", "edge2") for number in range(3)]
    ends += [[(host, 1), (host[:5], 5 + int(host[-1]))] for host in hosts]
    document = {
        "format": "weft-fabric",
        "version": 1,
        "switches": [
            {"name": name, "ports": 8} | ({"system_guid": guid} if guid else {})
            for name, guid in _DIRECTOR.items()
        ],
        "hosts": [{"name": host} for host in hosts],
        "links": [{"ends": pair} for pair in ends],
    }
    return _core.read_fabric(json.dumps(document).encode(), "director.json")[0]


def _tree() -> weft.Fabric:
    """Two leaves with three hosts each below two spines."""
    return weft.generate("xgft", m="3,2", w="1,2")


def test_a_cable_of_a_small_tree_by_hand() -> None:
    # Three hosts send to three by two spines, to two of them by one, to the third by the other: 6
    # and 3 routes. With one spine left all nine.
    tree = _tree()
    found = weft.survive(tree, weft.route(tree, "ftree"), parts=["cables"])
    assert found.whole.largest_load == 6
    assert found.whole.saturation_bound == pytest.approx(5 / 6)
    assert [one.load and one.load.largest_load for one in found.failures] == [9] * 4
    assert [one.load and one.load.saturation_bound for one in found.failures] == [5 / 9] * 4
    assert not any(one.cut_off_hosts for one in found.failures)
    assert found.cutting_off == []
    assert found.refused == []


def test_switches_that_fail_take_their_hosts_along_and_come_first() -> None:
    tree = _tree()
    found = weft.survive(tree, weft.route(tree, "ftree"))
    assert len(found.failures) == 4 + 4
    first = found.failures[:2]
    assert {one.failure.switches for one in first} == {("sw0",), ("sw1",)}
    assert [len(one.cut_off_hosts) for one in first] == [3, 3]
    # What is left of a leaf alone loads no channel between switches.
    assert [one.load and one.load.largest_load for one in first] == [0, 0]
    assert [one.load and one.load.busiest for one in first] == [None, None]
    spines = [one for one in found.failures if one.failure.switches in {("sw2",), ("sw3",)}]
    assert [one.load and one.load.largest_load for one in spines] == [9, 9]


def test_cards_and_chassis_fail_with_all_their_switches() -> None:
    director = _director()
    routing = weft.route(director, "best:lanes=2")
    found = weft.survive(director, routing)
    assert found.counts == {"cables": 12, "switches": 7, "cards": 2, "chassis": 1}
    assert len(found.failures) == 22
    by_name = {one.failure.name: one for one in found.failures}
    card = by_name["core:CS7500/L01"]
    assert card.failure.failed_switches == ("core:CS7500/L01/U1", "core:CS7500/L01/U2")
    assert card.failure.cards == (weft.SharedPart("core:CS7500/L01", card.failure.failed_switches),)
    # Three hosts send to three over two chips, to two of them by one.
    assert card.load is not None
    assert card.load.largest_load == 6
    # Without the director the edges are apart: the hosts of one are lost, though its switch runs.
    chassis = found.failures[0]
    assert chassis.failure.name == "core:CS7500"
    assert len(chassis.failure.failed_switches) == 5
    assert len(chassis.cut_off_hosts) == chassis.stranded_hosts == 3
    assert found.cutting_off == [chassis]
    # The spine board has a single chip: a card of its own where switches are not looked at.
    cards = weft.survive(director, routing, parts=["cards", "chassis"])
    assert cards.counts == {"cards": 3, "chassis": 1}
    assert cards.failures[0].failure == chassis.failure


def test_a_card_that_fails_is_told_as_all_its_switches_at_once() -> None:
    director = _director()
    routing = weft.route(director, "best:lanes=2")
    cards = weft.survive(director, routing, parts=["cards"]).failures
    pairs = weft.survive(director, routing, parts=["switches"], at_once=2).failures
    by_switches = {one.failure.failed_switches: one for one in pairs}
    for card in cards:
        if len(card.failure.failed_switches) == 2:
            both = by_switches[card.failure.failed_switches]
            assert (card.load, card.changed_entries) == (both.load, both.changed_entries)


def test_a_bridge_cuts_off_the_hosts_beyond_it() -> None:
    line = weft.mesh(4, 1)
    found = weft.survive(line, weft.route(line, "down_preferred"), parts=["cables"])
    ends = {one.failure.cables: one.cut_off_hosts for one in found.cutting_off}
    assert len(ends) == 3
    middle = next(names for cables, names in ends.items() if cables[0][0].startswith("sw1:"))
    assert len(middle) == 2 * line.host_count // 4


def _parallel() -> weft.Fabric:
    """Return two switches with a host each and three cables between them."""
    document = {
        "format": "weft-fabric",
        "version": 1,
        "switches": [{"name": name, "ports": 4} for name in ("s", "t")],
        "hosts": [{"name": name} for name in ("a", "b")],
        "links": [
            {"ends": [["a", 1], ["s", 1]]},
            {"ends": [["b", 1], ["t", 1]]},
            *({"ends": [["s", port], ["t", port]]} for port in (2, 3, 4)),
        ],
    }
    return _core.read_fabric(json.dumps(document).encode(), "parallel.json")[0]


def test_a_way_goes_where_there_is_room_for_what_it_brings() -> None:
    # Three cables between four hosts each: two destinations each way share one, of 8 routes, and
    # what a failed one carried fits the others at no more than these 8.
    pair = trunk(hosts=4, cables=3)
    found = weft.survive(pair, weft.route(pair, "min_hop"), parts=["cables"], anew=3)
    assert found.whole.largest_load == 8
    loads = [(one.load, one.anew) for one in found.failures]
    assert [load.largest_load for load, _ in loads if load is not None] == [8, 8, 8]
    assert [anew.load.largest_load for _, anew in loads if anew is not None] == [8, 8, 8]


def test_failures_that_leave_nobody_to_send_are_told_like_others(tmp_path: Path) -> None:
    pair = _parallel()
    found = weft.survive(pair, weft.route(pair, "best:lanes=1"), at_once=2)
    worst = found.failures[0]
    assert (worst.failure.switches, worst.cut_off_hosts) == (("s", "t"), ["a", "b"])
    # All pairs of five parts: no repair need be compared where a switch fails.
    assert len(found.failures) == 10
    assert [found.is_silent(one) for one in found.failures] == [True] * 7 + [False] * 3
    assert [one.anew is not None for one in found.failures] == [False] * 7 + [True] * 3
    simulated = weft.simulate_worst(found, weft.hardware("myrinet"), 8)
    assert [one.throughput is not None for one in simulated.failures[:8]] == [False] * 7 + [True]
    path, page = tmp_path / "pair.json", tmp_path / "page.html"
    weft.write_fabric(pair, path)
    shown = done("survive", path, "updown", "--at-once", 2, "-o", page).stdout
    assert re.search(r"^s, t +2 +0 +0 +– +– +any$", shown, re.MULTILINE)
    assert "100.0 %" in shown
    assert "s, t" in page.read_text()


def test_what_is_told_is_what_a_repair_and_the_proof_find() -> None:
    torus = weft.torus(4, 4, hosts_per_switch=2)
    routing = weft.route(torus, "best:lanes=4")
    found = weft.survive(torus, routing, parts=["cables"])
    for one in found.failures[:5]:
        assert one.load is not None
        ((end, _),) = one.failure.cables
        damaged = weft.degrade(torus, links=end).fabric
        made = weft.repair(torus, routing, damaged)
        assert weft.prove(damaged, made.routing).deadlock_free
        assert made.changed_entries == one.changed_entries
        loads = weft.load_figures(damaged, made.routing)
        assert loads.saturation_bound == pytest.approx(one.load.saturation_bound, abs=1e-12)
        is_any = not (one.last_destinations or one.cleared_destinations)
        assert (made.order == "any") == is_any


def test_the_worst_come_first() -> None:
    torus = weft.torus(4, 4, hosts_per_switch=2)
    found = weft.survive(torus, weft.route(torus, "best:lanes=2"), at_once=2, sample=60)
    assert len(found.failures) == 60
    assert len({one.failure for one in found.failures}) == 60
    counts = [len(one.cut_off_hosts) for one in found.failures]
    assert counts == sorted(counts, reverse=True)
    again = weft.survive(torus, weft.route(torus, "best:lanes=2"), at_once=2, sample=60)
    assert again.failures == found.failures
    other = weft.survive(torus, weft.route(torus, "best:lanes=2"), at_once=2, sample=60, seed=2)
    assert {one.failure for one in other.failures} != {one.failure for one in found.failures}


def test_all_pairs_of_cables_are_looked_at_without_a_sample() -> None:
    tree = _tree()
    told: list[tuple[int, int]] = []
    found = weft.survive(
        tree,
        weft.route(tree, "ftree"),
        parts=["cables"],
        at_once=2,
        progress=lambda done, count: told.append((done, count)),
    )
    assert len(found.failures) == math.comb(4, 2)
    assert told[-1] == (6, 6)
    # Both cables of a leaf, or both of a spine: two of each; the first cut off its hosts.
    assert [len(one.cut_off_hosts) for one in found.failures] == [3, 3, 3, 3, 0, 0]


def test_tables_that_can_deadlock_and_lists_of_ports_are_refused() -> None:
    torus = weft.torus(4, 4)
    with pytest.raises(weft.RoutingError, match="packets can deadlock with the tables"):
        weft.survive(torus, weft.route(torus, "min_hop"))
    with pytest.raises(weft.RoutingError, match="a repair needs forwarding tables"):
        weft.survive(torus, weft.route(torus, "updown"))


def test_failures_that_cannot_be_are_refused() -> None:
    tree = _tree()
    routing = weft.route(tree, "ftree")
    with pytest.raises(weft.InputError, match="at_once is 0; expected a whole number from 1"):
        weft.survive(tree, routing, at_once=0)
    with pytest.raises(weft.InputError, match="5 parts cannot fail at once, as there are 4"):
        weft.survive(tree, routing, parts=["cables"], at_once=5)
    with pytest.raises(weft.InputError, match="no part of the kinds asked for"):
        weft.survive(tree, routing, parts=["cards", "chassis"])
    with pytest.raises(weft.InputError, match="found parts 'hosts', expected 'cables', 'switches'"):
        weft.survive(tree, routing, parts=["hosts"])  # type: ignore[list-item]
    large = weft.torus(16, 16)
    with pytest.raises(weft.InputError, match="draw a sample of at most 200,000"):
        weft.survive(large, weft.route(large, "down_preferred"), at_once=3)


def test_what_cannot_be_repaired_is_routed_anew() -> None:
    torus = weft.torus(3, 3)
    routing = weft.route(torus, "down_preferred")
    found = weft.survive(torus, routing, anew=1)
    (refused,) = found.refused
    assert found.compared == [refused]
    assert refused.load is None
    assert not refused.is_time_to_route_anew
    ((end, _),) = refused.failure.cables
    damaged = weft.degrade(torus, links=end).fabric
    with pytest.raises(weft.NoRepairError, match="stop the traffic and route anew"):
        weft.repair(torus, routing, damaged)
    anew = weft.route(damaged, "down_preferred")
    assert refused.anew is not None
    assert refused.anew.entries == 8 * 9
    routes = weft.load_figures(damaged, anew).routes_per_channel[damaged.is_switch_channel]
    assert refused.anew.load.largest_load == routes.max()
    assert weft.survive(torus, routing, anew=0).compared == []


def test_it_is_time_to_route_anew_where_repairs_load_a_channel_much_more() -> None:
    torus = weft.torus(4, 4, hosts_per_switch=2)
    routing = weft.route(torus, "best:lanes=4")
    found = weft.survive(torus, routing, parts=["switches"], anew=16)
    assert len(found.compared) == 16
    ratios = {}
    for one in found.compared:
        assert one.load is not None
        assert one.anew is not None
        ratio = one.load.largest_load / one.anew.load.largest_load
        assert one.is_time_to_route_anew == (ratio > 1.1)
        ratios[one.failure.name] = ratio
    assert min(ratios.values()) < 1.1 < max(ratios.values())
    one = found.compared[0]
    left = weft.degrade(torus, switches=one.failure.switches).fabric
    routes = weft.load_figures(left, weft.route(left, "best:lanes=4")).routes_per_channel
    assert one.anew is not None
    assert one.anew.load.largest_load == routes[left.is_switch_channel].max()
    heaviest = weft.survive(torus, routing, parts=["switches"], anew=1).compared
    most = max(one.load.largest_load for one in found.failures if one.load is not None)
    assert [one.load and one.load.largest_load for one in heaviest] == [most]


def test_the_parameters_of_the_algorithm_are_those_of_the_tables() -> None:
    torus = weft.torus(5, 5)
    found = weft.survive(torus, weft.route(torus, "best:lanes=1"), parts=["switches"], anew=1)
    (refused_one,) = found.compared
    left = weft.degrade(torus, switches=refused_one.failure.switches).fabric

    def most(specification: str) -> int:
        routes = weft.load_figures(left, weft.route(left, specification)).routes_per_channel
        return int(routes[left.is_switch_channel].max())

    assert refused_one.anew is not None
    assert refused_one.anew.load.largest_load == most("best:lanes=1") != most("best:lanes=2")


def test_tables_that_no_algorithm_made_are_not_routed_anew(tmp_path: Path) -> None:
    torus = weft.torus(3, 3)
    path, folder = tmp_path / "torus.ibnetdiscover", tmp_path / "out"
    weft.write_fabric(torus, path)
    done("export", "opensm", path, "down_preferred", "-o", folder)
    listed = weft.read_fabric(folder / "subnet.lst").fabric
    foreign = weft.read_routes(listed, folder).routing
    (refused_one,) = weft.survive(listed, foreign).refused
    assert refused_one.anew is None
    damaged = weft.degrade(listed, links=refused_one.failure.cables[0][0]).fabric
    weft.write_fabric(damaged, tmp_path / "damaged.json")
    weft.write_fabric(listed, tmp_path / "whole.json")
    refused(
        "stop the traffic and route anew",
        *("route", tmp_path / "damaged.json", folder, "--repairs", tmp_path / "whole.json"),
    )


def test_the_worst_are_simulated_with_the_tables_they_leave() -> None:
    tree = _tree()
    found = weft.survive(tree, weft.route(tree, "ftree"))
    hardware = weft.hardware("infiniband_edr")
    simulated = weft.simulate_worst(found, hardware, 4)
    assert simulated.failures[4:] == found.failures[4:]
    assert [one.throughput is None for one in simulated.failures] == [False] * 4 + [True] * 4
    named = "infiniband_hdr, links at the rates of the fabric"
    assert f"(hardware {named})" in render_survival(simulated, machine=named)
    assert named not in render_survival(found, machine=named)
    whole = simulated.whole_throughput
    assert whole is not None
    # Static loads bound what is carried: 5/6 and after a spine or its cable 5/9; a leaf that is
    # alone carries nearly all.
    assert 0.6 < whole.load <= 1.02 * 5 / 6
    assert 0 < whole.half_width < 0.1
    loads = [one.throughput.load for one in simulated.failures[:4] if one.throughput]
    bounds = [one.load.saturation_bound for one in simulated.failures[:4] if one.load]
    assert bounds == pytest.approx([1, 1, 5 / 9, 5 / 9])
    for load, bound in zip(loads, bounds, strict=True):
        assert 0.7 * bound < load <= 1.02 * bound


def test_what_is_routed_anew_is_simulated_with_the_new_tables() -> None:
    torus = weft.torus(3, 3)
    found = weft.survive(torus, weft.route(torus, "down_preferred"), parts=["cables"], anew=1)
    place = found.failures.index(found.refused[0])
    simulated = weft.simulate_worst(found, weft.hardware("infiniband_edr"), place + 1)
    refused_one = simulated.failures[place]
    assert refused_one.load is None
    assert refused_one.throughput is not None
    assert refused_one.figures is not None
    assert refused_one.throughput.load <= 1.02 * refused_one.figures.saturation_bound


def test_the_command_simulates_on_the_hardware_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    weft.write_fabric(_tree(), path)
    asked = ("survive", path, "ftree", "--simulate", 2, "--hardware", "infiniband_hdr")
    ended = done(*asked)
    assert "simulated" in ended.stdout
    rows = [line for line in ended.stdout.splitlines() if "±" in line and "any" in line]
    assert len(rows) == 2
    document = command(*asked, "--json").document
    assert document["hardware"]["preset"] == "infiniband_hdr"
    assert document["failures"][0]["throughput"]["load"] > 0.5
    assert document["failures"][2]["throughput"] is None
    refused("--simulate", "survive", path, "ftree", "--hardware", "infiniband_hdr")


def test_the_command_says_when_to_route_anew(tmp_path: Path) -> None:
    path, damaged = tmp_path / "torus.json", tmp_path / "damaged.json"
    torus = weft.torus(3, 3)
    weft.write_fabric(torus, path)
    ended = done("survive", path, "down_preferred")
    assert "1 of them with traffic going on" in ended.stdout
    rows = [line for line in ended.stdout.splitlines() if line.endswith("routed anew")]
    assert len(rows) == 1
    (refused_one,) = weft.survive(torus, weft.route(torus, "down_preferred")).refused
    weft.write_fabric(weft.degrade(torus, links=refused_one.failure.cables[0][0]).fabric, damaged)
    ended = done("route", damaged, "down_preferred", "--repairs", path)
    assert "all 72 entries change, as no way from switch" in ended.stdout
    document = command("route", damaged, "down_preferred", "--repairs", path, "--json").document
    assert document["repair"] is None
    assert document["anew"]["refusal"] == refused_one.refusal
    assert document["anew"]["entries"] == 72


def test_the_command_tells_both_loads_where_it_is_time_to_route_anew(tmp_path: Path) -> None:
    torus = weft.torus(4, 4, hosts_per_switch=2)
    path, damaged = tmp_path / "torus.json", tmp_path / "damaged.json"
    weft.write_fabric(torus, path)
    found = weft.survive(torus, weft.route(torus, "best:lanes=4"), parts=["switches"], anew=1)
    (one,) = found.compared
    assert one.is_time_to_route_anew
    assert one.load is not None
    assert one.anew is not None
    ended = done("survive", path, "best:lanes=4", "--parts", "switches", "--anew", 1)
    assert "after 1 of the 1 compared" in ended.stdout
    loads = one.anew.load.largest_load, one.load.largest_load
    told = f"leaves a largest load of {loads[0]} where the repair leaves {loads[1]}"
    assert told in ended.stdout
    weft.write_fabric(weft.degrade(torus, switches=one.failure.switches).fabric, damaged)
    ended = done("route", damaged, "best:lanes=4", "--repairs", path)
    assert f"it is time: the largest load would be {loads[0]} routes, and is {loads[1]}" in (
        ended.stdout
    )


def test_the_command_shows_the_worst_and_all_in_json(tmp_path: Path) -> None:
    path = tmp_path / "torus.json"
    weft.write_fabric(weft.torus(4, 4), path)
    ended = done("survive", path, "best:lanes=2", "--worst", 3)
    assert "32 cables and 16 switches, each alone" in ended.stdout
    assert "… 45 milder ones; --worst shows more, --json all" in ended.stdout
    # Switches take their hosts along.
    assert re.search(r"^cut hosts off +none whose switch runs$", ended.stdout, re.MULTILINE)
    document = command("survive", path, "best:lanes=2", "--json").document
    assert len(document["failures"]) == 48
    assert document["failures"][0]["failure"]["switches"]
    assert json.dumps(document["whole"]["largest_load"])


def test_cards_are_told_by_the_short_names_of_their_switches(tmp_path: Path) -> None:
    path = tmp_path / "director.json"
    weft.write_fabric(_director(), path)
    ended = done("survive", path, "best:lanes=2", "--worst", 30)
    assert "12 cables, 7 switches, 2 cards and 1 chassis, each alone" in ended.stdout
    assert "1 of them whose switch runs" in ended.stdout
    rows = [line for line in ended.stdout.splitlines() if "L01 (2 switches)" in line]
    assert len(rows) == 1
    document = command("survive", path, "best:lanes=2", "--parts", "chassis", "--json").document
    ((chassis,),) = (one["failure"]["chassis"] for one in document["failures"])
    assert chassis["switches"] == list(_DIRECTOR)[:5]


def _text(page: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", page))


def _section(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found
    return found[0]


def test_the_page_ranks_failures_and_says_who_is_cut_off() -> None:
    director = _director()
    found = weft.survive(director, weft.route(director, "best:lanes=2"))
    page = render_survival(found, given="'my fabric.json'", routing="best:lanes=2")
    text = _text(page)
    assert "1 of 22 failures cut off hosts whose switch runs, 3 at most." in text
    assert "12 cables, 7 switches, 2 cards and 1 chassis; 22 failures" in text
    cutting = _section(page, "cutting")
    assert cutting.count("<tr>") == 1 + 1
    for host in found.cutting_off[0].cut_off_hosts:
        assert host in cutting
    rows = re.findall(r"<tr>(?!<th scope=.col).*?</tr>", _section(page, "worst"))
    assert len(rows) == 22
    for row, one in zip(rows, found.failures, strict=True):
        assert found.short_name(one.failure) in _text(row)
        assert one.load is not None
        assert f'class="number">{one.load.largest_load}<' in row
        assert in_percent(one.load.effective_bisection) in row
    # Those that cut nobody off have a list of their own, by what is left.
    mild = [one for one in found.failures if not one.cut_off_hosts]
    left = re.findall(r"<tr>(?!<th scope=.col).*?</tr>", _section(page, "mild"))
    assert len(left) == len(mild)
    least = min(one.load.effective_bisection for one in mild if one.load)
    assert in_percent(least) in left[0]
    assert "weft fabric degrade 'my fabric.json' --switches NAME -o left.json" in text
    assert "weft route left.json best:lanes=2 --repairs 'my fabric.json'" in text


def test_the_page_says_that_all_is_well_or_when_to_route_anew() -> None:
    tree = _tree()
    found = weft.survive(tree, weft.route(tree, "ftree"), parts=["cables"])
    page = render_survival(found)
    assert "✓ Yes." in page
    assert "Nothing that was looked at." in _section(page, "cutting")
    torus = weft.torus(3, 3)
    refused_one = weft.survive(torus, weft.route(torus, "down_preferred"), anew=1)
    text = _text(render_survival(refused_one))
    assert "After 1 the tables cannot be repaired with traffic going on." in text
    assert "no repair keeps clear of deadlock: route anew, with traffic stopped" in text
    assert "Plan to stop traffic and route anew after sw0:4 – sw3:5" in text


def test_the_page_has_what_was_simulated() -> None:
    tree = _tree()
    found = weft.survive(tree, weft.route(tree, "ftree"))
    simulated = weft.simulate_worst(found, weft.hardware("infiniband_edr"), 2)
    worst = _section(render_survival(simulated), "worst")
    assert worst.count('data-label="Simulated"') == 1 + 8
    assert worst.count("±") == 1 + 2
    assert "Simulated" not in render_survival(found)


def test_names_of_a_fabric_do_not_become_part_of_the_page() -> None:
    fabric = hostile()
    found = weft.survive(fabric, weft.route(fabric, "down_preferred"))
    page = render_survival(found, given=HOSTILE_NAME, routing=HOSTILE_NAME)
    assert HOSTILE_NAME not in page
    assert "<script" not in page


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    path, page = tmp_path / "tree.json", tmp_path / "page.html"
    weft.write_fabric(_tree(), path)
    ended = done("survive", path, "ftree", "-o", page)
    assert f"written to {page}" in ended.stdout
    text = page.read_text(encoding="utf-8")
    assert f"weft survive {path} ftree --simulate 20" in _text(text)
    assert not names_an_address(text)


def test_lists_of_ports_are_put_into_tables_by_the_command(tmp_path: Path) -> None:
    path = tmp_path / "tree.json"
    weft.write_fabric(_tree(), path)
    ended = done("survive", path, "updown:selection=first", "--parts", "cables")
    assert "4 cables, each alone" in ended.stdout
    refused("--sample", "survive", path, "ftree", "--sample", "0")
