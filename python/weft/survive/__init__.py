"""Every failure before it happens: what it costs, and what to do about it."""

from weft.survive.parts import MOST_FAILURES
from weft.survive.records import (
    Failure,
    FailureParts,
    LoadOfTables,
    NewTables,
    SharedPart,
    Survival,
    Survivals,
)
from weft.survive.simulation import simulate_worst
from weft.survive.survey import survive
from weft.survive.words import counts_text, order_text, percent_carried

__all__ = [
    "MOST_FAILURES",
    "Failure",
    "FailureParts",
    "LoadOfTables",
    "NewTables",
    "SharedPart",
    "Survival",
    "Survivals",
    "counts_text",
    "order_text",
    "percent_carried",
    "simulate_worst",
    "survive",
]
