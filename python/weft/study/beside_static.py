"""What of a study chooses among groups of ports, judged beside the best static tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._numbers import in_percent
from weft.adaptive import chooses_among_groups
from weft.adaptive_gains import best_static, gains_in_words
from weft.audit import Judgement, best_static_name, judge
from weft.routing import algorithms, route

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.results import RankedRouting, Results

__all__ = ["BesideStatic", "beside_static"]

_ROUNDS = 200  #: Random halves that send to one another.


@dataclass(frozen=True, slots=True)
class BesideStatic:
    """Routings whose switches choose among groups, beside static ones, with what that gains."""

    judged: list[Judgement]  #: Each that chooses, then static ones; empty where none chooses
    words: list[str]  #: Which service levels may choose, what they gain, and what to load


def beside_static(results: Results) -> BesideStatic:
    """Judge what of a study chooses among groups of ports beside its static tables.

    Where none of these are the best on as many lanes, they are judged too.

    Parameters
    ----------
    results : Results
        The results of a study.
    """
    by_name = {entry.name: entry for entry in algorithms()}
    routed = [one for one in results.routings if one.failure is None]
    may_choose = [
        one.label
        for one in routed
        if one.algorithm in by_name and by_name[one.algorithm].is_adaptive
    ]
    fabric = results.fabric
    routings = {label: route(fabric, label) for label in may_choose}
    choosing = [
        judge(fabric, routing, count=_ROUNDS)
        for routing in routings.values()
        if chooses_among_groups(routing)
    ]
    if not choosing:
        return BesideStatic([], [])
    tables = [
        one.label
        for one in routed
        if one.algorithm in by_name
        and by_name[one.algorithm].makes_tables
        and not by_name[one.algorithm].is_adaptive
    ]
    lanes = {routings[one.routing].lane_count for one in choosing}
    named = [best_static_name(taken) for taken in sorted(lanes)]
    static = [_judged(fabric, label) for label in dict.fromkeys([*tables, *named])]
    words: list[str] = []
    ranking = {row.label: row for row in results.ranking()}
    for one in choosing:
        best = best_static(static, routings[one.routing].lane_count)
        *gains, load = gains_in_words(one, best)
        words += [*gains, *_simulated_gain(ranking, one, best), load]
    return BesideStatic([*choosing, *static], words)


def _judged(fabric: Fabric, label: str) -> Judgement:
    return judge(fabric, route(fabric, label), count=_ROUNDS)


def _simulated_gain(
    ranking: dict[str, RankedRouting], adaptive: Judgement, static: Judgement | None
) -> list[str]:
    """Say what choosing gains by simulation over static tables that were simulated too."""
    one = ranking.get(adaptive.routing)
    other = None if static is None else ranking.get(static.routing)
    if one is None or other is None or not one.throughput_load or not other.throughput_load:
        return []
    times = one.throughput_load / other.throughput_load
    return [
        f"Simulated, {one.label} carries {in_percent(one.throughput_load)}, {times:.2f} times what"
        f" {other.label} carries."
    ]
