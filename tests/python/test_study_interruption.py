"""Interrupted and killed studies: nothing is lost, and resuming gives the same file."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import signal
import subprocess
import sys
import threading
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
    process.communicate(timeout=120)
    assert time.monotonic() - begun < 60
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


@pytest.mark.parametrize("what", ["file", "folder"])
def test_results_removed_under_way_are_told_as_that(tmp_path: Path, what: str) -> None:
    path = tmp_path / "new" / "r.sqlite"
    process = begin(path)
    if what == "file":
        path.unlink()
    else:
        shutil.rmtree(path.parent)
    stdout, stderr = process.communicate(timeout=300)
    assert process.returncode != 0, stdout
    message = "r.sqlite: removed or replaced while it was in use; what it held went with it"
    told = stderr.splitlines()[-1]
    assert message in told
    assert "are kept" not in told
    assert "permissions" not in told


def test_results_replaced_under_way_are_told_as_that(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    process = begin(path)
    path.rename(tmp_path / "moved.sqlite")
    path.write_bytes(b"another's")
    _, stderr = process.communicate(timeout=300)
    assert process.returncode != 0
    assert "r.sqlite: removed or replaced while it was in use" in stderr.splitlines()[-1]
    assert path.read_bytes() == b"another's"


@pytest.mark.parametrize("attempt", range(3))
def test_of_two_that_begin_at_once_one_works_and_one_names_it(
    tmp_path: Path, uninterrupted: Content, attempt: int
) -> None:
    del attempt
    path = tmp_path / "new" / "r.sqlite"
    both = [
        subprocess.Popen(
            [sys.executable, str(PROGRAM), str(path), "0.02"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for _ in range(2)
    ]
    said = {process.pid: process.communicate(timeout=300)[1] for process in both}
    failed = [process for process in both if process.returncode]
    # Whoever comes when the other has finished finds all of it there.
    for process in failed:
        (other,) = (pid for pid in said if pid != process.pid)
        assert f"process {other} on {platform.node()} works on it" in said[process.pid]
    assert len(failed) < 2
    assert content(path) == uninterrupted


def test_who_asks_whether_somebody_works_is_not_taken_for_it(path: Path) -> None:
    """The lock that asking takes for a moment keeps nobody from beginning."""
    lock = path.with_suffix(".lock")
    lock.touch()
    asking = os.open(lock, os.O_RDONLY)
    fcntl.flock(asking, fcntl.LOCK_SH)
    timer = threading.Timer(0.3, lambda: os.close(asking))
    timer.start()
    resume(path)
    timer.join()
    assert not lock.exists()
