"""``weft fabric diff``: what of a fabric is not as planned."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click

from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import load_file
from weft.cli.options import FILE, Options, argument, command, json_flag
from weft.cli.output import emit_json, say
from weft.fabric import diff_fabrics

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["diff"]

_SHOWN_UNCERTAIN = 8


class _Options(Options):
    planned: Path = argument(metavar="PLAN", type=FILE)
    found: Path = argument(metavar="DUMP", type=FILE)
    as_json: bool = json_flag()


@command(_Options, short_help="Tell how a fabric differs from a plan.")
def diff(options: _Options) -> None:
    """Tell what of a fabric is missing, swapped, moved, added or slower than planned.

    PLAN and DUMP are fabric files in any of the formats that are read: a plan and a discovery, or
    two discoveries. Switches and hosts are the same in both when they have the same GUID; else the
    same name; else when they stand in the same place between the others, by the numbers of the
    ports. Every cable is told with both its ports. Parts of switches, such as aggregation nodes,
    are not compared with a file that lists none, as plans do not.

    Exit code 0: nothing differs; 1: something does.

    \b
    Examples:
      weft fabric diff plan.json cluster.ibnetdiscover
      weft fabric diff monday.ibnetdiscover tuesday.ibnetdiscover --json
    """
    planned, found = load_file(options.planned).fabric, load_file(options.found).fabric
    difference = diff_fabrics(planned, found)
    if options.as_json:
        wirings = {
            name: f"{fabric.wiring_fingerprint:016x}"
            for name, fabric in (("planned_wiring", planned), ("found_wiring", found))
        }
        emit_json("fabric-diff", {**wirings, "diff": difference})
    else:
        by = {
            "GUID": difference.matched_by_guid,
            "name": difference.matched_by_name,
            "place": difference.matched_by_shape,
        }
        matched = ", ".join(f"{count} by {what}" for what, count in by.items() if count)
        say(
            f"same in both: switches and hosts {matched or 'none'}; {difference.same_cables} cables"
        )
        if difference.uncertain:
            shown = ", ".join(difference.uncertain[:_SHOWN_UNCERTAIN])
            more = len(difference.uncertain) - _SHOWN_UNCERTAIN
            rest = f" and {more} more, see --json" if more > 0 else ""
            say(
                "uncertain, as fewer than half of their cables to switches are the same, and what "
                f"is told of them may be another's: {shown}{rest}"
            )
        if difference.unlisted_parts:
            say(
                f"not compared: {difference.unlisted_parts} parts of switches, such as aggregation"
                " nodes, of which one of the files lists none"
            )
        for kind, group in groupby(difference.changes, key=lambda change: change.kind):
            changes = list(group)
            say(f"{kind.replace('_', ' ')}: {len(changes)}")
            for change in changes:
                say(f"  {change.text}")
        if not difference.changes:
            say("nothing differs")
    if difference.changes:
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)
