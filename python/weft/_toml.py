"""What stands in tables of TOML that people write; errors say where, and what would be right."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from weft._files import read_text, toml_document
from weft._nearest import nearest
from weft._ranges import MOST_NS
from weft.errors import FormatError, InputError
from weft.quantities import parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Never

__all__ = [
    "a_text",
    "a_time",
    "a_whole_number",
    "document_of_tables",
    "quantity",
    "refuse",
    "refuse_unknown",
]


def refuse(message: str) -> Never:
    """Raise a `FormatError`."""
    raise FormatError(message)


def document_of_tables(
    path: str | os.PathLike[str], what: str, key: str, others: Iterable[str]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read a file with one or more tables of a key, and what else may stand in it.

    Returns the document, and these tables.
    """
    name = os.fspath(path)
    document = toml_document(read_text(path, f"a file of {what}"), name)
    refuse_unknown(document, (key, *others), name)
    listed = document.get(key, [])
    if not isinstance(listed, list) or not listed or not all(isinstance(e, dict) for e in listed):
        refuse(f"{name}: found no {what}, expected one or more tables [[{key}]]")
    return document, listed


def refuse_unknown(table: Mapping[str, object], known: Iterable[str], where: str) -> None:
    """Refuse keys that mean nothing."""
    names = list(known)
    for key in table:
        if key not in names:
            refuse(f"{where}: found “{key}”, {nearest(key, names)}")


def quantity(
    told: object,
    parse: Callable[[str], float],
    where: str,
    expected: str = "a number, or a text with a unit",
) -> float:
    """Return a number that may have a unit."""
    if isinstance(told, bool) or not isinstance(told, str | int | float):
        refuse(f"{where} is {told!r}, expected {expected}")
    try:
        return parse(str(told))
    except InputError as error:
        refuse(f"{where}: {error}")


def a_time(told: object, where: str) -> float:
    """Return a time in ns, of 0 or more and no more than any simulation takes."""
    ns = quantity(told, parse_time, where, 'a time, such as "100us"')
    if not 0 <= ns <= MOST_NS:
        refuse(f"{where} is {told!r}, expected a time from 0 to {MOST_NS / 1e9:,.0f} s")
    return ns


def a_text(told: object, where: str, expected: str = "a text") -> str:
    """Return a text that is not empty; `None` is one that is missing."""
    if told is None:
        refuse(f"{where} is missing, expected {expected}")
    if not isinstance(told, str) or not told:
        refuse(f"{where} is {told!r}, expected {expected}")
    return told


def a_whole_number(told: object, where: str, least: int, most: int | None = None) -> int:
    """Return a whole number in a range."""
    if (
        isinstance(told, bool)
        or not isinstance(told, int)
        or told < least
        or (most is not None and told > most)
    ):
        span = f"of {least} or more" if most is None else f"from {least} to {most}"
        refuse(f"{where} is {told!r}, expected a whole number {span}")
    return told
