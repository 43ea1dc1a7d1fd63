"""Does the static load of routes predict what they carry? Bounds beside simulated throughput."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from weft.errors import StudyError
from weft.statistics import linear_correlation, rank_correlation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.results import Results, RoutingResult

__all__ = [
    "Correlation",
    "Counterexample",
    "LoadedRouting",
    "correlate",
    "counterexamples",
    "loaded_routings",
]


@dataclass(frozen=True, slots=True)
class LoadedRouting:
    """What the static load promises of a routing, and what was simulated.

    Loads are fractions of the host link rate. A study is one fabric under one hardware and traffic.
    The bound is the largest load that no channel's routes forbid, the throughput the largest
    accepted load with half the width of its 95 % confidence interval, not finite where the
    simulations do not tell. Lanes are virtual lanes that carried anything then; 1 for hardware
    without lanes.
    """

    study: str
    label: str
    saturation_bound: float
    throughput_load: float
    half_width: float
    lanes: int

    @property
    def reached(self) -> float:
        """The throughput over the bound.

        Above 1 where hosts whose packets avoid the busiest channel go on to send more.
        """
        return self.throughput_load / self.saturation_bound


@dataclass(frozen=True, slots=True)
class Correlation:
    """How well bounds predict the throughputs of so many routings.

    The linear coefficient is Pearson's, NaN where bounds or throughputs do not vary; that of ranks
    is Spearman's, the same of the ranks.
    """

    linear: float
    ranks: float
    count: int


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Two routings of one study, of which that with the lower bound carries more.

    One promises more by its bound, and the other carries more; the intervals of the two do not
    overlap.
    """

    promises: LoadedRouting
    carries: LoadedRouting

    @property
    def factor(self) -> float:
        """What the one carries over what the other carries, above 1."""
        return self.carries.throughput_load / self.promises.throughput_load


def loaded_routings(results: Results) -> list[LoadedRouting]:
    """Set the static bound of every routing that was simulated beside its throughput.

    In the order of the study. Routings that deadlocked, were not simulated, or let packets choose
    on their way, which have no static load, are left out. Other than uniform traffic, which is what
    the bound is for, is a `StudyError`, as are programs.
    """
    pattern = "programs" if results.program is not None else results.spec.traffic.pattern
    if pattern != "uniform":
        message = (
            f"study {results.study} has {pattern}; expected uniform traffic, which the static "
            "bound is for"
        )
        raise StudyError(message)
    simulated = {row.label for row in results.ranking() if row.state == "simulated"}
    found = (_loaded(results, each) for each in results.routings if each.label in simulated)
    return [row for row in found if row is not None]


def _loaded(results: Results, routing: RoutingResult) -> LoadedRouting | None:
    load, throughput = routing.load, routing.throughput
    if load is None or throughput is None or not throughput.accepted_load:
        return None
    per_traffic = throughput.accepted_load / throughput.accepted_bytes_per_ns_per_switch
    lanes = results.lane_figures(routing.label, throughput.at_load).utilization
    return LoadedRouting(
        results.study,
        routing.label,
        load.saturation_bound,
        throughput.accepted_load,
        throughput.half_width * per_traffic,
        sum(map(any, zip(*lanes.tolist(), strict=True))) if lanes.size else 1,
    )


def correlate(rows: Sequence[LoadedRouting]) -> Correlation:
    """Compute how well the bounds of routings, of one study or more, predict throughputs."""
    bounds = [row.saturation_bound for row in rows]
    loads = [row.throughput_load for row in rows]
    return Correlation(
        linear_correlation(bounds, loads), rank_correlation(bounds, loads), len(rows)
    )


def counterexamples(rows: Sequence[LoadedRouting]) -> list[Counterexample]:
    """Find pairs of routings that bound and simulation order oppositely, the strongest first.

    A pair is of one study, and the intervals of its throughputs do not overlap.
    """
    found = [
        Counterexample(promises, carries)
        for promises, carries in permutations(rows, 2)
        if promises.study == carries.study
        and promises.saturation_bound > carries.saturation_bound
        and promises.throughput_load + promises.half_width
        < carries.throughput_load - carries.half_width
    ]
    return sorted(found, key=lambda each: -each.factor)
