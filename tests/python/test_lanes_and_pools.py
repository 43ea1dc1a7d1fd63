"""Lanes, pools and hosts: measured, kept, drawn and told, in a small study of each kind."""

from __future__ import annotations

import csv
import json
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from synthetic import SyntheticStages

import weft
from weft.plots import buffers_chart, lanes_chart, pools_chart, write_charts
from weft.plots.chart import short
from weft.plots.lanes import BUFFERS, LANES, lane_values
from weft.plots.pools import MOST_STEPS, pool_rows, pool_steps
from weft.report import render_report
from weft.results import Fairness, PoolSeries
from weft.results.fairness import fairness_of
from weft.results.lanes import lane_rows
from weft.statistics import jain_index
from weft.study import compare

if TYPE_CHECKING:
    from pathlib import Path

LOADS = [0.05, 0.1]
TREES = "multi_tree:lanes=2,trees=2"


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    """Two trees on two of four lanes of InfiniBand."""
    return weft.compare(
        weft.irregular(8, seed=1),
        [TREES, "multi_tree:lanes=2,trees=1"],
        weft.hardware("infiniband_1x", lanes=4),
        weft.Traffic(payload_bytes=32),
        loads=LOADS,
        precision=0.2,
        max_packets=10_000,
        jobs=1,
        results=tmp_path_factory.mktemp("lanes") / "results.sqlite",
    )


@pytest.fixture(scope="module")
def pools(tmp_path_factory: pytest.TempPathFactory) -> weft.Results:
    """In-transit stops on Myrinet, whose pools are followed every 50 µs."""
    return weft.compare(
        weft.irregular(8, seed=1),
        ["ud_itb", "updown"],
        traffic=weft.Traffic(payload_bytes=512),
        loads=LOADS,
        precision=0.2,
        max_packets=10_000,
        pool_interval_ns=50_000,
        jobs=1,
        results=tmp_path_factory.mktemp("pools") / "results.sqlite",
    )


def test_jain_index_is_that_of_its_formula() -> None:
    assert jain_index([3.0, 3.0, 3.0]) == 1.0
    assert jain_index([1.0, 0.0, 0.0, 0.0]) == 0.25
    # (1 + 2 + 3)² / (3 · (1 + 4 + 9))
    assert jain_index([1.0, 2.0, 3.0]) == pytest.approx(36 / 42)
    assert math.isnan(jain_index([0.0, 0.0]))


def test_a_host_that_is_starved_counts_and_one_that_does_not_send_does_not() -> None:
    accepted = np.array([0.2, 0.0, 0.4, 0.0])
    assert fairness_of(accepted, senders=2) == Fairness(pytest.approx(0.9), 0.2, 0.4, 2)
    starved = fairness_of(accepted, senders=3)
    assert (starved.least, starved.most, starved.hosts) == (0.0, 0.4, 3)
    assert starved.jain == pytest.approx(0.6)
    assert starved.least_over_most == 0.0
    assert math.isnan(fairness_of(np.zeros(2), senders=2).least_over_most)


def test_fairness_is_among_the_hosts_that_send_under_the_pattern(tmp_path: Path) -> None:
    # Hosts on the diagonal of four times four would send to themselves.
    fabric = weft.torus(4, 4, hosts_per_switch=1)
    with compare(
        fabric,
        ["early"],
        traffic=weft.Traffic("transpose"),
        loads=[0.1],
        results=tmp_path / "r.sqlite",
        stages=SyntheticStages(),
    ) as results:
        found = results.fairness("early", 0.1)
        accepted = np.linspace(0, 0.1 * (1 + 1e-4), 16)[4:]
    assert found.hosts == 12
    assert found.least == pytest.approx(accepted[0])
    assert found.jain == pytest.approx(accepted.sum() ** 2 / (12 * (accepted**2).sum()))


def test_hosts_below_saturation_are_served_alike(lanes: weft.Results) -> None:
    found = lanes.fairness(TREES, 0.1)
    assert found.hosts == 32
    assert found.jain > 0.98
    assert found.least < 0.1 < found.most
    mean = lanes.channel_figures(TREES, 0.1).host_accepted_load.mean()
    accepted = lanes.routing(TREES).points[1].measurement.accepted_load
    assert mean == pytest.approx(accepted, rel=1e-4)


def test_lanes_of_a_channel_add_up_to_it(lanes: weft.Results) -> None:
    for load in LOADS:
        channels = lanes.channel_figures(TREES, load)
        figures = lanes.lane_figures(TREES, load)
        assert figures.utilization.shape == (lanes.fabric.channel_count, 4)
        np.testing.assert_allclose(figures.utilization.sum(axis=1), channels.utilization, atol=1e-6)
        np.testing.assert_allclose(figures.blocked.max(axis=1), channels.blocked, atol=1e-6)
        assert (figures.utilization[:, 2:] == 0).all()
        assert (figures.buffer_mean_bytes <= figures.buffer_max_bytes).all()
        assert figures.buffer_max_bytes.max() <= 1024
        # Packets of 32 bytes count whole.
        assert (figures.buffer_max_bytes % 32 == 0).all()


def test_lanes_are_summed_up_over_the_channels_between_switches(lanes: weft.Results) -> None:
    figures = lanes.lane_figures(TREES, 0.1)
    rows = lane_rows(lanes.fabric, figures)
    between = lanes.fabric.is_switch_channel
    assert [row.lane for row in rows] == [0, 1]
    for row in rows:
        own = figures.utilization[between, row.lane]
        assert row.utilization_mean == pytest.approx(own.mean(), rel=1e-5)
        assert row.utilization_most == own.max()
        assert row.buffer_most_bytes == figures.buffer_max_bytes[between, row.lane].max()


def test_charts_of_lanes_hold_their_figures(lanes: weft.Results) -> None:
    rows = {(row["routing"], row["lane"]): row for row in lane_values(lanes, LANES, LOADS)}
    assert set(rows) == {(label, lane) for label in lanes_of(lanes) for lane in (0, 1)}
    for place, load in enumerate(LOADS):
        for found in lane_rows(lanes.fabric, lanes.lane_figures(TREES, load)):
            row = rows[TREES, found.lane]
            assert row["means"][place] == pytest.approx(100 * found.utilization_mean, rel=1e-3)
            assert row["mosts"][place] == pytest.approx(100 * found.utilization_most, rel=1e-3)
    most = max(row["mosts"][1] for row in lane_values(lanes, BUFFERS, LOADS))
    assert most <= 1024
    for chart, axis in (
        (lanes_chart(lanes, 0.1), "utilization (% of time)"),
        (buffers_chart(lanes, 0.1), "bytes in a buffer"),
    ):
        assert "10 % load" in chart.title
        (axes,) = chart.figure().axes
        assert axes.get_ylabel() == axis
        heights = sorted(short(bar.get_height()) for bar in axes.patches)
        assert heights == sorted(row["means"][0] for row in chart.rows)


def lanes_of(results: weft.Results) -> list[str]:
    return [routing.label for routing in results.routings]


def test_the_series_of_a_pool_averages_to_its_mean(pools: weft.Results) -> None:
    series = pools.pool_series("ud_itb", 0.1)
    figures = pools.channel_figures("ud_itb", 0.1)
    window_ns = pools.routing("ud_itb").points[1].measurement.window_ns
    intervals = int(window_ns // 50_000)
    assert series.interval_ns == 50_000
    assert series.mean_bytes.shape == series.max_bytes.shape == (intervals, 32)
    assert intervals >= 3
    # The unfinished interval at the end is missing.
    share = intervals * 50_000 / window_ns
    total = series.mean_bytes.astype(float).mean(axis=0) * share
    missing = (1 - share) * figures.pool_max_bytes
    assert (total <= figures.pool_mean_bytes * 1.001 + 1e-3).all()
    assert (total + missing >= figures.pool_mean_bytes * 0.999 - 1e-3).all()
    assert (series.max_bytes.max(axis=0) <= figures.pool_max_bytes).all()
    assert (series.mean_bytes <= series.max_bytes).all()
    assert series.max_bytes.max() > 512
    assert (pools.pool_series("updown", 0.1).max_bytes == 0).all()


def test_steps_of_a_series_are_means_of_means_and_largest_of_largest() -> None:
    mean = np.array([[1.0, 3.0], [2.0, 6.0], [5.0, 5.0]], dtype=np.float32)
    most = np.array([[4, 9], [8, 7], [5, 6]], dtype=np.uint32)
    times, means, mosts = pool_steps(PoolSeries(2000.0, mean, most))
    assert (times, means, mosts) == ([1.0, 3.0, 5.0], [2.0, 4.0, 5.0], [9.0, 8.0, 6.0])
    # Twice as many intervals as can be drawn, and one that is left over.
    count = 2 * MOST_STEPS + 1
    ramp = np.arange(count, dtype=np.float32).reshape(-1, 1)
    times, means, mosts = pool_steps(PoolSeries(1000.0, ramp, ramp.astype(np.uint32)))
    assert len(times) == count // 3
    assert (times[0], means[0], mosts[0]) == (1.5, 1.0, 2.0)
    nothing = PoolSeries(0.0, np.zeros((0, 0), np.float32), np.zeros((0, 0), np.uint32))
    assert pool_steps(nothing) == ([], [], [])


def test_the_chart_of_pools_holds_mean_and_fullest(pools: weft.Results) -> None:
    rows = pool_rows(pools, 0.1)
    series = pools.pool_series("ud_itb", 0.1)
    own = [row for row in rows if row["routing"] == "ud_itb"]
    fullest = [row["bytes"] for row in own if row["of"] == "fullest NIC"]
    assert max(fullest) == series.max_bytes.max()
    chart = pools_chart(pools, 0.1)
    assert chart.rows == rows
    assert "10 % load" in chart.title
    drawn = [list(line.get_ydata()) for line in chart.figure().axes[0].lines]
    assert fullest in drawn


def test_charts_are_written_where_there_is_something_to_draw(
    lanes: weft.Results, pools: weft.Results, tmp_path: Path
) -> None:
    of_lanes = {path.stem for path in write_charts(lanes, tmp_path / "lanes")}
    of_pools = {path.stem for path in write_charts(pools, tmp_path / "pools")}
    assert {"lanes", "buffers"} <= of_lanes
    assert "pools" in of_pools
    assert not of_lanes & {"pools"}
    assert not of_pools & {"lanes", "buffers"}


def test_the_report_tells_lanes_pools_and_fairness(
    lanes: weft.Results, pools: weft.Results
) -> None:
    page = render_report(lanes)
    assert '<section id="lanes"' in page
    assert "Jain's index" in page
    found = lanes.fairness(TREES, 0.1)
    assert f'class="number">{found.jain:.4g}</td>' in page.replace("0.9990", "0.999")
    assert 'id="chart-pools"' not in page
    other = render_report(pools)
    assert 'id="chart-pools"' in other
    assert '<section id="lanes"' not in other
    assert "bytes on average, at most" in other


def test_tables_of_lanes_hosts_and_pools_are_exported(
    lanes: weft.Results, pools: weft.Results, tmp_path: Path
) -> None:
    from weft.export import export_results

    export_results(lanes, tmp_path)
    assert not (tmp_path / "pools.csv").exists()
    with (tmp_path / "lanes.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(LOADS) * lanes.fabric.channel_count * 4
    figures = lanes.lane_figures(TREES, 0.05)
    first = next(row for row in rows if row["channel"] == "40" and row["lane"] == "1")
    assert float(first["utilization"]) == pytest.approx(float(figures.utilization[40, 1]))
    export_results(pools, tmp_path)
    with (tmp_path / "hosts.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 2 * len(LOADS) * 32
    with (tmp_path / "pools.csv").open(encoding="utf-8") as file:
        intervals = [row for row in csv.DictReader(file) if row["routing"] == "ud_itb"]
    series = pools.pool_series("ud_itb", 0.05)
    assert intervals[32]["begin_ns"] == "50000.0"
    assert int(intervals[5]["max_bytes"]) == series.max_bytes[0, 5]


def test_a_measurement_with_lanes_travels_to_another_machine_and_back() -> None:
    from weft.study.executors.wire import read_figures, written_figures

    fabric = weft.irregular(8, seed=1)
    found = weft.simulate(
        fabric,
        weft.route(fabric, TREES),
        weft.hardware("infiniband_1x", lanes=2),
        weft.Traffic(payload_bytes=32, load=0.05),
        precision=0.3,
        max_packets=5_000,
    )
    again, _ = read_figures(written_figures(found, 1.0))
    assert isinstance(again, weft.Measurement)
    for name, values in found.arrays().items():
        np.testing.assert_array_equal(again.arrays()[name], values)
    assert json.dumps(again.to_dict()) == json.dumps(found.to_dict())
