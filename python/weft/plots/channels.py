"""Sorted figures of the channels between switches, and of the hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.assembly import by_routing, framed, short, title_at
from weft.plots.theme import ROUTING_DASHES
from weft.results.fairness import served

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.results import Results

HEIGHT = 300

MAX_RANKS = 240
"""More channels than this are drawn by every n-th; the first and the last stay."""


@dataclass(frozen=True)
class Quantity:
    """One figure per channel or host that can be sorted and drawn."""

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
            return 100.0 * served(values, results.sending_hosts)
        between = np.asarray(results.fabric.is_switch_channel, dtype=bool)
        return np.sort(100.0 * values[between])[::-1]


UTILIZATION = Quantity(
    "utilization",
    "Sorted utilization of the switch-to-switch channels",
    "utilization (% of time)",
    "Share of the time a channel carries flits; load as a share of the host link rate.",
)
BLOCKED = Quantity(
    "blocked",
    "Sorted blocked time of the switch-to-switch channels",
    "blocked time (% of time)",
    "Share of the time flow control halts a channel that has a packet to send.",
)
HOSTS = Quantity(
    "host_accepted_load",
    "Sorted accepted load of the hosts that send",
    "accepted of a host (% of its link rate)",
    "What is delivered of each host's payload: a level line serves all alike.",
    ranked="hosts that send, best served first (rank)",
)


def utilization_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the utilization of the switch-to-switch channels, in percent of the time.

    Channels are sorted, one line per routing. The simulated load nearest to the one given (fraction
    of the host link rate) is drawn, by default the largest at which all routings are steady.
    """
    return sorted_chart(results, UTILIZATION, study_loads.drawing_loads(results, load))


def blocked_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw the blocked time of the switch-to-switch channels, in percent of the time.

    Channels are sorted, one line per routing; arguments are those of `utilization_chart`.
    """
    return sorted_chart(results, BLOCKED, study_loads.drawing_loads(results, load))


def hosts_chart(results: Results, load: float | None = None) -> alt.LayerChart:
    """Draw what is accepted of each host that sends, in percent of the host link rate.

    Hosts are sorted, one line per routing; arguments are those of `utilization_chart`.
    """
    return sorted_chart(results, HOSTS, study_loads.drawing_loads(results, load))


def sorted_chart(
    results: Results, quantity: Quantity, loads: list[float], chosen_index: int = 0
) -> alt.LayerChart:
    """Draw a figure of the switch-to-switch channels or hosts, sorted, one line per routing.

    The chart's parameter ``load_index`` chooses one of the loads.
    """
    rows = sorted_rows(results, quantity, loads)
    base = (
        alt.Chart()
        .transform_calculate(value="datum.values[load_index]")
        .transform_filter("isValid(datum.value) && indexof(hidden_routings, datum.routing) < 0")
    )
    line = base.mark_line(strokeWidth=2.2, interpolate="linear").encode(
        x=alt.X(
            "rank:Q",
            title=quantity.ranked,
            axis=alt.Axis(format=",d", tickMinStep=1, tickCount=10),
            scale=alt.Scale(domain=[1, max((row["rank"] for row in rows), default=2)], nice=False),
        ),
        y=alt.Y(
            "value:Q",
            title=quantity.axis,
            axis=alt.Axis(format=".3~g", tickCount=6),
            scale=alt.Scale(zero=True, nice=True),
        ),
        color=by_routing(results, alt.Color),
        strokeDash=by_routing(
            results,
            alt.StrokeDash,
            ROUTING_DASHES,
            legend=alt.Legend(symbolType="stroke", symbolSize=500),
        ),
        tooltip=[
            alt.Tooltip("routing:N", title="routing"),
            alt.Tooltip("rank:Q", title="rank", format=",d"),
            alt.Tooltip("value:Q", title=quantity.axis, format=".3~g"),
        ],
    )
    return framed(
        alt.layer(line),
        rows,
        title_at(quantity.title, loads, chosen_index),
        quantity.note,
        HEIGHT,
        load_index=chosen_index,
        hidden_routings=[],
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
