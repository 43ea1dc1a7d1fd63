"""Trees divided level by level: pods below, planes above, chassis and cards where names tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.plots.aggregates.joined import joined, quotient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fabric.chassis import Chassis
    from weft.plots.layout.graph import SwitchGraph

MOST_IN_ROW = 64
"""Groups of a level at most."""

LEAST_IN_ROW = 8
"""Fewer groups of a level are divided further, where it has the switches."""

MOST_BUNDLES = 320
"""Bundles between two levels at most, as far as they can be divided into fewer groups."""

_ROOMS = (MOST_IN_ROW, 48, 32, 24, 16, 12, LEAST_IN_ROW)


def pod_of(
    graph: SwitchGraph,
    level: NDArray[np.int64],
    chassis: Sequence[Chassis | None],
    share: float = 1.0,
) -> NDArray[np.int64]:
    """Return the group of every switch of a connected tree, numbered level by level.

    Of every level, the finest division is taken that has no more than `MOST_IN_ROW` groups, or
    their share where other parts of the network stand beside the tree: single
    switches, cards, chassis, pods (switches that the levels up to their own join, or up to one
    above), and on the top planes (switches that the levels down to one below join). Between two
    levels with too many bundles, the upper one is divided into fewer groups.
    """
    rows = [
        _Row(np.flatnonzero(level == value), _divisions(graph, level, value, chassis), graph.order)
        for value in range(int(level.max()) + 1)
    ]
    most = [room for room in _ROOMS if room <= share * MOST_IN_ROW] or [LEAST_IN_ROW]
    rooms = [0] * len(rows)
    while True:
        group_of = np.zeros(graph.switch_count, dtype=np.int64)
        count = 0
        for row, room in zip(rows, rooms, strict=True):
            own = row.divided(most[room])
            group_of[row.members] = own + count
            count += int(own.max()) + 1
        bundles = quotient(graph.pairs, group_of)
        level_of = np.zeros(count, dtype=np.int64)
        level_of[group_of] = level
        upper = np.bincount(level_of[bundles].max(axis=1), minlength=1)
        crowded = int(upper.argmax())
        if upper[crowded] <= MOST_BUNDLES:
            return group_of
        narrower = [
            row for row in (crowded, crowded - 1) if row >= 0 and rooms[row] + 1 < len(most)
        ]
        if not narrower:
            return group_of
        rooms[narrower[0]] += 1


@dataclass(frozen=True)
class _Row:
    """The switches of a level and how they can be divided, the finest first."""

    members: NDArray[np.int64]
    divisions: list[NDArray[np.int64]]  # a number for each member
    order: NDArray[np.int64]  # of all switches by name

    def divided(self, room: int) -> NDArray[np.int64]:
        """Return the number of each member's group, no more than `room` of them."""
        finer = np.arange(len(self.members))
        for division in [finer, *self.divisions, np.zeros_like(finer)]:
            count = int(division.max()) + 1
            if count <= room:
                break
            finer = division
        if count >= min(LEAST_IN_ROW, len(self.members)):
            return division
        return _runs(division, finer, self.order[self.members], room // count)


def _runs(
    division: NDArray[np.int64], finer: NDArray[np.int64], order: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """Divide groups into runs of about as many switches, those of a finer group side by side."""
    first_of = np.full(int(finer.max()) + 1, len(order) + int(order.max()), dtype=np.int64)
    np.minimum.at(first_of, finer, order)
    found = np.zeros(len(division), dtype=np.int64)
    number = 0
    for group in range(int(division.max()) + 1):
        own = np.flatnonzero(division == group)
        own = own[np.lexsort((order[own], first_of[finer[own]]))]
        for run in np.array_split(own, min(count, len(own))):
            found[run] = number
            number += 1
    return found


def _divisions(
    graph: SwitchGraph,
    level: NDArray[np.int64],
    value: int,
    chassis: Sequence[Chassis | None],
) -> list[NDArray[np.int64]]:
    """Return how a level can be divided, the finest division first."""
    members = np.flatnonzero(level == value)
    own = [chassis[switch] for switch in members.tolist()]
    found: list[NDArray[np.int64]] = []
    if 2 * sum(entry is not None for entry in own) > len(own):
        # Switches that are in no chassis stand for themselves.
        known = [entry or (f"switch {number}", "") for number, entry in enumerate(own)]
        found += [_numbered(known), _numbered([entry[0] for entry in known])]
    top = int(level.max())
    low, high = level[graph.pairs].min(axis=1), level[graph.pairs].max(axis=1)
    if value == top:
        for lowest in range(top - 1, 0, -1):
            found.append(_parts(graph, low >= lowest, members))
    else:
        for highest in range(max(value, 1), top):
            found.append(_parts(graph, high <= highest, members))
    return found


def _parts(
    graph: SwitchGraph, kept: NDArray[np.bool_], members: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the parts that some of the links join."""
    part = joined(graph.switch_count, graph.pairs[kept])[members]
    return np.unique(part, return_inverse=True)[1].astype(np.int64)


def _numbered(keys: Sequence[object]) -> NDArray[np.int64]:
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
