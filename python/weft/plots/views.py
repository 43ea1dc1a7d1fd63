"""Figures of the channels for several routings and loads, for one drawing to choose from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.plots import loads as study_loads
from weft.plots import rows as study_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.plots.strokes import Stroke
    from weft.results import Results


@dataclass(frozen=True)
class Views:
    """Which figures a drawing holds: every routing at every load."""

    labels: list[str]
    loads: list[float]  # offered, fractions of the host link rate

    @property
    def count(self) -> int:
        """Number of views; view ``r * len(loads) + l`` is routing r at load l."""
        return len(self.labels) * len(self.loads)

    def points(self, results: Results) -> list[tuple[str, float, study_rows.LoadPoint | None]]:
        """Return routing, load and point of every view; None where none is near the load."""
        by_label = {entry.label: entry for entry in study_rows.simulated(results)}
        return [
            (label, load, study_loads.point_near(by_label[label], load))
            for label, load in product(self.labels, self.loads)
        ]

    def texts(self, results: Results) -> list[str]:
        """Name every view for the heading of a drawing."""
        return [
            f"{label} has no point near {study_loads.load_text(load)} offered load"
            if at is None
            else f"{label} at {study_loads.load_text(at.load)} offered load"
            for label, load, at in self.points(results)
        ]


def stroke_rows(
    results: Results, drawn: list[Stroke], views: Views, names: Sequence[str]
) -> list[dict[str, Any]]:
    """Return one row per stroke with its figures in every view.

    Members: ``s`` (number of the stroke), ``name``, ``links``, ``utilization`` and ``blocked``
    (percent with one decimal, one per view; None where there is no point).  A stroke of several
    channels shows the busiest of them; ``mean`` is their mean utilization. `names` are those of
    the marks that strokes join.
    """
    columns = [
        None if at is None else results.channel_figures(label, at.load)
        for label, _, at in views.points(results)
    ]
    utilization = _Shares([None if found is None else found.utilization for found in columns])
    blocked = _Shares([None if found is None else found.blocked for found in columns])
    rows = []
    for number, stroke in enumerate(drawn):
        own = np.array(stroke.channels, dtype=np.int64)
        rows.append(
            {
                "s": number,
                "name": stroke_name(results.fabric, stroke, names),
                "links": stroke.links,
                "utilization": utilization.percent(own, np.max),
                "mean": utilization.percent(own, np.mean),
                "blocked": blocked.percent(own, np.max),
            }
        )
    return rows


class _Shares:
    """Shares of time of all channels in every view, some of which have none."""

    def __init__(self, of_views: Sequence[NDArray[np.float32] | None]) -> None:
        self._has = [found is not None for found in of_views]
        self._known = np.array([found for found in of_views if found is not None])

    def percent(
        self, channels: NDArray[np.int64], of_all: Callable[..., NDArray[np.float32]]
    ) -> list[float | None]:
        """Return what some channels have in each view as percent with one decimal."""
        if not len(self._known):
            return [None] * len(self._has)
        known = iter(of_all(self._known[:, channels], axis=1).tolist())
        return [round(100.0 * next(known), 1) if has else None for has in self._has]


def stroke_name(fabric: Fabric, stroke: Stroke, names: Sequence[str]) -> str:
    """Name a stroke by its channel where it is one alone, else by the marks that it joins."""
    if stroke.source == stroke.target:
        return f"inside {names[stroke.source]}"
    if len(stroke.channels) == 1:
        return fabric.describe_channel(stroke.channels[0])
    return f"{names[stroke.source]} → {names[stroke.target]}"


def scale_end(rows: list[dict[str, Any]], views: Views, load_index: int) -> float:
    """Return the upper end of the colour scale at a load, common to all routings.

    It is in percent, rounded up to a whole step and at most 100.
    """
    values = [
        row["utilization"][routing * len(views.loads) + load_index]
        for row in rows
        for routing in range(len(views.labels))
    ]
    largest = max((value for value in values if value is not None), default=0.0)
    step = 10.0 if largest > 20.0 else 2.0
    return float(min(max(step, step * math.ceil(largest / step)), 100.0))
