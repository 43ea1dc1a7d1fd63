"""Which hosts the ranks of a program are on."""

from __future__ import annotations

import random
from itertools import groupby
from typing import TYPE_CHECKING

from weft._files import read_text
from weft._numbers import counted
from weft._ranges import number_below, require_whole
from weft.errors import InputError
from weft.fabric import find_computers

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Sequence

    from weft._core import Fabric

__all__ = ["PLACEMENTS", "computer_of_host", "place_ranks"]

_MOST_RANKS = 2**32 - 1

#: Rules of placement, in words.
PLACEMENTS = {
    "linear": "hosts by number",
    "round_robin": "the first host of each switch, then the second of each, and so on",
    "scattered": "as few hosts of each switch as can be, by number",
    "packed": "on as few switches as can be, those with most free hosts first",
    "by_computer": "computers by name, the adapters of each one after another",
    "random": "hosts drawn by the seed",
}


def place_ranks(
    fabric: Fabric,
    ranks: int,
    placement: str = "linear",
    *,
    seed: int = 1,
    per_host: int = 1,
    taken: Collection[int] = (),
) -> list[int]:
    """Choose a host for each rank.

    Parameters
    ----------
    fabric : Fabric
        The network.
    ranks : int
        Ranks to place.
    placement : str
        linear: compute ends by number; round_robin: the first of each switch, then the second, and
        so on; scattered: the same hosts, in the order of their numbers; packed: on as few switches
        as can be; by_computer: the computers of :func:`find_computers` by name, by ascending
        adapter, so that a rank's place in its computer is its rail; random; or the name of a file
        with a host's name or number per line, service ends as well, for each rank in order, or each
        `per_host` of them.
    seed : int
        What random hosts are drawn by.
    per_host : int
        Ranks on a host, one after another by number.
    taken : collection of int
        Hosts that others have.

    Returns
    -------
    list of int
        Number of the host of each rank.

    Raises
    ------
    InputError
        When there are not enough hosts, or the file names none, one twice, or one that is taken.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(2, 2, hosts_per_switch=4)
    >>> weft.place_ranks(fabric, 6, "round_robin")
    [0, 4, 8, 12, 1, 5]
    >>> weft.place_ranks(fabric, 6, "packed", per_host=2, taken=[0])
    [1, 1, 2, 2, 3, 3]
    """
    require_whole("ranks", ranks, 1, _MOST_RANKS)
    require_whole("per_host", per_host, 1, _MOST_RANKS)
    needed = -(-ranks // per_host)
    others = set(taken)
    rule = _RULES.get(placement)
    if rule is None:
        hosts = _listed_hosts(fabric, placement, others)
    else:
        service = fabric.host_service
        free = [
            host for host, reason in enumerate(service) if reason is None and host not in others
        ]
        hosts = rule(fabric, free, needed, seed)
    if len(hosts) < needed:
        each = "a host for each rank" if per_host == 1 else f"one for each {per_host} ranks"
        of_others = f" that others have not ({len(others)} have)" if others else ""
        on = f"{counted(ranks, 'rank')} on {counted(len(hosts), 'host')}"
        message = f"{on}{of_others} ({placement}); expected {each}"
        raise InputError(message)
    return [hosts[rank // per_host] for rank in range(ranks)]


def computer_of_host(fabric: Fabric) -> list[int]:
    """Tell which computer each host is an adapter of, by the names that software gives.

    Returns
    -------
    list of int
        Per host: a number that those of one computer of :func:`find_computers` share; what `nodes`
        of :func:`replay` and :func:`run_jobs` takes. A host whose name says nothing of a computer
        is one by itself.
    """
    found = list(range(fabric.host_count))
    for number, computer in enumerate(find_computers(fabric).computers, fabric.host_count):
        for host in computer.hosts:
            found[host] = number
    return found


def _in_turns(fabric: Fabric, free: Sequence[int]) -> list[int]:
    """Order hosts so that each switch gives its first, then each its second, and so on."""
    seen: dict[int, int] = {}
    turns = []
    switches = fabric.host_switch.tolist()
    for host in free:
        switch = switches[host]
        seen[switch] = seen.get(switch, -1) + 1
        turns.append((seen[switch], switch, host))
    return [host for _, _, host in sorted(turns)]


def _linear(_fabric: Fabric, free: Sequence[int], needed: int, _seed: int) -> list[int]:
    return list(free[:needed])


def _round_robin(fabric: Fabric, free: Sequence[int], needed: int, _seed: int) -> list[int]:
    return _in_turns(fabric, free)[:needed]


def _scattered(fabric: Fabric, free: Sequence[int], needed: int, _seed: int) -> list[int]:
    return sorted(_in_turns(fabric, free)[:needed])


def _drawn(_fabric: Fabric, free: Sequence[int], needed: int, seed: int) -> list[int]:
    hosts = list(free)
    random.Random(seed).shuffle(hosts)  # noqa: S311 - an order, no secret
    return hosts[:needed]


def _by_computer(fabric: Fabric, free: Sequence[int], needed: int, _seed: int) -> list[int]:
    """Take ends that names give no computer last."""
    order = [host for computer in find_computers(fabric).computers for host in computer.hosts]
    places = {host: place for place, host in enumerate(order)}
    return sorted(free, key=lambda host: (places.get(host, len(places)), host))[:needed]


def _packed(fabric: Fabric, free: Sequence[int], needed: int, _seed: int) -> list[int]:
    switches = fabric.host_switch.tolist()
    ordered = sorted(free, key=lambda host: (switches[host], host))
    groups = [list(hosts) for _, hosts in groupby(ordered, key=lambda host: switches[host])]
    chosen: list[int] = []
    while groups and len(chosen) < needed:
        missing = needed - len(chosen)
        enough = [group for group in groups if len(group) >= missing]
        # The fullest switch that has room for all that is left; else the emptiest.
        group = min(enough, key=len) if enough else max(groups, key=len)
        groups.remove(group)
        chosen += group[:missing]
    return chosen


_RULES: dict[str, Callable[[Fabric, Sequence[int], int, int], list[int]]] = {
    "linear": _linear,
    "round_robin": _round_robin,
    "scattered": _scattered,
    "packed": _packed,
    "by_computer": _by_computer,
    "random": _drawn,
}


def _listed_hosts(fabric: Fabric, path: str | os.PathLike[str], taken: set[int]) -> list[int]:
    expected = f"{', '.join(PLACEMENTS)}, or a file with a host per line"
    numbers = {name: number for number, name in enumerate(fabric.host_names)}
    hosts: list[int] = []
    for line, text in enumerate(read_text(path, expected).splitlines(), start=1):
        name = text.strip()
        if not name or name.startswith("#"):
            continue
        host = numbers.get(name)
        if host is None:
            host = number_below(fabric.host_count, name)
        if host is None:
            message = f"{path}:{line}: found “{name}”, expected a host of “{fabric.name}”"
            raise InputError(message)
        if host in hosts:
            message = f"{path}:{line}: host “{name}” is listed twice; expected each once"
            raise InputError(message)
        if host in taken:
            message = f"{path}:{line}: host “{name}” is taken by others; expected a free one"
            raise InputError(message)
        hosts.append(host)
    return hosts
