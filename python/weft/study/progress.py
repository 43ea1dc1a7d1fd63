"""What a running study tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "PointFinished",
    "Progress",
    "ReplayFinished",
    "RoutingReady",
    "RoutingUnderWay",
    "SweepFinished",
    "Watcher",
]


@dataclass(frozen=True, slots=True)
class RoutingUnderWay:
    """A routing is being computed, for more than a second so far; told again and again."""

    specification: str
    steps: int  #: Steps of the algorithm begun.
    share: float | None  #: What part of the last step is done (0 to 1); None where nobody knows.


@dataclass(frozen=True, slots=True)
class RoutingReady:
    """A routing was computed and proved, or not."""

    label: str
    verdict: str  #: The proof's verdict; ``not routed`` when there are no routes.
    deadlock_free: bool  #: Whether it will be simulated.
    reason: str  #: The proof's text, or why the routing could not be computed.
    case: str
    #: That service ends count like compute ends, why, and what it costs; None where they do not.
    service_note: str | None = None
    #: What the traffic that it was made for loads the channels with; None of all to all alike.
    traffic_note: str | None = None


@dataclass(frozen=True, slots=True)
class PointFinished:
    """A point is in the results file; loads are fractions of the host link rate."""

    label: str
    load: float
    seed: int
    accepted_load: float
    reason: str  #: Why the run ended.
    is_new: bool  #: Whether it was simulated now; else it was in the file.
    finished_points: int  #: Points of the study so far, then those under way or waiting.
    open_points: int
    case: str


@dataclass(frozen=True, slots=True)
class SweepFinished:
    """All points of a routing are in the results file."""

    label: str
    points: int
    case: str


@dataclass(frozen=True, slots=True)
class ReplayFinished:
    """A program has run, and the results file has what came of it."""

    label: str
    outcome: str  #: ``finished``, ``blocked`` or ``deadlocked``.
    duration_ns: float  #: Its end, NaN where it has none.
    open_replays: int  #: Programs under way or waiting.
    case: str


Progress = RoutingUnderWay | RoutingReady | PointFinished | SweepFinished | ReplayFinished
Watcher = Callable[[Progress], None]
