"""Quantities as people write them: shares, sizes and times, with units or without."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING

from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "LOAD_EXPECTED",
    "parse_length",
    "parse_quantity",
    "parse_rate",
    "parse_share",
    "parse_size",
    "parse_time",
]

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
_GBIT_PER_S = {
    "": Decimal(1),
    "Mbit/s": Decimal("0.001"),
    "Gbit/s": Decimal(1),
    "Tbit/s": Decimal(1000),
    "MB/s": Decimal("0.008"),
    "GB/s": Decimal(8),
    "bytes/ns": Decimal(8),
}
_METRES = {"": Decimal(1), "cm": Decimal("0.01"), "m": Decimal(1), "km": Decimal(1000)}
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


def parse_rate(text: str) -> float:
    """Return the Gbit/s that ``100``, ``100Gbit/s``, ``400MB/s`` or ``1.28bytes/ns`` stand for.

    Raises
    ------
    InputError
        When it is none of these.

    Examples
    --------
    >>> from weft.quantities import parse_rate
    >>> parse_rate("0.4Tbit/s"), parse_rate("12.5 GB/s")
    (400.0, 100.0)
    """
    return _scaled(text, _GBIT_PER_S, "a rate such as 100, 100Gbit/s or 12.5GB/s")


def parse_length(text: str) -> float:
    """Return the metres that ``3``, ``3m`` or ``50cm`` stand for.

    Raises
    ------
    InputError
        When it is none of these.

    Examples
    --------
    >>> from weft.quantities import parse_length
    >>> parse_length("50cm"), parse_length("3m")
    (0.5, 3.0)
    """
    return _scaled(text, _METRES, "a length such as 3, 3m or 50cm")


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
    if name.endswith("_bytes"):
        return str(parse_size(text))
    for end, parse in _PARSED.items():
        if name.endswith(end):
            return f"{parse(text):.12g}"
    return text


#: What is parsed how, by the end of a parameter's name.
_PARSED = {"_ns": parse_time, "_gbit_per_s": parse_rate, "_metres": parse_length}


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
