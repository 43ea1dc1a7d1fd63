"""Which free hosts a job should have, beside those that run."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from weft._core import Cancel
from weft._machine import usable_processors
from weft._ranges import require_whole
from weft.errors import InputError
from weft.fabric import find_computers
from weft.jobs.times import JobTimes, RunPlan, plan_runs, planned_times
from weft.placement import PLACEMENTS, place_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft._core import Fabric, Hardware, Routing
    from weft.jobs.job import Job
    from weft.workload import Traffic

__all__ = ["PlacedJob", "place_job"]

Entry = TypeVar("Entry")

#: Most placements that are drawn.
_MOST_DRAWN = 10_000


#: Work of the engine for an estimate: about 0.8 s of processor time, up to 1.3.
_ESTIMATE_WORK = 7_500_000


@dataclass(frozen=True, slots=True, eq=False)
class PlacedJob:
    """A job on some hosts, and what all jobs take then."""

    placement: str  #: The rule, with the seed of drawn hosts
    hosts: list[int]  #: Host of each rank, or all adapters of each, one rank after another
    times: JobTimes  #: What all take: the job, then those that run, in their order


def place_job(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    job: Job,
    beside: Sequence[Job] = (),
    *,
    background: Traffic | None = None,
    per_host: int = 1,
    drawn: int = 6,
    simulated: int = 3,
    messaging: Mapping[str, float] | None = None,
    nodes: Sequence[int] | None = None,
    cancel: Cancel | None = None,
) -> list[PlacedJob]:
    """Rank placements of a job on free hosts beside the jobs that run, best first.

    Each rule of :func:`place_ranks` is tried, and some placements that are drawn, of whole
    computers where names tell some with several hosts, as batch systems give nodes. All are
    simulated in about 0.8 s of processor time each, several times or not to the end, by
    :func:`weft.jobs.job_times`, on as many processors as there are, and ranked by the geometric
    mean of all jobs' times. Where that is not four runs of all that they do, the few best have
    these, and are ranked by them.

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
        How many of the best are simulated in full, where the others are not.
    background, messaging, nodes, cancel
        As of :func:`run_jobs`.

    Returns
    -------
    list of PlacedJob
        Those simulated in full, then the others; each by their cost.

    Raises
    ------
    InputError
        When too few hosts are free, a number is out of range, or jobs do not come to their ends.
    FormatError, HardwareError, RoutingError, TrafficError
        As :func:`run_jobs`.
    Cancelled
        When ``cancel`` was used.

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
    cancel = cancel or Cancel()

    jobs = [job, *beside]
    in_part = plan_runs(hardware, jobs, messaging=messaging, most_work=_ESTIMATE_WORK)
    whole = plan_runs(hardware, jobs, messaging=messaging)

    def times(hosts: list[int], plan: RunPlan) -> JobTimes:
        placed = [replace(job, hosts=hosts), *beside]
        return planned_times(
            fabric, routing, placed, plan, background=background, nodes=nodes, cancel=cancel
        )

    places: dict[str, list[int]] = {}
    for placement, rule, seed in _candidates(fabric, drawn):
        hosts = place_ranks(
            fabric,
            job.ranks,
            rule,
            seed=seed,
            per_host=per_host,
            adapters=job.adapters,
            whole_computers=True,
            taken=taken,
        )
        if hosts not in places.values():
            places[placement] = hosts

    def estimate(placement: str) -> PlacedJob:
        hosts = places[placement]
        return PlacedJob(placement, hosts, times(hosts, in_part))

    def in_full(one: PlacedJob) -> PlacedJob:
        return one if one.times.is_in_full else replace(one, times=times(one.hosts, whole))

    found = _side_by_side(estimate, list(places), cancel)
    found.sort(key=_cost)
    if not math.isfinite(_cost(found[0])):
        message = (
            "the jobs do not come to their ends, wherever the new one is; expected programs that"
            " do, which `weft replay` shows"
        )
        raise InputError(message)
    best = _side_by_side(in_full, found[:simulated], cancel)
    return [*sorted(best, key=_cost), *found[simulated:]]


def _side_by_side(
    of: Callable[[Entry], PlacedJob], entries: Sequence[Entry], cancel: Cancel
) -> list[PlacedJob]:
    """Do it for each, on as many processors as there are; simulations do without the interpreter.

    The first error ends it. Threads hear nothing of an interrupt: it stops their runs by `cancel`.
    """
    pool = ThreadPoolExecutor(usable_processors(), thread_name_prefix="weft-placement")
    try:
        return list(pool.map(of, entries))
    except KeyboardInterrupt:
        cancel.cancel()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _cost(placed: PlacedJob) -> float:
    return placed.times.cost_ns


def _candidates(fabric: Fabric, drawn: int) -> list[tuple[str, str, int]]:
    """Return name, rule and seed of the placements that are tried."""
    left_out = {"random"}
    if not any(len(computer.hosts) > 1 for computer in find_computers(fabric).computers):
        left_out.add("by_computer")
    rules = [(rule, rule, 1) for rule in PLACEMENTS if rule not in left_out]
    return rules + [(f"random, seed {seed}", "random", seed) for seed in range(1, drawn + 1)]
