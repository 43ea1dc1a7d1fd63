"""The switches of a fabric as a simple graph, which is all that a layout needs to know."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fabric import Fabric

UNREACHABLE = -1
"""Distance between switches that no path joins."""


@dataclass(frozen=True)
class SwitchGraph:
    """Switches and the pairs of them that at least one link joins."""

    switch_count: int
    pairs: NDArray[np.int64]  # shape (n_pairs, 2): the smaller switch first, ascending
    hosts: NDArray[np.int64]  # on each switch
    order: NDArray[np.int64]  # place of each switch by name, numbers in names by value

    @classmethod
    def of(cls, fabric: Fabric) -> SwitchGraph:
        """Reduce a fabric to its switches; cables from a switch to itself are left out."""
        ends = np.asarray(fabric.channel_ends(), dtype=np.int64).reshape(-1, 2)
        between = np.asarray(fabric.is_switch_channel, dtype=bool) & (ends[:, 0] < ends[:, 1])
        pairs = np.unique(ends[between], axis=0).reshape(-1, 2)
        hosts = np.bincount(
            np.asarray(fabric.host_switch, dtype=np.int64), minlength=fabric.switch_count
        ).astype(np.int64)
        names = fabric.switch_names
        by_name = sorted(range(len(names)), key=lambda switch: (_natural(names[switch]), switch))
        order = np.empty(len(names), dtype=np.int64)
        order[by_name] = np.arange(len(names))
        return cls(fabric.switch_count, pairs, hosts, order)

    def neighbours(self) -> list[list[int]]:
        """Return the neighbours of every switch in ascending order."""
        offsets, targets = self._rows
        return [
            targets[offsets[switch] : offsets[switch + 1]].tolist()
            for switch in range(self.switch_count)
        ]

    def distances_from(self, start: int) -> NDArray[np.int64]:
        """Count the links from one switch to every other, `UNREACHABLE` where no path is."""
        distances = np.full(self.switch_count, UNREACHABLE, dtype=np.int64)
        distances[start] = 0
        offsets, targets = self._rows
        frontier, links = np.array([start]), 0
        while len(frontier):
            links += 1
            reached = np.concatenate([targets[offsets[s] : offsets[s + 1]] for s in frontier])
            frontier = np.unique(reached[distances[reached] == UNREACHABLE])
            distances[frontier] = links
        return distances

    @cached_property
    def _rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Neighbours of all switches in one array, with the offset of every switch's row."""
        both = np.concatenate([self.pairs, self.pairs[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        offsets = np.searchsorted(both[:, 0], np.arange(self.switch_count + 1))
        return offsets.astype(np.int64), both[:, 1]

    def parts(self) -> list[list[int]]:
        """Return the connected parts, each ascending, the largest first."""
        neighbours = self.neighbours()
        part_of = [UNREACHABLE] * self.switch_count
        parts: list[list[int]] = []
        for start in range(self.switch_count):
            if part_of[start] != UNREACHABLE:
                continue
            part_of[start] = len(parts)
            members = [start]
            for switch in members:
                for neighbour in neighbours[switch]:
                    if part_of[neighbour] == UNREACHABLE:
                        part_of[neighbour] = len(parts)
                        members.append(neighbour)
            parts.append(sorted(members))
        return sorted(parts, key=lambda part: (-len(part), part[0]))

    def restricted(self, members: list[int]) -> SwitchGraph:
        """Keep only some switches, numbered anew in the order given."""
        number = np.full(self.switch_count, UNREACHABLE, dtype=np.int64)
        number[members] = np.arange(len(members))
        renumbered = number[self.pairs]
        kept = np.sort(renumbered[(renumbered != UNREACHABLE).all(axis=1)], axis=1)
        return SwitchGraph(len(members), kept, self.hosts[members], self.order[members])


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts ``leaf2`` before ``leaf10``, whatever number of digits there are."""
    parts = re.split(r"(\d+)", name)
    return [_digits(part) if part.isdecimal() else (False, 0, part) for part in parts]


def _digits(number: str) -> tuple[bool, int, str]:
    digits = number.lstrip("0")
    return (True, len(digits), digits)
