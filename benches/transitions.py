"""Random cuts on discoveries: how often tables are repaired, and every transition proved.

::

    .venv/bin/python benches/transitions.py cluster.ibnetdiscover --cuts 50

Each cut takes one to three links between switches away. From the tables of before it is planned to
the repaired ones, to new ones, and back once the links have returned; each plan is followed packet
by packet by a checker apart from the planner, which fails with an error.
"""

from __future__ import annotations

import argparse
import re
import resource
import time
from collections import Counter
from pathlib import Path

import numpy as np

import weft


def link_ends(fabric: weft.Fabric) -> list[str]:
    """Name each link between switches by one of its ends."""
    channels = np.flatnonzero(fabric.is_switch_channel).tolist()
    ends = [re.findall(r"\[(\d+)\]", fabric.describe_channel(channel)) for channel in channels]
    names = [fabric.describe_channel(channel).split("[")[0] for channel in channels]
    return [f"{name}:{ports[0]}" for name, ports in zip(names, ends, strict=True)]


def main() -> None:
    """Cut, repair and plan."""
    parser = argparse.ArgumentParser()
    parser.add_argument("fabrics", type=Path, nargs="+")
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--old", default="down_preferred")
    parser.add_argument("--new", default="best:lanes=2")
    given = parser.parse_args()
    for path in given.fabrics:
        whole = weft.read_fabric(path).fabric
        old = weft.route(whole, given.old)
        links = link_ends(whole)
        draw = np.random.default_rng(1)
        found: Counter[str] = Counter()
        slowest = 0.0
        for _ in range(given.cuts):
            cut = draw.choice(links, min(len(links), draw.integers(1, 4)), replace=False).tolist()
            part = weft.degrade(whole, links=cut).fabric
            plans = []
            try:
                plans.append((whole, old, part, weft.repair(whole, old, part).routing))
                found["repaired"] += 1
            except weft.RoutingError:
                found["not repaired"] += 1
            try:
                new = weft.route(part, given.new)
                plans += [(whole, old, part, new), (part, new, whole, old)]
            except weft.RoutingError:
                found["not routed"] += 1
            for one in plans:
                begun = time.perf_counter()
                plan = weft.plan_transition(*one)
                slowest = max(slowest, time.perf_counter() - begun)
                found["transitions"] += 1
                found["proved at every moment"] += plan.proved_throughout
                found["with something drained"] += bool(plan.drained)
                found["with packets lost"] += bool(plan.dropped)
        told = ", ".join(f"{count:,} {what}" for what, count in found.items())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"{path.name}: {whole.switch_count} switches, {whole.host_count} hosts")
        print(f"  {given.cuts} cuts: {told}; slowest plan {slowest:.2f} s, at most {peak} MiB")


if __name__ == "__main__":
    main()
