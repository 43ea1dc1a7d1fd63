"""What routings carry by simulation: short windows find the load, a long one says what it gives.

Queues of a load that is not carried take long to fill, and all the while more is delivered than for
ever: on random networks up to a tenth more in the windows of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING

from weft.simulate import DEFAULT_PRECISION, simulate
from weft.workload import Traffic

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.measurement import Measurement
    from weft.routing import Routing

__all__ = ["CarriedLoad", "Prediction", "Window", "carried_load", "mean_latency_ns"]


@dataclass(frozen=True, slots=True)
class CarriedLoad:
    """The most traffic that was carried, payload as a fraction of the hosts' rate."""

    load: float
    half_width: float  #: Of its 95 % confidence interval; NaN where too little was measured
    #: Packets that arrive after later ones of their pair, as a share; NaN where none can
    out_of_order_share: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a routing does to traffic from all hosts to all, by simulation."""

    #: Most payload delivered at any of the loads tried, as a fraction of the hosts' rate
    throughput_load: float
    #: Mean time of a packet from its generation to its delivery, at the load of the comparison;
    #: None where the network does not carry that
    latency_ns: float | None
    #: Packets that arrive after later ones of their pair, as a share, where most was delivered; NaN
    #: where none can
    out_of_order_share: float


@dataclass(frozen=True, slots=True)
class Window:
    """How long is simulated, and what hosts send."""

    #: Packets delivered after which a simulation in search of a load ends in any case, warm-up
    #: included
    search_packets: int
    packets: int  #: The same of the one at the load found
    payload_bytes: int = 2048  #: Payload of a packet
    seed: int = 1  #: Seed of the traffic

    @classmethod
    def of(cls, fabric: Fabric) -> Window:
        """Return a window that suits a network: seconds even for thousands of hosts.

        Parameters
        ----------
        fabric : Fabric
            The network.
        """
        search = max(_LEAST_PACKETS, _PACKETS_PER_HOST * fabric.host_count)
        return cls(search, max(_LONG_PACKETS, search))


_LEAST_PACKETS = 120_000
_PACKETS_PER_HOST = 220
_LONG_PACKETS = 1_000_000
#: Of these, at least so many are measured before a run may end.
_MEASURED_PER_HOST = 10
#: Loads tried for a throughput: the last two lie a thirty-second of the bound apart.
_LOADS = 5
#: What is delivered of a load that the network carries, at least.
_CARRIED_PART = 0.97


def carried_load(
    fabric: Fabric, routing: Routing, hardware: Hardware, window: Window, bound: float
) -> CarriedLoad:
    """Search for the most traffic that is carried, each packet to a random host.

    Loads between 0 and the bound are tried by halves: a higher one where all was delivered, a lower
    one where not. The bound is a load beyond which nothing can be carried, such as that of the
    busiest channel. Given back is the payload delivered at the best of the loads, in a window of
    its own that is longer; all are fractions of the hosts' rate.
    """
    low, high, most, best = 0.0, bound, 0.0, None
    for _ in range(_LOADS):
        load = (low + high) / 2
        found = _simulated(fabric, routing, hardware, window, load, window.search_packets)
        if found.accepted_load > most:
            most, best = found.accepted_load, load
        if found.accepted_load < load * _CARRIED_PART:
            high = load
        else:
            low = load
    if best is None:
        return CarriedLoad(0.0, 0.0, nan)
    measured = _simulated(fabric, routing, hardware, window, best, window.packets)
    return CarriedLoad(
        measured.accepted_load, measured.accepted_load_half_width, measured.out_of_order_share
    )


def mean_latency_ns(
    fabric: Fabric, routing: Routing, hardware: Hardware, window: Window, load: float
) -> float | None:
    """Simulate a load, a fraction of the hosts' rate, each packet to a random host.

    Given back is the mean latency from generation, in nanoseconds; None where the load is not
    carried.
    """
    measured = _simulated(fabric, routing, hardware, window, load, window.packets)
    is_carried = measured.accepted_load >= load * _CARRIED_PART
    return measured.generation_latency_ns.mean if is_carried else None


def _simulated(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    window: Window,
    load: float,
    packets: int,
) -> Measurement:
    return simulate(
        fabric,
        routing,
        hardware,
        Traffic(load=load, payload_bytes=window.payload_bytes, seed=window.seed),
        precision_accepted=DEFAULT_PRECISION,
        min_packets=_MEASURED_PER_HOST * fabric.host_count,
        max_packets=packets,
    )
