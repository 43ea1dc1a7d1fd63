"""What is asked of the results of an experiment: rows of figures with their intervals.

Each function here makes a question: a function from cases with their results to rows. Cases that
differ in the seed of their topology alone are one row, the mean over topologies with its Student
interval.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weft._numbers import in_percent
from weft.reproduce.spread import extremes, mean_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from weft.reproduce.definition import Row
    from weft.results import Point, PoolSeries, Results, RoutingResult
    from weft.study import Case

    Read = Callable[[Results, RoutingResult], float]
    Found = Sequence[tuple[Case, Results]]
    Question = Callable[[Found], list[Row]]

__all__ = [
    "accepted",
    "all_of",
    "at_knee",
    "condition",
    "condition_in_words",
    "factors",
    "per_routing",
    "throughput",
    "where",
]

#: Share of the load of the throughput below which all NICs keep up.
_CLEAR_OF_THROUGHPUT = 0.95

#: What a packet has beside its payload in a pool, at least: its type, a byte of route, the CRC.
_BESIDE_PAYLOAD_BYTES = 4

_WORDS: dict[str, str] = {
    "fabrics.switches": "{} switches",
    "fabrics.extents": "{}",
    "fabrics.topology": "{}",
    "traffic.payload_bytes": "{} bytes",
    "traffic.pattern": "{}",
    "hardware.arbitration": "{}",
}


def condition(case: Case, keys: Sequence[str]) -> str:
    """Say under what a case was measured, by keys of the study, such as ``fabrics.switches``."""
    parts = []
    for key in keys:
        value = case.settings.get(key)
        if value is not None:
            shown = "x".join(map(str, value)) if isinstance(value, list) else _in_words(value)
            parts.append(_WORDS.get(key, key.partition(".")[2] + " {}").format(shown))
    return ", ".join(parts)


def _in_words(value: object) -> object:
    """Say a pattern as the papers do; readings of one are not told apart."""
    name, _, rest = str(value).partition(":")
    given = dict(part.partition("=")[::2] for part in rest.split(","))
    if name == "local" and "radius" in given:
        return f"local, l = {given['radius']}"
    if name == "hotspot" and "share" in given:
        count = given.get("count", "1")
        hotspots = "hotspot" if count == "1" else f"{count} hotspots"
        return f"{hotspots} of {given['share']} %"
    return value


def where(key: str, values: Sequence[object], ask: Question) -> Question:
    """Make the question that asks of the cases alone that have one of these values of a key."""

    def question(found: Found) -> list[Row]:
        return ask([each for each in found if each[0].settings.get(key) in values])

    return question


def condition_in_words(case: Case, keys: Sequence[str] = tuple(_WORDS), without: str = "") -> str:
    """Say under what a case was measured, as captions do: `condition` without underscores.

    Keys are by default all that have words of their own; the key `without` is not told.
    """
    return condition(case, [key for key in keys if key != without]).replace("_", " ")


def grouped(found: Found, keys: Sequence[str]) -> dict[str, list[tuple[Case, Results]]]:
    """Gather cases by condition, in their order."""
    groups: dict[str, list[tuple[Case, Results]]] = {}
    for case, results in found:
        groups.setdefault(condition(case, keys), []).append((case, results))
    return groups


def throughput(results: Results, label: str) -> float:
    """Return the throughput of a routing in bytes/ns/switch, NaN where there is none."""
    return _of_routing(results, label, _throughput)


def at_knee(results: Results, label: str) -> float:
    """Return what a routing accepts at its knee in bytes/ns/switch, NaN where there is none."""
    return _of_routing(results, label, _knee)


def _of_routing(results: Results, label: str, read: Read) -> float:
    found = (routing for routing in results.routings if routing.label == label)
    return next((read(results, routing) for routing in found), math.nan)


def factors(
    name: str,
    over: str,
    of: str,
    keys: Sequence[str],
    *,
    remark: str = "",
    read: Callable[[Results, str], float] = throughput,
) -> Question:
    """Ask by which factor the throughput of the routing `of` exceeds that of `over`.

    The answer has average, minimum and maximum over the topologies of each condition, told apart by
    `keys`, and the factor's name in words, such as ``ITB over UD``. Another traffic than the
    throughput is what `read` has of results and a routing's label.
    """

    def question(found: Found) -> list[Row]:
        rows = []
        for under, group in grouped(found, keys).items():
            values = once(
                (case, read(results, of) / read(results, over)) for case, results in group
            )
            rows += extremes(under, name, values, remark)
        return rows

    return question


def accepted(
    name: str,
    label: str,
    keys: Sequence[str],
    *,
    read: Callable[[Results, str], float] = throughput,
) -> Question:
    """Ask for the throughput of a routing: average, minimum and maximum over topologies.

    `read` is as in `factors`.
    """

    def question(found: Found) -> list[Row]:
        rows = []
        for under, group in grouped(found, keys).items():
            values = once((case, read(results, label)) for case, results in group)
            made = extremes(under, name, values)
            rows += [replace(row, quantity=f"{row.quantity}, bytes/ns/switch") for row in made]
        return rows

    return question


def once(values: Iterable[tuple[Case, float]]) -> list[float]:
    """Return the finite values of cases, one for each condition: studies may share a case."""
    found = {
        repr(sorted(case.settings.items())): value for case, value in values if math.isfinite(value)
    }
    return list(found.values())


def _unloaded_latency(_: Results, routing: RoutingResult) -> float:
    return routing.points[0].measurement.generation_latency_ns.mean


def _knee(_: Results, routing: RoutingResult) -> float:
    return routing.knee.accepted_bytes_per_ns_per_switch if routing.knee else math.nan


def _at_throughput(name: str) -> Read:
    def read(_: Results, routing: RoutingResult) -> float:
        load = routing.throughput.at_load if routing.throughput else math.nan
        points = [point.measurement for point in routing.points if point.load == load]
        values = [float(getattr(found, name)) for found in points]
        return math.fsum(values) / len(values) if values else math.nan

    return read


def _share_of_channels(read: Callable[[NDArray[np.float32]], float], field: str) -> Read:
    """Make a figure of the channels between switches at the throughput."""

    def figure(results: Results, routing: RoutingResult) -> float:
        if routing.throughput is None:
            return math.nan
        figures = results.channel_figures(routing.label, routing.throughput.at_load)
        between = np.asarray(results.fabric.is_switch_channel, dtype=bool)
        return read(getattr(figures, field)[between])

    return figure


def _share_at_lowest(read: Callable[[NDArray[np.float32]], float]) -> Read:
    """Make a figure of the utilization of the channels between switches at the lowest load."""

    def figure(results: Results, routing: RoutingResult) -> float:
        point = min(routing.points, key=lambda point: point.load)
        figures = results.channel_figures(routing.label, point.load, point.seed)
        between = np.asarray(results.fabric.is_switch_channel, dtype=bool)
        return 100 * read(figures.utilization[between])

    return figure


def _largest_pool(results: Results, routing: RoutingResult) -> float:
    return max(
        float(results.channel_figures(routing.label, point.load, point.seed).pool_max_bytes.max())
        for point in routing.points
    )


def _pools(read: Callable[[PoolSeries, float], float]) -> Read:
    """Make a figure of the in-transit pools in time, just below the throughput."""

    def figure(results: Results, routing: RoutingResult) -> float:
        point = just_below(routing)
        if point is None:
            return math.nan
        series = results.pool_series(routing.label, point.load, point.seed)
        if len(series.mean_bytes) < 2:
            return math.nan
        return read(series, results.spec.traffic.mean_payload_bytes + _BESIDE_PAYLOAD_BYTES)

    return figure


def _growth(series: PoolSeries) -> float:
    """Return what the pools hold in the second half of the window over the first half."""
    middle = len(series.mean_bytes) // 2
    first = float(series.mean_bytes[:middle].mean())
    return float(series.mean_bytes[middle:].mean()) / first if first else math.nan


def just_below(routing: RoutingResult) -> Point | None:
    """Return the point of the highest load clear of that of the throughput, if there is one.

    At the throughput itself the NIC that most packets stop at is full already, and what it holds
    grows with the length of the run.
    """
    if routing.throughput is None:
        return None
    most = _CLEAR_OF_THROUGHPUT * routing.throughput.at_load
    return max(
        (point for point in routing.points if point.load <= most),
        key=lambda point: point.load,
        default=None,
    )


def _throughput(_: Results, routing: RoutingResult) -> float:
    found = routing.throughput
    return found.accepted_bytes_per_ns_per_switch if found else math.nan


#: A channel that carries flits for less of the time than this is idle.
_IDLE_BELOW = 0.10

#: Figures of a routing by name: quantity with unit, of the factor of the knee, and how it is read.
_FIGURES: dict[str, tuple[str, Read]] = {
    "throughput": ("throughput, bytes/ns/switch", _throughput),
    "knee": (
        "knee, where latency is {knee:g} times that of the lowest load, bytes/ns/switch",
        _knee,
    ),
    "latency": ("latency at the lowest load, ns", _unloaded_latency),
    "stops": ("in-transit stops per packet", _at_throughput("mean_in_transit_stops")),
    "wait": ("longest wait for an output at the throughput, ns", _at_throughput("longest_wait_ns")),
    "pool": ("most bytes in transit held by a NIC, at any load", _largest_pool),
    "packets": (
        "packets in transit held by a NIC just below the throughput, mean",
        _pools(lambda series, bytes_each: float(series.mean_bytes.mean()) / bytes_each),
    ),
    "most_packets": (
        "most packets in transit held by a NIC just below the throughput",
        _pools(lambda series, bytes_each: float(series.max_bytes.max()) / bytes_each),
    ),
    "held_by_fullest": (
        "bytes in transit held just below the throughput by the NIC that holds most, mean",
        _pools(lambda series, _: float(series.mean_bytes.mean(axis=0).max())),
    ),
    "growth": (
        "bytes in transit just below the throughput, second half of the window over the first",
        _pools(lambda series, _: _growth(series)),
    ),
    "busiest": (
        "utilization of the busiest link at the throughput",
        _share_of_channels(lambda values: float(values.max()), "utilization"),
    ),
    "least_used": (
        "utilization of the least used link at the lowest load, %",
        _share_at_lowest(lambda values: float(values.min())),
    ),
    "most_used": (
        "utilization of the most used link at the lowest load, %",
        _share_at_lowest(lambda values: float(values.max())),
    ),
    "idle": (
        f"share of links used below {in_percent(_IDLE_BELOW, 0)} at the throughput",
        _share_of_channels(lambda values: float((values < _IDLE_BELOW).mean()), "utilization"),
    ),
    "blocked": (
        "mean share of the time that links are blocked at the throughput",
        _share_of_channels(lambda values: float(values.mean()), "blocked"),
    ),
}


def per_routing(
    keys: Sequence[str],
    figures: Sequence[str] = ("throughput", "knee", "latency"),
    names: Mapping[str, str] | None = None,
    *,
    remark: str = "",
    of: Sequence[str] = (),
) -> Question:
    """Ask for figures of every routing, each the mean over the topologies of a condition.

    Routings are those `of` names by label, all without any.

    Figures are ``throughput``, ``knee``, ``latency``, ``stops``, ``wait``, ``pool``,
    ``packets``, ``most_packets``, ``held_by_fullest``, ``growth``, ``busiest``, ``least_used``,
    ``most_used``, ``idle``, ``blocked``; `keys` tell conditions apart, `names` has the paper's name
    by label of a routing.
    """

    def question(found: Found) -> list[Row]:
        return [
            row
            for under, group in grouped(found, keys).items()
            for row in _routing_rows(under, _only(group, of), figures, names or {}, remark)
        ]

    return question


def _only(
    group: Found, labels: Sequence[str]
) -> list[tuple[Case, Results, Sequence[RoutingResult]]]:
    """Set beside each case its routings of these labels, all without any."""
    return [
        (case, results, [each for each in results.routings if not labels or each.label in labels])
        for case, results in group
    ]


def _routing_rows(
    under: str,
    group: Sequence[tuple[Case, Results, Sequence[RoutingResult]]],
    figures: Sequence[str],
    names: Mapping[str, str],
    remark: str,
) -> Iterator[Row]:
    labels = dict.fromkeys(
        routing.label for _, _, routings in group for routing in routings if routing.points
    )
    knee = group[0][1].reading.knee_factor
    for figure in figures:
        title, read = _FIGURES[figure]
        title = title.format(knee=knee)
        for label in labels:
            values = once(
                (case, read(results, routing))
                for case, results, routings in group
                for routing in routings
                if routing.label == label and routing.points
            )
            if values:
                yield mean_row(under, f"{names.get(label, label)}: {title}", values, remark)


def all_of(*questions: Question) -> Question:
    """Make the question that asks several."""

    def question(found: Found) -> list[Row]:
        return [row for ask in questions for row in ask(found)]

    return question
