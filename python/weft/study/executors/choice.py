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
    """Return the executor of ``local``, ``dask:tcp://HOST:PORT`` or ``slurm``.

    Stages and jobs are those of this machine; a job array works in a folder beside the results. A
    StudyError tells of a place that does not exist, an EnvironmentFailure of a scheduler that does
    not answer.
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
