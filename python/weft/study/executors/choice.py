"""Which executor ``--on`` means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._machine import usable_processors
from weft.errors import StudyError
from weft.study.executors.dask import DaskExecutor
from weft.study.executors.local import LocalExecutor
from weft.study.executors.slurm import SlurmExecutor

if TYPE_CHECKING:
    from pathlib import Path

    from weft.study.executors.interface import Executor
    from weft.study.stages import Stages

__all__ = ["executor_on"]


def executor_on(place: str, stages: Stages, results: Path, jobs: int | None = None) -> Executor:
    """Return the executor of a place.

    Parameters
    ----------
    place : str
        ``local``, ``dask:ADDRESS`` such as ``dask:tcp://10.0.0.1:8786``, or ``slurm``.
    stages : Stages
        What simulates here; other machines have Weft's own.
    results : Path
        The results file; a job array works in a folder beside it.
    jobs : int, optional
        Simulations at a time on this machine; one per processor when left out.

    Raises
    ------
    StudyError
        When there is no such place, or ``jobs`` is given for another machine or out of range.
    EnvironmentFailure
        When the scheduler does not answer or its programs are missing.
    """
    kind, _, address = place.partition(":")
    if kind == "local" and not address:
        jobs = usable_processors() if jobs is None else jobs
        if jobs < 1:
            message = f"jobs {jobs}: expected at least 1 simulation at a time"
            raise StudyError(message)
        return LocalExecutor(stages, jobs)
    if jobs is not None:
        message = f"jobs {jobs}: given for {place}, whose scheduler decides it; leave it out"
        raise StudyError(message)
    if kind == "dask" and address:
        return DaskExecutor(address)
    if kind == "slurm" and not address:
        return SlurmExecutor(results.with_suffix(".slurm"))
    message = f"on {place}: expected local, dask:tcp://HOST:PORT or slurm"
    raise StudyError(message)
