"""The ranking and its recommendation on results written by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from synthetic import measurement

import weft
from weft.channel_loads import LoadFigures
from weft.results import Point, ProofSummary, RoutingResult
from weft.results.ranking import best_of, rank, recommend
from weft.results.throughput import throughput
from weft.results.types import Knee

FABRIC = weft.irregular(8, seed=1)


def routing(label: str, accepted: dict[float, float], stops: float = 0.0) -> RoutingResult:
    """Return a simulated routing with accepted loads by offered load."""
    points = [Point(load, 1, measurement(FABRIC, load, value)) for load, value in accepted.items()]
    load = LoadFigures(np.zeros(1, dtype=np.uint64), 9, 4.5, 2.0, 1.5, 3, 0.8, stops, 1, 0.3)
    proof = ProofSummary(True, "deadlock-free", "proved")
    return RoutingResult(
        label, label, label.title(), {}, None, proof, load, points, throughput(points)
    )


def unsound(label: str, proof: ProofSummary, failure: str | None = None) -> RoutingResult:
    return RoutingResult(label, label, label.title(), {}, failure, proof, None, [], None)


REFUSED = unsound("minimal", ProofSummary(False, "deadlock", "2 routes wait for each other"))
FAILED = unsound("grid", ProofSummary(False, "not routed", "no grid"), "no grid")


def test_rows_are_ordered_by_throughput_and_the_rest_follows() -> None:
    rows = rank(
        [
            REFUSED,
            routing("slow", {0.1: 0.1, 0.2: 0.12}),
            FAILED,
            routing("fast", {0.1: 0.1, 0.2: 0.2, 0.3: 0.24}),
        ]
    )
    assert [row.label for row in rows] == ["fast", "slow", "minimal", "grid"]
    assert [row.state for row in rows] == ["simulated", "simulated", "refused", "not routed"]
    assert rows[0].relative_to_best == 1.0
    assert rows[1].relative_to_best == pytest.approx(0.5)
    assert rows[1].throughput_load == pytest.approx(0.12)
    assert rows[0].unloaded_latency_ns == pytest.approx(1000)
    assert rows[0].unloaded_load == 0.1
    assert rows[2].note == "2 routes wait for each other"
    assert rows[3].note == "no grid"


def slowed(of: RoutingResult, *latencies_ns: float) -> RoutingResult:
    """Return a routing whose first load has a seed for each of some mean latencies."""
    (first, *rest) = of.points
    network = replace(first.measurement.network_latency_ns, mean=500.0)
    seeds = []
    for seed, mean in enumerate(latencies_ns, start=1):
        latency = replace(network, mean=mean)
        found = replace(
            first.measurement, generation_latency_ns=latency, network_latency_ns=network
        )
        seeds.append(Point(first.load, seed, found))
    return replace(of, points=[*seeds, *rest])


def test_unloaded_latency_is_that_from_generation_and_the_mean_over_the_seeds() -> None:
    (row,) = rank([slowed(routing("a", {0.1: 0.1, 0.2: 0.2}), 900.0, 1200.0)])
    assert row.unloaded_latency_ns == pytest.approx(1050)


def test_a_saturated_network_has_no_unloaded_latency() -> None:
    (row,) = rank([routing("a", {0.2: 0.18, 0.3: 0.2})])
    assert row.unloaded_latency_ns is None
    assert row.unloaded_load == 0.2
    (row,) = rank([routing("a", {0.2: 0.191, 0.3: 0.2})])
    assert row.unloaded_latency_ns is not None


@pytest.mark.parametrize(
    ("latency_ns", "said"),
    [(900.0, "; b carries as much within 3 %, and b has 10 % less"), (975, "")],
)
def test_an_equal_is_named_where_it_has_less_latency(latency_ns: float, said: str) -> None:
    a, b = (routing(label, {0.1: at}) for label, at in (("a", 0.1), ("b", 0.099)))
    text = recommend(rank([slowed(a, 1000.0), slowed(b, latency_ns)]))
    assert said in text
    assert ("less latency" in text) == bool(said)


def test_the_best_is_recommended_with_its_lead() -> None:
    text = recommend(
        rank(
            [
                routing("a", {0.1: 0.1}),
                routing("b", {0.1: 0.1, 0.3: 0.2}),
                routing("c", {0.1: 0.1, 0.2: 0.16}),
            ]
        )
    )
    assert text.startswith("Take b: it carries the most traffic, 0.128 bytes/ns/switch")
    assert "1.25 times that of c, the next" in text
    assert "2.00 times that of a, the last" in text


def _with_knee(of: RoutingResult, accepted: float) -> RoutingResult:
    return replace(of, knee=Knee(accepted, accepted, 0.01, 2000.0, "by hand"))


def test_what_carries_most_before_the_knee_is_recommended_with_what_that_gives_up() -> None:
    late = _with_knee(routing("late", {0.1: 0.1, 0.4: 0.4}), 0.1)
    steady = _with_knee(routing("steady", {0.1: 0.1, 0.3: 0.3}), 0.2)
    rows = rank([late, steady])
    assert [row.label for row in rows] == ["late", "steady"]
    text = recommend(rows, 3.0)
    assert text.startswith(
        "Take steady: it carries the most traffic until its latency is 3 times the unloaded one, "
        "0.2 bytes/ns/switch, 2.00 times that of late, the next. That gives up what late accepts"
    )
    assert "1.33 times the" in text
    # Without a knee of each, what is accepted at most decides.
    unknown = rank([replace(late, knee=None), steady])
    assert recommend(unknown).startswith("Take late: it carries the most traffic, ")


def test_latency_decides_where_one_routing_has_no_knee() -> None:
    late = _with_knee(routing("late", {0.1: 0.1, 0.4: 0.4}), 0.1)
    steady = _with_knee(routing("steady", {0.1: 0.1, 0.3: 0.3}), 0.2)
    # One that is full at the lowest load has no knee above what it carries.
    poor = routing("poor", {0.1: 0.05})
    assert recommend(rank([late, steady, poor])).startswith("Take steady: ")
    # One whose latency has not doubled anywhere is better than one that accepts a little more.
    beyond = replace(routing("beyond", {0.1: 0.1, 0.4: 0.396}), is_knee_beyond=True)
    rows = rank([late, beyond, poor])
    assert rows[0].label == "late"
    text = recommend(rows)
    assert text.startswith(
        "Take beyond: it carries the most traffic until its latency is 2 times the unloaded one, "
        "at least 0.2534 bytes/ns/switch"
    )
    found = best_of(rows)
    assert found is not None
    assert found.label == "beyond"
    # Whether it is, is not known where it was simulated up to a lower load only.
    less = replace(routing("less", {0.1: 0.1, 0.15: 0.15}), is_knee_beyond=True)
    assert recommend(rank([late, steady, less])).startswith("Take late: ")
    # Nor need any routing have a knee that is known.
    assert recommend(rank([beyond, less])).startswith(
        "Take beyond: it carries the most traffic, 0.2534 bytes/ns/switch"
    )
    alone = replace(less, points=beyond.points, throughput=beyond.throughput)
    assert "until its latency is 2 times the unloaded one, at least 0.2534" in recommend(
        rank([beyond, alone])
    )


def test_equals_are_called_equal() -> None:
    text = recommend(rank([routing("a", {0.1: 0.1}), routing("b", {0.1: 0.099})]))
    assert "b carries as much within 3 %" in text
    four = [routing(label, {0.1: 0.1 - 1e-4 * n}) for n, label in enumerate("abcd")]
    assert "b, c and d carry as much within 3 %" in recommend(rank(four))


def test_stops_in_transit_come_with_an_alternative() -> None:
    rows = rank([routing("plain", {0.1: 0.1}), routing("itb", {0.1: 0.1, 0.3: 0.2}, stops=0.4)])
    text = recommend(rows)
    assert "needs NICs that hold and re-inject in-transit packets" in text
    assert "without them take plain (50 % of that traffic)" in text


def test_nothing_usable_is_said_plainly() -> None:
    assert "take none of them" in recommend(rank([REFUSED, FAILED]))


@pytest.mark.parametrize(
    ("accepted", "said"),
    [({0.1: 0.1, 0.2: 0.2}, "lower limit"), ({0.1: 0.05, 0.2: 0.04}, "reached at the lowest of")],
    ids=["never saturated", "at the end of the ladder"],
)
def test_how_a_throughput_was_found_is_said(accepted: dict[float, float], said: str) -> None:
    assert said in routing("a", accepted).throughput.rule


def test_a_routing_that_deadlocked_is_neither_ranked_nor_recommended() -> None:
    stuck = routing("stuck", {0.1: 0.1, 0.2: 0.3})
    point = stuck.points[-1]
    measured = replace(point.measurement, reason="deadlocked", reason_text="4 packets wait")
    stuck = replace(stuck, points=[*stuck.points[:-1], replace(point, measurement=measured)])
    stuck = replace(stuck, knee=Knee(0.1, 0.15, 0.01, 2000.0, "by hand"))
    rows = rank([stuck, routing("sound", {0.1: 0.1, 0.2: 0.12})])
    assert [row.label for row in rows] == ["sound", "stuck"]
    assert rows[0].relative_to_best == 1.0
    assert (rows[1].state, rows[1].note) == ("deadlocked", "4 packets wait")
    assert rows[1].throughput_bytes_per_ns_per_switch is None
    assert (rows[1].knee_bytes_per_ns_per_switch, rows[1].knee_load) == (None, None)
    assert recommend(rows).startswith("Take sound")
    assert recommend(rows[1:]) == "Every routing simulated deadlocked: take none of them."
