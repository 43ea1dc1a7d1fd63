"""What the NICs held in transit, in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from weft.plots import loads as study_loads
from weft.plots.assembly import by_routing, framed, title_at

if TYPE_CHECKING:
    from weft.results import PoolSeries, Results

HEIGHT = 300

MOST_STEPS = 400
"""More intervals than this are drawn several together."""

_MEAN = "mean over the NICs"
_MOST = "fullest NIC"


def has_series(results: Results) -> bool:
    """Return whether a study followed its in-transit pools in time."""
    return results.spec.pool_interval_ns is not None


def pools_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the bytes that NICs hold in transit, in time: mean over the NICs, and the fullest.

    Time is in microseconds from the begin of the window. The chart is empty where the study has no
    ``pool_interval_ns``; the load is as in `utilization_chart`.
    """
    loads = study_loads.drawing_loads(results, load)
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=1.6)
        .transform_filter("indexof(hidden_routings, datum.routing) < 0")
        .encode(
            x=alt.X(
                "time_us:Q",
                title="time in the window (µs)",
                axis=alt.Axis(format=",~r", tickCount=8),
            ),
            y=alt.Y(
                "bytes:Q",
                title="held in transit by a NIC (bytes)",
                axis=alt.Axis(format=",~r"),
                scale=alt.Scale(zero=True, nice=True),
            ),
            color=by_routing(results, alt.Color),
            strokeDash=alt.StrokeDash(
                "of:N",
                title="held",
                sort=[_MEAN, _MOST],
                scale=alt.Scale(domain=[_MEAN, _MOST], range=[[1, 0], [4, 3]]),
            ),
            tooltip=[
                alt.Tooltip("routing:N", title="routing"),
                alt.Tooltip("of:N", title="held"),
                alt.Tooltip("time_us:Q", title="time (µs)", format=",.4~g"),
                alt.Tooltip("bytes:Q", title="bytes", format=",.4~g"),
            ],
        )
    )
    return framed(
        alt.layer(lines),
        pool_rows(results, loads[0]) if loads else [],
        title_at("Bytes in transit held by the NICs, in time", loads, 0),
        "Solid: mean over time and NICs. Dashed: the most that any NIC held.",
        HEIGHT,
        hidden_routings=[],
    )


def pool_rows(results: Results, load: float) -> list[dict[str, Any]]:
    """Return mean and largest occupancy of the pools of every simulated routing in time.

    Members: ``routing``, ``of`` (mean or fullest), ``time_us`` (middle of the interval), ``bytes``.
    Of more than `MOST_STEPS` intervals several are drawn as one.
    """
    rows: list[dict[str, Any]] = []
    for routing, at in study_loads.shown_at(results, load):
        series = results.pool_series(routing.label, at.load)
        times, mean, most = pool_steps(series)
        for of, values in ((_MEAN, mean), (_MOST, most)):
            rows += [
                {"routing": routing.label, "of": of, "time_us": time, "bytes": value}
                for time, value in zip(times, values, strict=True)
            ]
    return rows


def pool_steps(series: PoolSeries) -> tuple[list[float], list[float], list[float]]:
    """Sum a series up over the NICs, and over intervals where there are too many to draw.

    Given back are the middle of each step in microseconds, mean bytes of a NIC and bytes of the
    fullest. Intervals after the last whole step are left out.
    """
    intervals = len(series.mean_bytes)
    if not intervals:
        return [], [], []
    together = -(-intervals // MOST_STEPS)
    steps = intervals // together
    whole = steps * together
    mean = series.mean_bytes[:whole].astype(np.float64).mean(axis=1).reshape(steps, together)
    most = series.max_bytes[:whole].max(axis=1, initial=0).reshape(steps, together)
    middles = (np.arange(steps) + 0.5) * together * series.interval_ns / 1e3
    return middles.tolist(), mean.mean(axis=1).tolist(), most.max(axis=1).astype(float).tolist()
