"""Forwarding tables repaired after links, switches or hosts failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core

if TYPE_CHECKING:
    from weft._core import Fabric, Routing

__all__ = ["Repair", "repair"]


@dataclass(frozen=True, slots=True)
class Repair:
    """Repaired tables, and how to bring them in.

    Entries that differ are counted of switches and destinations that are left; lanes that change
    are counted by pairs of a switch (or host, where its hosts differ) and a destination. Where any
    order is safe, each switch may set its entries when it will: whatever old and new entries
    packets meet one after the other, they cannot deadlock. If not, those that change are first
    cleared everywhere, which drops packets to these destinations, and then set.
    """

    routing: Routing
    changed_entries: int
    changed_lanes: int
    is_any_order_safe: bool


def repair(before: Fabric, routing: Routing, after: Fabric) -> Repair:
    """Repair forwarding tables after parts of their fabric failed.

    Routes that are whole stay. Others go on by an old entry where that still leads there, and take
    a new one elsewhere, so that old and new routes together cannot deadlock on any lane. The tables
    have one address per destination and are proved. What is left of the fabric is such as
    :func:`weft.degrade` makes; switches and hosts are known by their names, links by switch and
    port.

    Hosts that are parted, tables that can deadlock or have a form that is not repaired, and no way
    that keeps clear of deadlock beside the old ones are a `RoutingError`: then stop the traffic and
    route anew.

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
