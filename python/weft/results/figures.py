"""Load figures as they stand in a results file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from weft.routing import LoadFigures

if TYPE_CHECKING:
    import sqlite3


__all__ = ["load_figures_of"]


def load_figures_of(row: sqlite3.Row) -> LoadFigures | None:
    """Restore load figures from the row of a routing; None when it has no routes."""
    if row["load_figures_json"] is None:
        return None
    routes = np.frombuffer(row["routes_per_channel"], dtype="<u8")
    return LoadFigures(routes_per_channel=routes, **json.loads(row["load_figures_json"]))
