"""Results as tables for other tools: CSV and Parquet, units in the names of the columns."""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._extras import needed
from weft._files import whole_file
from weft.errors import StudyError
from weft.figure_table import ARRAYS, FIGURES
from weft.results import Results
from weft.results.fields import POINT_FIELDS, point_values

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from weft.results import Point, RoutingResult

__all__ = ["export_results"]

_FORMS = ("csv", "parquet")
_BATCH_ROWS = 65_536


@dataclass(frozen=True, slots=True)
class _Column:
    """A column: name with its unit, kind (``text``, ``real``, ``integer``, ``truth``), meaning."""

    name: str
    kind: str
    summary: str


@dataclass(frozen=True, slots=True)
class _Table:
    """A table: its columns, a function that yields its rows, whether it is written without any."""

    columns: tuple[_Column, ...]
    rows: Callable[[Results], Iterator[Sequence[Any]]]
    is_always_written: bool = True


def export_results(
    results: Results | Mapping[str, Results], folder: str | os.PathLike[str], form: str = "csv"
) -> dict[str, int]:
    """Write the tables ``routings``, ``points``, ``channels``, ``hosts`` and ``link_use`` of cases.

    Several come as `Results.open_all` opens them, by their names in the results file; their tables
    have the name as the first column, ``study``.

    Where hardware has several lanes there is a table ``lanes`` besides, and ``pools`` where the
    in-transit pools were followed in time. The folder is made when missing; each file, as CSV or
    Parquet, is written whole or not at all. Returned are rows by path, in the order they were
    written. Another format is a `StudyError`; where the machine does not let a file be written,
    that is an `EnvironmentFailure`.
    """
    if form not in _FORMS:
        message = f"format {form}: expected one of {', '.join(_FORMS)}"
        raise StudyError(message)
    write = _write_csv if form == "csv" else _write_parquet
    written = {}
    for name, one in _TABLES.items():
        table = one if isinstance(results, Results) else _named(one)
        rows = one.rows(results) if isinstance(results, Results) else _rows_of_all(one, results)
        first = next(rows, None)
        if first is None and not table.is_always_written:
            continue
        path = Path(folder) / f"{name}.{form}"
        with whole_file(path) as partial:
            found = rows if first is None else chain([first], rows)
            written[str(path)] = write(partial, table, found)
    return written


def _named(table: _Table) -> _Table:
    """Return a table with the name of the case as its first column."""
    return replace(table, columns=(_STUDY, *table.columns))


def _rows_of_all(table: _Table, cases: Mapping[str, Results]) -> Iterator[Sequence[Any]]:
    for name, results in cases.items():
        for row in table.rows(results):
            yield [name, *row]


def _write_csv(path: Path, table: _Table, rows: Iterator[Sequence[Any]]) -> int:
    count = 0
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([column.name for column in table.columns])
        for row in rows:
            writer.writerow(row)
            count += 1
    return count


def _write_parquet(path: Path, table: _Table, rows: Iterator[Sequence[Any]]) -> int:
    pa = needed("pyarrow")
    parquet = needed("pyarrow.parquet")
    kinds = {"text": pa.string(), "real": pa.float64(), "integer": pa.int64(), "truth": pa.bool_()}
    schema = pa.schema(
        pa.field(column.name, kinds[column.kind], metadata={"description": column.summary})
        for column in table.columns
    )
    count = 0
    with parquet.ParquetWriter(path, schema) as writer:
        while batch := list(islice(rows, _BATCH_ROWS)):
            columns = [
                pa.array(values, type=field.type)
                for values, field in zip(zip(*batch, strict=True), schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
            count += len(batch)
    return count


_STUDY = _Column("study", "text", "name of the case in the results file")

_POINT_KEY = (
    _Column("routing", "text", "label of the routing"),
    _Column("load", "real", "payload each host offers, as a fraction of the host link rate"),
    _Column("seed", "integer", "seed of the traffic"),
)

_POINT_COLUMNS = (
    *_POINT_KEY,
    *(
        _Column(
            field.column,
            field.kind,
            f"{field.summary} ({field.unit})" if field.unit else field.summary,
        )
        for field in POINT_FIELDS
    ),
)


def _of_each(axes: tuple[str, ...], *prefixes: str) -> dict[str, _Column]:
    """Return columns of the figures with these axes, by the figures' names.

    A figure is named without the prefix, which says what has it; those with the first stand first.
    """

    def rank(name: str) -> int:
        return next((n for n, prefix in enumerate(prefixes) if name.startswith(prefix)), 99)

    names = [figure.name for figure in FIGURES if figure.axes == axes]
    kinds = {"reals": "real", "integers": "integer"}
    return {
        name: _Column(
            next((name.removeprefix(p) for p in prefixes if name.startswith(p)), name),
            kinds[ARRAYS[name].kind],
            ARRAYS[name].summary,
        )
        for name in sorted(names, key=rank)
    }


_OF_CHANNELS = _of_each(("channel_count",), "channel_")
_OF_LANES = _of_each(("channel_count", "lanes"), "lane_")
_OF_HOSTS = _of_each(("host_count",), "host_")
_OF_INTERVALS = _of_each(("intervals", "host_count"), "pool_series_")

_CHANNEL_COLUMNS = (
    *_POINT_KEY,
    _Column("channel", "integer", "number of the channel"),
    _Column("channel_name", "text", "switch[port] → switch[port]"),
    _Column("is_between_switches", "truth", "whether both ends are switches"),
    _Column("routes", "integer", "routes of host pairs over the channel"),
    *_OF_CHANNELS.values(),
)

_LANE_COLUMNS = (
    *_POINT_KEY,
    _Column("channel", "integer", "number of the channel"),
    _Column("lane", "integer", "number of the lane"),
    *_OF_LANES.values(),
)

_HOST = _Column("host", "text", "name of the host")
_HOST_COLUMNS = (*_POINT_KEY, _HOST, *_OF_HOSTS.values())

_POOL_COLUMNS = (
    *_POINT_KEY,
    _HOST,
    _Column("begin_ns", "real", "begin of the interval, from that of the window"),
    _Column("end_ns", "real", "end of the interval"),
    *_OF_INTERVALS.values(),
)

_LINK_USE_COLUMNS = (
    _Column("routing", "text", "label of the routing"),
    _Column("bytes_per_ns_per_switch", "real", "accepted traffic, the same for all routings"),
    _Column("load", "real", "the same traffic as a fraction of the host link rate"),
    _Column("utilization_mean", "real", "mean over channels between switches, 0 to 1"),
    _Column("utilization_least", "real", "of the least used of them"),
    _Column("utilization_most", "real", "of the most used of them"),
    _Column("share_below_10_percent", "real", "share of them used for less of the time, 0 to 1"),
    _Column("share_above_30_percent", "real", "share of them used for more of the time, 0 to 1"),
    _Column("share_above_50_percent", "real", "share of them used for more of the time, 0 to 1"),
    _Column("blocked_mean", "real", "mean share of time that they are blocked, 0 to 1"),
    _Column("blocked_most", "real", "of the one that is blocked most"),
    _Column("note", "text", "why there are no figures"),
)

_ROUTING_COLUMNS = (
    _Column("routing", "text", "label of the routing"),
    _Column("algorithm", "text", "name of the algorithm"),
    _Column("title", "text", "the algorithm in words"),
    _Column("parameters", "text", "every parameter with the value used"),
    _Column("state", "text", "simulated, refused (not deadlock-free), not routed, not simulated"),
    _Column("deadlock_free", "truth", "what the proof said"),
    _Column("proof", "text", "the proof's verdict in full"),
    _Column("throughput_bytes_per_ns_per_switch", "real", "largest accepted traffic"),
    _Column("throughput_half_width_bytes_per_ns_per_switch", "real", "of its 95 % interval"),
    _Column("throughput_load", "real", "the same as a fraction of the host link rate"),
    _Column("throughput_at_load", "real", "offered load at which it was reached"),
    _Column("throughput_rule", "text", "how it was found"),
    _Column("knee_factor", "real", "the knee: where latency is so many times the unloaded one"),
    _Column("knee_bytes_per_ns_per_switch", "real", "accepted traffic there"),
    _Column("knee_half_width_bytes_per_ns_per_switch", "real", "of its 95 % interval"),
    _Column("knee_load", "real", "the same traffic as a fraction of the host link rate"),
    _Column(
        "unloaded_latency_ns",
        "real",
        "mean latency at the lowest load, unless that saturates",
    ),
    _Column("max_routes_per_channel", "integer", "routes over the most loaded channel"),
    _Column("mean_routes_per_channel", "real", "mean over channels between switches"),
    _Column("mean_distance_links", "real", "mean links of a route, distinct switches"),
    _Column("max_hops_links", "integer", "most links of a route"),
    _Column("minimal_share", "real", "share of routes as short as the fabric allows, 0 to 1"),
    _Column("mean_in_transit_stops", "real", "in-transit stops per route"),
    _Column(
        "saturation_bound_load", "real", "uniform load no channel's routes forbid, links alike"
    ),
    _Column("same_routes_as", "text", "the routing that came out as the same routes"),
)


def _point_rows(results: Results) -> Iterator[Sequence[Any]]:
    for _, point, key in _simulated(results):
        yield [*key, *point_values(point.measurement)]


def _channel_rows(results: Results) -> Iterator[Sequence[Any]]:
    fabric = results.fabric
    channels = range(fabric.channel_count)
    names = [fabric.describe_channel(channel) for channel in channels]
    between = fabric.is_switch_channel.tolist()
    for routing, point, key in _simulated(results):
        if routing.load is not None:
            routes = routing.load.routes_per_channel.tolist()
            figures = [found.tolist() for found in _arrays(results, routing, point, _OF_CHANNELS)]
            for row in zip(channels, names, between, routes, *figures, strict=True):
                yield [*key, *row]


def _lane_rows(results: Results) -> Iterator[Sequence[Any]]:
    for routing, point, key in _simulated(results):
        arrays = _arrays(results, routing, point, _OF_LANES)
        lanes = arrays[0].shape[1]
        flat = [chain.from_iterable(found.tolist()) for found in arrays]
        for number, row in enumerate(zip(*flat, strict=True)):
            yield [*key, *divmod(number, lanes), *row]


def _host_rows(results: Results) -> Iterator[Sequence[Any]]:
    names = results.fabric.host_names
    for routing, point, key in _simulated(results):
        figures = [found.tolist() for found in _arrays(results, routing, point, _OF_HOSTS)]
        for row in zip(names, *figures, strict=True):
            yield [*key, *row]


def _pool_rows(results: Results) -> Iterator[Sequence[Any]]:
    names = results.fabric.host_names
    for routing, point, key in _simulated(results):
        interval_ns = point.measurement.pool_interval_ns
        arrays = [found.tolist() for found in _arrays(results, routing, point, _OF_INTERVALS)]
        for number, figures in enumerate(zip(*arrays, strict=True)):
            times = (number * interval_ns, (number + 1) * interval_ns)
            for name, *row in zip(names, *figures, strict=True):
                yield [*key, name, *times, *row]


def _arrays(
    results: Results, routing: RoutingResult, point: Point, names: Iterable[str]
) -> list[NDArray[Any]]:
    return [results.array(routing.label, point.load, point.seed, name) for name in names]


def _simulated(results: Results) -> Iterator[tuple[RoutingResult, Point, tuple[Any, ...]]]:
    """Yield every point with its routing and its key."""
    for routing in results.routings:
        for point in routing.points:
            yield routing, point, (routing.label, point.load, point.seed)


def _routing_rows(results: Results) -> Iterator[Sequence[Any]]:
    ranked = {row.label: row for row in results.ranking()}
    for routing in results.routings:
        row, found, load = ranked[routing.label], routing.throughput, routing.load
        yield [
            routing.label,
            routing.algorithm,
            routing.title,
            ", ".join(f"{name}={value}" for name, value in routing.parameters.items()),
            row.state,
            routing.proof.deadlock_free,
            routing.proof.text,
            row.throughput_bytes_per_ns_per_switch,
            found.half_width if found else None,
            row.throughput_load,
            found.at_load if found else None,
            found.rule if found else None,
            results.reading.knee_factor,
            row.knee_bytes_per_ns_per_switch,
            row.knee_half_width,
            row.knee_load,
            row.unloaded_latency_ns,
            row.max_routes_per_channel,
            row.mean_routes_per_channel,
            load.mean_distance_links if load else None,
            load.max_hops_links if load else None,
            row.minimal_share,
            row.mean_in_transit_stops,
            load.saturation_bound if load else None,
            routing.same_routes_as,
        ]


def _link_use_rows(results: Results) -> Iterator[Sequence[Any]]:
    for use in results.link_use():
        yield [getattr(use, column.name) for column in _LINK_USE_COLUMNS]


_TABLES = {
    "routings": _Table(_ROUTING_COLUMNS, _routing_rows),
    "points": _Table(_POINT_COLUMNS, _point_rows),
    "channels": _Table(_CHANNEL_COLUMNS, _channel_rows),
    "lanes": _Table(_LANE_COLUMNS, _lane_rows, is_always_written=False),
    "hosts": _Table(_HOST_COLUMNS, _host_rows),
    "link_use": _Table(_LINK_USE_COLUMNS, _link_use_rows, is_always_written=False),
    "pools": _Table(_POOL_COLUMNS, _pool_rows, is_always_written=False),
}
