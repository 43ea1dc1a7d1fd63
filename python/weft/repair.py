"""Forwarding tables repaired after links, switches or hosts failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core
from weft.errors import RoutingError
from weft.routing import algorithms, route, to_tables

if TYPE_CHECKING:
    from weft._core import Fabric, Routing

__all__ = ["Repair", "is_time_to_route_anew", "like", "repair", "route_anew", "table_entries"]

#: The largest load of repaired tables, of that of new ones, from which on it is time for those.
_TIME_TO_ROUTE_ANEW = 1.1


@dataclass(frozen=True, slots=True)
class Repair:
    """Repaired tables, and how to bring them in."""

    routing: Routing  #: The new tables
    changed_entries: int  #: Entries that differ, of switches and destinations that are left
    #: Pairs of a switch (or host, where its hosts differ) and a destination that change their lane
    changed_lanes: int
    #: How the entries may be set so that packets on their way cannot deadlock. ``any``: in any
    #: order, each switch when it will. ``in_rounds``: in those of `rounds`, the next once switches
    #: have those of the one before. ``clear_first``: those that change to `cleared` are first
    #: cleared everywhere, which drops packets to these destinations, and set last; no other is set
    #: before packets of before are gone
    order: Literal["any", "in_rounds", "clear_first"]
    cleared: list[str]  #: Destinations whose entries that change are cleared before they are set
    cleared_switches: int  #: Packets of before that are waited for met at most so many switches
    #: Where some entries are set after others: names of switch and destination, and the port, 0 for
    #: none, of all that change. With ``clear_first`` the first round clears entries and does
    #: nothing else, and the last sets them
    rounds: list[list[tuple[str, str, int]]]
    #: Packets that meet entries which change meet at most so many switches, old ones or new
    most_switches: int

    @property
    def renews(self) -> bool:
        """Whether hosts let go of old service levels to those `cleared` before these are set."""
        return bool(self.cleared) and self.changed_lanes > 0


def repair(before: Fabric, routing: Routing, after: Fabric) -> Repair:
    """Repair forwarding tables after parts of their fabric failed.

    Routes that are whole stay. Others take the shortest way left, by an old entry where that is one
    and else the least loaded, so that old and new routes together cannot deadlock on any lane.

    Parameters
    ----------
    before : Fabric
        The network the tables were made for.
    routing : Routing
        The tables: one address per destination, proved.
    after : Fabric
        What is left of it, such as :func:`weft.degrade` makes; switches and hosts are known by
        their names, links by switch and port.

    Raises
    ------
    RoutingError
        When hosts are parted, or when the tables can deadlock or have a form that is not repaired.
    NoRepairError
        When no way keeps clear of deadlock beside the old ones: then stop the traffic and route
        anew.

    Examples
    --------
    >>> import weft
    >>> whole = weft.torus(4, 4)
    >>> damaged = weft.degrade(whole, links="sw0:2").fabric
    >>> made = weft.repair(whole, weft.route(whole, "best"), damaged)
    >>> weft.prove(damaged, made.routing).deadlock_free
    True
    """
    return Repair(*_core.repair(before, routing, after))


def route_anew(routing: Routing, fabric: Fabric) -> Routing:
    """Return routes for a fabric by the algorithm and parameters that made others: tables for such.

    A `RoutingError` says when no algorithm made them, or when it cannot route this fabric.
    """
    if routing.algorithm not in {known.name for known in algorithms()}:
        message = (
            f"no algorithm is known that made the tables “{routing.label}”; route anew by one of"
            " those that `weft route --list` shows"
        )
        raise RoutingError(message)
    parameters = ",".join(f"{name}={value}" for name, value in routing.parameters.items())
    made = route(fabric, f"{routing.algorithm}:{parameters}".removesuffix(":"))
    return like(routing, made, fabric)


def like(old: Routing, new: Routing, fabric: Fabric) -> Routing:
    """Return routes as they are, or forwarding tables of them where the old ones are tables."""
    is_like = old.form != "forwarding tables" or new.form == "forwarding tables"
    return new if is_like else to_tables(fabric, new, 0)


def table_entries(fabric: Fabric, routing: Routing) -> int:
    """Count the entries of forwarding tables: of all switches, to all destinations elsewhere."""
    destinations = fabric.host_count
    if routing.granularity == "switch":
        destinations = len(set(fabric.host_switch.tolist()))
    return destinations * (fabric.switch_count - 1)


def is_time_to_route_anew(largest_load: int, largest_load_anew: int) -> bool:
    """Tell whether repaired tables load a channel much more than new ones load any."""
    return largest_load > _TIME_TO_ROUTE_ANEW * largest_load_anew
