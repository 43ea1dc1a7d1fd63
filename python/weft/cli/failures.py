"""``weft fabric degrade``: a network without some of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft.cli.fabric_files import fabric_line, load_fabric
from weft.cli.output import emit_json, json_option, print_pairs
from weft.fabric import degrade as take_away
from weft.fabric import write_fabric

if TYPE_CHECKING:
    from weft.fabric import DegradedFabric

__all__ = ["degrade"]

_SHOWN_NAMES = 8


@click.command(short_help="Take links, switches or hosts away.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--links",
    multiple=True,
    metavar="SHARE|SWITCH:PORT",
    help="Links that fail: a share of those between switches, or one by switch and port.",
)
@click.option(
    "--switches", multiple=True, metavar="SHARE|NAME", help="Switches that fail, with all on them."
)
@click.option("--hosts", multiple=True, metavar="SHARE|NAME", help="Hosts that fail.")
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Another seed, other parts of a share."
)
@click.option(
    "--keep-largest",
    is_flag=True,
    help="Keep the part with most hosts where the network falls apart.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File to write; <name of the fabric>.json when left out.",
)
@json_option
def degrade(
    file: Path,
    links: tuple[str, ...],
    switches: tuple[str, ...],
    hosts: tuple[str, ...],
    seed: int,
    keep_largest: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Write a network without the links, switches and hosts that fail.

    Parts are named, one per option, or drawn as a share such as 2%. Under one seed the parts of a
    smaller share are among those of a larger one. Names and ports stay as they were. What falls
    apart stays in parts, which routing refuses, unless --keep-largest is given.

    \b
    Example:
      weft fabric degrade cluster.ibnetdiscover --links 2% --seed 1 -o degraded.json
      weft fabric degrade cluster.ibnetdiscover --switches spine3 --links leaf01:17
    """
    if not (links or switches or hosts or keep_largest):
        message = "nothing fails; say what does by --links, --switches or --hosts"
        raise click.UsageError(message, click.get_current_context())
    whole = load_fabric(file).fabric
    degraded = take_away(
        whole,
        links=links,
        switches=switches,
        hosts=hosts,
        seed=seed,
        keep_largest=keep_largest,
    )
    path = output or Path(f"{degraded.fabric.name}.json")
    write_fabric(degraded.fabric, path)
    if as_json:
        emit_json({**_record(degraded), "path": path})
        return
    print_pairs(_pairs(degraded))
    click.echo(fabric_line(degraded.fabric))
    click.echo(f"written to {path}")


def _record(degraded: DegradedFabric) -> dict[str, object]:
    return {
        "name": degraded.fabric.name,
        "fingerprint": f"{degraded.fabric.fingerprint:016x}",
        "failed_links": degraded.failed_links,
        "failed_switches": degraded.failed_switches,
        "failed_hosts": degraded.failed_hosts,
        "cut_off_hosts": degraded.cut_off_hosts,
        "left_out_switches": degraded.left_out_switches,
        "left_out_hosts": degraded.left_out_hosts,
    }


def _pairs(degraded: DegradedFabric) -> list[tuple[str, str]]:
    links = [f"{a} – {b}" for a, b in degraded.failed_links]
    pairs = [
        ("failed links", links),
        ("failed switches", degraded.failed_switches),
        ("failed hosts", degraded.failed_hosts),
        ("hosts cut off", degraded.cut_off_hosts),
        ("switches left out", degraded.left_out_switches),
        ("hosts left out", degraded.left_out_hosts),
    ]
    return [(name, _listed(names)) for name, names in pairs if names]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN_NAMES])
    rest = len(names) - _SHOWN_NAMES
    return f"{len(names)}: {shown}" + (f" … {rest} more, see --json" if rest > 0 else "")
