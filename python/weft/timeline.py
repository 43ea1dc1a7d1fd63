"""What ranks did over a whole run, and which messages went when, for Perfetto and Chrome."""

from __future__ import annotations

import heapq
import itertools
import json
import operator
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from weft._files import whole_file
from weft._numbers import counted
from weft._rank_names import RankNames
from weft.errors import InputError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

__all__ = ["MessageSpan", "RankTask", "StateSpan", "Timeline", "TimelineDetail", "write_timeline"]

#: Spans of states and messages that are kept where nothing else is asked for.
MOST_STATES = 100_000
LEAST_STATES_PER_RANK = 20
MOST_MESSAGES = 20_000
#: As many as there may be, in the core.
UNLIMITED = 2**63 - 1
#: The longest resolution: a day.
MOST_RESOLUTION_NS = 86_400e9

#: What a rank can do.
Activity = Literal[
    "computing", "sending", "receiving", "waiting_acknowledgement", "waiting_packet", "finished"
]
ACTIVITIES: tuple[Activity, ...] = (
    "computing",
    "sending",
    "receiving",
    "waiting_acknowledgement",
    "waiting_packet",
    "finished",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineDetail:
    """How much of a run a timeline keeps; by default as much as a file of some 30 MB has room for.

    States shorter than the resolution are merged with those next to them until they are as long;
    how long each kind took is kept, so that sums are exact at any resolution.
    """

    #: Resolution in ns, 0 for every state; by default the finest with 100,000 spans (or 20 a rank)
    resolution_ns: float | None = None
    #: Keep all messages of so many bytes; by default up to 20,000 of all, one in so many
    least_message_bytes: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        resolution = self.resolution_ns
        if resolution is not None and not 0 <= resolution <= MOST_RESOLUTION_NS:
            message = f"resolution_ns is {resolution}; expected 0 to {MOST_RESOLUTION_NS:.0f}"
            raise InputError(message)
        least = self.least_message_bytes
        if least is not None and not 0 <= least < 2**63:
            message = f"least_message_bytes is {least}; expected a number of bytes, 0 or more"
            raise InputError(message)


@dataclass(frozen=True, slots=True)
class RankTask:
    """What a rank is about in a state."""

    kind: Literal["compute", "send", "receive", "join", "wait"]  #: What the task does
    peer: int | None  #: The other rank of a message; none where any rank may have sent it
    tag: int | None  #: Tag of the message; none in a collective operation, or where any will do
    size_bytes: int | None  #: Length of a message that is sent
    action: str | None  #: Action of the trace; none of a schedule
    is_collective: bool  #: Whether that is a collective operation
    line: int  #: Line of the action; 0 where there is none


@dataclass(frozen=True, slots=True)
class StateSpan:
    """A stretch of a rank's time: one state, or several too short for the resolution."""

    rank: int  #: Whose
    begin_ns: float  #: When it begins
    end_ns: float  #: When it ends
    computing_ns: float  #: Time of it that the processor computed
    sending_ns: float  #: Time of it that the processor sent
    receiving_ns: float  #: Time of it that the processor received
    waiting_acknowledgement_ns: float  #: Time of it idle, a packet of the host not acknowledged
    waiting_packet_ns: float  #: Time of it idle otherwise
    finished_ns: float  #: Time of it after the rank's last task
    states: int  #: The states in it
    longest: Activity  #: What the longest of them is
    longest_ns: float  #: How long that is
    task: RankTask | None  #: The task that this is for; none once all are over


@dataclass(frozen=True, slots=True)
class MessageSpan:
    """A message and its time under way."""

    sent_ns: float  #: When it was handed to the network interface of its sender
    there_ns: float  #: When it was there whole, and its receive too
    source: int  #: Rank that sends it
    destination: int  #: Rank that receives it
    tag: int | None  #: Its tag; none in a collective operation
    collective: str | None  #: The collective operation it is a part of
    size_bytes: int  #: Its length


Span = TypeVar("Span")


class _Spans(Collection[Span], Generic[Span]):
    """Spans that the core holds in few bytes, each made when it is asked for."""

    def __init__(self, kept: Any, made: Callable[[tuple[Any, ...]], Span]) -> None:  # noqa: ANN401
        self._kept = kept
        self._made = made

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Span]:
        return map(self._made, iter(self._kept))

    def __contains__(self, value: object) -> bool:
        return any(span == value for span in self)

    def __eq__(self, other: object) -> bool:
        """Tell whether they are those of another timeline, one by one."""
        if not isinstance(other, _Spans) or len(self) != len(other):
            return NotImplemented if not isinstance(other, _Spans) else False
        return all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Timeline:
    """What ranks did, and which messages went when, from the beginning of a run to its end.

    There may be millions of states and messages: they are made one after another as they are asked
    for, and `list` holds them all.
    """

    resolution_ns: float  #: States shorter than this were merged
    states: Collection[StateSpan]  #: By rank; those of each follow one another without a gap
    messages: Collection[MessageSpan]  #: Messages, by the time they were sent
    message_count: int  #: Messages of at least ``least_message_bytes`` that were received
    one_in: int  #: One in so many of these is among ``messages``
    least_message_bytes: int  #: As said
    hosts: list[str]  #: Name of the host of each rank
    state_count: int  #: States that the spans hold
    end_ns: float  #: End of the run
    #: Name and number of ranks of each job that was run, in the order of ranks; none of one program
    jobs: tuple[tuple[str, int], ...] = ()

    def told(self) -> str:
        """Return what there is and what was left out, in one line."""
        spans, states = len(self.states), self.state_count
        merged = f"all {states} states"
        if spans < states:
            resolution = _time_text(self.resolution_ns)
            merged = f"{states} states in {spans} spans, those below {resolution} merged"
        count, kept = self.message_count, len(self.messages)
        of_size = ""
        if self.least_message_bytes:
            of_size = f" of {self.least_message_bytes} bytes and more"
        messages = f"all {count} messages{of_size}"
        if kept < count:
            messages = f"{kept} of {count} messages{of_size}, 1 in {self.one_in}"
        ranks = counted(len(self.hosts), "rank")
        return f"{ranks} to the end at {_time_text(self.end_ns)}: {merged}; {messages}"


def limits_of(detail: TimelineDetail, ranks: int) -> tuple[float, int, int, int]:
    """Return what the core is asked for: resolution, most spans, least bytes, most messages."""
    most_states = max(MOST_STATES, LEAST_STATES_PER_RANK * ranks)
    return (
        detail.resolution_ns or 0.0,
        most_states if detail.resolution_ns is None else UNLIMITED,
        detail.least_message_bytes or 0,
        MOST_MESSAGES if detail.least_message_bytes is None else UNLIMITED,
    )


def timeline_of(kept: dict[str, Any], detail: TimelineDetail, hosts: list[str]) -> Timeline:
    """Return the record of what the core kept."""
    return Timeline(
        kept["resolution_ns"],
        _Spans(kept["states"], _state),
        _Spans(kept["messages"], lambda entry: MessageSpan(*_flat(entry))),
        kept["message_count"],
        kept["one_in"],
        detail.least_message_bytes or 0,
        hosts,
        kept["state_count"],
        kept["end_ns"],
    )


def _state(entry: tuple[Any, ...]) -> StateSpan:
    parts = _flat(entry)
    if parts[-1] is not None:
        parts[-1] = RankTask(*parts[-1])
    return StateSpan(*parts)


def _flat(entry: tuple[Any, ...]) -> list[Any]:
    """Return the parts of an entry one after another, its last one as it is."""
    *parts, last = entry
    flat: list[Any] = []
    for part in parts:
        flat += part if isinstance(part, list | tuple) else [part]
    return [*flat, last]


def write_timeline(path: str | os.PathLike[str], timeline: Timeline) -> None:
    """Write a timeline that Perfetto and Chrome show.

    Parameters
    ----------
    path : path-like
        File to write, in Chrome's trace event format (JSON), for https://ui.perfetto.dev and
        chrome://tracing. A process for each rank has its states on one track and the messages it
        receives on as many as it takes for none to overlap; an arrow leads from what its sender
        did then to what its receiver does when it is there. The first process says what was left
        out, and so does ``otherData``. Times are whole ns. However long the run is, the events are
        written as they are made.
    timeline : Timeline
        What to write: `Replay.timeline`.

    Raises
    ------
    EnvironmentFailure
        When the machine does not let it be written.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=1)
    >>> routing = weft.route(fabric, "updown")
    >>> barrier = weft.collective("barrier", 16)
    >>> run = weft.replay(
    ...     fabric, routing, weft.hardware(), barrier, timeline=weft.TimelineDetail()
    ... )
    >>> print(run.timeline.told().split(": ")[1])
    all 79 states; all 64 messages
    >>> weft.write_timeline("barrier.json", run.timeline)
    """
    told = {
        "about": timeline.told(),
        "resolution_ns": timeline.resolution_ns,
        "states": timeline.state_count,
        "messages": timeline.message_count,
        "one_in": timeline.one_in,
        "least_message_bytes": timeline.least_message_bytes,
    }
    head = f'{{"displayTimeUnit":"ns","otherData":{json.dumps(told)},"traceEvents":[\n'
    with whole_file(path) as partial, partial.open("w", encoding="utf-8") as file:
        file.write(head)
        for number, event in enumerate(_events(timeline)):
            before = ",\n" if number else ""
            file.write(f"{before}{json.dumps(event, separators=(',', ':'))}")
        file.write("\n]}\n")


def _events(timeline: Timeline) -> Iterator[dict[str, Any]]:
    ranks = len(timeline.hosts)
    # To viewers a thread with the number of its process is its main one, and they mistake threads
    # of several processes with one number for each other.
    threads = itertools.count(ranks + 1)
    yield from _named(ranks, f"Weft: {timeline.told()}", sort_index=-1)
    about = (ranks, next(threads))
    yield _thread(about, "about")
    yield _slice(about, "the run", (0.0, timeline.end_ns), {"about": timeline.told()})
    states = {}
    names = RankNames(ranks, timeline.jobs)
    for rank, host in enumerate(timeline.hosts):
        yield from _named(rank, f"{names.full(rank)} (host {host})", sort_index=rank)
        states[rank] = (rank, next(threads))
        yield _thread(states[rank], "states")
    for span in timeline.states:
        yield _slice(states[span.rank], *_state_words(_within_its_job(span, names)))
    lanes = [_Lanes() for _ in timeline.hosts]
    end = round(timeline.end_ns)
    for number, message in enumerate(timeline.messages):
        of_rank = lanes[message.destination]
        times = (message.sent_ns, message.there_ns)
        lane = of_rank.lane(*map(round, times))
        if lane == len(of_rank.tracks):
            of_rank.tracks.append((message.destination, next(threads)))
            yield _thread(of_rank.tracks[lane], f"messages {lane + 1}")
        source = names.within(message.source)
        words = f"{message.size_bytes} bytes from rank {source}"
        arguments: dict[str, Any] = {"bytes": message.size_bytes, "from": source}
        if message.collective is None:
            arguments["tag"] = message.tag
        else:
            arguments["collective"] = message.collective
        yield _slice(of_rank.tracks[lane], words, times, arguments)
        yield _arrow("s", number, states[message.source], message.sent_ns, end)
        yield _arrow("f", number, states[message.destination], message.there_ns, end)


def _within_its_job(span: StateSpan, names: RankNames) -> StateSpan:
    """Let the other rank of what is done have its number in their job."""
    task = span.task
    if task is None or task.peer is None or names.within(task.peer) == task.peer:
        return span
    return replace(span, task=replace(task, peer=names.within(task.peer)))


class _Lanes:
    """Tracks of a rank's messages, on none of which two overlap: each takes the first free one."""

    def __init__(self) -> None:
        #: Process and thread of each track so far.
        self.tracks: list[tuple[int, int]] = []
        self._free: list[int] = []
        self._busy: list[tuple[int, int]] = []

    def lane(self, begin: int, end: int) -> int:
        """Return the track of a message, a new one after all others; they come as they begin."""
        while self._busy and self._busy[0][0] <= begin:
            heapq.heappush(self._free, heapq.heappop(self._busy)[1])
        lane = heapq.heappop(self._free) if self._free else len(self._busy)
        heapq.heappush(self._busy, (end, lane))
        return lane


def _named(process: int, name: str, *, sort_index: int) -> list[dict[str, Any]]:
    told = [("process_name", {"name": name}), ("process_sort_index", {"sort_index": sort_index})]
    return [{"name": key, "ph": "M", "pid": process, "args": value} for key, value in told]


def _thread(track: tuple[int, int], name: str) -> dict[str, Any]:
    process, thread = track
    arguments = {"name": name}
    return {"name": "thread_name", "ph": "M", "pid": process, "tid": thread, "args": arguments}


def _slice(
    track: tuple[int, int], name: str, times: tuple[float, float], arguments: dict[str, Any]
) -> dict[str, Any]:
    # Whole ns, so that what ends where the next begins does so in the file as well.
    begin, end = map(round, times)
    process, thread = track
    return {
        "name": name,
        "ph": "X",
        "ts": begin / 1000,
        "dur": (end - begin) / 1000,
        "pid": process,
        "tid": thread,
        "args": arguments,
    }


def _arrow(
    which: Literal["s", "f"], number: int, track: tuple[int, int], time_ns: float, end: int
) -> dict[str, Any]:
    """Return an end of an arrow, which viewers hold to the slice that is there in its track."""
    process, thread = track
    # Where the run ends no slice is.
    time = max(min(round(time_ns), end - 1), 0)
    told = {"name": "message", "cat": "message", "ph": which, "id": number, "ts": time / 1000}
    return told | {"bp": "e", "pid": process, "tid": thread}


def _state_words(span: StateSpan) -> tuple[str, tuple[float, float], dict[str, Any]]:
    times = (span.begin_ns, span.end_ns)
    longest = _words(span.longest, span.task)
    if span.states == 1:
        return longest, times, _arguments(span.longest, span.task)
    parts = {f"{name}_ns": getattr(span, f"{name}_ns") for name in ACTIVITIES}
    most = max(ACTIVITIES, key=lambda name: parts[f"{name}_ns"])
    shown = {key: value for key, value in parts.items() if value}
    arguments = {
        "states": span.states,
        **shown,
        "longest": longest,
        "longest_ns": span.longest_ns,
        **_arguments(span.longest, span.task),
    }
    return f"mostly {most.split('_')[0]}", times, arguments


def _words(activity: Activity, task: RankTask | None) -> str:
    if not activity.startswith("waiting") or task is None:
        return activity.split("_")[0]
    if task.is_collective:
        return f"waiting: {task.action}"
    peer = "any rank" if task.peer is None else f"rank {task.peer}"
    way = {"send": f"send to {peer}", "receive": f"receive from {peer}"}
    return f"waiting: {way.get(task.kind, task.kind)}"


def _arguments(activity: Activity, task: RankTask | None) -> dict[str, Any]:
    told: dict[str, Any] = {}
    if activity.startswith("waiting"):
        told["for"] = activity.split("_")[1]
    if task is not None:
        named = {
            "task": task.kind,
            "rank": task.peer,
            "tag": task.tag,
            "bytes": task.size_bytes,
            "action": task.action,
            "line": task.line or None,
        }
        told |= {key: value for key, value in named.items() if value is not None}
    return told


def _time_text(time_ns: float) -> str:
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if time_ns >= scale:
            return f"{time_ns / scale:.6g} {unit}"
    return f"{time_ns:.6g} ns"
