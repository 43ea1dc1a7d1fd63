"""Reproduced experiments as a page: Markdown, and HTML that opens from disk."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, fields
from difflib import get_close_matches
from html import escape
from typing import TYPE_CHECKING

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
    "measured over published. A figure agrees within its interval, within the paper's minimum to "
    "maximum, or within 15 % of the published one; it is near within 25 %, and else differs. "
    "Extremes over fewer topologies than the paper's are not compared. Other readings, of what a "
    "paper leaves open, are judged and not counted."
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


_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th { border-bottom: 2px solid #8888; } .text { text-align: left; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
figure .narrow { display: none; }
figcaption { padding: 0 .5rem .5rem; }
body { color: #1b1f24; background: #fff; }
@media screen and (prefers-color-scheme: dark) {
  body { color: #e4e8ed; background: #12161b; }
  svg.marks { filter: invert(1) hue-rotate(180deg) brightness(1.2); mix-blend-mode: lighten; }
}
@media screen and (max-width: 680px) {
  figure .wide { display: none; }
  figure .narrow { display: block; }
  table, tbody { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: .1rem .8rem; padding: .5rem 0;
    border-bottom: 1px solid #8884; }
  th, td { display: block; padding: 0; border: 0; text-align: left; overflow-wrap: anywhere; }
  td:nth-child(-n+2) { grid-column: 1 / -1; }
  td:nth-child(1) { font-weight: 600; }
  td[data-label]::before { content: attr(data-label); display: block; font-size: .8em; }
}
:focus-visible { outline: 3px solid #0072b2; }
"""


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
        [cell.condition or "–", cell.quantity, f"{cell.value:.4g}", *"––––", "no figure"]
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
        "published": "" if row.published is None else f"{row.published:.4g}",
        "measured": f"{row.value:.4g}",
        "± 95 %": "–" if math.isnan(row.half_width) else f"{row.half_width:.2g}",
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
        told.append(f"Root mean square of the deviations of {count} figures: {found:.1%}.")
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
) -> str:
    """Write reproduced experiments as an HTML page with nothing outside itself."""
    title = f"{paper.tag.upper()}, run again"
    body = [
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(paper.citation)}</p>",
        f"<p>{_with_code(paper.about)}</p>",
        f"<p>Measured with Weft {escape(version)}.</p>",
        f"<p>{escape(LEGEND)}</p>",
    ]
    for entry in made:
        body.append(f"<h2>{escape(heading(entry.experiment))}</h2>")
        for table in tables(entry):
            body += [f"<p>{escape(table.title)}:</p>"] if table.title else []
            body += _table(heading(entry.experiment), table)
        body += [f"<p>{escape(text)}</p>" for text in notes(entry)]
        for picture in (pictures or {}).get(entry.experiment.name, []):
            caption = f"<figcaption>{escape(picture.caption)}</figcaption>"
            # One picture to a screen reader, and not each of its marks; the table has the figures.
            # Where it is wider than the screen the keyboard scrolls it.
            label = escape(f"{picture.title}. {picture.caption}")
            forms = {"wide": picture.svg, "narrow": picture.printed[".svg"].decode()}
            drawn = "".join(
                f'<div class="{form}" role="img" aria-label="{label}">{svg}</div>'
                for form, svg in forms.items()
            )
            body.append(f'<figure tabindex="0">{drawn}{caption}</figure>')
    head = (
        f'<meta charset="utf-8">\n<title>{escape(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<style>{_STYLE}</style>"
    )
    content = "\n".join(body)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n{head}\n</head>\n'
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _with_code(text: str) -> str:
    """Set what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _table(name: str, table: Table) -> list[str]:
    def line(tag: str, texts: Sequence[str]) -> str:
        marks = ["" if is_number else ' class="text"' for is_number in table.columns.values()]
        if tag == "td":
            # What a figure is, where a narrow screen has no room for a row of titles.
            labels = [f' data-label="{escape(name)}"' for name in table.columns]
            marks = [
                mark + (label if place > 1 else "")
                for place, (mark, label) in enumerate(zip(marks, labels, strict=True))
            ]
        return "".join(
            f"<{tag}{mark}>{escape(text)}</{tag}>" for mark, text in zip(marks, texts, strict=True)
        )

    label = ": ".join(text for text in (name, table.title) if text)
    return [
        # What scrolls can be reached with the keyboard.
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(label)}"><table>',
        f"<thead><tr>{line('th', list(table.columns))}</tr></thead>",
        "<tbody>",
        *(f"<tr>{line('td', row)}</tr>" for row in table.rows),
        "</tbody></table></div>",
    ]
