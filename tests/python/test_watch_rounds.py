"""In which rounds OpenSM is given tables: what is cleared, what is set last."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from watched import SPEC, discovered, entries_of, torus

import weft
from weft.watch import Generation, decide
from weft.watch.rounds import rounds

if TYPE_CHECKING:
    from pathlib import Path

    from weft._core import LoadedTables
    from weft.watch import Decision


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
    return Generation(1, decision.standing, between is not None, tables, {})


def same_in_both(
    old: dict[int, dict[tuple[int, int], int]], new: dict[int, dict[tuple[int, int], int]]
) -> dict[int, dict[tuple[int, int], int]]:
    """Return the entries that are the same in both, of the switches of the new ones."""
    return {
        switch: {key: port for key, port in entries.items() if old[switch].get(key) == port}
        for switch, entries in new.items()
    }


def test_entries_of_other_tables_are_cleared_first(tmp_path: Path) -> None:
    whole = torus(tmp_path)
    first = decide(None, whole, SPEC, weft.route)
    anew = decide(first.standing, whole, "down_preferred", weft.route)
    assert anew.kind == "anew"
    assert anew.standing is not None
    before, after = generation_of(first, tmp_path), tables_of(anew, tmp_path)
    between, last = rounds(anew, anew.standing, before, after)
    assert last is after
    old, new = entries_of(before.tables.text()), entries_of(after.text())
    assert entries_of(between.text()) == same_in_both(old, new)
    assert old != new


def test_a_repair_clears_entries_alone_that_it_has_to(tmp_path: Path) -> None:
    met = set()
    for seed, spec in itertools.product(range(6), ("best:lanes=1", "best:lanes=2")):
        whole = discovered(weft.irregular(16, hosts_per_switch=2, seed=seed), tmp_path)
        first = decide(None, whole, spec, weft.route)
        count = whole.switch_count
        ends = [end for end in whole.links().tolist() if max(end[0], end[2]) < count]
        for end in ends[::3]:
            cable = f"{whole.switch_names[end[0]]}:{end[1]}"
            left = weft.degrade(whole, links=cable, keep_largest=True).fabric
            cut = decide(first.standing, left, spec, weft.route)
            if cut.kind != "repair":
                continue
            assert cut.standing is not None
            assert cut.repaired is not None
            before, after = generation_of(first, tmp_path), tables_of(cut, tmp_path)
            given = [entries_of(made.text()) for made in rounds(cut, cut.standing, before, after)]
            old, new = entries_of(before.tables.text()), entries_of(after.text())
            assert given[-1] == new
            met.add(cut.order)
            if cut.order == "any":
                assert len(given) == 1
                continue
            guids = dict(zip(left.host_names, left.host_guids, strict=True))
            cleared = {guids[name] for name in cut.repaired.cleared}
            last = {guids[destination] for _, destination in cut.repaired.last}
            assert bool(cleared) == (cut.order == "clear_first")
            assert cleared or last
            both = same_in_both(old, new)
            for switch, entries in new.items():
                for key, port in entries.items():
                    is_there = given[0][switch].get(key)
                    if key[0] in cleared or key[0] in new:
                        assert is_there == both[switch].get(key)
                    elif key[0] in last:
                        assert is_there in (port, old[switch].get(key))
                    else:
                        assert is_there == port
            # Where another change was left half done, all that differs is cleared.
            half = generation_of(first, tmp_path, before.tables)
            between, _ = rounds(cut, cut.standing, half, after)
            assert entries_of(between.text()) == both
    assert {"any", "clear_first"} <= met
