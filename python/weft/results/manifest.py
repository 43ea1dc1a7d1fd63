"""The manifest of a study: everything one needs to know, or to run it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from weft.hardware import hardware_parameters
from weft.results.identity import shown_identity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

__all__ = ["build_manifest"]

_OF_SESSIONS = ("started_at", "ended_at", "outcome", "computed_points")
_UNITS_OF_RUN = {
    "precision": ("relative", "half width of the 95 % interval of the mean latency at the end"),
    "max_packets": ("packets", "a run ends after so many packets in any case"),
    "pool_interval_ns": ("ns", "interval in which in-transit pools are followed; none if not"),
}
_UNITS_OF_TRAFFIC = {
    "pattern": ("", "how destinations are drawn"),
    "pattern_text": ("", "what stood in the pattern's file"),
    "payload_bytes": ("bytes: share", "payload sizes with their shares"),
    "share_of": ("", "what the shares are shares of"),
    "arrivals": ("", "how packets follow one another at a host"),
    "seeds": ("", "seeds of the traffic; each load is simulated with each"),
}


def build_manifest(
    study: sqlite3.Row,
    sessions: Sequence[sqlite3.Row],
    routings: Sequence[sqlite3.Row],
    totals: sqlite3.Row,
) -> dict[str, Any]:
    """Gather the manifest from the rows of a results file, its sessions oldest first.

    Totals are ``points``, ``wall_s``, ``events``, ``packet_hops`` and ``flit_hops`` over all
    points. What comes back are plain values: ``study``, ``weft``, ``created_at``, ``fabric`` (name,
    fingerprint, counts), ``hardware``, ``traffic`` and ``run`` (each a list of name, value, unit,
    summary, and source for the hardware; the first two empty for a program), ``program`` (value by
    key; empty for traffic), ``routings`` (label, specification, parameters), ``seeds``,
    ``sessions`` (times, outcome, request, machine) and ``totals``.
    """
    identity = json.loads(study["identity_json"])
    traffic = identity.get("traffic", {})
    return {
        "study": study["name"],
        "weft": study["weft_version"],
        "created_at": study["created_at"],
        "fabric": identity["fabric"],
        "hardware": _hardware(identity["hardware"]),
        "traffic": _entries(traffic, _UNITS_OF_TRAFFIC),
        "run": _entries(identity.get("run", {}), _UNITS_OF_RUN),
        "program": identity.get("program", {}),
        "routings": [
            {
                "label": row["label"],
                "specification": row["specification"],
                "parameters": json.loads(row["parameters_json"]),
            }
            for row in routings
        ],
        "seeds": traffic.get("seeds", []),
        "sessions": [
            {
                **{name: row[name] for name in _OF_SESSIONS},
                "request": json.loads(row["request_json"]),
                "machine": json.loads(row["machine_json"]),
            }
            for row in sessions
        ],
        "totals": dict(totals),
    }


def _hardware(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    parameters = hardware_parameters(str(values["preset"]))
    known = {entry.name: (entry.unit, entry.summary, entry.source) for entry in parameters}
    entries = []
    for name, value in values.items():
        unit, summary, source = known.get(name, ("", "where the parameters started from", ""))
        told = {"unit": unit, "summary": summary, "source": source}
        entries.append({"name": name, "value": value, **told})
    return entries


def _entries(
    values: Mapping[str, Any], units: Mapping[str, tuple[str, str]]
) -> list[dict[str, Any]]:
    return [
        {"name": name, "value": shown_identity(value), "unit": unit, "summary": summary}
        for name, value in values.items()
        for unit, summary in [units[name]]
    ]
