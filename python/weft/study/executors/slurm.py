"""Points simulated, and programs replayed, by a Slurm job array.

Everything is files in one folder beside the results, on a file system that all nodes share::

    fabrics/DIGEST      one text per fabric
    traces/DIGEST       one folder per trace
    tasks/NUMBER.json   the sweeps and programs of one task, packed by estimated cost
    points/CONTENT      one file per finished point or program, put there whole
    errors/NUMBER       why a task could not go on
    logs/NUMBER         what it printed

A task runs what is in it to its end and leaves every point as it finishes; the process that started
the array collects the points into the results file meanwhile. It may be killed and started again:
the array goes on, and what it left is collected then. Options of the cluster (partition, account,
time limit) are given to sbatch by its own variables, such as ``SBATCH_PARTITION``.
"""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from weft._files import write_text
from weft.array_job import ArrayJob
from weft.errors import EnvironmentFailure
from weft.spec.trace_files import trace_contents, written_trace
from weft.study.case import fabric_text
from weft.study.executors.interface import Finished, ReplayWork
from weft.study.executors.packing import packed
from weft.study.executors.wire import conditions_of, read_figures

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.spec.programs import StudyProgram
    from weft.study.executors.interface import Unit, Work

__all__ = ["SlurmExecutor"]

_FOLDERS = ("fabrics", "traces", "tasks", "points", "errors", "logs")
_ASK_S = 2.0  #: How often the scheduler is asked whether the array still runs.
#: Arrays that end one after another without a new point, after which the study gives up.
_MOST_FRUITLESS = 3


class SlurmExecutor:
    """A job array, and the folder it works in, removed when all points are collected."""

    plans_ahead = True
    #: All points of a round are expected at once: the tasks decide when each is simulated.
    slots = 1 << 30

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._job = ArrayJob(folder)
        self._units: Sequence[Unit] = ()
        self._waiting: dict[str, Work] = {}
        self._asked_at = 0.0
        self._fruitless = 0

    def plan(self, units: Sequence[Unit]) -> None:
        """Start an array for the sweeps, unless one of an earlier call still works here."""
        self._units = units

    def submit(self, work: Work) -> None:
        """Expect a point from the array."""
        self._waiting[work.content] = work

    def finished(self, timeout_s: float) -> list[Finished]:
        """Return points that arrived since the last call, waiting for the first of them."""
        found = self._collected()
        if found:
            self._fruitless = 0
            return found
        if time.monotonic() - self._asked_at >= _ASK_S:
            is_running = self._job.is_running()
            self._asked_at = time.monotonic()
            if not is_running:
                # What its last task left between the two looks comes first.
                return self._collected() or self._begin_array()
        time.sleep(timeout_s)
        return self._collected()

    def stop(self) -> list[Finished]:
        """End the array, and return what it left."""
        self._job.cancel()
        return [entry for entry in self._collected() if entry.figures is not None]

    def close(self) -> None:
        """Remove the folder when nothing is waited for: all of it is in the results file."""
        if not self._waiting and self._units:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _collected(self) -> list[Finished]:
        points = self._folder / "points"
        if not points.is_dir():
            return []
        arrived = {path.name for path in points.iterdir()} & self._waiting.keys()
        found = []
        for content in sorted(arrived):
            figures, wall_s = read_figures((points / content).read_bytes())
            del self._waiting[content]
            found.append(Finished(content, figures, wall_s))
        return found

    def _begin_array(self) -> list[Finished]:
        """Start an array for all sweeps that are waited for; give up where that leads nowhere."""
        self._fruitless += 1
        errors = self._folder / "errors"
        reasons = sorted(errors.iterdir()) if errors.is_dir() else []
        if reasons or self._fruitless > _MOST_FRUITLESS:
            reason = (
                reasons[0].read_text(encoding="utf-8").strip()
                if reasons
                else f"{_MOST_FRUITLESS} job arrays ended without a point; see {self._folder}/logs"
            )
            shutil.rmtree(errors, ignore_errors=True)
            content = next(iter(self._waiting))
            return [Finished(content, None, 0.0, EnvironmentFailure(reason))]
        wanted = {work.routed for work in self._waiting.values()}
        try:
            for name in _FOLDERS:
                (self._folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{self._folder}: cannot be written: {(error.strerror or '').lower()}"
            raise EnvironmentFailure(message) from error
        units = [unit for unit in self._units if unit.routed in wanted]
        tasks = packed(units)
        for unit in units:
            path = self._folder / "fabrics" / unit.routed.fabric_digest
            if not path.exists():
                write_text(path, fabric_text(unit.routed.fabric))
            if isinstance(unit, ReplayWork):
                self._write_trace(unit.routed.spec.program)
        for number, pieces in enumerate(tasks):
            document = [_written(units[unit], points) for unit, points in pieces.items()]
            write_text(self._folder / "tasks" / f"{number}.json", json.dumps(document))
        self._job.start(len(tasks))
        return []

    def _write_trace(self, program: StudyProgram) -> None:
        if program.trace is not None:
            folder = self._folder / "traces" / program.digest
            written_trace(trace_contents(program.trace), folder)


def _written(unit: Unit, points: list[tuple[float, int]] | None) -> dict[str, Any]:
    """Write what a task does: a program, some points of a sweep, or all of a ladder."""
    conditions = conditions_of(unit.routed)
    if isinstance(unit, ReplayWork):
        return {"conditions": conditions, "hosts": unit.hosts, "content": unit.content}
    return {
        "conditions": conditions,
        "ladder_bound": unit.ladder_bound,
        "points": points,
        "known": [
            [load, seed, *astuple(outcome)] for (load, seed), outcome in sorted(unit.known.items())
        ],
    }
