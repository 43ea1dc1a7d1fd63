"""What may have been meant by a name that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["alike", "nearest"]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that names what may have been meant."""
    names = sorted(known)
    return alike(name, names) or f"expected one of {', '.join(names)}"


def alike(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that names what is most like a name; empty where nothing is."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), 1)
    return f"did you mean {close[0]}?" if close else ""
