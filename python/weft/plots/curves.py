"""Latency against accepted traffic, and accepted against offered traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import altair as alt

from weft.plots import rows as study_rows
from weft.plots.assembly import by_routing, framed
from weft.plots.theme import QUIET_COLOUR, ROUTING_COLOURS, ROUTING_SHAPES

if TYPE_CHECKING:
    from weft.plots.rows import Curves

HEIGHT = 400

MOST_TIMES_UNLOADED = 30.0
"""The latency axis ends at this multiple of the smallest latency."""

TRAFFIC_UNIT = "bytes/ns/switch"

_LEGEND = alt.Legend(symbolOpacity=1, symbolStrokeWidth=1.8)

_FILL_OF_STATE = {
    study_rows.STEADY: 1.0,
    study_rows.UNSETTLED: 0.45,
    study_rows.BEYOND: 0.0,
    study_rows.DEADLOCKED: 0.0,
}


def latency_chart(results: Curves, what: str = "routing") -> alt.LayerChart:
    """Draw mean latency from generation to delivery against accepted traffic, for all routings.

    Latency is in ns, traffic in bytes/ns/switch; bars are 95 % confidence intervals. The latency
    axis is logarithmic and ends a little above the largest steady latency: beyond saturation the
    latency grows with the length of the run, so those points are drawn hollow. Points above the
    axis stand on its upper edge. `what` tells the curves apart, as the legend calls it.
    """
    rows = _latency_rows(results)
    low, high = latency_limits(rows)
    for row in rows:
        row["shown"] = min(row["latency"], high)
        row["bar_low"] = max(row["latency"] - row["latency_half_width"], low)
        row["bar_high"] = min(row["latency"] + row["latency_half_width"], high)
        row["above"] = row["latency"] > high
    x = _traffic_x("accepted", "accepted traffic")
    y = _latency_y("mean latency from generation to delivery (ns)", low, high)
    bars = (
        alt.Chart()
        .mark_rule(strokeWidth=1.5, opacity=0.75)
        .encode(
            x=x,
            y=alt.Y("bar_low:Q"),
            y2=alt.Y2("bar_high:Q"),
            stroke=by_routing(results, alt.Stroke, ROUTING_COLOURS, what, legend=_LEGEND),
        )
        .transform_filter("datum.settled && !datum.above")
    )
    layers = [*_lines(results, x, y, what), bars, *_marks(results, rows, x, y, what)]
    return _chart(rows, layers, "Latency against accepted traffic", _latency_notes(rows))


def longest_chart(results: Curves, what: str = "routing") -> alt.LayerChart:
    """Draw the longest latency of any packet against accepted traffic, for all routings.

    Arguments and axes are those of `latency_chart`. What is longest grows with the packets
    measured, so that only points of about as many compare.
    """
    rows = _latency_rows(results)
    low, high = latency_limits([{**row, "latency": row["latency_max"]} for row in rows])
    for row in rows:
        row["shown"] = min(row["latency_max"], high)
        row["above"] = row["latency_max"] > high
    x = _traffic_x("accepted", "accepted traffic")
    y = _latency_y("longest latency from generation to delivery (ns)", low, high)
    layers = [*_lines(results, x, y, what), *_marks(results, rows, x, y, what)]
    return _chart(rows, layers, "Longest latency against accepted traffic", _latency_notes(rows))


def _latency_rows(results: Curves) -> list[dict[str, Any]]:
    return [row for row in study_rows.point_rows(results) if row["latency"] is not None]


def _latency_y(title: str, low: float, high: float) -> alt.Y:
    return alt.Y(
        "shown:Q",
        title=title,
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=_ticks(low, high), format=",~r"),
    )


def _latency_notes(rows: list[dict[str, Any]]) -> list[str]:
    notes = [_states_in_words(rows)]
    if any(row["above"] for row in rows):
        notes.append("Marks on the upper edge lie above the axis: there, queues keep growing.")
    return notes


def accepted_chart(results: Curves) -> alt.LayerChart:
    """Draw accepted against offered traffic for all routings, both in bytes/ns/switch.

    The dotted diagonal is where everything offered is accepted.
    """
    rows = study_rows.point_rows(results)
    x = _traffic_x("offered", "offered traffic")
    y = alt.Y(
        "accepted:Q",
        title=f"accepted traffic ({TRAFFIC_UNIT})",
        axis=alt.Axis(format=".3~g"),
        scale=alt.Scale(zero=True, nice=True),
    )
    largest = max((row["offered"] for row in rows), default=1.0)
    reach = max((row["accepted"] for row in rows), default=1.0)
    end = min(largest, 1.05 * reach)
    ends = [{"offered": value, "accepted": value} for value in (0.0, end)]
    diagonal = (
        alt.Chart(alt.InlineData(values=ends))
        .mark_line(strokeDash=[2, 4], strokeWidth=1.5, color=QUIET_COLOUR)
        .encode(x=x, y=y)
    )
    layers = [*_lines(results, x, y, "routing"), *_marks(results, rows, x, y, "routing")]
    return _chart(
        rows,
        layers,
        "Accepted against offered traffic",
        ["Dotted: everything offered is accepted. A curve leaves it where its routing saturates."],
        below=diagonal,
    )


def _states_in_words(rows: list[dict[str, Any]]) -> str:
    """Say how the states that occur are drawn."""
    words = {
        study_rows.STEADY: "Filled: steady, bar = 95 % confidence interval.",
        study_rows.UNSETTLED: "Pale: budget spent, interval still wide.",
        study_rows.BEYOND: "Hollow, dashed: beyond saturation.",
        study_rows.DEADLOCKED: "✕: deadlocked.",
    }
    present = {row["state"] for row in rows}
    return " ".join(words[state] for state in study_rows.STATES if state in present)


def latency_limits(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Choose the ends of the logarithmic latency axis, in ns.

    Just below saturation the latency of a steady point, too, is hundreds of times that of an empty
    network; the axis ends earlier, so that it does not flatten the rest.
    """
    settled = [row for row in rows if row["state"] in (study_rows.STEADY, study_rows.UNSETTLED)]
    considered = settled or rows
    if not considered:
        return 1_000.0, 10_000.0
    smallest = min(row["latency"] for row in rows)
    largest = max(row["latency"] + row["latency_half_width"] for row in considered)
    low = 0.8 * smallest
    return low, min(max(1.3 * largest, 4.0 * smallest), MOST_TIMES_UNLOADED * smallest)


def _ticks(low: float, high: float) -> list[float]:
    """Return 1, 2, 5, 10, … within the axis, or only powers of ten when it is long."""
    steps = (1, 2, 5) if high / low < 1_000 else (1,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps]
    return [tick for tick in ticks if low <= tick <= high]


def _traffic_x(field: str, name: str) -> alt.X:
    return alt.X(
        f"{field}:Q",
        title=f"{name} ({TRAFFIC_UNIT})",
        axis=alt.Axis(format=".3~g", tickCount=8),
        scale=alt.Scale(zero=True, nice=True),
    )


def _lines(results: Curves, x: alt.X, y: alt.Y, what: str) -> list[alt.Chart]:
    """Join the settled points by a line, and go on from the last of them dashed."""
    colour = by_routing(results, alt.Stroke, ROUTING_COLOURS, what, legend=_LEGEND)
    settled = (
        alt.Chart()
        .mark_line(strokeWidth=2, opacity=0.9)
        .encode(x=x, y=y, stroke=colour, order=alt.Order("load:Q"))
        .transform_filter("datum.joined")
    )
    beyond = (
        alt.Chart()
        .mark_line(strokeWidth=1.4, strokeDash=[4, 4], opacity=0.65)
        .encode(x=x, y=y, stroke=colour, order=alt.Order("load:Q"))
        .transform_filter("datum.tail")
    )
    return [beyond, settled]


def _marks(
    results: Curves, rows: list[dict[str, Any]], x: alt.X, y: alt.Y, what: str
) -> list[alt.Chart]:
    """Draw the points: white beneath, so that hollow ones hide the line, and the mark above."""
    present = [state for state in study_rows.STATES if any(row["state"] == state for row in rows)]
    shape = by_routing(results, alt.Shape, ROUTING_SHAPES, what, legend=_LEGEND)
    fill_opacity = alt.FillOpacity(
        "state:N",
        title="point",
        sort=present,
        scale=alt.Scale(
            type="ordinal",  # the default for opacities spreads the ends of the range evenly
            domain=present,
            range=[_FILL_OF_STATE[state] for state in present],
        ),
        legend=None,
    )
    tooltip = [
        alt.Tooltip("routing:N", title=what),
        alt.Tooltip("load:Q", title="load (of the host link rate)", format=".4~%"),
        alt.Tooltip("offered:Q", title=f"offered ({TRAFFIC_UNIT})", format=".4~g"),
        alt.Tooltip("accepted:Q", title=f"accepted ({TRAFFIC_UNIT})", format=".4~g"),
        alt.Tooltip("accepted_half_width:Q", title="  95 % ±", format=".2~g"),
        alt.Tooltip("latency:Q", title="mean latency (ns)", format=",.0f"),
        alt.Tooltip("latency_half_width:Q", title="  95 % ± (ns)", format=",.0f"),
        alt.Tooltip("latency_p99:Q", title="99th percentile (ns)", format=",.0f"),
        alt.Tooltip("latency_max:Q", title="longest latency (ns)", format=",.0f"),
        alt.Tooltip("network_latency:Q", title="mean network latency (ns)", format=",.0f"),
        alt.Tooltip("packets:Q", title="packets measured", format=","),
        alt.Tooltip("seeds:Q", title="seeds"),
        alt.Tooltip("reason:N", title="ended"),
    ]
    size = alt.condition("datum.above", alt.value(28), alt.value(70))
    white = (
        alt.Chart()
        .mark_point(filled=True, fill="#ffffff", opacity=1)
        .encode(x=x, y=y, shape=shape, size=size)
    )
    marks = (
        alt.Chart()
        .mark_point(strokeWidth=1.8, opacity=1)
        .encode(
            x=x,
            y=y,
            size=size,
            shape=shape,
            stroke=by_routing(results, alt.Stroke, ROUTING_COLOURS, what, legend=_LEGEND),
            fill=by_routing(results, alt.Fill, ROUTING_COLOURS, what, legend=_LEGEND),
            fillOpacity=fill_opacity,
            tooltip=tooltip,
        )
    )
    deadlocks = (
        alt.Chart()
        .mark_text(text="✕", dy=1, fontSize=15, fontWeight="bold")
        .encode(x=x, y=y)
        .transform_filter("datum.state == 'deadlocked'")
    )
    is_stuck = any(row["state"] == study_rows.DEADLOCKED for row in rows)
    return [white, marks, deadlocks] if is_stuck else [white, marks]


def _chart(
    rows: list[dict[str, Any]],
    layers: list[alt.Chart],
    title: str,
    subtitle: list[str],
    *,
    below: alt.Chart | None = None,
) -> alt.LayerChart:
    """Lay the layers over one another on the common rows."""
    _mark_tails(rows)
    visible = alt.layer(*([] if below is None else [below]), *layers).transform_filter(
        "indexof(hidden_routings, datum.routing) < 0"
    )
    return framed(visible, rows, title, subtitle, HEIGHT, hidden_routings=[])


def _mark_tails(rows: list[dict[str, Any]]) -> None:
    """Say which points the solid line joins, and which the dashed line beyond it.

    Both end where a curve leaves the axis: what follows would run along the edge.
    """
    by_routing: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_routing.setdefault(row["routing"], []).append(row)
    for own in by_routing.values():
        leaves = [index for index, row in enumerate(own) if row.get("above")]
        end = leaves[0] if leaves else len(own)
        for index, row in enumerate(own):
            row["settled"] = row["state"] in (study_rows.STEADY, study_rows.UNSETTLED)
            row["joined"] = row["settled"] and index <= end
        last = max((index for index, row in enumerate(own) if row["joined"]), default=0)
        for index, row in enumerate(own):
            row["tail"] = last <= index <= end
