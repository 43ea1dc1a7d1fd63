"""``weft collective``: a collective operation on networks, timed."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import click

from weft.cli.announced import announced_cells, announced_columns, announced_pairs
from weft.cli.machines import machine_pairs
from weft.cli.named_types import OPERATION
from weft.cli.networks import EventOptions, ProgramOptions
from weft.cli.options import (
    FILE,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    needs,
    option,
    refuse_idle,
)
from weft.cli.output import Column, emit_json, print_pairs, print_table, words
from weft.cli.quantity_types import SIZE
from weft.errors import InputError
from weft.exchanges import exchange, read_lengths, skewed_lengths
from weft.in_network import in_network_allreduce
from weft.placement import ranks_that_fit
from weft.replay import collective as make
from weft.replay import multicast, multicast_orders
from weft.replay import replay as run

if TYPE_CHECKING:
    from pathlib import Path

    from weft.cli.networks import Network
    from weft.replay import Replay, Trace

__all__ = ["collective"]

#: Operations whose data come from one rank or go to it.
_ROOTED = ("bcast", "gather", "gatherv", "reduce", "scatter", "scatterv")
_MOST_ORDERS = 100_000


class _Options(Options):
    operation: str = argument(type=OPERATION)
    program: ProgramOptions = group(ProgramOptions)
    ranks: int | None = option(
        "Ranks that take part; by default as many as hosts have room for.", type=click.IntRange(1)
    )
    size_bytes: int = option(
        "Data of a rank, such as 8 or 64KiB; of an exchange of all with all, for each other rank.",
        "--bytes",
        type=SIZE,
        default=8,
    )
    root: int = option("Rank that data come from or go to.", type=click.IntRange(0), default=0)
    order: str | None = option(
        "For bcast and barrier among all hosts: tell them by unicasts in this order (hio, ro, sho,"
        " shio, sco, 1sho-3ro).",
        metavar="ORDER",
    )
    gather: int | None = option(
        "With --order: length of the messages by which all report to the root first; of a barrier,"
        " by default, that of its others.",
        "--gather-bytes",
        type=SIZE,
    )
    halving: bool = flag("With --order: recursive halving, not doubling.")
    orders: int = option(
        "With --order: how many seeded orders, where one is random.",
        type=click.IntRange(1, _MOST_ORDERS),
        default=10,
    )
    matrix: Path | None = option(
        "For alltoallv: a file with from,to,bytes for each pair of ranks that exchanges something.",
        type=FILE,
    )
    zipf: float | None = option(
        "For alltoallv: ranks get shares by Zipf's law with this exponent, as experts of a mixture"
        " do, in an order drawn by --seed; --bytes is the mean.",
        metavar="EXPONENT",
        type=float,
    )
    skew: float | None = option(
        "For alltoallv: ranks get shares drawn by --seed, the largest so many times the mean.",
        metavar="RATIO",
        type=float,
    )
    in_network: bool = flag(
        "For allreduce: aggregation nodes in switches combine what hosts send, as with SHARP."
    )
    chunk_bytes: int = option(
        "With --in-network: the longest piece; 0: everything.", type=SIZE, default=4096
    )
    events: EventOptions = group(EventOptions)
    as_json: bool = json_flag()

    @property
    def gather_bytes(self) -> int | None:
        """Length of the messages of a gather before, if there is one."""
        is_barrier = self.operation == "barrier"
        return self.size_bytes if self.gather is None and is_barrier else self.gather

    def ranks_on(self, network: Network) -> int:
        """Ranks that take part on a network, nodes in switches not counted."""
        if self.ranks is not None:
            return self.ranks
        if self.order is not None:
            return network.fabric.host_count
        per_host, adapters = self.program.per_host, self.program.adapters
        return ranks_that_fit(network.fabric, per_host=per_host, adapters=adapters) or 1

    @property
    def seeds(self) -> list[int]:
        """Seeds of the orders, where one is random and there are several."""
        first = self.program.seed
        if self.order is None:
            return [first]
        if self.operation not in {"barrier", "bcast"}:
            message = f"--order {self.order} with {self.operation}; expected barrier or bcast"
            raise InputError(message)
        is_random = multicast_orders().get(self.order, False)
        return list(range(first, first + (self.orders if is_random else 1)))


@command(_Options)
def collective(options: _Options) -> None:
    """Time a collective operation that all ranks begin at once.

    OPERATION is barrier, bcast, reduce, allreduce, allgather, allgatherv, alltoall, alltoallv,
    gather, gatherv, scatter, scatterv or reducescatter. The table shows the mean of the ranks'
    ends, the last, and the last less the first; over several orders the means of these. The
    hardware follows the rates of each fabric's links unless --hardware names one.

    \b
    Examples:
      weft collective barrier --fabric torus.json --routing updown
      weft collective allreduce --bytes 65536 --algorithm allreduce=ring --fabric torus.json \\
          --routing updown --routing ud_itb
      weft collective allreduce --bytes 64MiB --algorithm allreduce=double_tree:channels=4 \\
          --fabric torus.json --routing updown
      weft collective alltoallv --bytes 64KiB --skew 2.56 --fabric torus.json --routing updown
      weft collective barrier --order shio --bytes 96 --fabric torus.json --routing updown
      weft collective allreduce --bytes 64MiB --fabric torus.json --routing best \\
          --events night.toml
    """
    needs("--order", options.order is not None, "gather", "halving", "orders")
    needs("--in-network", options.in_network, "chunk_bytes")
    _refuse_other_exchanges(options)
    if options.order is not None:
        idle = ("ranks", "placement", "per_host", "adapters", "root")
        refuse_idle("with --order, which takes all hosts", *idle)
    if options.operation not in _ROOTED:
        refuse_idle(f"for {options.operation}, which has no root", "root")
    _refuse_other_algorithms(options)
    networks = options.program.networks
    messaging = networks.layer.parameters
    seeds = options.seeds
    documents: list[dict[str, Any]] = []
    routed = networks.routed()
    for network in routed:
        results = [_run(network, messaging, options, seed) for seed in seeds]
        ends = [_ends(result, options.ranks_on(network)) for result in results]
        count = len(ends)
        documents.append(
            {
                **network.document(),
                "algorithm": _algorithm(results[0], options),
                "orders": count,
                "mean_ns": sum(mean for mean, _, _ in ends) / count,
                "last_ns": sum(last for _, last, _ in ends) / count,
                "last_less_first_ns": sum(spread for *_, spread in ends) / count,
                "mean_ns_by_order": [mean for mean, _, _ in ends],
                "announced_messages": results[0].announced_messages,
                "mean_announced_wait_ns": sum(r.mean_announced_wait_ns for r in results) / count,
            }
        )
    if options.as_json:
        emit_json("collective", {"operation": options.operation, "runs": documents})
        return
    announced = any(entry["announced_messages"] for entry in documents)
    print_pairs(
        {
            **machine_pairs([(network.fabric, network.machine) for network in routed]),
            **announced_pairs(
                [network.machine for network in routed], messaging, announced=announced
            ),
        }
    )
    columns = [
        *words("fabric", "routing", "algorithm"),
        Column("mean end", "us"),
        Column("last", "us"),
        Column("last - first", "us"),
        *(announced_columns() if announced else []),
    ]
    rows = [
        [
            entry["fabric"],
            entry["routing"],
            entry["algorithm"],
            *(f"{entry[name] / 1000:.3f}" for name in ("mean_ns", "last_ns", "last_less_first_ns")),
            *(announced_cells(entry) if announced else []),
        ]
        for entry in documents
    ]
    print_table(columns, rows)


def _refuse_other_exchanges(options: _Options) -> None:
    """Refuse lengths of what is no exchange of any lengths, and nodes for what they do not do."""
    given = [name for name in ("matrix", "zipf", "skew") if getattr(options, name) is not None]
    if options.operation != "alltoallv":
        refuse_idle(f"for {options.operation}, which has equal lengths", "matrix", "zipf", "skew")
    if len(given) > 1:
        message = f"--{given[0]} with --{given[1]}; expected one of the two"
        raise InputError(message)
    if options.matrix is not None:
        refuse_idle("with --matrix, which has all lengths", "size_bytes")
    if options.in_network and (options.operation != "allreduce" or options.order is not None):
        message = f"--in-network with {options.operation}; expected allreduce"
        raise InputError(message)
    if options.in_network:
        refuse_idle("with --in-network, where each host has a node", "adapters")
    if options.in_network and options.program.chosen_algorithms:
        message = "--in-network with --algorithm; expected one of the two"
        raise InputError(message)


def _exchange(options: _Options, ranks: int, seed: int) -> Trace:
    """Return an exchange of lengths from a file, or as skewed as asked."""
    if options.matrix is not None:
        return exchange(read_lengths(options.matrix, ranks))
    return exchange(
        skewed_lengths(
            ranks, size_bytes=options.size_bytes, zipf=options.zipf, skew=options.skew, seed=seed
        )
    )


def _refuse_other_algorithms(options: _Options) -> None:
    """Refuse algorithms of other operations, and any where unicasts are ordered."""
    for operation, algorithm in options.program.chosen_algorithms.items():
        asked = f"--algorithm {operation}={algorithm}"
        if options.order is not None:
            message = f"{asked} with --order {options.order}; expected one of the two"
            raise InputError(message)
        if operation != options.operation:
            own = options.operation
            message = f"{asked}, but {own} is timed; expected {own}=NAME"
            raise InputError(message)


def _run(
    network: Network,
    messaging: dict[str, float],
    options: _Options,
    seed: int,
) -> Replay:
    """Run an operation to its end."""
    fabric = network.fabric
    operation = options.operation
    hosts: list[int] | None = None
    if options.order is None:
        ranks = options.ranks_on(network)
        hosts = options.program.place(fabric, ranks, seed)
        if options.in_network:
            trace, hosts = in_network_allreduce(
                fabric, hosts, size_bytes=options.size_bytes, chunk_bytes=options.chunk_bytes
            )
        elif (options.matrix, options.zipf, options.skew) != (None, None, None):
            trace = _exchange(options, ranks, seed)
        else:
            trace = make(operation, ranks, size_bytes=options.size_bytes, root=options.root)
    else:
        trace = multicast(
            fabric,
            options.order,
            size_bytes=options.size_bytes,
            gather_bytes=options.gather_bytes,
            halving=options.halving,
            seed=seed,
        )
    events, retries = options.events.on(fabric)
    result = run(
        *network,
        trace,
        events=events,
        retries=retries,
        algorithms=options.program.chosen_algorithms,
        messaging=messaging,
        hosts=hosts,
        adapters=options.program.adapters,
        nodes=options.program.computers.nodes(fabric),
    )
    if result.end != "finished":
        message = f"{operation} by {network.routing.label} on {fabric.name} is {result.end}"
        if events and retries is None:
            message += "; what fails takes packets with it, expected retries in the file of events"
        raise InputError(message)
    return result


def _algorithm(result: Replay, options: _Options) -> str:
    """Name how an operation was done: by an algorithm, nodes or unicasts; one rank does nothing."""
    if options.order is not None:
        return f"unicasts, {options.order}"
    if options.in_network:
        return "in the network"
    return ", ".join(use.algorithm for use in result.collectives) or "–"


def _ends(result: Replay, ranks: int) -> tuple[float, float, float]:
    """Return the mean of the ranks' ends, the last, and the last less the first."""
    ends = result.finish_ns.tolist()[:ranks]
    return fmean(ends), max(ends), max(ends) - min(ends)
