"""Where OpenSM's own engine has one answer, Weft's model of it gives that, entry by entry."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from opensm_subnet import neighbours, simulated, tables_of

import weft
from weft import _core

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)

#: The last LID of the second torus is a multiple of 64.
FABRICS: dict[str, Callable[[], weft.Fabric]] = {
    "irregular": lambda: weft.irregular(24, hosts_per_switch=3, seed=6),
    "torus": lambda: weft.torus(5, 4, hosts_per_switch=2),
    "torus of 64 LIDs": lambda: weft.torus(4, 4, hosts_per_switch=3),
    "damaged tree, leaves of several sizes": lambda: (
        weft.degrade(
            weft.generate("xgft", m=[6, 8], w=[1, 4]), links="5%", hosts="20%", seed=3
        ).fabric
    ),
}


#: What OpenSM calls an engine, and Weft; `updn` is told a root, as it finds none but in trees.
ENGINES = {"minhop": "min_hop", "sssp": "sssp", "updn": "updn:root=name:sw5"}
ROOT = re.compile(r'^Switch\s+\d+ "S-(\w+)"\s+# "sw5"', re.MULTILINE)


@pytest.mark.parametrize("name", FABRICS)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_is_opensms(engine: str, name: str, tmp_path: Path) -> None:
    wired = tmp_path / "wired.net"
    weft.write_fabric(FABRICS[name](), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        roots = tmp_path / "roots"
        (root,) = ROOT.findall(wired.read_text())
        roots.write_text(f"0x{root}\n")
        subnet.start_manager(f"routing_engine {engine}\nroot_guid_file {roots}\n")
        # What is discovered now has the LIDs that OpenSM gave.
        found = weft.read_fabric(subnet.discover("found.ibnetdiscover"), compute=["*"]).fabric
        made = weft.route(found, ENGINES[engine])
        weft.export_opensm(found, made, tmp_path / "made", unproved=True)
        ours = tables_of((tmp_path / "made" / "weft.lfts").read_text(), 1)
        loaded = subnet.tables()
    hosts = {(guid, 0) for guid in found.host_guids}
    assert ours.keys() == loaded.keys()
    for switch, entries in loaded.items():
        expected = {end: port for end, port in entries.items() if end in hosts}
        assert {end: port for end, port in ours[switch].items() if end in hosts} == expected
        assert len(expected) == len(hosts)


def test_updn_is_opensms_where_that_has_an_entry(tmp_path: Path) -> None:
    """From some switches without hosts no way leads up and then down, and OpenSM gives no entry:
    by those of an export they answer it.
    """
    tree = weft.generate("xgft", m=[4, 4, 8], w=[1, 4, 2])
    wired = tmp_path / "wired.net"
    weft.write_fabric(weft.degrade(tree, links="4%", seed=1).fabric, wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        subnet.start_manager("routing_engine updn\n")
        found = weft.read_fabric(subnet.discover("found.ibnetdiscover"), compute=["*"]).fabric
        weft.export_opensm(found, weft.route(found, "updn"), tmp_path / "made", unproved=True)
        ours = tables_of((tmp_path / "made" / "weft.lfts").read_text(), 1)
        loaded = subnet.tables()
        ends = neighbours(subnet.discover("again.ibnetdiscover"))
    hosts = {(guid, 0) for guid in found.host_guids}
    with_hosts = {switch for (switch, _), end in ends.items() if (end, 0) in hosts}
    lacking = 0
    for switch, entries in loaded.items():
        expected = {end: port for end, port in entries.items() if end in hosts}
        assert {end: ours[switch][end] for end in expected} == expected
        assert len(expected) == len(hosts) or switch not in with_hosts
        lacking += len(hosts) - len(expected)
    assert lacking > 0


def _trunks(hosts_per_leaf: int, *, pulled: int) -> weft.Fabric:
    """Six leaves under two spines, four cables to each: 8 up from a leaf, less those pulled."""
    leaves, spines, cables = 6, 2, 4
    switches = [{"name": f"leaf{n}", "ports": 40} for n in range(leaves)]
    switches += [{"name": f"spine{n}", "ports": 40} for n in range(spines)]
    links = []
    for leaf in range(leaves):
        for host in range(hosts_per_leaf):
            links.append([[f"h{leaf}-{host}", 1], [f"leaf{leaf}", host + 1]])
        for up in range(spines * cables):
            spine, port = f"spine{up // cables}", cables * leaf + up % cables + 1
            if leaf or up >= pulled:
                links.append([[f"leaf{leaf}", 21 + up], [spine, port]])
    hosts = [{"name": f"h{leaf}-{n}"} for leaf in range(leaves) for n in range(hosts_per_leaf)]
    document = {"format": "weft-fabric", "version": 1, "name": "trunks", "switches": switches}
    document |= {"hosts": hosts, "links": [{"ends": ends} for ends in links]}
    fabric, *_ = _core.read_fabric(json.dumps(document).encode(), "trunks")
    return fabric


@pytest.mark.parametrize(
    ("hosts_per_leaf", "pulled", "hosts_on_a_cable"),
    [(8, 0, 1), (6, 0, 1), (9, 0, 2), (16, 0, 2), (8, 1, 2)],
)
def test_ftree_spreads_over_parallel_cables_as_opensm_does(
    hosts_per_leaf: int, pulled: int, hosts_on_a_cable: int, tmp_path: Path
) -> None:
    """Each host has one way down, so a cable down carries the hosts of five leaves to one host, or
    to two where a leaf has more hosts than cables.
    """
    wired = tmp_path / "wired.net"
    weft.write_fabric(_trunks(hosts_per_leaf, pulled=pulled), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        subnet.start_manager("routing_engine ftree\n")
        found = weft.read_fabric(subnet.discover("found.ibnetdiscover"), compute=["*"]).fabric
        dump = tmp_path / "now.lfts"
        dump.write_text(subnet.run("dump_fts"))
    loaded = weft.read_routes(found, dump).routing
    for routing in (loaded, weft.route(found, "ftree")):
        judged = weft.judge(found, routing, count=4)
        assert judged.max_routes == 5 * hosts_per_leaf * hosts_on_a_cable


@pytest.mark.parametrize("tree", [{"m": [4, 4, 4], "w": [1, 4, 4]}, {"m": [6, 8], "w": [1, 4]}])
def test_ftree_is_opensms_on_whole_trees(tree: dict[str, list[int]], tmp_path: Path) -> None:
    wired = tmp_path / "wired.net"
    weft.write_fabric(weft.generate("xgft", m=tree["m"], w=tree["w"]), wired, "ibnetdiscover")
    with simulated(wired.read_text(), tmp_path) as subnet:
        subnet.start_manager("routing_engine ftree\n")
        found = weft.read_fabric(subnet.discover("found.ibnetdiscover"), compute=["*"]).fabric
        weft.export_opensm(found, weft.route(found, "ftree"), tmp_path / "made")
        ours = tables_of((tmp_path / "made" / "weft.lfts").read_text(), 1)
        loaded = subnet.tables()
    hosts = {(guid, 0) for guid in found.host_guids}
    for switch, entries in loaded.items():
        expected = {end: port for end, port in entries.items() if end in hosts}
        assert {end: port for end, port in ours[switch].items() if end in expected} == expected
        assert len(expected) == len(hosts)
