"""``weft report``: one HTML file from the results of a study."""

from __future__ import annotations

from pathlib import Path

import click

from weft import plots
from weft import report as reports
from weft.cli.output import emit_json, json_option
from weft.results import Results

__all__ = ["report"]


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File to write; report.html beside the results when left out.",
)
@click.option(
    "--load",
    type=float,
    help="Load at which the channels are drawn; the nearest simulated one is taken. When left"
    " out, the highest at which no routing is saturated.",
)
@click.option(
    "--charts",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write every chart as SVG and PNG to this folder.",
)
@click.option("--study", help="Name of the study, for a file that holds many.")
@json_option
def report(
    results: Path,
    output: Path | None,
    load: float | None,
    charts: Path | None,
    study: str | None,
    as_json: bool,
) -> None:
    """Write the report of a study: one self-contained HTML file.

    RESULTS is the results file of a study (results.sqlite), or the folder it lies in. The report
    opens from disk, can be mailed, and makes no network request. That of a study of programs has
    all its cases, side by side.

    \b
    Examples:
      weft report weft-results/net
      weft report weft-results/net -o net.html --load 0.1 --charts figures
    """
    if study is None and (written_to := _program_report(results, output)) is not None:
        if as_json:
            emit_json({"report": written_to, "charts": []})
            return
        click.echo(f"report  {written_to}")
        return
    with Results.open(results, study) as opened:
        path = output or opened.path.with_name("report.html")
        reports.write_report(opened, path, drawing_load=load)
        written: list[Path] = []
        if charts is not None:
            written = plots.write_charts(opened, charts, drawing_load=load)
    if as_json:
        emit_json({"report": path, "charts": written})
        return
    click.echo(f"report  {path}")
    if charts is not None:
        click.echo(f"charts  {charts} ({len(written)} files)")


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
