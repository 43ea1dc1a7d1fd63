"""``weft reproduce``: published experiments, run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft._files import write_text
from weft._machine import weft_version
from weft._numbers import counted
from weft.cli.chart_files import ChartOptions
from weft.cli.named_types import PAPER
from weft.cli.options import (
    FILE,
    FOLDER,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    option,
)
from weft.cli.output import Column, emit_json, picked, print_table, say, talk, tell_undrawn
from weft.cli.progress import shown_progress
from weft.cli.reading import KneeOptions
from weft.cli.study import PlaceOptions
from weft.reproduce import PAPERS, judgement
from weft.reproduce import reproduce as run
from weft.reproduce.definition import known_paper
from weft.reproduce.page import LEGEND, heading, notes, tables, to_csv, to_html, to_markdown
from weft.reproduce.pictures import pictures
from weft.reproduce.run import joined_study
from weft.results import Reading
from weft.study import case_statuses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.reproduce import Experiment, Paper, Reproduced

__all__ = ["reproduce"]

#: What is told of a row in a JSON document.
_TOLD = (
    "condition",
    "quantity",
    "value",
    "half_width",
    "count",
    "remark",
    "published",
    "ratio",
    "is_other_reading",
)


class _Options(Options):
    paper: str = argument(metavar="PAPER", type=PAPER)
    tables: Sequence[str] = option(
        "A table; repeat for more.", "--table", metavar="N", multiple=True
    )
    figures: Sequence[str] = option(
        "A figure; repeat for more.", "--figure", metavar="N", multiple=True
    )
    is_quick: bool = option(
        "Few small topologies and wide intervals, minutes; or everything, as in the paper (the"
        " default).",
        "--quick/--full",
        default=False,
        show_default=None,
    )
    traces: Path | None = option(
        "Where the traces of applications are that the package does not bring.",
        metavar="FOLDER",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
    )
    published: Path | None = option(
        "Further published figures to be judged like those of the package, as CSV: experiment,"
        " condition, quantity, value, and unit if there is one. Conditions and quantities are those"
        " of the report.",
        metavar="FILE",
        type=FILE,
    )
    knee: KneeOptions = group(KneeOptions)
    is_list: bool = flag("List the paper's experiments; run nothing.", "--list")
    where: PlaceOptions = group(PlaceOptions)
    folder: Path | None = option(
        "Folder for results and report; weft-results/PAPER-quick or -full when left out.",
        "--out",
        "-o",
        type=FOLDER,
    )
    files: ChartOptions = group(ChartOptions)
    as_json: bool = json_flag()


@command(_Options)
def reproduce(options: _Options) -> None:
    """Run the experiments of a paper again, with the published figures beside ours.

    PAPER is one of these, or words of its title, authors or year:

    \b
      boost   Boosting the Performance of Myrinet Networks
      itbsr   In-Transit Buffers: A Mechanism to Improve Performance of Networks with
              Source Routing
      arb     Evaluation of Alternative Arbitration Policies for Myrinet Switches
      mvn     Improving InfiniBand Routing through Multiple Virtual Networks
      rhinet  Performance Evaluation of Deterministic Routings, Multicasts, and Topologies
              on RHiNET-2 Cluster

    Most experiments are study files of the package; the report has, for every figure, ours with its
    95 % interval, the published one where it is known, their ratio and a judgement.

    All points go to one results file. What is still to be simulated is told first, with what it
    costs. After Ctrl-C the same command goes on where it was. The charts are in the report.

    \b
    Examples:
      weft reproduce boost --list
      weft reproduce "alternative arbitration" --list
      weft reproduce boost --table 1 --quick
      weft reproduce itbsr --full --on slurm
      weft reproduce boost --table 1 --quick --published mine.csv
      weft reproduce boost --table 1 --quick --charts figures
    """
    found = known_paper(PAPERS, options.paper)
    chosen = found.chosen(options.tables, options.figures)
    if options.is_list:
        _print_list(found, as_json=options.as_json)
        return
    reading = Reading(options.knee.factor)
    extent = "quick" if options.is_quick else "full"
    target = options.folder or Path("weft-results") / f"{found.tag}-{extent}"
    path = target / "results.sqlite"
    _tell_cost(found, chosen, path, is_quick=options.is_quick)
    with shown_progress(path) as watcher:
        made = run(
            found,
            chosen,
            path,
            quick=options.is_quick,
            on=options.where.place,
            jobs=options.where.jobs,
            traces=options.traces,
            published=options.published,
            reading=reading,
            watcher=watcher,
        )
    swept = {"results": path} if any(entry.cases for entry in made) else {}
    charts = options.files.charts
    files = {
        **swept,
        **_write_pages(found, made, path, target, charts=charts, is_quick=options.is_quick),
    }
    if options.as_json:
        told = [_document(entry) for entry in made]
        emit_json("reproduce", {"paper": found.tag, "experiments": told})
        return
    _print(made)
    for name, file in files.items():
        say(f"{name:8} {file}")


def _print_list(paper: Paper, *, as_json: bool) -> None:
    entries = [(*entry.name.split("-", 1), entry.title) for entry in paper.experiments]
    if as_json:
        keys = ("kind", "number", "title")
        told = [dict(zip(keys, entry, strict=True)) for entry in entries]
        head = {"paper": paper.tag, "citation": paper.citation}
        emit_json("reproduce-list", {**head, "experiments": told})
        return
    say(paper.citation)
    say()
    for kind, number, title in entries:
        say(f"  --{kind} {number:3} {title}")


def _tell_cost(
    paper: Paper, experiments: Sequence[Experiment], path: Path, *, is_quick: bool
) -> None:
    """Say how much is still to be simulated, and what it costs."""
    statuses = case_statuses(joined_study(paper, experiments, quick=is_quick).cases, path)
    points = sum(status.missing_points for status in statuses)
    if not points:
        return
    minutes = sum(status.missing_cost_s for status in statuses) / 60
    about = "" if all(status.is_exact for status in statuses) else "about "
    of_cases = f"{counted(points, 'point')} of {counted(len(statuses), 'case')}"
    talk(
        f"{paper.tag}: {about}{of_cases} to come, about "
        f"{max(minutes, 1):,.0f} min of one processor (a factor of three either way is common)"
    )


def _document(entry: Reproduced) -> dict[str, object]:
    return {
        "experiment": entry.experiment.name,
        "title": entry.experiment.title,
        "missing": entry.missing,
        "rows": [{**picked(row, *_TOLD), "judgement": judgement(row)} for row in entry.rows],
        "published_alone": [picked(cell, "condition", "quantity", "value") for cell in entry.alone],
    }


def _write_pages(
    paper: Paper,
    made: Sequence[Reproduced],
    results: Path,
    folder: Path,
    *,
    charts: Path | None,
    is_quick: bool,
) -> dict[str, Path]:
    talk("writing report")
    version = weft_version()
    drawn = pictures(made, results, tell_undrawn(), charts)
    texts = {
        "report": to_html(paper, made, version, drawn, is_quick=is_quick),
        "markdown": to_markdown(paper, made, version),
        "table": to_csv(made),
    }
    ends = {"report": "html", "markdown": "md", "table": "csv"}
    pages = {name: folder / f"report.{ends[name]}" for name in texts}
    for name, text in texts.items():
        write_text(pages[name], text)
    if charts is not None and any(drawn.values()):
        pages["charts"] = charts
    return pages


def _print(made: Sequence[Reproduced]) -> None:
    for entry in made:
        say(heading(entry.experiment))
        say()
        for table in tables(entry):
            if table.title:
                say(f"{table.title}:")
            columns = [Column(name, is_number=number) for name, number in table.columns.items()]
            print_table(columns, table.rows)
            say()
        for text in notes(entry):
            say(text)
            say()
    say(LEGEND)
    say()
