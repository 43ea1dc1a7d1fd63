"""Where OpenSM's own engine has one answer, Weft's model of it gives that, entry by entry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from opensm_subnet import simulated, tables_of

import weft

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)

#: The last host is lost, as ``dump_fts`` leaves out the last LID where that is a multiple of 64.
FABRICS: dict[str, Callable[[], weft.Fabric]] = {
    "irregular": lambda: weft.irregular(24, hosts_per_switch=3, seed=6),
    "torus": lambda: weft.torus(5, 4, hosts_per_switch=2),
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
        assert len(expected) >= len(hosts) - 1
