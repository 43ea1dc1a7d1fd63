"""Running a study: which points, whatever the threads do; refusals; errors."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from synthetic import CURVES, SyntheticStages, measurement

import weft
import weft.study
from weft.errors import ResultsError, RoutingError, StudyError, TrafficError
from weft.results import Results
from weft.results.store import Outcome
from weft.study import PointFinished, RoutingReady, RoutingUnderWay, SweepFinished, compare
from weft.study.stages import Stages
from weft.study.sweep import Sweep, payload_share

if TYPE_CHECKING:
    from pathlib import Path

    from weft.study import Progress


Compared = Callable[..., Results]


def points_of(results: Results) -> list[tuple[str, float, int, float]]:
    return [
        (routing.label, point.load, point.seed, point.measurement.accepted_load)
        for routing in results.routings
        for point in routing.points
    ]


def test_the_points_do_not_depend_on_threads_or_their_timing(
    compared: Compared, tmp_path: Path
) -> None:
    def dawdle(label: str, load: float) -> None:
        time.sleep(random.Random(f"{label}{load}").uniform(0, 0.01))

    found = []
    for number, jobs in enumerate((1, 2, 7)):
        stages = SyntheticStages(before_point=dawdle if number else lambda label, load: None)
        path = tmp_path / f"{jobs}.sqlite"
        with compared(*CURVES, results=path, jobs=jobs, stages=stages) as results:
            found.append(points_of(results))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 25


def test_the_throughput_is_the_largest_accepted_traffic(compared: Compared) -> None:
    with compared(*CURVES) as results:
        early = results.routing("early").throughput
        assert early is not None
        assert early.accepted_load == pytest.approx(0.11, rel=0.03)
        assert early.at_load == pytest.approx(0.11, rel=0.03)
        assert early.accepted_bytes_per_ns_per_switch == pytest.approx(0.64 * early.accepted_load)
        # The loads either side are within its interval: one of three, 1 - 0.025 / 3 of the normal
        # distribution instead of 1 - 0.025.
        wider = 2.393980 / 1.959964
        expected = wider * 0.01 * early.accepted_bytes_per_ns_per_switch
        assert early.half_width == pytest.approx(expected, rel=1e-5)
        assert "largest accepted traffic over" in early.rule
        assert "below and" in early.rule
        assert [row.label for row in results.ranking()] == ["late", "plateau", "early"]


def test_a_routing_the_proof_refuses_is_recorded_and_not_simulated(compared: Compared) -> None:
    stages = SyntheticStages()
    seen: list[Progress] = []
    with compared("cyclic", "early", stages=stages, watcher=seen.append) as results:
        cyclic = results.routing("cyclic")
        assert not cyclic.proof.deadlock_free
        assert cyclic.proof.verdict == "deadlock"
        assert cyclic.proof.cycle[0].held == "sw0[3] → sw1[3]"
        assert cyclic.proof.text == "2 routes may wait for each other"
        assert cyclic.load is not None
        assert cyclic.points == []
        assert cyclic.throughput is None
        assert results.ranking()[-1].state == "refused"
    assert {label for label, _, _ in stages.simulated} == {"early"}
    ready = [event for event in seen if isinstance(event, RoutingReady)]
    assert [(event.label, event.deadlock_free) for event in ready] == [
        ("cyclic", False),
        ("early", True),
    ]
    assert [event.label for event in seen if isinstance(event, SweepFinished)] == ["early"]
    under_way = [event for event in seen if isinstance(event, RoutingUnderWay)]
    assert under_way == [RoutingUnderWay(name, 2, 0.25) for name in ("cyclic", "early")]


def test_a_routing_that_cannot_be_computed_is_recorded_and_the_others_go_on(
    compared: Compared,
) -> None:
    for _ in range(2):
        with compared("impossible", "early") as results:
            impossible = results.routing("impossible")
            assert impossible.failure == "the fabric has no grid; expected one"
            assert impossible.load is None
            assert impossible.proof.verdict == "not routed"
            assert results.routing("early").throughput is not None
            assert results.ranking()[-1].note == impossible.failure


@pytest.mark.parametrize(
    ("routings", "message"),
    [(("early", "earlier"), "unknown routing earlier"), (("impossible",), "no grid")],
    ids=["unknown", "for no fabric"],
)
def test_routings_that_cannot_be_leave_nothing_behind(
    compared: Compared, tmp_path: Path, routings: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "new" / "r.sqlite"
    with pytest.raises(RoutingError, match=message):
        compared(*routings, results=path)
    assert not path.parent.exists()


def test_a_second_call_computes_nothing_and_a_third_adds_a_routing(compared: Compared) -> None:
    with compared("early") as results:
        first = points_of(results)
    again = SyntheticStages()
    seen: list[Progress] = []
    with compared("early", stages=again, watcher=seen.append) as results:
        assert points_of(results) == first
    assert again.simulated == []
    reused = [event for event in seen if isinstance(event, PointFinished)]
    assert len(reused) == len(first)
    assert not any(event.is_new for event in reused)
    more = SyntheticStages()
    with compared("late", stages=more) as results:
        assert [routing.label for routing in results.routings] == ["early", "late"]
        assert results.spec.routings == ("early", "late")
        assert [session["outcome"] for session in results.manifest["sessions"]] == ["finished"] * 3
    assert {label for label, _, _ in more.simulated} == {"late"}


def test_given_loads_are_simulated_and_no_others(compared: Compared) -> None:
    with compared("early", loads=[0.2, 0.05]) as results:
        assert [point.load for point in results.routing("early").points] == [0.05, 0.2]
        assert results.spec.loads == (0.2, 0.05)


def test_every_load_is_simulated_with_every_seed_and_counts_with_the_mean(
    compared: Compared,
) -> None:
    with compared("plateau", seeds=[3, 9]) as results:
        points = results.routing("plateau").points
        assert [point.seed for point in points] == [3, 9] * (len(points) // 2)
        found = results.routing("plateau").throughput
        assert found is not None
        assert found.accepted_load == pytest.approx(0.17 * (1 + 6e-4))
        # Student, 1 degree of freedom, times the standard error of two values; all loads on the
        # plateau may be the largest.
        spread = 0.64 * 0.17 * 3e-4
        alike = len({point.load for point in points if point.load >= 0.17})
        quantile = math.tan(math.pi / 2 * (1 - 0.05 / alike))
        assert found.half_width == pytest.approx(quantile * spread, rel=1e-3)


def test_an_error_in_a_run_ends_the_study_and_keeps_finished_points(
    compared: Compared, path: Path
) -> None:
    def fail_at_high_load(label: str, load: float) -> None:
        if load >= 0.1:
            message = "no such traffic"
            raise TrafficError(message)

    with pytest.raises(TrafficError, match="no such traffic"):
        compared("early", jobs=1, stages=SyntheticStages(before_point=fail_at_high_load))
    with weft.Results.open(path) as results:
        kept = [point.load for point in results.routing("early").points]
        assert kept == [0.005, 0.025, 0.05, 0.075]
        assert results.manifest["sessions"][0]["outcome"] == "failed"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loads": [0.0]}, "load 0: expected more than 0"),
        ({"loads": [-0.1]}, r"load -0\.1: expected more than 0"),
        ({"loads": [float("nan")]}, "load nan"),
        ({"loads": [1.5]}, r"load 1\.5: expected"),
        ({"loads": []}, "no load"),
        ({"loads": [0.1, 0.1]}, "given twice"),
        ({"seeds": []}, "no seed"),
        ({"seeds": [1, 1]}, "seed 1 is given twice"),
        ({"seeds": [-1]}, "seed -1"),
        ({"precision": 0.0}, "precision 0"),
        ({"max_packets": 3}, "max_packets 3"),
        ({"jobs": 0}, "jobs 0"),
        ({"routings": ()}, "no routing"),
        ({"routings": ("early", "early")}, "given twice"),
    ],
)
def test_values_out_of_range_are_refused_before_anything_is_written(
    compared: Compared, path: Path, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        compared(*settings.pop("routings", ("early",)), **settings)
    assert not path.exists()


def test_a_fabric_without_two_hosts_is_refused(path: Path) -> None:
    lonely = weft.mesh(1, 1, hosts_per_switch=1)
    with pytest.raises(StudyError, match="at least 2"):
        compare(lonely, ["early"], results=path, stages=SyntheticStages())


def test_two_studies_by_name_share_a_file_and_a_comparison_does_not(
    compared: Compared, path: Path
) -> None:
    other = weft.irregular(8, seed=2)
    stages = SyntheticStages()
    compared("early", study="seed 1", stages=stages).close()
    compare(other, ["early"], results=path, study="seed 2", stages=stages).close()
    assert weft.Results.study_names(path) == ["seed 1", "seed 2"]
    with weft.Results.open(path, "seed 2") as results:
        assert results.fabric == other
    with pytest.raises(ResultsError, match="name one of them: “seed 1”, “seed 2”"):
        weft.Results.open(path)
    with pytest.raises(ResultsError, match="expected one of “seed 1”"):
        weft.Results.open(path, "seed 3")
    with pytest.raises(ResultsError, match="expected another file"):
        compared("early", stages=stages)


def test_numbers_of_numpy_are_as_those_of_python(
    compared: Compared, fabric: weft.Fabric, tmp_path: Path
) -> None:
    """One study: the second call finds everything done."""
    stages = SyntheticStages()
    for number, whole in ((float, int), (np.float64, np.int64)):
        results = compared(
            "early",
            traffic=weft.Traffic(payload_bytes=whole(256)),
            loads=[number(0.05), number(0.1)],
            seeds=[whole(1), whole(2)],
            max_packets=whole(5000),
            results=tmp_path / "results.sqlite",
            stages=stages,
        )
        with results:
            assert len(results.routing("early").points) == 4
    assert len(stages.simulated) == 4
    with pytest.raises(StudyError, match="expected a list of texts"):
        compare(fabric, "early", results=tmp_path / "results.sqlite", stages=stages)
    with weft.Results.open_all(tmp_path) as opened:
        assert list(opened) == weft.Results.study_names(tmp_path) == ["main"]


def test_the_payload_share_takes_headers_off(fabric: weft.Fabric) -> None:
    spec = weft.study.StudySpec(("early",), weft.hardware(), weft.Traffic(payload_bytes=32))
    assert payload_share(spec, 2.0) == pytest.approx(32 / (32 + 2 + 1 + 3))


@pytest.mark.parametrize(
    ("outcomes", "next_loads"),
    [
        (((1.0, "saturated"), (1.0, "steady")), 2),
        (((1.0, "saturated"), (1.0, "deadlocked"), (1.0, "steady")), 1),
        (((1.0, "steady"), (0.88, "steady")), 1),
        (((0.88, "steady"), (1.0, "steady")), 1),
        (((1.0, "steady"), (0.91, "budget")), 2),
    ],
    ids=["half of the seeds", "most of them", "mean below 95 %", "the other way", "mean above"],
)
def test_a_load_is_saturated_by_most_of_its_seeds_or_by_their_mean(
    outcomes: tuple[tuple[float, str], ...], next_loads: int
) -> None:
    seeds = tuple(range(1, len(outcomes) + 1))
    spec = weft.study.StudySpec(("x",), weft.hardware(), weft.Traffic(), seeds=seeds)
    sweep = Sweep(spec, "x", 0.3)
    first = sweep.begin_round()
    last = max(load for load, _ in first)
    assert first[: len(seeds)] == [(0.01, seed) for seed in seeds]
    assert not sweep.is_round_complete
    for load, seed in first:
        share, reason = outcomes[seed - 1] if load == last else (1.0, "steady")
        assert not sweep.is_round_complete
        sweep.add(load, seed, Outcome(load, share * load, reason, 1000.0))
    assert sweep.is_round_complete
    # Beyond a saturated load the ladder climbs by one load, else by two.
    assert len({load for load, _ in sweep.begin_round()}) == next_loads


def test_what_a_sweep_knows_of_a_point_is_the_latency_from_generation(
    fabric: weft.Fabric, compared: Compared, path: Path
) -> None:
    found = measurement(fabric, 0.2, 0.18)
    network = replace(found.network_latency_ns, mean=500.0)
    outcome = Outcome.of(replace(found, network_latency_ns=network))
    generation_ns = found.generation_latency_ns.mean
    assert outcome == Outcome(0.2, 0.18, "saturated", generation_ns)
    assert Outcome.stored(0.2, 0.18, "saturated", generation_ns) == outcome


def test_a_ladder_has_the_steps_of_its_pattern(compared: Compared, path: Path) -> None:
    # Channels carry 0.3 of uniform traffic and 0.06 of other patterns, less headers: a sixth of
    # that is 0.0495 or 0.0099, the round step below 0.025 or 0.005, and the first load a fifth.
    stages = SyntheticStages()
    with compared("early", stages=stages) as results:
        assert results.routing("early").points[0].load == pytest.approx(0.005)
    other = SyntheticStages()
    traffic = weft.Traffic("complement")
    with compared("early", traffic=traffic, results=path.with_name("o"), stages=other) as results:
        assert results.routing("early").points[0].load == pytest.approx(0.001)


def test_synthetic_measurements_are_what_a_simulation_returns(fabric: weft.Fabric) -> None:
    made = measurement(fabric, 0.1, 0.1)
    restored = weft.Measurement.from_dict(made.to_dict(), made.arrays())
    assert restored.to_dict() == made.to_dict()


def test_algorithms_of_some_fabrics_alone_are_known_in_studies_of_others() -> None:
    stages = Stages()
    assert [entry.name for entry in weft.algorithms() if not stages.is_known(entry.name)] == []
    assert not stages.is_known("ftree:lanes=2")
