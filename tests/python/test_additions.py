"""Which cable to add, tried against all failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done

import weft
from weft.fabric import fabric_levels

if TYPE_CHECKING:
    from pathlib import Path


def lone_switch() -> weft.Fabric:
    """Return a torus of which a switch has lost all cables but one."""
    return weft.degrade(weft.torus(4, 4), links=["sw5:2", "sw5:3", "sw5:4"]).fabric


def test_the_cable_to_add_joins_what_a_failure_cuts_off() -> None:
    left = lone_switch()
    # By these tables a channel that is busiest after failures joins two switches with ports left.
    spec = "best:lanes=2,seed=5"
    found = weft.survive(left, weft.route(left, spec), parts=["cables"])
    assert [one.failure.cables for one in found.cutting_off] == [(("sw1:4", "sw5:5"),)]
    tried = weft.try_cables(found, 3).additions
    assert tried is not None
    # Free are the three ports of switch 5, and one of each of its neighbours.
    assert tried.candidates == 4 * 3 // 2
    assert tried.toll.stranded_hosts == 1
    # The torus tells where the cables belong.
    best = tried.tried[0]
    assert best.is_missing
    assert any("sw5:" in end for end in best.ends)
    assert best.toll.stranded_hosts == 0
    assert tried.best_joining == best
    assert [one.toll.stranded_hosts for one in tried.tried] == [0, 0, 1]
    # With it, the survey of the wider network says the same.
    wider = left.with_cable(*best.ends)
    assert wider.link_count == left.link_count + 1
    routing = weft.route(wider, spec)
    again = weft.survive(wider, routing, parts=["cables"])
    assert again.cutting_off == []
    if best.is_routed_anew:
        same = [one for one in again.failures if one.failure.cables[0] != best.ends]
        loads = [one.load.largest_load for one in same if one.load is not None]
        assert max(loads) == best.toll.largest_load


def test_leaves_are_joined_to_the_level_above_alone() -> None:
    whole = weft.generate("k_ary_n_tree", k=4, n=2)
    left = weft.degrade(whole, links=["sw0:5", "sw3:8", "sw1:6"]).fabric
    found = weft.survive(left, weft.route(left, "best"), parts=["cables"])
    tried = weft.try_cables(found, 100).additions
    assert tried is not None
    levels = dict(zip(left.switch_names, fabric_levels(left).tolist(), strict=True))
    ends = [[levels[end.rpartition(":")[0]] for end in one.ends] for one in tried.tried]
    assert ends
    assert all(sorted(pair) == [0, 1] for pair in ends)
    # Three leaves have a free port, and the four above as many as they have cables.
    assert tried.candidates == 3 * 4


def test_without_free_ports_no_cable_can_be_added() -> None:
    torus = weft.torus(4, 4)
    assert not any(torus.free_ports())
    found = weft.survive(torus, weft.route(torus, "best:lanes=2"), parts=["cables"])
    tried = weft.try_cables(found, 3).additions
    assert tried is not None
    assert (tried.candidates, tried.tried, tried.helpful) == (0, [], [])


def test_tables_of_no_known_algorithm_leave_a_new_cable_to_what_failures_break(
    tmp_path: Path,
) -> None:
    left = lone_switch()
    listed = weft.route(left, "best:lanes=2")
    weft.write_routes(listed, tmp_path / "tables.json")
    text = (tmp_path / "tables.json").read_text()
    (tmp_path / "own.json").write_text(text.replace('"best"', '"mine"', 1))
    own = weft.read_routes(left, tmp_path / "own.json").routing
    found = weft.survive(left, own, parts=["cables"])
    tried = weft.try_cables(found, 1).additions
    assert tried is not None
    assert not tried.tried[0].is_routed_anew
    assert tried.tried[0].toll.stranded_hosts == 0
    assert tried.tried[0].toll.whole == found.whole


def test_a_cable_goes_into_free_ports_alone() -> None:
    left = lone_switch()
    assert left.free_ports()[5] == [2, 3, 4]
    for ends, told in [
        (("sw5:5", "sw4:2"), "sw5"),
        (("sw5:2", "sw99:1"), "sw99"),
        (("sw5:2", "sw4:77"), "sw4"),
        (("sw5", "sw4:2"), "leaf01:17"),
        (("sw5:2", "sw5:2"), "sw5"),
    ]:
        with pytest.raises(weft.FabricError, match=told):
            left.with_cable(*ends)


def test_the_command_and_the_page_tell_which_cable_to_add(tmp_path: Path) -> None:
    weft.write_fabric(lone_switch(), tmp_path / "net.json")
    call = [
        "survive",
        str(tmp_path / "net.json"),
        "best:lanes=2",
        "--parts",
        "cables",
        "--add",
        "2",
    ]
    text = done(*call, "-o", str(tmp_path / "page.html")).stdout
    assert "cut off over all failures 0 hosts for 1" in text
    told = done(*call, "--json").document["additions"]
    assert told["toll"]["stranded_hosts"] == 1
    assert told["tried"][0]["toll"]["stranded_hosts"] == 0
    page = (tmp_path / "page.html").read_text()
    assert "Which cable to add" in page
    assert "0 hosts are cut off then, over all failures" in page
