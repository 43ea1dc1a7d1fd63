"""Rows of the table, and what they say together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROVED = "proved"
HEAD = (
    "| routing | CPU s | MB more | MB at most | hops, mean / most | load, most / mean | lanes "
    "| deadlock |\n"
    "|:---|---:|---:|---:|---:|---:|---:|:---|"
)


@dataclass(frozen=True)
class Row:
    """What is told of one routing of one fabric; what was not measured is left out.

    CPU time is that of the routing phase, of all threads; memory the process's growth over that
    phase at its highest, and its peak until the end of it, in 10^6 bytes. Hops are links between
    switches, over pairs of hosts; loads are pairs of hosts over a channel between switches.
    """

    routing: str
    cpu_s: float | None = None
    more_mb: float | None = None
    most_mb: float | None = None
    mean_hops: float | None = None
    most_hops: int | None = None
    mean_load: float | None = None
    most_load: int | None = None
    lanes: int | None = None
    verdict: str = "refused"

    @property
    def is_proved(self) -> bool:
        """Whether all pairs are reached without deadlock."""
        return self.verdict == PROVED

    def __str__(self) -> str:
        """Write the row."""
        cells = (
            self.routing,
            "" if self.cpu_s is None else f"{self.cpu_s:.4f}",
            "" if self.more_mb is None else f"{self.more_mb:.1f}",
            "" if self.most_mb is None else f"{self.most_mb:.0f}",
            "" if self.mean_hops is None else f"{self.mean_hops:.2f} / {self.most_hops}",
            "" if self.mean_load is None else f"{self.most_load} / {self.mean_load:.0f}",
            "" if self.lanes is None else str(self.lanes),
            self.verdict,
        )
        return f"| {' | '.join(cells)} |"


def figures(fabric: weft.Fabric, routing: weft.Routing) -> dict[str, Any]:
    """Return hops, loads, lanes and verdict of routes, as a row has them."""
    found = weft.load_figures(fabric, routing)
    between = found.routes_per_channel[fabric.is_switch_channel]
    wrong = weft.route_findings(fabric, routing, most_named=1)
    lost = wrong.unreached_pairs + wrong.circling_pairs
    words = ["can deadlock"] if wrong.cycle else []
    words += [f"{lost} pairs not reached"] if lost else []
    if not words and weft.prove(fabric, routing).deadlock_free:
        words = [PROVED]
    return {
        "mean_hops": found.mean_hops_links,
        "most_hops": found.max_hops_links,
        "mean_load": found.mean_routes_per_channel,
        "most_load": int(np.max(between)),
        "lanes": wrong.lane_count,
        "verdict": ", ".join(words),
    }


@dataclass(frozen=True)
class Compared:
    """All rows of a fabric: pairs of OpenSM's engine and Weft's routing, and Weft's alone."""

    name: str
    switch_count: int
    pairs: Sequence[tuple[Row, Row]]
    alone: Sequence[Row]

    def best_of_opensm(self, most_lanes: int | None = None) -> Row | None:
        """Return the proved row of OpenSM's with the least largest load, on so many lanes."""
        proved = [theirs for theirs, _ in self.pairs if theirs.is_proved]
        if most_lanes is not None:
            proved = [row for row in proved if (row.lanes or 0) <= most_lanes]
        return min(proved, key=lambda row: row.most_load or 0, default=None)

    def best(self, lanes: int) -> Row | None:
        """Return the row of ``best`` with so many lanes."""
        label = f"Weft best:lanes={lanes}"
        return next((row for row in self.alone if row.routing == label), None)


def largest_loads(all_compared: Sequence[Compared]) -> Iterator[str]:
    """Yield a table of the largest loads: OpenSM's best proved engine, and ``best``."""
    yield "| fabric | OpenSM's best proved | load | `best`, lanes 8 | 4 | 2 | 1 |"
    yield "|:---|:---|---:|---:|---:|---:|---:|"
    for compared in all_compared:
        theirs = compared.best_of_opensm()
        ours = [compared.best(lanes) for lanes in (8, 4, 2, 1)]
        cells = [
            compared.name,
            "none" if theirs is None else theirs.routing.removeprefix("OpenSM "),
            "" if theirs is None else str(theirs.most_load),
            *("" if row is None else str(row.most_load) for row in ours),
        ]
        yield f"| {' | '.join(cells)} |"


def on_one_lane(all_compared: Sequence[Compared]) -> Iterator[str]:
    """Yield a table of the largest loads on one lane: OpenSM's best proved engine, and ``best``."""
    yield "| fabric | OpenSM's best proved on one lane | load | `best`, lanes 1 |"
    yield "|:---|:---|---:|---:|"
    for compared in all_compared:
        theirs, ours = compared.best_of_opensm(1), compared.best(1)
        cells = [
            compared.name,
            "none" if theirs is None else theirs.routing.removeprefix("OpenSM "),
            "" if theirs is None else str(theirs.most_load),
            "" if ours is None else str(ours.most_load),
        ]
        yield f"| {' | '.join(cells)} |"


def ratios(all_compared: Sequence[Compared], least_switches: int) -> Iterator[str]:
    """Yield a table of how often Weft's time and memory go into OpenSM's, on large fabrics.

    What either refuses is left out.
    """
    yield "| fabric | routing | CPU time | memory more | memory at most |"
    yield "|:---|:---|---:|---:|---:|"
    for compared in all_compared:
        if compared.switch_count < least_switches:
            continue
        for theirs, ours in compared.pairs:
            if theirs.most_load is None or ours.most_load is None:
                continue
            both = [
                (theirs.cpu_s, ours.cpu_s),
                (theirs.more_mb, ours.more_mb),
                (theirs.most_mb, ours.most_mb),
            ]
            cells = ["" if not one or not other else f"{one / other:.1f}" for one, other in both]
            label = theirs.routing.removeprefix("OpenSM ")
            yield f"| {compared.name} | {label} | {' | '.join(cells)} |"
