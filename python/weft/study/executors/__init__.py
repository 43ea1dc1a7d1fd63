"""Where a study is computed: this machine, a Dask scheduler, a Slurm cluster.

One interface (`Executor`), one study: which points there are is decided by `weft.study.run`, from
their figures alone, so that the results are the same wherever they were computed::

    local.py      threads of this process
    dask.py       workers of a Dask scheduler
    slurm.py      one job array; slurm_task.py is what a task of it runs
    wire.py       points, programs and figures as bytes, for machines that share nothing but files
"""

from __future__ import annotations

from weft.study.executors.choice import executor_on
from weft.study.executors.interface import Executor, Finished, PointWork, SweepUnit

__all__ = ["Executor", "Finished", "PointWork", "SweepUnit", "executor_on"]
