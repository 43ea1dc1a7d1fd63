"""Strokes of a fabric drawing: which channels are drawn together, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.fabric import Fabric
    from weft.plots.layout import Layout

Vector = NDArray[np.float64]

MAX_SEPARATE_LINKS = 400
"""From more switch-to-switch links than this, the parallel links of a pair share one stroke."""

RING_PIECES = 24
"""Straight pieces of the ring around a mark."""

ARC_PIECES = 10
"""Straight pieces of a stroke that has to pass around other switches."""


@dataclass(frozen=True)
class Stroke:
    """The channels that one stroke stands for: from one mark to another, or inside one."""

    source: int
    target: int  # the source itself for the channels inside a mark, in both directions
    channels: tuple[int, ...]
    lane: int  # place beside the other strokes of the pair in this direction, from 0

    @property
    def links(self) -> int:
        """Count the links: inside a mark, two channels are one."""
        count = len(self.channels)
        return count // 2 if self.source == self.target else count


def strokes(fabric: Fabric) -> list[Stroke]:
    """Decide which channels are drawn together, by source, target and lane.

    Cables from a switch to itself are left out.
    """
    pairs = list(_together(fabric, np.arange(fabric.switch_count)))
    pairs = [(source, target, own) for source, target, own in pairs if source != target]
    if sum(len(own) for _, _, own in pairs) > 2 * MAX_SEPARATE_LINKS:
        return [Stroke(source, target, tuple(own), 0) for source, target, own in pairs]
    return [
        Stroke(source, target, (channel,), lane)
        for source, target, own in pairs
        for lane, channel in enumerate(own)
    ]


def bundles(fabric: Fabric, group_of: NDArray[np.int64]) -> list[Stroke]:
    """Put all channels from one group of switches to another together, and all inside a group."""
    return [
        Stroke(source, target, tuple(own), 0) for source, target, own in _together(fabric, group_of)
    ]


def _together(fabric: Fabric, group_of: NDArray[np.int64]) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the channels between switches by the groups that they lead from and to, ascending."""
    ends = np.asarray(fabric.channel_ends(), dtype=np.int64).reshape(-1, 2)
    between = np.flatnonzero(np.asarray(fabric.is_switch_channel, dtype=bool))
    groups = group_of[ends[between]]
    order = np.lexsort((between, groups[:, 1], groups[:, 0]))
    between, groups = between[order], groups[order]
    starts = np.flatnonzero((np.diff(groups, axis=0, prepend=-1) != 0).any(axis=1))
    for own, first in zip(np.split(between, starts[1:]), starts.tolist(), strict=False):
        yield int(groups[first, 0]), int(groups[first, 1]), own.tolist()


@dataclass(frozen=True)
class Piece:
    """One straight piece of a stroke, in CSS pixels, y downwards."""

    stroke: int
    x: float
    y: float
    x2: float
    y2: float


def pieces(
    drawn: list[Stroke], page: Layout, gap: float, clearance: float, ring: float = 0.0
) -> list[Piece]:
    """Trace the strokes on the page, `gap` pixels apart and `clearance` pixels from a switch.

    What is inside a mark is a ring around it, `ring` pixels wide.

    Traffic keeps right: the stroke of a channel lies to the right of its direction, so the two
    directions of a link never cover one another. On a grid, a channel that wraps around is cut into
    two stubs that point out of the drawing, and one that leaps over switches bows around them.
    Pieces refer to strokes by their place in `drawn`.
    """
    traced: list[Piece] = []
    for number, stroke in enumerate(drawn):
        start, end = page.positions[stroke.source], page.positions[stroke.target]
        offset = (stroke.lane + 0.5) * gap
        if stroke.source == stroke.target:
            traced += _ring(number, start, clearance - 0.5 * ring - 1.0)
            continue
        if page.kind == "grid" and _plane(page, stroke.source) != _plane(page, stroke.target):
            traced += _plane_stubs(number, stroke, page, offset, clearance)
            continue
        if page.kind == "grid":
            leap, wraps = _grid_leap(page, stroke)
            if wraps:
                beside = offset + 2.0 * gap * (leap - 1)
                traced += _wrap_stubs(number, stroke, page, beside, clearance)
                continue
            if leap > 1:
                traced += _arc(number, start, end, offset + 0.16 * page.spacing * leap, clearance)
                continue
        elif page.kind == "levels" and page.row_of[stroke.source] == page.row_of[stroke.target]:
            bow = offset + 0.12 * float(np.linalg.norm(end - start)) + 8.0
            traced += _arc(number, start, end, bow, clearance)
            continue
        traced.append(_straight(number, start, end, offset, clearance))
    return traced


def _grid_leap(page: Layout, stroke: Stroke) -> tuple[int, bool]:
    """Count the columns or rows a channel leads on a grid, and tell whether it wraps around.

    The layout knows neither whether the grid is closed nor how long its express channels are: a
    channel that spans more than half of an extent goes the shorter way round.
    """
    step = (page.positions[stroke.target] - page.positions[stroke.source]) / page.spacing
    columns, rows = abs(round(float(step[0]))), abs(round(float(step[1])))
    extent = page.extents[0] if columns else (page.extents[1] if len(page.extents) > 1 else 1)
    span = max(columns, rows)
    wraps = span > 1 and 2 * span > extent
    return (extent - span if wraps else span), wraps


def _plane(page: Layout, mark: int) -> int:
    return mark // int(np.prod(page.extents[:2]))


def _plane_stubs(
    number: int, stroke: Stroke, page: Layout, offset: float, clearance: float
) -> list[Piece]:
    """Trace a channel to another plane: aslant out of its mark, and into the other one."""
    up = np.array([1.0, -1.0]) if stroke.target > stroke.source else np.array([-1.0, 1.0])
    along, right = _directions(np.zeros(2), up)
    near, far = clearance * along, (clearance + 0.3 * page.spacing) * along
    start, end = page.positions[stroke.source], page.positions[stroke.target]
    aside = offset * right
    return [
        _piece(number, start + near + aside, start + far + aside),
        _piece(number, end - far + aside, end - near + aside),
    ]


def _ring(number: int, centre: Vector, radius: float) -> list[Piece]:
    """Trace the channels inside a mark: around it."""
    angles = np.linspace(0.0, 2.0 * np.pi, RING_PIECES + 1)
    path = centre + radius * np.column_stack([np.cos(angles), np.sin(angles)])
    return [_piece(number, path[index], path[index + 1]) for index in range(RING_PIECES)]


def _straight(number: int, start: Vector, end: Vector, offset: float, clearance: float) -> Piece:
    """Trace a straight stroke beside the line between two switches."""
    along, right = _directions(start, end)
    length = float(np.linalg.norm(end - start))
    cut = min(clearance, 0.3 * length)
    tail = start + cut * along + offset * right
    tip = end - cut * along + offset * right
    return _piece(number, tail, tip)


def _wrap_stubs(
    number: int, stroke: Stroke, page: Layout, offset: float, clearance: float
) -> list[Piece]:
    """Trace a channel that wraps around: out of the drawing here, into it on the other side."""
    start, end = page.positions[stroke.source], page.positions[stroke.target]
    along, right = _directions(end, start)
    reach = clearance + 0.34 * page.spacing
    out = _piece(
        number, start + clearance * along + offset * right, start + reach * along + offset * right
    )
    back = _piece(
        number, end - reach * along + offset * right, end - clearance * along + offset * right
    )
    return [out, back]


def _arc(number: int, start: Vector, end: Vector, height: float, clearance: float) -> list[Piece]:
    """Trace a stroke that bows to the right of its direction."""
    along, right = _directions(start, end)
    length = float(np.linalg.norm(end - start))
    first = min(clearance / max(length, 1e-9), 0.3)
    places = np.linspace(first, 1.0 - first, ARC_PIECES + 1)
    heights = height * 4.0 * places * (1.0 - places)
    path = start + np.outer(places * length, along) + np.outer(heights, right)
    return [_piece(number, path[index], path[index + 1]) for index in range(ARC_PIECES)]


def _directions(start: Vector, end: Vector) -> tuple[Vector, Vector]:
    """Return the unit vectors along a direction and to the right of it, y downwards."""
    apart = end - start
    along = apart / max(float(np.linalg.norm(apart)), 1e-9)
    return along, np.array([-along[1], along[0]])


def _piece(number: int, tail: Vector, tip: Vector) -> Piece:
    return Piece(
        number,
        round(float(tail[0]), 1),
        round(float(tail[1]), 1),
        round(float(tip[0]), 1),
        round(float(tip[1]), 1),
    )


def stroke_gap(drawn: list[Stroke], page: Layout, least: float = 0.6) -> float:
    """Choose the distance between neighbouring strokes, in CSS pixels, no smaller than the least.

    They cover at most about a third of the drawing, unless that would make them too thin to see.
    """
    if not drawn:
        return 6.0
    ends = np.array([(stroke.source, stroke.target) for stroke in drawn])
    lengths = np.linalg.norm(page.positions[ends[:, 0]] - page.positions[ends[:, 1]], axis=1)
    if page.kind == "grid":
        lengths = np.minimum(lengths, 2.0 * page.spacing)  # what wraps around is drawn as stubs
    room = 0.35 * page.width * page.height / max(float(lengths.sum()), 1.0)
    return float(np.clip(min(room, page.spacing / 9.0), least, 6.0))
