"""Suspicions as commands print them: what costs most first, no kind hiding another."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from weft.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import Suspicion

__all__ = ["print_suspicions"]

#: Kinds of which each is a record of its own, and how several are called.
_SEVERAL = {
    "isolated_part": "parts are cut off",
    "missing_cable": "cables are missing",
    "swapped_cables": "pairs of cables are swapped",
}


def print_suspicions(suspicions: Sequence[Suspicion]) -> None:
    """Print suspicions by kind, those of one kind counted where they are several."""
    for kind, group in groupby(suspicions, key=lambda suspicion: suspicion.kind):
        found = list(group)
        indent = ""
        if kind in _SEVERAL and len(found) > 1:
            say(f"suspect: {len(found)} {_SEVERAL[kind]}:")
            indent = "  "
        for suspicion in found:
            say(f"suspect: {indent}{suspicion.text}")
