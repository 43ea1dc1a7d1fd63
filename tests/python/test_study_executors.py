"""What goes to other machines and comes back: exact, packed evenly, refused where not the same."""

from __future__ import annotations

import json
from contextlib import closing
from threading import Barrier
from typing import TYPE_CHECKING

import numpy as np
import pytest
from synthetic import SyntheticStages, measurement

import weft
from weft._files import text_digest
from weft.errors import EnvironmentFailure, ResultsError, StudyError
from weft.results.store import Outcome
from weft.study import StudySpec
from weft.study.case import fabric_text, point_content
from weft.study.executors import SweepUnit, executor_on
from weft.study.executors.interface import Finished, PointWork, RoutedCase
from weft.study.executors.packing import packed
from weft.study.executors.remote import simulated
from weft.study.executors.slurm_task import run_sweep
from weft.study.executors.wire import conditions_of, read_figures, spec_of, written_figures

if TYPE_CHECKING:
    from pathlib import Path


def routed(switches: int = 8, **changes: object) -> RoutedCase[StudySpec]:
    fabric = weft.irregular(switches, seed=1)
    values: dict[str, object] = {"precision": 0.3, "max_packets": 3000, **changes}
    spec = StudySpec(("updown",), weft.hardware(), weft.Traffic(payload_bytes=32), **values)
    routing = weft.route(fabric, "updown")
    digest = text_digest(fabric_text(fabric))
    return RoutedCase(fabric, digest, routing, routing.parameters, "updown", spec)


@pytest.mark.parametrize("preset", ["myrinet", "infiniband_1x"])
def test_a_measurement_comes_back_to_the_last_bit(preset: str) -> None:
    case = routed()
    traffic, hardware = case.spec.traffic_at(0.1, 7), weft.hardware(preset)
    found = weft.simulate(case.fabric, case.routing, hardware, traffic, precision=0.3)
    back, wall_s = read_figures(written_figures(found, 0.25))
    assert wall_s == 0.25
    # By their text, which tells every digit: a figure that is no number is not equal to itself.
    assert repr(back.to_dict()) == repr(found.to_dict())
    for name, array in found.arrays().items():
        assert back.arrays()[name].dtype == array.dtype
        assert back.arrays()[name].shape == array.shape
        assert np.array_equal(back.arrays()[name], array)


def test_conditions_come_back_as_they_were() -> None:
    mixed = weft.Traffic("complement", payload_bytes={32: 0.2, 512: 0.8}, arrivals="poisson")
    fabric = weft.torus(4, 4, 2)
    spec = StudySpec(
        ("updown:root=0",),
        weft.hardware("myrinet", routing_delay_ns=100, arbitration="random"),
        mixed,
        seeds=(3, 5),
        loads=(0.1, 1 / 3),
        precision=0.07,
    )
    routing = weft.route(fabric, "updown:root=0")
    case = RoutedCase(fabric, "x", routing, routing.parameters, "updown:root=0", spec)
    conditions = json.loads(json.dumps(conditions_of(case)))
    restored = spec_of(conditions)
    assert restored.identity() == spec.identity()
    assert (restored.loads, restored.seeds) == (spec.loads, spec.seeds)


def test_another_version_or_another_point_is_refused() -> None:
    case = routed()
    conditions = conditions_of(case)
    with pytest.raises(ResultsError, match="install the same version everywhere"):
        spec_of({**conditions, "weft": "0.0.1"})
    text = fabric_text(case.fabric)
    content = point_content(case, 0.1, 1)
    here, _ = read_figures(simulated(text, conditions, 0.1, 1, content))
    assert here.offered_load == pytest.approx(0.1, rel=0.1)
    with pytest.raises(ResultsError, match="is something else on this machine"):
        simulated(text, conditions, 0.1, 2, content)


def test_packing_hands_out_every_point_once_and_evenly() -> None:
    fixed = routed(16, loads=(0.1, 0.2, 0.3), seeds=tuple(range(20)))
    ladder = routed(8)
    known = {(0.1, seed): Outcome(0.1, 0.1, "steady", 1000.0) for seed in range(5)}
    units = [SweepUnit(fixed, 0.3, known), SweepUnit(ladder, 0.3, {})]
    tasks = packed(units)
    assert packed(units) == tasks
    assert len(tasks) == 16
    assert sum(1 in task for task in tasks) == 1
    points = [point for task in tasks for point in task.get(0) or []]
    expected = {(load, seed) for load in (0.1, 0.2, 0.3) for seed in range(20)} - known.keys()
    assert len(points) == len(expected)
    assert set(points) == expected
    # Points cost the same: no task has two more than another, but for the one with the ladder.
    counts = [len(task.get(0) or []) for task in tasks if 1 not in task]
    assert max(counts) - min(counts) <= 1


def test_no_more_tasks_than_pieces() -> None:
    assert len(packed([SweepUnit(routed(loads=(0.1, 0.2)), 0.3, {})])) == 2


def test_a_task_leaves_every_point_whole_and_goes_on_where_it_was(tmp_path: Path) -> None:
    case = routed(loads=None, seeds=(1, 2))
    for name in ("fabrics", "points"):
        (tmp_path / name).mkdir()
    (tmp_path / "fabrics" / case.fabric_digest).write_text(fabric_text(case.fabric))
    entry = {"conditions": conditions_of(case), "ladder_bound": 0.4, "points": None, "known": []}
    run_sweep(tmp_path, entry)
    made = {path.name: path.read_bytes() for path in (tmp_path / "points").iterdir()}
    assert len(made) >= 2 * 5
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "points").iterdir()}
    lost = sorted(made)[3]
    (tmp_path / "points" / lost).unlink()
    run_sweep(tmp_path, entry)
    again = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "points").iterdir()}
    assert again.keys() == made.keys()
    assert {name for name in again if again[name] != times[name]} == {lost}
    back = read_figures((tmp_path / "points" / lost).read_bytes())[0]
    assert repr(back.to_dict()) == repr(read_figures(made[lost])[0].to_dict())


@pytest.mark.parametrize(
    ("place", "jobs", "message"),
    [
        ("cloud", None, "on cloud: expected local, dask:tcp://HOST:PORT or slurm"),
        ("local:8", None, "on local:8: expected"),
        ("dask", None, "on dask: expected"),
        ("slurm", 3, "jobs 3: given for slurm, whose scheduler decides it"),
        ("local", 0, "jobs 0: expected at least 1"),
    ],
)
def test_places_that_do_not_exist_are_refused(
    tmp_path: Path, place: str, jobs: int | None, message: str
) -> None:
    with pytest.raises(StudyError, match=message):
        executor_on(place, SyntheticStages(), tmp_path / "r.sqlite", jobs)


def test_points_at_hand_share_the_processors(tmp_path: Path) -> None:
    given: list[tuple[float, int]] = []
    started = Barrier(2)

    class Counting(SyntheticStages):
        def simulate(
            self,
            routed: RoutedCase[StudySpec],
            load: float,
            seed: int,
            cancel: weft.Cancel,
            threads: int = 1,
        ) -> weft.Measurement:
            given.append((load, threads))
            if load > 0.1:
                started.wait(timeout=300)
            return measurement(routed.fabric, load, load, 0.0)

    case = routed()
    with closing(executor_on("local", Counting(), tmp_path / "r.sqlite", 8)) as executor:
        for loads in ([0.1], [0.2, 0.3]):
            for load in loads:
                executor.submit(PointWork(str(load), case, load, 1))
            finished: list[Finished] = []
            while len(finished) < len(loads):
                finished += executor.finished(60)
    # Alone, a point has all of them; of the second pair's points the one that begins last has half.
    assert given[0] == (0.1, 8)
    assert given[-1][1] == 4


def test_a_machine_without_slurm_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EnvironmentFailure, match="found no sbatch"):
        executor_on("slurm", SyntheticStages(), tmp_path / "r.sqlite")


def test_synthetic_measurements_travel_too() -> None:
    made = measurement(weft.irregular(8, seed=1), 0.1, 0.1)
    back, _ = read_figures(written_figures(made, 1.0))
    assert repr(back.to_dict()) == repr(made.to_dict())
