"""How long jobs take beside one another, whichever came a moment sooner; in full, or cut short."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from weft import _core
from weft._ranges import require_whole
from weft.hardware import hardware as hardware_of
from weft.jobs.cut_runs import expected_ends
from weft.jobs.running import check_jobs, end_of_each, run_together
from weft.jobs.verdict import cost_of
from weft.replay import messaging_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft._core import Cancel, Fabric, Hardware, Routing
    from weft.jobs.job import Job
    from weft.replay import Replay
    from weft.workload import Traffic

__all__ = ["JobTimes", "RunPlan", "job_times", "plan_runs", "planned_times"]

#: Runs whose starts differ: the mean of four has a quarter of the variance of one.
_RUNS_IN_FULL = 4
#: So many are there where work is little: placements often cost within a percent of one another,
#: and single runs of one of them differ as much.
_MOST_RUNS = 16
#: Runs that would be cut to less than one in so many have longer packets, as cut ones say little of
#: what comes after: so much less that a third says more than a half of packets twice as long.
_MOST_CUT = 5
#: Work of the engine for a packet, with its part of the messages: 6 to 11 on 1,024 hosts.
_WORK_OF_PACKET = 8
#: Within this time nobody knows when a launcher has all ranks of a job begin.
_STARTS_WITHIN_NS = 2000.0
#: So many repetitions of each job say what all of them would, as they meet.
_LEAST_REPETITIONS = 4
#: The longest packet of the messaging layer and of hardware.
_LONGEST_PACKET = 1 << 20
#: Parameters of cut-through hardware that grow with packets, so that buffers hold as many as before
#: and links carry the same share of headers, with the most that each may be.
_GROW = {
    "mtu_bytes": _LONGEST_PACKET,
    "overhead_bytes": 1 << 16,
    "input_buffer_bytes": 1 << 30,
    "output_buffer_bytes": 1 << 30,
    "stop_above_bytes": 1 << 30,
    "go_below_bytes": 1 << 30,
}


@dataclass(frozen=True, slots=True)
class JobTimes:
    """What jobs took beside one another, in several runs in which they started a moment apart."""

    runs_ns: list[list[float]]  #: Of each run the time of each job; NaN of one that came to no end
    #: Packets that went as one, as long as all of them: 1 where all went by themselves
    packets_as_one: int
    #: Share of the packets that were there when a run was ended: 1 where jobs came to their ends
    simulated_share: float

    @property
    def is_in_full(self) -> bool:
        """Whether everything was simulated that jobs do, in four runs at least."""
        is_short = self.packets_as_one > 1 or self.simulated_share < 1
        return not is_short and len(self.runs_ns) >= _RUNS_IN_FULL

    @property
    def mean_ns(self) -> list[float]:
        """Time of each job, the mean of all runs."""
        return [statistics.fmean(each) for each in zip(*self.runs_ns, strict=True)]

    @property
    def cost_ns(self) -> float:
        """Geometric mean of the times of all jobs, the mean of all runs; infinite without an end.

        So a short job counts as a long one.
        """
        return statistics.fmean(map(cost_of, self.runs_ns))

    @property
    def spread(self) -> float:
        """Standard deviation of the cost of a run over the mean; NaN of one run alone."""
        costs = [cost_of(times) for times in self.runs_ns]
        if len(costs) < 2 or not math.isfinite(self.cost_ns):
            return math.nan
        return statistics.stdev(costs) / self.cost_ns


def job_times(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    jobs: Sequence[Job],
    *,
    background: Traffic | None = None,
    messaging: Mapping[str, float] | None = None,
    nodes: Sequence[int] | None = None,
    most_work: int | None = None,
    cancel: Cancel | None = None,
) -> JobTimes:
    """Simulate jobs beside one another several times, each time started a moment apart.

    Which of two messages came first at a switch decides what all after them meet, so that a job
    that starts a tenth of a microsecond later may take a few percent more or less. What one
    placement costs more than another is told by the mean.

    Within so much work of the engine there are as many runs as that gives, 16 at most and one at
    least. A single one that is more is ended there, and jobs under way are taken to go on as fast
    as in its second half; it goes on to its end where one has received nothing by then. Where that
    is less than a fifth of what jobs do, or of four repetitions of each where all have more,
    several packets go as one, in buffers as much larger, until it is not, or messages are as short
    as these.

    Parameters
    ----------
    fabric, routing, hardware, jobs, background, messaging, nodes, cancel
        As of :func:`run_jobs`.
    most_work : int, optional
        About so much work of the engine in all, some 10 million a second: its events, and 20 for
        each message. 4 runs in full when left out.

    Returns
    -------
    JobTimes
        Depends on the arguments alone; times are those of all repetitions.

    Raises
    ------
    InputError
        When there is no job, two have one name, or a number is out of range.
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
    >>> routing = weft.route(fabric, "updown")
    >>> times = weft.jobs.job_times(fabric, routing, weft.hardware(), jobs)
    >>> len(times.runs_ns), times.is_in_full
    (4, True)
    """
    plan = plan_runs(hardware, jobs, messaging=messaging, most_work=most_work)
    return planned_times(
        fabric, routing, jobs, plan, background=background, nodes=nodes, cancel=cancel
    )


class RunPlan(NamedTuple):
    """What runs of jobs are like, wherever the jobs are: of many placements it is made once."""

    hardware: Hardware  #: For as many packets as go as one
    messaging: dict[str, float]  #: The same
    most_work: int | None  #: Of the engine in all; none for runs in full
    packets: list[int]  #: Of all messages of each job; none for runs in full
    packets_as_one: int


def plan_runs(
    hardware: Hardware,
    jobs: Sequence[Job],
    *,
    messaging: Mapping[str, float] | None = None,
    most_work: int | None = None,
) -> RunPlan:
    """Choose how jobs are simulated, with arguments and errors of :func:`job_times`.

    To count the packets of all ranks takes a twentieth of an estimate.
    """
    check_jobs(jobs)
    changes = dict(messaging or {})
    if most_work is None:
        return RunPlan(hardware, changes, None, [], 1)
    require_whole("most_work", most_work, 1, 2**63 - 1)
    packet_bytes = _packet_bytes(hardware, changes)
    packets = _packets(jobs, packet_bytes)
    longer = _packets_as_one(jobs, packets, packet_bytes, most_work)
    if longer > 1:
        packet_bytes *= longer
        packets = _packets(jobs, packet_bytes)
        changes["packet_bytes"] = packet_bytes
        hardware = _with_longer_packets(hardware, longer)
    return RunPlan(hardware, changes, most_work, packets, longer)


def planned_times(
    fabric: Fabric,
    routing: Routing,
    jobs: Sequence[Job],
    plan: RunPlan,
    *,
    background: Traffic | None = None,
    nodes: Sequence[int] | None = None,
    cancel: Cancel | None = None,
) -> JobTimes:
    """Simulate jobs as planned for the same jobs on these or other hosts.

    Arguments, result and errors are those of :func:`job_times`.
    """

    def run(started: Sequence[Job], most_work: int | None) -> Replay:
        replay, _ = run_together(
            fabric,
            routing,
            plan.hardware,
            started,
            background=background,
            messaging=plan.messaging,
            nodes=nodes,
            most_work=most_work,
            cancel=cancel,
        )
        return replay

    most_work = plan.most_work
    runs, share = _RUNS_IN_FULL, 1.0
    found: list[list[float]] = []
    while len(found) < runs:
        started = _started(jobs, len(found))
        replay = run(started, most_work)
        ends = end_of_each(replay, started)
        if most_work is not None and replay.end == "stopped":
            ends = expected_ends(replay, started, plan.packets)
            share = sum(replay.course.received_packets.tolist()) / sum(plan.packets)
            if any(map(math.isnan, ends)):
                replay, share = run(started, None), 1.0
                ends = end_of_each(replay, started)
        if most_work is not None and not found:
            runs = min(_MOST_RUNS, max(1, most_work // max(replay.course.work, 1)))
        # A start between two cycles is at one of them.
        pairs = zip(ends, started, strict=True)
        found.append([max(end - job.start_ns, 0.0) for end, job in pairs])
    return JobTimes(found, plan.packets_as_one, share)


def _packets(jobs: Sequence[Job], packet_bytes: int) -> list[int]:
    """Count the packets of all messages of each job."""
    return [
        job.repetitions
        * _core.trace_packets(job.program, job.region, dict(job.algorithms), packet_bytes)
        for job in jobs
    ]


def _packets_as_one(
    jobs: Sequence[Job], packets: Sequence[int], packet_bytes: int, most_work: int
) -> int:
    """Choose how many packets go as one, so that runs are not cut to a small part."""
    too_many = sum(packets) * _WORK_OF_PACKET / (_MOST_CUT * most_work)
    least = min((job.repetitions for job in jobs), default=1)
    too_many /= max(1, least // _LEAST_REPETITIONS)
    longer = 1
    while longer < too_many and 2 * longer * packet_bytes <= _LONGEST_PACKET:
        longer *= 2
    return longer


def _packet_bytes(hardware: Hardware, messaging: Mapping[str, float]) -> int:
    told = {**messaging_defaults(hardware.preset), **messaging}["packet_bytes"]
    mtu = hardware.parameters.get("mtu_bytes", told)
    return min(int(told), int(mtu))


def _with_longer_packets(hardware: Hardware, times: int) -> Hardware:
    """Return hardware for packets so many times as long; wormhole hardware takes any."""
    if hardware.switching == "wormhole":
        return hardware
    values = hardware.parameters
    for name, most in _GROW.items():
        values[name] = min(int(values[name]) * times, most)
    return hardware_of(hardware.preset, **values)


def _started(jobs: Sequence[Job], run: int) -> list[Job]:
    """Let each job start as told, or in further runs up to 2 µs later."""
    if run == 0:
        return list(jobs)
    draws = random.Random(run)  # noqa: S311 - a sample, no secret
    return [
        replace(job, start_ns=job.start_ns + _STARTS_WITHIN_NS * draws.random()) for job in jobs
    ]
