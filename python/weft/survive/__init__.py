"""Every failure before it happens: what it costs, and what to do about it."""

from weft.survive.additions import MOST_TRIED, try_cables
from weft.survive.parts import MOST_FAILURES
from weft.survive.records import (
    Addition,
    Additions,
    Failure,
    FailureParts,
    LoadOfTables,
    NewTables,
    SharedPart,
    Survival,
    Survivals,
    Toll,
)
from weft.survive.simulation import simulate_worst
from weft.survive.survey import survive

__all__ = [
    "MOST_FAILURES",
    "MOST_TRIED",
    "Addition",
    "Additions",
    "Failure",
    "FailureParts",
    "LoadOfTables",
    "NewTables",
    "SharedPart",
    "Survival",
    "Survivals",
    "Toll",
    "simulate_worst",
    "survive",
    "try_cables",
]
