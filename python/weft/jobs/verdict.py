"""Which of several runs of the same jobs one should take, and what that is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.jobs.running import JobsRun

__all__ = ["JobsRow", "best_of", "cost_of", "mean_time", "verdict_text"]


@dataclass(frozen=True, slots=True, eq=False)
class JobsRow:
    """A run of jobs by a routing and in a placement, to be compared with others."""

    routing: str  #: Label of the routing
    placement: str  #: Rule of placement, or that the file of jobs says the places
    found: JobsRun  #: How they ran


def best_of(rows: Sequence[JobsRow]) -> int | None:
    """Return the number of the run whose jobs take least, by the geometric mean of their times.

    So a job of seconds counts as one of hours. None where no run came to its end, or there is one
    alone.
    """
    costs = [_cost(row) for row in rows]
    if len(costs) < 2 or not math.isfinite(min(costs)):
        return None
    return costs.index(min(costs))


def verdict_text(rows: Sequence[JobsRow], best: int) -> str:
    """Say which run to take, what the worst would cost, and what jobs cost each other."""
    costs = [_cost(row) for row in rows]
    chosen = rows[best]
    text = f"Take {_named(chosen)}"
    worst = costs.index(max(cost for cost in costs if math.isfinite(cost)))
    if worst != best:
        longer = 100 * (costs[worst] / costs[best] - 1)
        text += f": by {_named(rows[worst])}, jobs take {longer:.1f} % longer on average"
    slowdown = mean_time([job.slowdown for job in chosen.found.jobs])
    if math.isfinite(slowdown):
        text += f". So placed, each takes {slowdown:.3f} times as long as by itself, on average"
    return f"{text}."


def _named(row: JobsRow) -> str:
    return f"{row.routing}, placed {row.placement}"


def _cost(row: JobsRow) -> float:
    return cost_of([job.duration_ns for job in row.found.jobs])


def cost_of(times_ns: Sequence[float]) -> float:
    """Return the geometric mean of the times of jobs; infinite where one has no end.

    What takes no time at all, as a single rank without others, counts as a nanosecond.
    """
    return mean_time([max(time_ns, 1.0) for time_ns in times_ns])


def mean_time(values: Sequence[float]) -> float:
    """Return the geometric mean of times or of their ratios; infinite where one is not known."""
    if not values or not all(value > 0 for value in values):
        return math.inf
    return math.exp(sum(map(math.log, values)) / len(values))
