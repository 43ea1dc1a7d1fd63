"""OpenSM with our plugin: lanes that change on the way are those of the simulated switches."""

from __future__ import annotations

import json
import re
import signal
from typing import TYPE_CHECKING

import pytest
from opensm_subnet import simulated, wait_for
from test_opensm import (
    Exported,
    assert_levels_are_handed_out,
    assert_switches_route_as_exported,
    ibdmchk,
    neighbours,
    switch_names,
    switch_names_and_lids,
)

import weft

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from opensm_subnet import Subnet

#: A program is started for each question to the subnet; a busy machine takes its time.
pytestmark = pytest.mark.timeout(900)

#: A switch, an input port and an output port.
Turn = tuple[int, int, int]


#: Name: the fabric, the routing that is loaded, its service levels and lanes.
CASES: dict[str, tuple[Callable[[], weft.Fabric], str, tuple[int, int]]] = {
    "torus with a dateline on every ring": (
        lambda: weft.torus(5, 5, hosts_per_switch=2),
        "dimension_order:per=host",
        (4, 2),
    ),
    "irregular, from lane to lane": (
        lambda: weft.irregular(16, hosts_per_switch=2, seed=1),
        "lash_tor:lanes=2",
        (2, 2),
    ),
}


def lanes_in_switches(subnet: Subnet, found: Path) -> dict[Turn, list[int]]:
    """Ask every switch for the lane of each service level between any two ports, by its GUID."""
    guids = {name: guid for guid, name in switch_names(found).items()}
    lids = {guids[name]: lid for lid, name in switch_names_and_lids(subnet).items()}
    return {
        (switch, start, end): lanes
        for switch, port in neighbours(found)
        for (start, end), lanes in subnet.lanes(lids[switch], port).items()
    }


def lanes_in_file(path: Path) -> dict[Turn, list[int]]:
    """Read ``sl2vl.dump`` by a reader of its own."""
    found: dict[Turn, list[int]] = {}
    switch = 0
    for line in path.read_text().splitlines():
        if heading := re.match(r"Switch 0x(\w+)", line):
            switch = int(heading[1], 16)
        elif row := re.match(r"(\d+)\s+(\d+)\s*:(.*)", line):
            found[switch, int(row[1]), int(row[2])] = [int(lane) for lane in row[3].split()]
    return found


def service_levels(folder: Path) -> dict[tuple[int, int], int]:
    """Return the level by the GUIDs of source and destination, from the file the plugin loads."""
    rows = re.findall(r"(?m)^level 0x(\w+) (\S+)$", (folder / "weft.lfts.lanes").read_text())
    guids = [int(guid, 16) for guid, _ in rows]
    return {
        (source, destination): int(digit, 16)
        for source, (_, digits) in zip(guids, rows, strict=True)
        for destination, digit in zip(guids, digits, strict=True)
        if digit != "-"
    }


def wires(exported: Exported, found: Path) -> dict[tuple[int, int], tuple[int, int]]:
    """Return node and port at the other end of every cable, by GUIDs."""
    guids = {name: guid for guid, name in switch_names(found).items()} | exported.hosts
    names = exported.fabric.switch_names + exported.fabric.host_names
    ends = {}
    for a, port, b, other in exported.fabric.links().tolist():
        one, another = (guids[names[a]], port), (guids[names[b]], other)
        ends[one], ends[another] = another, one
    return ends


def assert_packets_change_lanes_as_routed(subnet: Subnet, exported: Exported, found: Path) -> None:
    """Follow every pair through what the switches hold, tables and lanes, and compare the lanes."""
    told = lanes_in_switches(subnet, found)
    written = lanes_in_file(exported.folder / "sl2vl.dump")
    assert {turn: told[turn] for turn in written} == written

    fabric, hosts = exported.fabric, exported.hosts
    document = json.loads(exported.routing.to_json())
    switches = {name: number for number, name in enumerate(fabric.switch_names)}
    tables, ends = subnet.tables(exported.lids_per_host), wires(exported, found)
    levels, chosen = service_levels(exported.folder), exported.chosen()
    for source in range(fabric.host_count):
        for destination in range(fabric.host_count):
            names = exported.routing.route_names(source, destination)
            if len(names) < 4:
                # On one switch: there is no channel between switches.
                continue
            row, column = (
                (source, destination)
                if document["per"] == "host"
                else (switches[names[1]], switches[names[-2]])
            )
            expected = document["lanes"][row][column]
            pair = hosts[names[0]], hosts[names[-1]]
            lid, _ = chosen.get(pair, (0, 0))
            goal = pair[1], lid % exported.lids_per_host
            here, port = ends[pair[0], 1]
            lanes = []
            while here in tables and len(lanes) < 64:
                out = tables[here][goal]
                lanes.append(told[here, port, out][levels[pair]])
                here, port = ends[here, out]
            assert here == pair[1]
            # The channel to the host has the lane of the one before.
            assert lanes == [*expected, expected[-1]], names


@pytest.mark.parametrize("name", CASES)
def test_opensm_with_the_plugin_changes_lanes_as_routed(
    name: str, plugin: Path, tmp_path: Path
) -> None:
    make, specification, levels_and_lanes = CASES[name]
    wired = tmp_path / "wired.net"
    weft.write_fabric(make(), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        subnet.environment["LD_LIBRARY_PATH"] = str(plugin)
        found = subnet.discover("found.ibnetdiscover")
        exported = Exported(found, specification, tmp_path / "export")
        made = exported.made
        assert (made.engine, made.level_count, made.lane_count) == ("weft", *levels_and_lanes)
        assert made.proof.deadlock_free
        subnet.start_manager((exported.folder / "opensm.conf").read_text())
        assert_switches_route_as_exported(subnet, exported, found)
        assert_levels_are_handed_out(subnet, exported)
        assert_packets_change_lanes_as_routed(subnet, exported, found)
        assert ibdmchk(exported.folder, made.lmc) == "none"

        # Damaged lanes are named by their line, and OpenSM keeps what it has.
        lanes = exported.folder / "weft.lfts.lanes"
        good = lanes.read_text()
        lanes.write_text(good.replace("\nhosts ", "\nhosts x", 1))
        place = 2 + good[: good.index("\nhosts ")].count("\n")
        assert subnet.manager is not None
        subnet.manager.send_signal(signal.SIGHUP)
        log = tmp_path / "opensm.log"
        expected = f"weft.lfts.lanes:{place}: expected a line"
        wait_for(lambda: expected in log.read_text(errors="replace"), f"no “{expected}” in {log}")
        lanes.write_text(good)
        subnet.sweep_again((exported.folder / "opensm.conf").read_text())
        assert_switches_route_as_exported(subnet, exported, found)


def test_a_cut_cable_is_routed_around_with_new_lanes(plugin: Path, tmp_path: Path) -> None:
    wired = tmp_path / "wired.net"
    weft.write_fabric(weft.irregular(16, hosts_per_switch=2, seed=2), wired, "ibnetdiscover")
    specification = "lash_tor:lanes=2"
    with simulated(wired.read_text(), tmp_path) as subnet:
        subnet.environment["LD_LIBRARY_PATH"] = str(plugin)
        found = subnet.discover("found.ibnetdiscover")
        exported = Exported(found, specification, tmp_path / "export")
        subnet.start_manager((exported.folder / "opensm.conf").read_text())
        names = switch_names(found)
        switch, port = next(end for end, other in neighbours(found).items() if other in names)
        subnet.command(f'Unlink "S-{switch:016x}"[{port}]')
        left = subnet.discover("left.ibnetdiscover")
        again = Exported(left, specification, tmp_path / "export")
        assert again.fabric.link_count == exported.fabric.link_count - 1
        subnet.sweep_again((again.folder / "opensm.conf").read_text())
        assert_switches_route_as_exported(subnet, again, left)
        assert_levels_are_handed_out(subnet, again)
        assert_packets_change_lanes_as_routed(subnet, again, left)
