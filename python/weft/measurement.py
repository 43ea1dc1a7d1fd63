"""What a simulation measured, figure by figure.

Written by ``docs/measurement_class.py`` from the core's table of figures, which is what to change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from weft.figure_table import (
    Histogram,
    LatencySummary,
    MeasuredFigures,
    WaitingPacket,
    empty,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Measurement"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Measurement(MeasuredFigures):
    """What a simulation measured.

    Loads are payload per sending host as a fraction of the hosts' link rate; a host to which the
    traffic pattern gives no destination counts in neither. A figure that cannot be given
    (a percentile of no packet, an interval of too short a window) is NaN.

    Attributes
    ----------
    reason : {"steady", "saturated", "deadlocked", "budget"}
        Why the run ended: steady, saturated, deadlocked or budget.
    reason_text : str
        The reason as a sentence with its numbers.
    waiting_cycle : list of WaitingPacket
        Packets that wait in a circle. Each waits for the channel that the next one holds; empty
        unless deadlocked.
    offered_load : float
        Payload offered per sending host (fraction of host link rate). A host to which the traffic
        pattern gives no destination counts neither here nor in what is accepted.
    accepted_load : float
        Payload delivered per sending host (fraction of host link rate).
    accepted_load_half_width : float
        Half width of the 95 % confidence interval of the accepted load (fraction of host link
        rate). NaN where none can be given: too short a window, or a deadlock.
    offered_bytes_per_ns_per_switch : float
        Payload offered per switch (bytes/ns/switch). What all hosts together offer, over all
        switches.
    accepted_bytes_per_ns_per_switch : float
        Payload delivered per switch (bytes/ns/switch).
    generation_latency_ns : LatencySummary
        From generation, source queue included, to the delivery of the tail. Once saturated it has
        no steady value: it grows as long as one measures.
    network_latency_ns : LatencySummary
        From the injection of the head to the delivery of the tail.
    longest_wait_ns : float
        Longest wait of a packet for the output of a switch, from its request to the grant. Of
        those granted one in the window and those that waited at its end: what an arbitration
        policy does to those it puts last.
    mean_switches : float
        Switches traversed per packet. The mean; a switch with an in-transit stop counts twice.
    mean_in_transit_stops : float
        In-transit stops per packet.
    warm_up_ns : float
        Discarded start of the run.
    window_ns : float
        Measured span of the run.
    delivered_packets : int
        Packets delivered in the window.
    pool_interval_ns : float
        Interval in which in-transit pools were followed; 0 where they were not.
    pool_overflows : int
        In-transit packets that found the pool of their NIC too full.
    dropped_packets : int
        Packets lost, and sent again, because an in-transit host had no room.
    damaged_packets : int
        Packets lost, and sent again, because a link damaged them.
    timed_out_packets : int
        Packets lost, and sent again, because they waited too long for an output of a switch.
    events : int
        Events the engine processed.
    packet_hops : int
        Switches traversed by all packets (packets × switches).
    flit_hops : int
        Flits moved over channels (flits × channels).
    simulated_cycles : int
        Cycles simulated, warm-up included.
    channel_utilization : ndarray of float32, shape (channel_count,)
        Of each channel: share of the window in which it carried flits, 0 to 1.
    channel_blocked : ndarray of float32, shape (channel_count,)
        Of each channel: share of the window in which flow control halted it, 0 to 1. While it had
        a packet to send; of several lanes, that of the one halted longest.
    pool_mean_bytes : ndarray of float32, shape (host_count,)
        Of each host: time average of the bytes in its in-transit pool.
    pool_max_bytes : ndarray of uint32, shape (host_count,)
        Of each host: most bytes there.
    host_accepted_load : ndarray of float32, shape (host_count,)
        Of each host: delivered of its payload, fraction of the host link rate. Of what the sending
        hosts' links carry on average: how fairly hosts are served.
    lane_utilization : ndarray of float32, shape (channel_count, lanes)
        Of each lane of each channel: share of the window in which its flits were sent, 0 to 1. No
        columns for hardware without several lanes.
    lane_blocked : ndarray of float32, shape (channel_count, lanes)
        Of each lane of each channel: share of the window in which flow control halted it, 0 to 1.
        While it had a packet to send.
    buffer_mean_bytes : ndarray of float32, shape (channel_count, lanes)
        Of each lane of each channel: time average of the bytes in the buffer at its end. As flow
        control counts them: with credits whole packets, with stop & go flits; 0 at hosts.
    buffer_max_bytes : ndarray of uint32, shape (channel_count, lanes)
        Of each lane of each channel: most bytes there.
    pool_series_mean_bytes : ndarray of float32, shape (intervals, host_count)
        Of each host in each interval: time average of the bytes in its in-transit pool. Interval
        by interval of the window; the last, unfinished one is left out, and those after the first
        16 million values.
    pool_series_max_bytes : ndarray of uint32, shape (intervals, host_count)
        Of each host in each interval: most bytes there.
    generation_histogram : Histogram
        Distribution of the latency from generation.
    """

    reason: Literal["steady", "saturated", "deadlocked", "budget"]
    reason_text: str
    waiting_cycle: list[WaitingPacket]
    offered_load: float
    accepted_load: float
    accepted_load_half_width: float
    offered_bytes_per_ns_per_switch: float
    accepted_bytes_per_ns_per_switch: float
    generation_latency_ns: LatencySummary
    network_latency_ns: LatencySummary
    longest_wait_ns: float
    mean_switches: float
    mean_in_transit_stops: float
    warm_up_ns: float
    window_ns: float
    delivered_packets: int
    pool_interval_ns: float
    pool_overflows: int
    dropped_packets: int
    damaged_packets: int
    timed_out_packets: int
    events: int
    packet_hops: int
    flit_hops: int
    simulated_cycles: int
    channel_utilization: NDArray[np.float32] = field(default_factory=empty("channel_utilization"))
    channel_blocked: NDArray[np.float32] = field(default_factory=empty("channel_blocked"))
    pool_mean_bytes: NDArray[np.float32] = field(default_factory=empty("pool_mean_bytes"))
    pool_max_bytes: NDArray[np.uint32] = field(default_factory=empty("pool_max_bytes"))
    host_accepted_load: NDArray[np.float32] = field(default_factory=empty("host_accepted_load"))
    lane_utilization: NDArray[np.float32] = field(default_factory=empty("lane_utilization"))
    lane_blocked: NDArray[np.float32] = field(default_factory=empty("lane_blocked"))
    buffer_mean_bytes: NDArray[np.float32] = field(default_factory=empty("buffer_mean_bytes"))
    buffer_max_bytes: NDArray[np.uint32] = field(default_factory=empty("buffer_max_bytes"))
    pool_series_mean_bytes: NDArray[np.float32] = field(
        default_factory=empty("pool_series_mean_bytes")
    )
    pool_series_max_bytes: NDArray[np.uint32] = field(
        default_factory=empty("pool_series_max_bytes")
    )
    generation_histogram: Histogram
