"""Quantities as people write them: shares, sizes and times, with units or without."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LOAD_EXPECTED", "parse_quantity", "parse_share", "parse_size", "parse_time"]

#: What every load out of range is refused with.
LOAD_EXPECTED = (
    "expected more than 0 and at most 1, as a share of the link rate of a host, which cannot send"
    " faster"
)

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s.,][^\d\s]*)?")
_PERCENT = {"": Decimal(1), "%": Decimal("0.01")}
_BYTES = {
    "": 1,
    "B": 1,
    "kB": 10**3,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
_NANOSECONDS = {"": 1, "ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9}


def parse_share(text: str) -> float:
    """Return the share that ``0.1`` or ``10%`` stands for.

    Raises
    ------
    InputError
        When it is neither.

    Examples
    --------
    >>> from weft.quantities import parse_share
    >>> parse_share("10%"), parse_share("0.1")
    (0.1, 0.1)
    """
    return _scaled(text, _PERCENT, "a share such as 0.1 or 10%")


def parse_size(text: str) -> int:
    """Return the bytes that ``1536``, ``1.5KiB`` or ``2MB`` stand for.

    Raises
    ------
    InputError
        When it is none of these, or no whole number of bytes.

    Examples
    --------
    >>> from weft.quantities import parse_size
    >>> parse_size("1.5KiB"), parse_size("2MB")
    (1536, 2000000)
    """
    expected = "whole bytes, such as 512, 64KiB or 2MB"
    size = _scaled(text, _BYTES, expected)
    if not size.is_integer():
        message = f"found “{text}”, expected {expected}"
        raise InputError(message)
    return int(size)


def parse_time(text: str) -> float:
    """Return the nanoseconds that ``150``, ``150ns``, ``1.5us`` or ``2ms`` stand for.

    Raises
    ------
    InputError
        When it is none of these.

    Examples
    --------
    >>> from weft.quantities import parse_time
    >>> parse_time("1.5us"), parse_time("150")
    (1500.0, 150.0)
    """
    return _scaled(text, _NANOSECONDS, "a time such as 150, 150ns or 1.5us")


def parse_quantity(name: str, text: str) -> str:
    """Return the plain number of a parameter whose name ends in its unit, as ``routing_delay_ns``.

    What has no unit, or belongs to a parameter of another kind, comes back as it is.

    Raises
    ------
    InputError
        When the unit is none of the parameter's.

    Examples
    --------
    >>> from weft.quantities import parse_quantity
    >>> parse_quantity("routing_delay_ns", "0.15us"), parse_quantity("lanes", "4")
    ('150', '4')
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None or found[2] is None:
        return text
    if name.endswith("_ns"):
        return f"{parse_time(text):.12g}"
    if name.endswith("_bytes"):
        return str(parse_size(text))
    return text


def _scaled(text: str, units: Mapping[str, Decimal | int], expected: str) -> float:
    found = _NUMBER.fullmatch(text.strip())
    scale = None if found is None else units.get(found[2] or "")
    if found is None or scale is None:
        message = f"found “{text}”, expected {expected}"
        raise InputError(message)
    try:
        # In decimal digits, so that 1.001kB is 1001 to the last of them, as people mean it.
        value = float(Decimal(found[1]) * scale)
    except ArithmeticError:  # exponents beyond all measure
        value = math.inf
    if not math.isfinite(value):
        message = f"found “{text}”, expected {expected}"
        raise InputError(message)
    return value
