"""What figures are over the topologies of a condition: average with interval, minimum, maximum.

The papers have ten topologies of each size. Where ours are more, extremes do not grow with their
number: they are those that ten of them have on average, which is what ten others are compared with.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.reproduce.definition import Row
from weft.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["PUBLISHED_TOPOLOGIES", "extremes", "least_of_some", "mean_row"]

#: Topologies of each size in the papers; an extreme of fewer says nothing of theirs.
PUBLISHED_TOPOLOGIES = 10


def mean_row(under: str, quantity: str, values: Sequence[float], remark: str = "") -> Row:
    """Return the mean of values over topologies with its interval, NaN where it has none."""
    interval = mean_interval(values)
    half_width = interval.half_width if math.isfinite(interval.half_width) else math.nan
    return Row(under, quantity, interval.mean, half_width, len(values), remark)


def extremes(
    under: str,
    name: str,
    values: Sequence[float],
    remark: str = "",
    *,
    unit: str = "",
    published: int = PUBLISHED_TOPOLOGIES,
) -> list[Row]:
    """Return average with interval, minimum and maximum of values over topologies.

    Of more topologies than the paper's, `published`, minimum and maximum are those that as many as
    the paper's have on average.
    """
    if not values:
        return []
    end = f", {unit}" if unit else ""
    rows = [mean_row(under, f"{name}, average{end}", values, remark)]
    if len(values) > 1:
        count = len(values)
        is_judged = count >= PUBLISHED_TOPOLOGIES
        negative = [-value for value in values]
        rows += [
            Row(
                under,
                f"{name}, {which}{end}",
                value,
                math.nan,
                len(values),
                remark,
                None,
                is_judged,
            )
            for which, value in (
                ("minimum", least_of_some(values, published)),
                ("maximum", -least_of_some(negative, published)),
            )
        ]
    return rows


def least_of_some(values: Sequence[float], count: int) -> float:
    """Return the mean of the least of `count` values, over all ways to draw them of these.

    Of no more values it is the least of all. Their greatest is that of the negative ones.
    """
    drawn = min(count, len(values))
    # The value at a place is the least where all others drawn come after it.
    ways = (math.comb(len(values) - 1 - place, drawn - 1) for place in range(len(values)))
    weighted = (value * number for value, number in zip(sorted(values), ways, strict=True))
    return math.fsum(weighted) / math.comb(len(values), drawn)
