"""Numbers as the report writes them."""

from __future__ import annotations

import math

import pytest

from weft.report.numbers import MISSING, count, percent, quantity, with_half_width


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.15364, "0.1536"),
        (0.1, "0.1"),
        (4034.4, "4,034"),
        (123456.7, "123,457"),
        (0.00012345, "0.0001234"),
        (-2.5, "-2.5"),
        (1000.0, "1,000"),
        (None, MISSING),
        (math.nan, MISSING),
        (math.inf, MISSING),
    ],
)
def test_four_digits_are_kept_without_an_exponent(value: float | None, text: str) -> None:
    assert quantity(value) == text


def test_an_interval_is_written_beside_the_value_when_there_is_one() -> None:
    assert with_half_width(0.1234, 0.00123) == "0.1234 ± 0.0012"
    assert with_half_width(0.1234, 0.0) == "0.1234"
    assert with_half_width(0.1234, math.inf) == "0.1234"
    assert with_half_width(None, 0.1) == MISSING


def test_shares_and_counts() -> None:
    assert percent(0.1234) == "12.3 %"
    assert percent(None) == MISSING
    assert count(1234567) == "1,234,567"
    assert count(None) == MISSING
