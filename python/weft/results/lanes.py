"""How the virtual lanes of the channels between switches were used, lane by lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    between = np.asarray(fabric.is_switch_channel, dtype=bool)
    if not figures.utilization.size or not between.any():
        return []
    # Means of single precision over many channels lose digits.
    utilization = figures.utilization[between].astype(np.float64)
    blocked = figures.blocked[between].astype(np.float64)
    mean_bytes = figures.buffer_mean_bytes[between].astype(np.float64)
    most_bytes = figures.buffer_max_bytes[between]
    used = (utilization > 0).any(axis=0) | (blocked > 0).any(axis=0) | (most_bytes > 0).any(axis=0)
    return [
        LaneRow(
            int(lane),
            float(utilization[:, lane].mean()),
            float(utilization[:, lane].max()),
            float(blocked[:, lane].mean()),
            float(blocked[:, lane].max()),
            float(mean_bytes[:, lane].mean()),
            int(most_bytes[:, lane].max()),
        )
        for lane in np.flatnonzero(used)
    ]
