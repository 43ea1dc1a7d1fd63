"""What stands in a results file, to compare two of them by."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

#: Rows by table, without sessions and times.
Content = dict[str, list[Any]]

#: Columns that tell when and how fast a point was computed, and the digest of all.
TIMES = {"finished_at", "wall_s", "created_at", "digest"}


def content(path: Path) -> Content:
    """Return everything in a results file but its sessions and times, in a fixed order."""
    tables = {}
    with closing(sqlite3.connect(path)) as connection:
        for table in ("study", "routing", "point", "point_arrays", "replay"):
            cursor = connection.execute(f"SELECT * FROM {table}")  # noqa: S608
            names = [column[0] for column in cursor.description]
            rows = [
                tuple(value for name, value in zip(names, row, strict=True) if name not in TIMES)
                for row in cursor
            ]
            tables[table] = sorted(rows, key=repr)
    return tables


def point_count(path: Path) -> int:
    """Count the points of a file that may not be there yet."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM point").fetchone()[0])
    except sqlite3.Error:
        return 0
