"""On which line of a TOML file something stands."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["line_of"]


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line, from 1, on which the statement begins that gives a value.

    The path has keys, and numbers in lists of tables, from the top of valid TOML; line 1 stands for
    the empty path and for what is not there. The standard library's reader tells no lines. It is
    asked line by line instead: the statement begins after the last beginning of the file that is
    whole and lacks the value.
    """
    lines = text.splitlines()
    begin = 0
    for end in range(1, len(lines) + 1):
        try:
            document = tomllib.loads("\n".join(lines[:end]))
        except tomllib.TOMLDecodeError:
            continue
        if _holds(document, path):
            return begin + 1
        begin = end
    return 1


def _holds(value: Any, path: Sequence[str | int]) -> bool:  # noqa: ANN401 - any value of TOML
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return False
        elif not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return bool(path)
