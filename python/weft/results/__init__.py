"""Results of studies: one SQLite file each, written point by point, read by any tool.

`Results` reads; `weft.results.store` writes while a study runs; `weft.results.fields` names every
figure of a point with its unit; `weft.results.schema` has the tables.
"""

from __future__ import annotations

from weft.results.fairness import Fairness
from weft.results.link_use import LinkUse
from weft.results.ranking import RankedRouting
from weft.results.reading import Reading
from weft.results.results import Results
from weft.results.types import (
    ChannelFigures,
    Knee,
    LaneFigures,
    Point,
    PoolSeries,
    ProofSummary,
    RoutingResult,
    Throughput,
)

__all__ = [
    "ChannelFigures",
    "Fairness",
    "Knee",
    "LaneFigures",
    "LinkUse",
    "Point",
    "PoolSeries",
    "ProofSummary",
    "RankedRouting",
    "Reading",
    "Results",
    "RoutingResult",
    "Throughput",
]
