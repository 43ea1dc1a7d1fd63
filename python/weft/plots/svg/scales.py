"""Scales: where a value of the data lies on the paper, and the ticks of an axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["Band", "Continuous", "blend", "nice_ends", "tick_step", "ticks"]


def tick_step(start: float, stop: float, count: int) -> float:
    """Return the round distance at which an interval has about so many ticks: D3's rule."""
    if stop <= start or count < 1:
        return 0.0
    rough = (stop - start) / count
    power = math.floor(math.log10(rough))
    error = rough / 10.0**power
    factor = 10 if error >= 50**0.5 else 5 if error >= 10**0.5 else 2 if error >= 2**0.5 else 1
    return factor * 10.0**power


def ticks(start: float, stop: float, count: int, least_step: float = 0.0) -> list[float]:
    """Return the multiples of a round step within an interval."""
    step = max(tick_step(start, stop, count), least_step)
    if not step:
        return [start]
    first, last = math.ceil(start / step - 1e-9), math.floor(stop / step + 1e-9)
    decimals = max(0, -math.floor(math.log10(step)) + 1)
    return [round(number * step, decimals) for number in range(first, last + 1)]


def nice_ends(start: float, stop: float, count: int = 10) -> tuple[float, float]:
    """Widen an interval to round ends."""
    step = 0.0
    for _ in range(10):
        found = tick_step(start, stop, count)
        if not found or found == step:
            break
        step = found
        decimals = max(0, -math.floor(math.log10(step)) + 1)
        start = round(math.floor(start / step + 1e-9) * step, decimals)
        stop = round(math.ceil(stop / step - 1e-9) * step, decimals)
    return start, stop


@dataclass(frozen=True, slots=True)
class Continuous:
    """Values of an interval, on an interval of the paper; `low` may be the larger end."""

    low: float
    high: float
    start: float  # where `low` lies
    end: float
    is_log: bool = False
    is_clamped: bool = False

    def __call__(self, value: float) -> float:
        """Return where a value lies."""
        if self.high == self.low:
            share = 0.5
        elif self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        if self.is_clamped:
            share = min(max(share, 0.0), 1.0)
        return self.start + share * (self.end - self.start)


class Band:
    """Entries side by side, each with a band of the same width and gaps between them.

    Gaps are shares of the distance from band to band.
    """

    def __init__(
        self, entries: Sequence[Hashable], start: float, end: float, inner: float, outer: float
    ) -> None:
        places = max(len(entries) - inner + 2.0 * outer, 1.0)
        self.step = (end - start) / places
        self.width = self.step * (1.0 - inner)
        first = start + (end - start - self.step * (len(entries) - inner)) / 2.0
        self._start = {entry: first + self.step * at for at, entry in enumerate(entries)}

    def __call__(self, entry: Any) -> float:  # noqa: ANN401 - a value of a row
        """Return where the band of an entry begins."""
        return self._start[entry]

    def __contains__(self, entry: object) -> bool:
        """Tell whether an entry has a band."""
        return entry in self._start

    def middle(self, entry: Any) -> float:  # noqa: ANN401 - a value of a row
        """Return where the middle of the band of an entry lies."""
        return self._start[entry] + self.width / 2.0


def blend(colours: Sequence[str], share: float) -> str:
    """Return the colour at a share of the way through colours in equal steps."""
    place = min(max(share, 0.0), 1.0) * (len(colours) - 1)
    at = min(int(place), len(colours) - 2)
    rest = place - at
    pairs = zip(_channels(colours[at]), _channels(colours[at + 1]), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * rest):02x}" for one, other in pairs)


def _channels(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
