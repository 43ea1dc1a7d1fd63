"""How long jobs take beside one another, whichever came a moment sooner; in full, or shortened."""

from __future__ import annotations

import math
import random
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weft import _core
from weft._ranges import require_whole
from weft.hardware import hardware as hardware_of
from weft.jobs.running import check_jobs, end_of_each, run_together
from weft.jobs.verdict import mean_time
from weft.replay import messaging_defaults

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft._core import Cancel, Fabric, Hardware, Routing
    from weft.jobs.job import Job
    from weft.workload import Traffic

__all__ = ["JobTimes", "job_times"]

#: Runs whose starts differ: the mean of four has a quarter of the variance of one.
_RUNS_IN_FULL = 4
#: So many are there where packets are few: placements often cost within a percent of one another,
#: and single runs of one of them differ as much.
_MOST_RUNS = 16
#: A single run in full tells more than a shortened one: it may have so many times the packets.
_WORTH_IN_FULL = 3
#: Within this time nobody knows when a launcher has all ranks of a job begin.
_STARTS_WITHIN_NS = 2000.0
#: So many repetitions of each job are left at least, so that they meet as all of them would.
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
    #: Repetitions that were simulated as one: 1 where all were
    repetitions_as_one: int

    @property
    def is_in_full(self) -> bool:
        """Whether everything was simulated that jobs do, in four runs at least."""
        is_short = self.packets_as_one > 1 or self.repetitions_as_one > 1
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
        return statistics.fmean(map(mean_time, self.runs_ns))

    @property
    def spread(self) -> float:
        """Standard deviation of the cost of a run over the mean; NaN of one run alone."""
        costs = [mean_time(times) for times in self.runs_ns]
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
    most_packets: int | None = None,
    cancel: Cancel | None = None,
) -> JobTimes:
    """Simulate jobs beside one another several times, each time started a moment apart.

    Which of two messages came first at a switch decides what all after them meet, so that a job
    that starts a tenth of a microsecond later may take a few percent more or less. What one
    placement costs more than another is told by the mean.

    Within a number of packets there are as many runs as that gives, 16 at most and one at least;
    where a single one has more than three times as many, jobs of many repetitions have fewer, and
    start as much sooner, and then several packets go as one, in buffers as much larger: half, a
    quarter and so on of what happens is simulated, all messages being there. Where messages are
    short, or jobs of one repetition have many, that does not make it as few as that.

    Parameters
    ----------
    fabric, routing, hardware, jobs, background, messaging, nodes, cancel
        As of :func:`run_jobs`.
    most_packets : int, optional
        About so many packets in all, or one run of up to three times as many; 4 runs in full when
        left out.

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
    check_jobs(jobs)
    changes = dict(messaging or {})
    shortening = _Shortening(_RUNS_IN_FULL, 1, 1)
    if most_packets is not None:
        require_whole("most_packets", most_packets, 1, 2**63)
        packet_bytes = _packet_bytes(hardware, changes)
        shortening = _shortening(jobs, packet_bytes, most_packets)
    times = shortening.packets
    if times > 1:
        changes["packet_bytes"] = _packet_bytes(hardware, changes) * times
        hardware = _with_longer_packets(hardware, times)
    fewer = shortening.repetitions
    shorter = [
        replace(job, repetitions=-(-job.repetitions // fewer), start_ns=job.start_ns / fewer)
        for job in jobs
    ]
    found = []
    for run in range(shortening.runs):
        started = _started(shorter, run)
        replay, _ = run_together(
            fabric,
            routing,
            hardware,
            started,
            background=background,
            messaging=changes,
            nodes=nodes,
            cancel=cancel,
        )
        ends = end_of_each(replay, started)
        found.append(
            [
                (end - begun.start_ns) * (job.repetitions / begun.repetitions)
                for end, begun, job in zip(ends, started, jobs, strict=True)
            ]
        )
    return JobTimes(found, times, fewer)


@dataclass(frozen=True, slots=True)
class _Shortening:
    """How many runs there are, and how much less than everything each simulates."""

    runs: int
    repetitions: int  #: So many of a job go as one
    packets: int  #: So many go as one


def _shortening(jobs: Sequence[Job], packet_bytes: int, most_packets: int) -> _Shortening:
    """Choose runs of about so many packets in all, or a single one of up to three times as many."""
    packets = sum(
        job.repetitions
        * _core.trace_packets(job.program, job.region, dict(job.algorithms), packet_bytes)
        for job in jobs
    )
    runs = min(_MOST_RUNS, max(1, most_packets // max(packets, 1)))
    too_many = packets / (_WORTH_IN_FULL * most_packets)
    least = min((job.repetitions for job in jobs), default=1)
    repetitions = max(1, min(math.ceil(too_many), least // _LEAST_REPETITIONS))
    longer = 1
    while longer < too_many / repetitions and 2 * longer * packet_bytes <= _LONGEST_PACKET:
        longer *= 2
    return _Shortening(runs, repetitions, longer)


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
