"""Cases of one study: points of equal content, one process at a time, status and cost."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import pytest
from synthetic import CURVES, SyntheticStages

import weft
from weft.errors import ResultsError, RoutingError
from weft.study import Case, StudySpec, case_statuses
from weft.study.cancellation import cancel
from weft.study.estimate import plain_bound, point_cost_s
from weft.study.executors import executor_on
from weft.study.presence import Presence, worker_on
from weft.study.run import run_cases
from weft.study.stages import Stages

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from weft.simulate import Measurement
    from weft.study import Progress
    from weft.study.executors.interface import RoutedCase


def spec(**changes: object) -> StudySpec:
    values: dict[str, object] = {"routings": tuple(CURVES), "loads": (0.05, 0.1, 0.2)}
    return StudySpec(hardware=weft.hardware(), traffic=weft.Traffic(), **{**values, **changes})


def run(
    cases: Sequence[Case],
    path: Path,
    stages: Stages,
    watcher: Callable[[Progress], None] = lambda _: None,
) -> None:
    executor = executor_on("local", stages, path, 2)
    run_cases(cases, path, executor=executor, stages=stages, watcher=watcher)


def figures(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(path) as connection:
        query = (
            "SELECT study.name, p.routing, p.load, p.seed, p.accepted_load, a.channel_utilization"
            " FROM point p JOIN point_arrays a USING (study_id, routing, load, seed)"
            " JOIN study USING (study_id) ORDER BY 1, 2, 3, 4"
        )
        found: dict[str, list[tuple[object, ...]]] = {}
        for name, *row in connection.execute(query):
            found.setdefault(name, []).append(tuple(row))
    connection.close()
    return found


def test_a_root_that_the_first_fabric_lacks_is_one_of_the_fabric_it_is_asked_for(
    path: Path,
) -> None:
    quick = {"loads": (0.05,), "precision": 0.3, "max_packets": 2_000}
    small = Case("small", weft.irregular(8, seed=1), spec(routings=("updown",), **quick))
    large = Case("large", weft.irregular(16, seed=1), spec(routings=("updown:root=12",), **quick))
    run([small, large], path, Stages())
    assert [(name, len(points)) for name, points in figures(path).items()] == [
        ("large", 1),
        ("small", 1),
    ]
    beyond = Case("beyond", weft.irregular(16, seed=1), spec(routings=("updown:root=16",), **quick))
    with pytest.raises(RoutingError, match="a switch number from 0 to 15"):
        run([small, beyond], path.with_name("s.sqlite"), Stages())


def test_points_of_equal_content_are_computed_once(fabric: weft.Fabric, path: Path) -> None:
    stages = SyntheticStages()
    # The same conditions with other loads, in one call; then under another name, in a second.
    run([Case("a", fabric, spec()), Case("b", fabric, spec(loads=(0.1, 0.3)))], path, stages)
    assert len(stages.simulated) == len(CURVES) * 4
    assert len(set(stages.simulated)) == len(stages.simulated)
    again = SyntheticStages()
    run([Case("c", fabric, spec(loads=(0.05, 0.3)))], path, again)
    assert again.simulated == []
    found = figures(path)
    assert [len(found[name]) for name in "abc"] == [9, 6, 6]
    assert set(found["c"]) <= set(found["a"]) | set(found["b"])


class CountingStages(Stages):
    """Weft's own stages, which tell what they simulated."""

    def __init__(self) -> None:
        self.simulated: list[str] = []

    def simulate(
        self,
        routed: RoutedCase[StudySpec],
        load: float,
        seed: int,
        cancel: weft.Cancel,
        threads: int = 1,
    ) -> Measurement:
        self.simulated.append(f"{routed.routing.label} {load}")
        return super().simulate(routed, load, seed, cancel, threads)


def test_routings_that_come_out_as_the_same_routes_are_simulated_once(tmp_path: Path) -> None:
    """On a line there is one way for each pair; tables are led otherwise than lists of ports."""
    line = weft.mesh(4, 1, hosts_per_switch=2)
    routings = ("minimal", "updown", "down_preferred", "ud_itb")
    quick = {"loads": (0.05, 0.1), "precision": 0.3, "max_packets": 2_000}
    path = tmp_path / "together.sqlite"
    stages = CountingStages()
    run([Case("line", line, spec(routings=routings, **quick))], path, stages)
    names = [f"{name} {load}" for name in ("down_preferred", "minimal") for load in (0.05, 0.1)]
    assert sorted(stages.simulated) == names
    with weft.Results.open(path) as results:
        same = {routing.label: routing.same_routes_as for routing in results.routings}
        assert same == {
            "minimal": None,
            "updown": "minimal",
            "down_preferred": None,
            "ud_itb": "minimal",
        }
        assert {row.label: row.same_routes_as for row in results.ranking()} == same
        assert results.manifest["totals"]["points"] == 8
    together = [row for rows in figures(path).values() for row in rows]
    for name in routings:
        alone = tmp_path / f"{name}.sqlite"
        run([Case("line", line, spec(routings=(name,), **quick))], alone, Stages())
        assert figures(alone)["line"] == [row for row in together if row[0] == name]
    again = CountingStages()
    run([Case("line", line, spec(routings=routings, **quick))], path, again)
    assert again.simulated == []


def test_routes_that_hardware_cannot_carry_are_refused_before_the_first_point(
    tmp_path: Path,
) -> None:
    torus = weft.torus(4, 4, hosts_per_switch=1)
    stages = CountingStages()
    on_wormhole = spec(routings=("updown", "dfsssp:lanes=2"), loads=(0.05,))
    refused = r"^dfsssp:lanes=2: the routes use 2 virtual lanes, but channels of wormhole"
    with pytest.raises(RoutingError, match=refused):
        run([Case("torus", torus, on_wormhole)], tmp_path / "study.sqlite", stages)
    assert stages.simulated == []


@pytest.mark.parametrize(
    "changes",
    [{"precision": 0.2}, {"max_packets": 1000}, {"seeds": (2,)}],
    ids=lambda changes: next(iter(changes)),
)
def test_other_conditions_are_other_points(
    fabric: weft.Fabric, path: Path, changes: dict[str, object]
) -> None:
    run([Case("a", fabric, spec())], path, SyntheticStages())
    stages = SyntheticStages()
    run([Case("b", fabric, spec(**changes))], path, stages)
    assert len(stages.simulated) == len(CURVES) * 3


def test_names_of_hosts_are_content(fabric: weft.Fabric, path: Path) -> None:
    other = weft.irregular(8, seed=2)
    stages = SyntheticStages()
    run([Case("a", fabric, spec()), Case("b", other, spec())], path, stages)
    assert len(stages.simulated) == 2 * len(CURVES) * 3


def test_one_process_works_on_a_file_at_a_time(fabric: weft.Fabric, path: Path) -> None:
    assert worker_on(path) is None
    with Presence(path):
        worker = worker_on(path)
        assert worker is not None
        assert worker["process"] == os.getpid()
        with pytest.raises(ResultsError, match=rf"process {os.getpid()} on .* works on it"):
            run([Case("a", fabric, spec())], path, SyntheticStages())
    assert worker_on(path) is None
    assert list(path.parent.iterdir()) == []


def test_a_lock_left_by_a_kill_holds_nobody_up(fabric: weft.Fabric, path: Path) -> None:
    path.with_suffix(".lock").write_text('{"process": 1, "host": "elsewhere"}')
    path.with_suffix(".cancel").touch()
    assert worker_on(path) is None
    run([Case("a", fabric, spec())], path, SyntheticStages())
    assert [file.name for file in path.parent.iterdir()] == ["r.sqlite"]


def test_cancel_stops_the_study_and_keeps_its_points(fabric: weft.Fabric, path: Path) -> None:
    asked: list[str] = []

    def ask(event: Progress) -> None:
        if isinstance(event, weft.study.PointFinished) and not asked:
            asked.extend(cancel(path))

    seeds = tuple(range(1, 30))
    cases = [Case("a", fabric, spec(seeds=seeds))]
    with pytest.raises(KeyboardInterrupt):
        run(cases, path, SyntheticStages(seconds_per_point=0.02), ask)
    assert len(asked) == 1
    assert f"asked process {os.getpid()}" in asked[0]
    (status,) = case_statuses(cases, path)
    total = len(CURVES) * 3 * len(seeds)
    assert 1 <= status.points < total
    assert status.points + status.missing_points == total
    assert cancel(path) == []
    stages = SyntheticStages()
    run(cases, path, stages)
    assert len(stages.simulated) == status.missing_points


def test_status_tells_what_is_there_and_what_is_to_come(fabric: weft.Fabric, path: Path) -> None:
    fixed = Case("fixed", fabric, spec(routings=("early", "cyclic", "impossible")))
    ladder = Case("ladder", fabric, spec(routings=("late",), loads=None))
    before = case_statuses([fixed, ladder], path)
    assert not path.exists()
    assert [(status.missing_points, status.is_exact) for status in before] == [
        (9, True),
        (13, False),
    ]
    bound = plain_bound(fabric)
    costs = [point_cost_s(fabric, fixed.spec, load, bound) for load in (0.05, 0.1, 0.2)]
    assert before[0].missing_cost_s == pytest.approx(3 * sum(costs))
    run([fixed], path, SyntheticStages())
    between = case_statuses([fixed, ladder], path)
    assert (between[0].finished, between[0].refused, between[0].missing_points) == (1, 2, 0)
    assert between[1] == before[1]
    run([fixed, ladder], path, SyntheticStages())
    after = case_statuses([fixed, ladder], path)
    assert (after[1].finished, after[1].missing_points, after[1].is_exact) == (1, 0, True)
    assert after[1].points > 10
