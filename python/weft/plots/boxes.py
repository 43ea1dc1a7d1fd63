"""How a figure spreads over topologies: a box for each condition and routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from weft._numbers import quantity
from weft.plots.assembly import named_axes, numbers
from weft.plots.chart import Chart, tag
from weft.plots.theme import PT, ROUTING_COLOURS, TEXT_COLOUR, entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.plots.chart import Sheet

__all__ = ["spread_chart"]

HEIGHT = 320

#: Conditions whose names stand upright below the axis, also where it is as wide as a column.
_MOST_UPRIGHT = 4

#: Of the room of a condition, what its boxes take.
_OF_A_CONDITION = 0.7


def spread_chart(values: Sequence[tuple[str, str, float]], title: str, axis: str) -> Chart:
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
    colours = entries(routings, ROUTING_COLOURS)
    is_slanted = len(conditions) > _MOST_UPRIGHT

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        wide = _OF_A_CONDITION / max(len(routings), 1)
        for number, routing in enumerate(routings):
            colour = colours[routing]
            sheet.keys.append(
                Line2D(
                    [], [], marker="s", markersize=11 * PT, linewidth=0, color=colour, label=routing
                )
            )
            for place, condition in enumerate(conditions):
                own = [value for *of, value in values if of == [condition, routing]]
                if not own:
                    continue
                middle = place + wide * (number - (len(routings) - 1) / 2)
                low, quarter, half, three, high = np.percentile(own, [0, 25, 50, 75, 100])
                tip = [
                    f"{condition}, {routing}",
                    f"median {quantity(half)}, quartiles {quantity(quarter)} and {quantity(three)}",
                    f"least {quantity(low)}, most {quantity(high)}",
                ]
                box = axes.bar(
                    middle,
                    three - quarter,
                    min(0.8 * wide, 0.1),
                    bottom=quarter,
                    color=colour,
                    alpha=0.55,
                )
                box[0].set_gid(tag(members="boxes", tip=tip))
                axes.vlines(middle, low, high, colors=colour, linewidth=1.2 * PT)
                half_width = min(0.8 * wide, 0.1) / 2
                axes.hlines(
                    half, middle - half_width, middle + half_width, colors=TEXT_COLOUR,
                    linewidth=1.5 * PT, zorder=3,
                )  # fmt: skip
                axes.plot(
                    [middle] * len(own), own, linestyle="none", marker="o", markersize=4 * PT,
                    color=colour, alpha=0.9, zorder=4,
                )  # fmt: skip
        # A condition of several parts, such as 16 switches, 512 bytes, has one line for each.
        names = conditions if is_slanted else [name.replace(", ", "\n") for name in conditions]
        axes.set_xticks(range(len(conditions)), names)
        if is_slanted:
            for label in axes.get_xticklabels():
                label.set(rotation=40, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.5, len(conditions) - 0.5)
        axes.grid(visible=False, axis="x")
        numbers(axes.yaxis, is_printed=sheet.is_printed)
        named_axes(axes, "", axis)

    notes = ["Box: quartiles and median; whiskers: extremes."]
    return Chart("boxes", [title], notes, rows, draw, HEIGHT, has_slanted_names=is_slanted)
