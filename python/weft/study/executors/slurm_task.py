"""What a task of a job array runs: ``python -m weft.study.executors.slurm_task FOLDER``.

It runs its sweeps and programs one after another and leaves every point as a file, whole or not at
all. Points that are there already are read: a task that was ended, and is started again, goes on
where it was.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._files import whole_file, write_text
from weft.errors import ResultsError, WeftError
from weft.results.store import Outcome
from weft.simulate import Measurement
from weft.spec.trace_files import written_trace_in
from weft.study.case import point_content
from weft.study.executors.remote import replayed, routed_sweep, simulated
from weft.study.executors.wire import read_figures
from weft.study.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["run_program", "run_sweep", "run_task"]


def run_task(folder: Path, number: str) -> None:
    """Run what is in a task."""
    for entry in json.loads((folder / "tasks" / f"{number}.json").read_text(encoding="utf-8")):
        (run_program if "hosts" in entry else run_sweep)(folder, entry)


def run_program(folder: Path, entry: dict[str, Any]) -> None:
    """Replay a program."""
    conditions, content = entry["conditions"], entry["content"]
    digest = conditions["program"]["digest"]
    trace = written_trace_in(folder / "traces" / digest) if digest else None
    text = _fabric_text(folder, conditions)
    _leave(
        folder / "points" / content,
        lambda: replayed(text, conditions, trace, entry["hosts"], content),
    )


def run_sweep(folder: Path, entry: dict[str, Any]) -> None:
    """Run a sweep in the folder of its array to its end, or the points that are this task's."""
    conditions = entry["conditions"]
    text = _fabric_text(folder, conditions)
    routed = routed_sweep(text, conditions)
    known = {(load, seed): Outcome.stored(*rest) for load, seed, *rest in entry["known"]}

    def outcome(load: float, seed: int) -> Outcome:
        if (load, seed) in known:
            return known[load, seed]
        content = point_content(routed, load, seed)
        path = folder / "points" / content
        _leave(path, lambda: simulated(text, conditions, load, seed, content))
        figures, _ = read_figures(path.read_bytes())
        if not isinstance(figures, Measurement):
            message = f"{path}: holds a program; expected a point of {routed.specification}"
            raise ResultsError(message)
        return Outcome.of(figures)

    if entry["points"] is not None:
        for load, seed in entry["points"]:
            outcome(load, seed)
        return
    sweep = Sweep(routed.spec, routed.routing.label, entry["ladder_bound"])
    while points := sweep.begin_round():
        for load, seed in points:
            sweep.add(load, seed, outcome(load, seed))


def _fabric_text(folder: Path, conditions: dict[str, Any]) -> str:
    digest: str = conditions["fabric"]
    return (folder / "fabrics" / digest).read_text(encoding="utf-8")


def _leave(path: Path, made: Callable[[], bytes]) -> None:
    """Leave a point as a file, unless it is there."""
    if not path.exists():
        with whole_file(path) as part:
            part.write_bytes(made())


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
