"""What the sections of the page say, as texts and rows of texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._numbers import MISSING, count, percent, quantity, with_half_width
from weft.plots import loads as study_loads
from weft.plots import rows as study_rows
from weft.plots.tables import hottest_channels, ranking_table
from weft.results.lanes import lane_rows

if TYPE_CHECKING:
    from weft.fabric import FabricFigures
    from weft.proof import CycleStep
    from weft.results import Results, RoutingResult
    from weft.results.types import Knee, Throughput

MOST_HOT_CHANNELS = 60
"""Most rows in the table of the hottest channels."""


def ranking(results: Results, load: float | None) -> list[dict[str, Any]]:
    """Return the rows of the ranking as texts, with the hottest channel near a load.

    In each, ``share`` is a number, 0…1, for the bar.
    """
    stuck = {found["routing"]: found["load"] for found in deadlocks(results)}
    return [_ranking_row(row, stuck.get(row["routing"])) for row in ranking_table(results, load)]


def _ranking_row(row: dict[str, Any], stuck_at: str | None) -> dict[str, Any]:
    """Write one row; `stuck_at` is the load at which a proved routing deadlocked all the same."""
    throughput = with_half_width(
        row["throughput_bytes_per_ns_per_switch"], row["throughput_half_width"]
    )
    if row["throughput_is_limit"] and throughput != MISSING:
        throughput = f"≥ {throughput}"
    hottest = row["hottest_channel"] or MISSING
    if row["hottest_utilization"] is not None:
        heat = percent(row["hottest_utilization"]) + " busy"
    else:
        heat = "by routes" if row["hottest_channel"] else ""
    return {
        "rank": MISSING if row["rank"] is None else str(row["rank"]),
        "routing": row["routing"],
        "title": row["title"],
        "same_routes_as": row["same_routes_as"],
        "verdict": f"deadlocked at {stuck_at}"
        if stuck_at
        else verdict_text(row["verdict"], is_free=row["deadlock_free"]),
        "is_free": row["deadlock_free"] and not stuck_at,
        "throughput": throughput,
        "throughput_load": percent(row["throughput_load"]),
        "knee": with_half_width(row["knee_bytes_per_ns_per_switch"], row["knee_half_width"]),
        "relative": percent(row["relative_to_best"]),
        "share": row["relative_to_best"],
        "latency": quantity(row["unloaded_latency_ns"]),
        "latency_load": percent(row["unloaded_load"]),
        "hottest": hottest,
        "heat": heat,
        "routes": f"{count(row['max_routes_per_channel'])} / "
        f"{quantity(row['mean_routes_per_channel'], 3)}",
        "stops": quantity(row["mean_in_transit_stops"], 3),
        "minimal": percent(row["minimal_share"]),
    }


def verdict_text(verdict: str, *, is_free: bool) -> str:
    """Write the verdict of a proof for the ranking."""
    if is_free:
        return "proved free"
    return {
        "deadlock": "can deadlock",
        "unreachable": "does not reach all",
        "loop": "routes loop",
    }.get(verdict, verdict)


@dataclass(frozen=True)
class ProofSection:
    """What the page says about one proof."""

    routing: str
    title: str  # the algorithm in words
    is_free: bool
    text: str  # the verdict in a sentence
    steps: list[CycleStep]
    parameters: str


def proofs(results: Results) -> list[ProofSection]:
    """Return what the page says about each proof, refused routings first."""
    found = [_proof(routing) for routing in results.routings]
    return sorted(found, key=lambda proof: proof.is_free)


def _proof(routing: RoutingResult) -> ProofSection:
    proof = routing.proof
    if routing.failure is not None:
        text = routing.failure
    elif proof.cycle:
        text = (
            f"Refused: a cycle of {len(proof.cycle)} channel dependencies. Packets on these routes "
            "can wait for one another for ever. It is the shortest cycle there is."
        )
    else:
        text = proof.text
    parameters = ", ".join(f"{name} = {value}" for name, value in routing.parameters.items())
    return ProofSection(
        routing.label, routing.title, proof.deadlock_free, text, proof.cycle, parameters or MISSING
    )


def deadlocks(results: Results) -> list[dict[str, Any]]:
    """Return, per routing that deadlocked, its lowest such load and the packets that wait there."""
    found = []
    for routing in results.routings:
        stuck = [point for point in routing.points if point.measurement.reason == "deadlocked"]
        if stuck:
            first = stuck[0]
            others = sorted({point.load for point in stuck} - {first.load})
            found.append(
                {
                    "routing": routing.label,
                    "load": study_loads.load_text(first.load),
                    "seed": first.seed,
                    "others": ", ".join(study_loads.load_text(load) for load in others),
                    "reason": first.measurement.reason_text,
                    "packets": first.measurement.waiting_cycle,
                }
            )
    return found


def points(results: Results) -> list[dict[str, str]]:
    """Return the rows of the table behind the curves."""
    return [
        {
            "routing": row["routing"],
            "load": percent(row["load"], 4),
            "offered": quantity(row["offered"]),
            "accepted": with_half_width(row["accepted"], row["accepted_half_width"]),
            "latency": with_half_width(row["latency"], row["latency_half_width"]),
            "p99": quantity(row["latency_p99"]),
            "longest": quantity(row["latency_max"]),
            "network": quantity(row["network_latency"]),
            "longest_wait": quantity(row["longest_wait"]),
            "packets": count(row["packets"]),
            "state": row["state"],
            "reason": row["reason"],
        }
        for row in study_rows.point_rows(results)
    ]


def hot_channels(results: Results, load: float | None) -> list[dict[str, Any]]:
    """Return, per simulated routing, the rows of its hottest channels near a load."""
    routings = len(study_rows.simulated(results))
    each = max(2, min(5, MOST_HOT_CHANNELS // max(routings, 1)))
    found = []
    for routing, at in study_loads.shown_at(results, load):
        rows = [
            {
                "name": hot.name,
                "utilization": percent(hot.utilization),
                "share": min(hot.utilization, 1.0),
                "blocked": percent(hot.blocked),
                "routes": count(hot.routes),
            }
            for hot in hottest_channels(results, routing, at.load, each)
        ]
        if rows:
            text = study_loads.load_text(at.load)
            found.append({"routing": routing.label, "load": text, "rows": rows})
    return found


def hosts_served(results: Results, load: float | None) -> list[dict[str, str]]:
    """Return, per simulated routing, how alike its hosts are served near a load."""
    rows = []
    for routing, at in study_loads.shown_at(results, load):
        found = results.fairness(routing.label, at.load)
        rows.append(
            {
                "routing": routing.label,
                "load": study_loads.load_text(at.load),
                "jain": quantity(found.jain),
                "least": percent(found.least),
                "most": percent(found.most),
                "ratio": quantity(found.least_over_most, 3),
                "hosts": count(found.hosts),
            }
        )
    return rows


def lanes_used(results: Results, load: float | None) -> list[dict[str, Any]]:
    """Return, per simulated routing, how its lanes were used near a load; none without lanes."""
    groups = []
    for routing, at in study_loads.shown_at(results, load):
        found = lane_rows(results.fabric, results.lane_figures(routing.label, at.load))
        rows = [
            {
                "lane": str(row.lane),
                "utilization": f"{percent(row.utilization_mean)} / {percent(row.utilization_most)}",
                "blocked": f"{percent(row.blocked_mean)} / {percent(row.blocked_most)}",
                "buffer": f"{quantity(row.buffer_mean_bytes)} / {count(row.buffer_most_bytes)}",
            }
            for row in found
        ]
        if rows:
            text = study_loads.load_text(at.load)
            groups.append({"routing": routing.label, "load": text, "rows": rows})
    return groups


def throughput_rules(results: Results) -> list[tuple[str, str]]:
    """Return, per simulated routing, how throughput and knee were found."""
    return [
        (routing.label, _sentences(routing.throughput, routing.knee))
        for routing in results.routings
        if routing.throughput is not None
    ]


def link_use(results: Results) -> dict[str, Any]:
    """Return how links are used at one traffic: ``traffic`` as a text, ``rows`` of texts."""
    found = results.link_use()
    if not found:
        return {"traffic": MISSING, "rows": []}
    traffic = f"{quantity(found[0].bytes_per_ns_per_switch)} bytes/ns/switch"
    rows = [
        {
            "routing": use.routing,
            "note": use.note,
            "mean": percent(use.utilization_mean),
            "least": percent(use.utilization_least),
            "most": percent(use.utilization_most),
            "below_10": percent(use.share_below_10_percent),
            "above_30": percent(use.share_above_30_percent),
            "above_50": percent(use.share_above_50_percent),
            "blocked": f"{percent(use.blocked_mean)} / {percent(use.blocked_most)}",
        }
        for use in found
    ]
    return {"traffic": f"{traffic}, {percent(found[0].load)} of the host link rate", "rows": rows}


def _sentences(throughput: Throughput, knee: Knee | None) -> str:
    """Say how throughput and knee were found."""
    return throughput.rule if knee is None else f"{throughput.rule}. Knee: {knee.rule}"


def fabric_rows(found: FabricFigures) -> list[tuple[str, str]]:
    """Return the figures of the fabric with their units."""
    hosts = str(found.hosts_per_switch_min)
    if found.hosts_per_switch_min != found.hosts_per_switch_max:
        mean = quantity(found.hosts_per_switch_mean, 3)
        hosts = f"{hosts} to {found.hosts_per_switch_max} (mean {mean})"
    diameter = found.diameter_links
    rates = ", ".join(f"{number:,} × {rate}" for rate, number in sorted(found.rates.items()))
    return [
        ("switches", count(found.switches)),
        ("hosts", count(found.hosts)),
        ("hosts per switch", hosts),
        ("links between switches", count(found.switch_links)),
        ("  of these parallel to another", count(found.parallel_links)),
        ("  of these back to the same switch", count(found.self_links)),
        ("links to hosts", count(found.host_links)),
        ("parts (connected switches)", count(found.components)),
        ("diameter", MISSING if diameter is None else f"{diameter} links"),
        ("mean distance of two switches", f"{quantity(found.mean_distance_links)} links"),
        ("mean path, both ends counted", f"{quantity(found.mean_path_switches)} switches"),
        ("ports of the largest switch", count(found.radix_max)),
        ("link rates", rates or "not given"),
    ]
