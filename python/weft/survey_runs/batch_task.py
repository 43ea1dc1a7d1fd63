"""What other processes do with batches of failures: workers of Dask's, tasks of a job array.

``python -m weft.survey_runs.batch_task FOLDER`` does every so many of the batches that are not
there, as the task of Slurm's that it is. What cannot go on leaves the reason in ``errors``.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from weft import _core
from weft._files import write_text
from weft.errors import WeftError
from weft.survey_runs.folder import SurveyFolder

if TYPE_CHECKING:
    from weft.survive.survey import Numbers, Told

__all__ = ["main", "surveyed"]

_KEPT = 4  #: Tables that a process keeps for its next batches.


def surveyed(
    fabric: str, tables: str, rounds: int, seed: int, failures: list[Numbers]
) -> list[Told]:
    """Return what failures come to, on a network and by tables given as their texts."""
    return _standing(fabric, tables, rounds, seed).survive(failures)


@lru_cache(_KEPT)
def _standing(fabric: str, tables: str, rounds: int, seed: int) -> _core.StandingTables:
    network, *_ = _core.read_fabric(fabric.encode(), "fabric of the survey")
    routing, _ = _core.read_routes(network, tables.encode(), "tables of the survey")
    return _core.StandingTables(network, routing, rounds, seed)


def main(folder: Path, task: int, tasks: int) -> int:
    """Do the batches of a task, every so many from its number on."""
    survey = SurveyFolder(folder)
    try:
        fabric, routing, rounds, seed = survey.restored()
        standing = _core.StandingTables(fabric, routing, rounds, seed)
        for batch in survey.missing(survey.batch_count())[task::tasks]:
            survey.leave(batch, standing.survive(survey.numbers(batch)))
    except WeftError as error:
        write_text(folder / "errors" / str(task), f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    number, last = (int(os.environ[f"SLURM_ARRAY_TASK_{name}"]) for name in ("ID", "MAX"))
    sys.exit(main(Path(sys.argv[1]), number, last + 1))
