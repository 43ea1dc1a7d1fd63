"""Files that hold several networks: what these are, and what they carry together, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._numbers import in_percent
from weft.cli.output import Column, print_pairs, print_table, say
from weft.cli.rails import computer_pairs, print_rails
from weft.fabric import ends_in_each, find_computers

if TYPE_CHECKING:
    from weft.audit import Audit, Judgement
    from weft.fabric import Fabric

__all__ = ["AtOnce", "networks_at_once", "print_at_once", "print_networks"]


@dataclass(frozen=True, slots=True)
class AtOnce:
    """What one routing gives on all networks of a file."""

    routing: str  #: The routing
    #: What part of its rate each host can send at in each network; None where no two hosts are or
    #: the routing is refused
    uniform_shares: list[float | None]
    #: The same in all networks at once, which share no link: the least of them
    at_once_share: float | None


def print_networks(fabric: Fabric, networks: list[Fabric]) -> None:
    """Print how many networks a file holds, and which planes or rails they are."""
    found = find_computers(fabric)
    pairs = {"networks": f"{len(networks)}, which no link joins; --subnet takes one of them"}
    each = ends_in_each(fabric, networks)
    if each is not None:
        ends = "an end" if each == 1 else f"{each} ends"
        pairs["planes"] = f"{len(networks)}, with {ends} of each computer in every one"
    print_pairs({**pairs, **computer_pairs(found)})
    print_rails(found)


def networks_at_once(audits: list[Audit]) -> list[AtOnce]:
    """Gather what each routing gives on all networks of a file, in the order of the audits."""
    each = [_judgements(found) for found in audits]
    together = []
    for routing in each[0]:
        judged = [found.get(routing) for found in each]
        shares = [None if one is None else one.uniform_share for one in judged]
        known = [share for share in shares if share is not None]
        least = min(known) if len(known) == len(shares) else None
        together.append(AtOnce(routing, shares, least))
    return together


def _judgements(found: Audit) -> dict[str, Judgement]:
    today = [] if found.today is None else [found.today]
    return {judged.routing: judged for judged in (*today, *found.alternatives)}


def print_at_once(audits: list[Audit]) -> None:
    """Print what each routing gives on all networks of a file."""
    say("uniform in each network, of a host's rate:")
    numbers = range(1, len(audits) + 1)
    columns = [
        Column("routing", is_number=False),
        *(Column("network", str(number)) for number in numbers),
        Column("all networks", "at once"),
    ]
    rows = [
        [entry.routing, *map(in_percent, entry.uniform_shares), in_percent(entry.at_once_share)]
        for entry in networks_at_once(audits)
    ]
    print_table(columns, rows)
