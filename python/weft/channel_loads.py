"""How routes load the channels of their fabric."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING

from weft import _core
from weft.errors import RoutingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Routing
    from weft.fabric import Fabric

__all__ = ["LoadFigures", "host_numbers", "load_figures", "throughput_bound"]


@dataclass(frozen=True, slots=True)
class LoadFigures:
    """How the routes of a routing load the channels.

    Loads count every ordered pair of distinct hosts once, also where hosts share a route. Means
    *over switch pairs* are over ordered pairs of distinct switches that have hosts.
    """

    #: Routes of host pairs over each channel, injection and ejection channels included; a stop in
    #: transit counts at both channels of its host
    routes_per_channel: NDArray[np.uint64] = field(repr=False)
    max_routes_per_channel: int  #: Most routes over one channel
    mean_routes_per_channel: float  #: Mean over the channels between switches; 0 without any
    mean_distance_links: float  #: Mean links between switches of a route, over switch pairs
    mean_hops_links: float  #: Mean links between switches of a route, over pairs of distinct hosts
    max_hops_links: int  #: Most links between switches of a route
    #: Share of the routes that are as short as the fabric allows, 0 to 1, over switch pairs
    minimal_share: float
    mean_in_transit_stops: float  #: Mean in-transit stops of a route, over switch pairs
    max_in_transit_stops: int  #: Most in-transit stops of a route
    #: Largest offered load, as a fraction of the link rate, that no channel's routes forbid when
    #: every host sends to all others alike, all links having one rate; at most 1
    saturation_bound: float


def load_figures(
    fabric: Fabric, routing: Routing, *, hosts: Sequence[int] | None = None
) -> LoadFigures:
    """Compute how a routing loads the channels of its fabric.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    hosts : sequence of int, optional
        Numbers of the hosts that send to one another; all compute ends when not given.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or lets packets choose on their way, or there
        is no such host.
    """
    return LoadFigures(**_core.load_figures(fabric, routing, host_numbers(hosts)))


def host_numbers(hosts: Sequence[int] | None) -> list[int] | None:
    """Return numbers of hosts, if any are given.

    Raises
    ------
    RoutingError
        When they are no whole numbers.
    """
    if hosts is None:
        return None
    try:
        return [index(host) for host in hosts]
    except TypeError as error:
        message = f"hosts is {hosts!r}; expected a sequence of whole numbers"
        raise RoutingError(message) from error


def throughput_bound(fabric: Fabric) -> float:
    """Compute the largest load that any routing of a fabric can bear.

    Every host sends to all others alike. Traffic may split over all paths of any length, and
    deadlock is left aside, so the ``saturation_bound`` of no routing is above it.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Returns
    -------
    float
        Offered load as a fraction of the link rate, at most 1.

    Raises
    ------
    RoutingError
        When the fabric has no host or is disconnected.
    EnvironmentFailure
        When HiGHS, of the extra ``bounds``, is not installed.

    Notes
    -----
    A linear program of as many columns as switches times channels: seconds at 64 switches.

    Examples
    --------
    Half the routes of an 8×8 torus cross its middle, over 32 of its channels:

    >>> import weft
    >>> round(weft.throughput_bound(weft.torus(8, 8, hosts_per_switch=8)), 3)
    0.125
    """
    return _core.throughput_bound(fabric)
