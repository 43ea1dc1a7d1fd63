"""Where the switches of a fabric stand on the page.

A grid is drawn as its grid, a tree-like fabric in rows with the switches of the hosts at the
bottom, anything else by its distances.  The same fabric always gets the same drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fabric import fabric_levels
from weft.plots.layout.graph import SwitchGraph
from weft.plots.layout.levels import level_positions
from weft.plots.layout.stress import stress_positions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fabric import Fabric

MAX_WIDTH = 1040.0
"""Widest drawing, in CSS pixels."""

MAX_HEIGHT = 660.0
"""Highest drawing of a fabric that is no tree, in CSS pixels, unless a grid has many rows."""

MARGIN = 46.0
"""Room around the outermost switches, in CSS pixels."""


@dataclass(frozen=True)
class Layout:
    """Positions of the switches on the page, y downwards; lengths in CSS pixels."""

    kind: str  # ``grid``, ``levels`` or ``distances``
    positions: NDArray[np.float64]  # centres, shape (n_switches, 2)
    width: float
    height: float
    spacing: float  # distance between the closest two switches
    extents: tuple[int, ...]  # columns and rows of a grid; empty otherwise
    row_of: NDArray[np.int64]  # level of every switch in a drawing by levels; zeros otherwise


def layout(fabric: Fabric) -> Layout:
    """Place the switches of any fabric, also of one in several parts."""
    extents = tuple(int(extent) for extent in fabric.layout_extents or ())
    if extents and int(np.prod(extents)) == fabric.switch_count:
        return _grid(extents)
    graph = SwitchGraph.of(fabric)
    level = fabric_levels(fabric)
    parts = [_part(graph.restricted(members), level[members]) for members in graph.parts()]
    return _side_by_side(parts, graph)


def _grid(extents: tuple[int, ...]) -> Layout:
    """Place a grid, the first extent across; further dimensions as planes beside one another."""
    columns, rows = extents[0], extents[1] if len(extents) > 1 else 1
    plane_size = columns * rows
    numbers = np.arange(int(np.prod(extents)))
    plane = numbers // plane_size
    column = numbers % columns + plane * (columns + 1)
    row = numbers % plane_size // columns
    across = int(column.max()) + 1
    room = min(
        (MAX_WIDTH - 2 * MARGIN) / max(across - 1, 1), (MAX_HEIGHT - 2 * MARGIN) / max(rows - 1, 1)
    )
    cell = float(np.clip(room, 24.0, 110.0))
    positions = np.column_stack([MARGIN + cell * column, MARGIN + cell * row]).astype(np.float64)
    return Layout(
        "grid",
        positions,
        2 * MARGIN + cell * (across - 1),
        2 * MARGIN + cell * (rows - 1),
        cell,
        extents,
        np.zeros(len(numbers), dtype=np.int64),
    )


@dataclass(frozen=True)
class _Part:
    """One connected part in units of its own spacing, y downwards, from (0, 0) on."""

    kind: str
    positions: NDArray[np.float64]
    level: NDArray[np.int64]


def _part(graph: SwitchGraph, level: NDArray[np.int64]) -> _Part:
    """Place a part by its levels, or by its distances where it has none."""
    if (level >= 0).all():
        across, up = level_positions(graph, level)
        widest = int(np.bincount(level).max())
        return _Part("levels", np.column_stack([across * widest, up.max() - up]), level)
    positions = stress_positions(graph)
    positions = positions - positions.min(axis=0)
    return _Part("distances", positions, np.zeros(graph.switch_count, dtype=np.int64))


def _side_by_side(parts: list[_Part], graph: SwitchGraph) -> Layout:
    """Set the parts beside one another, the largest first, and scale to the page."""
    kind = parts[0].kind
    positions = np.zeros((graph.switch_count, 2))
    row_of = np.zeros(graph.switch_count, dtype=np.int64)
    left = 0.0
    for members, part in zip(graph.parts(), parts, strict=True):
        positions[members] = part.positions + np.array([left, 0.0])
        row_of[members] = part.level
        left += float(part.positions[:, 0].max()) + 1.0
    positions -= positions.min(axis=0)
    extent = np.maximum(positions.max(axis=0), 1e-9)
    room = MAX_WIDTH - 2 * MARGIN
    if kind == "levels":
        widest = max(int(np.bincount(row_of).max()) - 1, 1)
        across = float(np.clip(room / max(extent[0], 1.0), 8.0, 100.0))
        up = float(np.clip(220.0 - 20.0 * row_of.max(), 120.0, 200.0))
        scale = np.array([across, up if extent[1] > 0.5 else 0.0])
        spacing = min(across * extent[0] / widest, up)
    else:
        height = MAX_HEIGHT - 2 * MARGIN
        factor = float(min(room / extent[0], height / extent[1], 150.0))
        scale = np.array([factor, factor])
        spacing = _closest(positions * scale)
    positions = positions * scale
    size = positions.max(axis=0) + 2 * MARGIN
    return Layout(kind, positions + MARGIN, float(size[0]), float(size[1]), spacing, (), row_of)


def _closest(positions: NDArray[np.float64]) -> float:
    """Return a typical distance of a switch from its nearest neighbour on the page."""
    if len(positions) < 2:
        return MAX_WIDTH
    some = positions[:1000]
    apart = np.linalg.norm(some[:, None, :] - positions[None, :, :], axis=2)
    apart[np.arange(len(some)), np.arange(len(some))] = np.inf
    return float(np.percentile(apart.min(axis=1), 10))
