"""What a routing accepts at the highest load, where the most it accepts is no throughput."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.results import Results

__all__ = ["at_highest_load"]


def at_highest_load(results: Results, label: str) -> float:
    """Return what a routing accepts at the highest load, in bytes/ns/switch; NaN without any.

    With a hotspot that is no throughput: what does not go to it may be accepted the more, the more
    is offered, and less than at saturation where what waits for the hotspot stands in its way.
    """
    points = [
        point for routing in results.routings if routing.label == label for point in routing.points
    ]
    last = max((point.load for point in points), default=math.nan)
    values = [
        point.measurement.accepted_bytes_per_ns_per_switch for point in points if point.load == last
    ]
    return math.fsum(values) / len(values) if values else math.nan
