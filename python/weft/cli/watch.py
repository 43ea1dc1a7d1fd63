"""``weft watch``: a fabric watched beside OpenSM."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

import click

from weft._ranges import require_within
from weft.cli.errors import DONE, PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FOLDER,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    needs,
    option,
)
from weft.cli.output import emit_json, say, talk
from weft.cli.quantity_types import SHARE
from weft.routing import check_routing
from weft.transition import DEFAULT_LIFETIME
from weft.watch import Comparing, Ends, SubnetManager, Watch, WatchSettings, held, source_of
from weft.watch.settings import MOST_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from weft.watch import Event

__all__ = ["watch"]

_SECONDS = click.FloatRange(min=0, max=MOST_SECONDS)
_DEFAULTS = WatchSettings()


class _Options(Options):
    source: str = argument()
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    folder: Path = option(
        "Folder for tables, log and health; made when missing.",
        "-o",
        "--output",
        type=FOLDER,
        required=True,
    )
    apply: bool = flag("Give tables to OpenSM; without, it is only said what would be done.")
    tell: Sequence[str] = option(
        "Command that makes OpenSM load its tables again; repeat for each that may be master.",
        metavar="COMMAND",
        multiple=True,
        default=("pkill -HUP -x opensm",),
    )
    read: str = option(
        "Command that prints the tables of all switches.", metavar="COMMAND", default="dump_fts"
    )
    read_lanes: str | None = option(
        "Command that prints the lane tables (SL to VL) of all switches, as opensm-sl2vl.dump or"
        " ibdiagnet's .slvl; without, they are neither read nor changed.",
        metavar="COMMAND",
    )
    every: float = option(
        "Seconds between discoveries, or looks at the folder.",
        metavar="SECONDS",
        type=_SECONDS,
        default=10.0,
    )
    hold: float = option(
        "What is new or back counts once it was there for so long.",
        metavar="SECONDS",
        type=_SECONDS,
        default=_DEFAULTS.hold_s,
    )
    settle: float = option(
        "The last file of a folder counts as said twice after so long.",
        metavar="SECONDS",
        type=_SECONDS,
        default=_DEFAULTS.settle_s,
    )
    most_lost: float = option(
        "More of the switches, hosts or cables at once are an alarm, and not believed before"
        " another discovery says exactly the same.",
        type=SHARE,
        default=_DEFAULTS.most_lost,
    )
    patience: float = option(
        "Switches that do not have the tables after so long are an alarm.",
        metavar="SECONDS",
        type=_SECONDS,
        default=_DEFAULTS.patience_s,
    )
    read_every: float = option(
        "Switches are read so often when nothing changes.",
        metavar="SECONDS",
        type=_SECONDS,
        default=_DEFAULTS.read_every_s,
    )
    lifetime: int = option(
        "How long a packet stays in a switch at most: 4.096 µs times 2 to this power, OpenSM's"
        " packet_life_time.",
        type=click.IntRange(0, 19),
        default=DEFAULT_LIFETIME,
        metavar="POWER",
    )
    once: bool = flag("End once nothing is waited for.")
    as_json: bool = json_flag()


@command(_Options)
def watch(options: _Options) -> None:
    """Watch a fabric beside OpenSM, and keep it routed by proved tables.

    SOURCE is the command that discovers the fabric, such as ibnetdiscover, or a folder into which
    discoveries are dropped. SPEC is the routing that tables are made by. Each change is repaired as
    `weft route --repairs` does, and proved; where no repair can be had, the tables of the plan are
    taken, or the fabric is routed anew. What is not proved is never applied: then the old tables
    stay and an alarm says why.

    \b
    What counts:
      gone   a part that two discoveries in a row lack
      there  a part that every discovery of --hold seconds had
      doubt  a discovery whose command complained, or that lacks more than --most-lost, until
             another says exactly the same

    \b
    The folder:
      current      what OpenSM loads, put there at one stroke: its options are current/opensm.conf
      planned      the same without --apply
      events.jsonl what happened, a JSON document a line
      health.html  how it is now, for people; health.json for programs

    A second watch of the same folder waits until the first has ended. Ended by a signal or --once,
    it exits with 0 where all is well and with 1 where an alarm stands.

    \b
    Examples:
      weft watch ibnetdiscover best:lanes=4 -o watch
      weft watch ibnetdiscover best:lanes=4 -o watch --apply
      weft watch discoveries ftree -o watch --once
    """
    of_apply = ("tell", "read", "read_lanes", "patience", "read_every", "lifetime")
    needs("--apply", options.apply, *of_apply)
    ends = Ends(options.ends.service, options.ends.compute, options.ends.subnet)
    source = source_of(options.source, ends)
    check_routing(options.specification)
    # What is no number is in the range that click knows.
    for name in ("every", "hold", "settle", "patience", "read_every"):
        require_within(f"--{name.replace('_', '-')}", getattr(options, name), MOST_SECONDS)
    require_within("--most-lost", options.most_lost, 1)
    settings = WatchSettings(
        hold_s=options.hold,
        settle_s=options.settle,
        most_lost=options.most_lost,
        patience_s=options.patience,
        read_every_s=options.read_every,
        lifetime=options.lifetime,
    )
    stop = threading.Event()

    def waits(holder: str) -> None:
        talk(f"another watch (process {holder}) works on {options.folder}; waiting until it ends")

    with (
        _stopped_by_signals(stop),
        held(options.folder / "lock", waits, stop.is_set) as is_held,
        Comparing(options.specification, is_awaited=options.once) as comparing,
    ):
        if not is_held:
            click.get_current_context().exit(DONE)
        manager = None
        if options.apply:
            manager = SubnetManager(options.tell, options.read, options.read_lanes)
        watched = Watch(
            source,
            options.folder,
            options.specification,
            manager=manager,
            settings=settings,
            say=partial(_tell, err=options.as_json),
            sleep=stop.wait,
            comparing=comparing,
            name=options.source,
        )
        while not stop.is_set():
            watched.pass_once()
            if options.once and not watched.is_waiting:
                break
            stop.wait(options.every)
        watched.log.tell("stopped", "stopped; the tables stay as they are")
    if options.as_json:
        emit_json("watch", asdict(watched.health))
    click.get_current_context().exit(DONE if watched.is_well else PROPERTY_DOES_NOT_HOLD)


@contextmanager
def _stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """Let signals ask for the end of the watch, which comes after what is being done."""
    before = {
        number: signal.signal(number, lambda *_: stop.set())
        for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tell(event: Event, *, err: bool) -> None:
    mark = "ALARM: " if event.is_alarm else ""
    say(f"{event.stamp} {mark}{event.text}", err=err)
