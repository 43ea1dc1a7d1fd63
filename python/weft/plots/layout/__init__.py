"""Where the switches of a fabric stand on the page.

A grid is drawn as its grid, groups of switches on a ring of them, a tree-like fabric in rows with
the switches of the hosts at the bottom, anything else by its distances.  The same fabric always
gets the same drawing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft import _core
from weft.fabric import fabric_levels
from weft.plots.layout.graph import SwitchGraph
from weft.plots.layout.groups import groups_of_all_joined, on_two_rings, ring_of_clusters
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


#: Switches of which so large a share of the pairs is joined stand on a ring, from so many on.
_DENSE, _FEW = 0.6, 8


@dataclass(frozen=True)
class Layout:
    """Positions of the switches on the page, y downwards; lengths in CSS pixels."""

    kind: str  # ``grid``, ``groups``, ``levels`` or ``distances``
    positions: NDArray[np.float64]  # centres, shape (n_switches, 2)
    width: float
    height: float
    spacing: float  # distance between the closest two switches
    extents: tuple[int, ...]  # of a grid, columns and rows first; empty otherwise
    row_of: NDArray[np.int64]  # level of every switch in a drawing by levels; zeros otherwise


def layout(fabric: Fabric) -> Layout:
    """Place the switches of any fabric, also of one in several parts."""
    extents = tuple(int(extent) for extent in fabric.layout_extents or ())
    graph = SwitchGraph.of(fabric)
    if not extents and (grouped := _grouped(fabric, graph)) is not None:
        return _side_by_side([grouped], graph)
    return placed(graph, extents, fabric_levels(fabric))


def placed(graph: SwitchGraph, extents: tuple[int, ...], level: NDArray[np.int64]) -> Layout:
    """Place switches, or groups of them, by the extents of a grid or by levels, -1 for none."""
    if extents and int(np.prod(extents)) == graph.switch_count:
        return _grid(extents)
    parts = [_part(graph.restricted(members), level[members]) for members in graph.parts()]
    return _side_by_side(parts, graph)


def _grid(extents: tuple[int, ...]) -> Layout:
    """Place a grid, the first extent across; further dimensions as planes beside one another.

    Planes that would be too small beside one another stand in several rows.
    """
    columns, rows = extents[0], extents[1] if len(extents) > 1 else 1
    plane_size = columns * rows
    numbers = np.arange(int(np.prod(extents)))
    plane = numbers // plane_size
    planes = int(plane[-1]) + 1

    def room(beside: int) -> float:
        across, down = beside * (columns + 1) - 1, -(-planes // beside) * (rows + 1) - 1
        return min(
            (MAX_WIDTH - 2 * MARGIN) / max(across - 1, 1),
            (MAX_HEIGHT - 2 * MARGIN) / max(down - 1, 1),
        )

    beside = max(range(planes, 0, -1), key=lambda count: min(room(count), 40.0))
    column = numbers % columns + plane % beside * (columns + 1)
    row = numbers % plane_size // columns + plane // beside * (rows + 1)
    across, down = int(column.max()) + 1, int(row.max()) + 1
    cell = float(np.clip(room(beside), 24.0, 110.0))
    positions = np.column_stack([MARGIN + cell * column, MARGIN + cell * row]).astype(np.float64)
    return Layout(
        "grid",
        positions,
        2 * MARGIN + cell * (across - 1),
        2 * MARGIN + cell * (down - 1),
        cell,
        extents,
        np.zeros(len(numbers), dtype=np.int64),
    )


def _grouped(fabric: Fabric, graph: SwitchGraph) -> _Part | None:
    """Place switches by the groups of a dragonfly, a dragonfly+ or a PolarFly if all are of one."""
    found = _core.fabric_structure(fabric)
    groups = found["groups"] if found else []
    if found is None or sum(map(len, groups)) != fabric.switch_count:
        cliques = groups_of_all_joined(graph)
        if cliques is None:
            return None
        positions = ring_of_clusters(cliques, have_centres=False)
    elif found["kind"] == "dragonfly_plus":
        positions = on_two_rings(groups, found["spines"])
    else:
        positions = ring_of_clusters(groups, have_centres=True)
    level = np.zeros(fabric.switch_count, dtype=np.int64)
    return _Part("groups", positions - positions.min(axis=0), level)


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
    positions = _ring(graph) if _is_dense(graph) else stress_positions(graph)
    positions = positions - positions.min(axis=0)
    return _Part("distances", positions, np.zeros(graph.switch_count, dtype=np.int64))


def _is_dense(graph: SwitchGraph) -> bool:
    """Tell whether most switches are joined, so that distances say nothing."""
    count = graph.switch_count
    return count > _FEW and len(graph.pairs) > _DENSE * count * (count - 1) / 2


def _ring(graph: SwitchGraph) -> NDArray[np.float64]:
    """Place switches around a ring by name, clockwise from the top, neighbours 1 apart."""
    count = graph.switch_count
    angle = 2.0 * np.pi * np.argsort(np.argsort(graph.order, kind="stable")) / count
    radius = 0.5 / float(np.sin(np.pi / count))
    around: NDArray[np.float64] = radius * np.column_stack([np.sin(angle), -np.cos(angle)])
    return around


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
