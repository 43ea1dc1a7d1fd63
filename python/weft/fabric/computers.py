"""Computers with several ends, and the rails that these make."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from weft._core import Fabric

__all__ = ["Computer", "Computers", "Rail", "ends_in_each", "find_computers"]


_AGREEING_SHARE = 0.9  #: So many computers have as many ends in every plane.


@dataclass(frozen=True, slots=True)
class Computer:
    """A computer with the compute ends whose names give it."""

    name: str  #: Its name
    hosts: list[int]  #: Numbers of its ends, by ascending adapter
    adapters: list[str]  #: Its adapters in the same order, counted from 1 as ``HCA-1`` is


@dataclass(frozen=True, slots=True)
class Rail:
    """The switches that have the same adapters of the computers."""

    adapters: list[str]  #: These adapters, counted from 1 as ``HCA-1`` is
    switches: list[str]  #: Names of the switches
    hosts: list[int]  #: Numbers of all compute ends on these switches
    unnamed: int  #: How many of these are ends of no known computer
    is_apart: bool  #: Whether no link leads to another rail, over whatever switches


@dataclass(frozen=True, slots=True)
class Computers:
    """The computers of a fabric, and its rails."""

    computers: list[Computer]  #: By name; one end each where names say no more
    rails: list[Rail]  #: By ascending adapter; none where computers have one end or share switches
    #: What contradicts the rails: ends on another rail than most with their adapter, and computers
    #: without an end on a rail on which those beside them have one
    against_rails: list[str]


def find_computers(fabric: Fabric) -> Computers:
    """Find which ends belong to one computer, by their names, and which rails they make.

    Names are those that software gives: a computer's, then ``HCA-1``, ``mlx5_0``, ``hfi1_0``,
    ``ib0`` and their like. A rail is the switches that have the same adapter of most computers.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Examples
    --------
    >>> import weft
    >>> weft.find_computers(weft.torus(2, 2)).rails
    []
    """
    found = _core.fabric_computers(fabric)
    names = fabric.switch_names
    entries = found["rails"]
    rails = [
        Rail(**{**entry, "switches": [names[switch] for switch in entry["switches"]]})
        for entry in entries
    ]
    computers = [Computer(*entry) for entry in found["computers"]]
    return Computers(computers, rails, list(_against(fabric, found, computers, rails)))


def ends_in_each(fabric: Fabric, networks: list[Fabric]) -> int | None:
    """Count the ends that each computer has in every network of a fabric, which are planes then.

    Of ten computers with several ends nine have as many in every one; else it is None.

    Parameters
    ----------
    fabric : Fabric
        What a file held.
    networks : list of Fabric
        The networks that it consists of, as :func:`weft.subnets` returns them.

    Examples
    --------
    >>> import weft
    >>> planes = weft.generate(
    ...     "rail_tree", units=2, computers=4, rails=2, planes=2, spines=2, links=1
    ... )
    >>> weft.fabric.ends_in_each(planes, weft.subnets(planes))
    2
    """
    network_of = {host: number for number, one in enumerate(networks) for host in one.host_names}
    names = fabric.host_names
    counts: Counter[int | None] = Counter()
    for computer in find_computers(fabric).computers:
        if len(computer.hosts) > 1:
            ends = Counter(network_of.get(names[host]) for host in computer.hosts)
            each = {ends[number] for number in range(len(networks))}
            counts[each.pop() if len(each) == 1 else None] += 1
    ((most, computers),) = counts.most_common(1) or [(None, 0)]
    is_most = _AGREEING_SHARE * counts.total() <= computers
    return most if len(networks) > 1 and most and is_most else None


def _against(
    fabric: Fabric, found: dict[str, Any], computers: list[Computer], rails: list[Rail]
) -> Iterator[str]:
    hosts, switches = fabric.host_names, fabric.switch_names
    on = fabric.host_switch.tolist()
    by_computer: dict[str, list[tuple[int, int, int]]] = {}
    of_host = {host: computer.name for computer in computers for host in computer.hosts}
    for host, at, expected in found["off_rail"]:
        by_computer.setdefault(of_host[host], []).append((host, at, expected))
    for computer, ends in by_computer.items():
        told = ", ".join(
            f"{hosts[host]} is on rail {at + 1} ({switches[on[host]]}) and its like on rail"
            f" {expected + 1}"
            for host, at, expected in ends
        )
        rails_found = sorted(at for _, at, _ in ends)
        is_swap = len(ends) > 1 and rails_found == sorted(expected for *_, expected in ends)
        yield f"{told}{f'; the plugs of {computer} may be swapped' if is_swap else ''}"
    for computer, rail, switch in found["without_end"]:
        adapters = " and ".join(rails[rail].adapters)
        yield (
            f"{computer} has no end on rail {rail + 1} ({adapters}); those beside it have theirs on"
            f" {switches[switch]}"
        )
