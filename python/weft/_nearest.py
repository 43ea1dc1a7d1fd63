"""What may have been meant by a name that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["nearest"]


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that names what may have been meant."""
    from difflib import get_close_matches

    names = sorted(known)
    close = get_close_matches(name, names, 1)
    return f"did you mean {close[0]}?" if close else f"expected one of {', '.join(names)}"
