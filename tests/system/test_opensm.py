"""The real OpenSM loads what is exported, and the simulated switches then route as was proved."""

from __future__ import annotations

import csv
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from opensm_subnet import (
    host_ports,
    neighbours,
    program,
    simulated,
    switch_names,
    tables_of,
    trace,
)

import weft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from opensm_subnet import Subnet

#: A program is started for each question to the subnet; a busy machine takes its time.
pytestmark = pytest.mark.timeout(900)

#: Pairs that the subnet manager is asked for, one program each.
ASKED_PAIRS = 40
#: Switches that are asked for the lanes of service levels.
ASKED_SWITCHES = 4


def torus() -> weft.Fabric:
    """Return an 8×8 torus, whose last LID is a multiple of 64."""
    return weft.torus(8, 8, hosts_per_switch=2)


def damaged_tree() -> weft.Fabric:
    """Return an 8-ary 3-tree that has lost 2 % of its links."""
    tree = weft.generate("k_ary_n_tree", k=8, n=3)
    return weft.degrade(tree, links="2%", seed=1, keep_largest=True).fabric


#: Name: the fabric, and the routing that is loaded.
CASES: dict[str, tuple[Callable[[], weft.Fabric], str]] = {
    "irregular, two trees on two lanes": (
        lambda: weft.irregular(32, hosts_per_switch=4, seed=1),
        "multi_tree:selection=first",
    ),
    "irregular, one tree and several LIDs a host": (
        lambda: weft.irregular(16, hosts_per_switch=2, seed=1),
        "updown",
    ),
    "torus on the lanes of LASH": (torus, "lash:lanes=8"),
    "Slim Fly, layers by several LIDs a host on lanes": (
        lambda: weft.generate("slim_fly", q=5, hosts_per_switch=4),
        "best:lmc=2",
    ),
    "damaged tree": (damaged_tree, "down_preferred:root=tops"),
}


class Exported:
    """A routing of a discovered fabric, exported, and what of it can be asked."""

    def __init__(self, found: Path, specification: str, folder: Path) -> None:
        self.fabric = weft.read_fabric(found).fabric
        self.routing = weft.route(self.fabric, specification)
        self.made = weft.export_opensm(self.fabric, self.routing, folder)
        self.folder = folder
        self.hosts = host_ports(found)

    @property
    def lids_per_host(self) -> int:
        """How many LIDs a host has."""
        return int(2**self.made.lmc)

    def chosen(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Return LID and service level by pairs of GUIDs, where sources have LIDs to choose.

        Where they may send to any, the first.
        """
        path = self.folder / "paths.csv"
        if not path.exists():
            return {}
        with path.open(newline="") as file:
            return {
                (int(row["source_port_guid"], 16), int(row["destination_port_guid"], 16)): (
                    int(row["destination_lid"]),
                    int(row["service_level"]),
                )
                for row in reversed(list(csv.DictReader(file)))
            }


def assert_switches_route_as_exported(subnet: Subnet, exported: Exported, found: Path) -> None:
    """Check the tables in the switches entry by entry, and every pair link by link."""
    own = tables_of((exported.folder / "weft.lfts").read_text(), exported.lids_per_host)
    loaded = subnet.tables_once(own, exported.lids_per_host)
    assert loaded == own

    fabric, hosts = exported.fabric, exported.hosts
    ends = neighbours(found)
    switch_of = {guid: switch for (switch, _), guid in ends.items() if switch in loaded}
    names = {guid: name for name, guid in hosts.items()}
    names |= switch_names(found)
    # Every LID of every host is reached from every switch that has hosts, whoever sends to it.
    for host in hosts.values():
        for alias in range(exported.lids_per_host):
            for switch in {switch_of[guid] for guid in hosts.values()}:
                assert trace(loaded, ends, switch, (host, alias))[-1] == host
    chosen = exported.chosen()
    for source in range(fabric.host_count):
        for destination in range(fabric.host_count):
            if source == destination:
                continue
            expected = exported.routing.route_names(source, destination)
            pair = hosts[expected[0]], hosts[expected[-1]]
            lid, _ = chosen.get(pair, (0, 0))
            goal = pair[1], lid % exported.lids_per_host
            met = trace(loaded, ends, switch_of[pair[0]], goal)
            assert [expected[0], *(names[guid] for guid in met)] == expected


def assert_levels_are_handed_out(subnet: Subnet, exported: Exported) -> None:
    """Check the service levels that applications are told."""
    path_levels = exported.folder / "path-sl.txt"
    if exported.made.level_count == 1:
        assert not path_levels.exists()
        return
    lids = lids_of(subnet)
    ports = {node: port for node, port, _ in adapters(subnet)}
    rows = [line.split() for line in path_levels.read_text().splitlines()]
    assert {row[2] for row in rows} == {str(level) for level in range(exported.made.level_count)}
    # LIDs are OpenSM's own; the files name ports by GUID.
    own_lids = guid2lid((exported.folder / "guid2lid").read_text())
    guids = {lid: guid for guid, span in own_lids.items() for lid in range(span[0], span[1] + 1)}
    for node, lid, level in rows[:: max(1, len(rows) // ASKED_PAIRS)]:
        source = lids[ports[int(node, 16)]]
        guid = guids[int(lid)]
        destination = lids[guid] + int(lid) - own_lids[guid][0]
        assert subnet.service_level(source, destination) == int(level)


def assert_levels_have_lanes_of_their_numbers(subnet: Subnet, exported: Exported) -> None:
    """Check the lanes of service levels at switches."""
    if exported.made.lane_count == 1:
        return
    switches = sorted(switch_names_and_lids(subnet))
    for lid in switches[:: max(1, len(switches) // ASKED_SWITCHES)]:
        lanes = subnet.lanes(lid)
        assert lanes
        used = range(exported.made.lane_count)
        for row in lanes.values():
            assert row[: len(used)] == list(used)


def guid2lid(text: str) -> dict[int, tuple[int, int]]:
    """Return first and last LID by GUID."""
    rows = [line.split() for line in text.splitlines() if line]
    return {int(guid, 16): (int(first, 16), int(last, 16)) for guid, first, last in rows}


def lids_of(subnet: Subnet) -> dict[int, int]:
    """Return the first LID of every port by its GUID, as OpenSM has given them out."""
    kept = guid2lid((subnet.folder / "guid2lid").read_text())
    return {guid: first for guid, (first, _) in kept.items()}


def adapters(subnet: Subnet) -> Iterator[tuple[int, int, str]]:
    """Yield the GUIDs of each adapter and its port, and its name."""
    pattern = r'(?m)^Ca\s+\d+ "H-([0-9a-f]+)"\s+# "(.*?)"$\s*\[1\]\((\w+)\)'
    for node, name, port in re.findall(pattern, subnet.run("ibnetdiscover")):
        yield int(node, 16), int(port, 16), name


def switch_names_and_lids(subnet: Subnet) -> dict[int, str]:
    """Return the name of each switch by its LID."""
    pattern = r'(?m)^Switch\s+\d+ "S-\w+"\s+# "(.*?)" \w+ port 0 lid (\d+)'
    return {int(lid): name for name, lid in re.findall(pattern, subnet.run("ibnetdiscover"))}


#: Subnet list, tables and multicast tables: as they are exported, and as OpenSM calls its own.
EXPORTED = ("subnet.lst", "routes.fdbs", "empty.mcfdbs")
DUMPED = ("opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs")


def ibdmchk(folder: Path, lmc: int = 0, files: tuple[str, str, str] = EXPORTED) -> str:
    """Return what ibdmchk says of credit loops; its exit status is that of a crash at its end."""
    subnet_list, tables, multicast = files
    command = [program("ibdmchk"), "-s", subnet_list, "-f", tables, "-m", multicast]
    if (folder / "path-sl.txt").exists():
        command += ["-c", "path-sl.txt", "-d", "sl2vl.dump"]
    if lmc:
        command += ["-l", str(lmc)]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    verdicts = re.findall(r"no credit loops found|credit loops in routing", ended.stdout)
    assert verdicts, ended.stdout[-2000:] + ended.stderr[-2000:]
    return "none" if set(verdicts) == {"no credit loops found"} else "loops"


@pytest.mark.parametrize("name", CASES)
def test_opensm_loads_the_export_and_switches_route_by_it(name: str, tmp_path: Path) -> None:
    make, specification = CASES[name]
    wired = tmp_path / "wired.net"
    weft.write_fabric(make(), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        found = subnet.discover("found.ibnetdiscover")
        exported = Exported(found, specification, tmp_path / "export")
        subnet.start_manager((exported.folder / "opensm.conf").read_text())
        assert_switches_route_as_exported(subnet, exported, found)
        assert_levels_are_handed_out(subnet, exported)
        assert_levels_have_lanes_of_their_numbers(subnet, exported)
        if not exported.made.needs_chosen_lids:
            # With LMC ibdmchk counts no hops to the second LID of a port, and ends: the first ones.
            assert ibdmchk(exported.folder) == "none"

        # A cable between switches is cut; the same manager loads tables made anew.
        names = switch_names(found)
        switch, port = next(
            (switch, port)
            for (switch, port), end in neighbours(found).items()
            if end in names and len(exported.fabric.switch_names) > 1
        )
        subnet.command(f'Unlink "S-{switch:016x}"[{port}]')
        left = subnet.discover("left.ibnetdiscover")
        again = Exported(left, specification, tmp_path / "export")
        assert again.fabric.link_count == exported.fabric.link_count - 1
        subnet.sweep_again((again.folder / "opensm.conf").read_text())
        assert_switches_route_as_exported(subnet, again, left)
        assert_levels_are_handed_out(subnet, again)
        assert_levels_have_lanes_of_their_numbers(subnet, again)


def test_what_loops_is_found_by_ibdmchk_too(tmp_path: Path) -> None:
    # Shortest paths on a torus wait for one another in circles, whoever looks.
    wired = tmp_path / "wired.ibnetdiscover"
    weft.write_fabric(weft.torus(4, 4, hosts_per_switch=1), wired)
    fabric = weft.read_fabric(wired).fabric
    routing = weft.route(fabric, "minimal:selection=first,per=switch")
    with pytest.raises(weft.RoutingError, match="is not exported"):
        weft.export_opensm(fabric, routing, tmp_path / "refused")
    assert not (tmp_path / "refused").exists()
    made = weft.export_opensm(fabric, routing, tmp_path / "export", unproved=True)
    assert made.proof.verdict == "deadlock"
    assert ibdmchk(tmp_path / "export", made.lmc) == "loops"


def test_lids_of_the_tables_can_be_pinned(tmp_path: Path) -> None:
    wired = tmp_path / "wired.net"
    weft.write_fabric(weft.mesh(3, 2, hosts_per_switch=2), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        found = subnet.discover("found.ibnetdiscover")
        exported = Exported(found, "down_preferred", tmp_path / "export")
        pinned = (exported.folder / "guid2lid").read_text()
        (tmp_path / "guid2lid").write_text(pinned)
        subnet.start_manager((exported.folder / "opensm.conf").read_text())
        assert lids_of(subnet) == {guid: span[0] for guid, span in guid2lid(pinned).items()}
        assert_switches_route_as_exported(subnet, exported, found)


def test_a_running_opensm_keeps_engine_and_lmc_until_it_is_started_anew(tmp_path: Path) -> None:
    wired = tmp_path / "wired.net"
    weft.write_fabric(weft.torus(4, 4, hosts_per_switch=1), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        found = subnet.discover("found.ibnetdiscover")
        one = Exported(found, "down_preferred", tmp_path / "one")
        several = Exported(found, "updown", tmp_path / "several")
        assert (one.made.lmc, several.made.lmc) == (0, 2)
        conf = (several.folder / "opensm.conf").read_text()

        def lids() -> set[int]:
            spans = guid2lid((tmp_path / "guid2lid").read_text())
            return {spans[host][1] - spans[host][0] + 1 for host in one.hosts.values()}

        subnet.start_manager((one.folder / "opensm.conf").read_text())
        subnet.sweep_again(conf)
        subnet.sweep_again(conf.replace("routing_engine file", "routing_engine minhop"))
        log = tmp_path / "opensm.log"
        assert "minhop tables configured" not in log.read_text(errors="replace")
        assert lids() == {1}
        subnet.stop_manager()
        subnet.start_manager(conf)
        assert lids() == {4}
        assert_switches_route_as_exported(subnet, several, found)


def guids_of_first_root(found: Path, folder: Path) -> Path:
    """Write the GUID of a switch to a file, as the root of OpenSM's up/down trees."""
    path = folder / "roots.txt"
    path.write_text(f"0x{min(switch_names(found)):016x}\n")
    return path


#: Name: the fabric, OpenSM's engine, and whether its routes can deadlock there where that is known.
ENGINES: dict[str, tuple[Callable[[], weft.Fabric], str, str | None]] = {
    "min-hop on a torus": (lambda: weft.torus(4, 4, hosts_per_switch=2), "minhop", "loops"),
    "min-hop on a tree": (lambda: weft.generate("k_ary_n_tree", k=4, n=2), "minhop", "none"),
    "up/down on an irregular fabric": (lambda: weft.irregular(32, seed=3), "updn", None),
    "up/down on another": (lambda: weft.irregular(32, seed=8), "updn", None),
}


@pytest.mark.parametrize("name", ENGINES)
def test_an_audit_of_opensms_own_routes_agrees_with_ibdmchk(name: str, tmp_path: Path) -> None:
    make, engine, expected = ENGINES[name]
    wired = tmp_path / "wired.net"
    weft.write_fabric(make(), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        found = subnet.discover("found.ibnetdiscover")
        roots = guids_of_first_root(found, tmp_path)
        subnet.start_manager(
            f"routing_engine {engine},no_fallback\nroot_guid_file {roots}\n"
            if engine == "updn"
            else f"routing_engine {engine},no_fallback\n"
        )
        # Discovered again, the fabric has the LIDs that OpenSM gave out.
        fabric = weft.read_fabric(subnet.discover("managed.ibnetdiscover")).fabric
        read = weft.read_routes(fabric, tmp_path)
        assert read.notes == []
        judged = weft.route_findings(fabric, read.routing)
        assert (judged.unreached_pairs, judged.circling_pairs) == (0, 0)
        assert ibdmchk(tmp_path, files=DUMPED) == ("loops" if judged.cycle else "none")
        if expected is not None:
            assert bool(judged.cycle) == (expected == "loops")
        # The tables by GUID, those by LID and those in the switches are the same.
        (tmp_path / "now.lfts").write_text(subnet.run("dump_fts"))
        for name_of_tables in ("opensm.fdbs", "now.lfts"):
            other = weft.read_routes(fabric, tmp_path / name_of_tables).routing
            assert routes_of(other) == routes_of(read.routing)


def routes_of(routing: weft.Routing) -> str:
    """Return routes as text, without what they are called."""
    return routing.to_json().partition('"tables"')[2]
