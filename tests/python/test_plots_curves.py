"""Latency against accepted traffic and accepted against offered traffic: what the charts hold."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from typing import TYPE_CHECKING, Any

import pytest
from report_samples import TRAFFIC_AT_FULL_LOAD, latency_ns, study
from vl_convert import vegalite_to_svg

import weft
from weft.plots import accepted_chart, latency_chart, longest_chart
from weft.plots.curves import MOST_TIMES_UNLOADED, latency_limits
from weft.plots.rows import BEYOND, DEADLOCKED, STEADY, UNSETTLED, point_rows, state_of
from weft.plots.theme import ROUTING_COLOURS, ROUTING_DASHES, ROUTING_SHAPES

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    folder = tmp_path_factory.mktemp("curves")
    saturations = {"updown": 0.2, "ud_itb": 0.3, "minimal": None}
    return study(folder, weft.mesh(3, 3, 2), saturations, loads=[0.05, 0.1, 0.25, 0.5])


def layers(spec: dict[str, Any], mark: str) -> list[dict[str, Any]]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]


def shared_rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return values(spec, spec["data"])


def values(spec: dict[str, Any], data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows behind a data member; Altair keeps them by name at the top."""
    rows: list[dict[str, Any]] = spec["datasets"][data["name"]]
    return rows


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
    spec = latency_chart(results).to_dict()
    points = layers(spec, "point")[-1]["encoding"]
    assert points["x"]["title"] == "accepted traffic (bytes/ns/switch)"
    assert points["y"]["title"] == "mean latency from generation to delivery (ns)"
    assert points["y"]["scale"]["type"] == "log"
    titles = {entry["title"] for entry in points["tooltip"]}
    assert {"load (of the host link rate)", "ended", "mean latency (ns)"} <= titles


def test_the_longest_latency_is_drawn_as_measured(results: weft.Results) -> None:
    spec = longest_chart(results).to_dict()
    rows = {(row["routing"], row["load"]): row for row in shared_rows(spec)}
    for routing in results.routings:
        for point in routing.points:
            row = rows[routing.label, point.load]
            assert row["latency_max"] == point.measurement.generation_latency_ns.max
            assert row["above"] or row["shown"] == row["latency_max"]
    titles = {layer["encoding"]["y"]["title"] for layer in spec["layer"]}
    assert titles == {"longest latency from generation to delivery (ns)"}


def test_saturated_points_are_drawn_hollow_and_do_not_stretch_the_axis(
    results: weft.Results,
) -> None:
    spec = latency_chart(results).to_dict()
    low, high = layers(spec, "point")[-1]["encoding"]["y"]["scale"]["domain"]
    rows = shared_rows(spec)
    for row in rows:
        assert low <= row["shown"] <= high
        assert row["above"] == (row["latency"] > high)
        assert row["shown"] == (high if row["above"] else row["latency"])
        assert row["settled"] == (row["state"] == STEADY)
    assert any(row["above"] for row in rows), "the sample saturates far above the steady points"
    steady = [row["latency"] for row in rows if row["settled"]]
    assert high < 2 * max(*steady, 2 * min(steady))
    opacity = layers(spec, "point")[-1]["encoding"]["fillOpacity"]["scale"]
    assert dict(zip(opacity["domain"], opacity["range"], strict=True)) == {STEADY: 1.0, BEYOND: 0.0}


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
    rows = shared_rows(latency_chart(results).to_dict())
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
    spec = latency_chart(results).to_dict()
    assert [row["state"] for row in shared_rows(spec)] == [STEADY, DEADLOCKED]
    assert any(layer["mark"].get("text") == "✕" for layer in layers(spec, "text"))
    assert "✕: deadlocked" in " ".join(spec["title"]["subtitle"])


def test_accepted_chart_has_the_diagonal_and_both_units(results: weft.Results) -> None:
    spec = accepted_chart(results).to_dict()
    ends = values(spec, spec["layer"][0]["data"])
    assert all(end["offered"] == end["accepted"] for end in ends)
    assert ends[-1]["offered"] >= 0.3 * TRAFFIC_AT_FULL_LOAD
    points = layers(spec, "point")[-1]["encoding"]
    assert points["x"]["title"] == "offered traffic (bytes/ns/switch)"
    assert points["y"]["title"] == "accepted traffic (bytes/ns/switch)"


def test_a_routing_keeps_its_colour_and_shape_and_refused_ones_leave_the_legend(
    results: weft.Results,
) -> None:
    encoding = layers(latency_chart(results).to_dict(), "point")[-1]["encoding"]
    assert encoding["stroke"]["scale"] == {
        "domain": ["updown", "ud_itb"],
        "range": list(ROUTING_COLOURS[:2]),
    }
    assert encoding["shape"]["scale"]["range"] == list(ROUTING_SHAPES[:2])


def test_twelve_routings_are_told_apart_without_colour() -> None:
    for palette in (ROUTING_COLOURS, ROUTING_SHAPES, ROUTING_DASHES):
        assert len(set(palette)) == len(palette) == 12


def test_a_point_without_delivered_packets_has_no_latency(results: weft.Results) -> None:
    point = results.routings[0].points[0].measurement
    object.__setattr__(point.generation_latency_ns, "count", 0)
    try:
        rows = point_rows(results)
        assert rows[0]["latency"] is None
        spec = latency_chart(results).to_dict()
        assert len(shared_rows(spec)) == len(rows) - 1
        json.dumps(spec, allow_nan=False)
    finally:
        object.__setattr__(point.generation_latency_ns, "count", 5000)


def test_filled_pale_and_hollow_marks_are_drawn_as_such(results: weft.Results) -> None:
    found = results.routings[0].points[0].measurement
    object.__setattr__(found, "reason", "budget")
    try:
        svg = vegalite_to_svg(latency_chart(results).to_json(indent=None))
    finally:
        object.__setattr__(found, "reason", "steady")
    drawn = set(re.findall(r'fill-opacity="([0-9.]+)"', svg))
    assert drawn == {"0", "0.45", "1"}
