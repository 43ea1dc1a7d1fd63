"""Layout of fabrics whose switches form groups: each a cluster of its own, all on a ring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["on_two_rings", "ring_of_clusters"]

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


def ring_of_clusters(groups: list[list[int]]) -> NDArray[np.float64]:
    """Place clusters on a ring, each with its first switch amid the others, neighbours 1 apart.

    The first group has no centre. Rows are numbered as the switches are.
    """
    positions = np.zeros((sum(map(len, groups)), 2))
    radius = max(max(map(len, groups)) / (2.0 * np.pi), 1.0)
    far = len(groups) * (2.0 * radius + _BETWEEN_CLUSTERS) / (2.0 * np.pi)
    for number, group in enumerate(groups):
        turned = 2.0 * np.pi * number / len(groups)
        middle = _around(far, np.array([turned]))
        ring = group[1:] if number else group
        # None of them stands between its centre and that of all.
        angles = turned + 2.0 * np.pi * (np.arange(len(ring)) + 0.5) / len(ring)
        positions[group] = middle
        positions[ring] = middle + _around(radius, angles)
    return positions


def _around(radius: float, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the points of a circle at angles, clockwise from the top, y downwards."""
    points: NDArray[np.float64] = radius * np.column_stack([np.sin(angles), -np.cos(angles)])
    return points
