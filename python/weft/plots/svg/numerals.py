"""Numbers as text, in the formats of D3 that axes, legends and tooltips are given."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal

__all__ = ["written"]

_FORM = re.compile(r"(?P<groups>,?)(?:\.(?P<digits>\d+))?(?P<trims>~?)(?P<kind>[dfgr%]?)")
#: Significant digits where a format names none.
_PLAIN_DIGITS, _DIGITS = 12, 6


def written(value: float, form: str) -> str:
    """Write a number in a format such as ``.3~g``, ``,~r``, ``,d``, ``.1f`` or ``.4~%``."""
    match = _FORM.fullmatch(form)
    if match is None:
        message = f"found format {form!r}, expected one such as .3~g"
        raise ValueError(message)
    kind, digits = match["kind"], match["digits"]
    trims = bool(match["trims"]) or not kind
    places = int(digits) if digits else _DIGITS if kind else _PLAIN_DIGITS
    size = abs(value)
    if kind == "d":
        text = f"{_rounded(size, 0):f}"
    elif kind == "f":
        text = f"{_rounded(size, places):f}"
    elif kind == "%":
        text = f"{_rounded(100.0 * size, places):f}"
    elif kind == "r":
        text = f"{_significant(size, places):f}"
    else:
        text = _general(size, places)
    if trims:
        text = _trimmed(text)
    mantissa, letter, exponent = text.partition("e")
    if match["groups"]:
        whole, point, part = mantissa.partition(".")
        mantissa = f"{int(whole):,}{point}{part}"
    is_zero = not mantissa.strip("0.,")
    sign = "−" if value < 0 and not is_zero else ""
    return f"{sign}{mantissa}{letter}{exponent}{'%' if kind == '%' else ''}"


def _rounded(value: float, places: int) -> Decimal:
    return Decimal(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _significant(value: float, digits: int) -> Decimal:
    if value == 0:
        return Decimal(0)
    rounded = _rounded(value, digits - 1 - math.floor(math.log10(value)))
    return rounded if rounded.as_tuple().exponent != 0 else rounded.to_integral_value()


def _general(value: float, digits: int) -> str:
    """Write so many digits, with an exponent where the number is far from one."""
    exponent = math.floor(math.log10(value)) if value else 0
    if -7 < exponent < digits:
        return f"{_rounded(value, max(digits - 1 - exponent, 0)):f}"
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return f"{mantissa}e{int(power):+d}"


def _trimmed(text: str) -> str:
    """Leave out zeros at the end of a fraction."""
    mantissa, letter, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa + letter + exponent
