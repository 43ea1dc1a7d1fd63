"""Several programs at once on one network: how much each slows the others, and where."""

from weft.jobs.job import Job
from weft.jobs.job_lists import JobsFile, read_jobs
from weft.jobs.running import JobRun, JobsRun, run_jobs
from weft.jobs.sharing import SharedCable
from weft.jobs.verdict import JobsRow, best_of, verdict_text

__all__ = [
    "Job",
    "JobRun",
    "JobsFile",
    "JobsRow",
    "JobsRun",
    "SharedCable",
    "best_of",
    "read_jobs",
    "run_jobs",
    "verdict_text",
]
