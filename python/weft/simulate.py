"""One simulation: a routing on a fabric under traffic, measured in its steady state."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft import _core
from weft._core import Cancel
from weft._machine import usable_processors
from weft._ranges import MOST_OF_64_BITS, require_whole
from weft.errors import InputError
from weft.figure_table import ARRAYS, Histogram, LatencySummary, WaitingPacket
from weft.measurement import Measurement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import Fabric, Hardware, Routing
    from weft.workload import Traffic

#: Precision of the mean latencies at which a run ends by default.
DEFAULT_PRECISION = _core.default_precision()[0]

#: More than any machine has.
_MOST_THREADS = 4096
MOST_POOL_INTERVAL_NS = 1e9

__all__ = [
    "Cancel",
    "Histogram",
    "LatencySummary",
    "Measurement",
    "WaitingPacket",
    "idle_latency",
    "simulate",
]


def simulate(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    traffic: Traffic,
    *,
    precision: float | None = None,
    precision_accepted: float | None = None,
    min_packets: int | None = None,
    max_packets: int | None = None,
    pool_interval_ns: float | None = None,
    threads: int | None = None,
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
    precision : float, optional
        Half-width of the 95 % confidence interval at which the mean latencies are known well
        enough, as a share of the mean; by default 0.05.
    precision_accepted : float, optional
        The same for the accepted load; by default 0.01.
    min_packets : int, optional
        Packets delivered in the window before a run may end as steady or saturated; by default 20
        per host and at least 50,000.
    max_packets : int, optional
        Packets delivered, warm-up included, after which the run ends in any case; by default
        400,000, and more for fabrics whose ``min_packets`` need it: three times those.
    pool_interval_ns : float, optional
        Follow the occupancy of in-transit pools in intervals of so many nanoseconds.
    threads : int, optional
        Processors that may simulate it at once; all of this machine by default. As many are taken
        as make it faster: on large fabrics several, otherwise one. Whoever simulates several
        networks side by side asks for 1.
    cancel : Cancel, optional
        Stops the run from another thread.

    Returns
    -------
    Measurement
        Depends on the arguments alone: not on threads, nor on the clock. The costs it tells of the
        run itself (``events``) depend on the threads.

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
        if packets is not None:
            require_whole(name, packets, 0, MOST_OF_64_BITS)
    if threads is not None:
        require_whole("threads", threads, 1, _MOST_THREADS)
    if pool_interval_ns is not None and not 0 < pool_interval_ns <= MOST_POOL_INTERVAL_NS:
        message = (
            f"pool_interval_ns is {pool_interval_ns:g}; expected more than 0 and at most"
            f" {MOST_POOL_INTERVAL_NS:g} ns"
        )
        raise InputError(message)
    values = _core.simulate(
        fabric,
        routing,
        hardware,
        traffic,
        precision_latency=precision,
        precision_accepted=precision_accepted,
        min_packets=min_packets,
        max_packets=max_packets,
        pool_interval_ns=pool_interval_ns,
        threads=usable_processors() if threads is None else threads,
        cancel=cancel,
    )
    return Measurement.from_dict(values, {name: values[name] for name in ARRAYS})


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
