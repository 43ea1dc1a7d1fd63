"""Extremes over more topologies than a paper's: those that as many as the paper's have."""

from __future__ import annotations

import itertools
import random

import pytest

from weft.reproduce.spread import extremes, least_of_some


def test_the_least_of_some_is_the_mean_over_all_draws() -> None:
    # Of 1, 2, 4 two are drawn as 1 and 2, 1 and 4, 2 and 4.
    assert least_of_some([4.0, 1.0, 2.0], 2) == pytest.approx((1 + 1 + 2) / 3)
    assert least_of_some([4.0, 1.0, 2.0], 1) == pytest.approx(7 / 3)
    draws = random.Random(1)
    values = [draws.choice((draws.random(), 0.5)) for _ in range(12)]
    for count in (1, 5, 10, 12):
        drawn = [min(some) for some in itertools.combinations(values, count)]
        assert least_of_some(values, count) == pytest.approx(sum(drawn) / len(drawn))
    # Of no more than are drawn it is the least of all.
    assert least_of_some(values, 20) == min(values)


def test_extremes_are_those_of_as_many_topologies_as_the_paper_has() -> None:
    def figures(count: int, published: int = 10) -> list[float]:
        values = [float(number) for number in range(count)]
        rows = extremes("c", "q", values, published=published)
        assert [row.quantity for row in rows] == ["q, average", "q, minimum", "q, maximum"]
        assert {row.count for row in rows} == {count}
        return [row.value for row in rows]

    assert figures(10) == [4.5, 0, 9]
    # One of eleven is left out: once in eleven draws the least, and once the greatest.
    assert figures(11) == pytest.approx([5, 1 / 11, 10 - 1 / 11])
    assert figures(11, published=11) == [5, 0, 10]
