"""``weft explore``: a page to play with a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from weft import _core
from weft.cli.fabric_files import EndOptions, load_fabric
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    WRITTEN,
    Options,
    argument,
    command,
    group,
    json_flag,
    option,
    refuse_idle,
)
from weft.cli.output import emit_json, say, talk
from weft.cli.routing import load_routing, names_routes
from weft.explore import ExploreServer, write_page
from weft.routing import check_routing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.routing import Routing

__all__ = ["explore"]

_LAST_PORT = 65_535


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    routings: Sequence[str] = option(
        "A routing to pick besides those that are offered, or a file of routes; repeat for more.",
        "--routing",
        metavar="SPEC|FILE",
        type=ROUTING,
        multiple=True,
    )
    port: int = option(
        "Port of this machine to listen on; 0 takes one that is free.",
        type=click.IntRange(0, _LAST_PORT),
        default=0,
    )
    output: Path | None = option(
        "Write the page into a file that works by itself, and serve nothing.",
        "-o",
        "--output",
        type=WRITTEN,
        metavar="PAGE.html",
    )
    as_json: bool = json_flag()


@command(_Options)
def explore(options: _Options) -> None:
    """Draw a fabric on a page that answers questions about its routes.

    The page is served to this machine alone, at the address that is printed, until Ctrl-C; nothing
    is written. Click a cable to see whose packets cross it and what the tables would be without it;
    click two hosts to see their route; pick another routing, another pattern or a few failures, and
    verdict and loads change.

    With -o the page becomes one file to open or to mail: it answers by itself, without a network.

    \b
    Examples:
      weft explore cluster.ibnetdiscover
      weft explore cluster.ibnetdiscover --routing opensm-lfts.dump --port 8000
      weft explore cluster.ibnetdiscover -o cluster.html
    """
    for routing in options.routings:
        if not names_routes(routing):
            check_routing(routing)
    if options.output is not None:
        refuse_idle("a page in a file is not served", "port")
    fabric = load_fabric(options.fabric, options.ends).fabric
    routings = [_picked(fabric, routing) for routing in options.routings]
    if options.output is not None:
        size = write_page(fabric, options.output, routings)
        _tell(options, fabric, page=options.output, size=size)
        return
    with ExploreServer(fabric, routings, options.port) as server:
        _tell(options, fabric, address=server.address)
        try:
            server.serve()
        except KeyboardInterrupt:
            talk("ended")


def _picked(fabric: Fabric, specification: str) -> str | Routing:
    """Return a routing that the core knows as it is; routes of others are made or read."""
    name = specification.partition(":")[0]
    is_known = any(name == algorithm["name"] for algorithm in _core.algorithms())
    if is_known and not names_routes(specification):
        return specification
    return load_routing(fabric, specification)


def _tell(
    options: _Options,
    fabric: Fabric,
    *,
    address: str | None = None,
    page: Path | None = None,
    size: int | None = None,
) -> None:
    """Print where the page is."""
    if options.as_json:
        emit_json(
            "explore", {"fabric": fabric.name, "address": address, "page": page, "bytes": size}
        )
    elif address is not None:
        say(address)
        talk("open this address in a browser of this machine; Ctrl-C ends")
    else:
        say(f"written {page} ({(size or 0) / 1e6:.1f} MB)")
