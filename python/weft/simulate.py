"""One simulation: a routing on a fabric under traffic, measured in its steady state."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal

from weft import _core
from weft._core import Cancel
from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Hardware, Routing
    from weft.workload import Traffic

__all__ = [
    "Cancel",
    "Histogram",
    "LatencySummary",
    "Measurement",
    "WaitingPacket",
    "idle_latency",
    "simulate",
]


def _nothing(dtype: str, dimensions: int) -> Callable[[], NDArray[Any]]:
    """Make an array that is empty, where nothing is given."""

    def empty() -> NDArray[Any]:
        import numpy as np

        return np.zeros((0,) * dimensions, dtype=dtype)

    return empty


@dataclass(frozen=True, slots=True)
class LatencySummary:
    """The distribution of a latency in figures, all in nanoseconds but the count.

    Attributes
    ----------
    mean : float
        Mean.
    mean_half_width : float
        Half the width of the mean's 95 % confidence interval.
    p50, p95, p99 : float
        Percentiles.
    max : float
        Largest.
    count : int
        Packets measured.
    """

    mean: float
    mean_half_width: float
    p50: float
    p95: float
    p99: float
    max: float
    count: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """How many packets had which latency; empty bins are left out.

    Attributes
    ----------
    lower_edges_ns : list of float
        Lower edge of each bin in nanoseconds, ascending.
    counts : list of int
        Packets in each bin.
    """

    lower_edges_ns: list[float]
    counts: list[int]

    def __repr__(self) -> str:
        """Tell what it holds, not every bin of it."""
        if not self.counts:
            return "<Histogram of 0 packets>"
        first, last = self.lower_edges_ns[0], self.lower_edges_ns[-1]
        return f"<Histogram of {sum(self.counts)} packets, from {first:g} to {last:g} ns>"


@dataclass(frozen=True, slots=True)
class WaitingPacket:
    """A packet of a deadlock: it holds a channel and waits for ever for the next.

    Attributes
    ----------
    held, wanted : str
        Channels, as ``sw0[3] → sw1[4]``.
    source, destination : str
        Hosts the packet comes from and goes to.
    sequence : int
        Number of the packet among those of its source, from 0.
    """

    held: str
    wanted: str
    source: str
    destination: str
    sequence: int


@dataclass(frozen=True, slots=True, eq=False)
class Measurement:
    """What a simulation measured.

    Loads are payload per sending host as a fraction of the hosts' link rate; a host to which the
    traffic pattern gives no destination counts in neither. A figure that cannot be given
    (a percentile of no packet, an interval of too short a window) is NaN. Latencies count from the
    generation of a packet (time in the source's queue included) or from the injection of its
    first flit (network latency) to the delivery of its last flit.

    Attributes
    ----------
    reason : {"steady", "saturated", "deadlocked", "budget"}
        Why the simulation ended.
    reason_text : str
        The same in a sentence, with numbers.
    waiting_cycle : list of WaitingPacket
        Packets that wait for one another; empty unless deadlocked.
    offered_load, accepted_load : float
        What the hosts tried to send and what was delivered, per sending host as fractions of the
        link rate.
    accepted_load_half_width : float
        Half the width of the 95 % confidence interval of ``accepted_load``.
    offered_bytes_per_ns_per_switch, accepted_bytes_per_ns_per_switch : float
        The same in payload bytes per nanosecond and switch: of all hosts together, over all
        switches.
    generation_latency_ns, network_latency_ns : LatencySummary
        Latency from generation and from injection. Once saturated the latency from generation has
        no steady value: it grows as long as one measures.
    longest_wait_ns : float
        Longest wait of a packet for the output of a switch, from its request to the grant, in
        nanoseconds: what an arbitration policy does to those it puts last.
    generation_histogram : Histogram
        Distribution of the latency from generation.
    mean_switches : float
        Mean switches traversed per packet; a switch with an in-transit stop counts twice.
    mean_in_transit_stops : float
        Mean in-transit stops per packet.
    warm_up_ns, window_ns : float
        Simulated time discarded at the start, and measured, in nanoseconds.
    delivered_packets : int
        Packets delivered in the window.
    pool_overflows : int
        In-transit packets that found a pool too full.
    dropped_packets, damaged_packets, timed_out_packets : int
        Packets lost in the window, each sent again by its source: for want of room at an in-transit
        host, by link errors, after too long a wait for an output of a switch.
    events, packet_hops, flit_hops : int
        Work of the engine: events handled, channels taken by packets, flits sent over channels.
    simulated_cycles : int
        Flit cycles simulated, warm-up included.
    channel_utilization : ndarray of float32, shape (channel_count,)
        Share of the window in which each channel carried flits, 0 to 1.
    channel_blocked : ndarray of float32, shape (channel_count,)
        Share of the window in which flow control halted each channel while it had a packet to
        send, 0 to 1; of several lanes, that of the one halted longest.
    pool_mean_bytes : ndarray of float32, shape (host_count,)
        Mean bytes held in each host's in-transit pool.
    pool_max_bytes : ndarray of uint32, shape (host_count,)
        Most bytes held in each host's in-transit pool.
    host_accepted_load : ndarray of float32, shape (host_count,)
        What was delivered of each host's payload, as a fraction of what the sending hosts' links
        carry on average: how fairly hosts are served.
    lane_utilization, lane_blocked : ndarray of float32, shape (channel_count, lanes)
        The same as ``channel_utilization`` and ``channel_blocked`` for each lane of hardware that
        has several; no columns for other hardware.
    buffer_mean_bytes : ndarray of float32, shape (channel_count, lanes)
        Mean bytes in the input buffer at the end of each lane, as flow control counts them: with
        credits whole packets, with stop & go flits; 0 at hosts.
    buffer_max_bytes : ndarray of uint32, shape (channel_count, lanes)
        Most bytes there.
    pool_interval_ns : float
        Interval in which the pools were followed, in nanoseconds; 0 where they were not.
    pool_series_mean_bytes : ndarray of float32, shape (intervals, host_count)
        Mean bytes held in each host's in-transit pool, interval by interval of the window; the
        last, unfinished one is left out, and those after the first 16 million values.
    pool_series_max_bytes : ndarray of uint32, shape (intervals, host_count)
        Most bytes held, likewise.
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
    generation_histogram: Histogram
    mean_switches: float
    mean_in_transit_stops: float
    warm_up_ns: float
    window_ns: float
    delivered_packets: int
    pool_overflows: int
    dropped_packets: int
    damaged_packets: int
    timed_out_packets: int
    events: int
    packet_hops: int
    flit_hops: int
    simulated_cycles: int
    channel_utilization: NDArray[np.float32]
    channel_blocked: NDArray[np.float32]
    pool_mean_bytes: NDArray[np.float32]
    pool_max_bytes: NDArray[np.uint32]
    host_accepted_load: NDArray[np.float32] = field(default_factory=_nothing("float32", 1))
    lane_utilization: NDArray[np.float32] = field(default_factory=_nothing("float32", 2))
    lane_blocked: NDArray[np.float32] = field(default_factory=_nothing("float32", 2))
    buffer_mean_bytes: NDArray[np.float32] = field(default_factory=_nothing("float32", 2))
    buffer_max_bytes: NDArray[np.uint32] = field(default_factory=_nothing("uint32", 2))
    pool_interval_ns: float = 0.0
    pool_series_mean_bytes: NDArray[np.float32] = field(default_factory=_nothing("float32", 2))
    pool_series_max_bytes: NDArray[np.uint32] = field(default_factory=_nothing("uint32", 2))

    def __repr__(self) -> str:
        """Show everything but :meth:`arrays`, which have an entry per channel or host."""
        shown = (known.name for known in fields(self) if known.name not in ARRAY_TYPES)
        return f"Measurement({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the figures per channel and per host by name.

        Returns
        -------
        dict of str to ndarray
        """
        return {name: getattr(self, name) for name in ARRAY_TYPES}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but :meth:`arrays` as dictionaries, lists, texts and numbers.

        Returns
        -------
        dict of str to object
        """
        scalars = (known.name for known in fields(self) if known.name not in ARRAY_TYPES)
        return {name: _plain(getattr(self, name)) for name in scalars}

    @classmethod
    def from_dict(
        cls, values: dict[str, Any], arrays: dict[str, NDArray[Any]] | None = None
    ) -> Measurement:
        """Restore what :meth:`to_dict` and :meth:`arrays` gave.

        Parameters
        ----------
        values : dict of str to object
            From :meth:`to_dict`.
        arrays : dict of str to ndarray, optional
            From :meth:`arrays`; those left out become empty.

        Returns
        -------
        Measurement
        """
        import numpy as np

        given = arrays or {}
        restored = dict(values)
        restored["waiting_cycle"] = [WaitingPacket(**step) for step in values["waiting_cycle"]]
        for name in ("generation_latency_ns", "network_latency_ns"):
            restored[name] = LatencySummary(**values[name])
        restored["generation_histogram"] = Histogram(**values["generation_histogram"])
        for name, dtype in ARRAY_TYPES.items():
            nothing = np.zeros((0,) * (2 if name in WIDE_ARRAYS else 1))
            restored[name] = np.asarray(given.get(name, nothing), dtype=dtype)
        return cls(**restored)


#: Figures per channel or per host, with the type of their numbers.
ARRAY_TYPES = {
    "channel_utilization": "float32",
    "channel_blocked": "float32",
    "pool_mean_bytes": "float32",
    "pool_max_bytes": "uint32",
    "host_accepted_load": "float32",
    "lane_utilization": "float32",
    "lane_blocked": "float32",
    "buffer_mean_bytes": "float32",
    "buffer_max_bytes": "uint32",
    "pool_series_mean_bytes": "float32",
    "pool_series_max_bytes": "uint32",
}


#: Those with a column per lane or host.
WIDE_ARRAYS = (
    "lane_utilization",
    "lane_blocked",
    "buffer_mean_bytes",
    "buffer_max_bytes",
    "pool_series_mean_bytes",
    "pool_series_max_bytes",
)


def _plain(value: Any) -> Any:  # noqa: ANN401 - a field of any type
    """Turn dataclasses, also in lists, into dictionaries."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, (LatencySummary, Histogram, WaitingPacket)):
        return asdict(value)
    return value


def simulate(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    traffic: Traffic,
    *,
    precision: float = 0.05,
    precision_accepted: float = 0.02,
    min_packets: int | None = None,
    max_packets: int | None = None,
    pool_interval_ns: float | None = None,
    cancel: Cancel | None = None,
) -> Measurement:
    """Simulate one load until its figures are steady.

    The warm-up is found and discarded; the run ends when the confidence intervals are narrow
    enough, when the network is saturated or deadlocked, or when the budget of packets is spent.
    The interpreter is free meanwhile, so that threads simulate side by side. Ctrl-C works.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Its routes, which should be proved first: a deadlock ends the simulation.
    hardware : Hardware
        The machine.
    traffic : Traffic
        What the hosts send.
    precision : float
        Half-width of the 95 % confidence interval at which the mean latencies are known well
        enough, as a share of the mean.
    precision_accepted : float
        The same for the accepted load.
    min_packets : int, optional
        Packets delivered in the window before a run may end as steady or saturated; by default 20
        per host and at least 2,000.
    max_packets : int, optional
        Packets delivered, warm-up included, after which the run ends in any case; by default
        200,000, and more for fabrics whose ``min_packets`` need it.
    pool_interval_ns : float, optional
        Follow the occupancy of in-transit pools in intervals of so many nanoseconds.
    cancel : Cancel, optional
        Stops the run from another thread.

    Returns
    -------
    Measurement
        Depends on the arguments alone: not on threads, nor on the clock.

    Raises
    ------
    TrafficError, HardwareError, RoutingError
        When the parts do not fit together.
    InputError
        When a precision, a number of packets or an interval is out of range.
    Cancelled
        When ``cancel`` was used.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=2)
    >>> routing = weft.route(fabric, "updown")
    >>> weft.simulate(fabric, routing, weft.hardware(), weft.Traffic(load=0.05)).reason
    'steady'
    """
    for name, packets in (("min_packets", min_packets), ("max_packets", max_packets)):
        if packets is not None and not 0 <= packets < 2**64:
            message = f"{name} is {packets}; expected a whole number from 0 to 2^64 - 1"
            raise InputError(message)
    values, arrays = _core.simulate(
        fabric,
        routing,
        hardware,
        traffic,
        precision_latency=precision,
        precision_accepted=precision_accepted,
        min_packets=min_packets,
        max_packets=max_packets,
        pool_interval_ns=pool_interval_ns,
        cancel=cancel,
    )
    return Measurement.from_dict(values, arrays)


def idle_latency(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    source: str,
    destination: str,
    payload_bytes: Sequence[int],
) -> list[float]:
    """Return how long messages take from one host to another in an otherwise idle network.

    A message is one packet. Its time counts from its generation to the arrival of its last byte: at
    the NIC, or in host memory where NICs have firmware.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Its routes.
    hardware : Hardware
        The machine.
    source, destination : str
        Names of the hosts.
    payload_bytes : sequence of int
        Sizes of the messages.

    Returns
    -------
    list of float
        Nanoseconds, in the order of the sizes; NaN for one that never arrives, as links damage it.

    Raises
    ------
    InputError
        When a host is unknown, or a size out of range.
    HardwareError, RoutingError
        When the parts do not fit together.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.mesh(2, 1, hosts_per_switch=1)
    >>> routing = weft.route(fabric, "updown")
    >>> weft.idle_latency(fabric, routing, weft.hardware(), "host0", "host1", [1, 512])
    [468.75, 3662.5]
    """
    for size in payload_bytes:
        if not 1 <= size <= _LARGEST_MESSAGE:
            message = f"a message of {size} bytes; expected 1 to {_LARGEST_MESSAGE}"
            raise InputError(message)
    latencies = _core.idle_latency(
        fabric, routing, hardware, source, destination, list(payload_bytes)
    )
    return [math.nan if latency is None else latency for latency in latencies]


#: Largest message of :func:`idle_latency`, in bytes.
_LARGEST_MESSAGE = 1 << 24
