"""How the virtual lanes were used: utilization, and what their buffers held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.collections import LineCollection
from matplotlib.patches import Rectangle

from weft._numbers import quantity as number
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.assembly import look_of, named_axes, numbers, titles_at
from weft.plots.chart import Chart, short, tag
from weft.plots.theme import PT
from weft.results.lanes import lane_rows

if TYPE_CHECKING:
    from weft.plots.chart import Sheet
    from weft.results import Results

HEIGHT = 260

#: Of the room of a lane, what its bars take.
_OF_A_LANE = 0.8


@dataclass(frozen=True)
class LaneQuantity:
    """A figure of each lane, with its mean and its largest value over the channels."""

    name: str  # of the chart
    mean: str  # names a member of `weft.results.lanes.LaneRow`, as the next one does
    most: str
    factor: float  # what both are multiplied by
    title: str
    axis: str  # with the unit
    note: str


LANES = LaneQuantity(
    "lanes",
    "utilization_mean",
    "utilization_most",
    100.0,
    "Utilization of the lanes of switch-to-switch channels",
    "utilization (% of time)",
    "Bar: mean over the channels. Tick: the busiest channel.",
)
BUFFERS = LaneQuantity(
    "buffers",
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


def lanes_chart(results: Results, load: float | None = None) -> Chart:
    """Draw the utilization of each lane in percent of the time, one colour per routing.

    Arguments are those of `utilization_chart`.
    """
    return lane_chart(results, LANES, study_loads.drawing_loads(results, load))


def buffers_chart(results: Results, load: float | None = None) -> Chart:
    """Draw the bytes that the input buffers of each lane held, one colour per routing.

    Arguments are those of `utilization_chart`.
    """
    return lane_chart(results, BUFFERS, study_loads.drawing_loads(results, load))


def lane_chart(
    results: Results, quantity: LaneQuantity, loads: list[float], chosen_index: int = 0
) -> Chart:
    """Draw a figure of the lanes, one colour per routing.

    A page lets choose among the loads.
    """
    rows = lane_values(results, quantity, loads)
    lanes = sorted({row["lane"] for row in rows})

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        looks = look_of(results)
        wide = _OF_A_LANE / max(len(looks), 1)
        top = 0.0
        for look in looks:
            sheet.keys.append(look.key(patch=True))
            for row in rows:
                if row["routing"] != look.label:
                    continue
                left = lanes.index(row["lane"]) + wide * (look.place - len(looks) / 2)
                for place, (mean, most) in enumerate(zip(row["means"], row["mosts"], strict=True)):
                    if mean is None:
                        continue
                    tip = [
                        f"routing: {look.label}, lane {row['lane']}",
                        f"mean: {number(mean, 3)}, most: {number(most, 3)}, {quantity.axis}",
                    ]
                    mark = tag(routing=look.place, load=place, tip=tip)
                    right = left + 0.94 * wide
                    bar = Rectangle((left, 0), right - left, mean, facecolor=look.colour, gid=mark)
                    tick = LineCollection(
                        [[(left, most), (right, most)]],
                        colors=look.colour, linewidths=2 * PT, gid=mark,
                    )  # fmt: skip
                    # Unlike `bar` and `hlines`, without the ends of the axes found anew each time.
                    axes.add_artist(bar)
                    axes.add_artist(tick)
                    top = max(top, mean, most)
        axes.set_xticks(range(len(lanes)), [str(lane) for lane in lanes])
        axes.set_xlim(-0.5, max(len(lanes), 1) - 0.5)
        axes.set_ylim(0, 1.05 * top or 1)
        axes.grid(visible=False, axis="x")
        numbers(axes.yaxis, is_printed=sheet.is_printed)
        named_axes(axes, "lane", quantity.axis)

    return Chart(
        quantity.name,
        titles_at(quantity.title, loads),
        [quantity.note],
        rows,
        draw,
        HEIGHT,
        view=chosen_index,
        loads=len(loads),
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
