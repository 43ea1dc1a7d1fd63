"""Layout of any fabric: distances on the page follow the distances in the fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.plots.layout.graph import SwitchGraph

ITERATIONS = 120
"""Steps of the majorization."""

PIVOT_COUNT = 120
"""Switches from which distances are measured for the start."""

MAJORIZED_SWITCHES = 400
"""Larger fabrics keep the start: the steps would take too long."""

GOLDEN_ANGLE = 2.399963
"""In radians; turns by it never repeat."""


def stress_positions(graph: SwitchGraph) -> NDArray[np.float64]:
    """Place the switches of a connected graph by their distances, shape (n_switches, 2).

    Starts from classical scaling of the distances and lowers the weighted stress by majorization,
    so the result depends on the graph alone. A link has length 1 on average, and the widest
    direction is x. Gansner, Koren, North, "Graph Drawing by Stress Majorization", 2004; Brandes,
    Pich, "Eigensolver Methods for Progressive Multidimensional Scaling", 2006.
    """
    count = graph.switch_count
    if count == 1:
        return np.zeros((1, 2))
    if count == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    pivots, to_pivots = _pivots(graph, min(count, PIVOT_COUNT))
    positions = _scaled(to_pivots, pivots)
    if count <= MAJORIZED_SWITCHES:
        rows = [graph.distances_from(switch) for switch in range(count)]
        positions = _majorized(positions, np.array(rows, dtype=np.float64))
    return _along_x(positions)


def _pivots(graph: SwitchGraph, count: int) -> tuple[list[int], NDArray[np.float64]]:
    """Choose switches far from one another, from switch 0 on, and measure from each of them."""
    pivots = [0]
    columns = [graph.distances_from(0).astype(np.float64)]
    nearest = columns[0].copy()
    while len(pivots) < count:
        pivots.append(int(nearest.argmax()))
        columns.append(graph.distances_from(pivots[-1]).astype(np.float64))
        nearest = np.minimum(nearest, columns[-1])
        nearest[pivots] = -1.0
    return pivots, np.column_stack(columns)


def _scaled(distances: NDArray[np.float64], pivots: list[int]) -> NDArray[np.float64]:
    """Place by the two leading directions of the centred squared distances to the pivots."""
    squared = distances**2
    centred = -0.5 * (
        squared - squared.mean(axis=0) - squared.mean(axis=1, keepdims=True) + squared.mean()
    )
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, [-1, -2]]
    # Eigenvectors have no sign of their own: the largest entry is made positive.
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, [0, 1]])
    positions: NDArray[np.float64] = centred @ axes
    # Switches that the pivots cannot tell apart must not start on one spot.
    angle = np.arange(len(distances)) * GOLDEN_ANGLE
    spread = 1e-3 * (1.0 + np.abs(positions).max())
    positions = positions + spread * np.column_stack([np.cos(angle), np.sin(angle)])
    apart = np.linalg.norm(positions[:, None, :] - positions[None, pivots, :], axis=2)
    return np.asarray(positions * (distances.sum() / max(apart.sum(), 1e-12)), dtype=np.float64)


def _majorized(
    positions: NDArray[np.float64], distances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Lower the stress, near pairs weighing more, by Guttman transforms."""
    weights = np.where(distances > 0, 1.0 / np.maximum(distances, 1.0) ** 2, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    pull = weights * distances
    for _ in range(ITERATIONS):
        apart = np.linalg.norm(positions[:, None, :] - positions[None, :, :], axis=2)
        ratio = np.where(apart > 1e-9, pull / np.maximum(apart, 1e-9), 0.0)
        transform = np.diag(ratio.sum(axis=1)) - ratio
        positions = inverse @ (transform @ positions)
    return positions


def _along_x(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn the drawing so that it is widest along x, switch 0 in its left upper part."""
    centred = positions - positions.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: NDArray[np.float64] = centred @ axes.T
    return turned * np.where(turned[0] > 0, -1.0, 1.0)
