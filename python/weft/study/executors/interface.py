"""What a study asks of the place where its points are simulated and its programs replayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.replay import Trace
    from weft.results.replay_figures import ReplayFigures
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
    """A routing on a fabric under conditions: what all points of a sweep have in common."""

    fabric: Fabric
    fabric_digest: str
    routing: Routing
    parameters: dict[str, str]  #: As they are recorded: `weft.study.case.recorded_parameters`.
    specification: str  #: The routing as it was asked for.
    spec: Spec


@dataclass(frozen=True, slots=True)
class PointWork:
    """A point to be simulated, its load a fraction of the host link rate."""

    content: str  #: What stands for everything that decides its figures.
    routed: RoutedCase[StudySpec]
    load: float
    seed: int


@dataclass(frozen=True, slots=True)
class ReplayWork:
    """A program to be replayed, its rank i on host ``hosts[i]``."""

    content: str  #: What stands for everything that decides how it runs.
    routed: RoutedCase[ProgramSpec]
    trace: Trace
    hosts: list[int]


@dataclass(frozen=True, slots=True)
class SweepUnit:
    """A sweep that is not finished: what an executor may plan ahead with."""

    routed: RoutedCase[StudySpec]
    #: Payload load at which the traffic is expected to saturate the busiest channel.
    ladder_bound: float
    #: What came out of the finished points, by (load, seed).
    known: dict[tuple[float, int], Outcome]


Work: TypeAlias = PointWork | ReplayWork
#: What an executor may plan ahead with: sweeps, and programs one by one.
Unit: TypeAlias = SweepUnit | ReplayWork
Figures: TypeAlias = "Measurement | ReplayFigures"


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a point or a program: figures, or the error why there are none."""

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
