"""``weft collective``: a collective operation on networks, timed."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import click

from weft.cli.announced import announced_cells, announced_columns, announced_pairs
from weft.cli.machines import machine_pairs
from weft.cli.named_types import OPERATION
from weft.cli.networks import ProgramOptions
from weft.cli.options import (
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
from weft.replay import collective as make
from weft.replay import multicast, multicast_orders
from weft.replay import replay as run

if TYPE_CHECKING:
    from weft.cli.networks import Network
    from weft.replay import Replay

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
    as_json: bool = json_flag()

    @property
    def gather_bytes(self) -> int | None:
        """Length of the messages of a gather before, if there is one."""
        is_barrier = self.operation == "barrier"
        return self.size_bytes if self.gather is None and is_barrier else self.gather

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
      weft collective barrier --order shio --bytes 96 --fabric torus.json --routing updown
    """
    needs("--order", options.order is not None, "gather", "halving", "orders")
    if options.order is not None:
        refuse_idle("with --order, which takes all hosts", "ranks", "placement", "per_host", "root")
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
        ends = [_ends(result) for result in results]
        count = len(ends)
        documents.append(
            {
                **network.document(),
                "algorithm": _algorithm(results[0], options.order),
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
    hosts = None
    if options.order is None:
        computes = fabric.host_service.count(None)
        every = computes * options.program.per_host
        ranks = every if options.ranks is None else options.ranks
        trace = make(operation, ranks, size_bytes=options.size_bytes, root=options.root)
        hosts = options.program.place(fabric, trace.rank_count, seed)
    else:
        trace = multicast(
            fabric,
            options.order,
            size_bytes=options.size_bytes,
            gather_bytes=options.gather_bytes,
            halving=options.halving,
            seed=seed,
        )
    result = run(
        *network,
        trace,
        algorithms=options.program.chosen_algorithms,
        messaging=messaging,
        hosts=hosts,
        nodes=options.program.nodes(fabric),
    )
    if result.end != "finished":
        message = f"{operation} by {network.routing.label} on {fabric.name} is {result.end}"
        raise InputError(message)
    return result


def _algorithm(result: Replay, order: str | None) -> str:
    """Name how an operation was done: by an algorithm or unicasts; one rank does nothing."""
    if order is not None:
        return f"unicasts, {order}"
    return ", ".join(use.algorithm for use in result.collectives) or "–"


def _ends(result: Replay) -> tuple[float, float, float]:
    """Return the mean of the ranks' ends, the last, and the last less the first."""
    ends = result.finish_ns.tolist()
    return fmean(ends), max(ends), max(ends) - min(ends)
