"""Sweeps and programs packed into the tasks of a job array, by estimated cost."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from weft.study.estimate import expected_loads, point_cost_s, program_cost_s
from weft.study.executors.interface import ReplayWork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.study.executors.interface import Unit

__all__ = ["packed"]

#: Tasks are made this long, as far as can be told beforehand, and not fewer than the others.
_TASK_S = 600.0
_FEWEST_TASKS = 16
_MOST_TASKS = 1000  #: The usual limit of a cluster on the size of an array is 1001.

#: Points of a fixed list, or None for a program and for a ladder, whose points only its own course
#: tells.
Points = list[tuple[float, int]] | None


def packed(units: Sequence[Unit]) -> list[dict[int, Points]]:
    """Pack units into tasks of about equal cost: the dearest first, each to the emptiest task.

    A program is one piece, and so is a ladder, for each of its rounds depends on the one before; of
    a fixed list of loads every point is a piece. A task has the points it is to simulate by number
    of the unit, None for a program and a whole ladder.
    """
    pieces: list[tuple[float, int, tuple[float, int] | None]] = []
    for number, unit in enumerate(units):
        if isinstance(unit, ReplayWork):
            cost = program_cost_s(unit.routed.fabric, unit.routed.spec, unit.trace)
            pieces.append((cost, number, None))
            continue
        spec, bound = unit.routed.spec, unit.ladder_bound
        costs = {
            (load, seed): point_cost_s(unit.routed.fabric, spec, load, bound)
            for load in expected_loads(spec, bound)
            for seed in spec.seeds
            if (load, seed) not in unit.known
        }
        if spec.loads is None:
            pieces.append((math.fsum(costs.values()), number, None))
        else:
            pieces += [(cost, number, point) for point, cost in costs.items()]
    total_s = math.fsum(cost for cost, _, _ in pieces)
    count = min(max(math.ceil(total_s / _TASK_S), _FEWEST_TASKS), _MOST_TASKS, len(pieces))
    tasks: list[dict[int, Points]] = [{} for _ in range(count)]
    filled = [(0.0, task) for task in range(count)]
    # The sort keeps the order of pieces of equal cost, which makes the packing the same each time.
    for cost, number, point in sorted(pieces, key=lambda piece: -piece[0]):
        load, task = heapq.heappop(filled)
        heapq.heappush(filled, (load + cost, task))
        if point is None:
            tasks[task][number] = None
        else:
            held = tasks[task].setdefault(number, [])
            if held is not None:
                held.append(point)
    return tasks
