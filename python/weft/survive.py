"""What each failure of a cable, switch, card or chassis would cost, before it happens."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from weft import _core
from weft._ranges import MOST_OF_64_BITS, require_whole
from weft.errors import InputError, RoutingError
from weft.fabric import degrade
from weft.fabric.chassis import chassis_of
from weft.repair import is_time_to_route_anew, route_anew, table_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft._core import Fabric, Routing
    from weft.fabric.chassis import Chassis

__all__ = [
    "Failure",
    "FailureParts",
    "LoadOfTables",
    "NewTables",
    "SharedPart",
    "Survival",
    "Survivals",
    "survive",
]

#: What fails: cables between switches, switches, cards of directors, or whole chassis.
FailureParts = Literal["cables", "switches", "cards", "chassis"]

#: Failures that are looked at between two tellings of progress.
_BATCH = 64
#: Failures at most that are looked at without being drawn.
MOST_FAILURES = 200_000
#: Parts at most that fail together.
_MOST_AT_ONCE = 1_000
#: Pairs that rounds of the effective bisection have together, at least.
_PAIRS = 16_384
_FEWEST_ROUNDS = 8
_MOST_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class SharedPart:
    """A card or chassis, whose switches fail together."""

    name: str
    switches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Parts that fail together."""

    cables: tuple[tuple[str, str], ...] = ()  #: Links, both ends as ``switch:port``
    switches: tuple[str, ...] = ()  #: Switches by themselves, with their links and hosts
    cards: tuple[SharedPart, ...] = ()  #: Cards of directors
    chassis: tuple[SharedPart, ...] = ()  #: Directors as a whole

    @property
    def name(self) -> str:
        """What fails, in words."""
        cables = (f"{one} – {other}" for one, other in self.cables)
        return ", ".join([*cables, *self.switches, *(one.name for one in self.shared)])

    @property
    def shared(self) -> tuple[SharedPart, ...]:
        """Cards and chassis."""
        return *self.cards, *self.chassis

    @property
    def failed_switches(self) -> tuple[str, ...]:
        """All switches that fail, by themselves and with what they are on."""
        return *self.switches, *(name for one in self.shared for name in one.switches)


@dataclass(frozen=True, slots=True)
class LoadOfTables:
    """How forwarding tables load the channels between switches."""

    largest_load: int  #: Most routes of pairs of compute ends over one channel between switches
    busiest: str | None  #: That channel; None where no route leads over any
    saturation_bound: (
        float  #: Largest uniform load that no channel's routes forbid, of the link rate
    )
    effective_bisection: (
        float  #: Mean share of the rate when random halves of the ends send in pairs
    )


@dataclass(frozen=True, slots=True)
class NewTables:
    """Tables made for what a failure leaves by the algorithm that made those before it."""

    load: LoadOfTables
    entries: int  #: All there are, as all are set


@dataclass(frozen=True, slots=True)
class Survival:
    """What a failure comes to."""

    failure: Failure
    #: Hosts that fail with it, or that nothing joins any more to the part with most hosts
    cut_off_hosts: list[str]
    stranded_hosts: int  #: How many of them hang on a switch that does not fail
    #: Why the tables cannot be repaired while traffic goes on; None where they can, and are proved
    refusal: str | None
    changed_entries: int  #: Entries that differ, of switches and destinations that are left
    changed_lanes: int  #: Pairs of a switch (or host) and a destination that have another lane
    #: Destinations to which switches that no packets come to any more must be set after all others
    last_destinations: int
    #: Destinations whose changed entries must be cleared everywhere before they are set
    cleared_destinations: int
    load: LoadOfTables | None  #: With the repaired tables; None where there are none
    #: Routed anew, where that was asked for and an algorithm that made the tables is known
    anew: NewTables | None = None

    @property
    def is_time_to_route_anew(self) -> bool:
        """Whether new tables load their busiest channel much less than the repaired ones."""
        if self.load is None or self.anew is None:
            return False
        return is_time_to_route_anew(self.load.largest_load, self.anew.load.largest_load)


@dataclass(frozen=True, slots=True)
class Survivals:
    """All failures that were looked at, the worst first, and how tables load the whole network."""

    fabric: Fabric
    routing: Routing
    whole: LoadOfTables
    counts: dict[FailureParts, int]  #: How many parts of each kind may fail
    failures: list[Survival]

    @property
    def cutting_off(self) -> list[Survival]:
        """The failures that cut off hosts beyond those of switches that fail themselves."""
        return [found for found in self.failures if found.stranded_hosts]

    @property
    def refused(self) -> list[Survival]:
        """The failures whose repair would need traffic to be stopped."""
        return [found for found in self.failures if found.refusal is not None]

    @property
    def compared(self) -> list[Survival]:
        """The failures that were routed anew, too."""
        return [found for found in self.failures if found.anew is not None]


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
    require_whole("seed", seed, 0, MOST_OF_64_BITS)
    require_whole("anew", anew, 0, MOST_FAILURES)
    standing = _core.StandingTables(fabric, routing, _rounds(fabric), seed)
    failing = list(_parts(standing, fabric, parts))
    combinations = _combinations(failing, at_once, sample, seed)
    whole = LoadOfTables(*standing.figures())
    switch_of = dict(zip(fabric.host_names, fabric.host_switch.tolist(), strict=True))
    found: list[Survival] = []
    for start in range(0, len(combinations), _BATCH):
        batch = combinations[start : start + _BATCH]
        told = standing.survive([_numbers(parts) for parts in batch])
        found += (_survival(parts, one, switch_of) for parts, one in zip(batch, told, strict=True))
        if progress is not None:
            progress(len(found), len(combinations))
    kinds = Counter(part.kind for part in failing)
    counts = {kind: kinds[kind] for kind in get_args(FailureParts) if kinds[kind]}
    found = _compared(fabric, routing, found, anew, seed)
    return Survivals(fabric, routing, whole, counts, sorted(found, key=_rank))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part that fails, by the numbers of its link or switches."""

    kind: FailureParts
    name: str
    switches: tuple[int, ...] = ()
    switch_names: tuple[str, ...] = ()
    link: int | None = None
    ends: tuple[str, str] = ("", "")

    @property
    def shared(self) -> SharedPart:
        """What it is of a card or chassis."""
        return SharedPart(self.name, self.switch_names)


def _parts(
    standing: _core.StandingTables, fabric: Fabric, parts: Sequence[FailureParts]
) -> Iterator[_Part]:
    unknown = [part for part in parts if part not in get_args(FailureParts)]
    if unknown:
        message = f"found parts {unknown[0]!r}, expected 'cables', 'switches', 'cards' or 'chassis'"
        raise InputError(message)
    if "cables" in parts:
        for number, *ends in standing.cables():
            yield _Part("cables", " – ".join(ends), link=number, ends=(ends[0], ends[1]))
    names = fabric.switch_names
    if "switches" in parts:
        for number, name in enumerate(names):
            yield _Part("switches", name, (number,), (name,))
    inside = chassis_of(fabric)
    fewest = 2 if "switches" in parts else 1
    for kind, name_of in _SHARED.items():
        if kind not in parts:
            continue
        members: dict[str, list[int]] = {}
        for number, own in enumerate(inside):
            if own is not None and (name := name_of(own)):
                members.setdefault(name, []).append(number)
        for name, numbers in members.items():
            if len(numbers) >= fewest:
                switches = tuple(names[number] for number in numbers)
                yield _Part(kind, name, tuple(numbers), switches)


#: What a card or chassis is called, empty where a switch is on none.
_SHARED: dict[FailureParts, Callable[[Chassis], str]] = {
    "cards": lambda own: own.card and f"{own.name}/{own.card}",
    "chassis": lambda own: own.name,
}


def _combinations(
    failing: list[_Part], at_once: int, sample: int | None, seed: int
) -> list[tuple[_Part, ...]]:
    """Return the parts of each failure, all there are or a sample."""
    require_whole("at_once", at_once, 1, _MOST_AT_ONCE)
    if sample is not None:
        require_whole("sample", sample, 1, MOST_FAILURES)
    if len(failing) < at_once:
        message = (
            f"{at_once} parts cannot fail at once, as there are {len(failing)} parts of the kinds"
            " asked for; ask for fewer, or for parts that there are"
        )
        raise InputError(message)
    count = math.comb(len(failing), at_once)
    if sample is None or sample >= count:
        if count > MOST_FAILURES:
            message = (
                f"there are {count:,} failures of {at_once} of {len(failing):,} parts; draw a"
                f" sample of at most {MOST_FAILURES:,}"
            )
            raise InputError(message)
        return list(itertools.combinations(failing, at_once))
    draw = random.Random(seed)  # noqa: S311 - a sample, no secret
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < sample:
        drawn[tuple(sorted(draw.sample(range(len(failing)), at_once)))] = None
    return [tuple(failing[place] for place in places) for places in drawn]


def _numbers(parts: tuple[_Part, ...]) -> tuple[list[int], list[int]]:
    links = [part.link for part in parts if part.link is not None]
    return links, [switch for part in parts for switch in part.switches]


def _rounds(fabric: Fabric) -> int:
    """Return how many halves are drawn: more where each has few pairs."""
    pairs = max(1, fabric.host_count // 2)
    return min(_MOST_ROUNDS, max(_FEWEST_ROUNDS, _PAIRS // pairs))


def _survival(
    parts: tuple[_Part, ...],
    told: tuple[list[str], str | None, tuple[int, int, int, int, _core._Figures] | None],
    switch_of: dict[str, int],
) -> Survival:
    cut_off, refusal, repaired = told
    failed = {switch for part in parts for switch in part.switches}
    stranded = sum(switch_of[host] not in failed for host in cut_off)
    failure = Failure(
        tuple(part.ends for part in parts if part.kind == "cables"),
        tuple(part.name for part in parts if part.kind == "switches"),
        tuple(part.shared for part in parts if part.kind == "cards"),
        tuple(part.shared for part in parts if part.kind == "chassis"),
    )
    if repaired is None:
        return Survival(failure, cut_off, stranded, refusal, 0, 0, 0, 0, None)
    entries, lanes, last, cleared, load = repaired
    figures = LoadOfTables(*load)
    return Survival(failure, cut_off, stranded, refusal, entries, lanes, last, cleared, figures)


def _compared(
    fabric: Fabric, routing: Routing, found: list[Survival], count: int, seed: int
) -> list[Survival]:
    """Route anew for so many failures: those that are not repaired, then those of largest load."""

    def need(place: int) -> tuple[bool, int]:
        load = found[place].load
        return load is not None, 0 if load is None else -load.largest_load

    places = sorted(range(len(found)), key=need)[:count]
    made = {place: _routed_anew(fabric, routing, found[place].failure, seed) for place in places}
    return [replace(one, anew=made.get(place)) for place, one in enumerate(found)]


def _routed_anew(fabric: Fabric, routing: Routing, failure: Failure, seed: int) -> NewTables | None:
    left = left_after(fabric, failure)
    try:
        tables = route_anew(routing, left)
        figures = _core.StandingTables(left, tables, _rounds(left), seed).figures()
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
