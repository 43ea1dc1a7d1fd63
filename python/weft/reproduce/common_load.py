"""Policies against each other: at one load for all, at shares of what one of them carries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.reproduce.questions import condition
from weft.reproduce.spread import mean_row
from weft.results.throughput import is_saturated

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.reproduce.definition import Row
    from weft.reproduce.questions import Found, Question
    from weft.results import Point, RoutingResult
    from weft.study import Case

__all__ = ["against", "at_common_load"]


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


def against(
    keys: Sequence[str],
    series: str,
    base: str,
    traffic: Mapping[str, float],
    best: Sequence[str],
) -> Question:
    """Ask what the values of the key `series` gain over that of `base`, on the same topologies.

    That is the factor of throughput, how much less mean and longest latency are at each `traffic`,
    a share of the load at which `base` carries most by its name, and both of the values `best` in
    the mean. Latencies between two loads of a curve are interpolated. `keys` tell conditions apart
    and are without the series.
    """

    def question(found: Found) -> list[Row]:
        told: dict[tuple[str, str], list[float]] = {}
        for group in _by_topology(found, series):
            curves = {str(case.settings[series]): routing for case, routing in group}
            under = condition(group[0][0], keys)
            if base in curves:
                gains = {name: _gains(curves[base], one, traffic) for name, one in curves.items()}
                for name, each in gains.items():
                    for quantity, value in each.items() if name != base else ():
                        told.setdefault((under, f"{name}: {quantity}"), []).append(value)
                known = [gains[name] for name in best if name in gains]
                for quantity in known[0] if len(known) == len(best) else ():
                    mean = float(np.mean([each[quantity] for each in known]))
                    told.setdefault((under, f"mean of {len(best)}: {quantity}"), []).append(mean)
        return [
            mean_row(under, quantity.format(base=base), values)
            for (under, quantity), values in told.items()
        ]

    return question


def _gains(
    base: RoutingResult, one: RoutingResult, traffic: Mapping[str, float]
) -> dict[str, float]:
    """Return what a curve gains over another, by quantity."""
    if base.throughput is None or one.throughput is None:
        return {}
    more = one.throughput.accepted_bytes_per_ns_per_switch
    gains = {
        "throughput over {base}, average": more / base.throughput.accepted_bytes_per_ns_per_switch
    }
    for name, share in traffic.items():
        load = share * base.throughput.at_load
        for what, at in (("latency", "mean"), ("longest latency", "max")):
            less, whole = (_latency_ns(curve, load, at) for curve in (one, base))
            gains[f"{what} less than {{base}} at {name} traffic, average, %"] = 100 * (
                1 - less / whole
            )
    return gains


def _latency_ns(routing: RoutingResult, load: float, name: str) -> float:
    points = sorted(routing.points, key=lambda point: point.load)
    latencies = [getattr(point.measurement.generation_latency_ns, name) for point in points]
    return float(np.interp(load, [point.load for point in points], latencies))


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
