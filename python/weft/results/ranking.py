"""The ranking of a study's routings, and what to make of it in a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._numbers import in_percent, quantity
from weft.results.knee import KNEE_FACTOR
from weft.results.throughput import is_point_saturated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.results.types import RoutingResult, Throughput

__all__ = ["RankedRouting", "best_of", "rank", "recommend"]

EQUAL_WITHIN = 0.03  #: Throughputs closer than this are called equal.


@dataclass(frozen=True, slots=True)
class RankedRouting:
    """One row of the ranking; loads are fractions of the host link rate."""

    label: str
    title: str  #: Its algorithm in words.
    #: ``simulated``, ``deadlocked`` (in the simulation, whatever the proof said), ``refused`` (not
    #: deadlock-free), ``not routed`` or ``not simulated``.
    state: str
    deadlock_free: bool  #: What the proof said.
    #: Largest accepted traffic, and the same as a load; None for a routing that deadlocked.
    throughput_bytes_per_ns_per_switch: float | None
    throughput_load: float | None
    #: Accepted traffic where mean latency is a multiple of the unloaded one, half the width of its
    #: 95 % interval, and the same traffic as a load; None where that is not known.
    knee_bytes_per_ns_per_switch: float | None
    knee_half_width: float | None
    knee_load: float | None
    #: Whether no load simulated brings latency to the knee's; the knee is at least the throughput.
    is_knee_beyond: bool
    relative_to_best: float | None  #: Throughput over that of the best routing.
    #: Mean latency from generation at the lowest load simulated, and that load; no latency where
    #: even this load saturates the network.
    unloaded_latency_ns: float | None
    unloaded_load: float | None
    #: Routes of host pairs over the most loaded channel, and over a channel between switches.
    max_routes_per_channel: int | None
    mean_routes_per_channel: float | None
    mean_in_transit_stops: float | None  #: In-transit stops per route.
    minimal_share: float | None  #: Share of the routes that are as short as the fabric allows.
    note: str  #: Why it was not simulated; else empty.
    #: The routing whose routes these are too, so that all figures are the same; None of others.
    same_routes_as: str | None = None


def rank(routings: Sequence[RoutingResult]) -> list[RankedRouting]:
    """Rank routings by throughput; those without one follow in the order of the study."""
    best = max((_traffic(routing) for routing in routings), default=0.0)
    rows = [_row(routing, best) for routing in routings]
    # Python sorts stably: routings without a throughput keep their order.
    return sorted(rows, key=lambda row: -(row.throughput_bytes_per_ns_per_switch or 0.0))


def _found(routing: RoutingResult) -> Throughput | None:
    """Return a routing's throughput, unless it deadlocked: then it has none to count on."""
    return None if _deadlock(routing) else routing.throughput


def _deadlock(routing: RoutingResult) -> str | None:
    measured = (point.measurement for point in routing.points)
    return next((each.reason_text for each in measured if each.reason == "deadlocked"), None)


def _traffic(routing: RoutingResult) -> float:
    found = _found(routing)
    return found.accepted_bytes_per_ns_per_switch if found else 0.0


def _row(routing: RoutingResult, best: float) -> RankedRouting:
    found, load = _found(routing), routing.load
    unloaded = min(routing.points, key=lambda point: point.load, default=None)
    first = [point for point in routing.points if unloaded and point.load == unloaded.load]
    latencies = [point.measurement.generation_latency_ns.mean for point in first]
    is_known = bool(first) and not any(map(is_point_saturated, first))
    latency = math.fsum(latencies) / len(latencies) if is_known else math.nan
    state, note = _state(routing)
    knee = None if _deadlock(routing) else routing.knee
    return RankedRouting(
        label=routing.label,
        title=routing.title,
        state=state,
        deadlock_free=routing.proof.deadlock_free,
        throughput_bytes_per_ns_per_switch=_traffic(routing) if found else None,
        throughput_load=found.accepted_load if found else None,
        knee_bytes_per_ns_per_switch=knee.accepted_bytes_per_ns_per_switch if knee else None,
        knee_half_width=knee.half_width if knee and math.isfinite(knee.half_width) else None,
        knee_load=knee.accepted_load if knee else None,
        is_knee_beyond=found is not None and routing.is_knee_beyond,
        relative_to_best=_traffic(routing) / best if found and best else None,
        unloaded_latency_ns=latency if math.isfinite(latency) else None,
        unloaded_load=unloaded.load if unloaded else None,
        max_routes_per_channel=load.max_routes_per_channel if load else None,
        mean_routes_per_channel=load.mean_routes_per_channel if load else None,
        mean_in_transit_stops=load.mean_in_transit_stops if load else None,
        minimal_share=load.minimal_share if load else None,
        note=note,
        same_routes_as=routing.same_routes_as,
    )


def _state(routing: RoutingResult) -> tuple[str, str]:
    if routing.failure is not None:
        return "not routed", routing.failure
    if not routing.proof.deadlock_free:
        return "refused", routing.proof.text
    if not routing.points:
        return "not simulated", "no point is finished; call again to go on"
    if (text := _deadlock(routing)) is not None:
        return "deadlocked", text
    return "simulated", ""


def best_of(ranking: Sequence[RankedRouting]) -> RankedRouting | None:
    """Return the routing of a ranking that `recommend` tells to take, None where it tells none."""
    simulated = [row for row in ranking if row.state == "simulated"]
    return max(simulated, key=_weights(simulated), default=None)


def _most(row: RankedRouting) -> float:
    return row.throughput_bytes_per_ns_per_switch or 0.0


def _usable(row: RankedRouting) -> float:
    """Return the traffic up to the knee, as far as it is known, 0 where it is not."""
    return _most(row) if row.is_knee_beyond else row.knee_bytes_per_ns_per_switch or 0.0


def _do_knees_tell(simulated: Sequence[RankedRouting]) -> bool:
    """Tell whether the knees known say which routing has the highest, whatever the others are.

    A knee that is not known is no higher than the throughput.
    """
    highest = max(map(_usable, simulated), default=0.0)

    def is_clear(row: RankedRouting) -> bool:
        if row.is_knee_beyond:
            return _most(row) >= highest * (1 - EQUAL_WITHIN)
        return row.knee_bytes_per_ns_per_switch is not None or _most(row) <= highest

    return highest > 0 and all(map(is_clear, simulated))


def _weights(simulated: Sequence[RankedRouting]) -> Callable[[RankedRouting], float]:
    """Return what routings are weighed by: knees where these tell, else throughputs."""
    if not _do_knees_tell(simulated):
        return _most
    return lambda row: _usable(row) or _most(row)


def recommend(ranking: Sequence[RankedRouting], knee_factor: float = KNEE_FACTOR) -> str:
    """Say in a sentence or two which routing of a ranking to take, and what that gives up.

    What counts is the traffic at a latency one would accept: the knee, where those known tell which
    is the highest; else the largest accepted traffic.
    """
    simulated = [row for row in ranking if row.state == "simulated"]
    if not simulated:
        if any(row.state == "deadlocked" for row in ranking):
            return "Every routing simulated deadlocked: take none of them."
        if any(row.deadlock_free for row in ranking):
            return "Nothing is simulated yet: call again to go on."
        return "None of these routings is proved deadlock-free on this fabric: take none of them."
    has_knees = _do_knees_tell(simulated)
    traffic = _weights(simulated)
    simulated.sort(key=traffic, reverse=True)
    best = simulated[0]

    def share(row: RankedRouting) -> float:
        return traffic(row) / traffic(best) if traffic(best) else 0.0

    peers = [row for row in simulated[1:] if share(row) >= 1 - EQUAL_WITHIN]
    at = f" until its latency is {knee_factor:g} times the unloaded one" if has_knees else ""
    at_least = "at least " if has_knees and best.is_knee_beyond else ""
    most_traffic = f"{at_least}{quantity(traffic(best))} bytes/ns/switch"
    text = f"Take {best.label}: it carries the most traffic{at}, {most_traffic}"
    if len(simulated) == 1:
        text += "; no other routing was simulated"
    elif peers:
        *first, last_peer = (row.label for row in peers)
        names = f"{', '.join(first)} and {last_peer}" if first else last_peer
        carry = "carries" if len(peers) == 1 else "carry"
        text += f"; {names} {carry} as much within {in_percent(EQUAL_WITHIN, 0)}"
        text += _quicker(best, peers)
    else:
        second = simulated[1]
        text += f", {1 / share(second):.2f} times that of {second.label}, the next"
        last = simulated[-1]
        if last is not second:
            text += f", and {1 / share(last):.2f} times that of {last.label}, the last"
    return text + _given_up(best, simulated) + _without_stops(best, simulated, share) + "."


def _given_up(best: RankedRouting, simulated: Sequence[RankedRouting]) -> str:
    """Name the routing that accepts more in the end, where one does."""
    most = max(simulated, key=_most)
    found, here = _most(most), _most(best)
    if here <= 0 or found <= here * (1 + EQUAL_WITHIN):
        return ""
    return (
        f". That gives up what {most.label} accepts beyond: {quantity(found)} at most, "
        f"{found / here:.2f} times the {quantity(here)} of {best.label}, "
        "at latencies no longer bounded"
    )


def _quicker(best: RankedRouting, peers: Sequence[RankedRouting]) -> str:
    """Name the peer with the lowest unloaded latency where that matters."""
    known = [row for row in peers if row.unloaded_latency_ns is not None]
    if best.unloaded_latency_ns is None or not known:
        return ""
    quickest = min(known, key=lambda row: row.unloaded_latency_ns or 0.0)
    ratio = (quickest.unloaded_latency_ns or 0.0) / best.unloaded_latency_ns
    if ratio > 1 - EQUAL_WITHIN:
        return ""
    return f", and {quickest.label} has {in_percent(1 - ratio, 0)} less latency at low load"


def _without_stops(
    best: RankedRouting,
    simulated: Sequence[RankedRouting],
    share: Callable[[RankedRouting], float],
) -> str:
    """Name the best routing for NICs that cannot hold in-transit packets."""
    if not best.mean_in_transit_stops:
        return ""
    others = [row for row in simulated if not row.mean_in_transit_stops]
    text = ". It needs NICs that hold and re-inject in-transit packets"
    if others:
        part = in_percent(share(others[0]), 0)
        text += f"; without them take {others[0].label} ({part} of that traffic)"
    return text
