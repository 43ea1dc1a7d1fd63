"""Shows whether the estimate of `weft.place_job` ranks placements as simulations do.

Drawn mixes of jobs on several fabrics, ten placements of one of them each: Kendall's tau between
the costs estimated and those simulated, and the time that estimating takes.

    python benches/placement.py [MIXES] [SEED]
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from typing import TYPE_CHECKING

import weft

if TYPE_CHECKING:
    from weft.jobs import PlacedJob

FABRICS = {
    "tree of 64 hosts, half as many uplinks": ("xgft", {"m": "8x8", "w": "1x4"}),
    "tree of 128 hosts": ("xgft", {"m": "8x4x4", "w": "1x4x2"}),
    "torus of 72 hosts": ("torus", {"extents": "6x6", "hosts_per_switch": "2"}),
    "dragonfly of 72 hosts": (
        "dragonfly",
        {"p": "2", "a": "4", "h": "2"},
    ),
}
OPERATIONS = (
    ("allreduce", "ring", (1 << 18, 1 << 22)),
    ("alltoall", "pairwise", (1 << 13, 1 << 16)),
    ("allgather", "ring", (1 << 13, 1 << 16)),
    ("bcast", "binomial", (1 << 18, 1 << 21)),
)


def drawn_job(draws: random.Random, fabric: weft.Fabric, name: str, taken: set[int]) -> weft.Job:
    """Draw a collective operation with its length, ranks and hosts."""
    operation, algorithm, (least, most) = draws.choice(OPERATIONS)
    ranks = draws.randint(8, fabric.host_count // 4)
    size = draws.randint(least, most)
    rule = draws.choice(["linear", "round_robin", "scattered", "packed", "random"])
    return weft.Job(
        name,
        weft.collective(operation, ranks, size_bytes=size),
        weft.place_ranks(fabric, ranks, rule, seed=draws.randint(1, 1000), taken=taken),
        repetitions=draws.randint(1, 4),
        algorithms={operation: algorithm},
    )


def tau(ones: list[float], others: list[float]) -> float:
    """Return Kendall's tau-b; costs within a thousandth of each other count as equal."""

    def sign(first: float, second: float) -> int:
        if abs(first - second) <= 1e-3 * max(first, second):
            return 0
        return 1 if first > second else -1

    agreeing = first_ties = second_ties = pairs = 0
    for at in range(len(ones)):
        for before in range(at):
            one, other = sign(ones[at], ones[before]), sign(others[at], others[before])
            agreeing += one * other
            first_ties += one == 0
            second_ties += other == 0
            pairs += 1
    untied = ((pairs - first_ties) * (pairs - second_ties)) ** 0.5
    return agreeing / untied if untied else 1.0


def main() -> None:
    """Draw mixes, and print what comes of each fabric."""
    mixes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    draws = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)  # noqa: S311 - no secret
    found: dict[str, list[float]] = {}
    machine = weft.hardware("infiniband_hdr")
    for mix in range(mixes):
        name = list(FABRICS)[mix % len(FABRICS)]
        topology, parameters = FABRICS[name]
        fabric = weft.generate(topology, **parameters)
        routing = weft.route(fabric, draws.choice(["best:lanes=4", "dfsssp:lanes=8"]))
        beside: list[weft.Job] = []
        taken: set[int] = set()
        for number in range(draws.randint(1, 3)):
            beside.append(drawn_job(draws, fabric, f"job {number}", taken))
            taken |= set(beside[-1].hosts)
        new = drawn_job(draws, fabric, "new", taken)
        started = time.process_time()
        weft.place_job(fabric, routing, machine, new, beside, simulated=0)
        estimating = time.process_time() - started
        placed = weft.place_job(fabric, routing, machine, new, beside, simulated=10)
        agreement = tau(
            [one.estimated_cost_ns for one in placed], [one.simulated_cost_ns for one in placed]
        )
        found.setdefault(name, []).append(agreement)
        lost = lost_by_estimate(placed)
        print(
            f"{mix:3} {name}: tau {agreement:.2f}, best by estimate {100 * lost:.1f} % slower than"
            f" the best, {estimating:.2f} s for {len(placed)} placements",
            flush=True,
        )
    for name, taus in found.items():
        enough = sum(one >= 0.9 for one in taus) / len(taus)
        print(
            f"{name}: mean tau {statistics.mean(taus):.3f}, least {min(taus):.2f},"
            f" {100 * enough:.0f} % at least 0.9"
        )


def lost_by_estimate(placed: list[PlacedJob]) -> float:
    """Return how much slower the placement that the estimate prefers is than the best simulated."""
    chosen = min(placed, key=lambda one: one.estimated_cost_ns)
    return chosen.simulated_cost_ns / min(one.simulated_cost_ns for one in placed) - 1


if __name__ == "__main__":
    main()
