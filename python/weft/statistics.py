"""Statistics over seeds and over topologies: Student intervals, geometric means, correlation."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "FactorSummary",
    "Interval",
    "jain_index",
    "linear_correlation",
    "mean_interval",
    "rank_correlation",
    "student_quantile",
    "summarize_factors",
]


@dataclass(frozen=True, slots=True)
class Interval:
    """The arithmetic mean of some values with its confidence interval.

    Half of its width is infinite for a single value, which says nothing of the spread.
    """

    mean: float
    half_width: float
    count: int


@dataclass(frozen=True, slots=True)
class FactorSummary:
    """Factors (ratios) over several topologies: extremes and means.

    The arithmetic mean is what the published tables give; the geometric one is the same whichever
    of the two is taken as the base.
    """

    minimum: float
    maximum: float
    mean: float
    geometric_mean: float
    count: int


def mean_interval(values: Sequence[float], confidence: float = 0.95) -> Interval:
    """Compute the mean of independent values and its Student confidence interval.

    The interval holds the true mean with the probability `confidence`, 0 to 1. Values are such as
    the same figure from runs with different seeds; none at all is a `ValueError`.
    """
    count = len(values)
    if not count:
        message = "no value; expected at least one"
        raise ValueError(message)
    mean = math.fsum(values) / count
    if count == 1:
        return Interval(mean, math.inf, 1)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    quantile = student_quantile(0.5 + confidence / 2, count - 1)
    return Interval(mean, quantile * math.sqrt(variance / count), count)


def summarize_factors(factors: Sequence[float]) -> FactorSummary:
    """Summarize positive factors by extremes and means.

    No factor, or one that is not positive, is a `ValueError`.
    """
    if not factors or min(factors) <= 0:
        message = f"factors {list(factors)}; expected at least one, all positive"
        raise ValueError(message)
    count = len(factors)
    logarithms = math.fsum(math.log(factor) for factor in factors)
    return FactorSummary(
        min(factors),
        max(factors),
        math.fsum(factors) / count,
        math.exp(logarithms / count),
        count,
    )


def jain_index(values: Sequence[float]) -> float:
    """Compute how alike shares are: (Σx)² / (n·Σx²).

    It is 1 when all are equal, 1/n when one has everything, NaN when nobody has anything. R. Jain,
    D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination for resource allocation
    in shared computer systems", DEC-TR-301, 1984.

    Examples
    --------
    >>> jain_index([2, 2, 2, 2]), jain_index([4, 0, 0, 0])
    (1.0, 0.25)
    """
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else math.nan


def linear_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Compute Pearson's coefficient of correlation: how near pairs lie to a straight line.

    It is from -1 to 1, and NaN where one of the two does not vary. More values of one than of the
    other are a `ValueError`.

    Examples
    --------
    >>> linear_correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    if len(first) != len(second):
        message = f"{len(first)} and {len(second)} values; expected as many of each"
        raise ValueError(message)
    if not first or min(first) == max(first) or min(second) == max(second):
        return math.nan
    x = [value - math.fsum(first) / len(first) for value in first]
    y = [value - math.fsum(second) / len(second) for value in second]
    spread = math.sqrt(math.fsum(v * v for v in x) * math.fsum(v * v for v in y))
    return max(-1.0, min(1.0, math.fsum(a * b for a, b in zip(x, y, strict=True)) / spread))


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Compute Spearman's coefficient: Pearson's of the ranks, equal values sharing their mean rank.

    It is 1 when both order alike, -1 when they order oppositely, and NaN where one does not vary.
    More values of one than of the other are a `ValueError`.

    Examples
    --------
    >>> rank_correlation([1, 2, 3], [1, 8, 27])
    1.0
    """
    return linear_correlation(_ranks(first), _ranks(second))


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in values]


def student_quantile(probability: float, degrees: int) -> float:
    """Compute what a variable of Student's t distribution stays below with a probability.

    The probability is at least 0.5 and less than 1, degrees of freedom are at least 1.
    """
    return _core.student_quantile(2 * probability - 1, degrees)
