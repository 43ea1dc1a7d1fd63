"""How near the throughput of a sweep is to the largest traffic that long runs accept.

The throughput of `weft compare` is the largest of several means that chance has moved; here that of
several seeds stands beside runs a hundred times as long, of another seed, at loads about it: ten
fabrics, one routing each. Prints a row of a Markdown table for each and the mean error at the end.

    python benches/throughput.py [PART OF A ROW'S NAME]
"""

from __future__ import annotations

import math
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import weft

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.results.types import Throughput

#: The long runs have together so many times the packets of the run that the throughput is of.
TIMES_AS_LONG = 100
#: Loads about that of the throughput where the largest is looked for, as parts of it.
AROUND = (0.92, 0.96, 1.0, 1.04, 1.08, 1.15)
#: One sweep is a draw; that it errs to one side shows in the mean of several.
SEEDS = (1, 2, 3, 4)
FIRST_LONG_SEED = 1001

ROWS: dict[str, tuple[Callable[[], weft.Fabric], str, str]] = {
    "irregular, 8 switches": (lambda: weft.irregular(8, seed=3), "best_itb", "myrinet"),
    "irregular, 16 switches": (lambda: weft.irregular(16, seed=1), "updown", "myrinet"),
    "irregular, 16 switches, another": (lambda: weft.irregular(16, seed=5), "ud_itb", "myrinet"),
    "irregular, 32 switches": (lambda: weft.irregular(32, seed=2), "ud_itb", "myrinet"),
    "torus 4x4": (lambda: weft.torus(4, 4, hosts_per_switch=4), "ud_itb", "myrinet"),
    "torus 4x4, 8 lanes": (
        lambda: weft.torus(4, 4, hosts_per_switch=4),
        "dfsssp:lanes=8",
        "infiniband_1x",
    ),
    "mesh 5x3": (lambda: weft.mesh(5, 3, hosts_per_switch=3), "dimension_order", "infiniband_1x"),
    "4-ary 3-tree": (lambda: weft.generate("k_ary_n_tree", k=4, n=3), "updown", "infiniband_1x"),
    "jellyfish": (
        lambda: weft.generate("jellyfish", switches=24, degree=4, hosts_per_switch=3, seed=4),
        "dfsssp:lanes=4",
        "infiniband_1x",
    ),
    "examples/cluster.ibnetdiscover": (
        lambda: (
            weft.read_fabric(Path(__file__).parents[1] / "examples/cluster.ibnetdiscover").fabric
        ),
        "updown",
        "infiniband_1x",
    ),
}


def _row(name: str) -> float:
    """Print a row and return the mean error of the throughput as a share of the truth."""
    make, label, preset = ROWS[name]
    fabric = make()
    routes = weft.route(fabric, label)
    lanes = {} if preset == "myrinet" else {"lanes": routes.lane_count}
    hardware = weft.hardware(preset, **lanes)
    swept = [_swept(fabric, label, hardware, seed) for seed in SEEDS]
    first, packets = swept[0]
    # Those that other seeds took are among them, lest the largest lie between two.
    loads = {min(1.0, part * first.at_load) for part in AROUND} | {
        found.at_load for found, _ in swept
    }
    truth = max(
        weft.simulate(
            fabric,
            routes,
            hardware,
            weft.Traffic(load=load, seed=FIRST_LONG_SEED),
            precision=1e-6,
            max_packets=TIMES_AS_LONG * packets // len(loads),
        ).accepted_load
        for load in sorted(loads)
    )
    errors = [found.accepted_load / truth - 1 for found, _ in swept]
    intervals = [
        (found.half_width / found.accepted_bytes_per_ns_per_switch, abs(error) / (1 + error))
        for (found, _), error in zip(swept, errors, strict=True)
        if math.isfinite(found.half_width)
    ]
    held = sum(off <= width for width, off in intervals)
    mean = math.fsum(errors) / len(errors)
    width = math.fsum(width for width, _ in intervals) / len(intervals) if intervals else math.nan
    print(
        f"| {name} | {label} | {truth * (1 + mean):.4f} | ±{width:.1%} |"
        f" {held} of {len(intervals)} | {truth:.4f} | {mean:+.2%} |",
        flush=True,
    )
    return mean


def _swept(
    fabric: weft.Fabric, label: str, hardware: weft.Hardware, seed: int
) -> tuple[Throughput, int]:
    """Return the throughput of a sweep and how many packets it was measured over."""
    with (
        tempfile.TemporaryDirectory() as folder,
        weft.compare(
            fabric, [label], hardware, seeds=[seed], results=Path(folder) / "results.sqlite"
        ) as results,
    ):
        (routing,) = results.routings
    found = routing.throughput
    if found is None:
        message = f"{label}: no throughput"
        raise SystemExit(message)
    (point,) = (point for point in routing.points if point.load == found.at_load)
    return found, point.measurement.delivered_packets


def main() -> None:
    """Print the rows, all or those that a part of their names is given of."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    print("| fabric | routing | throughput | its interval | holds | long runs | error |")
    print("|---|---|---|---|---|---|---|")
    errors = [_row(name) for name in ROWS if part in name]
    mean = math.fsum(errors) / len(errors)
    print(f"\nmean error {mean:+.2%}, largest {max(map(abs, errors)):.2%}")


if __name__ == "__main__":
    main()
