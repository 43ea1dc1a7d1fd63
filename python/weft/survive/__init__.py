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

__all__ = [
    "MOST_FAILURES",
    "Failure",
    "FailureParts",
    "LoadOfTables",
    "NewTables",
    "SharedPart",
    "Survival",
    "Survivals",
    "simulate_worst",
    "survive",
]
