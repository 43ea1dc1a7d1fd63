"""Reproduced experiments as text: tables, Markdown, CSV, and a page that opens from disk."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING

from markupsafe import Markup

from weft._numbers import in_percent, quantity
from weft.report.scripts import page_style, picture, template
from weft.reproduce.answers import answers
from weft.reproduce.definition import Row, deviation, judgement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.reproduce.definition import Experiment, Paper
    from weft.reproduce.pictures import Picture
    from weft.reproduce.run import Reproduced

__all__ = ["LEGEND", "heading", "notes", "tables", "to_csv", "to_html", "to_markdown"]

#: What every table means by its columns.
LEGEND = (
    "Published: the paper's figure. Measured: ours, the mean over topologies or seeds where there "
    "are several, as many as “from” says, with the half width of its 95 % interval. Ratio: "
    "measured over published. A figure agrees within the paper's minimum to maximum, or within "
    "15 % of the published one, or, farther off, within its own interval alone; it is near within "
    "25 %, and else differs. "
    "Extremes over fewer topologies than the paper's are not compared; over more, they are those "
    "that as many as the paper's have on average. Other readings, of what a paper leaves open, are "
    "judged and not counted."
)

#: Titles of the columns of a published table, and whether each holds numbers.
_PUBLISHED = {
    "condition": False,
    "figure": False,
    "published": True,
    "measured": True,
    "± 95 %": True,
    "from": True,
    "ratio": True,
    "judgement": False,
}
#: The same where nothing is known to be published.
_MEASURED = {
    name: is_number
    for name, is_number in _PUBLISHED.items()
    if name not in ("published", "ratio", "judgement")
}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as text under titles."""

    title: str  # what sets it apart from the others of its experiment; empty of the first kind
    columns: Mapping[str, bool]  # titles, and whether each holds numbers
    rows: list[list[str]]


def heading(experiment: Experiment) -> str:
    """Return the heading of an experiment: ``Table 1: …``."""
    kind, _, number = experiment.name.partition("-")
    return f"{kind.capitalize()} {number}: {experiment.title}"


def tables(entry: Reproduced) -> list[Table]:
    """Return what came out of an experiment: beside published figures, other readings, and alone.

    Those without rows are left out; what has no published figure has no column for one.
    """
    published = [row for row in entry.rows if row.published is not None]
    first = [row for row in published if not row.is_other_reading]
    others = [row for row in published if row.is_other_reading]
    alone = [row for row in entry.rows if row.published is None]
    lost = [
        [cell.condition or "–", cell.quantity, quantity(cell.value), *"––––", "no figure"]
        for cell in entry.alone
    ]
    found = [
        Table("", _PUBLISHED, [_cells(row, _PUBLISHED) for row in first] + lost),
        Table("Other readings", _PUBLISHED, [_cells(row, _PUBLISHED) for row in others]),
        Table("Not known to be published", _MEASURED, [_cells(row, _MEASURED) for row in alone]),
    ]
    return [table for table in found if table.rows]


def _cells(row: Row, columns: Mapping[str, bool]) -> list[str]:
    condition = row.condition or "–"
    texts = {
        "condition": f"{condition} ({row.remark})" if row.remark else condition,
        "figure": row.quantity,
        "published": "" if row.published is None else quantity(row.published),
        "measured": quantity(row.value),
        "± 95 %": "–" if math.isnan(row.half_width) else quantity(row.half_width, 2),
        "from": str(row.count),
        "ratio": "–" if row.ratio is None else f"{row.ratio:.2f}",
        "judgement": judgement(row),
    }
    return [texts[name] for name in columns]


def notes(entry: Reproduced) -> list[str]:
    """Return what stands below a table: all deviations, missing traces, cells of no row."""
    told = []
    count, found = deviation(entry.rows)
    if entry.experiment.tells_deviation and count:
        told.append(f"Root mean square of the deviations of {count} figures: {in_percent(found)}.")
    if entry.missing:
        names = ", ".join(entry.missing)
        told.append(
            f"Not measured, for their traces are not there: {names}. --traces names the folder they"
            " are in; studies/applications tells how such traces are recorded."
        )
    rows = {f"{row.condition}: {row.quantity}": None for row in entry.rows}
    for cell in entry.alone:
        if cell.is_given:
            name = f"{cell.condition}: {cell.quantity}"
            close = get_close_matches(name, rows, 1)
            meant = f"; did you mean “{close[0]}”?" if close else "."
            told.append(f"Line {cell.line} of the file: there is no figure “{name}” here{meant}")
    return told


def to_markdown(paper: Paper, made: Sequence[Reproduced], version: str) -> str:
    """Write reproduced experiments as Markdown."""
    lines = [f"# {paper.tag.upper()}", "", paper.citation, "", paper.about, ""]
    lines += [f"Measured with Weft {version}.", "", LEGEND, ""]
    for entry in made:
        lines += [f"## {heading(entry.experiment)}", ""]
        for table in tables(entry):
            lines += [f"{table.title}:", ""] if table.title else []
            rule = ["---:" if is_number else "---" for is_number in table.columns.values()]
            rows = [list(table.columns), rule, *table.rows]
            lines += [f"| {' | '.join(row)} |" for row in rows]
            lines += [""]
        for text in notes(entry):
            lines += [text, ""]
    return "\n".join(lines)


def to_csv(made: Sequence[Reproduced]) -> str:
    """Write the rows of experiments, and published figures without one, as CSV, in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(Row)]
    writer.writerow(["experiment", *names, "ratio", "judgement"])
    for entry in made:
        for row in entry.rows:
            values = [getattr(row, name) for name in names]
            writer.writerow([entry.experiment.name, *values, row.ratio, judgement(row)])
        for cell in entry.alone:
            told = {"condition": cell.condition, "quantity": cell.quantity, "published": cell.value}
            values = [told.get(name) for name in names]
            writer.writerow([entry.experiment.name, *values, None, "no figure"])
    return text.getvalue()


def to_html(
    paper: Paper,
    made: Sequence[Reproduced],
    version: str,
    pictures: Mapping[str, Sequence[Picture]] | None = None,
    *,
    is_quick: bool = False,
) -> str:
    """Write reproduced experiments as an HTML page with nothing outside itself."""
    context = {
        "style": page_style(),
        "title": f"{paper.tag.upper()}, run again",
        "citation": paper.citation,
        "about": _with_code(paper.about),
        "legend": LEGEND,
        "version": version,
        "answers": answers(paper, made, is_quick=is_quick),
        "experiments": [
            {
                "name": entry.experiment.name,
                "short": heading(entry.experiment).partition(":")[0],
                "heading": heading(entry.experiment),
                "tables": tables(entry),
                "notes": notes(entry),
                "pictures": [
                    {
                        "title": drawn.title,
                        "caption": drawn.caption,
                        "svg": picture(drawn.svg),
                        "narrow": picture(drawn.narrow),
                    }
                    for drawn in (pictures or {}).get(entry.experiment.name, [])
                ],
            }
            for entry in made
        ],
    }
    return template("reproduced.html").render(context)


def _with_code(text: str) -> Markup:
    """Set what stands between backticks as code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else part
        for place, part in enumerate(parts)
    )
