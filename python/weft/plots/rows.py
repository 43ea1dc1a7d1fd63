"""Flat rows for the charts, drawn from the results of a study.

One row per routing and load, the seeds of a load together, with the units of the axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from weft.results.throughput import is_saturated
from weft.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.results import Point, Results, RoutingResult
    from weft.simulate import Measurement

STEADY = "steady"
UNSETTLED = "interval still wide"
BEYOND = "beyond saturation"
DEADLOCKED = "deadlocked"

STATES: tuple[str, ...] = (STEADY, UNSETTLED, BEYOND, DEADLOCKED)
"""What became of a point, in the order of the legend."""


def state_of(found: Measurement) -> str:
    """Tell what became of a run.

    A run that spent its budget may well have seen that the network does not carry what is
    offered; then it lies beyond saturation, by the rule that finds the throughput.
    """
    if found.reason == "deadlocked":
        return DEADLOCKED
    if is_saturated(found.offered_load, found.accepted_load, found.reason):
        return BEYOND
    return UNSETTLED if found.reason == "budget" else STEADY


class Curves(Protocol):
    """What curves are drawn of: routings with their points. The results of a study are that."""

    @property
    def routings(self) -> Sequence[RoutingResult]:
        """The routings, in the order of the legend."""


@dataclass(frozen=True)
class LoadPoint:
    """All seeds of one routing at one load."""

    load: float  # offered, fraction of the host link rate
    points: list[Point]  # one per seed, ascending; at least one

    @property
    def state(self) -> str:
        """What became of the point, one of `STATES`; with several seeds, of the worst of them."""
        return max((state_of(point.measurement) for point in self.points), key=STATES.index)

    @property
    def is_settled(self) -> bool:
        """Whether the network carried what was offered, so that latency has a steady value."""
        return self.state in (STEADY, UNSETTLED)

    @property
    def reason(self) -> str:
        """Why the run ended, in a sentence."""
        first = self.points[0].measurement.reason_text
        return first if len(self.points) == 1 else f"{len(self.points)} seeds; {first}"

    def mean(self, figure: Callable[[Measurement], float | None]) -> float | None:
        """Average a figure over the seeds that have it; None when none has."""
        values = [finite(figure(point.measurement)) for point in self.points]
        known = [value for value in values if value is not None]
        return math.fsum(known) / len(known) if known else None

    def half_width(
        self,
        figure: Callable[[Measurement], float | None],
        own: Callable[[Measurement], float | None],
    ) -> float:
        """Return the 95 % half width: of the run, or over the seeds when there are several."""
        if len(self.points) == 1:
            return finite(own(self.points[0].measurement)) or 0.0
        values = [finite(figure(point.measurement)) for point in self.points]
        known = [value for value in values if value is not None]
        return mean_interval(known).half_width if len(known) > 1 else 0.0


def load_points(routing: RoutingResult) -> list[LoadPoint]:
    """Return the points of a routing by load, the seeds of a load together."""
    together: list[LoadPoint] = []
    for point in sorted(routing.points, key=lambda point: (point.load, point.seed)):
        if together and math.isclose(point.load, together[-1].load, rel_tol=1e-9):
            together[-1].points.append(point)
        else:
            together.append(LoadPoint(point.load, [point]))
    return together


def routing_labels(results: Curves) -> list[str]:
    """Return the labels of all routings in the order of the study."""
    return [routing.label for routing in results.routings]


def simulated(results: Curves) -> list[RoutingResult]:
    """Return the routings with at least one simulated point, in the order of the study."""
    return [routing for routing in results.routings if routing.points]


def finite(value: float | None) -> float | None:
    """Return the value when it is a finite number, else None (JSON knows no infinity)."""
    return None if value is None or not math.isfinite(value) else float(value)


def point_rows(results: Curves) -> list[dict[str, Any]]:
    """Return one row per routing in the order of the study, and load, ascending.

    Members: ``routing``, ``load`` (fraction of the host link rate), ``seeds`` (how many), ``state``
    (one of `STATES`), ``reason`` (a sentence), ``offered`` and ``accepted`` with
    ``accepted_half_width`` (bytes/ns/switch), ``latency``, ``latency_half_width``, ``latency_p99``,
    ``latency_max`` (the largest of all seeds) and ``network_latency`` (ns; None where no packet was
    delivered), ``longest_wait`` (ns, the largest of all seeds), ``packets``.
    """
    return [
        _row(routing.label, at) for routing in simulated(results) for at in load_points(routing)
    ]


def _row(label: str, at: LoadPoint) -> dict[str, Any]:
    def latency(found: Measurement) -> float | None:
        return found.generation_latency_ns.mean if found.generation_latency_ns.count else None

    return {
        "routing": label,
        "load": at.load,
        "seeds": len(at.points),
        "state": at.state,
        "reason": at.reason,
        "offered": at.mean(lambda found: found.offered_bytes_per_ns_per_switch) or 0.0,
        "accepted": at.mean(_accepted) or 0.0,
        "accepted_half_width": at.half_width(_accepted, _accepted_half_width),
        "latency": at.mean(latency),
        "latency_half_width": at.half_width(
            latency, lambda found: found.generation_latency_ns.mean_half_width
        ),
        "latency_max": max(
            (
                point.measurement.generation_latency_ns.max
                for point in at.points
                if point.measurement.generation_latency_ns.count
            ),
            default=None,
        ),
        "latency_p99": at.mean(lambda found: found.generation_latency_ns.p99),
        "network_latency": at.mean(lambda found: found.network_latency_ns.mean),
        "longest_wait": max(point.measurement.longest_wait_ns for point in at.points),
        "packets": sum(point.measurement.delivered_packets for point in at.points),
    }


def _accepted(found: Measurement) -> float:
    return found.accepted_bytes_per_ns_per_switch


def _accepted_half_width(found: Measurement) -> float:
    """Return the 95 % half width of accepted traffic in bytes/ns/switch.

    The measurement holds it as a load; both units are proportional.
    """
    half = finite(found.accepted_load_half_width)
    if half is None or not found.accepted_load:
        return 0.0
    return half * found.accepted_bytes_per_ns_per_switch / found.accepted_load


def best_label(results: Results) -> str | None:
    """Return the label of the first simulated routing of the ranking, or None."""
    return next((row.label for row in results.ranking() if row.state == "simulated"), None)
