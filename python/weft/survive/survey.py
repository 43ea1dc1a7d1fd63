"""What each failure of a cable, switch, card or chassis would cost, before it happens."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, get_args

from weft import _core
from weft._ranges import MOST_OF_64_BITS, require_whole
from weft.errors import RoutingError
from weft.fabric import degrade
from weft.repair import route_anew, table_entries
from weft.survive.parts import MOST_FAILURES, combinations_of, numbers_of, parts_of
from weft.survive.records import (
    Failure,
    FailureParts,
    LoadOfTables,
    NewTables,
    Survival,
    Survivals,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft._core import Fabric, Routing
    from weft.survive.parts import Part

#: The numbers of the links and of the switches that fail.
Numbers = tuple[list[int], list[int]]
#: What a failure comes to: hosts cut off; why there is no repair; entries and lanes changed,
#: destinations set last and cleared first, and figures.
Told: TypeAlias = "tuple[list[str], str | None, tuple[int, int, int, int, _core._Figures] | None]"

__all__ = [
    "Numbers",
    "Survey",
    "Told",
    "halves_drawn",
    "left_after",
    "numbers_again",
    "survivals_of",
    "survive",
]

#: Failures that are looked at between two tellings of progress.
_BATCH = 64
#: Pairs that rounds of the effective bisection have together, at least.
_PAIRS = 16_384
_FEWEST_ROUNDS = 8
_MOST_ROUNDS = 1_000


def survive(
    fabric: Fabric,
    routing: Routing,
    *,
    parts: Sequence[FailureParts] = get_args(FailureParts),
    at_once: int = 1,
    sample: int | None = None,
    anew: int = 5,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Survivals:
    """Repair forwarding tables for every single failure, and tell what each costs.

    Each repair is proved with the way there: packets by old entries, by new ones and by any mixture
    of both wait for one another in no circle, but for destinations that are cleared first. What is
    left is judged by static loads; the effective bisection takes the same random halves of the
    compute ends for every failure.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Its tables: one address per destination, free of deadlock.
    parts : sequence of {'cables', 'switches', 'cards', 'chassis'}
        What fails: cables between switches, switches, cards of directors with all their switches,
        whole chassis, or any of them. Chassis are known by the system GUIDs and names of switches,
        cards by names alone; one of a single switch is left out where switches fail, too.
    at_once : int
        Parts that fail together.
    sample : int, optional
        So many failures, drawn by the seed, instead of all.
    anew : int
        For so many failures route anew, too, by the algorithm that made the tables: for those that
        cannot be repaired, then for those whose repair leaves the largest load.
    seed : int
        What failures and halves are drawn by.
    progress : callable, optional
        Told how many failures have been looked at, and how many there are.

    Returns
    -------
    Survivals
        The failures, the worst first: those that cut off most hosts, then those that cannot be
        repaired, then those that leave the least effective bisection.

    Raises
    ------
    RoutingError
        When tables can deadlock, or have a form that is not repaired.
    InputError
        When there is nothing to fail, or more than :data:`MOST_FAILURES` without a sample.

    Examples
    --------
    >>> import weft
    >>> torus = weft.torus(4, 4)
    >>> found = weft.survive(torus, weft.route(torus, "best:lanes=2"), parts=["cables"])
    >>> len(found.failures), found.refused
    (32, [])
    """
    survey = Survey.of(fabric, routing, parts=parts, at_once=at_once, sample=sample, seed=seed)
    told: list[Told] = []
    for batch in survey.batches:
        told += survey.standing.survive([numbers for _, numbers in batch])
        if progress is not None:
            progress(len(told), len(survey.failures))
    return survey.concluded(told, anew)


@dataclass(frozen=True)
class Survey:
    """All that is looked at: tables ready to be repaired, and the failures."""

    fabric: Fabric
    routing: Routing
    seed: int
    standing: _core.StandingTables
    failures: list[tuple[Failure, Numbers]]
    counts: dict[FailureParts, int]

    @classmethod
    def of(
        cls,
        fabric: Fabric,
        routing: Routing,
        *,
        parts: Sequence[FailureParts],
        at_once: int,
        sample: int | None,
        seed: int,
    ) -> Survey:
        """Prepare what :func:`survive` looks at; parameters and errors are its own."""
        require_whole("seed", seed, 0, MOST_OF_64_BITS)
        standing = _core.StandingTables(fabric, routing, halves_drawn(fabric), seed)
        failing = list(parts_of(standing, fabric, parts))
        combinations = combinations_of(failing, at_once, sample, seed)
        failures = [(_failure(parts), numbers_of(parts)) for parts in combinations]
        kinds = Counter(part.kind for part in failing)
        counts = {kind: kinds[kind] for kind in get_args(FailureParts) if kinds[kind]}
        return cls(fabric, routing, seed, standing, failures, counts)

    @property
    def batches(self) -> list[list[tuple[Failure, Numbers]]]:
        """The failures in the portions that are looked at at once."""
        starts = range(0, len(self.failures), _BATCH)
        return [self.failures[start : start + _BATCH] for start in starts]

    def concluded(self, told: list[Told], anew: int) -> Survivals:
        """Return what is found, given what each failure comes to; routes anew for the worst."""
        require_whole("anew", anew, 0, MOST_FAILURES)
        failures = _survivals(self.fabric, [failure for failure, _ in self.failures], told)
        whole = LoadOfTables(*self.standing.figures())
        found = Survivals(self.fabric, self.routing, whole, self.counts, failures)
        ranked = sorted(_compared(found, anew, self.seed), key=_rank)
        return replace(found, failures=ranked)


def survivals_of(
    standing: _core.StandingTables,
    fabric: Fabric,
    failures: list[tuple[Failure, Numbers]],
) -> list[Survival]:
    """Return what failures come to, each given with the numbers of its links and switches."""
    told = standing.survive([numbers for _, numbers in failures])
    return _survivals(fabric, [failure for failure, _ in failures], told)


def _survivals(fabric: Fabric, failures: list[Failure], told: list[Told]) -> list[Survival]:
    switch_of = dict(zip(fabric.host_names, fabric.host_switch.tolist(), strict=True))
    number_of = {name: number for number, name in enumerate(fabric.switch_names)}
    return [
        _survival(failure, {number_of[name] for name in failure.failed_switches}, one, switch_of)
        for failure, one in zip(failures, told, strict=True)
    ]


def numbers_again(
    standing: _core.StandingTables, fabric: Fabric, failures: list[Failure]
) -> list[tuple[Failure, Numbers]]:
    """Return failures with the numbers of links and switches on a fabric with more cables."""
    link_of = {(one, other): number for number, one, other in standing.cables()}
    number_of = {name: number for number, name in enumerate(fabric.switch_names)}
    return [
        (
            failure,
            (
                [link_of[ends] for ends in failure.cables],
                [number_of[name] for name in failure.failed_switches],
            ),
        )
        for failure in failures
    ]


def halves_drawn(fabric: Fabric) -> int:
    """Return how many halves are drawn: more where each has few pairs."""
    pairs = max(1, fabric.host_count // 2)
    return min(_MOST_ROUNDS, max(_FEWEST_ROUNDS, _PAIRS // pairs))


def _failure(parts: tuple[Part, ...]) -> Failure:
    return Failure(
        tuple(part.ends for part in parts if part.kind == "cables"),
        tuple(part.name for part in parts if part.kind == "switches"),
        tuple(part.shared for part in parts if part.kind == "cards"),
        tuple(part.shared for part in parts if part.kind == "chassis"),
    )


def _survival(
    failure: Failure,
    failed: set[int],
    told: Told,
    switch_of: dict[str, int],
) -> Survival:
    cut_off, refusal, repaired = told
    stranded = sum(switch_of[host] not in failed for host in cut_off)
    if repaired is None:
        return Survival(failure, cut_off, stranded, refusal, 0, 0, 0, 0, None)
    entries, lanes, last, cleared, load = repaired
    figures = LoadOfTables(*load)
    return Survival(failure, cut_off, stranded, refusal, entries, lanes, last, cleared, figures)


def _compared(found: Survivals, count: int, seed: int) -> list[Survival]:
    """Route anew for so many failures: those that are not repaired, then those of largest load."""
    failures = found.failures

    def need(place: int) -> tuple[bool, int]:
        load = failures[place].load
        return load is not None, 0 if load is None else -load.largest_load

    sending = [place for place, one in enumerate(failures) if not found.is_silent(one)]
    made = {
        place: _routed_anew(found.fabric, found.routing, failures[place].failure, seed)
        for place in sorted(sending, key=need)[:count]
    }
    return [replace(one, anew=made.get(place)) for place, one in enumerate(failures)]


def _routed_anew(fabric: Fabric, routing: Routing, failure: Failure, seed: int) -> NewTables | None:
    left = left_after(fabric, failure)
    try:
        tables = route_anew(routing, left)
        figures = _core.StandingTables(left, tables, halves_drawn(left), seed).figures()
    except RoutingError:
        return None
    return NewTables(LoadOfTables(*figures), table_entries(left, tables))


def left_after(fabric: Fabric, failure: Failure) -> Fabric:
    """Return the part with most hosts that a failure leaves of a fabric."""
    links = [one for one, _ in failure.cables]
    return degrade(fabric, links=links, switches=failure.failed_switches, keep_largest=True).fabric


def _rank(found: Survival) -> tuple[int, int, bool, float, float]:
    """Return what failures are sorted by, the worst first."""
    bisection, bound = (
        (0.0, 0.0)
        if found.load is None
        else (found.load.effective_bisection, found.load.saturation_bound)
    )
    lost = len(found.cut_off_hosts)
    return -lost, -found.stranded_hosts, found.refusal is None, bisection, bound
