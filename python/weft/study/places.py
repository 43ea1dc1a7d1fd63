"""On which line of a TOML file something stands."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["line_of"]

#: How a line begins that a statement may begin on: a key, a header, a remark, nothing.
_BEGINS = re.compile(r"\s*(\[|#|$|[\w.\"' -]+=)")
#: Characters of beginnings asked about; then the line is that of a statement before.
_MOST_ASKED = 20_000_000


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line, from 1, on which the statement begins that gives a value.

    The path has keys, and numbers in lists of tables, from the top of valid TOML; line 1 stands for
    the empty path and for what is not there. The standard library's reader tells no lines. It is
    asked about beginnings of the file instead: the statement ends with the shortest whole one that
    has the value, and begins after the one before.
    """
    lines = text.splitlines()
    if not _holds(tomllib.loads(text), path):
        return 1
    lacking, having, asked = 0, len(lines), 0
    # Beginnings after which no statement seems to begin are not asked about.
    ends = [end for end in range(1, having) if _BEGINS.match(lines[end])]
    while ends and asked < _MOST_ASKED:
        end = ends.pop(len(ends) // 2)
        beginning = "\n".join(lines[:end])
        asked += len(beginning)
        try:
            document = tomllib.loads(beginning)
        except tomllib.TOMLDecodeError:
            continue
        if _holds(document, path):
            having = end
        else:
            lacking = end
        ends = [end for end in ends if lacking < end < having]
    return lacking + 1


def _holds(value: Any, path: Sequence[str | int]) -> bool:  # noqa: ANN401 - any value of TOML
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                return False
        elif not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return bool(path)
