"""``weft fabric degrade``: a network without some of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from weft._files import as_file_name
from weft.cli.fabric_files import EndOptions, fabric_line, load_file, write_new
from weft.cli.options import FILE, Options, argument, command, flag, group, json_flag, option
from weft.cli.output import emit_json, picked, print_pairs, say
from weft.fabric import degrade as take_away

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fabric import DegradedFabric

__all__ = ["degrade"]

_SHOWN_NAMES = 8
#: What is told of a network without some of its parts, in words.
_PARTS = {
    "failed_links": "failed links",
    "failed_switches": "failed switches",
    "failed_hosts": "failed hosts",
    "cut_off_hosts": "hosts cut off",
    "left_out_switches": "switches left out",
    "left_out_hosts": "hosts left out",
}


class _Options(Options):
    file: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    links: Sequence[str] = option(
        "Links that fail: a share of those between switches, or one by switch and port.",
        multiple=True,
        metavar="SHARE|SWITCH:PORT",
    )
    switches: Sequence[str] = option(
        "Switches that fail, with all on them.", multiple=True, metavar="SHARE|NAME"
    )
    hosts: Sequence[str] = option("Hosts that fail.", multiple=True, metavar="SHARE|NAME")
    seed: int = option("Another seed, other parts of a share.", type=int, default=1)
    keep_largest: bool = flag("Keep the part with most hosts where the network falls apart.")
    output: Path | None = option(
        "File to write; <name of the fabric>.json when left out.", "-o", "--output", type=FILE
    )
    force: bool = flag("Replace a file that is there.")
    as_json: bool = json_flag()


@command(_Options, short_help="Take links, switches or hosts away.")
def degrade(options: _Options) -> None:
    """Write a network without the links, switches and hosts that fail.

    Parts are named, one per option, or drawn as a share such as 2%. Under one seed the parts of a
    smaller share are among those of a larger one. Names and ports stay as they were. What falls
    apart stays in parts, which routing refuses, unless --keep-largest is given.

    \b
    Example:
      weft fabric degrade cluster.ibnetdiscover --links 2% --seed 1 -o degraded.json
      weft fabric degrade cluster.ibnetdiscover --switches spine3 --links leaf01:17
    """
    parts = picked(options, "links", "switches", "hosts")
    if not (any(parts.values()) or options.keep_largest):
        message = "nothing fails; say what does by --links, --switches or --hosts"
        raise click.UsageError(message, click.get_current_context())
    whole = load_file(options.file, options.ends).fabric
    degraded = take_away(whole, **parts, **picked(options, "seed", "keep_largest"))
    path = options.output or Path(f"{as_file_name(degraded.fabric.name, 'fabric')}.json")
    write_new(degraded.fabric, path, force=options.force)
    if options.as_json:
        head = {"name": degraded.fabric.name, "fingerprint": f"{degraded.fabric.fingerprint:016x}"}
        emit_json("fabric-degrade", {**head, **picked(degraded, *_PARTS), "path": path})
        return
    print_pairs(_pairs(degraded))
    say(fabric_line(degraded.fabric))
    say(f"written to {path}")


def _pairs(degraded: DegradedFabric) -> dict[str, str]:
    found = picked(degraded, *_PARTS)
    found["failed_links"] = [f"{a} – {b}" for a, b in degraded.failed_links]
    return {_PARTS[part]: _listed(names) for part, names in found.items() if names}


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_SHOWN_NAMES])
    rest = len(names) - _SHOWN_NAMES
    return f"{len(names)}: {shown}" + (f" … {rest} more, see --json" if rest > 0 else "")
