"""Numbers as people read them: four digits, grouped thousands, the unit beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MISSING = "–"
"""Stands where there is no figure."""


def quantity(value: float | None, digits: int = 4) -> str:
    """Write a number with some significant digits, thousands grouped, without an exponent.

    None and what is not finite become `MISSING`.
    """
    if value is None or not math.isfinite(value):
        return MISSING
    if value == 0.0:
        return "0"
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:,.{min(decimals, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_half_width(value: float | None, half_width: float | None) -> str:
    """Write a number with its confidence interval: ``0.1234 ± 0.0012``."""
    text = quantity(value)
    if text == MISSING or not half_width or not math.isfinite(half_width):
        return text
    return f"{text} ± {quantity(half_width, 2)}"


def percent(share: float | None, digits: int = 3) -> str:
    """Write a share as percent."""
    text = quantity(None if share is None else 100.0 * share, digits)
    return text if text == MISSING else f"{text} %"


def in_percent(share: float | None, decimals: int = 1) -> str:
    """Write a share as percent with so many decimals, as in the columns of a table."""
    return MISSING if share is None else f"{100.0 * share:.{decimals}f} %"


def count(value: int | None) -> str:
    """Write a whole number with its thousands grouped."""
    return MISSING if value is None else f"{value:,}"


def counted(number: int, noun: str) -> str:
    """Write a number and what it counts: ``2 switches``, ``1 rank``."""
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def in_ranges(numbers: Iterable[int]) -> str:
    """Write whole numbers as ranges: ``1–4, 7``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{low}–{high}" if high > low else str(low) for low, high in runs)


def milliseconds(time_ns: float, otherwise: str = MISSING) -> str:
    """Write a time in milliseconds with four decimals; one that is not known as told."""
    return f"{time_ns / 1e6:.4f}" if math.isfinite(time_ns) else otherwise
