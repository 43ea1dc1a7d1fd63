"""What one routing, machine or order gains over another, under all conditions of a file."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from weft.reproduce.definition import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.reproduce.program_file import Gain

__all__ = ["COMPARED", "gain_rows"]

#: Quantities that are compared, and whether more of them is better.
COMPARED = {
    "bandwidth of a host, average, MB/s": True,
    "barrier, average, µs": False,
    "barrier, the order that tells routings apart most, µs": False,
    "broadcast, average, µs": False,
    "time, s": False,
}


def gain_rows(gain: Gain, rows: Sequence[Row]) -> list[Row]:
    """Compare what was measured under conditions that differ in one name alone.

    For each quantity that is compared: the average gain in percent over all conditions of which
    both are there, and minimum and maximum where these are several. A barrier in half the time is a
    gain of 100 %.
    """
    values = {(row.condition, row.quantity): row for row in rows}
    made = []
    for quantity, is_more_better in COMPARED.items():
        found: list[tuple[float, Row]] = []
        for row in rows:
            if row.quantity != quantity:
                continue
            for name in gain.of:
                base = values.get((_renamed(row.condition, name, gain.over), quantity))
                if base is None or base is row:
                    continue
                ratio = row.value / base.value if is_more_better else base.value / row.value
                found.append((100 * (ratio - 1), row))
        if found:
            made += _extremes(f"{quantity.rpartition(', ')[0]}: {gain.name}", found)
    return made


def _renamed(condition: str, name: str, other: str) -> str:
    """Put another name in the place of one of those that a condition is made of."""
    return f", {condition}, ".replace(f", {name}, ", f", {other}, ")[2:-2]


def _extremes(what: str, found: Sequence[tuple[float, Row]]) -> list[Row]:
    values = [value for value, _ in found]
    told = [("average", statistics.fmean(values), "")]
    if len(found) > 1:
        for which, choose in (("minimum", min), ("maximum", max)):
            value, row = choose(found, key=lambda entry: entry[0])
            told.append((which, value, row.condition))
    is_judged = all(row.is_judged for _, row in found)
    return [
        Row(
            "all conditions",
            f"{what}, {which}, %",
            value,
            count=len(found),
            remark=remark,
            is_judged=is_judged,
        )
        for which, value, remark in told
    ]
