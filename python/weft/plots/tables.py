"""Tables beside the charts: the ranking, and the hottest channels by name."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import nsmallest
from itertools import compress
from typing import TYPE_CHECKING, Any

from weft.plots import loads as study_loads
from weft.plots import rows as study_rows

if TYPE_CHECKING:
    from weft.results import Results, RoutingResult


@dataclass(frozen=True)
class HotChannel:
    """A switch-to-switch channel, as ``switch[port] → switch[port]``, and how busy it was."""

    channel: int
    name: str
    utilization: float  # share of the time, 0…1, as the next one
    blocked: float
    routes: int  # of host pairs over the channel


def hottest_channels(
    results: Results, routing: RoutingResult, load: float, count: int = 5
) -> list[HotChannel]:
    """Return the busiest switch-to-switch channels of a routing near a load, at most `count`.

    The busiest first, equal ones by number; none when there is no point near the load (fraction of
    the host link rate).
    """
    at = study_loads.point_near(routing, load)
    if at is None:
        return []
    figures = results.channel_figures(routing.label, at.load)
    utilization, blocked = figures.utilization.tolist(), figures.blocked.tolist()
    routes = None if routing.load is None else routing.load.routes_per_channel.tolist()
    return [
        HotChannel(
            channel,
            results.fabric.describe_channel(channel),
            utilization[channel],
            blocked[channel],
            0 if routes is None else routes[channel],
        )
        for channel in _largest(results, utilization, count)
    ]


def most_loaded_channel(results: Results, routing: RoutingResult) -> tuple[str, int] | None:
    """Return the switch-to-switch channel with the most routes, by name, and their number."""
    if routing.load is None:
        return None
    routes = routing.load.routes_per_channel.tolist()
    found = _largest(results, routes, 1)
    return (results.fabric.describe_channel(found[0]), routes[found[0]]) if found else None


def _largest(results: Results, values: list[float], count: int) -> list[int]:
    """Return the switch-to-switch channels with the largest values, equal ones by number."""
    between = compress(range(len(values)), results.fabric.is_switch_channel.tolist())
    return nsmallest(count, between, key=lambda channel: -values[channel])


def ranking_table(results: Results, load: float | None = None) -> list[dict[str, Any]]:
    """Return the ranking as rows of plain values, the best routing first.

    Members: ``rank`` (None where nothing was simulated), ``routing``, ``title``, ``state``,
    ``deadlock_free``, ``verdict``, ``throughput_bytes_per_ns_per_switch`` with
    ``throughput_half_width``, ``throughput_is_limit`` (no load saturated the network),
    ``throughput_load``, ``knee_bytes_per_ns_per_switch`` (accepted traffic where mean latency is
    the multiple of the unloaded one that the reading asks for) with ``knee_half_width`` and
    ``knee_load``, ``relative_to_best``, ``unloaded_latency_ns``, ``unloaded_load``,
    ``hottest_channel`` near the load (fraction of the host link rate) with ``hottest_utilization``
    (share of time, None where it is known by its routes only), ``max_routes_per_channel``,
    ``mean_routes_per_channel``, ``mean_in_transit_stops``, ``minimal_share``, ``note`` and
    ``same_routes_as`` (the routing that came out as the same routes, or None).

    Examples
    --------
    >>> import pandas  # doctest: +SKIP
    >>> pandas.DataFrame(weft.plots.ranking_table(results))  # doctest: +SKIP
    """
    by_label = {routing.label: routing for routing in results.routings}
    drawn_at = study_loads.drawing_load(results, load)
    rows: list[dict[str, Any]] = []
    for place, ranked in enumerate(results.ranking(), start=1):
        routing = by_label[ranked.label]
        name, utilization = _hottest(results, routing, drawn_at)
        throughput = routing.throughput
        rows.append(
            {
                "rank": place if ranked.state == "simulated" else None,
                "routing": ranked.label,
                "title": ranked.title,
                "state": ranked.state,
                "deadlock_free": ranked.deadlock_free,
                "verdict": routing.proof.verdict,
                "throughput_bytes_per_ns_per_switch": ranked.throughput_bytes_per_ns_per_switch,
                "throughput_half_width": throughput.half_width if throughput else None,
                "throughput_is_limit": all(at.is_settled for at in study_rows.load_points(routing)),
                "throughput_load": ranked.throughput_load,
                "knee_bytes_per_ns_per_switch": ranked.knee_bytes_per_ns_per_switch,
                "knee_half_width": ranked.knee_half_width,
                "knee_load": ranked.knee_load,
                "relative_to_best": ranked.relative_to_best,
                "unloaded_latency_ns": ranked.unloaded_latency_ns,
                "unloaded_load": ranked.unloaded_load,
                "hottest_channel": name,
                "hottest_utilization": utilization,
                "max_routes_per_channel": ranked.max_routes_per_channel,
                "mean_routes_per_channel": ranked.mean_routes_per_channel,
                "mean_in_transit_stops": ranked.mean_in_transit_stops,
                "minimal_share": ranked.minimal_share,
                "note": ranked.note,
                "same_routes_as": ranked.same_routes_as,
            }
        )
    return rows


def _hottest(
    results: Results, routing: RoutingResult, load: float | None
) -> tuple[str | None, float | None]:
    """Name the hottest channel, by utilization where it was simulated, else by routes."""
    hot = [] if load is None else hottest_channels(results, routing, load, 1)
    if hot:
        return hot[0].name, hot[0].utilization
    loaded = most_loaded_channel(results, routing)
    return (loaded[0] if loaded else None), None
