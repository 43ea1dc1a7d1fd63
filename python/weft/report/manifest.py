"""The manifest as the page shows it: everything one needs to run the study again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._numbers import count, quantity

if TYPE_CHECKING:
    from collections.abc import Mapping


def conditions(found: Mapping[str, Any]) -> str:
    """Say under which conditions the study was made, in a sentence."""
    traffic = {entry["name"]: entry["value"] for entry in found["traffic"]}
    hardware = {entry["name"]: entry["value"] for entry in found["hardware"]}
    sizes = traffic["payload_bytes"]
    total = sum(sizes.values()) or 1.0
    if len(sizes) == 1:
        payload = f"{next(iter(sizes))} bytes of payload"
    else:
        shares = [f"{quantity(100 * share / total, 3)} % {size}" for size, share in sizes.items()]
        payload = f"payloads of {', '.join(shares)} bytes by {traffic['share_of']}"
    arrivals = {"constant": "constant intervals", "poisson": "Poisson arrivals"}
    how = arrivals.get(traffic["arrivals"], f"arrivals {traffic['arrivals']}")
    pattern = traffic["pattern"]
    which = "Uniform traffic" if pattern == "uniform" else f"Traffic by the pattern {pattern}"
    return (
        f"{which}, {payload} a packet, {how}; hardware {hardware.get('preset', 'as listed below')}"
    )


def manifest_tables(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tables of the manifest, with ``caption``, ``columns`` and ``rows`` of texts."""
    return [
        _study(found),
        _parameters("Hardware", found["hardware"], with_source=True),
        _parameters("Traffic", found["traffic"]),
        _parameters("Run", found["run"]),
        {
            "caption": "Routings",
            "columns": ["routing", "as asked for", "parameters"],
            "rows": [
                [entry["label"], entry["specification"], _pairs(entry["parameters"])]
                for entry in found["routings"]
            ],
        },
        {
            "caption": "Sessions",
            "columns": ["started", "ended", "outcome", "points", "asked for", "machine"],
            "rows": [
                [
                    entry["started_at"],
                    entry["ended_at"] or "not ended",
                    entry["outcome"],
                    count(entry["computed_points"]),
                    _pairs(entry["request"]),
                    _pairs(entry["machine"]),
                ]
                for entry in found["sessions"]
            ],
        },
    ]


def _study(found: Mapping[str, Any]) -> dict[str, Any]:
    fabric, totals = found["fabric"], found["totals"]
    rows = [
        ["study", str(found["study"])],
        ["made with", f"Weft {found['weft']}"],
        ["begun", str(found["created_at"])],
        ["fabric", f"{fabric['name']}, fingerprint {fabric['fingerprint']}"],
        ["seeds of the traffic", ", ".join(str(seed) for seed in found["seeds"])],
        ["points", count(totals["points"])],
        ["time of all simulations", f"{quantity(totals['wall_s'], 3)} s"],
        ["events", count(totals["events"])],
        ["packet-hops", count(totals["packet_hops"])],
        ["flit-hops", count(totals["flit_hops"])],
    ]
    return {"caption": "Study", "columns": ["what", "value"], "rows": rows}


def _parameters(
    caption: str, entries: list[dict[str, Any]], *, with_source: bool = False
) -> dict[str, Any]:
    columns = ["parameter", "value", "unit", "meaning", *(["source"] if with_source else [])]
    rows = []
    for entry in entries:
        row = [entry["name"], _value(entry["value"]), entry["unit"], entry["summary"]]
        rows.append([*row, entry["source"]] if with_source else row)
    return {"caption": caption, "columns": columns, "rows": rows}


def _value(value: Any) -> str:  # noqa: ANN401 - whatever a parameter holds
    """Write a parameter's value."""
    if isinstance(value, dict):
        return _pairs(value)
    if isinstance(value, list):
        return ", ".join(_value(entry) for entry in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return quantity(value, 10) if isinstance(value, float) else str(value)


def _pairs(values: Mapping[str, Any]) -> str:
    """Write named values on one line."""
    return ", ".join(f"{name} = {_value(value)}" for name, value in values.items()) or "none"
