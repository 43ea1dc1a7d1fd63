"""The times of a GOAL schedule by LogGOPS, in a program of its own that shares nothing with Weft.

As LogGOPSim has it (Hoefler, Schneider, Lumsdaine: LogGOPSim, simulating large-scale applications
in the LogGOPS model, LSAP 2010): a send takes its processor for ``o`` and its NIC for
``g + (s - 1) G``; its message is at the receiver ``L`` after ``o``, and received ``o + (s - 1) G``
later; one that came before its receive was posted is received ``o`` after that. All are shorter
than ``S``, so that they go at once, and the network has room for all of them: nothing contends but
processors and NICs. Times are whole numbers.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from dataclasses import dataclass, field

_TASK = re.compile(r"(\w+): (calc|send|recv) (\d+)b?(?: (?:to|from) (\d+))?(.*)")
_WAIT = re.compile(r"(\w+) (i?requires) (\w+)")


@dataclass(frozen=True)
class LogGOPS:
    """Parameters, in one unit of time."""

    latency: int  #: L
    overhead: int  #: o
    gap: int  #: g, between messages
    byte_gap: int  #: G


@dataclass
class _Task:
    kind: str
    amount: int
    peer: int
    tag: int
    cpu: int
    waits: int = 0
    then: list[tuple[str, tuple[int, str]]] = field(default_factory=list)


def _tasks(text: str) -> dict[tuple[int, str], _Task]:
    tasks: dict[tuple[int, str], _Task] = {}
    rank = -1
    for line in map(str.strip, text.splitlines()):
        if line.startswith("rank "):
            rank = int(line.split()[1])
        elif found := _TASK.fullmatch(line):
            label, kind, amount, peer, rest = found.groups()
            words = rest.split()
            named = dict(zip(words[::2], map(int, words[1::2]), strict=True))
            own = (named.get("tag", 0), named.get("cpu", 0))
            tasks[rank, label] = _Task(kind, int(amount), int(peer or 0), *own)
        elif found := _WAIT.fullmatch(line):
            label, how, other = found.groups()
            tasks[rank, label].waits += 1
            tasks[rank, other].then.append((how, (rank, label)))
        else:
            assert line in ("", "}") or line.startswith("num_ranks"), line
    return tasks


def ends(text: str, model: LogGOPS, *, calc_units: int = 1) -> list[tuple[int, bool]]:
    """Return when each rank ends, and whether with a receive; of ``calc`` each is so many units."""
    tasks = _tasks(text)
    cpus: dict[tuple[int, int], int] = defaultdict(int)
    sending: dict[int, int] = defaultdict(int)
    receiving: dict[int, int] = defaultdict(int)
    posted: dict[tuple[int, int, int], list[tuple[int, str]]] = defaultdict(list)
    early: dict[tuple[int, int, int], list[tuple[int, int]]] = defaultdict(list)
    last: dict[int, int] = defaultdict(int)
    received: dict[int, int] = defaultdict(int)
    heap: list[tuple[int, int, str, tuple[int, str], tuple[int, ...]]] = []
    count = 0

    def later(time: int, what: str, name: tuple[int, str], more: tuple[int, ...]) -> None:
        nonlocal count
        count += 1
        heapq.heappush(heap, (time, count, what, name, more))

    def tell(name: tuple[int, str], how: str, time: int) -> None:
        for moment, other in tasks[name].then:
            if moment == how:
                later(time, "free", other, ())

    def over(name: tuple[int, str], time: int) -> None:
        last[name[0]] = max(last[name[0]], time)
        tell(name, "requires", time)

    for name, task in tasks.items():
        if not task.waits:
            later(0, "begin", name, ())
    while heap:
        time, _, what, name, more = heapq.heappop(heap)
        if what == "free":
            tasks[name].waits -= 1
            if not tasks[name].waits:
                later(time, "begin", name, more)
            continue
        if what == "message":
            to, sender, tag, size = more
            receives = posted[to, sender, tag]
            if not receives:
                early[to, sender, tag].append((time, size))
                continue
            name = receives[0]
            task = tasks[name]
            free = max(cpus[to, task.cpu], receiving[to])
            if free > time:
                later(free, what, name, more)
                continue
            receives.pop(0)
            rest = (size - 1) * model.byte_gap
            receiving[to] = time + model.gap + rest
            cpus[to, task.cpu] = time + model.overhead + rest
            received[to] = max(received[to], time + model.overhead + rest)
            over(name, time + model.overhead + rest)
            continue
        rank, task = name[0], tasks[name]
        if what == "take":
            free = cpus[rank, task.cpu]
            if free > time:
                later(free, what, name, more)
                continue
            cpus[rank, task.cpu] = time + model.overhead
            received[rank] = max(received[rank], time + model.overhead)
            over(name, time + model.overhead)
            continue
        if task.kind == "recv":
            key = (rank, task.peer, task.tag)
            tell(name, "irequires", time)
            if early[key]:
                header, size = early[key].pop(0)
                whole = header + (size - 1) * model.byte_gap
                later(max(time, whole), "take", name, ())
            else:
                posted[key].append(name)
            continue
        free = cpus[rank, task.cpu]
        if task.kind == "send":
            free = max(free, sending[rank])
        if free > time:
            later(free, what, name, more)
            continue
        tell(name, "irequires", time)
        if task.kind == "calc":
            cpus[rank, task.cpu] = time + task.amount * calc_units
        else:
            cpus[rank, task.cpu] = time + model.overhead
            sending[rank] = time + model.gap + (task.amount - 1) * model.byte_gap
            there = time + model.overhead + model.latency
            later(there, "message", name, (task.peer, rank, task.tag, task.amount))
        over(name, cpus[rank, task.cpu])
    ranks = sorted({rank for rank, _ in tasks})
    return [(last[rank], received[rank] == last[rank]) for rank in ranks]
