"""What a simulation measured, figure by figure.

What follows its documentation is written by ``docs/measurement_class.py`` from the core's table of
figures, which is what to change.
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
    tells_figures,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Measurement"]


@tells_figures
@dataclass(frozen=True, slots=True, eq=False, kw_only=True, repr=False)
class Measurement(MeasuredFigures):
    """What a simulation measured.

    Loads are payload per sending host as a fraction of the hosts' link rate; a host to which the
    traffic pattern gives no destination counts in neither. By a traffic matrix hosts offer in
    proportion to their rows, and loads are fractions of what they offer at a load of 1. A figure
    that cannot be given (a percentile of no packet, an interval of too short a window) is NaN.
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
    out_of_order_share: float
    out_of_order_distance: int
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
