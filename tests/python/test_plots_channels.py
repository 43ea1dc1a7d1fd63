"""Sorted figures of the channels, the load they are drawn at, and the hottest channels by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from drawn_marks import marks_of, texts_of
from report_samples import SAMPLES, study

import weft
from weft.plots import blocked_chart, hosts_chart, ranking_table, utilization_chart
from weft.plots.channels import (
    BLOCKED,
    HOSTS,
    MAX_RANKS,
    UTILIZATION,
    Quantity,
    shown_ranks,
    sorted_chart,
    sorted_rows,
)
from weft.plots.loads import AT_THROUGHPUT, drawing_load, offered_loads, point_near, where_text
from weft.plots.rows import load_points
from weft.plots.tables import hottest_channels

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    folder = tmp_path_factory.mktemp("channels")
    saturations = {"updown": 0.2, "ud_itb": 0.3, "minimal": None}
    return study(folder, weft.torus(4, 4, 2), saturations, loads=[0.05, 0.1, 0.25])


def own_rows(rows: list[dict[str, Any]], label: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["routing"] == label]


@pytest.mark.parametrize("quantity", [UTILIZATION, BLOCKED])
def test_ranks_are_the_switch_channels_in_descending_order(
    results: weft.Results, quantity: Quantity
) -> None:
    rows = own_rows(sorted_rows(results, quantity, [0.1]), "ud_itb")
    figures = results.channel_figures("ud_itb", 0.1)
    between = getattr(figures, quantity.field)[results.fabric.is_switch_channel]
    assert [row["rank"] for row in rows] == list(range(1, 65))
    drawn = [row["values"][0] for row in rows]
    assert drawn == sorted(drawn, reverse=True)
    assert drawn == pytest.approx(100 * np.sort(between)[::-1], rel=1e-3)


def test_hosts_that_send_are_ranked_by_what_is_accepted_of_them(results: weft.Results) -> None:
    rows = own_rows(sorted_rows(results, HOSTS, [0.1]), "ud_itb")
    accepted = results.channel_figures("ud_itb", 0.1).host_accepted_load
    assert results.sending_hosts == len(rows) == 32
    drawn = [row["values"][0] for row in rows]
    assert drawn == pytest.approx(100 * np.sort(accepted)[::-1], rel=1e-3)


def test_charts_say_load_and_unit(results: weft.Results) -> None:
    for chart, axis in (
        (utilization_chart(results, 0.1), "utilization (% of time)"),
        (blocked_chart(results, 0.1), "blocked time (% of time)"),
        (hosts_chart(results, 0.1), "accepted of a host (% of its link rate)"),
    ):
        assert "10 % load" in chart.title
        assert chart.title in texts_of(chart)
        (axes,) = chart.figure().axes
        assert axes.get_ylabel() == axis
        assert "(rank)" in axes.get_xlabel()


def test_a_page_shows_one_of_the_loads_it_can_choose(results: weft.Results) -> None:
    chart = sorted_chart(results, UTILIZATION, [0.05, 0.1], 1)
    marks = marks_of(chart, has_choices=True)
    lines = [mark for mark in marks if mark.tip[0].startswith("routing")]
    assert {(frozenset(mark.classes), mark.is_shown) for mark in lines} == {
        (frozenset({"weft", f"r{routing}", f"l{load}"}), load == 1)
        for routing in (0, 1)
        for load in (0, 1)
    }
    titles = {tuple(mark.classes & {"v0", "v1"}): mark.is_shown for mark in marks}
    assert titles["v0",] is False
    assert titles["v1",] is True
    alone = marks_of(chart)
    assert {mark.classes & {"l0", "l1"} for mark in alone} == {frozenset(), frozenset({"l1"})}


def test_many_channels_are_thinned_but_both_ends_stay() -> None:
    assert shown_ranks(5) == [0, 1, 2, 3, 4]
    ranks = shown_ranks(10_000)
    assert len(ranks) <= MAX_RANKS
    assert (ranks[0], ranks[-1]) == (0, 9_999)
    assert ranks == sorted(set(ranks))


def test_default_load_is_the_largest_at_which_every_routing_is_steady(
    results: weft.Results,
) -> None:
    assert drawing_load(results) == 0.1
    assert drawing_load(results, 0.24) == 0.25
    assert drawing_load(results, 0.001) == 0.05


def test_each_routing_is_shown_at_its_throughput_when_no_busy_load_is_common(
    tmp_path: Path,
) -> None:
    results = study(tmp_path, weft.torus(4, 4, 2), {"updown": 0.06, "ud_itb": 0.9})
    assert drawing_load(results) == AT_THROUGHPUT
    assert where_text(AT_THROUGHPUT) == "each at its throughput"
    for routing in results.routings:
        at = point_near(routing, AT_THROUGHPUT)
        assert at is not None
        assert routing.throughput is not None
        assert at.load == routing.throughput.at_load
    assert utilization_chart(results).title.endswith(", each at its throughput")


def test_default_load_of_a_study_of_refused_routings_is_none(tmp_path: Path) -> None:
    results = SAMPLES["refused"](tmp_path)
    assert drawing_load(results) is None
    assert ranking_table(results)[0]["rank"] is None


def test_a_routing_far_from_the_load_is_left_out(results: weft.Results) -> None:
    routing = results.routings[0]
    assert [at.load for at in load_points(routing)] == [0.05, 0.1, 0.25]
    near = point_near(routing, 0.11)
    assert near is not None
    assert near.load == 0.1
    assert point_near(routing, 0.01) is None
    assert point_near(results.routings[2], 0.1) is None


def test_offered_loads_hold_the_chosen_one_and_no_more_than_allowed(results: weft.Results) -> None:
    assert offered_loads(results, 0.1, 12) == [AT_THROUGHPUT, 0.05, 0.1, 0.25]
    assert offered_loads(results, AT_THROUGHPUT, 12) == [AT_THROUGHPUT, 0.05, 0.1, 0.25]
    assert offered_loads(results, 0.1, 2) == [AT_THROUGHPUT, 0.1]
    assert offered_loads(results, 0.1, 1) == [0.1]


def test_hottest_channels_are_named_with_their_figures(results: weft.Results) -> None:
    found = hottest_channels(results, results.routings[1], 0.1, 3)
    figures = results.channel_figures("ud_itb", 0.1)
    between = np.flatnonzero(results.fabric.is_switch_channel)
    hottest = int(between[np.argmax(figures.utilization[between])])
    assert found[0].channel == hottest
    assert found[0].name == results.fabric.describe_channel(hottest)
    assert found[0].utilization == pytest.approx(float(figures.utilization[hottest]))
    assert found[0].utilization >= found[1].utilization >= found[2].utilization
    load = results.routings[1].load
    assert load is not None
    assert found[0].routes == int(load.routes_per_channel[hottest])


def test_ranking_table_has_the_best_first_and_the_refused_last(results: weft.Results) -> None:
    rows = ranking_table(results)
    assert [row["routing"] for row in rows] == ["ud_itb", "updown", "minimal"]
    assert [row["rank"] for row in rows] == [1, 2, None]
    assert rows[0]["relative_to_best"] == 1.0
    assert rows[0]["throughput_is_limit"]  # no load above 0.3 was offered
    assert not rows[1]["throughput_is_limit"]
    assert rows[2]["hottest_utilization"] is None
    assert rows[2]["hottest_channel"] is not None
    assert rows[2]["verdict"] == "deadlock"
