"""Tables for other tools: every column is the figure that it names, of the row it stands in."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pyarrow import parquet
from synthetic import SyntheticStages

from weft import export
from weft.export import export_results
from weft.figure_table import FIGURES
from weft.results.fields import POINT_FIELDS, point_values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from weft.results import Point, Results
    from weft.simulate import Measurement

Rows = list[dict[str, str]]

#: Names that columns of arrays have, by what comes before it in the names of figures.
AXES = {
    "channels": ("channel_count",),
    "lanes": ("channel_count", "lanes"),
    "hosts": ("host_count",),
    "pools": ("intervals", "host_count"),
}
PREFIXES = {"channels": "channel_", "lanes": "lane_", "hosts": "host_", "pools": "pool_series_"}


class StuckStages(SyntheticStages):
    """Packets of one routing wait for one another, whatever was proved."""

    def simulate(self, routed: Any, load: float, seed: int, *rest: Any) -> Measurement:  # noqa: ANN401
        found = super().simulate(routed, load, seed, *rest)
        if routed.routing.label != "plateau":
            return found
        return replace(found, reason="deadlocked", reason_text="4 packets wait")


@pytest.fixture
def results(compared: Callable[..., Results]) -> Iterator[Results]:
    with compared(
        *("early", "late", "plateau", "cyclic", "impossible"),
        loads=[0.01, 0.1, 0.2, 0.3],
        seeds=[3, 4],
        pool_interval_ns=250.0,
        stages=StuckStages(),
    ) as results:
        yield results


@pytest.fixture
def tables(results: Results, tmp_path: Path) -> dict[str, Rows]:
    """Return the rows of all tables as CSV, as texts."""
    written = export_results(results, tmp_path / "tables")
    found = {}
    for path, count in written.items():
        with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123 - a text
            rows = list(csv.DictReader(file))
        assert len(rows) == count
        found[path.rpartition("/")[2].removesuffix(".csv")] = rows
    return found


def assert_is(text: str, expected: object, column: str) -> None:
    if expected is None:
        assert text == "", column
    elif isinstance(expected, float):
        assert float(text) == pytest.approx(expected, rel=1e-6, nan_ok=True), column
    else:
        assert text == str(expected), column


def test_a_routing_has_its_own_figures_in_every_column(
    results: Results, tables: dict[str, Rows]
) -> None:
    ranked = {row.label: row for row in results.ranking()}
    assert ranked["early"].knee_half_width is not None
    assert [row["routing"] for row in tables["routings"]] == [r.label for r in results.routings]
    for row, routing in zip(tables["routings"], results.routings, strict=True):
        rank, found, load = ranked[routing.label], routing.throughput, routing.load
        expected: dict[str, object] = {
            "routing": routing.label,
            "algorithm": routing.algorithm,
            "title": routing.title,
            "parameters": ", ".join(f"{k}={v}" for k, v in routing.parameters.items()),
            "state": rank.state,
            "deadlock_free": routing.proof.deadlock_free,
            "proof": routing.proof.text,
            "throughput_bytes_per_ns_per_switch": rank.throughput_bytes_per_ns_per_switch,
            "throughput_half_width_bytes_per_ns_per_switch": found and found.half_width,
            "throughput_load": rank.throughput_load,
            "throughput_at_load": found and found.at_load,
            "throughput_rule": found and found.rule,
            "knee_factor": results.reading.knee_factor,
            "knee_bytes_per_ns_per_switch": rank.knee_bytes_per_ns_per_switch,
            "knee_half_width_bytes_per_ns_per_switch": rank.knee_half_width,
            "knee_load": rank.knee_load,
            "unloaded_latency_ns": rank.unloaded_latency_ns,
            "max_routes_per_channel": load and load.max_routes_per_channel,
            "mean_routes_per_channel": load and load.mean_routes_per_channel,
            "mean_distance_links": load and load.mean_distance_links,
            "max_hops_links": load and load.max_hops_links,
            "minimal_share": load and load.minimal_share,
            "mean_in_transit_stops": load and load.mean_in_transit_stops,
            "saturation_bound_load": load and load.saturation_bound,
            "same_routes_as": routing.same_routes_as,
        }
        assert list(row) == list(expected)
        for column, value in expected.items():
            assert_is(row[column], value, f"{column} of {routing.label}")
    # Proved, and stuck all the same: it has no figures to count on.
    stuck = next(row for row in tables["routings"] if row["routing"] == "plateau")
    assert (stuck["state"], stuck["deadlock_free"], stuck["knee_load"]) == (
        "deadlocked",
        "True",
        "",
    )


def points_of(results: Results) -> list[tuple[str, Point]]:
    return [(routing.label, point) for routing in results.routings for point in routing.points]


def test_a_point_has_its_own_figures_in_every_column(
    results: Results, tables: dict[str, Rows]
) -> None:
    points = points_of(results)
    assert len(points) == len(tables["points"]) == 3 * 4 * 2
    for row, (label, point) in zip(tables["points"], points, strict=True):
        key = (row.pop("routing"), float(row.pop("load")), int(row.pop("seed")))
        assert key == (label, point.load, point.seed)
        assert list(row) == [field.column for field in POINT_FIELDS]
        for field, value in zip(POINT_FIELDS, point_values(point.measurement), strict=True):
            assert_is(row[field.column], value, field.column)


@pytest.mark.parametrize("table", AXES)
def test_channels_lanes_hosts_and_intervals_have_their_own_figures(
    results: Results, tables: dict[str, Rows], table: str
) -> None:
    fabric, rows = results.fabric, iter(tables[table])
    names = [figure.name for figure in FIGURES if figure.axes == AXES[table]]
    assert names
    for label, point in points_of(results):
        arrays = {name: results.array(label, point.load, point.seed, name) for name in names}
        for place in np.ndindex(arrays[names[0]].shape):
            row = next(rows)
            assert (row["routing"], row["load"]) == (label, str(point.load))
            assert row["seed"] == str(point.seed)
            if table in ("channels", "lanes"):
                assert row["channel"] == str(place[0])
            if table == "lanes":
                assert row["lane"] == str(place[1])
            if table in ("hosts", "pools"):
                assert row["host"] == fabric.host_names[place[-1]]
            if table == "pools":
                times = (float(row["begin_ns"]), float(row["end_ns"]))
                assert times == (250.0 * place[0], 250.0 * (place[0] + 1))
            for name, values in arrays.items():
                column = name.removeprefix(PREFIXES[table])
                assert_is(row[column], values[place].item(), f"{name} at {place}")
    assert next(rows, None) is None


def test_links_at_the_same_traffic_have_their_own_figures(
    results: Results, tables: dict[str, Rows]
) -> None:
    found = results.link_use()
    assert any(use.note == "" for use in found)
    for row, use in zip(tables["link_use"], found, strict=True):
        for column, text in row.items():
            assert_is(text, getattr(use, column), column)


def test_a_channel_is_told_with_its_name_its_ends_and_its_routes(
    results: Results, tables: dict[str, Rows]
) -> None:
    fabric, count = results.fabric, results.fabric.channel_count
    load = results.routing("late").load
    assert load is not None
    for row in tables["channels"][: 2 * count]:
        channel = int(row["channel"])
        assert row["channel_name"] == fabric.describe_channel(channel)
        assert row["is_between_switches"] == str(bool(fabric.is_switch_channel[channel]))
        assert row["routes"] == str(load.routes_per_channel[channel])


def test_parquet_has_the_rows_of_csv_in_several_parts(
    results: Results,
    tables: dict[str, Rows],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(export, "_BATCH_ROWS", 100)
    written = export_results(results, tmp_path / "columns", "parquet")
    for path, count in written.items():
        name = path.rpartition("/")[2].removesuffix(".parquet")
        found = parquet.read_table(path)
        assert found.num_rows == count == len(tables[name])
        assert found.column_names == list(tables[name][0])
        last, texts = found.slice(count - 1).to_pylist()[0], tables[name][-1]
        for column, value in last.items():
            assert_is(texts[column], value, f"{column} of {name}")


def test_rows_of_several_studies_are_told_apart(results: Results, tmp_path: Path) -> None:
    written = export_results({"a": results, "b": results}, tmp_path / "both")
    path = next(path for path in written if path.endswith("points.csv"))
    with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123 - a text
        studies = [row["study"] for row in csv.DictReader(file)]
    assert studies == ["a"] * 24 + ["b"] * 24
