"""Forwarding tables repaired after links, switches or hosts failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core

if TYPE_CHECKING:
    from weft._core import Fabric, Routing

__all__ = ["Repair", "repair"]


@dataclass(frozen=True, slots=True)
class Repair:
    """Repaired tables, and how to bring them in."""

    routing: Routing  #: The new tables
    changed_entries: int  #: Entries that differ, of switches and destinations that are left
    #: Pairs of a switch (or host, where its hosts differ) and a destination that change their lane
    changed_lanes: int
    #: How the entries may be set so that packets on their way cannot deadlock. ``any``: in any
    #: order, each switch when it will. ``unused_last``: those of switches without hosts that no
    #: packets come to any more after all others, and those in any order. ``clear_first``: those
    #: that change are first cleared everywhere, which drops packets to these destinations, then set
    order: Literal["any", "unused_last", "clear_first"]


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
        When hosts are parted, when the tables can deadlock or have a form that is not repaired, or
        when no way keeps clear of deadlock beside the old ones: then stop the traffic and route
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
