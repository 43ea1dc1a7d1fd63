"""The knee of a routing: what it carries before latency is a multiple of the unloaded one.

Throughput alone may lie beyond saturation, where packets wait without end; the knee is what one
can use::

    mean latency
       │              ×
       │            ×
     2·L₀ ┄ ┄ ┄ ┄ ┄×
       │        ×  ╎
     L₀ ×   ×      ╎
       └───────────┴──── accepted
                 knee
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from weft._numbers import quantity
from weft.results.types import Knee
from weft.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.results.types import Point

__all__ = ["KNEE_FACTOR", "is_knee_beyond", "knee", "knee_bracket"]

#: The knee is where mean latency reaches this many times that of the unloaded network.
KNEE_FACTOR = 2.0
#: The lowest load stands for the unloaded network where its traffic is at most this share of the
#: largest accepted.
UNLOADED_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class _At:
    """The mean over the seeds of one load."""

    load: float
    traffic: float
    accepted_load: float
    latency_ns: float
    #: Half width of the 95 % interval of the latency as a share of it; NaN where it has none.
    spread: float


def knee(points: Sequence[Point], factor: float = KNEE_FACTOR) -> Knee | None:
    """Find the knee among the points of one routing.

    Between two loads latency is taken to grow exponentially with what is offered, accepted traffic
    linearly. The interval is where curves through the ends of the latencies' intervals cross; where
    a latency that this takes has no interval, as beyond saturation, the knee has none either.

    Parameters
    ----------
    points : sequence of Point
        By load, then seed.
    factor : float
        Multiple of the unloaded latency, above 1.

    Returns
    -------
    Knee or None
        None where the lowest load is no unloaded network (more than a quarter of the largest
        accepted traffic), or where no load brings the latency that far.
    """
    known = [at for at in _by_load(points) if math.isfinite(at.latency_ns)]
    if not _begins_unloaded(known):
        return None
    limit_ns = factor * known[0].latency_ns
    bracket = knee_bracket([at.latency_ns for at in known], factor)
    if bracket is None:
        return None
    below, above = known[bracket], known[bracket + 1]
    share = _crossing(below.latency_ns, above.latency_ns, limit_ns)
    traffic = _between(below.traffic, above.traffic, share)
    ends = [_end(known, limit_ns, side) for side in (1, -1)]
    width = [abs(end - traffic) for end in ends if end is not None]
    return Knee(
        accepted_bytes_per_ns_per_switch=traffic,
        accepted_load=_between(below.accepted_load, above.accepted_load, share),
        half_width=max(width) if len(width) == len(ends) else math.nan,
        latency_ns=limit_ns,
        rule=(
            f"mean latency reaches {factor:g} times the {known[0].latency_ns:.0f} ns of load "
            f"{quantity(known[0].load)} between loads {quantity(below.load)} "
            f"({below.latency_ns:.0f} ns) and {quantity(above.load)} ({above.latency_ns:.0f} ns)"
        ),
    )


def is_knee_beyond(points: Sequence[Point], factor: float = KNEE_FACTOR) -> bool:
    """Tell whether mean latency stays below that of the knee from an unloaded network on.

    The knee then lies at the largest accepted traffic or beyond. Parameters are those of `knee`.
    """
    known = _by_load(points)
    return (
        all(math.isfinite(at.latency_ns) for at in known)
        and _begins_unloaded(known)
        and knee_bracket([at.latency_ns for at in known], factor) is None
    )


def knee_bracket(latencies_ns: Sequence[float], factor: float = KNEE_FACTOR) -> int | None:
    """Return the place of the last latency before one that reaches ``factor`` times the first.

    Latencies are by load, ascending; None where none reaches it.
    """
    limit_ns = factor * latencies_ns[0]
    pairs = enumerate(pairwise(latencies_ns))
    return next((place for place, (_, after) in pairs if after >= limit_ns), None)


def _by_load(points: Sequence[Point]) -> list[_At]:
    return [_at(list(group)) for _, group in groupby(points, key=lambda point: point.load)]


def _begins_unloaded(known: Sequence[_At]) -> bool:
    """Tell whether the lowest load stands for the unloaded network."""
    largest = max((at.traffic for at in known), default=0.0)
    return bool(known) and known[0].traffic <= UNLOADED_SHARE * largest


def _at(group: Sequence[Point]) -> _At:
    measured = [point.measurement for point in group]
    latency = mean_interval([found.generation_latency_ns.mean for found in measured])
    of_one = measured[0].generation_latency_ns.mean_half_width
    half_width = latency.half_width if len(group) > 1 else of_one
    count = len(group)
    return _At(
        load=group[0].load,
        traffic=math.fsum(found.accepted_bytes_per_ns_per_switch for found in measured) / count,
        accepted_load=math.fsum(found.accepted_load for found in measured) / count,
        latency_ns=latency.mean,
        spread=half_width / latency.mean,
    )


def _end(known: Sequence[_At], limit_ns: float, side: int) -> float | None:
    """Return where the curve through one end of all intervals crosses the limit.

    None where it does not, or where no interval tells.
    """
    if any(at.spread >= 1 for at in known):
        return None
    # The limit is known as well as the latency of the unloaded network.
    limit_ns *= 1 - side * known[0].spread
    latencies = [at.latency_ns * (1 + side * at.spread) for at in known]
    for (below, above), (low, high) in zip(pairwise(known), pairwise(latencies), strict=True):
        if low < limit_ns <= high:
            return _between(below.traffic, above.traffic, _crossing(low, high, limit_ns))
    return None


def _crossing(low: float, high: float, limit: float) -> float:
    """Return how far between two latencies, 0 to 1, the limit is reached."""
    return math.log(limit / low) / math.log(high / low)


def _between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share
