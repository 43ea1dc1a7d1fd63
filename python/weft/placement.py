"""Which hosts the ranks of a program are on."""

from __future__ import annotations

import random
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from weft._files import read_text
from weft._numbers import counted
from weft._ranges import number_below, require_whole
from weft.errors import InputError
from weft.fabric import find_computers

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Sequence

    from weft._core import Fabric

__all__ = ["PLACEMENTS", "computer_of_host", "place_ranks", "ranks_that_fit"]

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
    adapters: int = 1,
    whole_computers: bool = False,
    taken: Collection[int] = (),
) -> list[int]:
    """Choose a host for each rank, or several of one computer.

    Where names tell computers with several hosts, a rank's adapters are of one of these: rules
    take so many at once, and those that are left over in a computer stay free.

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
        `per_host` of them, or for each of its adapters.
    seed : int
        What random hosts are drawn by.
    per_host : int
        Ranks on a host, one after another by number; 1 where a rank has several adapters.
    adapters : int
        Hosts of a rank.
    whole_computers : bool
        Whether rules take all free hosts of a computer before they go on to another, as batch
        systems give nodes.
    taken : collection of int
        Hosts that others have.

    Returns
    -------
    list of int
        Number of the host of each rank, or of all adapters of each, one rank after another.

    Raises
    ------
    InputError
        When there are not enough hosts, ranks share hosts and have several, or the file names no
        host, one twice, or one that is taken.

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
    require_whole("adapters", adapters, 1, _MOST_RANKS)
    if per_host > 1 and adapters > 1:
        message = f"{per_host} ranks a host, and {adapters} hosts a rank; expected one of the two"
        raise InputError(message)
    needed = -(-ranks // per_host) * adapters
    others = set(taken)
    rule = _RULES.get(placement)
    if rule is None:
        hosts = _listed_hosts(fabric, placement, others)
    else:
        free = [host for host in _compute_ends(fabric) if host not in others]
        units = _units(fabric, free, adapters, is_whole=whole_computers)
        ordered = rule(fabric, units, needed, seed)
        hosts = [host for unit in ordered for host in unit][:needed]
    if len(hosts) < needed:
        message = f"{_lacking(ranks, len(hosts), per_host, adapters, len(others))} ({placement})"
        each = "a host for each rank" if per_host == 1 else f"one for each {per_host} ranks"
        if adapters > 1:
            each = f"{adapters} for each rank, of one computer"
        message = f"{message}; expected {each}"
        raise InputError(message)
    return [hosts[place // per_host] for place in range(ranks * adapters)]


def ranks_that_fit(fabric: Fabric, *, per_host: int = 1, adapters: int = 1) -> int:
    """Count the ranks that rules of :func:`place_ranks` have compute ends for, all of them free."""
    units = _units(fabric, _compute_ends(fabric), adapters, is_whole=False)
    return _hosts_in(units) * per_host // adapters


def _compute_ends(fabric: Fabric) -> list[int]:
    return [host for host, reason in enumerate(fabric.host_service) if reason is None]


def _lacking(ranks: int, hosts: int, per_host: int, adapters: int, others: int) -> str:
    of_others = f" that others have not ({others} have)" if others else ""
    of_each = "" if adapters == 1 else f" with {adapters} adapters each"
    return f"{counted(ranks, 'rank')}{of_each} on {counted(hosts, 'host')}{of_others}"


def _units(
    fabric: Fabric, free: Sequence[int], adapters: int, *, is_whole: bool
) -> list[list[int]]:
    """Put free hosts together that rules take at once, by the first of each.

    Those of a computer that are too few for another rank are left out. Where names tell nothing of
    computers, each host is by itself.
    """
    computers = find_computers(fabric).computers if is_whole or adapters > 1 else []
    if not any(len(computer.hosts) > 1 for computer in computers):
        return [[host] for host in free]
    left = set(free)
    units = []
    for computer in computers:
        own = [host for host in computer.hosts if host in left]
        own = own[: len(own) // adapters * adapters]
        size = max(len(own), 1) if is_whole else adapters
        units += [own[first : first + size] for first in range(0, len(own), size)]
    return sorted(units)


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


#: Hosts that are taken at once, in order.
_Units: TypeAlias = "Sequence[list[int]]"


def _in_turns(fabric: Fabric, units: _Units, needed: int) -> list[list[int]]:
    """Take units so that each switch gives its first, then each its second, and so on."""
    seen: dict[int, int] = {}
    turns = []
    switches = fabric.host_switch.tolist()
    for unit in units:
        switch = switches[unit[0]]
        seen[switch] = seen.get(switch, -1) + 1
        turns.append((seen[switch], switch, unit))
    return _as_many([unit for _, _, unit in sorted(turns)], needed)


def _as_many(units: _Units, needed: int) -> list[list[int]]:
    """Take the first that have so many hosts, or all."""
    taken: list[list[int]] = []
    for unit in units:
        if needed <= 0:
            break
        taken.append(unit)
        needed -= len(unit)
    return taken


def _linear(_fabric: Fabric, units: _Units, needed: int, _seed: int) -> list[list[int]]:
    return _as_many(units, needed)


def _round_robin(fabric: Fabric, units: _Units, needed: int, _seed: int) -> list[list[int]]:
    return _in_turns(fabric, units, needed)


def _scattered(fabric: Fabric, units: _Units, needed: int, _seed: int) -> list[list[int]]:
    return sorted(_in_turns(fabric, units, needed))


def _drawn(_fabric: Fabric, units: _Units, needed: int, seed: int) -> list[list[int]]:
    order = list(units)
    random.Random(seed).shuffle(order)  # noqa: S311 - an order, no secret
    return _as_many(order, needed)


def _by_computer(fabric: Fabric, units: _Units, needed: int, _seed: int) -> list[list[int]]:
    """Take ends that names give no computer last."""
    order = [host for computer in find_computers(fabric).computers for host in computer.hosts]
    places = {host: place for place, host in enumerate(order)}
    by_name = sorted(units, key=lambda unit: (places.get(unit[0], len(places)), unit[0]))
    return _as_many(by_name, needed)


def _packed(fabric: Fabric, units: _Units, needed: int, _seed: int) -> list[list[int]]:
    """Take the fullest switch that has room for all that is left, else the emptiest."""
    switches: list[int] = fabric.host_switch.tolist()

    def switch_of(unit: list[int]) -> int:
        return switches[unit[0]]

    ordered = sorted(units, key=lambda unit: (switch_of(unit), unit))
    groups = [list(group) for _, group in groupby(ordered, key=switch_of)]
    chosen: list[list[int]] = []
    missing = needed
    while groups and missing > 0:
        enough = [group for group in groups if _hosts_in(group) >= missing]
        group = min(enough, key=_hosts_in) if enough else max(groups, key=_hosts_in)
        groups.remove(group)
        taken = _as_many(group, missing)
        chosen += taken
        missing -= _hosts_in(taken)
    return chosen


def _hosts_in(units: _Units) -> int:
    return sum(map(len, units))


_RULES: dict[str, Callable[[Fabric, _Units, int, int], list[list[int]]]] = {
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
