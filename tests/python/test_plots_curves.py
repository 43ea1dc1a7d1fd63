"""Latency against accepted traffic and accepted against offered traffic: what the charts hold."""

from __future__ import annotations

import dataclasses
import math
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from colours import DARK_PAGE, WHITE, contrast, least_apart, on_dark_page, parsed
from drawn_marks import points_of, texts_of
from report_samples import TRAFFIC_AT_FULL_LOAD, latency_ns, study

import weft
from weft.plots import accepted_chart, latency_chart, longest_chart
from weft.plots.curves import MOST_TIMES_UNLOADED, latency_limits
from weft.plots.drawing import WIRE_COLOUR
from weft.plots.rows import BEYOND, DEADLOCKED, STEADY, UNSETTLED, point_rows, state_of
from weft.plots.theme import ROUTING_COLOURS, ROUTING_DASHES, ROUTING_SHAPES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    folder = tmp_path_factory.mktemp("curves")
    saturations = {"updown": 0.2, "ud_itb": 0.3, "minimal": None}
    return study(folder, weft.mesh(3, 3, 2), saturations, loads=[0.05, 0.1, 0.25, 0.5])


def test_rows_hold_the_measured_figures_in_the_units_of_the_axes(results: weft.Results) -> None:
    rows = point_rows(results)
    assert [(row["routing"], row["load"]) for row in rows] == [
        (label, load) for label in ("updown", "ud_itb") for load in (0.05, 0.1, 0.25, 0.5)
    ]
    second = rows[1]
    assert second["accepted"] == pytest.approx(0.1 * TRAFFIC_AT_FULL_LOAD)
    assert second["accepted_half_width"] == pytest.approx(0.001 * TRAFFIC_AT_FULL_LOAD)
    assert second["latency"] == pytest.approx(latency_ns(0.1, 0.2))
    assert second["latency_half_width"] == pytest.approx(0.03 * latency_ns(0.1, 0.2))
    assert [row["state"] for row in rows[:4]] == [STEADY, STEADY, BEYOND, BEYOND]
    assert rows[3]["offered"] == pytest.approx(0.5 * TRAFFIC_AT_FULL_LOAD)
    assert rows[3]["accepted"] == pytest.approx(0.2 * TRAFFIC_AT_FULL_LOAD)


def test_latency_axes_name_quantity_and_unit(results: weft.Results) -> None:
    chart = latency_chart(results)
    (axes,) = chart.figure().axes
    assert axes.get_xlabel() == "accepted traffic (bytes/ns/switch)"
    assert axes.get_ylabel() == "mean latency from generation to delivery (ns)"
    assert axes.get_yscale() == "log"
    first = points_of(chart)[0].tip
    assert first[:2] == ["routing: updown", "load: 5 % of the host link rate"]
    assert any(line.startswith("mean latency: ") and line.endswith(" ns") for line in first)
    assert first[-1] == f"ended: {results.routings[0].points[0].measurement.reason_text}"


def test_the_longest_latency_is_drawn_as_measured(results: weft.Results) -> None:
    chart = longest_chart(results)
    rows = {(row["routing"], row["load"]): row for row in chart.rows}
    for routing in results.routings:
        for point in routing.points:
            row = rows[routing.label, point.load]
            assert row["latency_max"] == point.measurement.generation_latency_ns.max
            assert row["above"] or row["shown"] == row["latency_max"]
    (axes,) = chart.figure().axes
    assert axes.get_ylabel() == "longest latency from generation to delivery (ns)"


def test_saturated_points_are_drawn_hollow_and_do_not_stretch_the_axis(
    results: weft.Results,
) -> None:
    chart = latency_chart(results)
    low, high = chart.figure().axes[0].get_ylim()
    for row in chart.rows:
        assert low <= row["shown"] <= high * (1 + 1e-9)
        assert row["above"] == (row["latency"] > high)
        assert row["shown"] == pytest.approx(high if row["above"] else row["latency"])
        assert row["settled"] == (row["state"] == STEADY)
    assert any(row["above"] for row in chart.rows), "it saturates far above the steady points"
    steady = [row["latency"] for row in chart.rows if row["settled"]]
    assert high < 2 * max(*steady, 2 * min(steady))
    points = points_of(chart)
    assert len(points) == len(chart.rows)
    for row, point in zip(chart.rows, points, strict=True):
        assert ("fill: #ffffff" in point.styles) == (row["state"] == BEYOND)


def test_intervals_and_lines_are_drawn_for_the_settled_points(results: weft.Results) -> None:
    (axes,) = latency_chart(results).figure().axes
    rows = [row for row in latency_chart(results).rows if row["settled"]]
    bars = [tuple(bar[:, 1]) for lines in axes.collections for bar in lines.get_segments()]
    assert bars == [(row["bar_low"], row["bar_high"]) for row in rows]
    for row in rows:
        half = row["latency_half_width"]
        assert row["bar_high"] - row["bar_low"] == pytest.approx(2 * half)


def test_a_run_that_spent_its_budget_beyond_saturation_is_not_called_steady(
    results: weft.Results,
) -> None:
    found = results.routings[0].points[-1].measurement
    assert found.accepted_load < 0.95 * found.offered_load
    assert state_of(dataclasses.replace(found, reason="budget")) == BEYOND
    carried = dataclasses.replace(found, reason="budget", accepted_load=found.offered_load)
    assert state_of(carried) == UNSETTLED


def test_a_steady_point_just_below_saturation_does_not_stretch_the_axis() -> None:
    rows = [
        {"latency": latency, "latency_half_width": 0.0, "state": STEADY}
        for latency in (4e3, 5e3, 4e6)
    ]
    low, high = latency_limits(rows)
    assert low < 4e3
    assert high == MOST_TIMES_UNLOADED * 4e3


def test_the_solid_line_ends_where_the_dashed_one_begins(results: weft.Results) -> None:
    rows = latency_chart(results).rows
    for label in ("updown", "ud_itb"):
        own = [row for row in rows if row["routing"] == label]
        last_joined = [row for row in own if row["joined"]][-1]
        tail = [row for row in own if row["tail"]]
        assert tail[0] is last_joined
        assert [row["above"] for row in tail[1:]] == [True], "it ends where it leaves the axis"


def test_latency_limits_without_any_steady_point_hold_all_points() -> None:
    rows = [{"latency": 5e5, "latency_half_width": 0.0, "state": BEYOND}]
    low, high = latency_limits(rows)
    assert low < 5e5 < high
    assert latency_limits([]) == (1_000.0, 10_000.0)


def test_seeds_of_a_load_are_averaged_with_their_own_interval(tmp_path: Path) -> None:
    results = study(
        tmp_path, weft.mesh(2, 2, 2), {"updown": 0.2}, loads=[0.1, 0.3], seeds=[1, 2, 3]
    )
    first, second = point_rows(results)
    assert (first["seeds"], first["packets"]) == (3, 15_000)
    assert first["accepted"] == pytest.approx(0.1 * 1.001 * TRAFFIC_AT_FULL_LOAD)
    # Student's t for three values: 4.303 · 0.001 / √3 around a step of 0.1 %.
    expected = 4.3027 * 0.1 * 0.001 / math.sqrt(3) * TRAFFIC_AT_FULL_LOAD
    assert first["accepted_half_width"] == pytest.approx(expected, rel=1e-3)
    assert second["state"] == BEYOND


def test_a_deadlocked_point_is_marked(tmp_path: Path) -> None:
    results = study(
        tmp_path, weft.mesh(3, 3, 2), {"updown": 0.3}, loads=[0.1, 0.2], deadlocks={"updown": 0.2}
    )
    chart = latency_chart(results)
    assert [row["state"] for row in chart.rows] == [STEADY, DEADLOCKED]
    assert "✕" in texts_of(chart)
    assert "✕: deadlocked" in " ".join(chart.notes)


def test_accepted_chart_has_the_diagonal_and_both_units(results: weft.Results) -> None:
    (axes,) = accepted_chart(results).figure().axes
    (diagonal,) = [line for line in axes.lines if line.get_gid() == "weft-diagonal"]
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata())
    assert diagonal.get_xdata()[-1] >= 0.3 * TRAFFIC_AT_FULL_LOAD
    assert axes.get_xlabel() == "offered traffic (bytes/ns/switch)"
    assert axes.get_ylabel() == "accepted traffic (bytes/ns/switch)"


def test_a_routing_keeps_its_colour_and_shape_and_refused_ones_leave_the_legend(
    results: weft.Results,
) -> None:
    legend = latency_chart(results).figure().axes[0].get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["updown", "ud_itb"]
    keys = legend.legend_handles
    assert [key.get_color() for key in keys] == list(ROUTING_COLOURS[:2])
    assert [key.get_marker() for key in keys] == list(ROUTING_SHAPES[:2])
    points = points_of(latency_chart(results))
    assert ROUTING_COLOURS[0].lower() in points[0].styles
    assert ROUTING_COLOURS[1].lower() in points[-1].styles


def test_twelve_routings_are_told_apart_without_colour() -> None:
    for palette in (ROUTING_COLOURS, ROUTING_SHAPES, ROUTING_DASHES):
        assert len(set(palette)) == len(palette) == 12


def test_a_point_without_delivered_packets_has_no_latency(results: weft.Results) -> None:
    point = results.routings[0].points[0].measurement
    object.__setattr__(point.generation_latency_ns, "count", 0)
    try:
        rows = point_rows(results)
        assert rows[0]["latency"] is None
        chart = latency_chart(results)
        assert len(chart.rows) == len(points_of(chart)) == len(rows) - 1
    finally:
        object.__setattr__(point.generation_latency_ns, "count", 5000)


@pytest.mark.parametrize("colour", [*ROUTING_COLOURS, WIRE_COLOUR])
def test_lines_stand_out_on_white_and_on_dark_pages(colour: str) -> None:
    assert contrast(parsed(colour), parsed(WHITE)) >= 3
    assert contrast(on_dark_page(parsed(colour)), parsed(DARK_PAGE)) >= 3


@pytest.mark.parametrize(("count", "apart"), [(4, 0.09), (8, 0.06), (12, 0.02)])
def test_colours_are_told_apart_by_the_colour_blind(count: int, apart: float) -> None:
    for one, other in combinations(map(parsed, ROUTING_COLOURS[:count]), 2):
        assert least_apart(one, other) >= apart
        assert least_apart(on_dark_page(one), on_dark_page(other)) >= apart / 2


def test_filled_pale_and_hollow_marks_are_drawn_as_such(results: weft.Results) -> None:
    found = results.routings[0].points[0].measurement
    object.__setattr__(found, "reason", "budget")
    try:
        points = points_of(latency_chart(results))
    finally:
        object.__setattr__(found, "reason", "steady")
    fills = [
        next(part for part in point.styles.split("; ") if "fill" in part).split("fill: ")[1]
        for point in points[:3]
    ]
    # The colour of the first routing over white: 45 % of it, all of it, nothing.
    assert fills == ["#a0bcdd", ROUTING_COLOURS[0].lower(), "#ffffff"]
