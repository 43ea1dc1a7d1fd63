"""``weft export``: the results of a study as CSV or Parquet."""

from __future__ import annotations

from pathlib import Path

import click

from weft.cli.output import emit_json, json_option

__all__ = ["export"]


@click.command(short_help="Write results as CSV or Parquet.")
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--csv", "form", flag_value="csv", default=True, help="Write CSV (the default).")
@click.option("--parquet", "form", flag_value="parquet", help="Write Parquet.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to write to; made when missing.",
)
@click.option("--study", help="Name of the study, for a file that holds many.")
@json_option
def export(results: Path, form: str, folder: Path, study: str | None, as_json: bool) -> None:
    """Write the results of a study as tables for other tools.

    \b
    RESULTS is the results file of a study (results.sqlite), or the folder it lies in. The tables:
      routings   proof, parameters, load figures, throughput: one row per routing
      points     every figure of every simulation: one row per routing, load, seed
      channels   utilization and blocked time: one row per routing, load, seed, channel

    Units are part of the column names; loads are fractions of the host link rate. Parquet files
    also carry a description of each column.

    \b
    Examples:
      weft export weft-results/net --csv -o tables
      weft export weft-results/net/results.sqlite --parquet -o tables
    """
    from weft.export import export_results
    from weft.results import Results

    with Results.open(results, study) as opened:
        written = export_results(opened, folder, form)
    if as_json:
        emit_json({"files": written})
        return
    for path, rows in written.items():
        click.echo(f"{path}  {rows} rows")
