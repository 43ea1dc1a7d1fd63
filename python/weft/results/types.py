"""What a results file holds, as plain data: points, proofs, throughput, figures of the channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from weft.channel_loads import LoadFigures
    from weft.proof import CycleStep
    from weft.simulate import Measurement

__all__ = [
    "ChannelFigures",
    "Knee",
    "LaneFigures",
    "Point",
    "PoolSeries",
    "ProofSummary",
    "RoutingResult",
    "Throughput",
]

NOT_ROUTED = "not routed"
"""Verdict of a routing that could not be computed on the fabric."""


@dataclass(frozen=True, slots=True)
class Point:
    """One simulation: a load (payload, fraction of the host link rate) and a seed."""

    load: float
    seed: int
    #: Without arrays and histogram: `Results.channel_figures` and `Results.histogram` read those.
    measurement: Measurement


@dataclass(frozen=True, slots=True)
class ProofSummary:
    """What the proof said about a routing."""

    #: Whether the routes were proved deadlock-free; only such routings are simulated.
    deadlock_free: bool
    verdict: str  #: One word; ``not routed`` when the routing could not be computed.
    text: str  #: The verdict in full, with the cycle named by switches, ports and routes.
    #: The shortest cycle of channel dependencies; empty when there is none.
    cycle: list[CycleStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Throughput:
    """The largest accepted traffic over offered loads, fractions of the host link rate."""

    accepted_bytes_per_ns_per_switch: float
    accepted_load: float
    at_load: float  #: Offered load at which it was reached.
    rule: str  #: How it was found, in a sentence with the numbers of this routing.
    half_width: float  #: Half width of the 95 % confidence interval, in bytes/ns/switch.


@dataclass(frozen=True, slots=True)
class Knee:
    """The accepted traffic at which mean latency is a multiple of the unloaded network's."""

    accepted_bytes_per_ns_per_switch: float
    accepted_load: float  #: The same as a fraction of the host link rate.
    #: Half width of the 95 % confidence interval, in bytes/ns/switch; NaN where none can be given.
    half_width: float
    latency_ns: float  #: Mean latency from generation there.
    rule: str  #: How it was found, in a sentence with the numbers of this routing.


@dataclass(frozen=True, slots=True)
class RoutingResult:
    """Everything a study knows about one routing."""

    label: str  #: The routing as the study names it; unique in the study.
    algorithm: str  #: Name of the algorithm on the command line, then in words.
    title: str
    parameters: dict[str, str]  #: Every parameter of the algorithm with the value used.
    #: Why the routing could not be computed on this fabric, None when it could.
    failure: str | None
    proof: ProofSummary
    load: LoadFigures | None  #: None when there are no routes.
    points: list[Point]  #: By load, then seed; none unless proved deadlock-free.
    throughput: Throughput | None  #: None when nothing was simulated.
    #: Where mean latency is twice the unloaded network's; None where that is not known.
    knee: Knee | None = None
    #: Whether no load brings latency that far, so that the knee is at least the throughput.
    is_knee_beyond: bool = False
    #: The routing of the study whose routes these are too, None for the first of them: all that
    #: follows from routes was found once, and is the same to the last bit.
    same_routes_as: str | None = None


@dataclass(frozen=True, slots=True)
class ChannelFigures:
    """How each channel spent its time at one point, and what became of each host's traffic."""

    #: Share of the window in which the channel carried flits, shape (channels,).
    utilization: NDArray[np.float32]
    #: Share in which it had a packet to send and was stopped by flow control, likewise.
    blocked: NDArray[np.float32]
    #: Time average of the bytes in each host's in-transit pool, and the most, shape (hosts,).
    pool_mean_bytes: NDArray[np.float32]
    pool_max_bytes: NDArray[np.uint32]
    #: What was delivered of each host's payload, as a fraction of the host link rate.
    host_accepted_load: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LaneFigures:
    """How each lane of each channel was used; no rows for hardware without lanes.

    Arrays of shape (channels, lanes).
    """

    utilization: NDArray[np.float32]  #: Share of the window in which flits of the lane were sent.
    #: Share in which it had a packet to send and was stopped by flow control.
    blocked: NDArray[np.float32]
    #: Time average of the bytes in the input buffer at its end, and the most there.
    buffer_mean_bytes: NDArray[np.float32]
    buffer_max_bytes: NDArray[np.uint32]

    @classmethod
    def of(cls, figure: Callable[[str], NDArray[Any]]) -> Self:
        """Take them by their names in a measurement."""
        names = ("lane_utilization", "lane_blocked", "buffer_mean_bytes", "buffer_max_bytes")
        return cls(*map(figure, names))


@dataclass(frozen=True, slots=True)
class PoolSeries:
    """What the in-transit pools held in time, arrays of shape (intervals, hosts)."""

    interval_ns: float  #: Length of an interval; 0 where pools were not followed.
    #: Time average over each interval of the window, and the most held.
    mean_bytes: NDArray[np.float32]
    max_bytes: NDArray[np.uint32]
