"""Jobs beside one another, and each by itself."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.jobs.sharing import (
    BACKGROUND,
    EVENTS,
    NOT_JOBS,
    JobLoad,
    SharedCable,
    has_known_load,
    job_load,
    shared_cables,
)
from weft.replay import RANK_PARTS, last_end, replay_jobs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft._core import Cancel, Fabric, Hardware, Routing
    from weft.jobs.job import Job
    from weft.rehearsal import Event, Retries
    from weft.replay import Replay
    from weft.timeline import TimelineDetail
    from weft.workload import Traffic

__all__ = ["JobRun", "JobsRun", "check_jobs", "end_of_each", "run_jobs", "run_together"]

#: Shared cables that are named for each job.
_MOST_CABLES = 10
#: Beside traffic without an end, so many times as long as without it is enough.
_PATIENCE = 100


@dataclass(frozen=True, slots=True, eq=False)
class JobRun:
    """How one of several jobs ran. Times are nanoseconds."""

    job: Job  #: The job
    end_ns: float  #: When its last rank was at its end; NaN where one never is
    #: The same by itself on the same hosts, from its start; NaN where it was not run so
    alone_ns: float
    #: Mean time of its ranks by what it went to: computing_ns, sending_ns and so on
    parts_ns: dict[str, float]
    alone_parts_ns: dict[str, float]  #: The same by itself; empty where it was not run so
    #: What it brings onto the channels; none where packets choose on their way
    load: JobLoad | None
    #: Channels it shares with others, where it can wait longest first
    shared: list[SharedCable]
    #: What each of the others costs it, by name, ``background`` traffic beside them, and ``events``
    #: meanwhile: its time less that without the other, all else alike. Several that are in each
    #: other's way need not add up to what all cost; below 0 where one keeps others out of its way.
    #: Empty where that was not simulated
    lost_to_ns: dict[str, float]

    @property
    def duration_ns(self) -> float:
        """Time from its start to the end of its last rank."""
        return max(self.end_ns - self.job.start_ns, 0.0)

    @property
    def slowdown(self) -> float:
        """Its time beside the others over that by itself; NaN where either is not known."""
        return self.duration_ns / self.alone_ns if self.alone_ns > 0 else math.nan

    @property
    def lost_ns(self) -> float:
        """What the others cost it."""
        return self.duration_ns - self.alone_ns


@dataclass(frozen=True, slots=True, eq=False)
class JobsRun:
    """How jobs ran beside one another."""

    replay: Replay  #: All ranks, those of the first job, then those of the next
    jobs: list[JobRun]  #: In the order in which they were given
    background: Traffic | None  #: Traffic that was beside them

    @property
    def end_ns(self) -> float:
        """When the last rank of all jobs was at its end; NaN where one never is."""
        return last_end([run.end_ns for run in self.jobs])


def run_jobs(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    jobs: Sequence[Job],
    *,
    background: Traffic | None = None,
    messaging: Mapping[str, float] | None = None,
    nodes: Sequence[int] | None = None,
    alone: bool = True,
    timeline: TimelineDetail | None = None,
    events: Sequence[Event] = (),
    retries: Retries | None = None,
    cancel: Cancel | None = None,
) -> JobsRun:
    """Run jobs beside one another, and each by itself, on the same hosts.

    Parameters
    ----------
    fabric, routing, hardware
        The network, its routes, the machine.
    jobs : sequence of Job
        What runs. Jobs may share hosts: their ranks share its adapter then.
    background : Traffic, optional
        Traffic beside the jobs between all compute ends, each of its packets a message; it goes on
        until all jobs are at their ends.
    messaging : mapping of str to float, optional
        Parameters of the messaging layer; see :func:`messaging_parameters`.
    nodes : sequence of int, optional
        Number of the computer of each host; see :func:`computer_of_host`.
    alone : bool
        Whether each job is also run by itself, without traffic and failures, and all without each
        one in turn, for what each costs the others.
    timeline : TimelineDetail, optional
        Keep a timeline of the jobs together, in this detail.
    events, retries
        What fails and changes meanwhile, as of :func:`replay`.
    cancel : Cancel, optional
        Stops the runs from another thread.

    Returns
    -------
    JobsRun
        Depends on the arguments alone.

    Raises
    ------
    InputError
        When there is no job, two have one name, hosts are not of this fabric, or one does not come
        to its end even by itself.
    FormatError, HardwareError, RoutingError, TrafficError
        As :func:`replay` and :func:`simulate`.
    Cancelled
        When ``cancel`` was used.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 1, hosts_per_switch=2)
    >>> ring = weft.collective("allreduce", 4, size_bytes=65536)
    >>> jobs = [weft.Job("one", ring, [0, 2, 4, 6]), weft.Job("other", ring, [1, 3, 5, 7])]
    >>> run = weft.run_jobs(fabric, weft.route(fabric, "updown"), weft.hardware(), jobs)
    >>> [job.slowdown > 1.5 for job in run.jobs]
    [True, True]
    """
    check_jobs(jobs)
    by_themselves: list[Replay] = []
    if alone:
        for job in jobs:
            by_itself = replay_jobs(
                fabric,
                routing,
                hardware,
                [job.told()],
                hosts=job.hosts,
                messaging=messaging,
                nodes=nodes,
                cancel=cancel,
            )
            _require_end(job, by_itself)
            by_themselves.append(by_itself)
    run = partial(
        run_together,
        fabric,
        routing,
        hardware,
        background=background,
        messaging=messaging,
        nodes=nodes,
        events=events,
        retries=retries,
        cancel=cancel,
    )
    together, quiet = run(jobs, timeline=timeline)
    ends = end_of_each(together, jobs)
    durations_without: dict[str, list[float]] = {}
    if alone and len(jobs) == 2 and background is None and not events:
        durations = [by_itself.duration_ns for by_itself in by_themselves]
        durations_without = {job.name: durations for job in jobs}
    elif alone and len(jobs) > 1:
        for other, job in enumerate(jobs):
            rest = [*jobs[:other], *jobs[other + 1 :]]
            durations = _durations(run(rest)[0], rest)
            durations_without[job.name] = [*durations[:other], math.nan, *durations[other:]]
    if alone and quiet is not None:
        durations_without[BACKGROUND] = _durations(quiet, jobs)
    if alone and events:
        undisturbed, _ = run(jobs, events=())
        durations_without[EVENTS] = _durations(undisturbed, jobs)
    loads: list[JobLoad] = []
    if has_known_load(routing):
        loads = [job_load(fabric, routing, hardware, job, nodes=nodes) for job in jobs]
    background_ns = [] if quiet is None else _background_ns(together, quiet, jobs, ends)
    shared = shared_cables(fabric, jobs, loads, background_ns, _MOST_CABLES)
    runs, first = [], 0
    for number, job in enumerate(jobs):
        own = slice(first, first + job.ranks)
        first += job.ranks
        by_itself_or_not = by_themselves[number] if alone else None
        runs.append(
            JobRun(
                job=job,
                end_ns=ends[number],
                alone_ns=math.nan if by_itself_or_not is None else by_itself_or_not.duration_ns,
                parts_ns=_parts(together, own),
                alone_parts_ns={} if by_itself_or_not is None else _parts(by_itself_or_not),
                load=loads[number] if loads else None,
                shared=shared[number] if loads else [],
                lost_to_ns={
                    name: ends[number] - job.start_ns - without[number]
                    for name, without in durations_without.items()
                    if name != job.name
                },
            )
        )
    if together.timeline is not None:
        told = tuple((job.name, job.ranks) for job in jobs)
        together = replace(together, timeline=replace(together.timeline, jobs=told))
    return JobsRun(together, runs, background)


def run_together(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    jobs: Sequence[Job],
    *,
    background: Traffic | None = None,
    messaging: Mapping[str, float] | None = None,
    nodes: Sequence[int] | None = None,
    most_work: int | None = None,
    timeline: TimelineDetail | None = None,
    events: Sequence[Event] = (),
    retries: Retries | None = None,
    cancel: Cancel | None = None,
) -> tuple[Replay, Replay | None]:
    """Run jobs beside one another, as `run_jobs` does, and nothing else.

    It is ended after so much work of the engine, if that is told. Else, beside traffic, which has
    no end, it is given up after a hundred times as long as jobs take without it; the run without it
    is returned, too.
    """
    patience_ns, without = None, None
    if background is not None and most_work is None:
        without, _ = run_together(
            fabric,
            routing,
            hardware,
            jobs,
            messaging=messaging,
            nodes=nodes,
            events=events,
            retries=retries,
            cancel=cancel,
        )
        if without.end != "finished":
            return without, None
        patience_ns = _PATIENCE * without.duration_ns + 1e6
    together = replay_jobs(
        fabric,
        routing,
        hardware,
        [job.told() for job in jobs],
        hosts=[host for job in jobs for host in job.hosts],
        begin_ns=[job.start_ns for job in jobs for _ in range(job.ranks)],
        background=background,
        most_ns=patience_ns,
        most_work=most_work,
        timeline=timeline,
        events=events,
        retries=retries,
        messaging=messaging,
        nodes=nodes,
        cancel=cancel,
    )
    return together, without


def end_of_each(together: Replay, jobs: Sequence[Job]) -> list[float]:
    """Tell when the last rank of each job was at its end; NaN where one never is."""
    ends, found = together.finish_ns.tolist(), []
    first = 0
    for job in jobs:
        found.append(last_end(ends[first : first + job.ranks]))
        first += job.ranks
    return found


def _durations(together: Replay, jobs: Sequence[Job]) -> list[float]:
    ends = end_of_each(together, jobs)
    return [end - job.start_ns for end, job in zip(ends, jobs, strict=True)]


def _background_ns(
    together: Replay, without: Replay, jobs: Sequence[Job], ends: Sequence[float]
) -> list[list[float]]:
    """Tell, for each job, how long traffic beside it took each channel meanwhile."""
    busy = zip(together.channel_busy_ns.tolist(), without.channel_busy_ns.tolist(), strict=True)
    taken = [max(with_it - without_it, 0.0) for with_it, without_it in busy]
    found = []
    for job, end in zip(jobs, ends, strict=True):
        part = (end - job.start_ns) / together.simulated_ns
        found.append([ns * part if math.isfinite(part) else ns for ns in taken])
    return found


def check_jobs(jobs: Sequence[Job]) -> None:
    """Refuse no jobs, several of one name, and the name of what is none."""
    if not jobs:
        message = "no jobs are given; expected at least one"
        raise InputError(message)
    for name, count in Counter(job.name for job in jobs).items():
        if name in NOT_JOBS:
            message = f"a job has the name “{name}”, as {NOT_JOBS[name]}; expected another"
            raise InputError(message)
        if count > 1:
            message = f"{count} jobs have the name “{name}”; expected a name of its own for each"
            raise InputError(message)


def _require_end(job: Job, replay: Replay) -> None:
    if replay.end == "finished":
        return
    waits = [f"rank {entry.rank} is {entry.waits}" for entry in replay.blocked[:1]]
    waits += [f"{step.held} waits for {step.wanted}" for step in replay.waiting_cycle[:1]]
    message = (
        f"job “{job.name}” does not come to its end by itself ({replay.end}: {waits[0]}); expected"
        " a program that does, which `weft replay` shows"
    )
    raise InputError(message)


def _parts(replay: Replay, own: slice = slice(None)) -> dict[str, float]:
    times = {name: getattr(replay, name).tolist()[own] for name in RANK_PARTS}
    return {name: sum(each) / len(each) for name, each in times.items()}
