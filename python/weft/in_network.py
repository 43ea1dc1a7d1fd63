"""Reductions in the network: aggregation nodes in switches, and the tree that they form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft import _core
from weft._ranges import require_whole
from weft.errors import InputError
from weft.traces import MOST_MESSAGE_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._core import Fabric, Trace

__all__ = ["in_network_allreduce"]


def in_network_allreduce(
    fabric: Fabric,
    hosts: Sequence[int],
    *,
    size_bytes: int = 8,
    chunk_bytes: int = 4096,
    in_flight: int = 16,
) -> tuple[Trace, list[int]]:
    """Make an all-reduce by the aggregation nodes of a fabric, as SHARP does it.

    Each host sends to the aggregation node of its switch; nodes combine what comes, which takes
    them no time, and send it up a tree to the root, from where the result goes down the tree,
    message by message. The tree has the switches with aggregation nodes, each as near to the root
    as links allow; the root is the one from which the others are nearest, the first of several.
    Nodes without hosts below take no part.

    Parameters
    ----------
    fabric : Fabric
        The network. Its aggregation nodes are service ends inside switches, or such whose names
        say so.
    hosts : sequence of int
        Numbers of the hosts that take part, rank by rank.
    size_bytes : int
        Data of a rank, at most 2^34.
    chunk_bytes : int
        The longest piece, which goes on by itself; 0: everything.
    in_flight : int
        Pieces under way at each rank and node.

    Returns
    -------
    tuple of Trace and list of int
        What ranks do, those of ``hosts`` first, then nodes; and the host of each.

    Raises
    ------
    InputError
        When the fabric has no aggregation nodes, a host's switch has none, nodes cannot reach one
        another through switches with nodes, or a number is out of range.
    """
    require_whole("size_bytes", size_bytes, 0, MOST_MESSAGE_BYTES)
    require_whole("chunk_bytes", chunk_bytes, 0, MOST_MESSAGE_BYTES)
    require_whole("in_flight", in_flight, 1, 4096)
    nodes = _aggregation_nodes(fabric)
    switches = fabric.host_switch.tolist()
    names = fabric.host_names
    for host in hosts:
        if switches[host] not in nodes:
            message = (
                f"the switch of host “{names[host]}” has no aggregation node; expected one on every"
                " switch with a host that takes part"
            )
            raise InputError(message)
    neighbours = _neighbours(fabric, set(nodes))
    leaves = list(dict.fromkeys(switches[host] for host in hosts))
    above = _tree(neighbours, leaves, fabric.name)
    used = list(above)
    places = {switch: len(hosts) + place for place, switch in enumerate(used)}
    parents: list[int | None] = [places[switches[host]] for host in hosts]
    for switch in used:
        parent = above[switch]
        parents.append(None if parent is None else places[parent])
    trace = _core.aggregated_trace(parents, size_bytes, chunk_bytes, in_flight)
    return trace, [*hosts, *(nodes[switch] for switch in used)]


def _aggregation_nodes(fabric: Fabric) -> dict[int, int]:
    """Return the aggregation node of each switch that has one."""
    nodes: dict[int, int] = {}
    ends = zip(fabric.host_service, fabric.host_names, fabric.host_switch.tolist(), strict=True)
    for host, (reason, name, switch) in enumerate(ends):
        if reason == "inside_switch" or (reason is not None and "aggregation" in name.lower()):
            nodes.setdefault(switch, host)
    if not nodes:
        message = (
            f"{fabric.name} has no aggregation nodes; expected service ends inside switches, as a"
            " file of InfiniBand has them, or as a fabric in JSON says of a host with"
            ' "service": "inside_switch"'
        )
        raise InputError(message)
    return nodes


def _neighbours(fabric: Fabric, nodes: set[int]) -> dict[int, list[int]]:
    """Return the switches with nodes that links connect to each such switch, in ascending order."""
    found: dict[int, set[int]] = {switch: set() for switch in sorted(nodes)}
    # Nodes of a fabric are its switches, then its hosts.
    for one, other in fabric.links()[:, [0, 2]].tolist():
        if one in nodes and other in nodes:
            found[one].add(other)
            found[other].add(one)
    return {switch: sorted(others) for switch, others in found.items()}


def _distances(neighbours: dict[int, list[int]], root: int) -> dict[int, tuple[int, int | None]]:
    """Return how far each switch is that can be reached, and the one before it."""
    found: dict[int, tuple[int, int | None]] = {root: (0, None)}
    line = [root]
    for switch in line:
        for other in neighbours[switch]:
            if other not in found:
                found[other] = (found[switch][0] + 1, switch)
                line.append(other)
    return found


def _tree(
    neighbours: dict[int, list[int]], leaves: Sequence[int], name: str
) -> dict[int, int | None]:
    """Return the switch above each of a tree that has the leaves; children after their parents."""
    best: tuple[tuple[int, int], dict[int, tuple[int, int | None]]] | None = None
    for root in neighbours:
        found = _distances(neighbours, root)
        if all(leaf in found for leaf in leaves):
            far = [found[leaf][0] for leaf in leaves]
            if best is None or (max(far), sum(far)) < best[0]:
                best = ((max(far), sum(far)), found)
    if best is None:
        message = (
            f"on {name} aggregation nodes do not reach one another; expected links between switches"
            " that have them"
        )
        raise InputError(message)
    found = best[1]
    needed: dict[int, int | None] = {}
    for leaf in leaves:
        at: int | None = leaf
        while at is not None and at not in needed:
            needed[at] = found[at][1]
            at = found[at][1]
    return dict(sorted(needed.items(), key=lambda entry: (found[entry[0]][0], entry[0])))
