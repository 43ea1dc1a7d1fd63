"""``weft replay``: recorded applications on networks, from beginning to end."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from weft import report as reports
from weft._numbers import counted, in_percent, milliseconds
from weft.cli.announced import announced_cells, announced_columns, announced_pairs
from weft.cli.ends import is_in_order, print_end
from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.machines import machine_pairs
from weft.cli.networks import EventOptions, ProgramOptions
from weft.cli.options import (
    FILE,
    WRITTEN,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    needs,
    option,
)
from weft.cli.output import (
    Column,
    emit_json,
    picked,
    print_pairs,
    print_table,
    say,
    words,
)
from weft.cli.quantity_types import SIZE, TIME
from weft.replay import read_trace
from weft.replay import replay as run
from weft.results.replay_figures import figures_of
from weft.timeline import TimelineDetail, write_timeline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from weft.cli.networks import Network
    from weft.replay import Replay
    from weft.timeline import Timeline

__all__ = ["replay"]


_WHOLE = ".."  #: The region that is the whole trace.


class _Options(Options):
    trace: Path = argument(type=FILE)
    program: ProgramOptions = group(ProgramOptions)
    region: str = option(
        "Replay from after one action of each rank to before another: barrier:last..reduce. Left"
        " out, either is that of the trace: barrier..",
        metavar="BEGIN..END",
        default=_WHOLE,
    )
    flops_per_s: float | None = option(
        "Speed of the host traced, which turns its flops into time. Not with GOAL, which tells"
        " times.",
        type=float,
        default=None,
        show_default="1,000,000,000",
    )
    clock_ns: float | None = option(
        "Time that reading the clock added to each interval of computing: 150 (ns) or 0.15us. Not"
        " with GOAL.",
        type=TIME,
        default=None,
        show_default="0",
    )
    events: EventOptions = group(EventOptions)
    shows_ranks: bool = flag("Show each rank's time, too.", "--ranks")
    timeline: Path | None = option(
        "Write what ranks did and which messages went when, on the first network, for Perfetto.",
        type=WRITTEN,
    )
    timeline_resolution: float | None = option(
        "With --timeline: merge states shorter than this: 10us; 0 keeps all. By default as fine as"
        " 100,000 spans allow.",
        type=TIME,
    )
    timeline_messages: int | None = option(
        "With --timeline: keep all messages of at least this size: 64KiB. By default 20,000 at"
        " most, one in so many.",
        type=SIZE,
    )
    page: Path | None = option(
        "Also write the comparison as one HTML file.", "--report", type=WRITTEN
    )
    as_json: bool = json_flag()


@command(_Options)
def replay(options: _Options) -> None:
    """Replay a recorded application on networks, and tell where its time goes.

    TRACE is a time-independent trace of SimGrid (smpirun -trace-ti) or a GOAL schedule, packed by
    zstd or not. Ranks compute, send and receive in the order of the trace; when, the network
    decides. Several networks or routings are compared in one table, with times relative to the
    first. The hardware follows the rates of each fabric's links unless --hardware names one. Exit
    code 1 when a program does not come to its end, or nobody receives some of its messages.

    \b
    Examples:
      weft replay cg.ti.zst --fabric torus.json --routing updown
      weft replay is.ti --fabric mesh.json --fabric torus.json --routing updown \\
          --routing ud_itb --messaging acknowledged=1 --messaging packet_bytes=1792
      weft replay lu.ti --fabric torus.json --routing updown --region barrier:last..allreduce:3
      weft replay lu.ti --fabric torus.json --routing best --events night.toml
    """
    needs_timeline = ("timeline_resolution", "timeline_messages")
    needs("--timeline", options.timeline is not None, *needs_timeline)
    detail = TimelineDetail(
        resolution_ns=options.timeline_resolution, least_message_bytes=options.timeline_messages
    )
    program, networks = options.program, options.program.networks
    parameters, chosen = networks.layer.parameters, program.chosen_algorithms
    recorded = read_trace(options.trace, flops_per_s=options.flops_per_s, clock_ns=options.clock_ns)
    found: list[tuple[Network, Replay]] = []
    for network in networks.routed():
        fabric = network.fabric
        is_kept = options.timeline is not None and not found
        hosts = program.place(fabric, recorded.rank_count)
        events, retries = options.events.on(fabric)
        result = run(
            *network,
            recorded,
            events=events,
            retries=retries,
            region=options.region,
            algorithms=chosen,
            messaging=parameters,
            hosts=hosts,
            adapters=program.adapters,
            nodes=program.computers.nodes(fabric),
            timeline=detail if is_kept else None,
        )
        found.append((network, result))
    timeline = found[0][1].timeline
    if options.timeline is not None and timeline is not None:
        write_timeline(options.timeline, timeline)
    if options.page is not None:
        region = {} if options.region == _WHOLE else {"region": options.region}
        told: dict[str, Any] = {**region, "placement": program.placement}
        told |= parameters
        machines = dict.fromkeys(network.machine.preset for network, _ in found)
        name = f"{options.trace.name} on {', '.join(machines)}"
        _write_report(options.page, name, told, found)
    if options.as_json:
        runs = [_document(*entry) for entry in found]
        head = {"trace": options.trace, "ranks": recorded.rank_count}
        kept = {} if timeline is None else {"timeline": _kept(options.timeline, timeline)}
        emit_json("replay", {**head, **kept, "runs": runs})
    else:
        say(f"{options.trace}: {counted(recorded.rank_count, 'rank')}")
        taken = found[0][1].algorithms().items()
        pairs = machine_pairs([(network.fabric, network.machine) for network, _ in found])
        if taken:
            pairs["collectives"] = ", ".join(f"{name} by {how}" for name, how in taken)
        networks_machines = [network.machine for network, _ in found]
        announced = any(result.announced_messages for _, result in found)
        pairs |= announced_pairs(networks_machines, parameters, announced=announced)
        print_pairs(pairs)
        _print_runs(found, announced=announced)
        for network, result in found:
            where = _where(network)
            if options.shows_ranks:
                say(f"\n{where}:")
                _print_ranks(result)
            print_end(where, result)
        if timeline is not None:
            shown = f" {_where(found[0][0])}:" if len(found) > 1 else ""
            say(f"\n{options.timeline}:{shown} {timeline.told()}")
    if not all(is_in_order(result) for _, result in found):
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _where(network: Network) -> str:
    return f"{network.routing.label} on {network.fabric.name}"


def _write_report(
    path: Path, name: str, told: dict[str, Any], found: Sequence[tuple[Network, Replay]]
) -> None:
    conditions = reports.conditions_text(told)
    rows = [
        reports.ProgramRow(
            name, conditions, network.fabric.name, network.routing.label, figures_of(result), ""
        )
        for network, result in found
    ]
    reports.write_program_report(rows, path, title=name)


def _document(network: Network, result: Replay) -> dict[str, Any]:
    values = asdict(replace(result, timeline=None))
    del values["timeline"], values["course"]
    return {**network.document(), **values, "duration_ns": result.duration_ns}


def _kept(path: Path | None, timeline: Timeline) -> dict[str, Any]:
    """Tell where a timeline was written, and what of the run is in it."""
    return {
        "path": path,
        "resolution_ns": timeline.resolution_ns,
        "spans": len(timeline.states),
        "states": timeline.state_count,
        "kept_messages": len(timeline.messages),
        "messages": timeline.message_count,
        "one_in": timeline.one_in,
        "least_message_bytes": timeline.least_message_bytes,
    }


def _shares(result: Replay) -> list[str]:
    times = [math.fsum(getattr(result, name).tolist()) for name in _SHARES]
    total = sum(times)
    return [in_percent(time / total) if total else "–" for time in times]


#: What the time of a rank is spent on, in words.
_SHARES = {
    "computing_ns": "computing",
    "sending_ns": "sending",
    "receiving_ns": "receiving",
    "waiting_packet_ns": "waiting: packet",
    "waiting_acknowledgement_ns": "waiting: ack",
}


def _print_runs(found: Sequence[tuple[Network, Replay]], *, announced: bool) -> None:
    first = found[0][1].duration_ns
    columns = [
        *words("fabric", "routing"),
        Column("time", "ms"),
        Column("to the first"),
        *map(Column, _SHARES.values()),
        Column("messages"),
        *(announced_columns() if announced else []),
        Column("packets"),
        Column("mean latency", "ns"),
    ]
    rows = [
        [
            network.fabric.name,
            network.routing.label,
            milliseconds(result.duration_ns) if result.end == "finished" else result.end,
            f"{result.duration_ns / first:.5f}" if first > 0 else "–",
            *_shares(result),
            str(result.received_messages),
            *(announced_cells(_announced(result)) if announced else []),
            str(result.delivered_packets),
            f"{result.mean_latency_ns:.0f}" if result.delivered_packets else "–",
        ]
        for network, result in found
    ]
    print_table(columns, rows)


def _announced(result: Replay) -> dict[str, Any]:
    return picked(result, "announced_messages", "mean_announced_wait_ns")


def _print_ranks(result: Replay) -> None:
    parts = [Column(name, "ms") for name in _SHARES.values()]
    times = [getattr(result, name).tolist() for name in ("finish_ns", *_SHARES)]
    rows = [
        [str(rank), *(milliseconds(time[rank]) for time in times)]
        for rank in range(len(result.finish_ns))
    ]
    print_table([Column("rank"), Column("end", "ms"), *parts], rows)
