"""The throughput of a routing: the largest accepted traffic over offered traffic."""

from __future__ import annotations

import math
from itertools import groupby
from statistics import NormalDist
from typing import TYPE_CHECKING

from weft._numbers import in_percent, quantity
from weft.results.types import Throughput
from weft.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.results.types import Point

__all__ = ["SATURATED_BELOW", "is_point_saturated", "is_saturated", "throughput"]

_NORMAL = NormalDist()

#: Confidence of all intervals.
CONFIDENCE = 0.95

#: A point is saturated when less than this share of the offered traffic was accepted.
SATURATED_BELOW = 0.95


def is_saturated(offered_load: float, accepted_load: float, reason: str) -> bool:
    """Return whether the network failed to carry what was offered."""
    stuck = reason in ("saturated", "deadlocked")
    return stuck or accepted_load < SATURATED_BELOW * offered_load


def throughput(points: Sequence[Point]) -> Throughput | None:
    """Find the throughput among the points of one routing.

    With several seeds a load counts with the mean over its seeds. The largest of several figures
    that chance has moved is more likely too large than too small: where others lie within the
    interval of the largest, the interval is as wide as it must be to hold for all of them at once.
    """
    if not points:
        return None
    by_load = [list(group) for _, group in groupby(points, key=lambda point: point.load)]
    means = [_mean_accepted(group) for group in by_load]
    best = max(range(len(by_load)), key=means.__getitem__)
    group = by_load[best]
    traffic = [_traffic(point) for point in group]
    return Throughput(
        accepted_bytes_per_ns_per_switch=math.fsum(traffic) / len(traffic),
        accepted_load=means[best],
        at_load=group[0].load,
        rule=_rule(by_load, best),
        half_width=_half_width(group, _rivals(by_load, best)),
    )


def _mean_accepted(group: Sequence[Point]) -> float:
    return math.fsum(point.measurement.accepted_load for point in group) / len(group)


def _half_width(group: Sequence[Point], rivals: int = 1) -> float:
    """Return the half width of the interval across seeds, or within the run of a single seed.

    It holds for so many loads at once (Bonferroni).
    """
    traffic = [_traffic(point) for point in group]
    miss = (1 - CONFIDENCE) / rivals
    if len(group) > 1:
        return mean_interval(traffic, 1 - miss).half_width
    measurement = group[0].measurement
    if not measurement.accepted_load:
        return 0.0
    widening = _NORMAL.inv_cdf(1 - miss / 2) / _NORMAL.inv_cdf(0.5 + CONFIDENCE / 2)
    return widening * measurement.accepted_load_half_width * traffic[0] / measurement.accepted_load


def _rivals(by_load: Sequence[Sequence[Point]], best: int) -> int:
    """Count the loads that may be the largest as well, as far as the interval of it tells."""
    half_width = _half_width(by_load[best])
    if not math.isfinite(half_width):
        return 1
    means = [math.fsum(map(_traffic, group)) / len(group) for group in by_load]
    return sum(mean >= means[best] - half_width for mean in means)


def _traffic(point: Point) -> float:
    return point.measurement.accepted_bytes_per_ns_per_switch


def _rule(by_load: Sequence[Sequence[Point]], best: int) -> str:
    loads = [group[0].load for group in by_load]
    count = len(loads)
    rule = f"largest accepted traffic over {count} {'load' if count == 1 else 'loads'}"
    if count > 1:
        rule += f" from {quantity(loads[0])} to {quantity(loads[-1])}"
    if not any(is_point_saturated(point) for group in by_load for point in group):
        return f"{rule}; none of them saturated the network, so this is a lower limit"
    if best in (0, count - 1):
        return f"{rule}; reached at the {'lowest' if best == 0 else 'highest'} of them"
    below = (loads[best] - loads[best - 1]) / loads[best]
    above = (loads[best + 1] - loads[best]) / loads[best]
    around = f"{in_percent(below)} below and {in_percent(above)} above"
    return f"{rule}; the loads tried next to it are {around}"


def is_point_saturated(point: Point) -> bool:
    """Tell whether the network was saturated at a point."""
    found = point.measurement
    return is_saturated(found.offered_load, found.accepted_load, found.reason)
