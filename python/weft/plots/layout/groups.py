"""Layout of fabrics whose switches form groups: each a cluster of its own, all on a ring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.plots.layout.graph import SwitchGraph

__all__ = ["groups_of_all_joined", "on_two_rings", "ring_of_clusters"]

#: Groups of all joined switches are told from chance where there are so many of so many switches,
_LEAST_GROUPS = _LEAST_SWITCHES = 3
#: of the pairs in a group so large a share is joined, and of the pairs of groups such a one.
_JOINED_WITHIN, _JOINED_BETWEEN = 0.9, 0.75

_FILLED = 0.8
"""The part of its share of a ring that a group takes up."""

_BETWEEN_RINGS = 1.6
"""Distance of the leaves' ring from the spines', at least."""

_BETWEEN_CLUSTERS = 1.4
"""Distance of the outermost switches of two clusters."""


def on_two_rings(groups: list[list[int]], spines: list[int]) -> NDArray[np.float64]:
    """Place leaves on an outer ring and spines on an inner one, group by group, neighbours 1 apart.

    Groups are given with their leaves first; so many switches at the end of each are spines. Rows
    are numbered as the switches are.
    """
    positions = np.zeros((sum(map(len, groups)), 2))
    share = 2.0 * np.pi / len(groups)
    leaves = [len(group) - above for group, above in zip(groups, spines, strict=True)]
    inner = max(spines) / (_FILLED * share)
    outer = max(inner + _BETWEEN_RINGS, max(leaves) / (_FILLED * share))
    for number, (group, below) in enumerate(zip(groups, leaves, strict=True)):
        for row, radius in ((group[:below], outer), (group[below:], inner)):
            places = (np.arange(len(row)) + 0.5) / len(row) - 0.5
            positions[row] = _around(radius, share * (number + _FILLED * places))
    return positions


def groups_of_all_joined(graph: SwitchGraph) -> list[list[int]] | None:
    """Find the groups of a dragonfly: switches that are all joined, and most pairs of groups too.

    Two joined switches of a group have all others of it as neighbours in common, two of different
    groups few. None where switches form no such groups, or some have no hosts.

    Source: Kim et al., "Technology-driven, highly-scalable dragonfly topology", ISCA 2008.
    """
    if graph.switch_count < _LEAST_GROUPS * _LEAST_SWITCHES or not graph.hosts.all():
        return None
    near: list[set[int]] = [set() for _ in range(graph.switch_count)]
    for one, other in graph.pairs.tolist():
        near[one].add(other)
        near[other].add(one)
    pairs = graph.pairs.tolist()
    common = [len(near[one] & near[other]) for one, other in pairs]
    together: list[list[int]] = [[] for _ in range(graph.switch_count)]
    for (one, other), count in zip(pairs, common, strict=True):
        if 2 * count > max(common):
            together[one].append(other)
            together[other].append(one)
    group_of = [-1] * graph.switch_count
    groups: list[list[int]] = []
    for first in range(graph.switch_count):
        if group_of[first] >= 0:
            continue
        group_of[first] = len(groups)
        group = [first]
        for at in group:
            for other in together[at]:
                if group_of[other] < 0:
                    group_of[other] = len(groups)
                    group.append(other)
        groups.append(sorted(group))
    if len(groups) < _LEAST_GROUPS or min(map(len, groups)) < _LEAST_SWITCHES:
        return None
    joined = [sorted((group_of[one], group_of[other])) for one, other in pairs]
    within = sum(one == other for one, other in joined)
    between = len({(one, other) for one, other in joined if one != other})
    is_one = within >= _JOINED_WITHIN * sum(
        map(_pairs, map(len, groups))
    ) and between >= _JOINED_BETWEEN * _pairs(len(groups))
    return groups if is_one else None


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def ring_of_clusters(groups: list[list[int]], *, have_centres: bool) -> NDArray[np.float64]:
    """Place clusters on a ring, each on one of its own, neighbours 1 apart.

    Where they have centres, that is the first switch of each group but the first. Rows are numbered
    as the switches are.
    """
    positions = np.zeros((sum(map(len, groups)), 2))
    radius = max(max(map(len, groups)) / (2.0 * np.pi), 1.0)
    far = len(groups) * (2.0 * radius + _BETWEEN_CLUSTERS) / (2.0 * np.pi)
    for number, group in enumerate(groups):
        turned = 2.0 * np.pi * number / len(groups)
        middle = _around(far, np.array([turned]))
        ring = group[1:] if number and have_centres else group
        # None of them stands between its centre and that of all.
        angles = turned + 2.0 * np.pi * (np.arange(len(ring)) + 0.5) / len(ring)
        positions[group] = middle
        positions[ring] = middle + _around(radius, angles)
    return positions


def _around(radius: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of a circle at angles, clockwise from the top, y downwards."""
    points: NDArray[np.float64] = radius * np.column_stack([np.sin(angles), -np.cos(angles)])
    return points
