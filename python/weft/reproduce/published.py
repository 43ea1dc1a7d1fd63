"""Published figures as a file: one line a cell, each named as the row that stands beside it.

::

    # whose they are
    experiment,condition,quantity,value,unit
    table-1,"8 switches, 32 bytes","ITB over UD, average",0.97,factor
    figure-test-bed,1 to 4096 bytes,"a stop in transit, average, ns",1300,ns

The last column may be left out, and empty in a line. Averages, minima and maxima over the paper's
topologies are cells of their own, whose quantities end with these words before the unit.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from weft._files import read_text
from weft._nearest import nearest
from weft.errors import StudyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from weft.reproduce.definition import Paper, Row

__all__ = ["Cell", "beside", "published_cells", "read_cells", "unit_of"]

_COLUMNS = ("experiment", "condition", "quantity", "value")
_UNIT = "unit"
#: Units of quantities, each with what else it may be written as; what has none is a number.
_UNITS: dict[str, tuple[str, ...]] = {
    "factor": ("", "1", "ratio", "count"),
    "%": ("percent", "per cent"),
    "ns": (),
    "µs": ("us", "μs"),
    "ms": (),
    "s": ("seconds",),
    "bytes": ("B",),
    "packets": (),
    "bytes/ns/switch": ("flits/ns/switch",),
    "MB/s": (),
    "Gbit/s": (),
}
_BY_NAME = {name: unit for unit, others in _UNITS.items() for name in (unit, *others)}
_NO_UNIT = "factor"
#: No figure of any unit is nearer to 0, or larger.
_LEAST, _MOST = 1e-12, 1e15
_AVERAGE, _MINIMUM, _MAXIMUM = ", average", ", minimum", ", maximum"


@dataclass(frozen=True, slots=True)
class Cell:
    """A published figure."""

    experiment: str  # name of an experiment, such as ``table-1``
    condition: str  # as its row has it
    quantity: str  # as its row has it, with the unit at its end
    value: float
    line: int = 0  # of the file, from 1
    is_given: bool = False  # whether it comes from a reader's file, not the package

    @property
    def key(self) -> tuple[str, str, str]:
        """What a row is found by."""
        return self.experiment, self.condition, self.quantity


def unit_of(quantity: str) -> str:
    """Return the unit at the end of a quantity, ``factor`` where it has none."""
    last = quantity.rpartition(", ")[2].strip()
    return last if last in _UNITS else _NO_UNIT


def published_cells(paper: Paper, file: Path | None = None) -> dict[tuple[str, str, str], Cell]:
    """Return what is known that a paper published, and the cells of another file with it.

    Where both have a cell, that of `file` holds.
    """
    own = Path(str(resources.files("weft") / "studies" / paper.tag / "published.csv"))
    found = read_cells(paper, own) if own.is_file() else []
    if file is not None:
        found += [replace(cell, is_given=True) for cell in read_cells(paper, file)]
    return {cell.key: cell for cell in found}


def read_cells(paper: Paper, path: Path) -> list[Cell]:
    """Read a file of published figures.

    What it has to be is the module's header. A missing column, an experiment the paper does not
    have, a value that is no number, an unknown unit or another than the quantity's, and a cell that
    is given twice are a `StudyError`, which names the line and what would be right.
    """
    text = read_text(path, "a file of published figures")
    lines = text.splitlines()
    kept = [(number, line) for number, line in enumerate(lines, 1) if _is_data(line)]
    if not kept:
        message = f"{path}: found no line, expected the columns {', '.join(_COLUMNS)}"
        raise StudyError(message)
    (first, head), *rest = kept
    names = [name.strip() for name in _split(path, first, head)]
    _check_columns(path, first, names)
    known = [experiment.name for experiment in paper.experiments]
    cells: dict[tuple[str, str, str], Cell] = {}
    for number, line in rest:
        values = [value.strip() for value in _split(path, number, line)]
        if len(values) != len(names):
            message = (
                f"{path}:{number}: found {len(values)} values, expected {len(names)},"
                f" {', '.join(names)}; a value with a comma stands in quotes"
            )
            raise StudyError(message)
        cell = _cell(path, number, dict(zip(names, values, strict=True)), known)
        if (before := cells.get(cell.key)) is not None:
            message = (
                f"{path}:{number}: found “{cell.condition}”, “{cell.quantity}” of"
                f" {cell.experiment} again, expected each cell once; it is in line {before.line}"
            )
            raise StudyError(message)
        cells[cell.key] = cell
    return list(cells.values())


def _is_data(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def _split(path: Path, number: int, line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error as error:
        message = f"{path}:{number}: found “{line}”, expected values with commas between: {error}"
        raise StudyError(message) from None


def _check_columns(path: Path, number: int, names: Sequence[str]) -> None:
    allowed = (*_COLUMNS, _UNIT)
    for separator, word in (";", "semicolons"), ("\t", "tabs"):
        if len(names) == 1 and separator in names[0]:
            message = (
                f"{path}:{number}: found {word} between columns, expected commas; write the file"
                " with commas, and numbers as 1.25"
            )
            raise StudyError(message)
    for name in names:
        if name not in allowed:
            message = f"{path}:{number}: found a column “{name}”; {nearest(name, allowed)}"
            raise StudyError(message)
    missing = [name for name in _COLUMNS if name not in names]
    if missing or len(set(names)) != len(names):
        message = (
            f"{path}:{number}: found the columns {', '.join(names)}, expected"
            f" {', '.join(_COLUMNS)} once each, and {_UNIT} if there is one"
        )
        raise StudyError(message)


def _cell(path: Path, number: int, values: dict[str, str], known: Sequence[str]) -> Cell:
    place = f"{path}:{number}"
    experiment, quantity = values["experiment"], values["quantity"]
    if experiment not in known:
        message = f"{place}: found experiment “{experiment}”; {nearest(experiment, known)}"
        raise StudyError(message)
    if not quantity:
        message = f"{place}: found no quantity, expected one as the report names it"
        raise StudyError(message)
    expected = unit_of(quantity)
    unit = values.get(_UNIT, "")
    if unit not in _BY_NAME:
        message = f"{place}: found unit “{unit}”, expected {expected}, that of “{quantity}”"
        raise StudyError(message)
    if unit and _BY_NAME[unit] != expected:
        message = (
            f"{place}: found unit {unit}, expected {expected}, that of “{quantity}”; convert the"
            " value"
        )
        raise StudyError(message)
    try:
        value = float(values["value"].replace("_", " "))  # 1_000 is a number in Python alone
    except ValueError:
        value = math.nan
    if value and not _LEAST <= abs(value) <= _MOST:
        message = (
            f"{place}: found value “{values['value']}”, expected a number such as 1.25; a cell that"
            " is not known has no line"
        )
        raise StudyError(message)
    return Cell(experiment, values["condition"], quantity, value, number)


def beside(
    experiment: str, rows: Iterable[Row], cells: dict[tuple[str, str, str], Cell]
) -> Iterator[Row]:
    """Yield the rows of an experiment with the published figures of the same name.

    An average has the paper's minimum and maximum too. Of several rows with one name the first is
    compared, the others are other readings of it.
    """
    seen = set()

    def value(row: Row, quantity: str) -> float | None:
        found = cells.get((experiment, row.condition, quantity))
        return found.value if found else None

    for row in rows:
        key = (row.condition, row.quantity)
        low = high = None
        if _AVERAGE in row.quantity:
            low = value(row, row.quantity.replace(_AVERAGE, _MINIMUM))
            high = value(row, row.quantity.replace(_AVERAGE, _MAXIMUM))
        yield replace(
            row,
            published=value(row, row.quantity),
            published_minimum=low,
            published_maximum=high,
            is_other_reading=key in seen,
        )
        seen.add(key)
