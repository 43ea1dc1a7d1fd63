"""Sorted figures of the channels between switches, and of the hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._numbers import quantity as number
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.assembly import look_of, named_axes, numbers, titles_at
from weft.plots.chart import Chart, short, tag
from weft.plots.theme import PT
from weft.results.fairness import served

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.plots.chart import Sheet
    from weft.results import Results

HEIGHT = 300

MAX_RANKS = 240
"""More channels than this are drawn by every n-th; the first and the last stay."""


@dataclass(frozen=True)
class Quantity:
    """One figure per channel or host that can be sorted and drawn."""

    name: str  # of the chart
    field: str  # name of the array in ``ChannelFigures``
    title: str
    axis: str  # with the unit
    note: str  # what the figure means
    ranked: str = "switch-to-switch channels, busiest first (rank)"

    def descending(self, results: Results, label: str, load: float) -> NDArray[np.float64]:
        """Return the figures of a routing at a load, in percent, the largest first."""
        figures = results.channel_figures(label, load)
        values = np.asarray(getattr(figures, self.field), dtype=np.float64)
        if self.field == "host_accepted_load":
            return 100.0 * np.array(served(values, results.sending_hosts))
        between = np.asarray(results.fabric.is_switch_channel, dtype=bool)
        return np.sort(100.0 * values[between])[::-1]


UTILIZATION = Quantity(
    "utilization",
    "utilization",
    "Sorted utilization of the switch-to-switch channels",
    "utilization (% of time)",
    "Share of the time a channel carries flits; load as a share of the host link rate.",
)
BLOCKED = Quantity(
    "blocked",
    "blocked",
    "Sorted blocked time of the switch-to-switch channels",
    "blocked time (% of time)",
    "Share of the time flow control halts a channel that has a packet to send.",
)
HOSTS = Quantity(
    "hosts",
    "host_accepted_load",
    "Sorted accepted load of the hosts that send",
    "accepted of a host (% of its link rate)",
    "What is delivered of each host's payload: a level line serves all alike.",
    ranked="hosts that send, best served first (rank)",
)


def utilization_chart(results: Results, load: float | None = None) -> Chart:
    """Draw the utilization of the switch-to-switch channels, in percent of the time.

    Channels are sorted, one line per routing. The simulated load nearest to the one given (fraction
    of the host link rate) is drawn, by default the largest at which all routings are steady.
    """
    return sorted_chart(results, UTILIZATION, study_loads.drawing_loads(results, load))


def blocked_chart(results: Results, load: float | None = None) -> Chart:
    """Draw the blocked time of the switch-to-switch channels, in percent of the time.

    Channels are sorted, one line per routing; arguments are those of `utilization_chart`.
    """
    return sorted_chart(results, BLOCKED, study_loads.drawing_loads(results, load))


def hosts_chart(results: Results, load: float | None = None) -> Chart:
    """Draw what is accepted of each host that sends, in percent of the host link rate.

    Hosts are sorted, one line per routing; arguments are those of `utilization_chart`.
    """
    return sorted_chart(results, HOSTS, study_loads.drawing_loads(results, load))


def sorted_chart(
    results: Results, quantity: Quantity, loads: list[float], chosen_index: int = 0
) -> Chart:
    """Draw a figure of the switch-to-switch channels or hosts, sorted, one line per routing.

    A page lets choose among the loads.
    """
    rows = sorted_rows(results, quantity, loads)

    def draw(sheet: Sheet) -> None:
        axes = sheet.axes
        for look in look_of(results):
            sheet.keys.append(look.key(dashed=True))
            own = [row for row in rows if row["routing"] == look.label]
            for place in range(len(loads)):
                line = [
                    (row["rank"], row["values"][place])
                    for row in own
                    if row["values"][place] is not None
                ]
                if not line:
                    continue
                tip = [
                    f"routing: {look.label}",
                    f"first: {number(line[0][1], 3)}, last: {number(line[-1][1], 3)}, "
                    f"{quantity.axis}",
                ]
                axes.plot(
                    *zip(*line, strict=True), color=look.colour, linewidth=2.2 * PT,
                    linestyle=look.line_style, marker="." if len(line) == 1 else None,
                    gid=tag(routing=look.place, load=place, tip=tip),
                )  # fmt: skip
        axes.set_xlim(1, max((row["rank"] for row in rows), default=2))
        axes.set_ylim(bottom=0)
        numbers(axes.xaxis, is_printed=sheet.is_printed, whole=True)
        numbers(axes.yaxis, is_printed=sheet.is_printed)
        named_axes(axes, quantity.ranked, quantity.axis)

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


def sorted_rows(results: Results, quantity: Quantity, loads: list[float]) -> list[dict[str, Any]]:
    """Return the sorted figures of every simulated routing at each of some loads.

    Members: ``routing``, ``rank`` (from 1, at most `MAX_RANKS` of them), ``values`` (percent, one
    per load; None where the routing has no point at that load).
    """
    rows: list[dict[str, Any]] = []
    for routing in study_rows.simulated(results):
        columns: list[NDArray[np.float64] | None] = []
        for load in loads:
            at = study_loads.point_near(routing, load)
            if at is None:
                columns.append(None)
                continue
            columns.append(quantity.descending(results, routing.label, at.load))
        count = max((len(column) for column in columns if column is not None), default=0)
        for index in shown_ranks(count):
            values_at = [None if column is None else short(column[index]) for column in columns]
            if any(value is not None for value in values_at):
                rows.append({"routing": routing.label, "rank": index + 1, "values": values_at})
    return rows


def shown_ranks(count: int) -> list[int]:
    """Choose the ranks to draw, from 0, closer together among the busiest, both ends included."""
    if count <= MAX_RANKS:
        return list(range(count))
    places = np.linspace(0.0, 1.0, MAX_RANKS) ** 1.5
    return sorted({round(float(place) * (count - 1)) for place in places})
