"""Several programs at once on one network: how much each slows the others, and where."""

from weft.jobs.job import Job
from weft.jobs.job_lists import JobsFile, read_jobs
from weft.jobs.placing import PlacedJob, place_job
from weft.jobs.running import JobRun, JobsRun, run_jobs
from weft.jobs.sharing import JobLoad, SharedCable, job_load
from weft.jobs.times import JobTimes, job_times
from weft.jobs.verdict import JobsRow, best_of, verdict_text

__all__ = [
    "Job",
    "JobLoad",
    "JobRun",
    "JobTimes",
    "JobsFile",
    "JobsRow",
    "JobsRun",
    "PlacedJob",
    "SharedCable",
    "best_of",
    "job_load",
    "job_times",
    "place_job",
    "read_jobs",
    "run_jobs",
    "verdict_text",
]
