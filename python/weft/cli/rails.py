"""Computers with several ends and their rails, as text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from weft.cli.output import Column, print_table, say

if TYPE_CHECKING:
    from weft.fabric import Computers, Rail

__all__ = ["computer_pairs", "print_rails", "rail_label"]

_SHOWN_AGAINST = 8


def computer_pairs(found: Computers) -> dict[str, str]:
    """Count the computers by their ends, and the rails; nothing where all have one end."""
    sizes = Counter(len(computer.hosts) for computer in found.computers)
    if not any(size > 1 for size in sizes):
        return {}
    each = ", ".join(
        f"{count} with {size} {'end' if size == 1 else 'ends'}"
        for size, count in sizes.most_common()
    )
    pairs = {"computers": f"{sizes.total()}, by the names of ends: {each}"}
    if found.rails:
        apart = sum(rail.is_apart for rail in found.rails)
        joined = "apart" if apart == len(found.rails) else "joined by switches"
        pairs["rails"] = f"{len(found.rails)}, {joined}"
    return pairs


def print_rails(found: Computers) -> None:
    """Print a table of rails and what contradicts them."""
    if not found.rails:
        return
    say()
    columns = [
        Column("rail"),
        Column("of each computer", is_number=False),
        Column("switches"),
        Column("compute ends"),
        Column("of no known", "computer"),
        Column("first and last switch", is_number=False),
    ]
    rows = [
        [
            str(number),
            rail_label(rail),
            str(len(rail.switches)),
            str(len(rail.hosts)),
            str(rail.unnamed),
            " … ".join(dict.fromkeys([rail.switches[0], rail.switches[-1]])),
        ]
        for number, rail in enumerate(found.rails, start=1)
    ]
    print_table(columns, rows)
    for text in found.against_rails[:_SHOWN_AGAINST]:
        say(f"against these rails: {text}")
    more = len(found.against_rails) - _SHOWN_AGAINST
    if more > 0:
        say(f"against these rails: {more} more, see --json")


def rail_label(rail: Rail) -> str:
    """Name a rail by its adapters."""
    return ", ".join(rail.adapters)
