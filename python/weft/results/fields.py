"""Every figure of a simulated point, once: column, type, unit, meaning.

The schema of the results file, the columns of exports and their descriptions are made from this
list. Whoever changes it changes the format of the file: see `weft.results.schema`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.simulate import Measurement

__all__ = ["POINT_FIELDS", "PointField", "point_values", "read_point"]

_LATENCIES = {
    "generation_latency": "from generation, source queue included, to the delivery of the tail",
    "network_latency": "from the injection of the head to the delivery of the tail",
}
_LATENCY_FIGURES = {
    "mean": "mean latency",
    "mean_half_width": "half width of the 95 % confidence interval of the mean latency",
    "p50": "median of the latency",
    "p95": "95th percentile of the latency",
    "p99": "99th percentile of the latency",
    "max": "largest latency",
}


@dataclass(frozen=True, slots=True)
class PointField:
    """One figure of a simulated point.

    Attributes
    ----------
    column : str
        Name of the column, the unit last.
    kind : str
        ``real``, ``integer`` or ``text``, as in SQLite.
    unit : str
        Unit; empty for text.
    summary : str
        What it is, in one sentence.
    path : tuple of str
        Where it stands in a measurement.
    """

    column: str
    kind: str
    unit: str
    summary: str
    path: tuple[str, ...]


def _plain(column: str, kind: str, unit: str, summary: str) -> PointField:
    return PointField(column, kind, unit, summary, (column,))


def _latency_fields() -> list[PointField]:
    fields = []
    for name, meaning in _LATENCIES.items():
        member = f"{name}_ns"
        for figure, what in _LATENCY_FIGURES.items():
            summary = f"{what}, {meaning}"
            fields.append(
                PointField(f"{name}_{figure}_ns", "real", "ns", summary, (member, figure))
            )
        summary = f"packets whose latency was measured, {meaning}"
        fields.append(
            PointField(f"{name}_packets", "integer", "packets", summary, (member, "count"))
        )
    return fields


_LOAD = "fraction of host link rate"
_TRAFFIC = "bytes/ns/switch"

POINT_FIELDS: tuple[PointField, ...] = (
    _plain("reason", "text", "", "why the run ended: steady, saturated, deadlocked or budget"),
    _plain("reason_text", "text", "", "the reason as a sentence with its numbers"),
    _plain("waiting_cycle", "text", "", "JSON list of packets that wait in a circle"),
    _plain("offered_load", "real", _LOAD, "payload offered per sending host"),
    _plain("accepted_load", "real", _LOAD, "payload delivered per sending host"),
    _plain(
        "accepted_load_half_width",
        "real",
        _LOAD,
        "half width of the 95 % confidence interval of the accepted load",
    ),
    _plain("offered_bytes_per_ns_per_switch", "real", _TRAFFIC, "payload offered per switch"),
    _plain("accepted_bytes_per_ns_per_switch", "real", _TRAFFIC, "payload delivered per switch"),
    *_latency_fields(),
    _plain(
        "longest_wait_ns",
        "real",
        "ns",
        "longest wait of a packet for the output of a switch, from its request to the grant",
    ),
    _plain("mean_switches", "real", "switches", "switches traversed per packet"),
    _plain("mean_in_transit_stops", "real", "stops", "in-transit stops per packet"),
    _plain("warm_up_ns", "real", "ns", "discarded start of the run"),
    _plain("window_ns", "real", "ns", "measured span of the run"),
    _plain("delivered_packets", "integer", "packets", "packets delivered in the window"),
    _plain(
        "pool_interval_ns",
        "real",
        "ns",
        "interval in which in-transit pools were followed; 0 where they were not",
    ),
    _plain(
        "pool_overflows",
        "integer",
        "packets",
        "in-transit packets that found the pool of their NIC too full",
    ),
    _plain(
        "dropped_packets",
        "integer",
        "packets",
        "packets lost, and sent again, because an in-transit host had no room",
    ),
    _plain(
        "damaged_packets",
        "integer",
        "packets",
        "packets lost, and sent again, because a link damaged them",
    ),
    _plain(
        "timed_out_packets",
        "integer",
        "packets",
        "packets lost, and sent again, because they waited too long for an output of a switch",
    ),
    _plain("events", "integer", "events", "events the engine processed"),
    _plain("packet_hops", "integer", "packets × switches", "switches traversed by all packets"),
    _plain("flit_hops", "integer", "flits × channels", "flits moved over channels"),
    _plain("simulated_cycles", "integer", "cycles", "cycles simulated, warm-up included"),
)

_JSON_COLUMNS = frozenset({"waiting_cycle"})
_KINDS: dict[str, type] = {"real": float, "integer": int, "text": str}


def point_values(measurement: Measurement) -> list[Any]:
    """Return the figures of a measurement in the order of `POINT_FIELDS`.

    Parameters
    ----------
    measurement : Measurement
        What a simulation measured.

    Returns
    -------
    list
        Values SQLite can hold.
    """
    members = measurement.to_dict()
    values: list[Any] = []
    for field in POINT_FIELDS:
        value: Any = members
        for member in field.path:
            value = value[member]
        if field.column in _JSON_COLUMNS:
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        values.append(_KINDS[field.kind](value))
    return values


def read_point(row: Mapping[str, Any]) -> Measurement:
    """Restore a measurement, without its arrays and its histogram, from a row of the file.

    A figure that is not a number (a percentile of no packet) is held as NULL by SQLite.

    Parameters
    ----------
    row : mapping
        Value by column.

    Returns
    -------
    Measurement
    """
    from weft.simulate import Measurement

    members: dict[str, Any] = {"generation_histogram": {"lower_edges_ns": [], "counts": []}}
    for field in POINT_FIELDS:
        value = row[field.column]
        if field.column in _JSON_COLUMNS:
            value = json.loads(value)
        elif field.kind == "real" and value is None:
            value = float("nan")
        if len(field.path) == 1:
            members[field.path[0]] = value
        else:
            members.setdefault(field.path[0], {})[field.path[1]] = value
    return Measurement.from_dict(members)
