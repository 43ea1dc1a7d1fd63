"""How much better than a routing any other could be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.congestion import load_bound

if TYPE_CHECKING:
    from weft._core import Fabric, LoadBound
    from weft.routing import LoadFigures

__all__ = ["LoadGap", "load_gap", "loads_between_switches"]

#: Share of minimal routes from which on all count as such.
_ALL = 1.0


@dataclass(frozen=True, slots=True)
class LoadGap:
    """The largest load of a routing beside what no routing is below."""

    largest_load: int  #: Routes over the fullest channel between switches.
    bound: LoadBound  #: What no routing is below.
    #: What no routing of shortest routes is below, where these are; else None.
    shortest_bound: LoadBound | None

    @property
    def better_possible(self) -> float:
        """How much more uniform traffic another routing could carry at most, as a share."""
        return self.largest_load / self.bound.load - 1.0


def load_gap(fabric: Fabric, figures: LoadFigures, *, is_tight: bool = False) -> LoadGap | None:
    """Set the largest load of a routing beside what no routing is below.

    Parameters
    ----------
    fabric : Fabric
        The network.
    figures : LoadFigures
        How the routes of the routing load its channels.
    is_tight : bool
        Whether the bounds are searched for a minute or a second, as :func:`weft.load_bound` has it.

    Returns
    -------
    LoadGap or None
        None where no route takes a channel between switches.

    Raises
    ------
    RoutingError
        When the fabric has no host or is disconnected.
    """
    largest = max(loads_between_switches(fabric, figures), default=0)
    if not largest:
        return None
    bound = load_bound(fabric, is_tight=is_tight)
    if not bound.load:
        return None
    shortest = None
    if figures.minimal_share >= _ALL:
        found = load_bound(fabric, routes="shortest", is_tight=is_tight)
        shortest = found if found.load > bound.load else None
    return LoadGap(largest, bound, shortest)


def loads_between_switches(fabric: Fabric, figures: LoadFigures) -> list[int]:
    """Return the routes over each channel between switches, in their order."""
    is_between = fabric.is_switch_channel.tolist()
    loads = figures.routes_per_channel.tolist()
    return [load for load, taken in zip(loads, is_between, strict=True) if taken]
