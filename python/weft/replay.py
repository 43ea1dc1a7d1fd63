"""Programs on a simulated network, from their beginning to their end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core
from weft._core import Trace
from weft._ranges import require_whole
from weft.fabric import Parameter
from weft.placement import place_ranks
from weft.rehearsal import as_told, told_retries
from weft.simulate import WaitingPacket
from weft.task_graph import Program
from weft.timeline import Timeline, TimelineDetail, limits_of, timeline_of
from weft.traces import (
    collective,
    collective_algorithms,
    multicast,
    multicast_orders,
    read_trace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Cancel, Fabric, Hardware, Routing
    from weft.rehearsal import Event, Retries
    from weft.workload import Traffic

#: A program as the core takes it: a trace, its region, algorithms by operation, repetitions, and
#: the adapters of a rank.
ToldJob = tuple[Trace, str, dict[str, str], int, int]

#: Adapters of a rank at most: as many numbers as a send may name.
MOST_ADAPTERS = 256

__all__ = [
    "MOST_ADAPTERS",
    "RANK_PARTS",
    "BlockedRank",
    "CollectiveUse",
    "Replay",
    "ReplayCourse",
    "ToldJob",
    "Trace",
    "UnclaimedMessage",
    "collective",
    "collective_algorithms",
    "last_end",
    "messaging_parameters",
    "multicast",
    "multicast_orders",
    "read_trace",
    "replay",
    "replay_jobs",
]


#: What the time of a rank goes to: names of arrays of a `Replay`.
RANK_PARTS = (
    "computing_ns",
    "sending_ns",
    "receiving_ns",
    "waiting_packet_ns",
    "waiting_acknowledgement_ns",
)


@dataclass(frozen=True, slots=True)
class BlockedRank:
    """A rank that can never go on."""

    rank: int  #: The rank
    waits: str  #: What it is doing; other ranks by their numbers in its job
    file: str  #: File of the trace; empty where there is none
    line: int  #: Line there, from 1; 0 where there is none


@dataclass(frozen=True, slots=True)
class UnclaimedMessage:
    """A message that nobody received."""

    source: int  #: Rank that sent it
    destination: int  #: Rank it went to
    tag: int  #: Its tag
    size_bytes: int  #: Its length
    file: str  #: File of its send; empty where there is none
    line: int  #: Line there, from 1; 0 where there is none


@dataclass(frozen=True, slots=True)
class CollectiveUse:
    """A collective operation and how it was done."""

    operation: str  #: Name of the operation
    algorithm: str  #: The algorithm taken: that chosen, else by length and number of ranks
    calls: int  #: How often all ranks called it


@dataclass(frozen=True, slots=True, eq=False)
class ReplayCourse:
    """What a run was of work, and how far ranks came in it."""

    #: Work of the engine, some 10 million a second: its events, and 20 for each message received
    work: int
    #: Packets of the messages that each rank received from others, shape (ranks,)
    received_packets: NDArray[np.uint64]
    #: When half of the most work was done; NaN where it did not come to that
    halfway_ns: float
    #: Packets that each rank had received then, shape (ranks,); empty where it did not come to that
    halfway_packets: NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """How a program ran. Times are nanoseconds from its beginning.

    Every moment of a rank until its last task counts once: as computing, as processor time of
    sending or receiving, or as waiting, for an acknowledgement while its host has a packet under
    way that was not acknowledged, else for a packet.
    """

    #: All ranks came to their end; some wait for messages that nobody sends; packets wait for one
    #: another in the network for ever; it was ended beside traffic without an end
    end: Literal["finished", "blocked", "deadlocked", "stopped"]
    #: Packets that wait for one another; empty unless deadlocked
    waiting_cycle: list[WaitingPacket]
    blocked: list[BlockedRank]  #: What the ranks that are not at their end wait for
    #: Messages that nobody received, nor ever will, by sender; none are told when deadlocked
    unclaimed: list[UnclaimedMessage]
    collectives: list[CollectiveUse]  #: Collective operations by name and algorithm
    simulated_ns: float  #: Time simulated, which goes beyond the end
    finish_ns: NDArray[np.float64]  #: End of each rank, NaN of one that has none
    computing_ns: NDArray[np.float64]  #: Time that each rank's processor computed, shape (ranks,)
    sending_ns: NDArray[np.float64]  #: Time it sent, shape (ranks,)
    receiving_ns: NDArray[np.float64]  #: Time it received, shape (ranks,)
    #: Time it had nothing to do but wait to be acknowledged, shape (ranks,)
    waiting_acknowledgement_ns: NDArray[np.float64]
    #: Time it had nothing to do but wait for a packet, shape (ranks,)
    waiting_packet_ns: NDArray[np.float64]
    sent_messages: int  #: Messages of all ranks, those to the own rank included
    received_messages: int  #: Messages received, those from the own rank included
    #: Messages longer than is sent at once: each was announced, and sent when it was called for
    announced_messages: int
    #: Mean time from the announcement of these to when they were sent; NaN without any
    mean_announced_wait_ns: float
    delivered_packets: int  #: Packets delivered, acknowledgements included
    payload_bytes: int  #: Their payload
    mean_latency_ns: float  #: Latency of packets from generation, on average
    max_latency_ns: float  #: Latency of packets from generation, at most
    mean_switches: float  #: Switches a packet traversed
    lost_packets: int  #: Packets lost and sent again
    #: Share of packets that others of their source and destination overtook; NaN where packets do
    #: not choose on their way
    out_of_order_share: float
    out_of_order_distance: int  #: By how many one was overtaken at most
    channel_busy_ns: NDArray[np.float64]  #: Time each channel carried flits
    #: Time each channel had a packet that could not go on
    channel_blocked_ns: NDArray[np.float64]
    #: What ranks did and which messages went when, where it was asked for
    timeline: Timeline | None
    course: ReplayCourse  #: The work of the engine, and how far ranks came

    def algorithms(self) -> dict[str, str]:
        """Name the algorithms of each collective operation, with how often where there are several.

        Returns
        -------
        dict of str to str
            By operation: ``"ring"``, or ``"bruck (3 of 5 calls) and pairwise (2 of 5 calls)"``.
        """
        taken: dict[str, list[CollectiveUse]] = {}
        for use in self.collectives:
            taken.setdefault(use.operation, []).append(use)
        return {operation: _several(uses) for operation, uses in taken.items()}

    @property
    def duration_ns(self) -> float:
        """The end of the last rank, NaN where one has none."""
        return last_end(self.finish_ns.tolist())


def last_end(ends_ns: Sequence[float]) -> float:
    """Return the last of the ends of ranks; NaN where one has none."""
    return math.nan if not ends_ns or any(map(math.isnan, ends_ns)) else max(ends_ns)


def _several(uses: Sequence[CollectiveUse]) -> str:
    if len(uses) == 1:
        return uses[0].algorithm
    calls = sum(use.calls for use in uses)
    return " and ".join(f"{use.algorithm} ({use.calls} of {calls} calls)" for use in uses)


def messaging_parameters(preset: str = "myrinet") -> list[Parameter]:
    """Return the parameters of the messaging layer of hosts.

    Parameters
    ----------
    preset : str
        Preset of the hardware the hosts belong to.

    Raises
    ------
    HardwareError
        When there is no such preset.
    """
    return [Parameter(**entry) for entry in _core.messaging_parameters(preset)]


def messaging_defaults(preset: str) -> dict[str, float]:
    """Return the messaging parameters of a preset's hosts, by name, in the unit the name says."""
    return {entry.name: float(entry.default or 0) for entry in messaging_parameters(preset)}


def replay(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    trace: Trace | Program,
    *,
    region: str = "..",
    algorithms: Mapping[str, str] | None = None,
    messaging: Mapping[str, float] | None = None,
    hosts: Sequence[int] | None = None,
    adapters: int = 1,
    nodes: Sequence[int] | None = None,
    timeline: TimelineDetail | None = None,
    events: Sequence[Event] = (),
    retries: Retries | None = None,
    cancel: Cancel | None = None,
) -> Replay:
    """Let ranks do what a trace says, on a simulated network, until all are at their end.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Its routes.
    hardware : Hardware
        The machine.
    trace : Trace or Program
        What the ranks do.
    region : str
        Part of the trace to replay, from after one action of each rank to before another, such as
        ``barrier:last..reduce``; everything by default.
    algorithms : mapping of str to str, optional
        Algorithm by collective operation; see :func:`collective_algorithms`.
    messaging : mapping of str to float, optional
        Parameters of the messaging layer; see :func:`messaging_parameters`.
    hosts : sequence of int, optional
        Host of each rank; see :func:`place_ranks`. By number when left out. Ranks on one host share
        its adapter.
    adapters : int
        Adapters of a rank, each a host: `hosts` has so many of each rank, one rank after another.
        Channels of collective operations and queue pairs of schedules (`nic`) take them by turns.
    nodes : sequence of int, optional
        Number of the computer of each host; see :func:`computer_of_host`. Ranks on one computer
        speak through its memory or its own network, ``inner_ns`` and ``inner_gbit_per_s`` of the
        messaging layer. When left out each host is a computer.
    timeline : TimelineDetail, optional
        Keep a timeline, in this detail; none by default.
    events : sequence of Fails, Returns, TablesChange, EntriesChange, Answers
        What happens to the network meanwhile, as for :func:`weft.rehearse`.
    retries : Retries, optional
        How sources send again what is lost in failures. When left out it is gone, and ranks wait
        for it for ever.
    cancel : Cancel, optional
        Stops the run from another thread.

    Returns
    -------
    Replay
        Depends on the arguments alone.

    Raises
    ------
    InputError
        When ranks have no hosts, a name or a number is not valid, or ranks cannot do an algorithm.
    FormatError
        When messages of the trace have no receive or one that is too short, receives no message, or
        ranks call different collective operations.
    HardwareError, RoutingError
        When the parts do not fit together.
    Cancelled
        When ``cancel`` was used.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=1)
    >>> routing = weft.route(fabric, "updown")
    >>> barrier = weft.collective("barrier", 16)
    >>> weft.replay(fabric, routing, weft.hardware(), barrier).end
    'finished'
    """
    if isinstance(trace, Program):
        trace = trace.trace()
    require_whole("adapters", adapters, 1, MOST_ADAPTERS)
    if hosts is None:
        hosts = place_ranks(fabric, trace.rank_count, adapters=adapters)
    job = (trace, region, dict(algorithms or {}), 1, adapters)
    return replay_jobs(
        fabric,
        routing,
        hardware,
        [job],
        hosts=list(hosts),
        messaging=messaging,
        nodes=nodes,
        timeline=timeline,
        events=events,
        retries=retries,
        cancel=cancel,
    )


def replay_jobs(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    jobs: Sequence[ToldJob],
    *,
    hosts: Sequence[int],
    messaging: Mapping[str, float] | None = None,
    nodes: Sequence[int] | None = None,
    begin_ns: Sequence[float] = (),
    background: Traffic | None = None,
    most_ns: float | None = None,
    most_work: int | None = None,
    timeline: TimelineDetail | None = None,
    events: Sequence[Event] = (),
    retries: Retries | None = None,
    cancel: Cancel | None = None,
) -> Replay:
    """Let the ranks of several programs act at once: those of the first, then those of the next.

    Arguments are those of `replay`, and `begin_ns` is when each rank begins. It is ended at
    `most_ns` at the latest, which only traffic beside the programs asks for, and after `most_work`
    of the engine, or a moment later.
    """
    placed = list(hosts)
    for host in placed:
        require_whole("a host", host, 0, fabric.host_count - 1)
    if nodes is not None:
        for node in nodes:
            require_whole("a node", node, 0, 2**32 - 1)
    values = _core.replay_jobs(
        fabric,
        routing,
        hardware,
        list(jobs),
        messaging=dict(messaging or {}),
        hosts=placed,
        nodes=None if nodes is None else list(nodes),
        begin_ns=list(begin_ns),
        background=background,
        most_ns=most_ns,
        most_work=most_work,
        timeline=None if timeline is None else limits_of(timeline, _rank_count(jobs)),
        events=[as_told(event) for event in events],
        retries=told_retries(retries),
        cancel=cancel,
    )
    values["course"] = ReplayCourse(**values["course"])
    values["waiting_cycle"] = [WaitingPacket(**step) for step in values["waiting_cycle"]]
    values["blocked"] = [BlockedRank(*entry) for entry in values["blocked"]]
    values["unclaimed"] = [UnclaimedMessage(*entry) for entry in values["unclaimed"]]
    values["collectives"] = [CollectiveUse(*entry) for entry in values["collectives"]]
    if timeline is not None:
        names = fabric.host_names
        own = [host for job, hosts in _of_jobs(jobs, placed) for host in hosts[:: job[4]]]
        values["timeline"] = timeline_of(
            values["timeline"], timeline, [names[host] for host in own]
        )
    return Replay(**values)


def _rank_count(jobs: Sequence[ToldJob]) -> int:
    return sum(trace.rank_count for trace, *_ in jobs)


def _of_jobs(jobs: Sequence[ToldJob], hosts: list[int]) -> Iterator[tuple[ToldJob, list[int]]]:
    """Tell the hosts of each job."""
    begin = 0
    for job in jobs:
        end = begin + job[0].rank_count * job[4]
        yield job, hosts[begin:end]
        begin = end
