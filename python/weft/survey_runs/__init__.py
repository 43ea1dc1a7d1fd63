"""Surveys of all failures that may be interrupted, on this machine, Dask or Slurm.

::

    FOLDER/
    ├── survey.json         what is looked at: a digest of network, tables and failures
    ├── fabric.json, tables.json
    └── batches/12.json     what some failures come to, put there whole

A batch that is there is not looked at again, whoever left it: a survey that was ended goes on where
it was, tasks of a job array leave theirs in the same folder, and two surveys in one do the same.
"""

from __future__ import annotations

from weft.survey_runs.running import run_survey

__all__ = ["run_survey"]
