"""A study on a Dask scheduler and on Slurm: the numbers of one machine, whatever is killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from clusters import dask_cluster, slurm_cluster, wait_until
from results_files import content, point_count

import weft
from weft.study import case_statuses, read_study

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from results_files import Content

pytestmark = pytest.mark.timeout(900)

#: Where the file of a routing of one's own is.
EXAMPLES = Path(__file__).parents[2] / "examples"

KILLS = 10

STUDY = """\
title = "Two sizes, on every machine the same"
own_routings = ["spanning_tree.py"]
routings = ["updown", "spanning_tree", "minimal"]
precision = 0.2
max_packets = 20_000
seeds = [1, 2]

[[fabrics]]
topology = "irregular"
switches = [8, 12]

[[traffic]]
pattern = ["uniform", "complement"]
payload_bytes = 128
"""

#: Half of it with points that take so long that nobody who acts on the first comes after the last.
LONG_STUDY = STUDY
for short, long in (("0.2", "0.004"), ("20_000", "1_000_000"), ("[1, 2]", "[1]")):
    assert LONG_STUDY.count(f"= {short}\n") == 1
    LONG_STUDY = LONG_STUDY.replace(f"= {short}\n", f"= {long}\n")

#: Eight ranks that pass a message on, each in a file of its own.
RING = [f"{rank} sendRecv 5000 {(rank + 1) % 8} 5000 {(rank - 1) % 8} 6 6" for rank in range(8)]

PROGRAMS = """\
own_routings = ["spanning_tree.py"]
routings = ["updown", "spanning_tree", "min_hop"]

[[fabrics]]
topology = ["mesh", "torus"]
extents = [4, 4]
hosts_per_switch = 1

[[programs]]
trace = "ring.ti"
acknowledged = [0, 1]

[[programs]]
operation = ["allreduce", "alltoall"]
bytes = 6400
"""


@dataclass
class Run:
    """A study in a process of its own, begun as often as it is killed."""

    folder: Path
    place: str
    environment: dict[str, str] = field(default_factory=dict)
    study: str = STUDY
    process: subprocess.Popen[bytes] | None = None

    @property
    def results(self) -> Path:
        return self.folder / "out" / "results.sqlite"

    def begin(self) -> None:
        study = self.folder / "study.toml"
        study.write_text(self.study)
        shutil.copy(EXAMPLES / "spanning_tree.py", self.folder)
        for rank, line in enumerate(RING):
            (self.folder / f"rank{rank}.ti").write_text(line)
        (self.folder / "ring.ti").write_text("".join(f"rank{rank}.ti\n" for rank in range(8)))
        command = [str(Path(sys.executable).with_name("weft")), "study", "run", str(study)]
        command += ["--on", self.place, "--out", str(self.folder / "out")]
        with (self.folder / "run.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, **self.environment}
            )

    def told(self, command: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run another command on the study, and return what it says as JSON."""
        weft = str(Path(sys.executable).with_name("weft"))
        files = [str(self.folder / "study.toml"), "--out", str(self.folder / "out"), "--json"]
        return subprocess.run(
            [weft, "study", command, *files, *options],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def is_running(self) -> bool:
        assert self.process is not None
        if self.process.poll() is None:
            return True
        assert self.process.returncode in (0, -signal.SIGKILL), self.log()
        return False

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def finish(self) -> None:
        assert self.process is not None
        assert self.process.wait(240) == 0, self.log()

    def whole(self) -> Path:
        """Run it from beginning to end, and return its results."""
        self.begin()
        self.finish()
        return self.results

    def log(self) -> str:
        return (self.folder / "run.log").read_text()


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """The results of this one machine."""
    run = Run(tmp_path_factory.mktemp("local"), "local")
    found = content(run.whole())
    # Two routings of three are simulated; both patterns, both sizes, both seeds.
    assert len(found["point"]) > 2 * 2 * 2 * 2 * 8
    return found


@pytest.fixture(scope="module")
def local_long(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """The results of this one machine where points take long."""
    return content(Run(tmp_path_factory.mktemp("long"), "local", study=LONG_STUDY).whole())


@pytest.fixture(scope="module")
def local_programs(tmp_path_factory: pytest.TempPathFactory) -> Content:
    """The programs of this one machine."""
    run = Run(tmp_path_factory.mktemp("programs"), "local", study=PROGRAMS)
    found = content(run.whole())
    # Four programs on two networks; minimal routes can deadlock on both.
    assert len(found["replay"]) == 4 * 2 * 2
    return found


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("dask")
    with dask_cluster(folder) as address:
        yield f"dask:{address}", folder


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with slurm_cluster(tmp_path_factory.mktemp("slurm")) as environment:
        yield environment


def test_dask_workers_give_the_numbers_of_one_machine(
    local: Content, dask: tuple[str, Path], tmp_path: Path
) -> None:
    run = Run(tmp_path, dask[0])
    assert content(run.whole()) == local


def test_a_slurm_job_array_gives_the_numbers_of_one_machine(
    local: Content, slurm: dict[str, str], tmp_path: Path
) -> None:
    run = Run(tmp_path, "slurm", slurm)
    assert content(run.whole()) == local
    assert [path.name for path in run.results.parent.iterdir()] == ["results.sqlite"]


def survey_of(folder: Path, place: str, changes: dict[str, str]) -> dict[str, Any]:
    """Survey a torus in a process of its own, and return the document."""
    net = folder / "net.json"
    weft.write_fabric(weft.torus(8, 8), net)
    program = str(Path(sys.executable).with_name("weft"))
    script = [program, "survive", str(net), "best:lanes=2,starts=1"]
    options = ["--parts", "cables", "--parts", "switches", "--anew", "0", "--json"]
    where = ["--results", str(folder / "survey"), "--on", place]
    done = subprocess.run(
        [*script, *options, *where],
        env={**os.environ, **changes},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_surveys_of_failures_are_alike_on_dask_and_slurm(
    dask: tuple[str, Path], slurm: dict[str, str], tmp_path: Path
) -> None:
    found = []
    for place, changes in [("local", {}), (dask[0], {}), ("slurm", slurm)]:
        folder = tmp_path / place.partition(":")[0]
        folder.mkdir()
        found.append(survey_of(folder, place, changes))
        assert len(list((folder / "survey/batches").iterdir())) == 3
    assert found[0] == found[1] == found[2]
    assert len(found[0]["failures"]) == 128 + 64


def test_programs_run_alike_on_dask_and_slurm(
    local_programs: Content,
    dask: tuple[str, Path],
    slurm: dict[str, str],
    tmp_path: Path,
) -> None:
    for place, environment in ((dask[0], {}), ("slurm", slurm)):
        folder = tmp_path / place[:4]
        folder.mkdir()
        run = Run(folder, place, environment, PROGRAMS)
        assert content(run.whole()) == local_programs
        assert [path.name for path in run.results.parent.iterdir()] == ["results.sqlite"]


def processes_with(text: str, parent_of: str = "") -> list[int]:
    """Return the processes whose command line, or whose parent's, holds a text of this test."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
            parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
            above = Path("/proc", parent, "cmdline").read_bytes().decode(errors="replace")
        except (OSError, IndexError):
            continue
        if (parent_of and parent_of in above and "spawn_main" in command) or (
            text and text in command
        ):
            found.append(int(entry.name))
    return sorted(found)


def assert_complete(run: Run, local: Content) -> None:
    """Nothing is lost, nothing is there twice, and nothing differs."""
    run.finish()
    assert content(run.results) == local
    cases = read_study(run.folder / "study.toml").cases
    assert sum(status.missing_points for status in case_statuses(cases, run.results)) == 0


def survive(
    runs: Iterator[Run],
    local: Content,
    seed: int,
    workers: Callable[[Run], list[int]] | None = None,
) -> None:
    """Kill at random moments, and go on each time: the coordinator ten times, workers ten times.

    Which of them is next is drawn, too. A machine may be fast enough to end a study before that;
    then the next one is killed.
    """
    chance = random.Random(seed)
    left = [True] * KILLS + [False] * (KILLS if workers else 0)
    chance.shuffle(left)
    run = next(runs)
    run.begin()
    while left:
        is_coordinator = left[-1]
        before = point_count(run.results)
        wait_until(
            lambda run=run, count=before: point_count(run.results) > count or not run.is_running(),
            "a new point",
        )
        time.sleep(chance.uniform(0, 0.3))
        if not is_coordinator:
            wait_until(lambda run=run: workers(run) or not run.is_running(), "a worker")
        if not run.is_running():
            assert_complete(run, local)
            run = next(runs)
            run.begin()
        elif is_coordinator:
            written = rows(run.results)
            run.kill()
            left.pop()
            kept = rows(run.results)
            # What was there is there still; whole points of the study, none of them twice.
            assert written <= kept <= set(map(repr, local["point"]))
            assert len(kept) == point_count(run.results)
            run.begin()
        elif found := workers(run):
            # One may have ended by itself since.
            with suppress(ProcessLookupError):
                os.kill(chance.choice(found), signal.SIGKILL)
                left.pop()
    assert_complete(run, local)


def rows(results: Path) -> set[str]:
    """Return the points of a file."""
    return set(map(repr, content(results)["point"]))


def runs_in(folder: Path, place: str, environment: dict[str, str]) -> Iterator[Run]:
    """The same study, each time in another folder; more would mean that nothing is killed."""
    for number in range(2 * KILLS):
        place_of_run = folder / str(number)
        place_of_run.mkdir()
        yield Run(place_of_run, place, environment)


def test_dask_workers_and_the_coordinator_may_be_killed_at_any_moment(
    local: Content, dask: tuple[str, Path], tmp_path: Path
) -> None:
    place, folder = dask
    # The nannies' children: each nanny starts another in the place of one that was killed.
    runs = runs_in(tmp_path, place, {})
    survive(runs, local, 1, lambda _: processes_with("", parent_of=f"{folder}/worker"))


def test_slurm_tasks_and_the_coordinator_may_be_killed_at_any_moment(
    local: Content, slurm: dict[str, str], tmp_path: Path
) -> None:
    def tasks(run: Run) -> list[int]:
        return processes_with(f"slurm_task\0{run.results.with_suffix('.slurm')}")

    survive(runs_in(tmp_path, "slurm", slurm), local, 2, tasks)


def test_threads_of_one_process_may_be_killed_at_any_moment(local: Content, tmp_path: Path) -> None:
    survive(runs_in(tmp_path, "local", {}), local, 3)


@pytest.mark.parametrize("place", ["local", "dask"])
def test_status_tells_how_far_it_is_cancel_stops_it_and_resume_goes_on(
    place: str, local_long: Content, dask: tuple[str, Path], tmp_path: Path
) -> None:
    run = Run(tmp_path, dask[0] if place == "dask" else place, study=LONG_STUDY)
    run.begin()
    wait_until(lambda: point_count(run.results) > 0, "a first point")
    assert json.loads(run.told("status").stdout)["worked_on_by"]["process"] == run.process.pid
    (stopped,) = json.loads(run.told("cancel").stdout)["stopped"]
    assert stopped.startswith(f"asked process {run.process.pid} ")
    assert run.process.wait(60) in (0, 130), run.log()
    status = json.loads(run.told("status").stdout)
    assert status["worked_on_by"] is None
    assert sum(case["points"] for case in status["cases"]) == point_count(run.results)
    assert run.told("resume", "--on", run.place).returncode == 0
    assert content(run.results) == local_long
    status = json.loads(run.told("status").stdout)
    assert sum(case["missing_points"] for case in status["cases"]) == 0


def test_cancel_ends_the_job_array_and_resume_collects_what_it_left(
    local_long: Content, slurm: dict[str, str], tmp_path: Path
) -> None:
    run = Run(tmp_path, "slurm", slurm, LONG_STUDY)
    run.begin()
    wait_until(lambda: point_count(run.results) > 0, "a first point")
    run.kill()
    stopped = run.told("cancel")
    assert stopped.returncode == 0, stopped.stderr
    assert "ended the job array" in stopped.stdout
    assert json.loads(run.told("cancel").stdout)["stopped"] == []
    resumed = run.told("resume", "--on", "slurm")
    assert resumed.returncode == 0, resumed.stderr
    assert content(run.results) == local_long
