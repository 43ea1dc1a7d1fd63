"""What a running study tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = [
    "PointFinished",
    "Progress",
    "ReplayFinished",
    "RoutingReady",
    "SweepFinished",
    "Watcher",
]


@dataclass(frozen=True, slots=True)
class RoutingReady:
    """A routing was computed and proved, or not.

    Attributes
    ----------
    label : str
        The routing.
    verdict : str
        The proof's verdict; ``not routed`` when there are no routes.
    deadlock_free : bool
        Whether it will be simulated.
    reason : str
        The proof's text, or why the routing could not be computed.
    case : str
        Name of the case in its study.
    """

    label: str
    verdict: str
    deadlock_free: bool
    reason: str
    case: str


@dataclass(frozen=True, slots=True)
class PointFinished:
    """A point is in the results file.

    Attributes
    ----------
    label : str
        The routing.
    load : float
        Offered load, fraction of the host link rate.
    seed : int
        Seed of the traffic.
    accepted_load : float
        Accepted load, same unit.
    reason : str
        Why the run ended.
    is_new : bool
        Whether it was simulated now; else it was in the file.
    finished_points, open_points : int
        Points of the study so far, and those under way or waiting.
    case : str
        Name of the case in its study.
    """

    label: str
    load: float
    seed: int
    accepted_load: float
    reason: str
    is_new: bool
    finished_points: int
    open_points: int
    case: str


@dataclass(frozen=True, slots=True)
class SweepFinished:
    """All points of a routing are in the results file.

    Attributes
    ----------
    label : str
        The routing.
    points : int
        Its points.
    case : str
        Name of the case in its study.
    """

    label: str
    points: int
    case: str


@dataclass(frozen=True, slots=True)
class ReplayFinished:
    """A program has run, and the results file has what came of it.

    Attributes
    ----------
    label : str
        The routing.
    outcome : str
        ``finished``, ``blocked`` or ``deadlocked``.
    duration_ns : float
        Its end, NaN where it has none.
    open_replays : int
        Programs under way or waiting.
    case : str
        Name of the case in its study.
    """

    label: str
    outcome: str
    duration_ns: float
    open_replays: int
    case: str


Progress = RoutingReady | PointFinished | SweepFinished | ReplayFinished
Watcher = Callable[[Progress], None]
