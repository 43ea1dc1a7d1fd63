"""``weft replay`` and ``weft collective``: programs on networks, from beginning to end."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft.cli.errors import PROPERTY_DOES_NOT_HOLD
from weft.cli.networks import network_options, numbers, pairs, routed_networks
from weft.cli.options import make_hardware, needs
from weft.cli.output import Column, emit_json, json_option, print_table
from weft.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.replay import Replay
    from weft.routing import Routing

__all__ = ["collective", "replay"]


def _program_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of programs: on which networks, by which algorithms, from which hosts."""
    for option in reversed(
        [
            click.option(
                "--algorithm",
                "algorithms",
                metavar="OPERATION=NAME",
                multiple=True,
                help="Algorithm of a collective operation, such as allreduce=ring; repeat for"
                " more. By length, as in MPICH, unless given.",
            ),
            click.option(
                "--placement",
                metavar="NAME|FILE",
                default="linear",
                show_default=True,
                help="Hosts of the ranks: linear, round_robin (over switches), random, or a file"
                " with a host per line.",
            ),
            click.option(
                "--seed",
                type=click.IntRange(0, 2**64 - 1),
                default=1,
                show_default=True,
                help="What random placements and orders are drawn by.",
            ),
        ]
    ):
        command = option(command)
    return network_options(command)


@click.command(short_help="Replay a recorded application.")
@click.argument("trace", type=click.Path(path_type=Path))
@_program_options
@click.option(
    "--region",
    metavar="BEGIN..END",
    default="..",
    show_default=True,
    help="Replay from after one action of each rank to before another: barrier:last..reduce.",
)
@click.option(
    "--flops-per-s",
    type=float,
    default=1e9,
    show_default=True,
    help="Speed of the host traced, which turns its flops into time.",
)
@click.option(
    "--clock-ns",
    type=float,
    default=0.0,
    show_default=True,
    help="Time that reading the clock added to each interval of computing.",
)
@click.option("--ranks", "shows_ranks", is_flag=True, help="Show each rank's time, too.")
@click.option(
    "--timeline",
    type=click.Path(path_type=Path),
    help="Write sampled messages of the first network as a timeline for Chrome or Perfetto.",
)
@click.option(
    "--one-in",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="With --timeline: keep one in so many messages between two ranks.",
)
@click.option(
    "--report",
    "page",
    type=click.Path(path_type=Path),
    help="Also write the comparison as one HTML file.",
)
@json_option
def replay(
    trace: Path,
    fabrics: Sequence[Path],
    routings: Sequence[str],
    messaging: Sequence[str],
    algorithms: Sequence[str],
    placement: str,
    seed: int,
    hardware_name: str,
    changes: Sequence[str],
    region: str,
    flops_per_s: float,
    clock_ns: float,
    shows_ranks: bool,
    timeline: Path | None,
    one_in: int,
    page: Path | None,
    as_json: bool,
) -> None:
    """Replay a recorded application on networks, and tell where its time goes.

    TRACE is a time-independent trace of SimGrid (smpirun -trace-ti) or a GOAL schedule, packed by
    zstd or not. Ranks compute, send and receive in the order of the trace; when, the network
    decides. Several networks or routings are compared in one table, with times relative to the
    first. Exit code 1 when a program does not come to its end.

    \b
    Examples:
      weft replay cg.ti.zst --fabric torus.json --routing updown
      weft replay is.ti --fabric mesh.json --fabric torus.json --routing updown \\
          --routing ud_itb --messaging acknowledged=1 --messaging packet_bytes=1792
      weft replay lu.ti --fabric torus.json --routing updown --region barrier:last..allreduce:3
    """
    from weft.replay import place_ranks, read_trace, write_timeline
    from weft.replay import replay as run

    needs("--timeline", timeline is not None, "one_in")
    hardware = make_hardware(hardware_name, changes)
    parameters = numbers("--messaging", messaging)
    chosen = pairs("--algorithm", algorithms)
    recorded = read_trace(trace, flops_per_s=flops_per_s, clock_ns=clock_ns)
    found: list[tuple[Fabric, Routing, Replay]] = []
    for fabric, routing in routed_networks(fabrics, routings):
        samples = one_in if timeline is not None and not found else 0
        result = run(
            fabric,
            routing,
            hardware,
            recorded,
            region=region,
            algorithms=chosen,
            messaging=parameters,
            hosts=place_ranks(fabric, recorded.rank_count, placement, seed=seed),
            one_in=samples,
        )
        found.append((fabric, routing, result))
    if timeline is not None:
        write_timeline(timeline, found[0][2])
    if page is not None:
        told = {"region": region, "placement": placement, **chosen, **parameters}
        _write_report(page, f"{trace.name} on {hardware_name}", told, found)
    if as_json:
        emit_json(
            {
                "trace": trace,
                "ranks": recorded.rank_count,
                "runs": [_document(*entry) for entry in found],
            }
        )
    else:
        click.echo(f"{trace}: {recorded.rank_count} ranks")
        _print_runs(found)
        for fabric, routing, result in found:
            if shows_ranks:
                click.echo(f"\n{routing.label} on {fabric.name}:")
                _print_ranks(result)
            _print_end(fabric, routing, result)
    if any(result.end != "finished" for *_, result in found):
        click.get_current_context().exit(PROPERTY_DOES_NOT_HOLD)


def _write_report(
    path: Path,
    name: str,
    told: dict[str, Any],
    found: Sequence[tuple[Fabric, Routing, Replay]],
) -> None:
    from weft.report.programs import ProgramRow, conditions_text, write_program_report
    from weft.results.replays import figures_of

    conditions = conditions_text(told)
    rows = [
        ProgramRow(name, conditions, fabric.name, routing.label, figures_of(result), "")
        for fabric, routing, result in found
    ]
    write_program_report(rows, path, title=name)


def _document(fabric: Fabric, routing: Routing, result: Replay) -> dict[str, Any]:
    values = {**asdict(result), "duration_ns": result.duration_ns}
    return {"fabric": fabric.name, "routing": routing.label, **values}


def _milliseconds(time_ns: float) -> str:
    return f"{time_ns / 1e6:.4f}" if math.isfinite(time_ns) else "–"


def _shares(result: Replay) -> list[str]:
    times = [
        result.computing_ns.sum(),
        result.sending_ns.sum(),
        result.receiving_ns.sum(),
        result.waiting_packet_ns.sum(),
        result.waiting_acknowledgement_ns.sum(),
    ]
    total = sum(times)
    return [f"{time / total:.1%}" if total else "–" for time in times]


_SHARES = ("computing", "sending", "receiving", "waiting: packet", "waiting: ack")


def _print_runs(found: Sequence[tuple[Fabric, Routing, Replay]]) -> None:
    first = found[0][2].duration_ns
    columns = [
        Column("fabric", is_number=False),
        Column("routing", is_number=False),
        Column("time", "ms"),
        Column("to the first"),
        *(Column(name) for name in _SHARES),
        Column("messages"),
        Column("packets"),
        Column("mean latency", "ns"),
    ]
    rows = [
        [
            fabric.name,
            routing.label,
            _milliseconds(result.duration_ns) if result.end == "finished" else result.end,
            f"{result.duration_ns / first:.5f}" if first > 0 else "–",
            *_shares(result),
            str(result.received_messages),
            str(result.delivered_packets),
            f"{result.mean_latency_ns:.0f}" if result.delivered_packets else "–",
        ]
        for fabric, routing, result in found
    ]
    print_table(columns, rows)


def _print_ranks(result: Replay) -> None:
    columns = [Column("rank"), Column("end", "ms"), *(Column(name, "ms") for name in _SHARES)]
    times = [
        result.finish_ns,
        result.computing_ns,
        result.sending_ns,
        result.receiving_ns,
        result.waiting_packet_ns,
        result.waiting_acknowledgement_ns,
    ]
    rows = [
        [str(rank), *(_milliseconds(float(time[rank])) for time in times)]
        for rank in range(len(result.finish_ns))
    ]
    print_table(columns, rows)


def _print_end(fabric: Fabric, routing: Routing, result: Replay) -> None:
    where = f"{routing.label} on {fabric.name}"
    if result.end == "blocked":
        ranks = ", ".join(str(entry.rank) for entry in result.blocked)
        click.echo(f"{where}: ranks {ranks} wait for ever:")
        for entry in result.blocked:
            place = f"{entry.file}:{entry.line}: " if entry.line else ""
            click.echo(f"  {place}rank {entry.rank} is {entry.waits}")
    for step in result.waiting_cycle:
        click.echo(
            f"{where}: {step.source} to {step.destination} holds {step.held} and waits for"
            f" {step.wanted}"
        )
    for source, destination, tag in result.unclaimed:
        click.echo(
            f"{where}: a message of rank {source} to rank {destination} (tag {tag}) is never"
            " received"
        )


@click.command(short_help="Time a collective operation.")
@click.argument("operation")
@_program_options
@click.option(
    "--ranks",
    type=click.IntRange(1),
    help="Ranks that take part; one on each host by default.",
)
@click.option(
    "--bytes",
    "size_bytes",
    type=click.IntRange(0),
    default=8,
    show_default=True,
    help="Data of a rank; of an exchange of all with all, for each other rank.",
)
@click.option(
    "--root",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Rank that data come from or go to.",
)
@click.option(
    "--order",
    metavar="ORDER",
    help="For bcast and barrier among all hosts: tell them by unicasts in this order (hio, ro, sho,"
    " shio, sco, 1sho-3ro).",
)
@click.option("--halving", is_flag=True, help="With --order: recursive halving, not doubling.")
@click.option(
    "--orders",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="With --order: how many seeded orders, where one is random.",
)
@json_option
def collective(
    operation: str,
    fabrics: Sequence[Path],
    routings: Sequence[str],
    messaging: Sequence[str],
    algorithms: Sequence[str],
    placement: str,
    seed: int,
    hardware_name: str,
    changes: Sequence[str],
    ranks: int | None,
    size_bytes: int,
    root: int,
    order: str | None,
    halving: bool,
    orders: int,
    as_json: bool,
) -> None:
    """Time a collective operation that all ranks begin at once.

    OPERATION is barrier, bcast, reduce, allreduce, allgather, allgatherv, alltoall, alltoallv,
    gather, gatherv, scatter, scatterv or reducescatter. The table shows the mean of the ranks'
    ends, the last, and the last less the first; over several orders the means of these.

    \b
    Examples:
      weft collective barrier --fabric torus.json --routing updown
      weft collective allreduce --bytes 65536 --algorithm allreduce=ring --fabric torus.json \\
          --routing updown --routing ud_itb
      weft collective barrier --order shio --bytes 96 --fabric torus.json --routing updown
    """
    from weft.replay import multicast_orders

    needs("--order", order is not None, "halving", "orders")
    hardware = make_hardware(hardware_name, changes)
    parameters = numbers("--messaging", messaging)
    chosen = pairs("--algorithm", algorithms)
    seeds = [seed]
    if order is not None:
        if operation not in {"barrier", "bcast"}:
            message = f"--order {order} with {operation}; expected barrier or bcast"
            raise InputError(message)
        if multicast_orders().get(order, False):
            seeds = list(range(seed, seed + orders))
    documents: list[dict[str, Any]] = []
    for fabric, routing in routed_networks(fabrics, routings):
        ends = [
            _ends(
                fabric,
                routing,
                hardware,
                _Operation(operation, ranks, size_bytes, root, order, halving),
                (chosen, parameters, placement, one),
            )
            for one in seeds
        ]
        count = len(ends)
        documents.append(
            {
                "fabric": fabric.name,
                "routing": routing.label,
                "orders": count,
                "mean_ns": sum(mean for mean, _, _ in ends) / count,
                "last_ns": sum(last for _, last, _ in ends) / count,
                "last_less_first_ns": sum(spread for *_, spread in ends) / count,
                "mean_ns_by_order": [mean for mean, _, _ in ends],
            }
        )
    if as_json:
        emit_json({"operation": operation, "runs": documents})
        return
    columns = [
        Column("fabric", is_number=False),
        Column("routing", is_number=False),
        Column("mean end", "us"),
        Column("last", "us"),
        Column("last - first", "us"),
    ]
    rows = [
        [
            entry["fabric"],
            entry["routing"],
            *(f"{entry[name] / 1000:.3f}" for name in ("mean_ns", "last_ns", "last_less_first_ns")),
        ]
        for entry in documents
    ]
    print_table(columns, rows)


@dataclass(frozen=True, slots=True)
class _Operation:
    """A collective operation as the options say it."""

    name: str
    ranks: int | None
    size_bytes: int
    root: int
    order: str | None
    halving: bool


def _ends(
    fabric: Fabric,
    routing: Routing,
    hardware: Hardware,
    operation: _Operation,
    options: tuple[dict[str, str], dict[str, float], str, int],
) -> tuple[float, float, float]:
    """Run an operation; the mean of the ranks' ends, the last, and the last less the first."""
    from weft.replay import collective as make
    from weft.replay import multicast, place_ranks
    from weft.replay import replay as run

    algorithms, messaging, placement, seed = options
    if operation.order is None:
        trace = make(
            operation.name,
            fabric.host_count if operation.ranks is None else operation.ranks,
            size_bytes=operation.size_bytes,
            root=operation.root,
        )
        hosts = place_ranks(fabric, trace.rank_count, placement, seed=seed)
    else:
        trace = multicast(
            fabric,
            operation.order,
            size_bytes=operation.size_bytes,
            barrier=operation.name == "barrier",
            halving=operation.halving,
            seed=seed,
        )
        hosts = None
    result = run(
        fabric,
        routing,
        hardware,
        trace,
        algorithms=algorithms,
        messaging=messaging,
        hosts=hosts,
    )
    if result.end != "finished":
        message = f"{operation.name} by {routing.label} on {fabric.name} is {result.end}"
        raise InputError(message)
    ends = result.finish_ns
    return float(ends.mean()), float(ends.max()), float(ends.max() - ends.min())
