"""Latency at one load for all: what policies that carry different loads are compared at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.reproduce.questions import condition, mean_row
from weft.results.throughput import is_saturated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.reproduce.definition import Row
    from weft.reproduce.questions import Found, Question
    from weft.results import Point, RoutingResult
    from weft.study import Case

__all__ = ["at_common_load"]


def at_common_load(keys: Sequence[str], series: str, names: Mapping[str, str]) -> Question:
    """Ask for mean and longest latency at the highest load that all carry.

    The longest latency of any packet grows without bound towards the load that a policy no longer
    carries, so that two policies compare at one load alone. What is compared on each topology are
    the values of the key `series`, which is among the `keys` that tell conditions apart. Load and
    latencies are means over the topologies of a condition; those without a load that all carry are
    left out.
    """

    def question(found: Found) -> list[Row]:
        told: dict[tuple[str, str], list[Sequence[float]]] = {}
        for curves in _by_topology(found, series):
            carried = [_carried(routing) for _, routing in curves]
            common = set.intersection(*(set(loads) for loads in carried))
            if not common:
                continue
            load = max(common)
            for (case, routing), points in zip(curves, carried, strict=True):
                latency = points[load].measurement.generation_latency_ns
                name = names.get(routing.label, routing.label)
                key = (condition(case, keys), name)
                told.setdefault(key, []).append((100 * load, latency.mean, latency.max))
        return [
            mean_row(under, f"{name}: {what}", [one[figure] for one in values])
            for (under, name), values in told.items()
            for figure, what in enumerate(_FIGURES)
        ]

    return question


_FIGURES = (
    "highest load that all carry, % of the host link rate",
    "latency at that load, ns",
    "longest latency at that load, ns",
)


def _by_topology(found: Found, series: str) -> list[list[tuple[Case, RoutingResult]]]:
    """Gather the curves that differ in the series alone."""
    groups: dict[str, list[tuple[Case, RoutingResult]]] = {}
    for case, results in found:
        settings = {key: value for key, value in case.settings.items() if key != series}
        group = groups.setdefault(repr(sorted(settings.items())), [])
        group += [(case, routing) for routing in results.routings if routing.points]
    return [group for group in groups.values() if group]


def _carried(routing: RoutingResult) -> dict[float, Point]:
    """Return the points of a routing that the network carries, by load; of seeds the first."""
    carried: dict[float, Point] = {}
    for point in routing.points:
        found = point.measurement
        if not is_saturated(found.offered_load, found.accepted_load, found.reason):
            carried.setdefault(point.load, point)
    return carried
