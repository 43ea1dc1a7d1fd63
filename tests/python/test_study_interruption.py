"""Interrupted and killed studies: nothing is lost, and resuming gives the same file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from results_files import content, point_count
from synthetic import CURVES, SyntheticStages

import weft
import weft.study
from weft.study import compare

if TYPE_CHECKING:
    from collections.abc import Callable

    from results_files import Content

PROGRAM = Path(__file__).with_name("synthetic.py")


def begin(path: Path, seconds_per_point: float = 0.05) -> subprocess.Popen[str]:
    """Begin a study in a process of its own and wait for its first points."""
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), str(path), str(seconds_per_point)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    deadline = time.monotonic() + 30
    while point_count(path) < 4:
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Content:
    path = tmp_path_factory.mktemp("whole") / "r.sqlite"
    resume(path)
    return content(path)


def resume(path: Path) -> SyntheticStages:
    stages = SyntheticStages()
    fabric = weft.irregular(8, seed=1)
    compare(fabric, [*CURVES, "cyclic"], results=path, jobs=2, stages=stages).close()
    return stages


def test_a_killed_study_resumes_to_the_same_file(path: Path, uninterrupted: Content) -> None:
    process = begin(path)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with weft.Results.open(path) as results:
        kept = sum(len(routing.points) for routing in results.routings)
        assert results.manifest["sessions"][0]["outcome"] == "running or killed"
    assert 4 <= kept < len(uninterrupted["point"])
    stages = resume(path)
    assert len(stages.simulated) == len(uninterrupted["point"]) - kept
    assert content(path) == uninterrupted


def test_many_kills_resume_to_the_same_file(path: Path, uninterrupted: Content) -> None:
    for _ in range(4):
        process = begin(path, 0.02)
        time.sleep(0.03)
        process.kill()
        process.communicate()
    resume(path)
    assert content(path) == uninterrupted


def test_ctrl_c_keeps_finished_points_and_resumes_to_the_same_file(
    path: Path, uninterrupted: Content
) -> None:
    process = begin(path)
    before = point_count(path)
    process.send_signal(signal.SIGINT)
    begun = time.monotonic()
    process.communicate(timeout=20)
    assert time.monotonic() - begun < 5
    assert process.returncode == 130
    after = point_count(path)
    assert before <= after < len(uninterrupted["point"])
    with weft.Results.open(path) as results:
        assert results.manifest["sessions"][0]["outcome"] == "interrupted"
        assert results.manifest["sessions"][0]["computed_points"] == after
    stages = resume(path)
    assert len(stages.simulated) == len(uninterrupted["point"]) - after
    assert content(path) == uninterrupted


def test_a_point_finished_at_the_moment_of_ctrl_c_is_kept(
    compared: Callable[..., weft.Results], path: Path
) -> None:
    def interrupt(event: object) -> None:
        if isinstance(event, weft.study.PointFinished):
            # The other points of the round are finished by now, though not recorded.
            time.sleep(0.3)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compared("early", jobs=4, watcher=interrupt)
    assert point_count(path) == 4
