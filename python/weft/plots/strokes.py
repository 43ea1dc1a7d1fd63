"""Strokes of a fabric drawing: which channels are drawn together, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.plots.layout import Layout

Vector = NDArray[np.float64]

MAX_SEPARATE_LINKS = 400
"""From more switch-to-switch links than this, the parallel links of a pair share one stroke."""

MAX_STROKES = 5_000
"""A drawing shows no more strokes than this: the busiest."""

ARC_PIECES = 10
"""Straight pieces of a stroke that has to pass around other switches."""


@dataclass(frozen=True)
class Stroke:
    """The channels from one switch to another that one stroke stands for."""

    source: int
    target: int
    channels: tuple[int, ...]  # several when parallel links share the stroke
    lane: int  # place beside the other strokes of the pair in this direction, from 0


def strokes(fabric: Fabric) -> list[Stroke]:
    """Decide which channels are drawn together, by source, target and lane.

    Cables from a switch to itself are left out.
    """
    ends = np.asarray(fabric.channel_ends(), dtype=np.int64).reshape(-1, 2)
    drawn = np.asarray(fabric.is_switch_channel, dtype=bool) & (ends[:, 0] != ends[:, 1])
    together: dict[tuple[int, int], list[int]] = {}
    for channel in np.flatnonzero(drawn).tolist():
        pair = (int(ends[channel, 0]), int(ends[channel, 1]))
        together.setdefault(pair, []).append(channel)
    share = int(drawn.sum()) > 2 * MAX_SEPARATE_LINKS
    found: list[Stroke] = []
    for (source, target), channels in sorted(together.items()):
        groups = [channels] if share else [[channel] for channel in channels]
        for lane, group in enumerate(groups):
            found.append(Stroke(source, target, tuple(group), lane))
    return found


@dataclass(frozen=True)
class Piece:
    """One straight piece of a stroke, in CSS pixels, y downwards."""

    stroke: int
    x: float
    y: float
    x2: float
    y2: float


def pieces(drawn: list[Stroke], page: Layout, gap: float, clearance: float) -> list[Piece]:
    """Trace the strokes on the page, `gap` pixels apart and `clearance` pixels from a switch.

    Traffic keeps right: the stroke of a channel lies to the right of its direction, so the two
    directions of a link never cover one another. On a grid, a channel that wraps around is cut into
    two stubs that point out of the drawing, and one that leaps over switches bows around them.
    Pieces refer to strokes by their place in `drawn`.
    """
    traced: list[Piece] = []
    for number, stroke in enumerate(drawn):
        start, end = page.positions[stroke.source], page.positions[stroke.target]
        offset = (stroke.lane + 0.5) * gap
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


def stroke_gap(drawn: list[Stroke], page: Layout) -> float:
    """Choose the distance between neighbouring strokes, in CSS pixels.

    They cover at most about a third of the drawing, unless that would make them too thin to see.
    """
    if not drawn:
        return 6.0
    ends = np.array([(stroke.source, stroke.target) for stroke in drawn])
    lengths = np.linalg.norm(page.positions[ends[:, 0]] - page.positions[ends[:, 1]], axis=1)
    if page.kind == "grid":
        lengths = np.minimum(lengths, 2.0 * page.spacing)  # what wraps around is drawn as stubs
    room = 0.35 * page.width * page.height / max(float(lengths.sum()), 1.0)
    return float(np.clip(min(room, page.spacing / 9.0), 1.7, 6.0))


def busiest(drawn: list[Stroke], utilization: NDArray[np.float64]) -> list[Stroke]:
    """Keep the `MAX_STROKES` busiest strokes by the utilization of channels, in the order given."""
    if len(drawn) <= MAX_STROKES:
        return drawn
    peak = np.array([utilization[list(stroke.channels)].max() for stroke in drawn])
    kept = np.sort(np.argsort(-peak, kind="stable")[:MAX_STROKES])
    return [drawn[number] for number in kept.tolist()]


def drawn_count(fabric: Fabric) -> int:
    """Count the strokes of a fabric's drawing."""
    return min(len(strokes(fabric)), MAX_STROKES)
