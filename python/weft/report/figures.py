"""The charts of the page: their specifications, the choices they share and what they show."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from weft._numbers import percent, quantity
from weft.errors import WeftError
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.channels import BLOCKED, HOSTS, UTILIZATION, Quantity, sorted_chart
from weft.plots.curves import accepted_chart, latency_chart, longest_chart
from weft.plots.drawing import drawing
from weft.plots.lanes import BUFFERS, LANES, has_lanes, lane_chart
from weft.plots.outline import drawn_count
from weft.plots.pools import has_series, pool_steps, pools_chart
from weft.plots.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from weft.plots.chart import Chart
    from weft.results import Results

MOST_LOADS = 12
"""Most loads a reader can choose from."""

MOST_CHANNEL_FIGURES = 160_000
"""Most figures of channels in the page, so that it stays small enough to mail."""


@dataclass(frozen=True)
class Figure:
    """One chart of the page."""

    name: str  # identifier in the page
    description: str  # what the chart shows, for those who cannot see it
    svg: str = ""  # empty where it cannot be drawn
    narrow: str = ""  # laid out for a telephone
    notes: list[str] = field(default_factory=list)  # what stands below the title on a screen
    has_loads: bool = False  # whether a reader chooses the load it shows
    #: What the members of its collections tell, and are coloured by.
    members: dict[str, Any] = field(default_factory=dict)


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


def figures(
    results: Results, chosen: Choices, undrawn: Callable[[str, Exception], None] | None
) -> list[Figure]:
    """Make the charts of the page.

    They are ``latency``, ``longest``, ``accepted``, ``utilization``, ``blocked``, ``hosts``, where
    there are several lanes ``lanes`` and ``buffers``, where pools were followed ``pools``, and
    ``fabric``; the last alone when nothing was simulated. One that cannot be drawn is told to
    `undrawn`, by its name and what happened; without, what happened is raised.
    """
    return [
        _drawn(name, make, description, undrawn)
        for name, make, description in _charts(results, chosen)
    ]


def _drawn(
    name: str,
    make: Callable[[], Chart],
    description: str,
    undrawn: Callable[[str, Exception], None] | None,
) -> Figure:
    try:
        chart = make()
        svg = chart.svg(has_choices=True)
        narrow = chart.narrow_svg()
    except WeftError:
        raise
    except Exception as error:
        if undrawn is None:
            raise
        undrawn(name, error)
        return Figure(name, description)
    return Figure(name, description, svg, narrow, chart.notes, chart.loads > 0, chart.members)


def _charts(results: Results, chosen: Choices) -> Iterator[tuple[str, Callable[[], Chart], str]]:
    """Yield name, maker and description of every chart."""
    if chosen.load is not None:
        yield "latency", partial(latency_chart, results), _curves_description(results)
        yield "longest", partial(longest_chart, results), _longest_description(results)
        yield "accepted", partial(accepted_chart, results), _accepted_description(results)
        at = (chosen.loads, chosen.load_index)
        for by in (UTILIZATION, BLOCKED, HOSTS):
            description = _sorted_description(results, by, chosen.load)
            yield by.name, partial(sorted_chart, results, by, *at), description
        if has_lanes(results):
            where = study_loads.where_text(chosen.load)
            for of in (LANES, BUFFERS):
                description = f"{of.title}, {where}. The table of the lanes has the figures."
                yield of.name, partial(lane_chart, results, of, *at), description
        if has_series(results):
            description = _pools_description(results, chosen.load)
            yield "pools", partial(pools_chart, results, chosen.load), description
    views = Views(chosen.labels, chosen.loads)
    make = partial(drawing, results, views, chosen.routing_index, chosen.load_index)
    yield "fabric", make, _fabric_description(results, chosen)


def _pools_description(results: Results, load: float) -> str:
    """Say how much the NICs held."""
    parts = []
    for routing, at in study_loads.shown_at(results, load):
        _, mean, most = pool_steps(results.pool_series(routing.label, at.load))
        if mean:
            parts.append(
                f"{routing.label} {quantity(sum(mean) / len(mean))} bytes on average, at most "
                f"{quantity(max(most))}"
            )
    text = f"Bytes in transit held by a NIC, in time, {study_loads.where_text(load)}: "
    return text + "; ".join(parts) + "."


def _curves_description(results: Results) -> str:
    """Say where each curve of latency starts and ends."""
    parts = [
        f"{label} from {quantity(rows[0]['latency'])} ns at "
        f"{quantity(rows[0]['accepted'])} bytes/ns/switch to {quantity(last['latency'])} ns "
        f"at {quantity(last['accepted'])}"
        for label, rows, last in _settled(results, "latency")
    ]
    return "Latency against accepted traffic, steady points: " + "; ".join(parts) + "."


def _longest_description(results: Results) -> str:
    """Say how long the longest latency of each routing was while it carried what was offered."""
    parts = [
        f"{label} {quantity(last['latency_max'])} ns at "
        f"{quantity(last['accepted'])} bytes/ns/switch"
        for label, _, last in _settled(results, "latency_max")
    ]
    return "Longest latency of any packet, at the last steady point: " + "; ".join(parts) + "."


def _settled(
    results: Results, field: str
) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, Any]]]:
    """Yield each routing with its points that have a figure, and the last steady one of them."""
    having = [row for row in study_rows.point_rows(results) if row[field] is not None]
    for label, own in groupby(having, key=itemgetter("routing")):
        rows = list(own)
        steady = [row for row in rows if row["state"] in (study_rows.STEADY, study_rows.UNSETTLED)]
        yield label, rows, (steady or rows)[-1]


def _accepted_description(results: Results) -> str:
    """Say how much each routing accepts at most."""
    parts = []
    for routing in study_rows.simulated(results):
        points = [point.measurement for point in routing.points]
        most = max(found.accepted_bytes_per_ns_per_switch for found in points)
        parts.append(f"{routing.label} accepts at most {quantity(most)} bytes/ns/switch")
    return "Accepted against offered traffic: " + "; ".join(parts) + "."


def _sorted_description(results: Results, drawn: Quantity, load: float) -> str:
    """Say how large the largest value and the mean are for each routing."""
    parts = []
    for routing, at in study_loads.shown_at(results, load):
        shares = drawn.descending(results, routing.label, at.load) / 100.0
        if len(shares):
            parts.append(
                f"{routing.label} up to {percent(float(shares[0]))}, "
                f"{percent(float(shares.mean()))} on average, least {percent(float(shares[-1]))}"
            )
    return f"{drawn.title}, {study_loads.where_text(load)}: " + "; ".join(parts) + "."


def _fabric_description(results: Results, chosen: Choices) -> str:
    """Say what is drawn."""
    fabric = results.fabric
    text = f"Drawing of {fabric.name}: {fabric.switch_count} switches and their links"
    if chosen.load is None:
        return f"{text}, without figures because nothing was simulated."
    return f"{text}, coloured by utilization. The table of the hottest channels names the busiest."
