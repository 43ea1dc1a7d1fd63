#!/usr/bin/env python3
"""Make quantum.ibnetdiscover: a small cluster of today, with faults and parts that are no hosts.

A two-level tree of NDR switches with 64 ports to the outside and one inside: 8 leaves with 24 nodes
each, 4 spines, 6 cables from each leaf to each spine. Every switch has an aggregation node on its
inner port, and the fabric's manager hangs on spine1. One cable is missing (leaf3 to spine2), the
six of one trunk run at half their rate (leaf5 to spine3), and two uplinks of leaf7 stand in each
other's ports.

Run as ``python3 examples/make_quantum.py [FILE]``; FILE is the quantum.ibnetdiscover beside this
script unless named.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from discovery_records import Node, records, wire

LEAVES = 8
SPINES = 4
NODES_PER_LEAF = 24
CABLES_PER_TRUNK = 6
OUTER_PORTS = 64
INNER_PORT = 65
MANAGERS_PORT = 60

MISSING = ("leaf3", "spine2", 4)
"""Leaf, spine, cable of the trunk from 0."""
SLOW_TRUNK = ("leaf5", "spine3")
SWAPPED = (("leaf7", "spine1", 5), ("leaf7", "spine4", 0))

SWITCH_DEVICE = 0xD2F2
AGGREGATION_DEVICE = 0xD2F3
ADAPTER_DEVICE = 0x1021
GUIDS = 0x0C42A10300C00000
GUID_STEP = 0x20
RATE = "4xNDR"
SLOW_RATE = "4xHDR"


@dataclass
class Cluster:
    """All nodes as far as they are there."""

    nodes: list[Node] = field(default_factory=list)

    def add(self, name: str, device: int, system: Node | None = None) -> Node:
        """Add a node, alone or as a part of another."""
        guid = GUIDS + GUID_STEP * len(self.nodes)
        owner = guid if system is None else system.guid
        is_switch = device == SWITCH_DEVICE
        ports = INNER_PORT if is_switch else 1
        node = Node(name, guid, len(self.nodes) + 1, device, is_switch, ports, owner)
        self.nodes.append(node)
        return node

    def switch(self, name: str) -> Node:
        """Add a switch with the aggregation node inside."""
        switch = self.add(name, SWITCH_DEVICE)
        inside = "Mellanox Technologies Aggregation Node"
        wire((switch, INNER_PORT), (self.add(inside, AGGREGATION_DEVICE, switch), 1), RATE)
        return switch


def build_cluster() -> list[Node]:
    """Return all nodes, wired: leaves, spines, what is inside them, hosts."""
    cluster = Cluster()
    switches = {}
    for name in [f"leaf{n}" for n in range(1, LEAVES + 1)] + [
        f"spine{n}" for n in range(1, SPINES + 1)
    ]:
        switches[name] = cluster.switch(name)
    spine_ports = {}
    for leaf in range(LEAVES):
        for spine in range(SPINES):
            for cable in range(CABLES_PER_TRUNK):
                ends = (f"leaf{leaf + 1}", f"spine{spine + 1}", cable)
                spine_ports[ends] = CABLES_PER_TRUNK * leaf + cable + 1
    swapped = dict(zip(SWAPPED, reversed(SWAPPED), strict=True))
    for ends, own in spine_ports.items():
        leaf, spine, cable = ends
        _, far, _ = far_ends = swapped.get(ends, ends)
        if ends == MISSING:
            continue
        up = NODES_PER_LEAF + CABLES_PER_TRUNK * (int(spine[5:]) - 1) + cable + 1
        down = own if far_ends == ends else spine_ports[far_ends]
        rate = SLOW_RATE if (leaf, spine) == SLOW_TRUNK else RATE
        wire((switches[leaf], up), (switches[far], down), rate)
    for leaf in range(LEAVES):
        for port in range(1, NODES_PER_LEAF + 1):
            host = cluster.add(f"gpu{NODES_PER_LEAF * leaf + port:03d} mlx5_0", ADAPTER_DEVICE)
            wire((host, 1), (switches[f"leaf{leaf + 1}"], port), RATE)
    manager = cluster.add("ufm01 mlx5_0", ADAPTER_DEVICE)
    wire((manager, 1), (switches["spine1"], MANAGERS_PORT), RATE)
    return cluster.nodes


def discovered(nodes: list[Node]) -> str:
    """Return what ibnetdiscover prints of the nodes."""
    return "#\n# Topology file: generated on Mon Nov 23 09:00:00 2026\n#\n" + records(nodes)


def main() -> None:
    """Write the file named on the command line, or the one beside this script."""
    default = Path(__file__).with_name("quantum.ibnetdiscover")
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    nodes = build_cluster()
    target.write_text(discovered(nodes))
    switches = sum(node.is_switch for node in nodes)
    cables = sum(len(node.wires) for node in nodes) // 2
    print(f"{target}: {switches} switches, {len(nodes) - switches} ends, {cables} cables")


if __name__ == "__main__":
    main()
