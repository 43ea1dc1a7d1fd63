"""Failures and their repair under traffic: what is lost, and how long packets take meanwhile."""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, Any

from weft import _core
from weft._core import Cancel
from weft._ranges import require_whole
from weft._without_numpy import packed, read_numbers
from weft.errors import InputError
from weft.figure_table import WaitingPacket

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Hardware, Routing
    from weft.workload import Traffic

__all__ = [
    "WINDOW_ARRAYS",
    "Answers",
    "Cancel",
    "EntriesChange",
    "Event",
    "Fails",
    "Phase",
    "Rehearsed",
    "Retries",
    "Returns",
    "TablesChange",
    "as_told",
    "rehearse",
    "told_retries",
]

_MOST_RETRIES = 2**32 - 1

#: Arrays of `Rehearsed`, as :meth:`Rehearsed.phase` takes them.
WINDOW_ARRAYS = (
    "begin_ns",
    "end_ns",
    "packets",
    "accepted_load",
    "mean_latency_ns",
    "most_latency_ns",
    "lost_by_failure",
    "lost_without_entry",
)

#: A latency counts as settled when it is no more than so many times that of the end.
_SETTLED = 1.1

#: What share of the time after the last event is the end.
_END = 0.25


@dataclass(frozen=True, slots=True)
class Fails:
    """A part fails: both ways of a link, or a switch with every channel from and to it."""

    at_ns: float  #: When, from the beginning, in ns
    part: str  #: A switch by its name, or a link by a switch and its port: ``leaf01:17``


@dataclass(frozen=True, slots=True)
class Returns:
    """A part that failed works again, with the tables that it had."""

    at_ns: float  #: When, in ns
    part: str  #: As in :class:`Fails`


@dataclass(frozen=True, slots=True)
class TablesChange:
    """Switches get other tables, one after another; or hosts other routes, from a mapper.

    The latter where packets carry their routes, as on Myrinet: each takes those that its host has
    when the NIC takes it, and is lost where they do not lead to its destination.
    """

    at_ns: float  #: When the first does, in ns
    #: Forwarding tables of the network, or of what is left of it, known by names; or routes
    routing: Routing
    #: Which switches, in this order. When left out all of them, and when the last has its tables
    #: hosts write headers (addresses, service levels) by them too
    switches: tuple[str, ...] | None = None
    each_after_ns: float = 0.0  #: Time from one switch, or host, to the next
    #: Whether entries that change are cleared in all these switches before any is set
    clears_first: bool = False


@dataclass(frozen=True, slots=True)
class EntriesChange:
    """Switches get single entries, those of one switch at once, and switch after switch."""

    at_ns: float  #: When the first switch does, in ns
    #: Switch and destination by their names, which of the addresses of that, from 0, and the port;
    #: 0 clears the entry
    writes: tuple[tuple[str, str, int, int], ...]
    each_after_ns: float = 0.0  #: Time from one switch to the next


@dataclass(frozen=True, slots=True)
class Answers:
    """Hosts are told other service levels and addresses: they write headers by other tables."""

    at_ns: float  #: When, in ns
    routing: Routing  #: As in :class:`TablesChange`
    #: The hosts of which switches write them so, to which destinations, by their names, and they
    #: are told service levels alone; all hosts to all destinations when not given
    pairs: tuple[tuple[str, str], ...] | None = None


#: What may happen.
Event = Fails | Returns | TablesChange | EntriesChange | Answers


@dataclass(frozen=True, slots=True)
class Retries:
    """Sources send again what was lost, as InfiniBand's reliable connections do.

    Each packet has a timer of its own, from the cycle in which it begins to leave. One that is
    lost later than its timer ends is sent again at once.
    """

    timeout_ns: float  #: How long a source waits
    count: int  #: How often a packet is sent again at most


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of the time, and what happened in it."""

    begin_ns: float
    end_ns: float
    packets: int  #: Packets delivered
    accepted_load: float  #: Payload delivered, as a share of what the senders' links carry
    mean_latency_ns: float  #: From generation to delivery; NaN where nothing is delivered
    most_latency_ns: float
    lost_by_failure: int  #: Packets lost on or behind parts that failed, each time they were sent
    #: Packets lost where a switch had no entry for them, or their host no route
    lost_without_entry: int


@dataclass(frozen=True, slots=True, eq=False)
class Rehearsed:
    """What happened, window by window: arrays with one value for each."""

    begin_ns: NDArray[np.float64]  #: Where each window begins
    end_ns: NDArray[np.float64]  #: Where it ends
    packets: NDArray[np.uint64]  #: Packets delivered in it
    accepted_load: NDArray[np.float64]  #: As in :class:`Phase`
    mean_latency_ns: NDArray[np.float64]
    most_latency_ns: NDArray[np.float64]
    lost_by_failure: NDArray[np.uint64]
    lost_without_entry: NDArray[np.uint64]
    offered_load: float  #: What hosts offer, as a share of their links
    under_way_packets: int  #: Packets in the network at the end
    #: When packets were first seen to wait for one another, which they do to the end; None where
    #: none do
    deadlock_ns: float | None
    waiting_cycle: tuple[WaitingPacket, ...]  #: These packets
    first_event_ns: float  #: When the first thing happens
    last_event_ns: float  #: When the last thing begins

    @property
    def lost(self) -> NDArray[np.uint64]:
        """Packets lost in each window, for whatever reason."""
        both = zip(self.lost_by_failure.tolist(), self.lost_without_entry.tolist(), strict=True)
        return read_numbers(packed(map(sum, both), "uint64"), "uint64")

    @property
    def before(self) -> Phase:
        """The second half of the time before anything happens."""
        return self.phase(self.first_event_ns / 2, self.first_event_ns)

    @property
    def end(self) -> Phase:
        """The last quarter of the time after the last event."""
        until = self.end_ns.tolist()[-1]
        return self.phase(until - _END * (until - self.last_event_ns), until)

    @property
    def recovered_ns(self) -> float | None:
        """When nothing is lost any more and the mean latency is within a tenth of that at the end.

        The beginning of the first window of which that is so, after the first event; None where
        packets are lost to the end, or wait for one another.
        """
        end = self.end
        if self.deadlock_ns is not None or end.lost_by_failure + end.lost_without_entry > 0:
            return None
        begins = self.begin_ns.tolist()
        losing = [place for place, lost in enumerate(self.lost.tolist()) if lost]
        least = losing[-1] + 1 if losing else 0
        settled = (
            begin
            for begin, latency in zip(
                begins[least:], self.mean_latency_ns.tolist()[least:], strict=True
            )
            if latency <= _SETTLED * end.mean_latency_ns and begin >= self.first_event_ns
        )
        return next(settled, None)

    @property
    def during(self) -> Phase:
        """From the window of the first event until it has recovered, or to the end."""
        recovered = self.recovered_ns
        begins, ends = self.begin_ns.tolist(), self.end_ns.tolist()
        begin = next(
            begin for begin, end in zip(begins, ends, strict=True) if end > self.first_event_ns
        )
        return self.phase(begin, ends[-1] if recovered is None else recovered)

    def phase(self, begin_ns: float, end_ns: float) -> Phase:
        """Sum up the windows that lie in a part of the time; the one around it where none does."""
        windows = list(zip(*(getattr(self, name).tolist() for name in WINDOW_ARRAYS), strict=True))
        inside = [one for one in windows if begin_ns <= one[0] and one[1] <= end_ns]
        if not inside:
            inside = [one for one in windows if one[0] <= begin_ns < one[1]]
        begins, ends, counts, loads, means, mosts, failed, entryless = zip(
            *(inside or [(begin_ns, begin_ns, 0, 0.0, 0.0, 0.0, 0, 0)]), strict=True
        )
        packets = sum(counts)
        spans = [end - begin for begin, end in zip(begins, ends, strict=True)]
        sums = [mean * count for mean, count in zip(means, counts, strict=True) if count]
        return Phase(
            min(begin_ns, *begins),
            max(begin_ns, *ends),
            packets,
            math.fsum(map(mul, loads, spans)) / max(math.fsum(spans), 1e-9),
            math.fsum(sums) / packets if packets else math.nan,
            max(0.0, *mosts),
            sum(failed),
            sum(entryless),
        )


def rehearse(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    traffic: Traffic,
    events: Sequence[Event],
    *,
    until_ns: float,
    window_ns: float,
    retries: Retries | None = None,
    cancel: Cancel | None = None,
) -> Rehearsed:
    """Let parts fail and return, and tables change, under traffic.

    Exact to the cycle: a packet that begins to leave on a channel that is down is swallowed at the
    rate of the link; one that is on it when it fails goes on and is lost at its destination, where
    its checksum is wrong; a switch looks a packet up in the tables it has in the cycle in which
    the packet asks, and discards one without an entry. On wormhole hardware, such as ``myrinet``, a
    packet holds several channels: what holds one that fails is lost at its destination, and what
    asks for it is discarded. Nothing is proved here: tables that may deadlock while they change do
    so.

    Parameters
    ----------
    fabric : Fabric
        The network as it is at the beginning.
    routing : Routing
        Forwarding tables for it (:func:`weft.to_tables`) where tables change; else any that leave
        packets no choice, as on wormhole hardware.
    hardware : Hardware
        Any, such as ``infiniband_hdr`` or ``myrinet``.
    traffic : Traffic
        What the hosts send all the time.
    events : sequence of Fails, Returns, TablesChange, EntriesChange, Answers
        What happens, in any order; at one time as listed.
    until_ns : float
        When it ends.
    window_ns : float
        Figures are told for stretches so long.
    retries : Retries, optional
        How sources send again what was lost; when left out, it is gone.
    cancel : Cancel, optional
        Stops the run from another thread.

    Returns
    -------
    Rehearsed
        Depends on the arguments alone.

    Raises
    ------
    HardwareError, RoutingError, FabricError, TrafficError
        When hardware or routes know no changes, tables are of another network, or a part is
        unknown.
    InputError
        When a time is out of range, a part returns that has not failed, or nothing happens.
    Cancelled
        When ``cancel`` was used.

    Examples
    --------
    A cable fails for ever, and nobody tells the switches:

    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=2)
    >>> tables = weft.to_tables(fabric, weft.route(fabric, "best"), 0)
    >>> machine = weft.hardware("infiniband_hdr")
    >>> events = [weft.Fails(20_000, "sw0:3")]
    >>> seen = weft.rehearse(
    ...     fabric, tables, machine, weft.Traffic(load=0.2), events, until_ns=60e3, window_ns=2e3
    ... )
    >>> seen.before.lost_by_failure, seen.end.lost_by_failure > 0, seen.recovered_ns
    (0, True, None)
    """
    if not events:
        message = "found no events; expected something that happens, such as Fails(20_000, 'sw0:3')"
        raise InputError(message)
    told = _core.rehearse(
        fabric,
        routing,
        hardware,
        traffic,
        [as_told(event) for event in events],
        retries=told_retries(retries),
        until_ns=until_ns,
        window_ns=window_ns,
        cancel=cancel,
    )
    waiting = tuple(WaitingPacket(**packet) for packet in told.pop("waiting_cycle"))
    times = [event.at_ns for event in events]
    return Rehearsed(
        **told, waiting_cycle=waiting, first_event_ns=min(times), last_event_ns=max(times)
    )


def as_told(event: Event) -> tuple[Any, ...]:
    """Return an event as the core is told of it."""
    part: str | None = None
    tables: Routing | None = None
    switches: list[str] | None = None
    each_after_ns, clears_first = 0.0, False
    writes: tuple[tuple[str, str, int, int], ...] = ()
    match event:
        case Fails():
            kind, part = "fails", event.part
        case Returns():
            kind, part = "returns", event.part
        case TablesChange():
            kind, tables = "tables", event.routing
            switches = None if event.switches is None else list(event.switches)
            each_after_ns, clears_first = event.each_after_ns, event.clears_first
        case EntriesChange():
            kind, writes, each_after_ns = "entries", event.writes, event.each_after_ns
        case Answers():
            kind, tables = "answers", event.routing
            writes = tuple((switch, to, 0, 0) for switch, to in event.pairs or ())
    return event.at_ns, kind, part, tables, switches, each_after_ns, clears_first, list(writes)


def told_retries(retries: Retries | None) -> tuple[float, int] | None:
    """Return how sources send again as the core is told of it."""
    if retries is None:
        return None
    require_whole("count of retries", retries.count, 0, _MOST_RETRIES)
    return retries.timeout_ns, retries.count
