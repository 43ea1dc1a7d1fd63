"""How a figure spreads over topologies: a box for each condition and routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from weft.plots.assembly import WIDTH, framed
from weft.plots.theme import ROUTING_COLOURS, routing_scale

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["spread_chart"]

HEIGHT = 320

#: Conditions whose names stand upright below the axis, also where it is as wide as a column.
_MOST_UPRIGHT = 4


def spread_chart(values: Sequence[tuple[str, str, float]], title: str, axis: str) -> alt.LayerChart:
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
    if len(conditions) <= _MOST_UPRIGHT:
        # A condition of several parts, such as 16 switches, 512 bytes, has one line for each.
        labels = alt.Axis(labelAngle=0, labelOverlap=False, labelExpr="split(datum.label, ', ')")
    else:
        labels = alt.Axis(labelAngle=-40, labelOverlap=False, labelLimit=220)
    boxes_wide = min(14.0, 0.6 * WIDTH / max(len(conditions) * len(routings), 1))
    x = alt.X("condition:N", title=None, sort=conditions, axis=labels)
    offset = alt.XOffset("routing:N", sort=routings)
    y = alt.Y("value:Q", title=axis, scale=alt.Scale(zero=False, nice=True))
    colour = alt.Color(
        "routing:N", title="routing", sort=routings, scale=routing_scale(routings, ROUTING_COLOURS)
    )
    boxes = (
        alt.Chart()
        .mark_boxplot(extent="min-max", size=boxes_wide, opacity=0.55, median={"color": "#1b1f24"})
        .encode(x=x, xOffset=offset, y=y, color=colour)
    )
    points = (
        alt.Chart()
        .mark_point(filled=True, size=14, opacity=0.9)
        .encode(
            x=x,
            xOffset=offset,
            y=y,
            color=colour,
            tooltip=[
                alt.Tooltip("condition:N", title="condition"),
                alt.Tooltip("routing:N", title="routing"),
                alt.Tooltip("value:Q", title=axis, format=".4~g"),
            ],
        )
    )
    notes = ["Box: quartiles and median; whiskers: extremes."]
    return framed(alt.layer(boxes, points), rows, title, notes, HEIGHT)
