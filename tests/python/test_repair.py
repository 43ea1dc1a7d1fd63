"""Repaired tables: proved, little changed, and what cannot be repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from command import done
from command import weft as command

import weft

if TYPE_CHECKING:
    from pathlib import Path


def test_tables_of_a_damaged_torus_are_repaired_and_proved() -> None:
    whole = weft.torus(4, 4, hosts_per_switch=2)
    damaged = weft.degrade(whole, links="3%", seed=2).fabric
    old = weft.route(whole, "best", lanes=4)
    made = weft.repair(whole, old, damaged)
    assert weft.prove(damaged, made.routing).deadlock_free
    assert 0 < made.changed_entries < whole.switch_count * whole.host_count // 4


def test_what_is_whole_is_left_alone() -> None:
    whole = weft.mesh(3, 3)
    made = weft.repair(whole, weft.route(whole, "best"), whole)
    assert (made.changed_entries, made.changed_lanes, made.is_any_order_safe) == (0, 0, True)


def test_what_cannot_be_repaired_is_refused() -> None:
    whole = weft.torus(4, 4)
    damaged = weft.degrade(whole, links="3%").fabric
    with pytest.raises(weft.errors.RoutingError, match="only forwarding tables are repaired"):
        weft.repair(whole, weft.route(whole, "updown"), damaged)
    with pytest.raises(weft.errors.RoutingError, match="packets can deadlock with the tables"):
        weft.repair(whole, weft.route(whole, "min_hop"), damaged)


def test_the_command_tells_what_changes(tmp_path: Path) -> None:
    whole, damaged, tables = (tmp_path / f"{name}.json" for name in ("net", "damaged", "tables"))
    fabric = weft.torus(4, 4)
    weft.write_fabric(fabric, whole)
    weft.write_fabric(weft.degrade(fabric, links="3%").fabric, damaged)
    assert command("route", whole, "best", "-o", tables).code == 0
    ended = done("route", damaged, tables, "--repairs", whole)
    assert "entries may be set" in ended.stdout
    document = command("route", damaged, tables, "--repairs", whole, "--json").document
    assert document["repair"]["changed_entries"] > 0
