"""What a results file holds, as plain data: points, proofs, throughput, figures of the channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.proof import CycleStep
    from weft.routing import LoadFigures
    from weft.simulate import Measurement

__all__ = [
    "ChannelFigures",
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
    """One simulation: a load and a seed.

    Attributes
    ----------
    load : float
        Payload each host offers, as a fraction of the host link rate.
    seed : int
        Seed of the traffic.
    measurement : Measurement
        What was measured, without its arrays and its histogram: `Results.channel_figures` and
        `Results.histogram` read those when they are asked for.
    """

    load: float
    seed: int
    measurement: Measurement


@dataclass(frozen=True, slots=True)
class ProofSummary:
    """What the proof said about a routing.

    Attributes
    ----------
    deadlock_free : bool
        Whether the routes were proved deadlock-free; only such routings are simulated.
    verdict : str
        The verdict in one word; ``not routed`` when the routing could not be computed.
    text : str
        The verdict in full, with the cycle named by switches, ports and routes.
    cycle : list of CycleStep
        The shortest cycle of channel dependencies; empty when there is none.
    """

    deadlock_free: bool
    verdict: str
    text: str
    cycle: list[CycleStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Throughput:
    """The largest accepted traffic over offered traffic.

    Attributes
    ----------
    accepted_bytes_per_ns_per_switch : float
        The throughput.
    accepted_load : float
        The same as a fraction of the host link rate.
    at_load : float
        Offered load (fraction of the host link rate) at which it was reached.
    rule : str
        How it was found, in a sentence with the numbers of this routing.
    half_width : float
        Half width of the 95 % confidence interval, in bytes/ns/switch.
    """

    accepted_bytes_per_ns_per_switch: float
    accepted_load: float
    at_load: float
    rule: str
    half_width: float


@dataclass(frozen=True, slots=True)
class RoutingResult:
    """Everything a study knows about one routing.

    Attributes
    ----------
    label : str
        The routing as the study names it; unique in the study.
    algorithm, title : str
        Name of the algorithm on the command line, and in words.
    parameters : dict
        Every parameter of the algorithm with the value used.
    failure : str or None
        Why the routing could not be computed on this fabric, None when it could.
    proof : ProofSummary
        What the proof said.
    load : LoadFigures or None
        Load figures; None when there are no routes.
    points : list of Point
        Simulated points by load, then seed; none unless proved deadlock-free.
    throughput : Throughput or None
        None when nothing was simulated.
    """

    label: str
    algorithm: str
    title: str
    parameters: dict[str, str]
    failure: str | None
    proof: ProofSummary
    load: LoadFigures | None
    points: list[Point]
    throughput: Throughput | None


@dataclass(frozen=True, slots=True)
class ChannelFigures:
    """How each channel spent its time at one point, and what became of each host's traffic.

    Attributes
    ----------
    utilization : ndarray of float32, shape (channels,)
        Share of the window in which the channel carried flits.
    blocked : ndarray of float32, shape (channels,)
        Share of the window in which it had a packet to send and was stopped by flow control.
    pool_mean_bytes : ndarray of float32, shape (hosts,)
        Time average of the bytes held in each host's in-transit pool.
    pool_max_bytes : ndarray of uint32, shape (hosts,)
        Most bytes held in each host's in-transit pool.
    host_accepted_load : ndarray of float32, shape (hosts,)
        What was delivered of each host's payload, as a fraction of the host link rate.
    """

    utilization: NDArray[np.float32]
    blocked: NDArray[np.float32]
    pool_mean_bytes: NDArray[np.float32]
    pool_max_bytes: NDArray[np.uint32]
    host_accepted_load: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LaneFigures:
    """How each lane of each channel was used at one point; no rows for hardware without lanes.

    Attributes
    ----------
    utilization : ndarray of float32, shape (channels, lanes)
        Share of the window in which flits of the lane were sent.
    blocked : ndarray of float32, shape (channels, lanes)
        Share of the window in which the lane had a packet to send and was stopped by flow control.
    buffer_mean_bytes : ndarray of float32, shape (channels, lanes)
        Time average of the bytes in the input buffer at the end of the lane.
    buffer_max_bytes : ndarray of uint32, shape (channels, lanes)
        Most bytes there.
    """

    utilization: NDArray[np.float32]
    blocked: NDArray[np.float32]
    buffer_mean_bytes: NDArray[np.float32]
    buffer_max_bytes: NDArray[np.uint32]

    @classmethod
    def of(cls, measurement: Measurement) -> Self:
        """Take them from a measurement."""
        return cls(
            measurement.lane_utilization,
            measurement.lane_blocked,
            measurement.buffer_mean_bytes,
            measurement.buffer_max_bytes,
        )


@dataclass(frozen=True, slots=True)
class PoolSeries:
    """What the hosts' in-transit pools held in time at one point.

    Attributes
    ----------
    interval_ns : float
        Length of an interval; 0 where pools were not followed.
    mean_bytes : ndarray of float32, shape (intervals, hosts)
        Time average of the bytes held, interval by interval of the window.
    max_bytes : ndarray of uint32, shape (intervals, hosts)
        Most bytes held.
    """

    interval_ns: float
    mean_bytes: NDArray[np.float32]
    max_bytes: NDArray[np.uint32]
