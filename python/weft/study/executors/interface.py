"""What a study asks of the place where its points are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Fabric
    from weft.results.store import Outcome
    from weft.routing import Routing
    from weft.simulate import Measurement
    from weft.study.spec import StudySpec

__all__ = ["Executor", "Finished", "PointWork", "RoutedCase", "SweepUnit"]


@dataclass(frozen=True, slots=True, eq=False)
class RoutedCase:
    """A routing on a fabric under conditions: what all points of a sweep have in common.

    Attributes
    ----------
    fabric : Fabric
        The network.
    fabric_digest : str
        What stands for the fabric's text.
    routing : Routing
        The routing; proved deadlock-free.
    specification : str
        The routing as it was asked for.
    spec : StudySpec
        The conditions.
    """

    fabric: Fabric
    fabric_digest: str
    routing: Routing
    specification: str
    spec: StudySpec


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
    routed: RoutedCase
    load: float
    seed: int


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

    routed: RoutedCase
    ladder_bound: float
    known: dict[tuple[float, int], Outcome]


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a point.

    Attributes
    ----------
    content : str
        The point.
    measurement : Measurement or None
        What was measured; None when the simulation failed.
    wall_s : float
        Seconds it took.
    error : Exception or None
        Why it failed.
    """

    content: str
    measurement: Measurement | None
    wall_s: float
    error: BaseException | None = None


class Executor(Protocol):
    """A place where points are simulated."""

    @property
    def slots(self) -> int:
        """How many points are simulated at a time."""

    @property
    def plans_ahead(self) -> bool:
        """Whether `plan` wants to know all sweeps before the first point is submitted."""

    def plan(self, units: Sequence[SweepUnit]) -> None:
        """Take note of the sweeps whose points will be submitted."""

    def submit(self, work: PointWork) -> None:
        """Have a point simulated."""

    def finished(self, timeout_s: float) -> list[Finished]:
        """Return points that finished since the last call, waiting for the first of them."""

    def stop(self) -> list[Finished]:
        """End everything under way, and return the points that are finished nevertheless."""

    def close(self) -> None:
        """Let go of whatever is held; nothing is under way any more."""
