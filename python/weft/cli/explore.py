"""``weft explore``: a page to play with a fabric."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from weft import _core
from weft.cli.fabric_files import EndOptions, load_fabric
from weft.cli.named_types import PATTERN, ROUTING
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
from weft.cli.progress import routed_in_sight
from weft.cli.routing import load_routing, names_routes
from weft.explore import ExploreServer, write_page
from weft.explore.beside import NOTHING, read_beside
from weft.explore.layers import error_layer
from weft.explore.scene import is_answered, offered_routings
from weft.hardware import hardware, suited_preset
from weft.routing import check_routing
from weft.workload import Traffic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.explore.beside import Beside
    from weft.fabric import Fabric, FabricFile
    from weft.hardware import Hardware
    from weft.routing import Routing

__all__ = ["explore"]

_LAST_PORT = 65_535
_NICENESS = 5


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    beside: Path | None = argument(
        required=False, metavar="RESULTS|TABLES|JOBS|FAILURES", type=FILE
    )
    routings: Sequence[str] = option(
        "A routing to pick besides those that are offered, or a file of routes; repeat for more.",
        "--routing",
        metavar="SPEC|FILE",
        type=ROUTING,
        multiple=True,
    )
    patterns: Sequence[str] = option(
        "A pattern of traffic to pick besides those that are offered, such as"
        " matrix:file=traffic.csv; repeat for more.",
        "--pattern",
        metavar="SPEC",
        type=PATTERN,
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

    \b
    What may be given besides the fabric:
      RESULTS   of a study (results.sqlite, or its folder): how busy each channel was
      TABLES    that the switches have, as in `weft route`: what they do comes first
      JOBS      a file of jobs (TOML), as in `weft jobs`: run by the first routing, and played
      FAILURES  a file of events (TOML): what fails for good; or the folder of a survey, `weft
                survive --results`: what the failure of each cable comes to

    With -o the page becomes one file to open or to mail: it answers by itself, without a network.

    \b
    Examples:
      weft explore cluster.ibnetdiscover
      weft explore cluster.ibnetdiscover opensm-lfts.dump --port 8000
      weft explore cluster.ibnetdiscover jobs.toml --routing best
      weft explore cluster.ibnetdiscover --pattern matrix:file=traffic.csv
      weft explore cluster.ibnetdiscover -o cluster.html
    """
    for routing in options.routings:
        if not names_routes(routing):
            check_routing(routing)
    if options.output is not None:
        refuse_idle("a page in a file is not served", "port")
    elif hasattr(os, "nice"):
        # What is worked out for minutes on every core must not keep the browser from drawing.
        os.nice(_NICENESS)
    read = load_fabric(options.fabric, options.ends)
    fabric = read.fabric
    routings = [_picked(fabric, routing) for routing in options.routings]
    beside = _beside(read, routings, options)
    routings = [*beside.routings, *routings]
    if options.output is not None:
        size = write_page(fabric, options.output, routings, beside)
        _tell(options, fabric, page=options.output, size=size)
        return
    with ExploreServer(fabric, routings, options.port, beside=beside) as server:
        _tell(options, fabric, address=server.address)
        try:
            server.serve()
        except KeyboardInterrupt:
            talk("ended")


def _beside(read: FabricFile, routings: Sequence[str | Routing], options: _Options) -> Beside:
    """Read what is given besides the fabric, and what the fabric's file tells of its ports."""
    fabric = read.fabric

    def runs_on() -> tuple[str, Routing, Hardware]:
        first = routings[0] if routings else offered_routings(fabric)[0]
        made = routed_in_sight(fabric, first) if isinstance(first, str) else first
        return made.label if made is first else str(first), made, hardware(suited_preset(fabric))

    beside = NOTHING
    if options.beside is not None:
        beside = read_beside(options.beside, fabric, runs_on)
    errors = error_layer(fabric, read.ports)
    patterns = [Traffic(pattern) for pattern in options.patterns]
    for traffic in patterns:
        # What a file names is looked up before anything is served.
        _core.sending_hosts(fabric, traffic)
    layers = [*([] if errors is None else [errors]), *beside.layers]
    return replace(beside, layers=layers, patterns=patterns)


def _picked(fabric: Fabric, specification: str) -> str | Routing:
    """Return a routing that the core knows as it is; routes of others are made or read."""
    if is_answered(specification) and not names_routes(specification):
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
