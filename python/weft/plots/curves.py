"""Latency against accepted traffic, and accepted against offered traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from weft.plots import rows as study_rows
from weft.plots.assembly import by_routing, framed, quantity_told, word_told
from weft.plots.theme import QUIET_COLOUR, ROUTING_COLOURS, ROUTING_SHAPES

if TYPE_CHECKING:
    from weft.plots.rows import Curves
    from weft.plots.theme import Spec

HEIGHT = 400

MOST_TIMES_UNLOADED = 30.0
"""The latency axis ends at this multiple of the smallest latency."""

TRAFFIC_UNIT = "bytes/ns/switch"

_LEGEND: Spec = {"symbolOpacity": 1, "symbolStrokeWidth": 1.8}

#: Name of the data of the line on which everything is accepted.
_DIAGONAL = "diagonal"

_FILL_OF_STATE = {
    study_rows.STEADY: 1.0,
    study_rows.UNSETTLED: 0.45,
    study_rows.BEYOND: 0.0,
    study_rows.DEADLOCKED: 0.0,
}


def latency(results: Curves, what: str = "routing") -> Spec:
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
    bars: Spec = {
        "mark": {"type": "rule", "strokeWidth": 1.5, "opacity": 0.75},
        "transform": [{"filter": "datum.settled && !datum.above"}],
        "encoding": {
            "x": x,
            "y": {"field": "bar_low", "type": "quantitative"},
            "y2": {"field": "bar_high"},
            "stroke": by_routing(results, ROUTING_COLOURS, what, _LEGEND),
        },
    }
    layers = [*_lines(results, x, y, what), bars, *_marks(results, rows, x, y, what)]
    return _chart(rows, layers, "Latency against accepted traffic", _latency_notes(rows))


def longest(results: Curves, what: str = "routing") -> Spec:
    """Draw the longest latency of any packet against accepted traffic, for all routings.

    Arguments and axes are those of `latency`. What is longest grows with the packets
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


def _latency_y(title: str, low: float, high: float) -> Spec:
    return {
        "field": "shown",
        "type": "quantitative",
        "title": title,
        "scale": {"type": "log", "domain": [low, high], "nice": False},
        "axis": {"values": _ticks(low, high), "format": ",~r"},
    }


def _latency_notes(rows: list[dict[str, Any]]) -> list[str]:
    notes = [_states_in_words(rows)]
    if any(row["above"] for row in rows):
        notes.append("Marks on the upper edge lie above the axis: there, queues keep growing.")
    return notes


def accepted(results: Curves) -> Spec:
    """Draw accepted against offered traffic for all routings, both in bytes/ns/switch.

    The dotted diagonal is where everything offered is accepted.
    """
    rows = study_rows.point_rows(results)
    x = _traffic_x("offered", "offered traffic")
    y = {
        "field": "accepted",
        "type": "quantitative",
        "title": f"accepted traffic ({TRAFFIC_UNIT})",
        "axis": {"format": ".3~g"},
        "scale": {"zero": True, "nice": True},
    }
    largest = max((row["offered"] for row in rows), default=1.0)
    reach = max((row["accepted"] for row in rows), default=1.0)
    end = min(largest, 1.05 * reach)
    ends = [{"offered": value, "accepted": value} for value in (0.0, end)]
    diagonal: Spec = {
        "data": {"name": _DIAGONAL},
        "mark": {
            "type": "line",
            "strokeDash": [2, 4],
            "strokeWidth": 1.5,
            "color": QUIET_COLOUR,
        },
        "encoding": {"x": x, "y": y},
    }
    layers = [
        diagonal,
        *_lines(results, x, y, "routing"),
        *_marks(results, rows, x, y, "routing"),
    ]
    notes = [
        "Dotted: everything offered is accepted. A curve leaves it where its routing saturates."
    ]
    spec = _chart(rows, layers, "Accepted against offered traffic", notes)
    spec["datasets"][_DIAGONAL] = ends
    return spec


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


def _traffic_x(field: str, name: str) -> Spec:
    return {
        "field": field,
        "type": "quantitative",
        "title": f"{name} ({TRAFFIC_UNIT})",
        "axis": {"format": ".3~g", "tickCount": 8},
        "scale": {"zero": True, "nice": True},
    }


def _lines(results: Curves, x: Spec, y: Spec, what: str) -> list[Spec]:
    """Join the settled points by a line, and go on from the last of them dashed."""
    encoding = {
        "x": x,
        "y": y,
        "stroke": by_routing(results, ROUTING_COLOURS, what, _LEGEND),
        "order": {"field": "load", "type": "quantitative"},
    }
    beyond = {"strokeWidth": 1.4, "strokeDash": [4, 4], "opacity": 0.65}
    settled = {"strokeWidth": 2, "opacity": 0.9}
    return [
        {
            "mark": {"type": "line", **style},
            "transform": [{"filter": f"datum.{which}"}],
            "encoding": encoding,
        }
        for which, style in (("tail", beyond), ("joined", settled))
    ]


def _marks(results: Curves, rows: list[dict[str, Any]], x: Spec, y: Spec, what: str) -> list[Spec]:
    """Draw the points: white beneath, so that hollow ones hide the line, and the mark above."""
    present = [state for state in study_rows.STATES if any(row["state"] == state for row in rows)]
    colour = by_routing(results, ROUTING_COLOURS, what, _LEGEND)
    placed: Spec = {
        "x": x,
        "y": y,
        "shape": by_routing(results, ROUTING_SHAPES, what, _LEGEND),
        "size": {"condition": {"test": "datum.above", "value": 28}, "value": 70},
    }
    fill_opacity: Spec = {
        "field": "state",
        "type": "nominal",
        "title": "point",
        "sort": present,
        "scale": {
            "type": "ordinal",  # the default for opacities spreads the ends of the range evenly
            "domain": present,
            "range": [_FILL_OF_STATE[state] for state in present],
        },
        "legend": None,
    }
    white: Spec = {
        "mark": {"type": "point", "filled": True, "fill": "#ffffff", "opacity": 1},
        "encoding": placed,
    }
    marks: Spec = {
        "mark": {"type": "point", "strokeWidth": 1.8, "opacity": 1},
        "encoding": {
            **placed,
            "stroke": colour,
            "fill": colour,
            "fillOpacity": fill_opacity,
            "tooltip": _told(what),
        },
    }
    deadlocks: Spec = {
        "mark": {"type": "text", "text": "✕", "dy": 1, "fontSize": 15, "fontWeight": "bold"},
        "transform": [{"filter": "datum.state == 'deadlocked'"}],
        "encoding": {"x": x, "y": y},
    }
    is_stuck = any(row["state"] == study_rows.DEADLOCKED for row in rows)
    return [white, marks, deadlocks] if is_stuck else [white, marks]


def _told(what: str) -> list[Spec]:
    """Say what the tooltip of a point tells."""
    return [
        word_told("routing", what),
        quantity_told("load", "load (of the host link rate)", ".4~%"),
        quantity_told("offered", f"offered ({TRAFFIC_UNIT})", ".4~g"),
        quantity_told("accepted", f"accepted ({TRAFFIC_UNIT})", ".4~g"),
        quantity_told("accepted_half_width", "  95 % ±", ".2~g"),
        quantity_told("latency", "mean latency (ns)", ",.0f"),
        quantity_told("latency_half_width", "  95 % ± (ns)", ",.0f"),
        quantity_told("latency_p99", "99th percentile (ns)", ",.0f"),
        quantity_told("latency_max", "longest latency (ns)", ",.0f"),
        quantity_told("network_latency", "mean network latency (ns)", ",.0f"),
        quantity_told("packets", "packets measured", ","),
        quantity_told("seeds", "seeds"),
        word_told("reason", "ended"),
    ]


def _chart(rows: list[dict[str, Any]], layers: list[Spec], title: str, subtitle: list[str]) -> Spec:
    """Lay the layers over one another on the common rows."""
    _mark_tails(rows)
    spec = framed(layers, rows, title, subtitle, HEIGHT, hidden_routings=[])
    spec["transform"] = [{"filter": "indexof(hidden_routings, datum.routing) < 0"}]
    return spec


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
