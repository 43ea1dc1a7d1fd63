"""How a run of programs ended: who waits for ever for what, and which messages nobody received."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft._numbers import counted
from weft._rank_names import RankNames
from weft.cli.output import out_of_order, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.replay import Replay

__all__ = ["is_in_order", "print_end"]

#: Messages, or ranks of jobs, that are told one by one.
_MOST_SHOWN = 5


def is_in_order(result: Replay) -> bool:
    """Tell whether all ranks came to their ends, and every message had its receive."""
    return result.end == "finished" and not result.unclaimed


def print_end(where: str, result: Replay, jobs: Sequence[tuple[str, int]] = ()) -> None:
    """Tell what is not as it should be of a run, with ranks by the name and ranks of jobs."""
    names = RankNames(len(result.finish_ns), jobs)
    if math.isfinite(result.out_of_order_share):
        say(f"{where}: out of order {out_of_order(result)}")
    if result.end == "blocked":
        _print_blocked(where, result, names)
    for step in result.waiting_cycle:
        say(
            f"{where}: {step.source} to {step.destination} holds {step.held} and waits for"
            f" {step.wanted}"
        )
    count = len(result.unclaimed)
    if count:
        say(f"{where}: {count} {'message is' if count == 1 else 'messages are'} never received:")
    for message in result.unclaimed[:_MOST_SHOWN]:
        place = f"{message.file}:{message.line}: " if message.line else ""
        say(
            f"  {place}{message.size_bytes} bytes of {names.full(message.source)} to rank"
            f" {names.within(message.destination)} (tag {message.tag})"
        )
    _say_more(count)


def _print_blocked(where: str, result: Replay, names: RankNames) -> None:
    count = len(result.blocked)
    ranks = "1 rank waits" if count == 1 else f"{count} ranks wait"
    say(f"{where}: {ranks} for ever:")
    for entry in result.blocked[:_MOST_SHOWN]:
        place = f"{entry.file}:{entry.line}: " if entry.line else ""
        say(f"  {place}{names.full(entry.rank)} is {entry.waits}")
    _say_more(count)
    if result.lost_packets:
        lost = counted(result.lost_packets, "packet")
        say(f"  {lost} went with what failed; `retries` in a file of events sends them again")


def _say_more(count: int) -> None:
    if count > _MOST_SHOWN:
        say(f"  and {count - _MOST_SHOWN} more")
