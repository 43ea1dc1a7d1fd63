"""What ranks do: recorded applications, collective operations, broadcasts of unicasts."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from weft import _core
from weft._ranges import MOST_OF_64_BITS, require_whole
from weft.errors import InputError

if TYPE_CHECKING:
    from weft._core import Fabric, Trace

__all__ = [
    "MOST_MESSAGE_BYTES",
    "chosen_algorithms",
    "collective",
    "collective_algorithms",
    "multicast",
    "multicast_orders",
    "read_trace",
]

#: As long as a message may be: 2^31 numbers of 8 bytes.
MOST_MESSAGE_BYTES = 2**34


def read_trace(
    path: str | os.PathLike[str],
    *,
    flops_per_s: float | None = None,
    clock_ns: float | None = None,
) -> Trace:
    """Read what the processes of an application did.

    SimGrid's time-independent traces (one file with all ranks, or a list with the name of a file
    for each), GOAL schedules, as text or in binary form, and Chakra's execution traces (the file
    of rank 0, ``NAME.0.et``, beside those of the others) are told apart by their content. Any may
    be packed by gzip, xz or zstd.

    Parameters
    ----------
    path : path-like
        The file.
    flops_per_s : float, optional
        Speed of the host that was traced: turns flops into time; 1e9 unless given. Not with GOAL,
        which tells times.
    clock_ns : float, optional
        Time that reading the clock adds to each interval of computing, taken off again; 0 unless
        given. Not with GOAL.

    Raises
    ------
    FormatError
        When a line cannot be understood or replayed, or the trace is cut short.
    InputError
        When the file cannot be read, a number is out of range, or one is given that the format has
        no use for.
    """
    if flops_per_s is not None and not (flops_per_s > 0 and math.isfinite(flops_per_s)):
        message = f"flops_per_s is {flops_per_s}; expected more than 0"
        raise InputError(message)
    if clock_ns is not None and not (clock_ns >= 0 and math.isfinite(clock_ns)):
        message = f"clock_ns is {clock_ns}; expected 0 or more"
        raise InputError(message)
    return _core.read_trace(os.fspath(path), flops_per_s, clock_ns)


def collective(operation: str, ranks: int, *, size_bytes: int = 8, root: int = 0) -> Trace:
    """Make the trace of one collective operation of MPI.

    Parameters
    ----------
    operation : str
        barrier, bcast, reduce, allreduce, allgather, alltoall, gather, scatter, their kinds for any
        lengths (allgatherv, alltoallv, gatherv, scatterv), or reducescatter.
    ranks : int
        Ranks that take part.
    size_bytes : int
        Data of a rank; of an exchange of all with all, for each other rank; of reducescatter, what
        each rank gets. At most 2^34.
    root : int
        Where data come from or go to, if to one.

    Raises
    ------
    InputError
        When the operation is unknown or a number out of range.

    Examples
    --------
    >>> import weft
    >>> weft.collective("allreduce", 16, size_bytes=1024)
    <Trace of 16 ranks>
    """
    require_whole("ranks", ranks, 1, 2**20)
    require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
    require_whole("root", root, 0, ranks - 1)
    return _core.collective_trace(operation, ranks, size_bytes, root)


def collective_algorithms() -> dict[str, list[str]]:
    """Return the algorithms of the collective operations, the default first.

    Returns
    -------
    dict of str to list of str
        By operation.
    """
    return _core.collective_algorithms()


def chosen_algorithms(text: str) -> dict[str, str]:
    """Read algorithms as files have them: ``OPERATION=NAME``, several with commas between.

    Raises
    ------
    InputError
        When something has no ``=``.
    """
    chosen: dict[str, str] = {}
    last, known = "", collective_algorithms()
    for entry in filter(None, map(str.strip, text.split(","))):
        operation, sign, algorithm = entry.partition("=")
        is_parameter = ":" in chosen.get(last, "") and operation.strip() not in known
        if sign and is_parameter:
            # A comma stands between the parameters of an algorithm, too.
            chosen[last] += f",{entry}"
            continue
        last = operation.strip()
        if not sign:
            message = f"found “{entry}”, expected OPERATION=NAME"
            raise InputError(message)
        chosen[last] = algorithm.strip()
    return chosen


def multicast_orders() -> dict[str, bool]:
    """Return the orders in which a multicast of unicasts tells hosts.

    Returns
    -------
    dict of str to bool
        By name: whether it depends on a seed.
    """
    return dict(_core.multicast_orders())


def multicast(
    fabric: Fabric,
    order: str,
    *,
    size_bytes: int = 96,
    gather_bytes: int | None = None,
    halving: bool = False,
    seed: int = 1,
    repeats: int = 1,
) -> Trace:
    """Make a broadcast or barrier of unicasts among all hosts of a fabric; rank i is host i.

    A barrier gathers messages as long as those that release: ``gather_bytes=size_bytes``.

    Parameters
    ----------
    fabric : Fabric
        The network: orders go by its switches.
    order : str
        hio, ro, sho, shio, sco or 1sho-3ro.
    size_bytes : int
        Length of each message that goes down the tree.
    gather_bytes : int, optional
        Length of the messages by which all report to the root before; none do when left out.
    halving : bool
        Recursive halving instead of doubling.
    seed : int
        What random orders are drawn by.
    repeats : int
        How many follow one another: a host begins the next when it is done with its part of one.

    Raises
    ------
    InputError
        When the order is unknown or a number out of range.
    """
    require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
    require_whole("gather_bytes", gather_bytes or 0, 0, MOST_MESSAGE_BYTES)
    require_whole("repeats", repeats, 1, 100_000)
    require_whole("seed", seed, 0, MOST_OF_64_BITS)
    groups: list[list[int]] = [[] for _ in range(fabric.switch_count)]
    for host, switch in enumerate(fabric.host_switch.tolist()):
        groups[switch].append(host)
    return _core.multicast_trace(order, groups, size_bytes, gather_bytes, halving, (seed, repeats))
