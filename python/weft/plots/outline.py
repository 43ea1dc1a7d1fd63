"""What is drawn of a fabric: every switch and cable, or groups and bundles where they are many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.plots.aggregates import aggregates
from weft.plots.layout import layout, placed
from weft.plots.layout.graph import SwitchGraph
from weft.plots.marks import Mark
from weft.plots.strokes import bundles, strokes
from weft.short_names import short_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.plots.aggregates import Aggregates
    from weft.plots.layout import Layout
    from weft.plots.strokes import Stroke

__all__ = ["MAX_MARKS", "MAX_STROKES", "Outline", "drawn_count", "outline"]

MAX_MARKS = 2_000
"""Switches are drawn one by one up to this many."""

MAX_STROKES = 5_000
"""Cables are drawn one by one, or pair by pair of switches, up to this many strokes."""


@dataclass(frozen=True)
class Outline:
    """Marks, the strokes between them, and where the marks stand."""

    page: Layout
    marks: list[Mark]
    strokes: list[Stroke]
    notes: list[str]  # what a mark and a stroke stand for, where it is several switches and cables

    @property
    def is_aggregated(self) -> bool:
        """Tell whether marks stand for groups of switches."""
        return bool(self.notes)

    @property
    def names(self) -> list[str]:
        """The whole names of the marks."""
        return [mark.name for mark in self.marks]


def outline(fabric: Fabric) -> Outline:
    """Draw a fabric switch by switch where that fits, else by groups of switches."""
    if _is_small(fabric):
        names = [str(name) for name in fabric.switch_names]
        one_each = np.arange(fabric.switch_count)
        marks = _marks(fabric, one_each, names, short_names(names))
        return Outline(layout(fabric), marks, strokes(fabric), [])
    found = aggregates(fabric)
    marks = _marks(fabric, found.group_of, found.names, found.labels)
    drawn = bundles(fabric, found.group_of)
    pairs = sorted({(s.source, s.target) for s in drawn if s.source < s.target})
    graph = SwitchGraph(
        len(marks),
        np.array(pairs, dtype=np.int64).reshape(-1, 2),
        np.array([mark.hosts for mark in marks], dtype=np.int64),
        np.arange(len(marks)),
    )
    page = placed(graph, found.extents, found.level)
    return Outline(page, marks, drawn, _notes(fabric, found, drawn))


def drawn_count(fabric: Fabric) -> int:
    """Count the strokes of a fabric's drawing; of a large one, what they are at most."""
    return len(strokes(fabric)) if _is_small(fabric) else MAX_STROKES


def _is_small(fabric: Fabric) -> bool:
    if fabric.switch_count > MAX_MARKS:
        return False
    ends = np.asarray(fabric.channel_ends(), dtype=np.int64).reshape(-1, 2)
    joining = np.asarray(fabric.is_switch_channel, dtype=bool) & (ends[:, 0] != ends[:, 1])
    pairs = np.unique(ends[joining] @ np.array([fabric.switch_count, 1]))
    return len(pairs) <= MAX_STROKES


def _marks(
    fabric: Fabric, group_of: NDArray[np.int64], names: Sequence[str], labels: Sequence[str]
) -> list[Mark]:
    """Count what belongs to each group of switches."""
    count = len(names)
    hosts = np.bincount(
        group_of[np.asarray(fabric.host_switch, dtype=np.int64)], minlength=count
    ).tolist()
    ends = np.asarray(fabric.channel_ends(), dtype=np.int64).reshape(-1, 2)
    groups = group_of[ends[np.asarray(fabric.is_switch_channel, dtype=bool)]]
    is_inside = groups[:, 0] == groups[:, 1]
    links = np.bincount(groups[~is_inside, 0], minlength=count).tolist()
    inside = (np.bincount(groups[is_inside, 0], minlength=count) // 2).tolist()
    switches = np.bincount(group_of, minlength=count).tolist()
    return [
        Mark(names[at], labels[at], switches[at], hosts[at], links[at], inside[at])
        for at in range(count)
    ]


def _notes(fabric: Fabric, found: Aggregates, drawn: list[Stroke]) -> list[str]:
    """Say what a mark and a stroke stand for."""
    sizes = found.sizes
    between = [stroke.links for stroke in drawn if stroke.source != stroke.target]
    inside = sum(stroke.links for stroke in drawn if stroke.source == stroke.target)
    cables = sum(between) // 2 + inside
    within = f"{inside:,} inside marks (rings), {cables - inside:,}" if inside else "all"
    each, bundle = _numbers(sizes.tolist()), _numbers(between)
    notes = [
        f"{fabric.switch_count:,} switches in {len(sizes):,} marks, {each} in each. {cables:,} "
        f"cables: {within} in {len(between) // 2:,} bundles of {bundle}."
    ]
    if found.kind == "levels":
        rows = [sizes[found.level == value] for value in range(int(found.level.max()), -1, -1)]
        texts = [f"{len(row):,} × {_numbers(row.tolist())}" for row in rows]
        notes.append(f"Levels of switches from the top: {'; '.join(texts)}.")
    return notes


def _numbers(counts: Sequence[int]) -> str:
    low, high = min(counts, default=0), max(counts, default=0)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
