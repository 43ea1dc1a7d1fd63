"""Published experiments, run again, their figures beside the published ones."""

from __future__ import annotations

from weft.reproduce.boost import BoostTable, FactorRow, TopologyFactor, reproduce_table_1
from weft.reproduce.published import PublishedFactor, boost_table_1

__all__ = [
    "BoostTable",
    "FactorRow",
    "PublishedFactor",
    "TopologyFactor",
    "boost_table_1",
    "reproduce_table_1",
]
