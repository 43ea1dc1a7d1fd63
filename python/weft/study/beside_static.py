"""What of a study chooses among groups of ports, judged beside the best static tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.adaptive import chooses_among_groups
from weft.adaptive_gains import Carried, best_static, gains_in_words, static_names
from weft.audit import Judgement, judge
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
    lanes = [routings[one.routing].lane_count for one in choosing]
    static = [_judged(fabric, label) for label in [*tables, *static_names(lanes, tables)]]
    words: list[str] = []
    ranking = {row.label: row for row in results.ranking()}
    for one in choosing:
        best = best_static(static, routings[one.routing].lane_count)
        words += gains_in_words(one, best, carried=_carried(ranking, one, best))
    return BesideStatic([*choosing, *static], words)


def _judged(fabric: Fabric, label: str) -> Judgement:
    return judge(fabric, route(fabric, label), count=_ROUNDS)


def _carried(
    ranking: dict[str, RankedRouting], adaptive: Judgement, static: Judgement | None
) -> Carried | None:
    """Return what was simulated of tables that choose, beside static ones; None if nothing was."""
    one = ranking.get(adaptive.routing)
    other = None if static is None else ranking.get(static.routing)
    if one is None or not one.throughput_load:
        return None
    return Carried(one.throughput_load, None if other is None else other.throughput_load)
