"""The columns of a simulated point: column, type, unit, meaning, from the table of figures.

The schema of the results file, the columns of exports and their descriptions are made from this
list. A change of the table changes the format of the file: see `weft.results.schema`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.figure_table import FIGURES
from weft.measurement import Measurement

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["POINT_FIELDS", "PointField", "point_values", "read_point"]


@dataclass(frozen=True, slots=True)
class PointField:
    """One figure of a simulated point."""

    column: str  #: Name of the column, the unit last.
    kind: str  #: ``real``, ``integer`` or ``text``, as in SQLite.
    unit: str  #: Empty for text.
    summary: str
    path: tuple[str, ...]  #: Where it stands in a measurement.


POINT_FIELDS: tuple[PointField, ...] = tuple(
    PointField(
        column.name,
        column.kind,
        column.unit,
        column.summary,
        (figure.name,) if column.part is None else (figure.name, column.part),
    )
    for figure in FIGURES
    for column in figure.columns
)

_JSON_COLUMNS = frozenset(figure.name for figure in FIGURES if figure.kind == "waiting")
_KINDS: dict[str, type] = {"real": float, "integer": int, "text": str}


def point_values(measurement: Measurement) -> list[Any]:
    """Return the figures of a measurement in the order of `POINT_FIELDS`."""
    members = measurement.to_dict()
    values: list[Any] = []
    for field in POINT_FIELDS:
        value: Any = members
        for member in field.path:
            value = value[member]
        if field.column in _JSON_COLUMNS:
            value = json.dumps(value, ensure_ascii=False, sort_keys=True)
        values.append(_KINDS[field.kind](value))
    return values


def read_point(row: Mapping[str, Any]) -> Measurement:
    """Restore a measurement, without its arrays and its histogram, from a row of the file.

    A figure that is not a number (a percentile of no packet) is held as NULL by SQLite.
    """
    members: dict[str, Any] = {"generation_histogram": {"lower_edges_ns": [], "counts": []}}
    for field in POINT_FIELDS:
        value = row[field.column]
        if field.column in _JSON_COLUMNS:
            value = json.loads(value)
        elif field.kind == "real" and value is None:
            value = float("nan")
        if len(field.path) == 1:
            members[field.path[0]] = value
        else:
            members.setdefault(field.path[0], {})[field.path[1]] = value
    return Measurement.from_dict(members)
