"""How the virtual lanes were used: utilization, and what their buffers held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt

from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.assembly import by_routing, framed, short, title_at
from weft.results.lanes import lane_rows

if TYPE_CHECKING:
    from weft.results import Results

HEIGHT = 260


@dataclass(frozen=True)
class LaneQuantity:
    """A figure of each lane, with its mean and its largest value over the channels."""

    mean: str  # names a member of `weft.results.lanes.LaneRow`, as the next one does
    most: str
    factor: float  # what both are multiplied by
    title: str
    axis: str  # with the unit
    note: str


LANES = LaneQuantity(
    "utilization_mean",
    "utilization_most",
    100.0,
    "Utilization of the lanes of switch-to-switch channels",
    "utilization (% of time)",
    "Bar: mean over the channels. Tick: the busiest channel.",
)
BUFFERS = LaneQuantity(
    "buffer_mean_bytes",
    "buffer_most_bytes",
    1.0,
    "Occupancy of the input buffers of switch-to-switch channels, by lane",
    "bytes in a buffer",
    "Bar: mean over time and channels. Tick: the most that any of the buffers held.",
)


def has_lanes(results: Results) -> bool:
    """Return whether the hardware of a study has several lanes."""
    for routing in study_rows.simulated(results):
        point = routing.points[0]
        return results.lane_figures(routing.label, point.load, point.seed).utilization.size > 0
    return False


def lanes_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the utilization of each lane in percent of the time, one colour per routing.

    Arguments are those of `utilization_chart`.
    """
    return lane_chart(results, LANES, study_loads.drawing_loads(results, load))


def buffers_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the bytes that the input buffers of each lane held, one colour per routing.

    Arguments are those of `utilization_chart`.
    """
    return lane_chart(results, BUFFERS, study_loads.drawing_loads(results, load))


def lane_chart(
    results: Results, quantity: LaneQuantity, loads: list[float], chosen_index: int = 0
) -> alt.LayerChart:
    """Draw a figure of the lanes, one colour per routing.

    The chart's parameter ``load_index`` chooses one of the loads.
    """
    simulated = [entry.label for entry in study_rows.simulated(results)]
    base = (
        alt.Chart()
        .transform_calculate(mean="datum.means[load_index]", most="datum.mosts[load_index]")
        .transform_filter("isValid(datum.mean) && indexof(hidden_routings, datum.routing) < 0")
        .encode(
            x=alt.X("lane:O", title="lane", axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("routing:N", sort=simulated),
            color=by_routing(results, alt.Color),
            tooltip=[
                alt.Tooltip("routing:N", title="routing"),
                alt.Tooltip("lane:O", title="lane"),
                alt.Tooltip("mean:Q", title=f"{quantity.axis}, mean", format=".3~g"),
                alt.Tooltip("most:Q", title=f"{quantity.axis}, most", format=".3~g"),
            ],
        )
    )
    scale = alt.Scale(zero=True, nice=True)
    bars = base.mark_bar().encode(y=alt.Y("mean:Q", title=quantity.axis, scale=scale))
    ticks = base.mark_tick(thickness=2).encode(y=alt.Y("most:Q", title=quantity.axis, scale=scale))
    return framed(
        alt.layer(bars, ticks),
        lane_values(results, quantity, loads),
        title_at(quantity.title, loads, chosen_index),
        quantity.note,
        HEIGHT,
        load_index=chosen_index,
        hidden_routings=[],
    )


def lane_values(
    results: Results, quantity: LaneQuantity, loads: list[float]
) -> list[dict[str, Any]]:
    """Return the figures of every lane and simulated routing at some loads.

    Members: ``routing``, ``lane``, ``means`` and ``mosts`` (one per load; None where the routing
    has no point at that load, or the lane was idle).
    """
    rows: list[dict[str, Any]] = []
    for routing in study_rows.simulated(results):
        by_lane: dict[int, dict[str, Any]] = {}
        for place, load in enumerate(loads):
            at = study_loads.point_near(routing, load)
            if at is None:
                continue
            for found in lane_rows(results.fabric, results.lane_figures(routing.label, at.load)):
                nothing = {
                    "routing": routing.label,
                    "lane": found.lane,
                    "means": [None] * len(loads),
                    "mosts": [None] * len(loads),
                }
                row = by_lane.setdefault(found.lane, nothing)
                row["means"][place] = short(quantity.factor * getattr(found, quantity.mean))
                row["mosts"][place] = short(quantity.factor * getattr(found, quantity.most))
        rows += [by_lane[lane] for lane in sorted(by_lane)]
    return rows
