"""What failures come to, as records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from weft.repair import is_time_to_route_anew
from weft.short_names import short_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft._core import Fabric, Routing
    from weft.prediction import CarriedLoad

__all__ = [
    "Addition",
    "Additions",
    "Failure",
    "FailureParts",
    "LoadOfTables",
    "NewTables",
    "SharedPart",
    "Survival",
    "Survivals",
    "Toll",
]

#: What part of a load another has that is no less than it.
_ALIKE = 0.99

#: What fails: cables between switches, switches, cards of directors, or whole chassis.
FailureParts = Literal["cables", "switches", "cards", "chassis"]


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
        float  #: Largest uniform load that no channel's routes forbid, of the rate of hosts' links
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
    #: Destinations to which entries of some switches must be set after all others, in rounds
    last_destinations: int
    #: Destinations whose changed entries must be cleared everywhere before they are set
    cleared_destinations: int
    load: LoadOfTables | None  #: With the repaired tables; None where there are none
    #: Routed anew, where that was asked for and an algorithm that made the tables is known
    anew: NewTables | None = None
    #: What is carried then, where it was simulated
    throughput: CarriedLoad | None = None

    @property
    def figures(self) -> LoadOfTables | None:
        """How what is left is loaded: by the repaired tables, or by new ones where none are."""
        return self.anew.load if self.load is None and self.anew is not None else self.load

    @property
    def is_time_to_route_anew(self) -> bool:
        """Whether new tables load their busiest channel much less than the repaired ones."""
        if self.load is None or self.anew is None:
            return False
        return is_time_to_route_anew(self.load.largest_load, self.anew.load.largest_load)

    @property
    def entries_to_set(self) -> int:
        """How many entries are set: those that the repair changes, or all where routed anew."""
        if self.load is None and self.anew is not None:
            return self.anew.entries
        return self.changed_entries


@dataclass(frozen=True, slots=True)
class Toll:
    """What all failures that were looked at come to together."""

    whole: LoadOfTables  #: While nothing fails
    cutting_off: int  #: Failures that cut off hosts whose switch runs
    stranded_hosts: int  #: How many these are, over all failures
    refused: int  #: Failures whose repair would need traffic to be stopped
    largest_load: int  #: The largest load after any failure
    mean_largest_load: float  #: The mean of the largest loads, over those with repaired tables
    least_bisection: float  #: The least effective bisection after any failure

    @property
    def rank(self) -> tuple[int, int, int, float, float]:
        """What networks are compared by, the best first."""
        loads = (self.largest_load, self.mean_largest_load, -self.least_bisection)
        return self.stranded_hosts, self.refused, *loads

    def is_less_than(self, other: Toll) -> bool:
        """Tell whether failures come to less: fewer hosts cut off, fewer repairs refused, or loads.

        Loads that differ by less than a hundredth are alike.
        """
        mine, others = self.rank[:2], other.rank[:2]
        if mine != others:
            return mine < others
        if self.largest_load > other.largest_load:
            return False
        most = self.largest_load < _ALIKE * other.largest_load
        return most or self.mean_largest_load < _ALIKE * other.mean_largest_load


@dataclass(frozen=True, slots=True)
class Addition:
    """A cable that could be added, and what the failures come to with it."""

    ends: tuple[str, str]  #: The ports that it goes into, as ``switch:port``
    is_missing: bool  #: Whether the wiring of the other switches says that it belongs there
    toll: Toll
    #: Whether all tables are made anew for it; else it carries what failures break alone
    is_routed_anew: bool


@dataclass(frozen=True, slots=True)
class Additions:
    """The cables that were tried, the best first, and what there is without any."""

    toll: Toll
    candidates: int  #: Pairs of switches between which one could be added
    tried: list[Addition]

    @property
    def helpful(self) -> list[Addition]:
        """Those with which failures come to less."""
        return [one for one in self.tried if one.toll.is_less_than(self.toll)]

    @property
    def best_joining(self) -> Addition | None:
        """The best of the cables, where failures cut fewer hosts off with it."""
        best = self.tried[0] if self.tried else None
        if best is None or best.toll.stranded_hosts >= self.toll.stranded_hosts:
            return None
        return best


@dataclass(frozen=True)
class Survivals:
    """All failures that were looked at, the worst first, and how tables load the whole network."""

    fabric: Fabric
    routing: Routing
    whole: LoadOfTables
    counts: dict[FailureParts, int]  #: How many parts of each kind may fail
    failures: list[Survival]
    #: What the whole network carries, where it was simulated
    whole_throughput: CarriedLoad | None = None
    #: What one more cable would do, where that was asked for
    additions: Additions | None = None

    @property
    def cutting_off(self) -> list[Survival]:
        """The failures that cut off hosts beyond those of switches that fail themselves."""
        return [found for found in self.failures if found.stranded_hosts]

    def is_silent(self, one: Survival) -> bool:
        """Tell whether a failure leaves fewer than two compute ends, so that nobody sends."""
        ends = self._compute_ends
        return len(ends) - len(ends.intersection(one.cut_off_hosts)) < 2

    @cached_property
    def _compute_ends(self) -> frozenset[str]:
        ends = zip(self.fabric.host_names, self.fabric.host_service, strict=True)
        return frozenset(name for name, reason in ends if reason is None)

    def short_name(self, failure: Failure) -> str:
        """Return what fails in words, switches by names as short as tell them apart."""
        return _short_failure(failure, self._short_names)

    def short_end(self, end: str) -> str:
        """Return a port, ``switch:port``, by a name as short as tells the switch from others."""
        return _short_end(end, self._short_names)

    @cached_property
    def _short_names(self) -> dict[str, str]:
        switches = self.fabric.switch_names
        return dict(zip(switches, short_names(switches), strict=True))

    @property
    def refused(self) -> list[Survival]:
        """The failures whose repair would need traffic to be stopped."""
        return [found for found in self.failures if found.refusal is not None]

    @property
    def compared(self) -> list[Survival]:
        """The failures that were routed anew, too."""
        return [found for found in self.failures if found.anew is not None]


def _short_failure(failure: Failure, names: Mapping[str, str]) -> str:
    """Write what fails with the short names of switches."""
    cables = (f"{_short_end(a, names)} – {_short_end(b, names)}" for a, b in failure.cables)
    switches = (names.get(name, name) for name in failure.switches)
    shared = (_shared_name(part, names) for part in failure.shared)
    return ", ".join([*cables, *switches, *shared])


def _short_end(end: str, names: Mapping[str, str]) -> str:
    switch, _, port = end.rpartition(":")
    return f"{names.get(switch, switch)}:{port}"


def _shared_name(part: SharedPart, names: Mapping[str, str]) -> str:
    """Write a card or chassis as the short names of its switches begin, and how many those are."""
    long, short = part.switches[0], names.get(part.switches[0], part.switches[0])
    rest = long.removeprefix(part.name)
    name = short.removesuffix(rest) if rest != long and short.endswith(rest) else part.name
    count = len(part.switches)
    return f"{name or part.name} ({count} {'switch' if count == 1 else 'switches'})"
