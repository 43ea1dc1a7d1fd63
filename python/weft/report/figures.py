"""The charts of the page: their specifications, the choices they share and what they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.channels import BLOCKED, HOSTS, UTILIZATION, Quantity, sorted_chart
from weft.plots.curves import accepted_chart, latency_chart, longest_chart
from weft.plots.drawing import drawing
from weft.plots.lanes import BUFFERS, LANES, has_lanes, lane_chart
from weft.plots.pools import has_series, pool_steps, pools_chart
from weft.plots.strokes import drawn_count
from weft.plots.views import Views
from weft.report.numbers import percent, quantity

if TYPE_CHECKING:
    import altair as alt

    from weft.results import Results, RoutingResult

MOST_LOADS = 12
"""Most loads a reader can choose from."""

MOST_CHANNEL_FIGURES = 160_000
"""Most figures of channels in the page, so that it stays small enough to mail."""


@dataclass(frozen=True)
class Figure:
    """One chart of the page."""

    name: str  # identifier in the page
    spec: dict[str, Any]  # Vega-Lite
    description: str  # what the chart shows, for those who cannot see it


@dataclass(frozen=True)
class Choices:
    """What a reader can choose: the load of the channels, the routing of the drawing."""

    loads: list[float]  # offered, fractions of the host link rate
    load_index: int  # the load shown first
    labels: list[str]  # simulated routings
    routing_index: int  # the routing drawn first

    @property
    def load(self) -> float | None:
        """The load shown first; None when nothing was simulated."""
        return self.loads[self.load_index] if self.loads else None


def choices(results: Results, drawing_load: float | None) -> Choices:
    """Decide what the reader can choose from; `drawing_load` is the load to show first."""
    load = study_loads.drawing_load(results, drawing_load)
    best = study_rows.best_label(results)
    if load is None or best is None:
        return Choices([], 0, [], 0)
    labels = [routing.label for routing in study_rows.simulated(results)]
    room = MOST_CHANNEL_FIGURES // max(2 * drawn_count(results.fabric) * len(labels), 1)
    loads = study_loads.offered_loads(results, load, max(1, min(room, MOST_LOADS)))
    return Choices(loads, loads.index(load), labels, labels.index(best))


def figures(results: Results, chosen: Choices) -> list[Figure]:
    """Make the charts of the page.

    They are ``latency``, ``longest``, ``accepted``, ``utilization``, ``blocked``, ``hosts``, where
    there are several lanes ``lanes`` and ``buffers``, where pools were followed ``pools``, and
    ``fabric``; the last alone when nothing was simulated.
    """
    fabric = Figure(
        "fabric",
        _spec(
            drawing(
                results,
                Views(chosen.labels, chosen.loads),
                chosen.routing_index,
                chosen.load_index,
            )
        ),
        _fabric_description(results, chosen),
    )
    if chosen.load is None:
        return [fabric]
    return [
        Figure("latency", _spec(latency_chart(results)), _curves_description(results)),
        Figure("longest", _spec(longest_chart(results)), _longest_description(results)),
        Figure("accepted", _spec(accepted_chart(results)), _accepted_description(results)),
        *(
            Figure(
                quantity_drawn.field,
                _spec(sorted_chart(results, quantity_drawn, chosen.loads, chosen.load_index)),
                _sorted_description(results, quantity_drawn, chosen.load),
            )
            for quantity_drawn in (UTILIZATION, BLOCKED)
        ),
        Figure(
            "hosts",
            _spec(sorted_chart(results, HOSTS, chosen.loads, chosen.load_index)),
            _sorted_description(results, HOSTS, chosen.load),
        ),
        *_lane_figures(results, chosen),
        *_pool_figures(results, chosen),
        fabric,
    ]


def _lane_figures(results: Results, chosen: Choices) -> list[Figure]:
    """Make the charts of the lanes, where there are several."""
    if chosen.load is None or not has_lanes(results):
        return []
    where = study_loads.where_text(chosen.load)
    return [
        Figure(
            name,
            _spec(lane_chart(results, drawn, chosen.loads, chosen.load_index)),
            f"{drawn.title}, {where}. The table of the lanes has the figures.",
        )
        for name, drawn in (("lanes", LANES), ("buffers", BUFFERS))
    ]


def _pool_figures(results: Results, chosen: Choices) -> list[Figure]:
    """Make the chart of the in-transit pools, where they were followed."""
    if chosen.load is None or not has_series(results):
        return []
    parts = []
    for routing in study_rows.simulated(results):
        at = study_loads.point_near(routing, chosen.load)
        if at is None:
            continue
        _, mean, most = pool_steps(results.pool_series(routing.label, at.load))
        if mean:
            parts.append(
                f"{routing.label} {quantity(sum(mean) / len(mean))} bytes on average, at most "
                f"{quantity(max(most))}"
            )
    text = f"Bytes in transit held by a NIC, in time, {study_loads.where_text(chosen.load)}: "
    return [
        Figure("pools", _spec(pools_chart(results, chosen.load)), text + "; ".join(parts) + ".")
    ]


def _spec(chart: alt.LayerChart) -> dict[str, Any]:
    spec: dict[str, Any] = chart.to_dict()
    return spec


def _curves_description(results: Results) -> str:
    """Say where each curve of latency starts and ends."""
    sentences = []
    for routing in study_rows.simulated(results):
        rows = [
            row
            for row in study_rows.point_rows(results)
            if row["routing"] == routing.label and row["latency"] is not None
        ]
        if rows:
            first, last = rows[0], _last_settled(rows)
            sentences.append(
                f"{routing.label} from {quantity(first['latency'])} ns at "
                f"{quantity(first['accepted'])} bytes/ns/switch to {quantity(last['latency'])} ns "
                f"at {quantity(last['accepted'])}"
            )
    return "Latency against accepted traffic, steady points: " + "; ".join(sentences) + "."


def _last_settled(rows: list[dict[str, Any]]) -> dict[str, Any]:
    settled = [row for row in rows if row["state"] in (study_rows.STEADY, study_rows.UNSETTLED)]
    return settled[-1] if settled else rows[-1]


def _longest_description(results: Results) -> str:
    """Say how long the longest latency of each routing was while it carried what was offered."""
    parts = []
    for routing in study_rows.simulated(results):
        rows = [
            row
            for row in study_rows.point_rows(results)
            if row["routing"] == routing.label and row["latency_max"] is not None
        ]
        if rows:
            last = _last_settled(rows)
            parts.append(
                f"{routing.label} {quantity(last['latency_max'])} ns at "
                f"{quantity(last['accepted'])} bytes/ns/switch"
            )
    return "Longest latency of any packet, at the last steady point: " + "; ".join(parts) + "."


def _accepted_description(results: Results) -> str:
    """Say how much each routing accepts at most."""
    parts = [
        f"{routing.label} accepts at most {quantity(_most_accepted(routing))} bytes/ns/switch"
        for routing in study_rows.simulated(results)
    ]
    return "Accepted against offered traffic: " + "; ".join(parts) + "."


def _most_accepted(routing: RoutingResult) -> float:
    return max(point.measurement.accepted_bytes_per_ns_per_switch for point in routing.points)


def _sorted_description(results: Results, drawn: Quantity, load: float) -> str:
    """Say how large the largest value and the mean are for each routing."""
    parts = []
    for routing in study_rows.simulated(results):
        at = study_loads.point_near(routing, load)
        if at is not None:
            shares = drawn.descending(results, routing.label, at.load) / 100.0
            if len(shares):
                parts.append(
                    f"{routing.label} up to {percent(float(shares[0]))}, "
                    f"{percent(float(shares.mean()))} on average, least "
                    f"{percent(float(shares[-1]))}"
                )
    return f"{drawn.title}, {study_loads.where_text(load)}: " + "; ".join(parts) + "."


def _fabric_description(results: Results, chosen: Choices) -> str:
    """Say what is drawn."""
    fabric = results.fabric
    text = f"Drawing of {fabric.name}: {fabric.switch_count} switches and their links"
    if chosen.load is None:
        return f"{text}, without figures because nothing was simulated."
    return f"{text}, coloured by utilization. The table of the hottest channels names the busiest."
