"""What a study costs beside its simulations: 2,000 points of small runs.

Run by ``make bench``; prints the time per point, how much of it is simulating, and how long the
results file takes to open.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import weft
from weft._machine import usable_processors

POINTS = 2_000


def main() -> None:
    """Run the study, open its results, print the times."""
    fabric = weft.irregular(4, hosts_per_switch=1, ports_per_switch=4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        begun = time.perf_counter()
        weft.compare(
            fabric,
            ["updown"],
            traffic=weft.Traffic(payload_bytes=32),
            loads=[0.02],
            seeds=range(POINTS),
            precision=0.3,
            max_packets=200,
            results=path,
        ).close()
        taken_s = time.perf_counter() - begun
        begun = time.perf_counter()
        with weft.Results.open(path) as results:
            count = sum(len(routing.points) for routing in results.routings)
            results.ranking()
            opened_s = time.perf_counter() - begun
            simulated_s = results.manifest["totals"]["wall_s"] / usable_processors()
        size_kb = path.stat().st_size / 1e3
    print(f"{count} points in {taken_s:.2f} s")
    print(f"{1e3 * taken_s / count:.2f} ms a point, {1e3 * simulated_s / count:.2f} ms simulating")
    print(f"results file of {size_kb:.0f} kB opened and ranked in {opened_s:.2f} s")


if __name__ == "__main__":
    main()
