"""``weft report``: one HTML file from the results of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import report as reports
from weft.cli.chart_files import ChartOptions
from weft.cli.options import (
    FILE,
    WRITTEN,
    Options,
    argument,
    command,
    group,
    json_flag,
    needs,
    option,
)
from weft.cli.output import emit_json, say, tell_undrawn
from weft.cli.quantity_types import SHARE
from weft.cli.reading import ReadingOptions
from weft.results import Results

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["report"]


class _Options(Options):
    results: Path = argument(type=FILE)
    output: Path | None = option(
        "File to write; report.html beside the results when left out.",
        "-o",
        "--output",
        type=WRITTEN,
    )
    load: float | None = option(
        "Load at which the channels are drawn; the nearest simulated one is taken. When left out,"
        " the highest at which no routing is saturated.",
        type=SHARE,
    )
    reading: ReadingOptions = group(ReadingOptions)
    files: ChartOptions = group(ChartOptions)
    jobs: int | None = option(
        "With --charts: charts drawn at a time; one per processor when left out.", type=int
    )
    study: str | None = option("Name of the study, for a file that holds many.")
    as_json: bool = json_flag()


@command(_Options)
def report(options: _Options) -> None:
    """Write the report of a study: one self-contained HTML file.

    RESULTS is the results file of a study (results.sqlite), or the folder it lies in. The report
    opens from disk, can be mailed, and makes no network request. That of a study of programs has
    all its cases, side by side.

    \b
    Examples:
      weft report weft-results/net
      weft report weft-results/net -o net.html --load 0.1 --charts figures
    """
    charts = options.files.charts
    needs("--charts", charts is not None, "jobs")
    drawn: list[Path] = []
    reading = options.reading.made()
    path = None if options.study else _program_report(options.results, options.output)
    if path is None:
        with Results.open(options.results, options.study, reading=reading) as opened:
            path = options.output or opened.path.with_name("report.html")
            undrawn = tell_undrawn()
            reports.write_report(opened, path, drawing_load=options.load, undrawn=undrawn)
            drawn = options.files.write(
                opened, jobs=options.jobs, undrawn=undrawn, load=options.load
            )
    else:
        charts = None
    if options.as_json:
        emit_json("report", {"report": path, "charts": drawn})
        return
    say(f"report  {path}")
    if charts is not None:
        say(f"charts  {charts} ({len(drawn)} files)")


def _program_report(results: Path, output: Path | None) -> Path | None:
    """Write the report of a study of programs, all its cases; None where it is one of traffic."""
    file = results / "results.sqlite" if results.is_dir() else results
    with Results.open_all(file) as opened:
        rows = reports.program_rows(opened)
    if not rows:
        return None
    path = output or file.with_name("report.html")
    reports.write_program_report(rows, path, title=file.absolute().parent.name)
    return path
