"""``weft explore``: a page to play with a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft.cli.fabric_files import EndOptions, load_fabric
from weft.cli.named_types import ROUTING
from weft.cli.options import FILE, Options, argument, command, group, json_flag, option
from weft.cli.output import emit_json, say, talk
from weft.explore import ExploreServer
from weft.routing import check_routing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["explore"]

_LAST_PORT = 65_535


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    routings: Sequence[str] = option(
        "A routing to pick besides those that are offered; repeat for several.",
        "--routing",
        metavar="SPEC",
        type=ROUTING,
        multiple=True,
    )
    port: int = option(
        "Port of this machine to listen on; 0 takes one that is free.",
        type=click.IntRange(0, _LAST_PORT),
        default=0,
    )
    as_json: bool = json_flag()


@command(_Options)
def explore(options: _Options) -> None:
    """Draw a fabric on a page that answers questions about its routes.

    The page is served to this machine alone, at the address that is printed, until Ctrl-C; nothing
    is written. Click a cable to see whose packets cross it and what the tables would be without it;
    click two hosts to see their route; pick another routing, another pattern or a few failures, and
    verdict and loads change.

    \b
    Examples:
      weft explore cluster.ibnetdiscover
      weft explore cluster.ibnetdiscover --routing best:lanes=4 --port 8000
    """
    for routing in options.routings:
        check_routing(routing)
    fabric = load_fabric(options.fabric, options.ends).fabric
    with ExploreServer(fabric, options.routings, options.port) as server:
        if options.as_json:
            emit_json("explore", {"fabric": fabric.name, "address": server.address})
        else:
            say(server.address)
            talk("open this address in a browser of this machine; Ctrl-C ends")
        try:
            server.serve()
        except KeyboardInterrupt:
            talk("ended")
