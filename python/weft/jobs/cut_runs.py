"""When jobs would have come to their ends whose run was ended before."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.jobs.running import end_of_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.jobs.job import Job
    from weft.replay import Replay

__all__ = ["expected_ends"]


def expected_ends(replay: Replay, jobs: Sequence[Job], packets: Sequence[int]) -> list[float]:
    """Tell the end of each job, of one under way as if it went on as fast.

    That is as fast as it received in the second half of the work that was done: at first all jobs
    are there, and short ones are over in the end. The ranking of placements of jobs by this was
    nearer to that of runs to the end than by the rate from a job's start.

    Parameters
    ----------
    replay : Replay
        The run of the jobs together, ended after some work.
    jobs : sequence of Job
        The jobs.
    packets : sequence of int
        Packets of all messages of each.

    Returns
    -------
    list of float
        NaN of a job that has no end, or has received nothing yet.
    """
    ends = end_of_each(replay, jobs)
    now_ns, course = replay.simulated_ns, replay.course
    received = _of_each(course.received_packets.tolist(), jobs)
    halfway = _of_each(course.halfway_packets.tolist(), jobs)
    for number, job in enumerate(jobs):
        if not math.isnan(ends[number]):
            continue
        since_ns, more = max(course.halfway_ns, job.start_ns), received[number] - halfway[number]
        if more == 0:
            since_ns, more = job.start_ns, received[number]
        if more > 0:
            left = packets[number] - received[number]
            ends[number] = now_ns + left * (now_ns - since_ns) / more
    return ends


def _of_each(of_ranks: Sequence[int], jobs: Sequence[Job]) -> list[int]:
    sums, first = [], 0
    for job in jobs:
        sums.append(sum(of_ranks[first : first + job.ranks]))
        first += job.ranks
    return sums
