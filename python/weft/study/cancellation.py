"""Stopping a study from outside: the process that works on it, and its job array."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from weft.array_job import ArrayJob
from weft.study.presence import ask_to_stop, worker_on

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["cancel"]


def cancel(results: Path) -> list[str]:
    """Stop whatever works on a results file; finished points are kept.

    Each sentence that comes back says what was asked to stop.
    """
    stopped = []
    worker = worker_on(results)
    if worker is not None:
        ask_to_stop(results)
        stopped.append(f"asked process {worker.get('process')} on {worker.get('host')} to stop")
    folder = results.with_suffix(".slurm")
    if folder.is_dir() and shutil.which("scancel") is not None:
        job = ArrayJob(folder)
        if job.is_running():
            job.cancel()
            stopped.append(f"ended the job array that works in {folder}")
    return stopped
