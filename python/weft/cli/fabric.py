"""``weft fabric``: make, look at and convert networks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft.cli.diff import diff
from weft.cli.fabric_files import EndOptions, fabric_document, fabric_line, load_file, write_new
from weft.cli.failures import degrade
from weft.cli.options import (
    FILE,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    list_flag,
    option,
)
from weft.cli.output import emit_json, say
from weft.cli.show import show
from weft.cli.topologies import add_topologies
from weft.fabric import FabricFile, fabric_figures, fabric_formats

if TYPE_CHECKING:
    from weft.fabric import Fabric, FabricFormat

__all__ = ["fabric"]


@click.group()
def fabric() -> None:
    """Make, look at and convert networks.

    A fabric file is Weft's own JSON, the output of `ibnetdiscover` on a real InfiniBand cluster
    or in another format that `weft fabric convert --list` lists; the format is found from the
    content.

    \b
    Examples:
      ibnetdiscover > cluster.ibnetdiscover        on a node of the cluster
      weft fabric show cluster.ibnetdiscover
      weft fabric new torus --extents 8x8 --hosts-per-switch 8 -o torus.json
    """


@fabric.group(short_help="Make a network.")
def new() -> None:
    """Make a network of one of many topologies.

    Hosts take the first ports of each switch. The same arguments give the same network on every
    machine.

    \b
    Examples:
      weft fabric new mesh --extents 4x4 -o mesh.json
      weft fabric new k-ary-n-tree --k 4 --n 3 -o tree.json
      weft fabric new irregular --switches 64 --seed 7 -o net.json
    """


class _NewOptions(Options):
    output: Path | None = option(
        "File to write, in the format the end of its name tells; <name of the fabric>.json when"
        " left out.",
        "-o",
        "--output",
        type=FILE,
    )
    force: bool = flag("Replace a file that is there.")
    as_json: bool = json_flag()


def _write_new(fabric: Fabric, output: Path | None, *, force: bool, as_json: bool) -> None:
    path = output or Path(f"{fabric.name}.json")
    written = write_new(fabric, path, force=force)
    read = FabricFile(fabric, written, [], [])
    _tell_written("fabric-new", read, path, as_json=as_json)


add_topologies(new, _NewOptions.added_to, _write_new)


def _print_format(entry: FabricFormat) -> None:
    """Print a format of fabric files."""
    uses = [word for word, is_so in (("read", entry.reads), ("written", entry.writes)) if is_so]
    say(f"{entry.name}: {entry.title}, {' and '.join(uses)}")
    say(f"  {entry.summary}")
    if entry.writes:
        say(f"  files: {', '.join(f'.{end}' for end in entry.extensions)}")
        say(f"  keeps: {entry.keeps}")
    say()


class _ConvertOptions(Options):
    source: Path = argument(metavar="IN", type=FILE)
    target: Path = argument(metavar="OUT", type=FILE)
    ends: EndOptions = group(EndOptions)
    form: str | None = option(
        "Format to write; the end of OUT's name tells it when left out.", "--format", metavar="NAME"
    )
    lists: bool = list_flag(
        "List the formats that are read and written and end.",
        "fabric-formats",
        lambda: {"formats": fabric_formats()},
        _print_format,
    )
    force: bool = flag("Replace a file that is there.")
    as_json: bool = json_flag()


@command(_ConvertOptions, fabric, short_help="Read a file of any format and write another.")
def convert(options: _ConvertOptions) -> None:
    """Read a fabric file of any format and write it in another.

    The format of IN is found from its content, that of OUT is told by the end of its name or by
    --format. `weft fabric convert --list` lists all formats and what of a fabric each keeps.

    \b
    Example:
      weft fabric convert cluster.ibnetdiscover cluster.json
      weft fabric convert torus.json torus.net
      weft fabric convert cluster.json links.txt --format subnet-list
    """
    read = load_file(options.source, options.ends)
    write_new(read.fabric, options.target, options.form, force=options.force)
    _tell_written("fabric-convert", read, options.target, as_json=options.as_json)


def _tell_written(kind: str, read: FabricFile, path: Path, *, as_json: bool) -> None:
    if as_json:
        document = fabric_document(read, fabric_figures(read.fabric))
        emit_json(kind, {**document, "path": path})
        return
    say(fabric_line(read.fabric))
    say(f"written to {path}")


fabric.add_command(degrade)
fabric.add_command(diff)
fabric.add_command(show)
