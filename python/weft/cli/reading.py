"""How results are read and links shown, wherever a command tells of a study's results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._numbers import in_percent, quantity
from weft.cli.options import Options, group, option
from weft.cli.output import Column, print_table, say
from weft.results import Reading
from weft.results.knee import KNEE_FACTOR

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.results import LinkUse

__all__ = ["KneeOptions", "ReadingOptions", "print_link_use", "print_link_uses"]


class KneeOptions(Options):
    """Where the knee of a curve is."""

    factor: float = option(
        "The knee is the traffic at which mean latency is this many times the unloaded one.",
        "--knee",
        type=float,
        metavar="FACTOR",
        default=KNEE_FACTOR,
    )


class ReadingOptions(Options):
    """How results are read where that is a choice."""

    knee: KneeOptions = group(KneeOptions)
    at: str | None = option(
        "Traffic at which the use of links is compared: a number in bytes/ns/switch, or with its"
        " unit, as in 0.004flits/ns/switch, 0.1load or 10%. When left out, 80 % of the least"
        " throughput.",
        metavar="TRAFFIC",
    )

    def made(self) -> Reading:
        """Return what was asked for."""
        return Reading(self.knee.factor, self.at)


_COLUMNS = (
    Column("routing", is_number=False),
    Column("utilization", "mean"),
    Column("", "least"),
    Column("", "most"),
    Column("links", "below 10 %"),
    Column("", "above 30 %"),
    Column("", "above 50 %"),
    Column("blocked", "mean / most"),
)


def print_link_use(found: Sequence[LinkUse]) -> None:
    """Print how links between switches are used where all routings carry the same traffic."""
    if not found:
        return
    if rows := [_row(use) for use in found if not use.note]:
        say(f"links between switches where every routing carries {_traffic(found[0])}:")
        print_table(_COLUMNS, rows)
    else:
        say(f"links between switches: no routing carries {_traffic(found[0])}:")
    for use in found:
        if use.note:
            say(f"{use.routing}: {use.note}")
    say()


def print_link_uses(cases: Mapping[str, Sequence[LinkUse]]) -> None:
    """Print the same of several cases, each at a traffic of its own."""
    told = [(name, use) for name, found in cases.items() for use in found]
    if not told:
        return
    if rows := [[name, _traffic(use), *_row(use)] for name, use in told if not use.note]:
        say("links between switches where every routing of a case carries the same traffic:")
        case, traffic = Column("case", is_number=False), Column("traffic", is_number=False)
        print_table((case, traffic, *_COLUMNS), rows)
    else:
        say("links between switches: no routing of any case carries the same traffic:")
    for name, use in told:
        if use.note:
            say(f"{name}, at {_traffic(use)}: {use.routing}: {use.note}")
    say()


def _traffic(use: LinkUse) -> str:
    return f"{quantity(use.bytes_per_ns_per_switch)} bytes/ns/switch ({in_percent(use.load)})"


def _row(use: LinkUse) -> list[str]:
    shares = (
        use.utilization_mean,
        use.utilization_least,
        use.utilization_most,
        use.share_below_10_percent,
        use.share_above_30_percent,
        use.share_above_50_percent,
    )
    blocked = [in_percent(use.blocked_mean), in_percent(use.blocked_most)]
    return [use.routing, *map(in_percent, shares), " / ".join(blocked)]
