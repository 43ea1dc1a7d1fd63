"""Programs on a simulated network, from their beginning to their end."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from weft import _core
from weft._core import Trace
from weft._files import read_text, write_text
from weft.errors import InputError
from weft.fabric import Parameter
from weft.simulate import WaitingPacket
from weft.traces import (
    check_whole,
    collective,
    collective_algorithms,
    multicast,
    multicast_orders,
    read_trace,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Cancel, Fabric, Hardware, Routing

__all__ = [
    "BlockedRank",
    "MessageSpan",
    "Replay",
    "Trace",
    "collective",
    "collective_algorithms",
    "messaging_parameters",
    "multicast",
    "multicast_orders",
    "place_ranks",
    "read_trace",
    "replay",
    "write_timeline",
]


@dataclass(frozen=True, slots=True)
class BlockedRank:
    """A rank that can never go on, and what it waits for.

    The line of the trace's file counts from 1; without a file it is 0, and the name is empty.
    """

    rank: int
    waits: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class MessageSpan:
    """A message from one rank to another that was sampled, with its tag and length.

    It is sent when it is handed to the network interface of its sender, and there when it is there
    whole, and its receive too.
    """

    sent_ns: float
    there_ns: float
    source: int
    destination: int
    tag: int
    size_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """How a program ran. Times are nanoseconds from its beginning.

    A program is finished when all ranks came to their end, blocked when some wait for messages that
    nobody sends, and deadlocked when packets wait for one another in the network for ever: these
    are the waiting cycle. Blocked are the ranks that are not at their end, with what they wait for;
    unclaimed are messages that nobody received: sender, receiver, tag. The time simulated goes
    beyond the end.

    Arrays of ranks, shape (ranks,), are the end of each, NaN of one that has none, and where the
    time of its processor went. Every moment of a rank until its last task counts once: as
    computing, as processor time of sending or receiving, or as waiting, for an acknowledgement
    while its host has a packet under way that was not acknowledged, else for a packet.

    Messages are those of all ranks, to the own rank included; packets and their payload in bytes
    include acknowledgements, lost ones were sent again. Latency is that of packets from generation,
    and the mean of switches is that of those a packet traversed. Each channel, shape
    (channel_count,), was busy while it carried flits. Spans are the messages sampled, by the time
    they were sent.
    """

    end: Literal["finished", "blocked", "deadlocked"]
    waiting_cycle: list[WaitingPacket]
    blocked: list[BlockedRank]
    unclaimed: list[tuple[int, int, int]]
    simulated_ns: float
    finish_ns: NDArray[np.float64]
    computing_ns: NDArray[np.float64]
    sending_ns: NDArray[np.float64]
    receiving_ns: NDArray[np.float64]
    waiting_acknowledgement_ns: NDArray[np.float64]
    waiting_packet_ns: NDArray[np.float64]
    sent_messages: int
    received_messages: int
    delivered_packets: int
    payload_bytes: int
    mean_latency_ns: float
    max_latency_ns: float
    mean_switches: float
    lost_packets: int
    channel_busy_ns: NDArray[np.float64]
    spans: list[MessageSpan]

    @property
    def duration_ns(self) -> float:
        """The end of the last rank, NaN where one has none."""
        return float(self.finish_ns.max()) if len(self.finish_ns) else math.nan


def messaging_parameters(preset: str = "myrinet") -> list[Parameter]:
    """Return the parameters of the messaging layer of hosts that a preset of hardware belongs to.

    A preset that is not known is a `HardwareError`.
    """
    return [Parameter(**entry) for entry in _core.messaging_parameters(preset)]


def messaging_defaults(preset: str) -> dict[str, float]:
    """Return the messaging parameters of a preset's hosts, by name, in the unit the name says."""
    return {entry.name: float(entry.default or 0) for entry in messaging_parameters(preset)}


def place_ranks(
    fabric: Fabric, ranks: int, placement: str = "linear", *, seed: int = 1
) -> list[int]:
    """Choose a host for each rank; return their numbers.

    Placements are linear: by number; round_robin: the first host of each switch, then the second,
    and so on; random, drawn by the seed; or the name of a file with a host's name or number per
    line, for each rank in order. Too few hosts, or a file that names none or one twice, are an
    `InputError`.

    Examples
    --------
    >>> import weft
    >>> weft.place_ranks(weft.torus(2, 2, hosts_per_switch=4), 6, "round_robin")
    [0, 4, 8, 12, 1, 5]
    """
    hosts = list(range(fabric.host_count))
    if placement == "random":
        random.Random(seed).shuffle(hosts)  # noqa: S311 - an order, no secret
    elif placement == "round_robin":
        seen: dict[int, int] = {}
        turns = []
        for host, switch in enumerate(fabric.host_switch.tolist()):
            seen[switch] = seen.get(switch, -1) + 1
            turns.append((seen[switch], switch, host))
        hosts = [host for _, _, host in sorted(turns)]
    elif placement != "linear":
        hosts = _listed_hosts(fabric, placement)
    if len(hosts) < ranks:
        message = (
            f"{ranks} ranks on {len(hosts)} hosts ({placement}); expected a host for each rank"
        )
        raise InputError(message)
    return hosts[:ranks]


def _listed_hosts(fabric: Fabric, path: str) -> list[int]:
    expected = "linear, round_robin, random, or a file with a host per line"
    numbers = {name: number for number, name in enumerate(fabric.host_names)}
    hosts: list[int] = []
    for line, text in enumerate(read_text(path, expected).splitlines(), start=1):
        name = text.strip()
        if not name or name.startswith("#"):
            continue
        host = numbers.get(name)
        if host is None and name.isascii() and name.isdigit() and int(name) < fabric.host_count:
            host = int(name)
        if host is None:
            message = f"{path}:{line}: found “{name}”, expected a host of “{fabric.name}”"
            raise InputError(message)
        if host in hosts:
            message = f"{path}:{line}: host “{name}” is listed twice; expected one rank a host"
            raise InputError(message)
        hosts.append(host)
    return hosts


def replay(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    trace: Trace,
    *,
    region: str = "..",
    algorithms: Mapping[str, str] | None = None,
    messaging: Mapping[str, float] | None = None,
    hosts: Sequence[int] | None = None,
    one_in: int = 0,
    most_per_rank: int = 1000,
    cancel: Cancel | None = None,
) -> Replay:
    """Let ranks do what a trace says, on a simulated network, until all are at their end.

    The region of the trace that is replayed is from after one action of each rank to before
    another, such as ``barrier:last..reduce``; by default it is everything. Algorithms are by
    collective operation (:func:`collective_algorithms`), `messaging` has parameters of the
    messaging layer (:func:`messaging_parameters`), and `hosts` the host of each rank
    (:func:`place_ranks`), by number when left out. Kept are the spans of one in so many messages
    from one rank to another, none for 0, and at most so many of those that one rank received. The
    result depends on the arguments alone.

    A `Cancel` stops the run from another thread, which is `Cancelled`. Ranks without hosts, and a
    name or a number that is not valid, are an `InputError`; messages that have no receive, receives
    that have no message, and ranks that call different collective operations a `FormatError`; parts
    that do not fit together a `HardwareError` or `RoutingError`.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=1)
    >>> routing = weft.route(fabric, "updown")
    >>> barrier = weft.collective("barrier", 16)
    >>> weft.replay(fabric, routing, weft.hardware(), barrier).end
    'finished'
    """
    check_whole("one_in", one_in, 0, 2**64 - 1)
    check_whole("most_per_rank", most_per_rank, 0, 2**32 - 1)
    placed = place_ranks(fabric, trace.rank_count) if hosts is None else list(hosts)
    for host in placed:
        check_whole("a host", host, 0, fabric.host_count - 1)
    values = _core.replay_trace(
        fabric,
        routing,
        hardware,
        trace,
        region=region,
        algorithms=dict(algorithms or {}),
        messaging=dict(messaging or {}),
        hosts=placed,
        one_in=one_in,
        most_per_rank=most_per_rank,
        cancel=cancel,
    )
    values["waiting_cycle"] = [WaitingPacket(**step) for step in values["waiting_cycle"]]
    values["blocked"] = [BlockedRank(*entry) for entry in values["blocked"]]
    values["spans"] = [MessageSpan(*entry) for entry in values["spans"]]
    return Replay(**values)


def write_timeline(path: str | os.PathLike[str], replayed: Replay) -> None:
    """Write the messages sampled as a timeline that Chrome and Perfetto show.

    It is in Chrome's trace event format (JSON): one process per receiver, one thread per sender;
    times are microseconds. Where the machine does not let it be written, that is an
    `EnvironmentFailure`.
    """
    receivers = sorted({span.destination for span in replayed.spans})
    events: list[dict[str, Any]] = [
        {"name": "process_name", "ph": "M", "pid": rank, "args": {"name": f"to rank {rank}"}}
        for rank in receivers
    ]
    events += [
        {
            "name": f"{span.size_bytes} bytes from rank {span.source}",
            "ph": "X",
            "ts": span.sent_ns / 1000,
            "dur": (span.there_ns - span.sent_ns) / 1000,
            "pid": span.destination,
            "tid": span.source,
            "args": {"tag": span.tag, "bytes": span.size_bytes},
        }
        for span in replayed.spans
    ]
    document = {"traceEvents": events, "displayTimeUnit": "ns"}
    write_text(Path(path), json.dumps(document) + "\n")
