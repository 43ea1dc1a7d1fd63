"""What the NICs held in transit, in time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from weft.plots import loads as study_loads
from weft.plots.assembly import look_of, named_axes, numbers, titles_at
from weft.plots.chart import Chart, tag
from weft.plots.theme import PT, QUIET_COLOUR

if TYPE_CHECKING:
    from weft.plots.chart import Sheet
    from weft.results import PoolSeries, Results

HEIGHT = 300

MOST_STEPS = 400
"""More intervals than this are drawn several together."""

_MEAN = "mean over the NICs"
_MOST = "fullest NIC"
_STYLES: dict[str, Any] = {
    _MEAN: "solid",
    _MOST: (0.0, (4 * PT, 3 * PT)),
}


def has_series(results: Results) -> bool:
    """Return whether a study followed its in-transit pools in time."""
    return results.spec.pool_interval_ns is not None


def pools_chart(results: Results, load: float | None = None) -> Chart:
    """Draw the bytes that NICs hold in transit, in time: mean over the NICs, and the fullest.

    Time is in microseconds from the begin of the window. The chart is empty where the study has no
    ``pool_interval_ns``; the load is as in `utilization_chart`.
    """
    loads = study_loads.drawing_loads(results, load)
    rows = pool_rows(results, loads[0]) if loads else []

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        for look in look_of(results):
            sheet.keys.append(look.key())
            for of, style in _STYLES.items():
                own = [row for row in rows if (row["routing"], row["of"]) == (look.label, of)]
                axes.plot(
                    [row["time_us"] for row in own], [row["bytes"] for row in own],
                    color=look.colour, linewidth=1.6 * PT, linestyle=style,
                    gid=tag(routing=look.place, tip=[f"routing: {look.label}", f"held: {of}"]),
                )  # fmt: skip
        for of, style in _STYLES.items():
            key = Line2D([], [], color=QUIET_COLOUR, linewidth=1.6 * PT, linestyle=style, label=of)
            sheet.keys.append(key)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        numbers(axes.xaxis, is_printed=sheet.is_printed)
        numbers(axes.yaxis, is_printed=sheet.is_printed)
        named_axes(axes, "time in the window (µs)", "held in transit by a NIC (bytes)")

    return Chart(
        "pools",
        titles_at("Bytes in transit held by the NICs, in time", loads),
        ["Solid: mean over time and NICs. Dashed: the most that any NIC held."],
        rows,
        draw,
        HEIGHT,
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
