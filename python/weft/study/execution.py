"""Running a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    The results are the same, bit for bit, wherever the points are simulated. Points of equal
    content, also of other studies in the file, are computed once.

    Parameters
    ----------
    study : StudyFile
        From `read_study`.
    results : Path, optional
        The results file; ``weft-results/<name of the study file>/results.sqlite`` when left out.
    on : str
        Where points are simulated: ``local``, ``dask:tcp://HOST:PORT`` or ``slurm``; programs
        only ``local``.
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
    from weft.errors import StudyError
    from weft.results.machine import usable_processors
    from weft.study.executors import executor_on
    from weft.study.replays import run_programs
    from weft.study.run import run_cases
    from weft.study.stages import NativeStages

    path = study.default_results if results is None else results
    if study.programs:
        if on != "local":
            message = f"programs on {on}: expected local, where programs are replayed"
            raise StudyError(message)
        run_programs(study.programs, path, jobs or usable_processors(), watcher or (lambda _: None))
        return path
    stages = stages or NativeStages()
    run_cases(
        study.cases,
        path,
        executor=executor_on(on, stages, path, jobs),
        stages=stages,
        watcher=watcher or (lambda _: None),
    )
    return path
