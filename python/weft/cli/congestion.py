"""Static load of pairs and the busiest channels, as ``weft route`` shows them."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

import click

from weft._ranges import MOST_OF_32_BITS, MOST_OF_64_BITS
from weft.cli.options import Options, option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.congestion import Congestion, HotChannel
    from weft.fabric import Fabric

__all__ = ["CongestionOptions", "congestion_pairs", "hot_document", "hot_lines"]


class CongestionOptions(Options):
    """What is asked of the static load of pairs."""

    rounds: Literal["bisections", "permutations", "shifts"] | None = option(
        "Let all hosts send in pairs at once, and show what shared channels leave to each: random"
        " halves (effective bisection bandwidth), random permutations, or every shift.",
        type=click.Choice(["bisections", "permutations", "shifts"]),
    )
    count: int = option(
        "With --rounds: how many random ones.",
        type=click.IntRange(1, MOST_OF_32_BITS),
        default=1000,
    )
    seed: int = option(
        "With --rounds: what they are drawn by.", type=click.IntRange(0, MOST_OF_64_BITS), default=1
    )
    hottest: int | None = option(
        "Show the channels that most routes take, each with pairs of hosts.",
        metavar="COUNT",
        type=click.IntRange(1, MOST_OF_32_BITS),
    )
    hosts: str | None = option(
        "With --rounds and --hottest: the hosts that take part, by name or number; all by default.",
        metavar="HOST,HOST,...",
    )


def congestion_pairs(found: Congestion, rounds: str) -> dict[str, str]:
    """Write the figures of all rounds as names and values."""
    if not len(found.pairs):
        return {"rounds": f"no {rounds}: fewer than two hosts"}
    shares, loads = found.mean_share.tolist(), found.max_load.tolist()
    pairs = {
        "rounds": f"{len(found.pairs)} {rounds}",
        "mean share": (
            f"{fmean(shares):.4f} of the link rate, from {min(shares):.4f} to {max(shares):.4f}"
        ),
        "least share": f"{min(found.least_share.tolist()):.4f}",
        "busiest channel": (f"{fmean(loads):.2f} routes on average, at most {max(loads)}"),
    }
    if unreached := sum(found.unreached_pairs.tolist()):
        pairs["pairs not reached"] = f"{unreached} over all rounds"
    return pairs


def hot_lines(fabric: Fabric, hottest: Sequence[HotChannel]) -> list[str]:
    """Write the busiest channels, one a line, each with its first pairs below."""
    names = fabric.host_names
    lines = ["channels that most routes take:"]
    for hot in hottest:
        lines.append(f"  {hot.routes:8d}  {fabric.describe_channel(hot.channel)}")
        pairs = ", ".join(f"{names[a]} to {names[b]}" for a, b in hot.first_pairs.tolist())
        more = ", …" if len(hot.first_pairs) < hot.routes else ""
        lines.append(f"            {pairs}{more}")
    return lines


def hot_document(fabric: Fabric, hottest: Sequence[HotChannel]) -> list[dict[str, Any]]:
    """Write the busiest channels for a JSON document."""
    names = fabric.host_names
    return [
        {
            "channel": hot.channel,
            "name": fabric.describe_channel(hot.channel),
            "routes": hot.routes,
            "first_pairs": [[names[a], names[b]] for a, b in hot.first_pairs.tolist()],
        }
        for hot in hottest
    ]
