"""How the virtual lanes of the channels between switches were used, lane by lane."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.results.types import LaneFigures

__all__ = ["LaneRow", "lane_rows"]


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One lane of all channels between switches; means over them, and the most of any."""

    lane: int
    utilization_mean: float  #: Share of the window in which flits of the lane were sent.
    utilization_most: float
    #: Share of the window in which flow control kept back a packet of the lane.
    blocked_mean: float
    blocked_most: float
    #: Time average of the bytes in the input buffer of the lane, and the most any held.
    buffer_mean_bytes: float
    buffer_most_bytes: int


def lane_rows(fabric: Fabric, figures: LaneFigures) -> list[LaneRow]:
    """Sum up how each lane between switches was used; idle ones are left out."""
    between = fabric.is_switch_channel.tolist()
    if not figures.utilization.size or not any(between):
        return []
    of_figures = (
        figures.utilization,
        figures.blocked,
        figures.buffer_mean_bytes,
        figures.buffer_max_bytes,
    )
    # Of each figure: of each lane, the channels between switches.
    by_lane = (zip(*compress(of.tolist(), between), strict=True) for of in of_figures)
    return [
        LaneRow(lane, fmean(used), max(used), fmean(kept), max(kept), fmean(held), max(most))
        for lane, (used, kept, held, most) in enumerate(zip(*by_lane, strict=True))
        if max(used) > 0 or max(kept) > 0 or max(most) > 0
    ]
