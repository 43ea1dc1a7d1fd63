"""Running a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.study.executors import executor_on
from weft.study.run import run_cases
from weft.study.run_programs import run_programs
from weft.study.stages import Stages

if TYPE_CHECKING:
    from pathlib import Path

    from weft.study.file import StudyFile
    from weft.study.progress import Watcher

__all__ = ["run_study"]


def run_study(
    study: StudyFile,
    results: Path | None = None,
    *,
    on: str = "local",
    jobs: int | None = None,
    watcher: Watcher | None = None,
    stages: Stages | None = None,
) -> Path:
    """Compute what the results file of a study lacks, and return the file.

    The results are the same, bit for bit, wherever they are computed: ``on`` is ``local``, with as
    many ``jobs`` at a time (one per processor by default), ``dask:tcp://HOST:PORT`` or ``slurm``.
    Points of equal content, also of other studies in the file, are computed once. The file is
    ``weft-results/<name of the study file>/results.sqlite`` when left out.

    What does not exist is a StudyError, RoutingError or TrafficError before anything is written; a
    file with another study, or on which another process works, a ResultsError. After an
    EnvironmentFailure or a KeyboardInterrupt (Ctrl-C, `weft study cancel`) finished points are
    kept.
    """
    path = study.default_results if results is None else results
    stages = stages or Stages()
    executor = executor_on(on, stages, path, jobs)
    watcher = watcher or (lambda _: None)
    if study.programs:
        run_programs(study.programs, path, executor=executor, stages=stages, watcher=watcher)
    else:
        run_cases(study.cases, path, executor=executor, stages=stages, watcher=watcher)
    return path
