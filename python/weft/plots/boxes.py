"""How a figure spreads over topologies: a box for each condition and routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.plots.assembly import WIDTH, framed, quantity_told, word_told
from weft.plots.theme import ROUTING_COLOURS, routing_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plots.theme import Spec

__all__ = ["spread"]

HEIGHT = 320

#: Conditions whose names stand upright below the axis, also where it is as wide as a column.
_MOST_UPRIGHT = 4


def spread(values: Sequence[tuple[str, str, float]], title: str, axis: str) -> Spec:
    """Draw how a figure spreads over topologies.

    Values are condition, routing and figure, one for each topology; conditions and routings are
    shown in the order in which they first come. The axis names the figure with its unit. A box is
    from the first to the third quartile with the median, whiskers reach to the extremes, and every
    topology is a point.
    """
    rows = [
        {"condition": condition, "routing": routing, "value": value}
        for condition, routing, value in values
    ]
    conditions = list(dict.fromkeys(condition for condition, _, _ in values))
    routings = list(dict.fromkeys(routing for _, routing, _ in values))
    labels: Spec
    if len(conditions) <= _MOST_UPRIGHT:
        # A condition of several parts, such as 16 switches, 512 bytes, has one line for each.
        labels = {"labelAngle": 0, "labelExpr": "split(datum.label, ', ')"}
    else:
        labels = {"labelAngle": -40, "labelLimit": 220}
    boxes_wide = min(14.0, 0.6 * WIDTH / max(len(conditions) * len(routings), 1))
    encoding = {
        "x": {
            "field": "condition",
            "type": "nominal",
            "title": None,
            "sort": conditions,
            "axis": {"labelOverlap": False, **labels},
        },
        "xOffset": {"field": "routing", "type": "nominal", "sort": routings},
        "y": {
            "field": "value",
            "type": "quantitative",
            "title": axis,
            "scale": {"zero": False, "nice": True},
        },
        "color": {
            "field": "routing",
            "type": "nominal",
            "title": "routing",
            "sort": routings,
            "scale": routing_scale(routings, ROUTING_COLOURS),
        },
    }
    boxes: Spec = {
        "mark": {
            "type": "boxplot",
            "extent": "min-max",
            "size": boxes_wide,
            "opacity": 0.55,
            "median": {"color": "#1b1f24"},
        },
        "encoding": encoding,
    }
    told = [
        word_told("condition", "condition"),
        word_told("routing", "routing"),
        quantity_told("value", axis, ".4~g"),
    ]
    points: Spec = {
        "mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.9},
        "encoding": {**encoding, "tooltip": told},
    }
    notes = ["Box: quartiles and median; whiskers: extremes."]
    return framed([boxes, points], rows, title, notes, HEIGHT)
