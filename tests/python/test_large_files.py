"""The files of a large machine are read in 100 MB, the interpreter and all of weft among them."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_KB = 100_000
#: Pods of leaves and of spines, all joined within a pod, and a top for each spine of a pod.
PODS, LEAVES, HOSTS = 18, 18, 24
PORTS = 48
SWITCH, ADAPTER = 2, 1
#: Widths and speeds by the numbers of the specification: 4x, HDR.
WIDTH, SPEED = 2, 1028

CABLE = '"Mellanox","0x2c9","MFS1S00-H010V","{serial}","A2","10 m","N/A","QSFP28","{degrees}C"'
COUNTERS = [
    "SymbolErrorCounterExtended",
    "LinkDownedCounterExtended",
    "PortRcvErrorsExtended",
    "PortXmitDiscardsExtended",
    "PortXmitDataExtended",
    "PortRcvDataExtended",
    "PortXmitPktsExtended",
    "PortRcvPktsExtended",
    "PortXmitWaitExt",
]

READ = """
import sys
import weft
read = weft.read_fabric(sys.argv[1])
# What a process is told of itself may be what its parent took.
(peak,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(*read.notes, file=sys.stderr)
print(peak, read.fabric.switch_count, read.fabric.host_count, len(read.ports), len(read.notes))
"""

End = tuple[int, int]


def cables() -> Iterator[tuple[End, End]]:
    """Yield both ends of each cable: the number of the node and of the port."""
    tops, spines = 2 * PODS * LEAVES, PODS * LEAVES
    hosts = tops + LEAVES
    for leaf in range(spines):
        pod, place = divmod(leaf, LEAVES)
        for host in range(HOSTS):
            yield (leaf, host + 1), (hosts + leaf * HOSTS + host, 1)
        for spine in range(LEAVES):
            yield (leaf, HOSTS + spine + 1), (spines + pod * LEAVES + spine, place + 1)
        yield (spines + leaf, LEAVES + 1), (tops + place, pod + 1)


def guid(node: int) -> int:
    """Return the GUID of a node."""
    return 0x9803A90300000000 + 0x40 * node


def database() -> str:
    """Return what ibdiagnet writes of such a machine, with counters and cables of each port."""
    ends = {end: other for pair in cables() for end, other in (pair, pair[::-1])}
    switches = 2 * PODS * LEAVES + LEAVES
    nodes = range(switches + PODS * LEAVES * HOSTS)
    sections: dict[str, list[str]] = {
        "NODES": ["NodeDesc,NumPorts,NodeType,SystemImageGUID,NodeGUID,DeviceID,VendorID"],
        "PORTS": [
            "NodeGuid,PortGuid,PortNum,MKey,GIDPrfx,MSMLID,LID,CapMsk,LinkWidthActv,LinkWidthSup,"
            "LinkWidthEn,LinkSpeedActv,LMC,PortPhyState,PortState,LinkSpeedSup,VLCap,NMTU,OpVLs"
        ],
        "LINKS": ["NodeGuid1,PortNum1,NodeGuid2,PortNum2"],
        "PM_INFO": ["NodeGUID,PortGUID,PortNumber," + ",".join(COUNTERS)],
        "CABLE_INFO": [
            "NodeGuid,PortGuid,PortNum,Vendor,OUI,PN,SN,Rev,LengthCopperOrActive,LengthSMFiber,"
            "Identifier,Temperature"
        ],
    }
    for node in nodes:
        is_switch, own = node < switches, f"0x{guid(node):016x}"
        name = f"switch {node}" if is_switch else f"node{node} mlx5_0"
        kind, ports, device = (SWITCH, PORTS, 54000) if is_switch else (ADAPTER, 1, 4123)
        sections["NODES"].append(f'"{name}",{ports},{kind},{own},{own},{device},713')
        for port in range(0 if is_switch else 1, ports + 1):
            at = own if is_switch else f"0x{guid(node) + port:016x}"
            lid = node + 1 if not (is_switch and port) else 0
            state = 4 if port == 0 or (node, port) in ends else 1
            sections["PORTS"].append(
                f"{own},{at},{port},0x0000000000000000,0xfe80000000000000,1,{lid},0x2651e848,"
                f"{WIDTH},3,3,{SPEED},0,5,{state},1,4,5,4"
            )
            if (node, port) not in ends:
                continue
            counts = [int((node + port) % 50 == 0), 0, 0, 0, *([2**40 + node] * 5)]
            where = f"{own},{at},{port},"
            sections["PM_INFO"].append(where + ",".join(map(str, counts)))
            plugged = CABLE.format(serial=f"MT{node}FT{port}", degrees=40 + port)
            sections["CABLE_INFO"].append(where + plugged)
    for one, other in cables():
        ends_of_link = [f"0x{guid(node):016x},{port}" for node, port in (one, other)]
        sections["LINKS"].append(",".join(ends_of_link))
    return "".join(
        "\n".join([f"START_{name}", *rows, f"END_{name}", "", ""])
        for name, rows in sections.items()
    )


def test_a_large_machine_is_read_in_a_hundred_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "ibdiagnet2.db_csv"
    path.write_text(database())
    assert path.stat().st_size > 12_000_000
    fabric = weft.read_fabric(path).fabric
    files = [path]
    for ending in ("ibnetdiscover", "iblinkinfo", "lst", "json", "graphml"):
        files.append(tmp_path / f"machine.{ending}")
        weft.write_fabric(fabric, files[-1])
    for file in files:
        ended = subprocess.run(
            [sys.executable, "-c", READ, file], capture_output=True, text=True, check=True
        )
        peak, *counts = map(int, ended.stdout.split())
        ports = 2 * fabric.link_count if file is path else 0
        assert counts == [666, 7776, ports, 0], ended.stderr
        assert peak < MOST_KB, f"{file.name}: {peak} kB"
