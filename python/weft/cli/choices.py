"""Tables whose switches choose among groups of ports, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._numbers import in_ranges
from weft.cli.output import say

if TYPE_CHECKING:
    from weft.adaptive import ChoiceFindings, ChoicesJudged, LevelJudged, Noted

__all__ = ["choice_lines", "print_choices"]


def print_choices(judged: ChoicesJudged) -> None:
    """Say what holds for packets of each service level, and for all together."""
    for line in choice_lines(judged):
        say(line)


def choice_lines(judged: ChoicesJudged) -> list[str]:
    """Write what holds for packets of each service level, and for all together."""
    lines = [line for level in judged.levels for line in _of_level(level)]
    if len(judged.levels) > 1:
        lines.append(f"all service levels together: {_verdict(judged.together.verdict)}")
    return lines


def _verdict(verdict: str) -> str:
    return {
        "deadlock-free": "no packets can deadlock",
        "deadlock": "packets can deadlock",
        "unreachable": "some packets do not arrive",
        "loop": "some packets may go round for ever",
    }[verdict]


def _of_level(level: LevelJudged) -> list[str]:
    numbers = in_ranges(level.levels)
    several = "s" if len(level.levels) > 1 else ""
    proof, loads = level.proof, level.loads
    rests_on = {
        "every way": ", nor if ports are taken from their groups, as long as one is left",
        "one way": ", as one port that stays open to them leads on wherever they wait",
        None: "",
    }[proof.rests_on]
    draws = "1 draw" if loads.draws == 1 else f"{loads.draws} draws"
    flows = "1 flow" if loads.flows == 1 else f"{loads.flows} flows"
    lines = [
        f"service level{several} {numbers}: {_verdict(proof.verdict)}{rests_on}",
        f"  most routes over a channel: {loads.largest:,.1f} if groups are used evenly,"
        f" {loads.hashed:,.1f} by a hash of {flows} a pair ({loads.hashed_worst:,.1f} in the worst"
        f" of {draws}), {loads.most:,} if all choose it that can; mean {loads.mean:,.1f}",
    ]
    if loads.unreached_pairs:
        lines.append(f"  {loads.unreached_pairs:,} pairs may not arrive")
    lines += [f"  {line}" for line in _of_note(level.findings)]
    return lines


def _of_note(found: ChoiceFindings) -> list[str]:
    entries = found.free_entries + found.hashed_entries + found.static_entries
    choosing = found.free_entries + found.hashed_entries
    lines = [f"{choosing:,} of {entries:,} entries leave a choice"]
    if found.switches_without_choice:
        lines.append(f"{found.switches_without_choice:,} switches choose for none of these packets")
    told: list[tuple[Noted, str]] = [
        (found.without_group, "entries are told to choose but name no group with a port"),
        (found.farther, "entries have a port that leads no nearer"),
        (
            found.lone,
            "entries have one port alone; if its link fails packets are lost",
        ),
        (found.mixed, "groups have ports up and ports down"),
        (found.unequal, "groups have links of several rates"),
    ]
    for noted, text in told:
        if noted.count:
            lines.append(f"{noted.count:,} {text}, the first: {noted.first}")
    return lines
