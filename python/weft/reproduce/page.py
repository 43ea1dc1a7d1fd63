"""Reproduced experiments as a page: Markdown, and HTML that opens from disk."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING

from weft.reproduce.definition import Row, deviation, judgement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.reproduce.definition import Experiment, Paper
    from weft.reproduce.pictures import Picture
    from weft.reproduce.run import Reproduced

__all__ = ["HEADER", "cells", "heading", "notes", "to_csv", "to_html", "to_markdown"]

#: Titles of the columns, and whether each holds numbers.
HEADER = {
    "condition": False,
    "figure": False,
    "measured": True,
    "± 95 %": True,
    "from": True,
    "published": True,
    "ratio": True,
    "judgement": False,
}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th { border-bottom: 2px solid #8888; } .text { text-align: left; }
figure { margin: 1rem 0; background: #fff; overflow-x: auto; }
figure svg { min-width: 40rem; max-width: 100%; height: auto; }
figcaption { color: #1d2430; padding: 0 .5rem .5rem; }
:focus-visible { outline: 3px solid #0072b2; }
"""


def heading(experiment: Experiment) -> str:
    """Return the heading of an experiment: ``Table 1: …``."""
    kind, _, number = experiment.name.partition("-")
    return f"{kind.capitalize()} {number}: {experiment.title}"


def cells(row: Row) -> list[str]:
    """Return a row as text, one for each column of `HEADER`."""
    condition = row.condition or "–"
    return [
        f"{condition} ({row.remark})" if row.remark else condition,
        row.quantity,
        f"{row.value:.4g}",
        "–" if math.isnan(row.half_width) else f"{row.half_width:.2g}",
        str(row.count),
        "–" if row.published is None else f"{row.published:.4g}",
        "–" if row.ratio is None else f"{row.ratio:.2f}",
        judgement(row),
    ]


def notes(entry: Reproduced) -> list[str]:
    """Return what stands below a table: the deviations together, and traces that were missing."""
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
    return told


def to_markdown(paper: Paper, made: Sequence[Reproduced], version: str) -> str:
    """Write reproduced experiments as Markdown."""
    lines = [f"# {paper.tag.upper()}", "", paper.citation, "", paper.about, ""]
    lines += [f"Measured with Weft {version}.", ""]
    rule = ["---:" if is_number else "---" for is_number in HEADER.values()]
    for entry in made:
        lines += [f"## {heading(entry.experiment)}", ""]
        rows = [list(HEADER), rule, *(cells(row) for row in entry.rows)]
        lines += [f"| {' | '.join(row)} |" for row in rows]
        lines += [""]
        for text in notes(entry):
            lines += [text, ""]
    return "\n".join(lines)


def to_csv(made: Sequence[Reproduced]) -> str:
    """Write the rows of experiments as CSV, numbers in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [field.name for field in fields(Row)]
    writer.writerow(["experiment", *names, "ratio", "judgement"])
    for entry in made:
        for row in entry.rows:
            values = [getattr(row, name) for name in names]
            writer.writerow([entry.experiment.name, *values, row.ratio, judgement(row)])
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
    ]
    for entry in made:
        body.append(f"<h2>{escape(heading(entry.experiment))}</h2>")
        body += _table(heading(entry.experiment), [cells(row) for row in entry.rows])
        body += [f"<p>{escape(text)}</p>" for text in notes(entry)]
        for picture in (pictures or {}).get(entry.experiment.name, []):
            caption = f"<figcaption>{escape(picture.caption)}</figcaption>"
            # One picture to a screen reader, and not each of its marks; the table has the figures.
            # Where it is wider than the screen the keyboard scrolls it.
            label = escape(f"{picture.title}. {picture.caption}")
            drawn = f'<div role="img" aria-label="{label}">{picture.svg}</div>'
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


def _table(name: str, rows: Sequence[Sequence[str]]) -> list[str]:
    def line(tag: str, texts: Sequence[str]) -> str:
        marks = ["" if is_number else ' class="text"' for is_number in HEADER.values()]
        return "".join(
            f"<{tag}{mark}>{escape(text)}</{tag}>" for mark, text in zip(marks, texts, strict=True)
        )

    return [
        # What scrolls can be reached with the keyboard.
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(name)}"><table>',
        f"<thead><tr>{line('th', list(HEADER))}</tr></thead>",
        "<tbody>",
        *(f"<tr>{line('td', row)}</tr>" for row in rows),
        "</tbody></table></div>",
    ]
