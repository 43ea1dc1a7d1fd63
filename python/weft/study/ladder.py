"""Which loads to simulate next: the ladder of a sweep.

The ladder climbs from low load in steps of a round size until it is a little beyond saturation,
then refines itself around the maximum of accepted traffic and around the knee, where latency is
twice that of the lowest load. It is a function of what was measured
on it alone, so the loads of a study do not depend on threads, nor on where a sweep was resumed::

    accepted
       │          ×  ×        refined until the loads either side of the maximum
       │       ×        ×     are within 3 %
       │    ×              ×  two saturated points without a new maximum: no further climb
       │ ×
       └──────────────────────── offered
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.results.knee import knee_bracket

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Ladder", "Rung"]

#: Loads of the first round, and of the rounds that climb on from there to saturation.
FIRST_ROUND_LOADS = 4
CLIMBING_ROUND_LOADS = 2
#: The coarse step is the largest round number that still makes this many steps up to the bound.
LEAST_STEPS_TO_BOUND = 6
#: The lowest load is this part of a step: there, latency is that of an empty network.
LOWEST_PART_OF_STEP = 5
#: Where accepted traffic keeps creeping up, this many saturated points end the climb.
MOST_SATURATED = 4
#: It creeps no more, but rises, where it grows by this part of what is offered, both relative: then
#: some hosts alone are saturated, as behind a link slower than the others, or whose ways share a
#: link under a permutation. By half, some climbs would end far below what is carried, others not.
RISING = 0.1
#: Traffic rises from the next load that is no nearer than this fraction, below which chance tells.
RISING_APART = 0.05
#: Steps there: this many up to the highest load.
RISING_STEPS = 2
#: Refinement ends after this many rounds even where noise keeps moving the maximum.
MOST_REFINEMENTS = 10
#: Two saturated loads that accept as much within this share hide no maximum between them.
FLAT_WITHIN = 0.01
#: The loads either side of the knee end up no further apart than this fraction.
KNEE_BRACKET = 0.1
#: Loads are kept to this many significant digits, so that they are the same number everywhere.
SIGNIFICANT_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Rung:
    """One measured load of a ladder; loads are fractions of the host link rate."""

    load: float
    accepted: float
    saturated: bool  #: Whether the network failed to carry what was offered.
    latency_ns: float = math.nan  #: Mean latency from generation; NaN where nothing arrived.


class Ladder:
    """The loads of one routing's sweep, round by round.

    The largest payload load `bound` that no channel's load forbids only sets the size of the steps.
    Refinement ends when the loads either side of the maximum differ from it by no more than the
    fraction `bracket`; none above `highest` is offered.

    Examples
    --------
    >>> ladder = Ladder(bound=0.3)
    >>> ladder.next_round()
    [0.01, 0.05, 0.1, 0.15]
    """

    def __init__(self, bound: float, *, bracket: float = 0.03, highest: float = 1.0) -> None:
        self.bracket = bracket
        self.highest = highest
        self.step = round_step(min(bound, highest) / LEAST_STEPS_TO_BOUND)
        self._rungs: list[Rung] = []
        self._refinements = 0

    @property
    def rungs(self) -> list[Rung]:
        """What was measured so far, by load."""
        return list(self._rungs)

    def add(self, rungs: Sequence[Rung]) -> None:
        """Take in what a round measured, in any order."""
        self._rungs = sorted([*self._rungs, *rungs], key=lambda rung: rung.load)

    def next_round(self) -> list[float]:
        """Return the loads to simulate next, ascending; none when the ladder is finished.

        All loads of the last round must have been added.
        """
        if not self._rungs:
            return self._first()
        return self._descend() or self._climb() or self._refine()

    def _first(self) -> list[float]:
        multiples = [1 / LOWEST_PART_OF_STEP, *range(1, FIRST_ROUND_LOADS)]
        return self._fresh([self.step * multiple for multiple in multiples])

    def _descend(self) -> list[float]:
        """Go below a ladder that begins saturated."""
        lowest = self._rungs[0]
        if not lowest.saturated or lowest.load < self.step * 1e-3:
            return []
        return self._fresh([lowest.load / 4, lowest.load / 2])

    def _climb(self) -> list[float]:
        """Go on upward unless the highest points lie beyond saturation."""
        highest = self._rungs[-1].load
        if highest >= self.highest or self._is_beyond_saturation():
            return []
        # Where traffic passes the bound, as by chance in a short run, steps grow with the load.
        steps = RISING_STEPS if self._has_most_saturated() else LEAST_STEPS_TO_BOUND
        step = max(self.step, round_step(highest / steps))
        position = math.floor(highest / step + 0.5)
        count = 1 if self._rungs[-1].saturated else CLIMBING_ROUND_LOADS
        return self._fresh([step * (position + k + 1) for k in range(count)])

    def _is_beyond_saturation(self) -> bool:
        if len(self._rungs) < 3:
            return False
        *before, last = self._rungs
        if not (last.saturated and before[-1].saturated):
            return False
        if last.accepted <= max(rung.accepted for rung in before):
            return True
        return self._has_most_saturated() and not self._is_rising()

    def _has_most_saturated(self) -> bool:
        return sum(rung.saturated for rung in self._rungs) >= MOST_SATURATED

    def _is_rising(self) -> bool:
        """Tell whether some hosts still get through more where more is offered."""
        last = self._rungs[-1]
        apart = [rung for rung in self._rungs if rung.load <= (1 - RISING_APART) * last.load]
        if not apart or not apart[-1].accepted:
            return False
        offered = math.log(last.load / apart[-1].load)
        return math.log(last.accepted / apart[-1].accepted) >= RISING * offered

    def _refine(self) -> list[float]:
        """Halve the gaps either side of the maximum that are wider than the bracket."""
        if self._refinements >= MOST_REFINEMENTS:
            return []
        best = max(range(len(self._rungs)), key=lambda index: self._rungs[index].accepted)
        top = self._rungs[best]
        if not any(rung.saturated for rung in self._rungs):
            return []
        neighbours = [
            self._rungs[index] for index in (best - 1, best + 1) if 0 <= index < len(self._rungs)
        ]
        wide = [
            rung.load
            for rung in neighbours
            if abs(rung.load - top.load) > self.bracket * top.load and not _is_flat(top, rung)
        ]
        loads = self._fresh([*((load + top.load) / 2 for load in wide), *self._about_knee()])
        self._refinements += 1
        return loads

    def _about_knee(self) -> list[float]:
        """Halve the gap around the knee where it is wider than its bracket."""
        known = [rung for rung in self._rungs if math.isfinite(rung.latency_ns)]
        place = knee_bracket([rung.latency_ns for rung in known]) if known else None
        if place is None:
            return []
        below, above = known[place].load, known[place + 1].load
        return [(below + above) / 2] if above - below > KNEE_BRACKET * above else []

    def _fresh(self, loads: Sequence[float]) -> list[float]:
        """Round loads, keep them below the highest and drop those already measured."""
        known = {rung.load for rung in self._rungs}
        rounded = {round_load(min(load, self.highest)) for load in loads}
        return sorted(rounded - known)


def _is_flat(top: Rung, beside: Rung) -> bool:
    """Return whether there is no maximum to look for between a maximum and what lies beside it."""
    is_alike = beside.accepted >= (1 - FLAT_WITHIN) * top.accepted
    return is_alike and top.saturated and beside.saturated


def round_load(load: float) -> float:
    """Return a load with a fixed number of significant digits."""
    return float(f"{load:.{SIGNIFICANT_DIGITS}g}")


def round_step(largest: float) -> float:
    """Return the largest of 1, 2, 2.5 and 5 times a power of ten that is not above ``largest``."""
    power = 10.0 ** math.floor(math.log10(largest))
    # A step equal to the limit must not be lost to the rounding of the quotient.
    ratio = largest / power * (1 + 1e-9)
    factor = max(factor for factor in (1.0, 2.0, 2.5, 5.0) if factor <= ratio)
    return round_load(factor * power)
