"""Which free hosts a job should have, beside those that run."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from weft._ranges import require_whole
from weft.errors import InputError
from weft.jobs.estimate import estimate_times
from weft.jobs.running import run_jobs
from weft.jobs.sharing import job_load
from weft.jobs.verdict import mean_time
from weft.placement import PLACEMENTS, place_ranks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft._core import Cancel, Fabric, Hardware, Routing
    from weft.jobs.job import Job
    from weft.jobs.running import JobsRun

__all__ = ["PlacedJob", "place_job"]

#: Most placements that are drawn.
_MOST_DRAWN = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class PlacedJob:
    """A job on some hosts, and what all jobs take then."""

    placement: str  #: The rule, with the seed of drawn hosts
    hosts: list[int]  #: Host of each rank
    #: Estimated time of the job, and of those that run, in their order
    estimated_ns: list[float]
    run: JobsRun | None  #: All of them simulated, where that was done: the job is the last

    @property
    def estimated_cost_ns(self) -> float:
        """Geometric mean of the estimated times, by which placements are ranked."""
        return mean_time(self.estimated_ns)

    @property
    def simulated_cost_ns(self) -> float:
        """Geometric mean of the simulated times; NaN where it was not simulated."""
        if self.run is None:
            return math.nan
        return mean_time([job.duration_ns for job in self.run.jobs])


def place_job(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    job: Job,
    beside: Sequence[Job] = (),
    *,
    per_host: int = 1,
    drawn: int = 6,
    simulated: int = 3,
    messaging: Mapping[str, float] | None = None,
    nodes: Sequence[int] | None = None,
    cancel: Cancel | None = None,
) -> list[PlacedJob]:
    """Rank placements of a job on free hosts beside the jobs that run, best first.

    Each rule of :func:`place_ranks` is tried, and some placements that are drawn. All are ranked by
    an estimate from what the jobs bring onto the channels; the few best are simulated, and ranked
    by that.

    Parameters
    ----------
    fabric, routing, hardware
        The network, its routes, the machine.
    job : Job
        The job to place; its hosts do not matter.
    beside : sequence of Job
        Those that run, on their hosts.
    per_host : int
        Ranks of the job on a host.
    drawn : int
        How many placements are drawn besides those of the rules.
    simulated : int
        How many of the best are simulated.
    messaging, nodes, cancel
        As of :func:`run_jobs`.

    Returns
    -------
    list of PlacedJob
        Those simulated by their simulated times, then the others by their estimates.

    Raises
    ------
    InputError
        When too few hosts are free, or a number is out of range.
    RoutingError
        Where packets choose on their way, so that nothing can be estimated.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.generate("k_ary_n_tree", k=4, n=2)
    >>> routing, machine = weft.route(fabric, "d_mod_k"), weft.hardware("infiniband_hdr")
    >>> ring = weft.collective("allreduce", 4, size_bytes=65536)
    >>> one = weft.Job("one", ring, [0, 1, 4, 5])
    >>> best = weft.place_job(fabric, routing, machine, weft.Job("new", ring, [0] * 4), [one])[0]
    >>> best.placement, best.hosts
    ('packed', [8, 9, 10, 11])
    """
    require_whole("drawn", drawn, 0, _MOST_DRAWN)
    require_whole("simulated", simulated, 0, _MOST_DRAWN)
    if any(other.name == job.name for other in beside):
        message = f"job “{job.name}” runs already; expected another name"
        raise InputError(message)
    taken = {host for other in beside for host in other.hosts}
    loads = [job_load(fabric, routing, hardware, other, nodes=nodes) for other in beside]
    starts = [other.start_ns for other in beside]
    found: list[PlacedJob] = []
    for placement, rule, seed in _candidates(drawn):
        hosts = place_ranks(fabric, job.ranks, rule, seed=seed, per_host=per_host, taken=taken)
        if any(other.hosts == hosts for other in found):
            continue
        placed = replace(job, hosts=hosts)
        own = job_load(fabric, routing, hardware, placed, nodes=nodes)
        times = estimate_times([*loads, own], [*starts, job.start_ns])
        found.append(PlacedJob(placement, hosts, [times[-1], *times[:-1]], None))
    found.sort(key=lambda one: one.estimated_cost_ns)
    best = [
        replace(
            one,
            run=run_jobs(
                fabric,
                routing,
                hardware,
                [*beside, replace(job, hosts=one.hosts)],
                messaging=messaging,
                nodes=nodes,
                alone=False,
                cancel=cancel,
            ),
        )
        for one in found[:simulated]
    ]
    best.sort(key=lambda one: one.simulated_cost_ns)
    return [*best, *found[simulated:]]


def _candidates(drawn: int) -> list[tuple[str, str, int]]:
    """Return name, rule and seed of the placements that are tried."""
    rules = [(rule, rule, 1) for rule in PLACEMENTS if rule != "random"]
    return rules + [(f"random, seed {seed}", "random", seed) for seed in range(1, drawn + 1)]
