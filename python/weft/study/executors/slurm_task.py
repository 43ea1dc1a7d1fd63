"""What a task of a job array runs: ``python -m weft.study.executors.slurm_task FOLDER``.

It runs its sweeps one after another and leaves every point as a file, whole or not at all. Points
that are there already are read: a task that was ended, and is started again, goes on where it was.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._files import whole_file, write_text
from weft.errors import WeftError
from weft.results.store import Outcome
from weft.study.case import point_content
from weft.study.executors.remote import routing_of, simulated
from weft.study.executors.wire import read_measurement, spec_of
from weft.study.sweep import Sweep

if TYPE_CHECKING:
    from weft.study.spec import StudySpec

__all__ = ["run_sweep", "run_task"]


def run_task(folder: Path, number: str) -> None:
    """Run the sweeps of a task.

    Parameters
    ----------
    folder : Path
        The folder of the job array.
    number : str
        Number of the task.
    """
    for entry in json.loads((folder / "tasks" / f"{number}.json").read_text(encoding="utf-8")):
        run_sweep(folder, entry)


def run_sweep(folder: Path, entry: dict[str, Any]) -> None:
    """Run a sweep to its end, or the points of it that are this task's.

    Parameters
    ----------
    folder : Path
        The folder of the job array.
    entry : dict
        Conditions, bound of the ladder, points and what is known already.
    """
    conditions = entry["conditions"]
    text = (folder / "fabrics" / conditions["fabric"]).read_text(encoding="utf-8")
    spec: StudySpec = spec_of(conditions)
    routing = routing_of(text, conditions["routing"])
    known = {(load, seed): Outcome(*rest) for load, seed, *rest in entry["known"]}

    def outcome(load: float, seed: int) -> Outcome:
        if (load, seed) in known:
            return known[load, seed]
        content = point_content(conditions["fabric"], routing, spec, load, seed)
        path = folder / "points" / content
        if not path.exists():
            with whole_file(path) as part:
                part.write_bytes(simulated(text, conditions, load, seed, content))
        return Outcome.of(read_measurement(path.read_bytes())[0])

    if entry["points"] is not None:
        for load, seed in entry["points"]:
            outcome(load, seed)
        return
    sweep = Sweep(spec, routing.label, entry["ladder_bound"])
    while points := sweep.begin_round():
        for load, seed in points:
            sweep.add(load, seed, outcome(load, seed))


def main(folder: Path) -> int:
    """Run the task that Slurm names; leave the reason where it cannot go on."""
    number = os.environ["SLURM_ARRAY_TASK_ID"]
    try:
        run_task(folder, number)
    except WeftError as error:
        write_text(folder / "errors" / number, f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
