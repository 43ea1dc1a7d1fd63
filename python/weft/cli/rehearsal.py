"""``weft rehearse``: a failure and its repair under traffic."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from weft._numbers import MISSING, in_percent
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric
from weft.cli.machines import HardwareOptions, machine_document, machine_pairs
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    Options,
    TrafficOptions,
    argument,
    command,
    group,
    json_flag,
    option,
)
from weft.cli.output import Column, emit_json, picked, print_pairs, print_table, say, words
from weft.cli.progress import shown_planning
from weft.cli.quantity_types import SHARE, TIME
from weft.cli.routing import load_routing
from weft.event_files import read_events
from weft.event_lists import in_rounds, left_without, mended
from weft.rehearsal import (
    WINDOW_ARRAYS,
    EntriesChange,
    Event,
    Fails,
    Phase,
    Retries,
    TablesChange,
)
from weft.rehearsal import rehearse as run
from weft.repair import like
from weft.routing import to_tables
from weft.transition import plan_transition

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.rehearsal import Rehearsed
    from weft.routing import Routing

__all__ = ["rehearse"]

_WINDOWS = 60  #: Of the whole time, where no window is given.

#: How tables go round a failure without being new.
_NOT_NEW = frozenset({"repair", "nothing"})

_COUNT = click.IntRange(0, 1_000)


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    fail: str | None = option(
        "What fails: a switch, or a link by a switch and its port.", metavar="leaf01:17"
    )
    events: Path | None = option(
        "What happens, as a file, instead of --fail.", type=FILE, metavar="FILE.toml"
    )
    to: str | None = option(
        "Nothing fails: tables give way to these of another routing.", type=ROUTING, metavar="SPEC"
    )
    load: float = option(
        "Payload each sending host offers, as a share of its link rate: 0.1 or 10%.",
        type=SHARE,
        required=True,
    )
    at: float = option("When it fails.", type=TIME, default="100us")
    by: str | None = option(
        "How tables go round it: `repair` as `weft route --repairs` does, `same` anew by the same"
        " routing, as a mapper of Myrinet's does, `nothing` for never, or a routing that makes them"
        " anew.",
        metavar="repair|same|nothing|SPEC",
        show_default="repair; same on wormhole hardware",
    )
    in_rounds: bool = option(
        "Write the entries of new tables in the rounds that `weft transition` plans.", is_flag=True
    )
    direct: bool = option("Plan them as `weft transition --direct` does.", is_flag=True)
    wait: float = option(
        "How long is waited between phases of such rounds.", type=TIME, default="100us"
    )
    after: float = option(
        "Time from the failure until the first switch has other tables, or the first host other"
        " routes.",
        type=TIME,
        default="100us",
    )
    each_after: float = option(
        "Time from one switch, or host, to the next.", type=TIME, default="1us"
    )
    timeout: float = option(
        "How long a source waits before it sends again what was lost.", type=TIME, default="50us"
    )
    retries: int = option("How often it does; 0 for never.", type=_COUNT, default=7)
    until: float | None = option(
        "When it ends.",
        type=TIME,
        show_default="so long after all is done as from the beginning to then",
    )
    window: float | None = option(
        "What figures are told for.", type=TIME, show_default=f"a {_WINDOWS}th of the time"
    )
    hardware: HardwareOptions = group(HardwareOptions)
    traffic: TrafficOptions = group(TrafficOptions)
    seed: int = option("Seed of the traffic.", type=int, default=1)
    as_json: bool = json_flag()


@command(_Options)
def rehearse(options: _Options) -> None:
    """Rehearse a failure and its repair under traffic.

    SPEC is a routing, or a file of its tables, as in `weft route`. A part fails, tables go round it
    switch after switch, and sources send again what was lost; what that costs the traffic is
    simulated packet by packet, the moment between old and new tables included. On wormhole hardware
    hosts hold the routes, and a mapper gives them others, host after host. Exit code 1 where
    packets wait for one another for ever, or are lost to the end.

    \b
    A file of events has times with units, and parts as --fail has them; `weft watch` keeps
    such files of what it did in `changes`:
      retries = {timeout = "50us", count = 7}
      [[event]]
      at = "100us"
      fails = "leaf01:17"
      [[event]]
      at = "150us"
      tables = "repaired.json"       # of the fabric, or of what is left of it:
      of = "damaged.json"
      each_after = "1us"             # switches = [...] for some of them, in this order
      [[event]]
      at = "300us"
      returns = "leaf01:17"

    \b
    Examples:
      weft rehearse cluster.ibnetdiscover best:lanes=4 --fail leaf05:31 --load 0.3
      weft rehearse net.json tables.json --fail spine2 --load 0.2 --by nothing
      weft rehearse net.json best --events night.toml --load 0.3 --window 1us
      weft rehearse net.json min_hop --to best:lanes=4 --in-rounds --load 0.2
    """
    if [options.fail, options.to, options.events].count(None) != 2:
        message = "give what happens: one of --fail PART, --to SPEC and --events FILE.toml"
        raise click.UsageError(message)
    traffic = options.traffic.made(load=options.load, seed=options.seed)
    options.hardware.check()
    network = load_fabric(options.fabric, options.ends).fabric
    machine = options.hardware.on(network)
    routing = load_routing(network, options.specification)
    carries_routes = machine.switching == "wormhole"
    if not carries_routes and routing.form != "forwarding tables":
        routing = to_tables(network, routing, 0)
    by = options.by or ("same" if carries_routes else "repair")
    is_new = options.to is not None or (options.fail is not None and by not in _NOT_NEW)
    if options.in_rounds and (carries_routes or not is_new):
        message = (
            "rounds are planned for forwarding tables that are new: give --to SPEC, or --fail PART"
            " with --by same or --by SPEC"
        )
        raise click.UsageError(message)
    if options.direct and not options.in_rounds:
        message = "--direct tells how rounds are planned: give --in-rounds, too"
        raise click.UsageError(message)
    events, retries = _events(options, network, routing, by)
    until = options.until or _end(network, events, carries_routes=carries_routes)
    last_ns = max(event.at_ns for event in events)
    if last_ns >= until:
        message = (
            f"--until: it ends at {_time(until)}, and something happens at {_time(last_ns)}; let it"
            " end later, or leave it out"
        )
        raise click.UsageError(message)
    window = options.window or until / _WINDOWS
    seen = run(
        network,
        routing,
        machine,
        traffic,
        events,
        until_ns=until,
        window_ns=window,
        retries=retries,
    )
    if options.as_json:
        emit_json("rehearse", _document(network, routing, machine, seen))
    else:
        say(fabric_line(network))
        _print(network, machine, routing, seen)
    if seen.recovered_ns is None:
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _events(
    options: _Options, network: Fabric, routing: Routing, by: str
) -> tuple[Sequence[Event], Retries | None]:
    """Return what happens, and how sources send again."""
    retries = Retries(options.timeout, options.retries) if options.retries else None
    if options.events is not None:
        events, told = read_events(options.events, network)
        return events, told or retries
    if options.to is not None:
        new = like(routing, load_routing(network, options.to), network)
        return _changing(options, network, routing, network, new, options.at), retries
    part = options.fail or ""
    if by == "nothing":
        return [Fails(options.at, part)], retries
    events = mended(
        network,
        routing,
        part,
        at_ns=options.at,
        after_ns=options.after,
        each_after_ns=options.each_after,
        by=by,
    )
    fails, *_, change = events
    if options.in_rounds and isinstance(change, TablesChange):
        left = left_without(network, part)
        rounds = _changing(options, network, routing, left, change.routing, change.at_ns)
        return [fails, *rounds], retries
    return events, retries


def _changing(
    options: _Options, network: Fabric, old: Routing, left: Fabric, new: Routing, at_ns: float
) -> list[Event]:
    """Return the events of tables that give way to others, in rounds or switch after switch."""
    if not options.in_rounds:
        return [TablesChange(at_ns, new, None, options.each_after)]
    with shown_planning() as progress:
        plan = plan_transition(network, old, left, new, direct=options.direct, progress=progress)
    return in_rounds(
        plan, left, new, at_ns=at_ns, each_after_ns=options.each_after, wait_ns=options.wait
    )


def _end(network: Fabric, events: Sequence[Event], *, carries_routes: bool) -> float:
    """Return when it ends: so long after the last switch or host has its own as from 0 to then."""
    ends = [event.at_ns for event in events]
    for event in events:
        if isinstance(event, EntriesChange):
            count = len({switch for switch, *_ in event.writes})
            ends.append(event.at_ns + count * event.each_after_ns)
        if isinstance(event, TablesChange):
            count = network.host_count if carries_routes else network.switch_count
            if event.switches is not None:
                count = len(event.switches)
            rounds = 2 if event.clears_first else 1
            ends.append(event.at_ns + rounds * count * event.each_after_ns)
    return 2 * max(max(ends), 1_000.0)


def _document(
    network: Fabric, routing: Routing, machine: Hardware, seen: Rehearsed
) -> dict[str, Any]:
    phases = ("before", "during", "end")
    return {
        "fabric": network.name,
        "routing": routing.label,
        "hardware": machine_document(machine),
        **picked(seen, "offered_load", "first_event_ns", "last_event_ns", "recovered_ns"),
        **picked(seen, "under_way_packets", "deadlock_ns"),
        "waiting_cycle": [
            picked(packet, "held", "wanted", "source", "destination", "sequence")
            for packet in seen.waiting_cycle
        ],
        "phases": {name: picked(getattr(seen, name), *WINDOW_ARRAYS) for name in phases},
        "windows": {name: getattr(seen, name).tolist() for name in WINDOW_ARRAYS},
    }


def _print(network: Fabric, machine: Hardware, routing: Routing, seen: Rehearsed) -> None:
    carries_routes = machine.switching == "wormhole"
    lost = sum(seen.lost.tolist())
    recovered = "never, up to the end"
    if seen.recovered_ns is not None:
        took = seen.recovered_ns - seen.first_event_ns
        recovered = f"{_time(took)} after the first event"
    print_pairs(
        {
            "routing": routing.label,
            **machine_pairs([(network, machine)]),
            "offered": f"load {seen.offered_load:.4f}",
            "lost": f"{lost:,} packets, each time they were sent",
            "recovered": recovered,
        }
    )
    say()
    columns = [
        *words("phase"),
        Column("from"),
        Column("to"),
        Column("accepted", "load"),
        Column("mean", "latency"),
        Column("most"),
        Column("lost", "failure"),
        Column("", "no route" if carries_routes else "no entry"),
    ]
    phases = {"before": seen.before, "until recovered": seen.during, "end": seen.end}
    if seen.recovered_ns is None:
        phases = {"before": seen.before, "since": seen.during, "end": seen.end}
    print_table(columns, [[name, *_row(phase)] for name, phase in phases.items()])
    if seen.deadlock_ns is not None:
        say()
        say(f"packets wait for one another for ever since {_time(seen.deadlock_ns)} at the latest:")
        for step in seen.waiting_cycle:
            say(
                f"{step.source} to {step.destination} holds {step.held} and waits for {step.wanted}"
            )


def _row(phase: Phase) -> list[str]:
    latency = phase.mean_latency_ns
    return [
        _time(phase.begin_ns),
        _time(phase.end_ns),
        in_percent(phase.accepted_load),
        MISSING if math.isnan(latency) else _time(latency),
        _time(phase.most_latency_ns),
        f"{phase.lost_by_failure:,}",
        f"{phase.lost_without_entry:,}",
    ]


def _time(time_ns: float) -> str:
    return f"{time_ns / 1000:,.1f} us"
