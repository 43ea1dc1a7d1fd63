"""The load at which the channels are shown.

Every routing has its own ladder of loads, and often no load above the lowest is common to all.
So a figure is shown at the nearest point, when it is near enough, or for each routing at its own
throughput: there, the channels that limit it stand out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft._numbers import quantity
from weft.errors import InputError
from weft.plots.rows import load_points, simulated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft.plots.rows import LoadPoint
    from weft.results import Results, RoutingResult

NEAR = 0.1
"""How far, relative to it, a point may lie from the load at which it is shown."""

AT_THROUGHPUT = 0.0
"""Stands for the load at which each routing reached its throughput; no study offers no load."""

LEAST_SHARE = 0.5
"""A load common to all routings is shown first when it is at least this share of the smallest of
their throughputs; below, every network is nearly empty."""


def point_near(routing: RoutingResult, load: float) -> LoadPoint | None:
    """Return the point of a routing nearest to a load, or to its own with `AT_THROUGHPUT`.

    None when the nearest load differs by more than `NEAR` of the load wanted.
    """
    is_own = load == AT_THROUGHPUT
    if is_own and routing.throughput is None:
        return None
    wanted = routing.throughput.at_load if is_own and routing.throughput else load
    near = min(load_points(routing), key=lambda at: (abs(at.load - wanted), at.load), default=None)
    if near is None or abs(near.load - wanted) > NEAR * wanted:
        return None
    return near


def shown_at(results: Results, at: float | None) -> Iterator[tuple[RoutingResult, LoadPoint]]:
    """Yield every simulated routing that has a point near a load, with that point."""
    if at is not None:
        points = ((routing, point_near(routing, at)) for routing in simulated(results))
        yield from ((routing, point) for routing, point in points if point is not None)


def loads_of(results: Results) -> list[float]:
    """Return all simulated loads in ascending order (fractions of the host link rate)."""
    loads = {at.load for routing in simulated(results) for at in load_points(routing)}
    return sorted(loads)


def drawing_load(results: Results, wanted: float | None = None) -> float | None:
    """Choose the load at which the channels are shown first; none where nothing was simulated.

    It is the simulated load nearest to the one wanted. Without a wish, it is the largest near which
    every routing has a steady point, so that all carry the same traffic, and `AT_THROUGHPUT` when
    there is none, or when every network would be nearly empty there. A load that is not above 0 is
    an `InputError`.
    """
    if wanted not in (None, AT_THROUGHPUT) and not 0 < wanted < math.inf:
        message = f"load {wanted:g}: expected more than 0, a fraction of the hosts' link rate"
        raise InputError(message)
    loads = loads_of(results)
    if not loads:
        return None
    if wanted == AT_THROUGHPUT:
        return AT_THROUGHPUT
    if wanted is not None:
        return min(loads, key=lambda load: (abs(load - wanted), load))
    routings = simulated(results)
    common = [load for load in loads if all(_is_settled_near(r, load) for r in routings)]
    first_limit = min(r.throughput.accepted_load for r in routings if r.throughput is not None)
    if not common or common[-1] < LEAST_SHARE * first_limit:
        return AT_THROUGHPUT
    # Among loads that show the same points, the one that most routings were simulated at.
    shown = [_points_near(routings, load) for load in common]
    alike = [load for load, points in zip(common, shown, strict=True) if points == shown[-1]]
    return max(alike, key=lambda load: (shown[-1].count(load), load))


def drawing_loads(results: Results, wanted: float | None = None) -> list[float]:
    """Return the load of `drawing_load` alone, for charts that can show several; none without."""
    chosen = drawing_load(results, wanted)
    return [] if chosen is None else [chosen]


def _is_settled_near(routing: RoutingResult, load: float) -> bool:
    at = point_near(routing, load)
    return at is not None and at.is_settled


def _points_near(routings: list[RoutingResult], load: float) -> list[float]:
    """Return the loads of the points that are shown for a load."""
    found = [point_near(routing, load) for routing in routings]
    return [at.load for at in found if at is not None]


def offered_loads(results: Results, chosen: float, most: int) -> list[float]:
    """Choose at most `most` loads to switch between, well apart and the chosen one among them.

    Ascending; `AT_THROUGHPUT` comes first, unless there is room for one load only.
    """
    if most == 1:
        return [chosen]
    apart = 1.12
    while True:
        kept = [chosen] if chosen != AT_THROUGHPUT else []
        for load in loads_of(results):
            if all(max(load, other) >= apart * min(load, other) for other in kept):
                kept.append(load)
        if len(kept) < most:
            return [AT_THROUGHPUT, *sorted(kept)]
        apart *= 1.25


def load_text(load: float) -> str:
    """Write a load for people: ``12.5 %``."""
    return f"{quantity(100 * load)} %"


def where_text(load: float) -> str:
    """Say at which load figures are shown: ``at 12.5 % load``."""
    if math.isclose(load, AT_THROUGHPUT, abs_tol=1e-15):
        return "each at its throughput"
    return f"at {load_text(load)} load"
