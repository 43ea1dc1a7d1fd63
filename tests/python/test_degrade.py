"""Networks without some of their parts, and tables repaired for what is left of them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from command import done, refused
from command import weft as command

import weft

if TYPE_CHECKING:
    from pathlib import Path


def test_named_parts_fail_and_the_record_says_what_went_with_them() -> None:
    torus = weft.torus(4, 4, hosts_per_switch=2)
    degraded = weft.degrade(torus, links="sw0:3", switches=["sw5"], hosts=["host0"])
    assert degraded.failed_links == [("sw0:3", "sw1:4")]
    assert degraded.failed_switches == ["sw5"]
    assert degraded.failed_hosts == ["host0"]
    assert degraded.cut_off_hosts == ["host10", "host11"]
    assert (degraded.left_out_switches, degraded.left_out_hosts) == ([], [])
    assert degraded.fabric.name == "torus-4x4-without-1-link-1-switch-1-host"
    assert degraded.fabric.switch_count == 15
    assert degraded.fabric.host_count == 29
    assert degraded.fabric.link_count == 64 - 1 - 6 - 1


def test_the_ends_of_a_failed_link_name_it_again() -> None:
    torus = weft.torus(8, 8)
    drawn = weft.degrade(torus, links="5%", seed=3)
    assert len(drawn.failed_links) == 6
    for end in (0, 1):
        named = weft.degrade(torus, links=[ends[end] for ends in drawn.failed_links])
        assert named.failed_links == drawn.failed_links
        assert (named.fabric.links() == drawn.fabric.links()).all()


def test_a_larger_share_fails_more_of_the_same() -> None:
    fabric = weft.irregular(64, seed=2)
    failed = [
        set(weft.degrade(fabric, links=f"{share}%", seed=7).failed_links)
        for share in (0, 1, 2, 5, 20)
    ]
    assert [len(links) for links in failed] == [0, 1, 3, 6, 26]
    assert all(smaller < larger for smaller, larger in pairwise(failed))
    assert set(weft.degrade(fabric, links="20%", seed=8).failed_links) != failed[-1]


def test_routing_refuses_what_fell_apart_and_takes_the_largest_part() -> None:
    line = weft.mesh(5, 1)
    apart = weft.degrade(line, switches="sw1").fabric
    assert weft.fabric_figures(apart).components == 2
    with pytest.raises(weft.RoutingError, match="parts"):
        weft.route(apart, "updown")
    largest = weft.degrade(line, switches="sw1", keep_largest=True)
    assert (largest.left_out_switches, largest.left_out_hosts) == (["sw0"], ["host0"])
    routing = weft.route(largest.fabric, "updown")
    assert weft.prove(largest.fabric, routing).deadlock_free


@pytest.mark.parametrize(
    ("chosen", "text"),
    [
        ({"switches": "sw99"}, "did you mean “sw9”?"),
        ({"hosts": ["hots3"]}, "did you mean “host3”?"),
        ({"links": "sw0"}, "the name of a switch and a port, as in leaf01:17, or a share"),
        ({"links": "sw0:9"}, "“sw0” has ports 1 to 5"),
        ({"links": "150%"}, "0% to 100%"),
        ({"switches": ["1%", "2%"]}, "one share at most"),
        ({"switches": "100%"}, "all switches would fail"),
        ({"links": "1%", "seed": -1}, "seed is -1; expected a whole number from 0 to 18446"),
    ],
)
def test_what_cannot_fail_is_refused(chosen: dict[str, str], text: str) -> None:
    with pytest.raises(weft.FabricError) as caught:
        weft.degrade(weft.torus(4, 4), **chosen)  # type: ignore[arg-type]
    assert text in str(caught.value)


def test_the_command_writes_what_is_left_and_says_what_failed(tmp_path: Path) -> None:
    whole, left = tmp_path / "whole.json", tmp_path / "left.json"
    weft.write_fabric(weft.torus(8, 8), whole)
    options = ("--links", "2%", "--links", "sw9:2", "--switches", "sw20", "--seed", 4)
    ended = done("fabric", "degrade", whole, *options, "-o", left)
    degraded = weft.degrade(weft.torus(8, 8), links=["2%", "sw9:2"], switches=["sw20"], seed=4)
    assert weft.read_fabric(left).fabric == degraded.fabric
    assert "failed switches  1: sw20" in ended.stdout
    assert "hosts cut off    1: host20" in ended.stdout
    assert "sw9:2 – sw10:3" in ended.stdout
    document = command("fabric", "degrade", whole, *options, "-o", left, "--json").document
    assert [tuple(ends) for ends in document["failed_links"]] == degraded.failed_links
    assert document["fingerprint"] == f"{degraded.fabric.fingerprint:016x}"


def test_the_command_lists_many_names_short_and_names_the_file_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    weft.write_fabric(weft.torus(8, 8), "whole.json")
    ended = command("fabric", "degrade", "whole.json", "--links", "10%")
    assert "failed links  13: " in ended.stdout
    assert "… 5 more, see --json" in ended.stdout
    assert (tmp_path / "torus-8x8-without-13-links-seed1.json").exists()


def test_the_command_refuses_with_the_nearest_name(tmp_path: Path) -> None:
    whole = tmp_path / "whole.json"
    weft.write_fabric(weft.torus(4, 4), whole)
    refused("did you mean “sw3”?", "fabric", "degrade", whole, "--switches", "sv3")
    assert list(tmp_path.iterdir()) == [whole]


def test_tables_of_a_damaged_torus_are_repaired_and_proved() -> None:
    whole = weft.torus(4, 4, hosts_per_switch=2)
    damaged = weft.degrade(whole, links="3%", seed=2).fabric
    old = weft.route(whole, "best", lanes=4)
    made = weft.repair(whole, old, damaged)
    assert weft.prove(damaged, made.routing).deadlock_free
    assert 0 < made.changed_entries < whole.switch_count * whole.host_count // 4


@pytest.mark.parametrize("specification", ["torus_2qos", "dfsssp:lanes=4", "best:lanes=2,seed=2"])
def test_what_a_switch_without_hosts_does_not_lead_any_more_counts_as_changed(
    specification: str,
) -> None:
    whole = weft.degrade(weft.torus(4, 4), hosts=["host1"]).fabric
    damaged = weft.degrade(whole, links="sw1:2").fabric
    old = weft.route(whole, specification)
    made = weft.repair(whole, old, damaged)
    was, now = (json.loads(routing.to_json())["tables"] for routing in (old, made.routing))
    both = [pair for rows in zip(was, now, strict=True) for pair in zip(*rows, strict=True)]
    assert any(port and not left for port, left in both)
    assert made.changed_entries == sum(port != left for port, left in both)


def test_tables_of_what_is_whole_are_left_alone() -> None:
    whole = weft.mesh(3, 3)
    made = weft.repair(whole, weft.route(whole, "best"), whole)
    assert (made.changed_entries, made.changed_lanes, made.order) == (0, 0, "any")


def test_what_cannot_be_repaired_is_refused() -> None:
    whole = weft.torus(4, 4)
    damaged = weft.degrade(whole, links="3%").fabric
    with pytest.raises(weft.errors.RoutingError, match="a repair needs forwarding tables"):
        weft.repair(whole, weft.route(whole, "updown"), damaged)
    with pytest.raises(weft.errors.RoutingError, match="packets can deadlock with the tables"):
        weft.repair(whole, weft.route(whole, "min_hop"), damaged)


def test_the_command_tells_what_a_repair_changes(tmp_path: Path) -> None:
    whole, damaged, tables = (tmp_path / f"{name}.json" for name in ("net", "damaged", "tables"))
    fabric = weft.torus(4, 4)
    weft.write_fabric(fabric, whole)
    weft.write_fabric(weft.degrade(fabric, links="3%").fabric, damaged)
    assert command("route", whole, "best", "-o", tables).code == 0
    ended = done("route", damaged, tables, "--repairs", whole)
    assert "entries may be set" in ended.stdout
    document = command("route", damaged, tables, "--repairs", whole, "--json").document
    assert document["repair"]["changed_entries"] > 0


def test_it_is_told_where_hosts_have_to_let_go_of_service_levels(tmp_path: Path) -> None:
    torus = weft.torus(4, 4, hosts_per_switch=1)
    routing = weft.route(torus, "best:lanes=2")
    weft.write_fabric(torus, tmp_path / "torus.json")
    for link, renews in (("sw12:4", True), ("sw0:1", False)):
        damaged = weft.degrade(torus, links=link).fabric
        made = weft.repair(torus, routing, damaged)
        assert made.renews == renews == bool(made.cleared and made.changed_lanes)
        weft.write_fabric(damaged, tmp_path / f"{renews}.json")
        asked = ("route", tmp_path / f"{renews}.json", "best:lanes=2")
        asked += ("--repairs", tmp_path / "torus.json")
        told = "no host keeps an old service level to those they are for"
        assert (told in done(*asked).stdout) == renews
        assert command(*asked, "--json").document["repair"]["renews"] == renews
