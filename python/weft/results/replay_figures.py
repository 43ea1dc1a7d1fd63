"""Programs in a results file: what came of each, and how it is written and read."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from itertools import chain
from typing import TYPE_CHECKING, Any

from weft._machine import utc_now
from weft._without_numpy import content_of, packed, read_numbers
from weft.replay import RANK_PARTS
from weft.results.store import ResultsStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.replay import Replay, UnclaimedMessage

__all__ = [
    "RANK_TIMES",
    "REPLAY_ARRAYS",
    "ReplayFigures",
    "ReplayStore",
    "figures_of",
    "read_replay",
]

#: Times of a rank, each the name of a member of `weft.Replay`.
RANK_TIMES = ("finish_ns", *RANK_PARTS)

_BYTES = 8  # of a number of either

REPLAY_ARRAYS = ("rank_times_ns", "channel_busy_ns")  #: Figures that are arrays.


@dataclass(frozen=True, slots=True, eq=False)
class ReplayFigures:
    """How a program ran: `weft.Replay` without its timeline."""

    outcome: str  #: ``finished``, ``blocked`` or ``deadlocked``.
    #: What ranks or packets wait for, and how many messages nobody receives; empty where none do
    waits: str
    collectives: str  #: Algorithm of each collective operation: ``alltoall by bruck, …``.
    duration_ns: float  #: End of the last rank, NaN where one has none.
    sent_messages: int  #: Messages of all ranks.
    received_messages: int
    delivered_packets: int  #: Packets, acknowledgements included, their payload, and those lost.
    payload_bytes: int
    lost_packets: int
    mean_latency_ns: float  #: Latency of packets from generation.
    max_latency_ns: float
    mean_switches: float  #: Switches a packet traversed.
    rank_times_ns: NDArray[np.float64]  #: `RANK_TIMES` of each rank, shape (6, ranks).
    channel_busy_ns: NDArray[np.float64]  #: Time each channel carried flits, shape (channels,).

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: numbers, texts, and lists by rank and by channel."""
        ranks = dict(zip(RANK_TIMES, self.rank_times_ns.tolist(), strict=True))
        return {**self.scalars(), **ranks, "channel_busy_ns": self.channel_busy_ns.tolist()}

    def scalars(self) -> dict[str, Any]:
        """Return everything that is no array, by name."""
        return {name: getattr(self, name) for name in _SCALARS}

    def shares(self) -> dict[str, float]:
        """Return which share of all ranks' time until their ends went where; empty if none went."""
        times = dict(zip(RANK_TIMES, map(math.fsum, self.rank_times_ns.tolist()), strict=True))
        del times["finish_ns"]
        total = sum(times.values())
        return {name: time / total for name, time in times.items()} if total else {}


def figures_of(replay: Replay) -> ReplayFigures:
    """Take the figures of a replay."""
    waits = [f"rank {entry.rank} is {entry.waits}" for entry in replay.blocked]
    waits += [f"{step.held} waits for {step.wanted}" for step in replay.waiting_cycle]
    if replay.unclaimed:
        waits.append(_unclaimed_words(replay.unclaimed))
    taken = replay.algorithms().items()
    told = ("outcome", "waits", "collectives")
    own = {name: getattr(replay, name) for name in _SCALARS if name not in told}
    times = [getattr(replay, name).tolist() for name in RANK_TIMES]
    return ReplayFigures(
        outcome=replay.end,
        waits="; ".join(waits),
        collectives=", ".join(f"{operation} by {how}" for operation, how in taken),
        **own,
        rank_times_ns=read_numbers(
            packed(chain.from_iterable(times), "float64"), "float64", (len(times), len(times[0]))
        ),
        channel_busy_ns=replay.channel_busy_ns,
    )


def _unclaimed_words(unclaimed: Sequence[UnclaimedMessage]) -> str:
    first, count = unclaimed[0], len(unclaimed)
    place = f" ({first.file}:{first.line})" if first.line else ""
    which = f"of rank {first.source} to rank {first.destination}{place}"
    if count == 1:
        return f"1 message is never received, {which}"
    return f"{count} messages are never received, the first {which}"


_SCALARS = tuple(field.name for field in fields(ReplayFigures) if field.name not in REPLAY_ARRAYS)


def read_replay(row: Mapping[str, Any]) -> ReplayFigures:
    """Restore what a row of the file says."""
    values: dict[str, Any] = {
        name: float("nan") if row[name] is None else row[name] for name in _SCALARS
    }
    times = row["rank_times_ns"]
    ranks = len(times) // (_BYTES * len(RANK_TIMES))
    return ReplayFigures(
        **values,
        rank_times_ns=read_numbers(times, "float64", (len(RANK_TIMES), ranks)),
        channel_busy_ns=read_numbers(row["channel_busy_ns"], "float64"),
    )


class ReplayStore(ResultsStore):
    """One case of a study of programs, opened to add to it: parameters as of `ResultsStore`."""

    def has_replay(self, label: str) -> bool:
        """Return whether the file knows how the program ran by a routing."""
        query = "SELECT 1 FROM replay WHERE study_id = ? AND routing = ?"
        return bool(self._database.rows(query, (self._study_id, label)))

    def add_replay(self, label: str, figures: ReplayFigures, wall_s: float) -> None:
        """Record how the program ran, whole or not at all."""
        arrays = {name: content_of(getattr(figures, name), "float64") for name in REPLAY_ARRAYS}
        key = {"study_id": self._study_id, "routing": label}
        times = {"finished_at": utc_now(), "wall_s": wall_s}
        with self._database.transaction():
            if not self.has_replay(label):
                self._database.insert("replay", {**key, **figures.scalars(), **arrays, **times})

    def copy_replay(self, label: str, other: ReplayStore, other_label: str) -> ReplayFigures:
        """Record that the program ran by this routing as it did in a case by another, or by it."""
        query = "SELECT * FROM replay WHERE study_id = ? AND routing = ?"
        (row,) = self._database.rows(query, (other._study_id, other_label))
        with self._database.transaction():
            self._database.insert(
                "replay", {**dict(row), "study_id": self._study_id, "routing": label}
            )
        return read_replay(dict(row))
