"""The fabrics of the table, and what OpenSM's engines have to be told of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import weft
from weft.fabric import fabric_levels

if TYPE_CHECKING:
    from collections.abc import Iterator

SWITCH = re.compile(r'^Switch\s+\d+\s+"S-([0-9a-f]{16})"', re.MULTILINE)


@dataclass(frozen=True)
class Named:
    """A fabric and what the table calls it."""

    name: str
    fabric: weft.Fabric

    @property
    def is_torus(self) -> bool:
        """Whether it was generated as a torus."""
        return self.fabric.layout_extents is not None

    @property
    def is_tree(self) -> bool:
        """Whether its switches have levels."""
        return bool(np.all(fabric_levels(self.fabric) >= 0))

    @property
    def has_hosts_below_tops_alone(self) -> bool:
        """Whether it is a tree without hosts at its tops, which no legal route joins."""
        return self.is_tree and not set(self.roots()) & set(self.fabric.host_switch.tolist())

    def switch_guids(self, net: str) -> list[int]:
        """Return the GUIDs that a file of ibsim's gives the switches, in their order."""
        return [int(guid, 16) for guid in SWITCH.findall(net)]

    def roots(self) -> list[int]:
        """Return the switches that up*/down* and fat-tree routing are told as roots.

        Those of the highest level of a tree; elsewhere the one from which the farthest is nearest,
        of several the one with the least mean distance.
        """
        levels = fabric_levels(self.fabric)
        if self.is_tree:
            return [int(switch) for switch in np.flatnonzero(levels == levels.max())]
        distances = [self._distances(switch) for switch in range(self.fabric.switch_count)]
        return [min(range(len(distances)), key=lambda at: (max(distances[at]), sum(distances[at])))]

    def torus_file(self, guids: list[int]) -> str:
        """Return what torus-2QoS is told: extents, and where axes lead from the first switch."""
        extents = [*(self.fabric.layout_extents or []), 1, 1][:3]
        lines = [f"torus {' '.join(map(str, extents))}", "portgroup_max_ports 64"]
        stride = 1
        for axis, extent in zip("xyz", extents, strict=True):
            if extent > 1:
                lines.append(f"{axis}p_link 0x{guids[0]:x} 0x{guids[stride]:x}")
                lines.append(f"{axis}m_link 0x{guids[0]:x} 0x{guids[(extent - 1) * stride]:x}")
            stride *= extent
        return "\n".join(lines) + "\n"

    def _distances(self, start: int) -> list[int]:
        """Return the links to every switch that is reached."""
        neighbours = self._neighbours()
        links = {start: 0}
        queue = [start]
        for at in queue:
            for to in neighbours[at]:
                if to not in links:
                    links[to] = links[at] + 1
                    queue.append(to)
        return list(links.values())

    def _neighbours(self) -> list[list[int]]:
        """Return the neighbours of every switch."""
        count = self.fabric.switch_count
        neighbours: list[list[int]] = [[] for _ in range(count)]
        for one, _, other, _ in self.fabric.links().tolist():
            if one < count and other < count:
                neighbours[one].append(other)
                neighbours[other].append(one)
        return neighbours


def generated(*, is_small: bool) -> Iterator[Named]:
    """Yield the generated fabrics of the table."""
    for switches in (16, 32, 64):
        fabric = weft.irregular(switches, seed=1, hosts_per_switch=4)
        yield Named(f"irregular {switches}", fabric)
    yield Named("torus 8×8", weft.torus(8, 8, hosts_per_switch=8))
    yield Named("4-ary 3-tree", weft.generate("k_ary_n_tree", k=4, n=3))
    if is_small:
        return
    tree = weft.generate("k_ary_n_tree", k=8, n=3)
    yield Named("8-ary 3-tree", tree)
    yield Named("8-ary 3-tree, 5 % cut", weft.degrade(tree, links="5%", seed=1).fabric)
    yield Named("random regular 256", random_regular(256))


def random_regular(switches: int) -> weft.Fabric:
    """Return a random regular network of degree 16 with 16 hosts a switch."""
    return weft.generate("jellyfish", switches=switches, degree=16, hosts_per_switch=16, seed=1)


def read(path: str) -> Named:
    """Read a fabric from a file."""
    return Named(Path(path).stem, weft.read_fabric(path).fabric)
