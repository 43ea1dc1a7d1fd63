"""Layout of tree-like fabrics: switches with hosts at the bottom, the rest in rows above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.plots.layout.graph import SwitchGraph

SWEEPS = 24
"""Passes over the rows, up and down, that untangle the order of the switches."""

WORTH = 0.15
"""Another order is taken only when it shortens the links by this share: a reader looks for the
switches by name."""


def level_positions(
    graph: SwitchGraph, level: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Place the switches of a connected tree-like fabric so that few links cross.

    Every row is ordered by the mean place of its neighbours in the rows beside it, over and over
    (the barycentre method), starting from the names of the switches. Given back are the place of
    each switch within its row, 0…1, and its level, which is the one of `weft.fabric.fabric_levels`.
    """
    neighbours = graph.neighbours()
    order = graph.order.tolist()
    rows = [
        sorted(np.flatnonzero(level == value).tolist(), key=order.__getitem__)
        for value in range(int(level.max()) + 1)
    ]
    across = np.zeros(graph.switch_count)

    def spread(row: list[int]) -> None:
        for place, switch in enumerate(row):
            across[switch] = (place + 0.5) / len(row)

    for row in rows:
        spread(row)
    best, best_length = across.copy(), _link_length(graph, across)
    for sweep in range(SWEEPS):
        towards = 1 if sweep % 2 else -1
        upwards = rows if towards == -1 else rows[::-1]
        for row in upwards[1:]:
            middle = {
                switch: _middle(across, neighbours[switch], level, int(level[switch]) + towards)
                for switch in row
            }
            row.sort(key=lambda switch: (round(middle[switch], 9), order[switch]))
            spread(row)
        length = _link_length(graph, across)
        if length < (1.0 - WORTH) * best_length:
            best, best_length = across.copy(), length
    return best, level.astype(np.float64)


def _middle(
    across: NDArray[np.float64], neighbours: list[int], level: NDArray[np.int64], wanted: int
) -> float:
    """Return the mean place of the neighbours on a level; the middle when there are none."""
    beside = [neighbour for neighbour in neighbours if level[neighbour] == wanted]
    return float(np.mean(across[beside])) if beside else 0.5


def _link_length(graph: SwitchGraph, across: NDArray[np.float64]) -> float:
    """Sum how far all links lean sideways."""
    return float(np.abs(across[graph.pairs[:, 0]] - across[graph.pairs[:, 1]]).sum())
