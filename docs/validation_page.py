"""The page on validation, made of what the reproductions measured and of remarks on it.

A folder of ``docs/validation`` for each paper holds what ``weft reproduce`` wrote: ``quick.csv``
and ``quick.md``, of ``--quick``, and ``full.csv`` of what was run in full, which goes before.
``remarks.md`` says what there is to say of the paper, and ``reasons.toml`` why figures do not agree
or are not compared::

    [[reason]]
    experiment = "table-3"
    cells = "local.*radius=5"      # a pattern of “condition: quantity”; all cells without it
    text = "…"

In remarks ``{{table-1 | 64 switches, 512 bytes | ITB over UD, average}}`` stands for the measured
figure and the published one, *2.71 for 2.72*, and ``{{… | value}}`` for ours alone, so that no
sentence has a figure that no table bears; reasons have them too, and figures of what was tried
beside the tables. After a reproduction was run again::

    .venv/bin/python docs/validation_page.py

writes ``docs/guide/validation.md``; the tests compare (tests/python/test_validation_page.py).
"""

from __future__ import annotations

import csv
import math
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path

from weft.reproduce.definition import is_same

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/validation"
PAGE = ROOT / "docs/guide/validation.md"
PAPERS = ("boost", "itbsr", "arb", "mvn", "rhinet")

#: First words of judgements.
AGREES, NEAR, DIFFERS = "agrees", "near", "differs"
OTHERS = {"not compared": "not compared", "no figure": "no figure here"}
#: Columns of what agrees: by the value, or farther off within the published extremes. Of a minimum
#: or a maximum that is told apart, as it may be far from its own published value.
SAME = "within 15 %"
AVERAGE = "average within the extremes"
EXTREME = "extreme within the extremes"
#: What is no agreement by the criterion: farther off than 15 %, and our own interval so wide.
_ALONE = "agrees: within the interval alone"
INTERVAL = "within our interval alone"
KINDS = (SAME, AVERAGE, EXTREME, INTERVAL, NEAR, DIFFERS, *OTHERS.values())


@dataclass(frozen=True)
class Figure:
    """A line of a report."""

    experiment: str
    condition: str
    quantity: str
    value: str
    published: str
    judgement: str
    is_other_reading: bool
    is_between: bool = False  # an extreme that lies between the published ones of its row

    @property
    def kind(self) -> str:
        """The column it is counted in."""
        word = self.judgement.partition(":")[0]
        if word == AGREES and self.judgement != _ALONE:
            return SAME if is_same(float(self.value), float(self.published)) else AVERAGE
        if self.is_between and word in (AGREES, NEAR, DIFFERS):
            return EXTREME
        return INTERVAL if self.judgement == _ALONE else OTHERS.get(word, word)

    @property
    def agrees(self) -> bool:
        """Whether it agrees, extremes by their own published value alone."""
        return self.kind in (SAME, AVERAGE)

    @property
    def name(self) -> str:
        """How reasons find it."""
        return f"{self.condition}: {self.quantity}"


def figures(tag: str, folder: Path = FOLDER) -> list[Figure]:
    """Return the lines of a paper's reports, those in full before the quick ones of their kind."""
    found: dict[tuple[str, str, str, bool], Figure] = {}
    for extent in ("quick", "full"):
        path = folder / tag / f"{extent}.csv"
        if not path.is_file():
            continue
        with path.open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                names = ("experiment", "condition", "quantity", "value", "published", "judgement")
                figure = Figure(*(line[name] for name in names), line["is_other_reading"] == "True")
                key = (
                    figure.experiment,
                    figure.condition,
                    figure.quantity,
                    figure.is_other_reading,
                )
                if key not in found or figure.value:
                    found[key] = figure
    return list(found.values())


def counted(found: list[Figure]) -> list[Figure]:
    """Return the published figures, of each the reading that was taken."""
    figures = [figure for figure in found if figure.published and not figure.is_other_reading]
    known = {
        (figure.experiment, figure.condition, figure.quantity): float(figure.published)
        for figure in figures
    }

    def published(figure: Figure, which: str) -> float:
        quantity = re.sub(r"(?<=, )(minimum|maximum)\b", which, figure.quantity)
        return known.get((figure.experiment, figure.condition, quantity), math.nan)

    def is_between(figure: Figure) -> bool:
        is_extreme = re.search(r", (minimum|maximum)\b", figure.quantity)
        return bool(is_extreme and figure.value) and (
            published(figure, "minimum") <= float(figure.value) <= published(figure, "maximum")
        )

    return [replace(figure, is_between=is_between(figure)) for figure in figures]


def row(name: str, found: list[Figure]) -> str:
    """Return a line of counts."""
    kinds = [figure.kind for figure in found]
    counts = [kinds.count(kind) for kind in KINDS]
    agreeing = [f"{100 * sum(counts[:of]) / len(kinds):.0f} %" if kinds else "–" for of in (2, 3)]
    return f"| {name} | {len(kinds)} | {' | '.join([*map(str, counts), *agreeing])} |"


def counts(lines: list[tuple[str, list[Figure]]], what: str) -> list[str]:
    """Return a table of counts."""
    return [
        f"| {what} | published | {' | '.join(KINDS)} | agree | with extremes |",
        f"|:---|{'---:|' * (len(KINDS) + 3)}",
        *(row(name, found) for name, found in lines),
    ]


def with_figures(text: str, found: list[Figure], place: str) -> str:
    """Return a text with its figures in place."""
    known = {
        (figure.experiment, figure.condition, figure.quantity): figure
        for figure in reversed(found)
        if not figure.is_other_reading
    }

    def told(match: re.Match[str]) -> str:
        parts = [part.strip() for part in " ".join(match[1].split()).split("|")]
        is_alone = parts[-1] == "value"
        key = tuple(parts[:-1] if is_alone else parts)
        figure = known.get(key)
        if figure is None or not figure.value:
            message = f"{place}: no figure “{' | '.join(parts)}”"
            raise ValueError(message)
        ours = f"{float(figure.value):.3g}"
        return ours if is_alone or not figure.published else f"{ours} for {figure.published}"

    return re.sub(r"\{\{(.+?)\}\}", told, text, flags=re.DOTALL)


def reason(figure: Figure, reasons: list[dict[str, str]]) -> str:
    """Return why a figure does not agree; empty where nobody says."""
    return next(
        (
            " ".join(entry["text"].split())
            for entry in reasons
            if entry["experiment"] == figure.experiment
            and re.search(entry.get("cells", ""), figure.name)
        ),
        "",
    )


def unexplained(tag: str, folder: Path = FOLDER) -> list[Figure]:
    """Return the figures of a paper that do not agree and have no reason."""
    reasons = read_reasons(tag, folder)
    return [
        figure
        for figure in counted(figures(tag, folder))
        if not figure.agrees and not reason(figure, reasons)
    ]


def read_reasons(tag: str, folder: Path = FOLDER) -> list[dict[str, str]]:
    """Return the reasons of a paper."""
    path = folder / tag / "reasons.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")).get("reason", [])


def remaining(tag: str, found: list[Figure], folder: Path = FOLDER) -> list[str]:
    """Return the list of what does not agree, by reason."""
    reasons = read_reasons(tag, folder)
    groups: dict[str, list[Figure]] = {}
    for figure in counted(found):
        if not figure.agrees:
            groups.setdefault(reason(figure, reasons) or "Not known.", []).append(figure)
    lines = []
    for text, group in groups.items():
        lines += [f"- {with_figures(text, found, tag + '/reasons.toml')}", ""]
        lines += ["  | figure | measured | published | |", "  |:---|---:|---:|:---|"]
        for figure in group:
            ours = f"{float(figure.value):.4g}" if figure.value else "–"
            name = f"{figure.experiment}, {figure.condition}: {figure.quantity}"
            theirs = f"{float(figure.published):.4g}"
            judged = figure.judgement + (f"; {EXTREME}" if figure.kind == EXTREME else "")
            lines.append(f"  | {name} | {ours} | {theirs} | {judged} |")
        lines.append("")
    return lines


def page(folder: Path = FOLDER) -> str:
    """Return the whole page."""
    found = {tag: figures(tag, folder) for tag in PAPERS}
    lines = [(tag.upper(), counted(found[tag])) for tag in PAPERS]
    together = [figure for _, each in lines for figure in each]
    introduction = (folder / "introduction.md").read_text(encoding="utf-8")
    text = [introduction, "## What agrees, counted", ""]
    text += [*counts([*lines, ("all", together)], "paper"), ""]
    kinds = [figure.kind for figure in together]
    same, average, extreme = (kinds.count(kind) for kind in (SAME, AVERAGE, EXTREME))
    text += [
        f"By two measures: {same + average} of {len(together)} agree, {same} within 15 % of what "
        f"is published and {average} an average, farther off, within the published minimum and "
        "maximum. Where a minimum or a maximum, too, need only lie within these two, as it does "
        f"where our networks differ less than the paper's, {extreme} more do, "
        f"{same + average + extreme} in all; "
        "they stand below with reasons, as what does not agree.",
        "",
    ]
    for tag in PAPERS:
        remarks = (folder / tag / "remarks.md").read_text(encoding="utf-8").strip()
        head, _, body = remarks.partition("\n")
        experiments = dict.fromkeys(figure.experiment for figure in counted(found[tag]))
        per_table = [
            (name, [figure for figure in counted(found[tag]) if figure.experiment == name])
            for name in experiments
        ]
        text += [f"#{head}", ""]
        text += [*counts(per_table, "experiment"), ""] if per_table else []
        text += [with_figures(body.strip(), found[tag], f"{tag}/remarks.md"), ""]
        left = remaining(tag, found[tag], folder)
        text += [f"What does not agree in {tag.upper()}, and why:", "", *left] if left else []
    text += ["## The reports", ""]
    for tag in PAPERS:
        text += [f"```{{include}} ../validation/{tag}/quick.md", ":heading-offset: 2", "```", ""]
    return "\n".join(text).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
