"""``weft reproduce``: published experiments, run again."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft.cli.output import Column, emit_json, json_option, print_table, talk, tell_how_to_go_on
from weft.errors import StudyError

if TYPE_CHECKING:
    from weft.reproduce import BoostTable, TopologyFactor

__all__ = ["reproduce"]

_DEFAULT_SIZES = "8,16,32,64"


@click.group(short_help="Run published experiments again.")
def reproduce() -> None:
    """Run published experiments again and set the figures beside the published ones.

    \b
    Example:
      weft reproduce boost --table 1 --quick
    """


@reproduce.command(short_help="BOOST: in-transit buffers on irregular networks.")
@click.option(
    "--table",
    type=click.IntRange(1, 1),
    default=1,
    show_default=True,
    help="Table of the paper: 1, the factor of throughput over irregular networks.",
)
@click.option("--quick", "is_quick", flag_value=True, help="Three topologies a size.")
@click.option(
    "--full",
    "is_quick",
    flag_value=False,
    default=False,
    help="Ten topologies a size, as in the paper (the default).",
)
@click.option(
    "--sizes",
    default=_DEFAULT_SIZES,
    show_default=True,
    metavar="A,B,C",
    help="Switches of the networks.",
)
@click.option("--jobs", type=int, help="Simulations at a time; one per processor when left out.")
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("weft-results/boost"),
    show_default=True,
    help="Folder for results and report.",
)
@json_option
def boost(
    table: int,
    is_quick: bool,
    sizes: str,
    jobs: int | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Reproduce BOOST (Flich, López, Malumbres, Duato, IEEE TPDS 2002).

    Table 1 at 512 bytes: the factor by which in-transit buffers raise throughput over up*/down*,
    on seeded random irregular networks (4 hosts, 8 ports, 4 links to other switches), as minimum,
    maximum and average over the topologies, for two rules for the root, beside the published.

    All points go to one results file. After Ctrl-C the same command goes on where it was; --full
    after --quick adds the topologies that are missing.

    \b
    Examples:
      weft reproduce boost --table 1 --quick
      weft reproduce boost --sizes 8,16 --full --out boost
    """
    from weft.reproduce.boost import FULL_TOPOLOGIES, QUICK_TOPOLOGIES, reproduce_table_1

    topologies = QUICK_TOPOLOGIES if is_quick else FULL_TOPOLOGIES
    parsed = _parse_sizes(sizes)
    total = len(parsed) * topologies
    begun = time.monotonic()

    def tell(factors: list[TopologyFactor], finished: int) -> None:
        from weft.reproduce.boost import ROOTS

        found = ", ".join(f"{entry.factor:.2f} (root: {ROOTS[entry.root]})" for entry in factors)
        talk(
            f"[{time.monotonic() - begun:6.1f} s] {finished} of {total}: {factors[0].switches} "
            f"switches, topology {factors[0].topology}: ITB over UD {found}"
        )

    path = folder / f"table{table}.sqlite"
    try:
        made = reproduce_table_1(
            path, sizes=parsed, topologies=topologies, jobs=jobs, on_topology=tell
        )
    except KeyboardInterrupt:
        tell_how_to_go_on(path)
        raise
    files = {"results": path, **_write_pages(made, folder, table)}
    if as_json:
        emit_json({"rows": made.rows, "topologies": made.topologies, "files": files})
        return
    _print(made)
    for name, file in files.items():
        click.echo(f"{name:8} {file}")


def _parse_sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        message = f"--sizes {text}: expected whole numbers with commas, such as {_DEFAULT_SIZES}"
        raise StudyError(message) from error


def _write_pages(made: BoostTable, folder: Path, table: int) -> dict[str, Path]:
    from weft._files import write_text
    from weft.reproduce.page import to_html, to_markdown
    from weft.results.machine import weft_version

    pages = {"report": folder / f"table{table}.html", "markdown": folder / f"table{table}.md"}
    write_text(pages["report"], to_html(made, weft_version()))
    write_text(pages["markdown"], to_markdown(made, weft_version()))
    return pages


def _print(made: BoostTable) -> None:
    from weft.reproduce.page import TITLE, table_cells

    click.echo(TITLE)
    click.echo()
    columns = [
        Column("switches"),
        Column("root", is_number=False),
        *(Column("measured", name) for name in ("average", "minimum", "maximum")),
        Column("topologies"),
        *(Column("published", name) for name in ("average", "minimum", "maximum")),
    ]
    print_table(columns, [table_cells(row) for row in made.rows])
    click.echo()
