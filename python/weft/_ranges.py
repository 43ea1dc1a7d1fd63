"""Numbers that a caller gives, held to their range before the core sees them."""

from __future__ import annotations

from weft.errors import InputError

__all__ = [
    "MOST_NS",
    "MOST_OF_32_BITS",
    "MOST_OF_64_BITS",
    "number_below",
    "require_whole",
    "require_within",
]

MOST_OF_32_BITS = 2**32 - 1
MOST_OF_64_BITS = 2**64 - 1
#: Times are told up to 10,000 s, in nanoseconds.
MOST_NS = 1e13
#: Powers of two are easier read as such.
_WRITTEN = {MOST_OF_32_BITS: "2^32 - 1", MOST_OF_64_BITS: "2^64 - 1"}


def require_whole(
    name: str,
    value: object,
    least: int,
    most: int,
    error: type[InputError] = InputError,
) -> None:
    """Refuse what is no whole number of a range, with an error that names it."""
    if hasattr(value, "__index__") and not isinstance(value, bool):
        number = value.__index__()
        if least <= number <= most:
            return
    end = _WRITTEN.get(most, str(most))
    message = f"{name} is {value}; expected a whole number from {least} to {end}"
    raise error(message)


def require_within(name: str, value: float, most: float) -> None:
    """Refuse what is not from 0 to `most`, nor a number, with an error that names it."""
    if not 0 <= value <= most:
        message = f"{name} is {value}; expected a number from 0 to {most:g}"
        raise InputError(message)


def number_below(end: int, text: str) -> int | None:
    """Read a number below an end; other texts, and thousands of digits, are none."""
    digits = text.lstrip("0") or "0"
    if not (text.isascii() and text.isdecimal()) or len(digits) > len(str(end)):
        return None
    number = int(digits)
    return number if number < end else None
