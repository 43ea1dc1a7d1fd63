"""Shows whether the estimate of `weft.place_job` ranks placements as simulations in full do.

Drawn mixes of jobs on several fabrics, ten placements of one of them each. Costs are compared with
the mean of several simulations in full, of other starts than those of the estimate. What of a
ranking there is to be met at all, tells a single simulation in full: which of two placements costs
more is chance where they are as near as two runs of one of them.

    python benches/placement.py [MIXES] [SEED] [small|large] [REFERENCES, two at least]
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import weft
from weft.jobs.verdict import mean_time

SMALL = {
    "tree of 64 hosts, half as many uplinks": ("xgft", {"m": "8x8", "w": "1x4"}),
    "tree of 128 hosts": ("xgft", {"m": "8x4x4", "w": "1x4x2"}),
    "torus of 72 hosts": ("torus", {"extents": "6x6", "hosts_per_switch": "2"}),
    "dragonfly of 72 hosts": ("dragonfly", {"p": "2", "a": "4", "h": "2"}),
}
LARGE = {
    "tree of 1,024 hosts": ("xgft", {"m": "16x8x8", "w": "1x8x4"}),
    "dragonfly of 1,056 hosts": ("dragonfly", {"p": "4", "a": "8", "h": "4"}),
}
ROUTINGS = ("best:lanes=4", "dfsssp:lanes=8")
OPERATIONS = (
    ("allreduce", "ring", (1 << 18, 1 << 22)),
    ("allreduce", "double_tree", (1 << 18, 1 << 21)),
    ("alltoall", "pairwise", (1 << 13, 1 << 16)),
    ("allgather", "ring", (1 << 13, 1 << 16)),
    ("bcast", "binomial", (1 << 18, 1 << 21)),
)
TRACE = Path(__file__).parent.parent / "examples" / "is.S.16.ti.zst"
#: Simulations in full that the estimate is compared with the mean of, unless told otherwise.
REFERENCES = 16
#: Their jobs start within this time.
WITHIN_NS = 2000.0
#: Costs nearer than this are ties.
TIE = 1e-3
#: References tell two costs apart that differ by so many standard errors of their difference.
APART_BY = 2.0


class Ranking(NamedTuple):
    """How a ranking of placements agrees with another."""

    tau_b: float  #: Kendall's; costs within a thousandth of each other are ties
    apart: float  #: The same of the pairs alone that references tell apart; NaN without any


def stencil(ranks: int, size_bytes: int, steps: int) -> weft.Trace:
    """Let ranks on a torus of two rows or more exchange their borders, and compute in between."""
    across = next(n for n in range(int(ranks**0.5), 0, -1) if ranks % n == 0)
    program = weft.Program(ranks)
    waits: list[list[weft.ProgramTask]] = [[] for _ in range(ranks)]
    for step in range(steps):
        began = [program.compute(rank, 5000, after=waits[rank]) for rank in range(ranks)]
        waits = [[] for _ in range(ranks)]
        for rank in range(ranks):
            row, column = divmod(rank, across)
            near = (
                (row * across + (column + 1) % across),
                (rank + across) % ranks,
                (row * across + (column - 1) % across),
                (rank - across) % ranks,
            )
            for way, to in enumerate(near):
                if to == rank:
                    continue
                tag = 4 * step + way
                waits[rank].append(program.send(rank, to, size_bytes, tag=tag, after=began[rank]))
                waits[to].append(program.receive(to, rank, size_bytes, tag=tag, after=began[to]))
    return program.trace()


def drawn_job(draws: random.Random, fabric: weft.Fabric, name: str, taken: set[int]) -> weft.Job:
    """Draw a program with its lengths, ranks and hosts."""
    kind = draws.randrange(len(OPERATIONS) + 2)
    ranks = draws.randint(8, fabric.host_count // 4)
    algorithms = {}
    if kind < len(OPERATIONS):
        operation, algorithm, (least, most) = OPERATIONS[kind]
        program = weft.collective(operation, ranks, size_bytes=draws.randint(least, most))
        algorithms[operation] = algorithm
    elif kind == len(OPERATIONS):
        program = stencil(ranks, draws.randint(1 << 13, 1 << 17), 10)
    else:
        program = weft.read_trace(TRACE, flops_per_s=1e10)
    rule = draws.choice(["linear", "round_robin", "scattered", "packed", "random"])
    return weft.Job(
        name,
        program,
        weft.place_ranks(
            fabric, program.rank_count, rule, seed=draws.randint(1, 1000), taken=taken
        ),
        repetitions=draws.randint(1, 4),
        algorithms=algorithms,
    )


def told_apart(costs: list[list[float]]) -> float:
    """Return what part of them two mean costs differ by at least that several runs tell apart.

    Runs of all placements spread alike, which is known better than how those of each do.
    """
    spreads = [statistics.stdev(runs) / statistics.fmean(runs) for runs in costs]
    of_one = statistics.fmean(spread**2 for spread in spreads) / len(costs[0])
    return APART_BY * math.sqrt(2 * of_one)


def agreement(ones: list[float], others: list[float], apart_by: float) -> Ranking:
    """Compare costs with those that are taken for true; told apart, where they differ so much."""

    def sign(first: float, second: float, tie: float) -> int:
        if abs(first - second) <= tie * max(first, second):
            return 0
        return 1 if first > second else -1

    agreeing = first_ties = second_ties = pairs = 0
    apart = []
    for at in range(len(ones)):
        for before in range(at):
            one = sign(ones[at], ones[before], TIE)
            other = sign(others[at], others[before], TIE)
            agreeing += one * other
            first_ties += one == 0
            second_ties += other == 0
            pairs += 1
            if sign(others[at], others[before], apart_by):
                right = sign(others[at], others[before], 0.0)
                apart.append(sign(ones[at], ones[before], 0.0) * right)
    untied = ((pairs - first_ties) * (pairs - second_ties)) ** 0.5
    return Ranking(
        agreeing / untied if untied else 1.0, statistics.fmean(apart) if apart else float("nan")
    )


def mean(values: list[float]) -> float:
    """Return the mean of those that are numbers."""
    return statistics.fmean(value for value in values if not math.isnan(value))


def main() -> None:
    """Draw mixes, and print what comes of each fabric."""
    mixes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    draws = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)  # noqa: S311 - no secret
    is_large = sys.argv[3:4] == ["large"]
    references = int(sys.argv[4]) if len(sys.argv) > 4 else REFERENCES
    fabrics = LARGE if is_large else SMALL
    machine = weft.hardware("infiniband_hdr")
    made: dict[tuple[str, str], tuple[weft.Fabric, weft.Routing]] = {}
    found: dict[str, list[tuple[Ranking, Ranking, float, float]]] = {}
    for mix in range(mixes):
        name = list(fabrics)[mix % len(fabrics)]
        topology, parameters = fabrics[name]
        by = draws.choice(ROUTINGS[:1] if is_large else ROUTINGS)
        if (name, by) not in made:
            fabric = weft.generate(topology, **parameters)
            made[name, by] = (fabric, weft.route(fabric, by))
        fabric, routing = made[name, by]
        beside: list[weft.Job] = []
        taken: set[int] = set()
        for number in range(draws.randint(1, 3)):
            beside.append(drawn_job(draws, fabric, f"job {number}", taken))
            taken |= set(beside[-1].hosts)
        new = drawn_job(draws, fabric, "new", taken)
        started = time.process_time()
        placed = weft.place_job(fabric, routing, machine, new, beside, simulated=0)
        each_s = (time.process_time() - started) / len(placed)
        full: list[list[float]] = []
        for one in placed:
            jobs = [replace(new, hosts=one.hosts), *beside]
            costs = []
            for number in range(references + 1):
                starts = random.Random(f"start {number}")  # noqa: S311 - no secret
                moved = [
                    replace(job, start_ns=job.start_ns + WITHIN_NS * starts.random())
                    for job in jobs
                ]
                run = weft.run_jobs(fabric, routing, machine, moved, alone=False)
                costs.append(mean_time([job.duration_ns for job in run.jobs]))
            full.append(costs)
        true = [statistics.fmean(costs[1:]) for costs in full]
        estimates = [one.times.cost_ns for one in placed]
        apart_by = told_apart([costs[1:] for costs in full])
        estimate = agreement(estimates, true, apart_by)
        single = agreement([costs[0] for costs in full], true, apart_by)
        lost = true[estimates.index(min(estimates))] / min(true) - 1
        found.setdefault(name, []).append((estimate, single, lost, each_s))
        runs = placed[0].times
        print(
            f"{mix:3} {name}: tau {estimate.tau_b:.2f}, {estimate.apart:.2f} where told apart, by"
            f" {100 * apart_by:.2f} %; one simulation {single.tau_b:.2f}, {single.apart:.2f}; costs"
            f" within"
            f" {100 * (max(true) / min(true) - 1):.0f} %, best {100 * lost:.1f} % above the least;"
            f" {each_s:.2f} s each, {len(runs.runs_ns)} runs, {runs.packets_as_one} packets as one,"
            f" {100 * runs.simulated_share:.0f} % of it",
            flush=True,
        )
    everything = [one for some in found.values() for one in some]
    for name, each in [*found.items(), ("all", everything)]:
        estimates, singles, losses, times = map(list, zip(*each, strict=True))
        print(
            f"{name}: tau {told(estimates)}; of one simulation in full {told(singles)}; best"
            f" {100 * statistics.fmean(losses):.2f} % above the least;"
            f" {statistics.fmean(times):.2f} s each, above 1 s in {sum(s > 1 for s in times)},"
            f" {max(times):.2f} s at most"
        )


def told(rankings: list[Ranking]) -> str:
    """Write the means of rankings of several mixes."""
    tau_b = mean([one.tau_b for one in rankings])
    enough = sum(one.tau_b >= 0.9 for one in rankings)
    apart = mean([one.apart for one in rankings])
    return f"{tau_b:.3f} ({enough} of {len(rankings)} at least 0.9), {apart:.3f} where told apart"


if __name__ == "__main__":
    main()
