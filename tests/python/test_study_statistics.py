"""Statistics over seeds and topologies against tables and closed forms."""

from __future__ import annotations

import math
import random

import pytest

from weft.statistics import (
    linear_correlation,
    mean_interval,
    rank_correlation,
    student_quantile,
    summarize_factors,
)


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    # Abramowitz and Stegun, table 26.10, probability 0.975.
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (30, 2.042)],
)
def test_student_quantiles_agree_with_the_table(degrees: int, quantile: float) -> None:
    assert student_quantile(0.975, degrees) == pytest.approx(quantile, abs=6e-4)


def test_the_median_is_zero_and_many_degrees_are_normal() -> None:
    assert student_quantile(0.5, 7) == pytest.approx(0, abs=1e-9)
    assert student_quantile(0.975, 2000) == pytest.approx(1.96, abs=2e-3)


def test_intervals_cover_the_mean_as_often_as_they_say() -> None:
    stream = random.Random(11)
    covered = 0
    for _ in range(2000):
        interval = mean_interval([stream.gauss(5, 2) for _ in range(4)])
        covered += abs(interval.mean - 5) <= interval.half_width
    # Binomial with p = 0.95: the standard deviation is 9.7, the bounds are at four of them.
    assert abs(covered - 1900) < 39


def test_a_single_value_says_nothing_of_the_spread() -> None:
    assert mean_interval([3.0]).half_width == math.inf


def test_no_value_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        mean_interval([])


def test_factors_have_extremes_and_both_means() -> None:
    summary = summarize_factors([1.0, 2.0, 4.0])
    assert (summary.minimum, summary.maximum, summary.count) == (1.0, 4.0, 3)
    assert summary.mean == pytest.approx(7 / 3)
    assert summary.geometric_mean == pytest.approx(2.0)


@pytest.mark.parametrize("factors", [[], [1.0, 0.0], [-1.0]])
def test_factors_must_be_positive(factors: list[float]) -> None:
    with pytest.raises(ValueError, match="positive"):
        summarize_factors(factors)


def test_correlation_is_that_of_the_closed_form() -> None:
    # From the means: -1.5, -0.5, 0.5, 1.5 and -6.5, -3.5, 1.5, 8.5.
    assert linear_correlation([1, 2, 3, 4], [1, 4, 9, 16]) == pytest.approx(25 / math.sqrt(5 * 129))
    assert linear_correlation([1, 2, 3], [5, 3, 1]) == -1
    assert rank_correlation([1, 2, 3, 4], [1, 4, 9, 16]) == 1
    assert rank_correlation([4, 1, 3], [0.1, 7, 0.2]) == -1


def test_equal_values_share_their_mean_rank() -> None:
    # Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4.
    assert rank_correlation([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / math.sqrt(4.5 * 5))


def test_what_does_not_vary_has_no_correlation() -> None:
    assert math.isnan(linear_correlation([2, 2], [1, 3]))
    assert math.isnan(rank_correlation([1, 3], [2, 2]))
    assert math.isnan(linear_correlation([], []))


def test_correlation_wants_pairs() -> None:
    with pytest.raises(ValueError, match="2 and 1 values"):
        linear_correlation([1, 2], [1])
