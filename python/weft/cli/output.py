"""What commands print: JSON documents, tables, notes. Data to stdout, talk to stderr."""

from __future__ import annotations

import json
import math
import shlex
import sys
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft._numbers import in_percent
from weft._visible import visible
from weft.cli.documents import headed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from weft.measurement import Measurement
    from weft.replay import Replay

__all__ = [
    "Column",
    "emit_json",
    "is_json_asked",
    "out_of_order",
    "picked",
    "print_pairs",
    "print_table",
    "say",
    "talk",
    "tell_how_to_go_on",
    "tell_undrawn",
    "words",
]


def say(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text to stdout, or to stderr: all that commands print goes through here.

    Names come from files and may hold what would steer a terminal; that is shown as an escape.
    """
    click.echo(visible(text), err=err, nl=nl)


def talk(text: str) -> None:
    """Say something to the person at the terminal, on stderr."""
    say(text, err=True)


def tell_undrawn() -> Callable[[str, Exception], None]:
    """Return what says, once a chart, that it could not be drawn and is left out."""
    told: set[str] = set()

    def tell(name: str, error: Exception) -> None:
        if name not in told:
            told.add(name)
            text = f"{error}".partition("\n")[0]
            what = f"{type(error).__name__}: {text}" if text else type(error).__name__
            talk(f"warning: the chart {name} could not be drawn and is left out ({what})")

    return tell


def tell_how_to_go_on(results: Path) -> None:
    """Say after an interruption what is kept, and the command that goes on from there."""
    if results.exists():
        talk(f"interrupted; finished points are kept in {results}")
    talk(f"to go on: {shlex.join(['weft', *click.get_current_context().find_root().obj])}")


def emit_json(kind: str, content: Mapping[str, Any]) -> None:
    """Print a document of a kind: the release of Weft, kind and version, then its content.

    Records, arrays, paths and plain values are content; NaN and infinity become null.
    """
    document = _plain(headed(kind, content))
    say(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def is_json_asked(context: click.Context) -> bool:
    """Tell whether ``--json`` is given, for options that are asked before it is known."""
    return "--json" in context.find_root().obj


def _plain(value: Any) -> Any:  # noqa: ANN401 - anything in, JSON out
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value


def picked(record: object, *names: str) -> dict[str, Any]:
    """Return attributes of a record by their names, for a JSON document."""
    return {name: getattr(record, name) for name in names}


def out_of_order(of: Replay | Measurement) -> str:
    """Say which share of packets others of their pair overtook, and by how many at most."""
    share = in_percent(of.out_of_order_share)
    return f"{share} of packets, overtaken by at most {of.out_of_order_distance}"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, the unit in a second line of the header; numbers stand to the right."""

    title: str
    unit: str = ""
    is_number: bool = True


def words(*titles: str) -> list[Column]:
    """Return columns of words, which stand to the left."""
    return [Column(title, is_number=False) for title in titles]


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Print a table to stdout: with rules on a terminal, aligned text elsewhere."""
    rows = [[visible(cell) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_rich(columns, rows)
        return
    header = [[column.title for column in columns], [column.unit for column in columns]]
    lines = [line for line in header if any(line)]
    widths = [max(len(line[index]) for line in [*lines, *rows]) for index in range(len(columns))]
    rule = ["-" * width for width in widths]
    for line in [*lines, rule, *rows]:
        cells = [
            text.rjust(width) if column.is_number else text.ljust(width)
            for text, width, column in zip(line, widths, columns, strict=True)
        ]
        say("  ".join(cells).rstrip())


def _print_rich(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        header = Text(column.title, style="bold")
        if column.unit:
            header.append(f"\n{column.unit}", style="dim")
        table.add_column(header, justify="right" if column.is_number else "left")
    for row in rows:
        table.add_row(*(Text(text) for text in row))
    Console().print(table)


def print_pairs(pairs: Mapping[str, str]) -> None:
    """Print names with their values to stdout, the values aligned."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        say(f"{name.ljust(width)}  {value}".rstrip())
