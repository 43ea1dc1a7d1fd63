"""What each failure of a cable or switch would cost, before it happens."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core
from weft._ranges import MOST_OF_64_BITS, require_whole
from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft._core import Fabric, Routing

__all__ = ["Failure", "LoadOfTables", "Survival", "Survivals", "survive"]

#: Failures that are looked at between two tellings of progress.
_BATCH = 64
#: Failures at most that are looked at without being drawn.
MOST_FAILURES = 200_000
#: Parts at most that fail together.
_MOST_AT_ONCE = 1_000
#: Pairs that rounds of the effective bisection have together, at least.
_PAIRS = 65_536
_FEWEST_ROUNDS = 8
_MOST_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Failure:
    """Parts that fail together."""

    cables: tuple[tuple[str, str], ...] = ()  #: Links, both ends as ``switch:port``
    switches: tuple[str, ...] = ()  #: Switches, with their links and hosts

    @property
    def name(self) -> str:
        """What fails, in words."""
        cables = (f"{one} – {other}" for one, other in self.cables)
        return ", ".join([*cables, *self.switches])


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
class Survival:
    """What a failure comes to."""

    failure: Failure
    #: Hosts that fail with it, or that nothing joins any more to the part with most hosts
    cut_off_hosts: list[str]
    #: Why the tables cannot be repaired while traffic goes on; None where they can, and are proved
    refusal: str | None
    changed_entries: int  #: Entries that differ, of switches and destinations that are left
    changed_lanes: int  #: Pairs of a switch (or host) and a destination that have another lane
    #: Destinations to which switches that no packets come to any more must be set after all others
    last_destinations: int
    #: Destinations whose changed entries must be cleared everywhere before they are set
    cleared_destinations: int
    load: LoadOfTables | None  #: With the repaired tables; None where there are none


@dataclass(frozen=True, slots=True)
class Survivals:
    """All failures that were looked at, the worst first, and how tables load the whole network."""

    fabric: Fabric
    routing: Routing
    whole: LoadOfTables
    failures: list[Survival]

    @property
    def cutting_off(self) -> list[Survival]:
        """The failures that cut off hosts beyond those of a switch that fails itself."""
        return [
            found for found in self.failures if found.cut_off_hosts and not found.failure.switches
        ]

    @property
    def refused(self) -> list[Survival]:
        """The failures whose repair would need traffic to be stopped."""
        return [found for found in self.failures if found.refusal is not None]


def survive(
    fabric: Fabric,
    routing: Routing,
    *,
    parts: Sequence[Literal["cables", "switches"]] = ("cables", "switches"),
    at_once: int = 1,
    sample: int | None = None,
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
    parts : sequence of {'cables', 'switches'}
        What fails: cables between switches, switches, or either.
    at_once : int
        Parts that fail together.
    sample : int, optional
        So many failures, drawn by the seed, instead of all.
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
    standing = _core.StandingTables(fabric, routing, _rounds(fabric), seed)
    failing = list(_parts(standing, fabric, parts))
    combinations = _combinations(failing, at_once, sample, seed)
    whole = LoadOfTables(*standing.figures())
    found: list[Survival] = []
    for start in range(0, len(combinations), _BATCH):
        batch = combinations[start : start + _BATCH]
        told = standing.survive([_numbers(parts) for parts in batch])
        found += map(_survival, batch, told)
        if progress is not None:
            progress(len(found), len(combinations))
    return Survivals(fabric, routing, whole, sorted(found, key=_rank))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part that fails, by its number."""

    link: int | None
    switch: int | None
    names: tuple[str, ...]


def _parts(
    standing: _core.StandingTables,
    fabric: Fabric,
    parts: Sequence[Literal["cables", "switches"]],
) -> Iterator[_Part]:
    unknown = [part for part in parts if part not in {"cables", "switches"}]
    if unknown:
        message = f"found parts {unknown[0]!r}, expected 'cables' or 'switches'"
        raise InputError(message)
    if "cables" in parts:
        for number, one, other in standing.cables():
            yield _Part(number, None, (one, other))
    if "switches" in parts:
        for number, name in enumerate(fabric.switch_names):
            yield _Part(None, number, (name,))


def _combinations(
    failing: list[_Part], at_once: int, sample: int | None, seed: int
) -> list[tuple[_Part, ...]]:
    """Return the parts of each failure, all there are or a sample."""
    require_whole("at_once", at_once, 1, _MOST_AT_ONCE)
    if sample is not None:
        require_whole("sample", sample, 1, MOST_FAILURES)
    if len(failing) < at_once:
        message = (
            f"{at_once} parts cannot fail at once, as there are {len(failing)} cables and switches"
            " that may; ask for fewer, or for parts that there are"
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
    return links, [part.switch for part in parts if part.switch is not None]


def _rounds(fabric: Fabric) -> int:
    """Return how many halves are drawn: more where each has few pairs."""
    pairs = max(1, fabric.host_count // 2)
    return min(_MOST_ROUNDS, max(_FEWEST_ROUNDS, _PAIRS // pairs))


def _survival(
    parts: tuple[_Part, ...],
    told: tuple[list[str], str | None, tuple[int, int, int, int, _core._Figures] | None],
) -> Survival:
    cut_off, refusal, repaired = told
    failure = Failure(
        tuple((part.names[0], part.names[1]) for part in parts if part.link is not None),
        tuple(part.names[0] for part in parts if part.switch is not None),
    )
    if repaired is None:
        return Survival(failure, cut_off, refusal, 0, 0, 0, 0, None)
    entries, lanes, last, cleared, load = repaired
    return Survival(failure, cut_off, refusal, entries, lanes, last, cleared, LoadOfTables(*load))


def _rank(found: Survival) -> tuple[int, bool, float, float]:
    """Return what failures are sorted by, the worst first."""
    bisection, bound = (
        (0.0, 0.0)
        if found.load is None
        else (found.load.effective_bisection, found.load.saturation_bound)
    )
    return -len(found.cut_off_hosts), found.refusal is None, bisection, bound
