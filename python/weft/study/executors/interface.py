"""What a study asks of the place where its points are simulated and its programs replayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.replay import Trace
    from weft.results.replays import ReplayFigures
    from weft.results.store import Outcome
    from weft.routing import Routing
    from weft.simulate import Measurement
    from weft.spec.programs import ProgramSpec
    from weft.spec.study import StudySpec

__all__ = [
    "Executor",
    "Figures",
    "Finished",
    "PointWork",
    "ReplayWork",
    "RoutedCase",
    "SweepUnit",
    "Unit",
    "Work",
]

Spec = TypeVar("Spec", "StudySpec", "ProgramSpec")


@dataclass(frozen=True, slots=True, eq=False)
class RoutedCase(Generic[Spec]):
    """A routing on a fabric under conditions: what all points of a sweep have in common.

    Attributes
    ----------
    fabric : Fabric
        The network.
    fabric_digest : str
        What stands for the fabric's text.
    routing : Routing
        The routing; proved deadlock-free.
    parameters : dict of str to str
        Its parameters as they are recorded: `weft.study.case.recorded_parameters`.
    specification : str
        The routing as it was asked for.
    spec : StudySpec or ProgramSpec
        The conditions.
    """

    fabric: Fabric
    fabric_digest: str
    routing: Routing
    parameters: dict[str, str]
    specification: str
    spec: Spec


@dataclass(frozen=True, slots=True)
class PointWork:
    """A point to be simulated.

    Attributes
    ----------
    content : str
        What stands for everything that decides its figures.
    routed : RoutedCase
        Fabric, routing and conditions.
    load : float
        Offered load, fraction of the host link rate.
    seed : int
        Seed of the traffic.
    """

    content: str
    routed: RoutedCase[StudySpec]
    load: float
    seed: int


@dataclass(frozen=True, slots=True)
class ReplayWork:
    """A program to be replayed.

    Attributes
    ----------
    content : str
        What stands for everything that decides how it runs.
    routed : RoutedCase
        Fabric, routing and conditions.
    trace : Trace
        What the ranks do.
    hosts : list of int
        Number of the host of each rank.
    """

    content: str
    routed: RoutedCase[ProgramSpec]
    trace: Trace
    hosts: list[int]


@dataclass(frozen=True, slots=True)
class SweepUnit:
    """A sweep that is not finished: what an executor may plan ahead with.

    Attributes
    ----------
    routed : RoutedCase
        Fabric, routing and conditions.
    ladder_bound : float
        Payload load at which the traffic is expected to saturate the busiest channel.
    known : dict
        What came out of the finished points, by (load, seed).
    """

    routed: RoutedCase[StudySpec]
    ladder_bound: float
    known: dict[tuple[float, int], Outcome]


Work: TypeAlias = PointWork | ReplayWork
#: What an executor may plan ahead with: sweeps, and programs one by one.
Unit: TypeAlias = SweepUnit | ReplayWork
Figures: TypeAlias = "Measurement | ReplayFigures"


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a point or a program.

    Attributes
    ----------
    content : str
        The point or program.
    figures : Measurement or ReplayFigures or None
        What was measured; None when the simulation failed.
    wall_s : float
        Seconds it took.
    error : Exception or None
        Why it failed.
    """

    content: str
    figures: Figures | None
    wall_s: float
    error: BaseException | None = None


class Executor(Protocol):
    """A place where points are simulated and programs replayed."""

    @property
    def slots(self) -> int:
        """How many are simulated at a time."""

    @property
    def plans_ahead(self) -> bool:
        """Whether `plan` wants to know all units before the first work is submitted."""

    def plan(self, units: Sequence[Unit]) -> None:
        """Take note of the sweeps and programs whose work will be submitted."""

    def submit(self, work: Work) -> None:
        """Have a point simulated or a program replayed."""

    def finished(self, timeout_s: float) -> list[Finished]:
        """Return what finished since the last call, waiting for the first of it."""

    def stop(self) -> list[Finished]:
        """End everything under way, and return what is finished nevertheless."""

    def close(self) -> None:
        """Let go of whatever is held; nothing is under way any more."""
