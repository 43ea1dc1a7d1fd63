"""Running a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.study.executors import executor_on
from weft.study.replays import run_programs
from weft.study.run import run_cases
from weft.study.stages import NativeStages

if TYPE_CHECKING:
    from pathlib import Path

    from weft.study.file import StudyFile
    from weft.study.progress import Watcher
    from weft.study.stages import Stages

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
    """Compute what the results file of a study lacks.

    The results are the same, bit for bit, wherever they are computed. Points of equal
    content, also of other studies in the file, are computed once.

    Parameters
    ----------
    study : StudyFile
        From `read_study`.
    results : Path, optional
        The results file; ``weft-results/<name of the study file>/results.sqlite`` when left out.
    on : str
        Where points are simulated and programs replayed: ``local``, ``dask:tcp://HOST:PORT`` or
        ``slurm``.
    jobs : int, optional
        Simulations at a time on this machine; one per processor when left out.
    watcher : callable, optional
        Is told what happens: see `weft.study.progress`.
    stages : Stages, optional
        What routes, proves and simulates here; Weft's own stages when left out.

    Returns
    -------
    Path
        The results file; `weft.Results.open_all` reads it.

    Raises
    ------
    StudyError, RoutingError, TrafficError
        When something asked for does not exist; nothing is written then.
    ResultsError
        When the file holds another study, or another process works on it.
    EnvironmentFailure
        When the machine or a scheduler refuses; finished points are kept.
    KeyboardInterrupt
        At Ctrl-C or `weft study cancel`; finished points are kept.
    """
    path = study.default_results if results is None else results
    stages = stages or NativeStages()
    executor = executor_on(on, stages, path, jobs)
    watcher = watcher or (lambda _: None)
    if study.programs:
        run_programs(study.programs, path, executor=executor, stages=stages, watcher=watcher)
    else:
        run_cases(study.cases, path, executor=executor, stages=stages, watcher=watcher)
    return path
