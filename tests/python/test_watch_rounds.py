"""In which rounds OpenSM is given tables: no packets that meet some of each wait in a circle."""

from __future__ import annotations

import re
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from random import Random
from typing import TYPE_CHECKING

import pytest
from watched import SPEC, discovered, entries_of, torus

import weft
from weft.watch import Generation, decide
from weft.watch.decision import Way
from weft.watch.rounds import rounds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from weft._core import LoadedTables
    from weft.watch import Decision
    from weft.watch.rounds import Round

Entries = dict[int, dict[tuple[int, int], int]]


def tables_of(decision: Decision, folder: Path) -> LoadedTables:
    """Return what OpenSM would be given."""
    assert decision.standing is not None
    assert decision.proof is not None
    standing = decision.standing
    return weft.opensm_content(standing.fabric, standing.routing, decision.proof, folder)[0]


def generation_of(
    decision: Decision, folder: Path, between: LoadedTables | None = None
) -> Generation:
    """Return what stands by a decision, or between the tables before it and these."""
    assert decision.standing is not None
    tables = between or tables_of(decision, folder)
    return Generation(1, decision.standing, between is not None, 0, tables, {})


def same_in_both(old: Entries, new: Entries) -> Entries:
    """Return the entries that are the same in both, of the switches of the new ones."""
    return {
        switch: {key: port for key, port in entries.items() if old[switch].get(key) == port}
        for switch, entries in new.items()
    }


def phases_of(before: LoadedTables, given: list[Round]) -> Iterator[list[Entries]]:
    """Return the tables of each time between two waits, the first as they are at its beginning."""
    phase = [entries_of(before.text())]
    for of_round in given:
        phase.append(entries_of(of_round.tables.text()))
        if of_round.waits:
            yield phase
            phase = phase[-1:]
    yield phase


def assert_no_circle(
    whole: weft.Fabric, left: weft.Fabric, before: LoadedTables, given: list[Round]
) -> None:
    """Follow every packet by all it may meet, as slow as it may be, and order what they hold.

    Every switch sends, by its hosts or answering the subnet manager, and so do those that are back,
    by whatever entries they have. In a round each switch has the tables of the one before until it
    has its own. Packets that have passed what failed are behind it.
    """
    text = before.text().decode() + given[-1].tables.text().decode()
    named = re.findall(r"guid 0x([0-9a-f]{16}) \('(.*?)'\)", text)
    guid_of = {name: int(guid, 16) for guid, name in named}
    assert set(guid_of) <= set(whole.switch_names)
    # What is there neither before nor after has no tables.
    guids = [guid_of.get(name, place) for place, name in enumerate(whole.switch_names)]
    hosts = set(whole.host_guids)
    beyond: dict[tuple[int, int], int] = {}
    count = whole.switch_count
    for one, one_port, other, other_port in whole.links().tolist():
        if max(one, other) < count:
            beyond[guids[one], one_port] = guids[other]
            beyond[guids[other], other_port] = guids[one]
    stands = {
        (guid_of[left.switch_names[end[place]]], end[place + 1])
        for end in left.links().tolist()
        if max(end[0], end[2]) < left.switch_count
        for place in (0, 2)
    }
    for number_of_phase, phase in enumerate(phases_of(before, given)):
        waits: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for goal in {key for entries in phase[0].values() for key in entries if key[0] in hosts}:
            known: set[tuple[int, int, tuple[int, int] | None]] = set()
            # A packet at a switch, not before a round, that holds the channel it came over.
            open_: list[tuple[int, int, tuple[int, int] | None]]
            open_ = [(switch, 0, None) for switch in {at for of in phase for at in of}]
            while open_:
                packet = open_.pop()
                if packet in known:
                    continue
                known.add(packet)
                at, since, held = packet
                for number in range(since, len(phase)):
                    for place in {max(number - 1, 0), number}:
                        port = phase[place].get(at, {}).get(goal)
                        if port is None or (at, port) not in beyond:
                            continue
                        channel = (at, port)
                        is_there = channel in stands
                        if not is_there and not (number_of_phase == place == 0):
                            continue
                        if held is not None and is_there:
                            waits.setdefault(held, set()).add(channel)
                        open_.append((beyond[channel], number, channel if is_there else None))
        list(TopologicalSorter(waits).static_order())


def cables_of(fabric: weft.Fabric) -> list[str]:
    """Name each cable between switches by one of its ends."""
    count = fabric.switch_count
    ends = [end for end in fabric.links().tolist() if max(end[0], end[2]) < count]
    return [f"{fabric.switch_names[end[0]]}:{end[1]}" for end in ends]


def test_other_tables_are_given_in_the_rounds_of_their_transition(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    first = decide(None, whole, SPEC, weft.route)
    anew = decide(first.standing, whole, "down_preferred:root=10", weft.route)
    assert anew.kind == "anew"
    assert anew.standing is not None
    before, after = generation_of(first, tmp_path), tables_of(anew, tmp_path)
    given = rounds(anew.way, whole, before, after)
    assert anew.way.order == "rounds"
    assert anew.way.transition is not None
    assert len(given) == len(anew.way.transition.rounds)
    assert given[-1].tables is after
    assert all(of_round.most_switches > 1 for of_round in given)
    assert_no_circle(whole, whole, before.tables, given)
    # All at once would not do.
    with pytest.raises(ValueError, match="cycle"):
        assert_no_circle(whole, whole, before.tables, rounds(Way("any"), whole, before, after))


def test_where_it_is_not_known_what_stands_all_that_differs_is_cleared_first(
    tmp_path: Path,
) -> None:
    whole = torus(tmp_path)
    first = decide(None, whole, SPEC, weft.route)
    other = decide(first.standing, whole, "down_preferred:root=10", weft.route)
    third = decide(first.standing, whole, "down_preferred:root=5", weft.route, is_between=True)
    assert third.way.order == "clear_first"
    assert third.way.transition is None
    before, after = generation_of(first, tmp_path), tables_of(third, tmp_path)
    between, last = rounds(third.way, whole, before, after)
    assert last.tables is after
    assert between.waits
    old, new = entries_of(before.tables.text()), entries_of(after.text())
    both = same_in_both(old, new)
    assert entries_of(between.tables.text()) == both != new
    assert between.most_switches > 2
    # So is what differs from other tables that some switches may have.
    unsure = tables_of(other, tmp_path)
    between, _ = rounds(third.way, whole, before, after, [unsure])
    assert entries_of(between.tables.text()) == same_in_both(entries_of(unsure.text()), both)


@pytest.mark.parametrize("spec", ["best:lanes=1", "down_preferred"])
def test_whatever_fails_and_returns_no_packets_wait_in_a_circle(tmp_path: Path, spec: str) -> None:
    met = set()
    drawn = [weft.irregular(10, hosts_per_switch=1, seed=seed) for seed in range(3)]
    for made in (*drawn, weft.torus(4, 4), weft.torus(3, 3, hosts_per_switch=2)):
        whole = discovered(made, tmp_path)
        first = decide(None, whole, spec, weft.route)
        cables = cables_of(whole)
        for number, cable in enumerate(cables[:12:2]):
            less = weft.degrade(whole, links=cable, keep_largest=True).fabric
            cut = decide(first.standing, less, spec, weft.route)
            more = [cable, cables[(2 * number + 7) % len(cables)]]
            least = weft.degrade(whole, links=more, keep_largest=True).fabric
            again = decide(cut.standing, least, spec, weft.route)
            back = decide(again.standing, whole, spec, weft.route)
            name = whole.switch_names[number % whole.switch_count]
            apart = weft.degrade(whole, links=cable, switches=name, keep_largest=True).fabric
            lost = decide(back.standing, apart, spec, weft.route)
            there = decide(lost.standing, whole, spec, weft.route)
            steps = [(first, cut), (cut, again), (again, back), (back, lost), (lost, there)]
            for old, new in steps:
                assert old.standing is not None
                assert new.standing is not None
                before, after = generation_of(old, tmp_path), tables_of(new, tmp_path)
                given = rounds(new.way, new.standing.fabric, before, after)
                assert given[-1].tables is after
                assert_no_circle(whole, new.standing.fabric, before.tables, given)
                met.add((new.kind, new.way.order, len(given) > 1))
                met.add((new.kind, "cleared" if new.way.cleared else "", len(given) > 1))
    orders = {order for _, order, _ in met}
    assert {"any", "rounds", "cleared"} <= orders
    assert {"repair", "plan"} <= {kind for kind, _, _ in met}


def leads_everywhere(fabric: weft.Fabric, tables: LoadedTables) -> bool:
    """Whether every switch has an entry for every host."""
    goals = {(guid, 0) for guid in fabric.host_guids}
    return all(goals <= entries.keys() for entries in entries_of(tables.text()).values())


def test_switches_without_hosts_keep_their_ways_to_the_manager(tmp_path: Path) -> None:
    tree = discovered(weft.generate("xgft", m=(2, 3, 3), w=(1, 3, 2)), tmp_path)
    first = decide(None, tree, "updown:selection=first", weft.route)
    assert first.standing is not None
    before = generation_of(first, tmp_path)
    assert leads_everywhere(tree, before.tables)
    routes = weft.to_tables(tree, weft.route(tree, "updown:selection=first"))
    managed, more = weft.managed_tables(tree, routes, weft.prove(tree, routes))
    assert more, "no route passes some spines on the way to some hosts"
    figures = [weft.load_figures(tree, tables).routes_per_channel for tables in (managed, routes)]
    assert (figures[0] == figures[1]).all()
    late = 0
    for cable in cables_of(tree)[::6]:
        left = weft.degrade(tree, links=cable).fabric
        repaired = decide(first.standing, left, "updown:selection=first", weft.route)
        assert repaired.kind == "repair"
        late += len(repaired.way.late)
        after = tables_of(repaired, tmp_path)
        given = rounds(repaired.way, left, before, after)
        assert leads_everywhere(left, given[-1].tables)
        assert_no_circle(tree, left, before.tables, given)
        stands = generation_of(repaired, tmp_path)
        back = decide(repaired.standing, tree, "updown:selection=first", weft.route)
        assert back.kind == "plan"
        given = rounds(back.way, tree, stands, tables_of(back, tmp_path))
        assert entries_of(given[-1].tables.text()) == entries_of(before.tables.text())
        assert_no_circle(left, tree, stands.tables, given)
    # A spine that has lost its only cable to a leaf has no way there in the order of the routes.
    assert late > 0
    anew = decide(first.standing, tree, SPEC, weft.route)
    assert anew.kind == "anew"
    after = tables_of(anew, tmp_path)
    given = rounds(anew.way, tree, before, after)
    assert leads_everywhere(tree, given[-1].tables)
    assert_no_circle(tree, tree, before.tables, given)
    # Rounds are proved with what switches answer the manager: all at once would not do.
    assert not anew.way.early
    with pytest.raises(ValueError, match="cycle"):
        assert_no_circle(tree, tree, before.tables, rounds(Way("any"), tree, before, after))


@pytest.mark.parametrize("spec", ["best:lanes=1", "down_preferred"])
def test_what_is_new_while_something_fails_comes_when_packets_of_before_are_gone(
    tmp_path: Path, spec: str
) -> None:
    taken = closed = 0
    for seed in (1, 2, 4, 10):
        drawn = weft.irregular(12, hosts_per_switch=1, ports_per_switch=4, seed=seed)
        # Leaves beside switches without hosts: of another further away they have their ways.
        bare = Random(seed).sample(drawn.host_names, 6)
        whole = discovered(weft.degrade(drawn, hosts=bare).fabric, tmp_path)
        for at in sorted(set(whole.host_switch.tolist()))[:4]:
            leaf = whole.switch_names[at]
            least = weft.degrade(whole, switches=leaf, keep_largest=True).fabric
            first = decide(None, least, spec, weft.route)
            before = generation_of(first, tmp_path)
            for cable in cables_of(least)[::2]:
                there = weft.degrade(whole, links=cable, keep_largest=True).fabric
                decided = decide(first.standing, there, spec, weft.route)
                if decided.kind != "taken_in" or decided.repaired is None:
                    continue
                after = tables_of(decided, tmp_path)
                given = rounds(decided.way, there, before, after)
                assert given[-1].tables is after
                assert_no_circle(whole, there, before.tables, given)
                if not decided.repaired.changed_entries:
                    assert not decided.way.late
                    continue
                taken += 1
                (host,) = set(there.host_names) - set(least.host_names)
                assert {(leaf, host), (leaf, least.host_names[0])} <= set(decided.way.late)
                # As soon as the repair, new ways close circles with old ones now and then.
                at_once = rounds(replace(decided.way, late=[]), there, before, after)
                try:
                    assert_no_circle(whole, there, before.tables, at_once)
                except CycleError:
                    closed += 1
    assert taken > 50
    assert closed > 0
