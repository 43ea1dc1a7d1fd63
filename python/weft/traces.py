"""What ranks do: recorded applications, collective operations, broadcasts of unicasts."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from weft import _core
from weft.errors import InputError

if TYPE_CHECKING:
    from weft._core import Fabric, Trace

__all__ = [
    "MOST_MESSAGE_BYTES",
    "check_whole",
    "collective",
    "collective_algorithms",
    "multicast",
    "multicast_orders",
    "read_trace",
]

#: As long as a message may be: 2^31 numbers of 8 bytes.
MOST_MESSAGE_BYTES = 2**34


def read_trace(
    path: str | os.PathLike[str], *, flops_per_s: float = 1e9, clock_ns: float = 0.0
) -> Trace:
    """Read what the processes of an application did.

    SimGrid's time-independent traces (one file with all ranks, or a list with the name of a file
    for each) and GOAL schedules in text are told apart by their content. Either may be packed by
    zstd. The speed of the host that was traced turns flops into time; `clock_ns`, the time that
    reading the clock adds to each interval of computing, is taken off again. A line that cannot be
    understood or replayed, or a trace that is cut short, is a `FormatError`; a file that cannot be
    read, or a number out of range, an `InputError`.
    """
    if not (flops_per_s > 0 and math.isfinite(flops_per_s)):
        message = f"flops_per_s is {flops_per_s}; expected more than 0"
        raise InputError(message)
    if not (clock_ns >= 0 and math.isfinite(clock_ns)):
        message = f"clock_ns is {clock_ns}; expected 0 or more"
        raise InputError(message)
    return _core.read_trace(os.fspath(path), flops_per_s, clock_ns)


def collective(operation: str, ranks: int, *, size_bytes: int = 8, root: int = 0) -> Trace:
    """Make the trace of one collective operation of MPI.

    Operations are barrier, bcast, reduce, allreduce, allgather, alltoall, gather, scatter, their
    kinds for any lengths (allgatherv, alltoallv, gatherv, scatterv), and reducescatter. The size,
    at most 2^34 bytes, is that of the data of a rank; of an exchange of all with all, for each
    other rank; of reducescatter, what each rank gets. The root is where data come from or go to, if
    to one. An operation that is not known, or a number out of range, is an `InputError`.

    Examples
    --------
    >>> import weft
    >>> weft.collective("allreduce", 16, size_bytes=1024)
    <Trace of 16 ranks>
    """
    check_whole("ranks", ranks, 1, 2**20)
    check_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
    check_whole("root", root, 0, ranks - 1)
    return _core.collective_trace(operation, ranks, size_bytes, root)


def collective_algorithms() -> dict[str, list[str]]:
    """Return the algorithms of each collective operation, the default first."""
    return _core.collective_algorithms()


def multicast_orders() -> dict[str, bool]:
    """Return the orders in which a multicast of unicasts tells hosts: which depend on a seed."""
    return dict(_core.multicast_orders())


def multicast(
    fabric: Fabric,
    order: str,
    *,
    size_bytes: int = 96,
    barrier: bool = False,
    halving: bool = False,
    seed: int = 1,
) -> Trace:
    """Make a broadcast or barrier of unicasts among all hosts of a fabric; rank i is host i.

    The orders hio, ro, sho, shio, sco and 1sho-3ro go by the switches of the fabric; random ones
    are drawn by the seed. In a barrier all report to the root before it releases them. With
    `halving`, halving is recursive instead of doubling. An order that is not known, or a number out
    of range, is an `InputError`.
    """
    check_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
    check_whole("seed", seed, 0, 2**64 - 1)
    groups: list[list[int]] = [[] for _ in range(fabric.switch_count)]
    for host, switch in enumerate(fabric.host_switch.tolist()):
        groups[switch].append(host)
    return _core.multicast_trace(order, groups, size_bytes, barrier, halving, seed)


def check_whole(name: str, value: int, least: int, most: int) -> None:
    """Refuse a number that is out of range by an `InputError`."""
    if not least <= value <= most:
        message = f"{name} is {value}; expected a whole number from {least} to {most}"
        raise InputError(message)
