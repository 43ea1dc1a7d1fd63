"""What is written to a results file comes back, and any tool can read it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import TYPE_CHECKING

import numpy as np
import pytest
from synthetic import SyntheticStages, measurement

import weft
from weft.errors import ResultsError
from weft.results.fields import POINT_FIELDS
from weft.results.schema import FORMAT_VERSION, STATEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weft.results import Results


@pytest.fixture
def results(compared: Callable[..., Results]) -> Iterator[Results]:
    with compared(
        *("early", "late", "cyclic"),
        hardware=weft.hardware("myrinet", routing_delay_ns=100),
        traffic=weft.Traffic(payload_bytes={32: 0.2, 2048: 0.8}, arrivals="poisson", seed=5),
        loads=[0.05, 0.1, 0.2],
        pool_interval_ns=250.0,
    ) as results:
        yield results


def test_the_form_of_the_file_has_a_version() -> None:
    """A change of the tables needs a new version; then this fingerprint is renewed with it."""
    form = hashlib.sha256("".join(STATEMENTS).encode()).hexdigest()[:16]
    assert (FORMAT_VERSION, form) == (9, "a25a948eebb5e9e5")


def test_results_are_shown_by_their_study_and_file(results: Results) -> None:
    assert repr(results) == f"<Results of study main in {results.path}>"


def test_fabric_and_conditions_come_back(results: Results, fabric: weft.Fabric) -> None:
    assert results.fabric == fabric
    spec = results.spec
    assert spec.hardware == weft.hardware("myrinet", routing_delay_ns=100)
    assert spec.traffic.payload_bytes == {32: 0.2, 2048: 0.8}
    assert spec.traffic.arrivals == "poisson"
    assert spec.seeds == (5,)
    assert spec.loads == (0.05, 0.1, 0.2)
    assert spec.routings == ("early", "late", "cyclic")


def test_a_measurement_comes_back_to_the_last_bit(results: Results, fabric: weft.Fabric) -> None:
    stages = SyntheticStages()
    expected = measurement(fabric, 0.2, stages.curves["early"](0.2) * (1 + 5e-4), 250.0)
    found = results.routing("early").points[2].measurement
    whole = expected.to_dict()
    whole["generation_histogram"] = {"lower_edges_ns": [], "counts": []}
    assert found.to_dict() == whole
    figures = results.channel_figures("early", 0.2)
    lanes = results.lane_figures("early", 0.2)
    series = results.pool_series("early", 0.2)
    for kept, measured in (
        (figures.utilization, expected.channel_utilization),
        (figures.blocked, expected.channel_blocked),
        (figures.pool_mean_bytes, expected.pool_mean_bytes),
        (figures.pool_max_bytes, expected.pool_max_bytes),
        (figures.host_accepted_load, expected.host_accepted_load),
        (lanes.utilization, expected.lane_utilization),
        (lanes.blocked, expected.lane_blocked),
        (lanes.buffer_mean_bytes, expected.buffer_mean_bytes),
        (lanes.buffer_max_bytes, expected.buffer_max_bytes),
        (series.mean_bytes, expected.pool_series_mean_bytes),
        (series.max_bytes, expected.pool_series_max_bytes),
    ):
        np.testing.assert_array_equal(kept, measured)
    assert lanes.utilization.shape == (fabric.channel_count, 3)
    assert series.interval_ns == 250.0
    assert (series.max_bytes.shape, series.max_bytes.dtype) == ((4, fabric.host_count), np.uint32)
    assert figures.utilization.dtype == np.float32
    assert results.histogram("early", 0.2) == expected.generation_histogram


def test_what_was_not_measured_comes_back_empty(fabric: weft.Fabric, tmp_path: Path) -> None:
    """Myrinet has no lanes, and pools are not followed unless that is asked for."""
    with weft.compare(
        fabric, ["updown"], loads=[0.05], precision=0.3, results=tmp_path / "e.sqlite"
    ) as results:
        assert results.lane_figures("updown", 0.05).buffer_max_bytes.shape == (0, 0)
        series = results.pool_series("updown", 0.05)
        assert (series.interval_ns, series.max_bytes.shape) == (0.0, (0, 0))
        assert results.spec.pool_interval_ns is None


def test_damaged_arrays_are_told(results: Results) -> None:
    with sqlite3.connect(results.path) as connection:
        connection.execute("UPDATE point_arrays SET lane_blocked = x'00ff'")
    with pytest.raises(weft.ResultsError, match=r"lane_blocked of early at load 0\.1 is damaged"):
        results.lane_figures("early", 0.1)


def test_load_figures_come_back(results: Results, fabric: weft.Fabric) -> None:
    load = results.routing("early").load
    assert load is not None
    assert load.saturation_bound == 0.3
    np.testing.assert_array_equal(load.routes_per_channel, np.arange(fabric.channel_count))


def test_a_missing_point_names_the_nearest(results: Results) -> None:
    with pytest.raises(ResultsError, match=r"no point at load 0\.18; the nearest is 0\.2"):
        results.channel_figures("early", 0.18)
    with pytest.raises(ResultsError, match="no routing earlier; expected one of “early”, “late”"):
        results.channel_figures("earlier", 0.2)
    with pytest.raises(ResultsError, match="no point"):
        results.channel_figures("early", 0.2, seed=99)


def test_the_manifest_has_versions_units_seeds_and_times(results: Results) -> None:
    manifest = results.manifest
    assert json.loads(json.dumps(manifest)) == manifest
    delay = next(entry for entry in manifest["hardware"] if entry["name"] == "routing_delay_ns")
    assert (delay["value"], delay["unit"]) == (100.0, "ns")
    assert delay["source"]
    assert manifest["seeds"] == [5]
    assert manifest["fabric"]["fingerprint"] == f"{results.fabric.fingerprint:016x}"
    session = manifest["sessions"][0]
    assert session["outcome"] == "finished"
    assert session["computed_points"] == 6
    assert session["started_at"] <= session["ended_at"]
    known = {"weft", "build", "python", "numpy", "platform", "processors"}
    assert set(session["machine"]) == known
    assert manifest["totals"]["points"] == 6
    assert manifest["totals"]["packet_hops"] == 6 * 15_000


def test_any_tool_reads_the_figures(results: Results) -> None:
    connection = sqlite3.connect(results.path)
    rows = connection.execute(
        "SELECT load, accepted_bytes_per_ns_per_switch, network_latency_p99_ns FROM point"
        " WHERE routing = 'late' ORDER BY load"
    ).fetchall()
    connection.close()
    assert rows[0] == pytest.approx((0.05, 0.64 * 0.05 * 1.0005, 1500.0))


def test_every_figure_has_a_unit_and_a_meaning() -> None:
    for field in POINT_FIELDS:
        assert field.summary
        assert field.unit or field.kind == "text"
    assert len({field.column for field in POINT_FIELDS}) == len(POINT_FIELDS)


def test_every_figure_of_a_measurement_is_kept(fabric: weft.Fabric) -> None:
    kept = {field.path for field in POINT_FIELDS}
    for name, value in measurement(fabric, 0.1, 0.1).to_dict().items():
        # The histogram is kept with the arrays.
        if name == "generation_histogram":
            continue
        for path in [(name, part) for part in value] if isinstance(value, dict) else [(name,)]:
            assert path in kept


def test_a_latency_that_is_no_number_comes_back_as_such(compared: Callable[..., Results]) -> None:
    from dataclasses import replace

    nothing = weft.LatencySummary(*[float("nan")] * 6, 0)

    class Silent(SyntheticStages):
        def simulate(self, *arguments: object, **settings: object) -> weft.Measurement:
            found = super().simulate(*arguments, **settings)
            return replace(found, generation_latency_ns=nothing, delivered_packets=0)

    with compared("early", loads=[0.1], stages=Silent()) as results:
        latency = results.routing("early").points[0].measurement.generation_latency_ns
        assert np.isnan(latency.mean)
        assert latency.count == 0
        assert results.ranking()[0].unloaded_latency_ns is None
