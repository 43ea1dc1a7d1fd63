"""Static load of routes: what pairs of hosts leave one another, and the busiest cables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from weft import _core
from weft._core import LoadBound
from weft._ranges import MOST_OF_32_BITS, MOST_OF_64_BITS, require_whole
from weft.channel_loads import host_numbers
from weft.errors import RoutingError
from weft.routing import whole_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric, Routing

__all__ = [
    "Congestion",
    "HotChannel",
    "LoadBound",
    "congestion",
    "hottest_channels",
    "load_bound",
]


@dataclass(frozen=True, slots=True)
class Congestion:
    """What routes leave to pairs of hosts that send at the same time, round by round.

    A pair's *share* is one part in as many as there are routes over the busiest channel of its
    route: the fraction of the link rate it gets if channels are shared alike. Where links have
    several rates, channels have room by these, and the share is of the slower of its hosts' links.
    """

    pairs: NDArray[np.uint32]  #: Pairs that send
    #: Of them, pairs that no route joins; their share is 0 and they load nothing
    unreached_pairs: NDArray[np.uint32]
    max_load: NDArray[np.uint32]  #: Most routes over one channel
    mean_share: NDArray[np.float64]  #: Mean share of the pairs; 1 without any
    least_share: NDArray[np.float64]  #: Least share of a pair; 1 without any


@dataclass(frozen=True, slots=True)
class HotChannel:
    """A channel between switches with the routes over it."""

    channel: int  #: Number of the channel; :meth:`Fabric.describe_channel` names it
    routes: int  #: Routes of host pairs over it
    first_pairs: NDArray[np.int64]  #: The first of these pairs: numbers of source and destination


def congestion(
    fabric: Fabric,
    routing: Routing,
    rounds: Literal["bisections", "permutations", "shifts"] = "bisections",
    *,
    count: int = 1000,
    seed: int = 1,
    hosts: Sequence[int] | None = None,
) -> Congestion:
    """Compute what routes leave to pairs of hosts that send at the same time.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes, also those read from the tables of a subnet manager.
    rounds : {"bisections", "permutations", "shifts"}
        Who sends to whom. In a round of bisections a random half of the hosts sends to the other,
        one to one; the mean of their mean shares is the effective bisection bandwidth (Hoefler,
        Schneider, Lumsdaine, 2008). In a round of permutations all hosts send by a random one. In
        the k-th shift each sends to the k-th host after it; there are as many shifts as other
        hosts, and `count` and `seed` do not matter.
    count : int
        Random rounds.
    seed : int
        What they are drawn by.
    hosts : sequence of int, optional
        Numbers of the hosts that take part, in their order; all when not given.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or there is no such host or kind of rounds.

    Examples
    --------
    >>> import weft
    >>> tree = weft.generate("k_ary_n_tree", k=4, n=2)
    >>> routing = weft.route(tree, "down_preferred")
    >>> bool(weft.congestion(tree, routing).mean_share.mean() < 1)
    True
    """
    require_whole("count", count, 0, MOST_OF_32_BITS, RoutingError)
    require_whole("seed", seed, 0, MOST_OF_64_BITS, RoutingError)
    numbers = host_numbers(hosts)
    found = _core.congestion(fabric, routing, rounds, count, seed, numbers)
    return Congestion(**found)


def hottest_channels(
    fabric: Fabric,
    routing: Routing,
    count: int = 10,
    *,
    most_pairs: int = 5,
    hosts: Sequence[int] | None = None,
) -> list[HotChannel]:
    """Find the channels between switches that most routes take.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes; those that do not arrive are left out.
    count : int
        How many channels, at most.
    most_pairs : int
        How many pairs of hosts are listed with each, at most.
    hosts : sequence of int, optional
        Numbers of the hosts whose routes count; all when not given.

    Returns
    -------
    list of HotChannel
        The fullest first; channels without any route are left out.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or there is no such host.

    Examples
    --------
    >>> import weft
    >>> mesh = weft.mesh(3, 1)
    >>> hot = weft.hottest_channels(mesh, weft.route(mesh, "updown"), count=1)[0]
    >>> hot.routes, hot.first_pairs.tolist()
    (2, [[0, 1], [0, 2]])
    """
    for name, number in (("count", count), ("most_pairs", most_pairs)):
        require_whole(name, number, 0, MOST_OF_32_BITS, RoutingError)
    found = _core.hottest_channels(fabric, routing, count, most_pairs, host_numbers(hosts))
    return [HotChannel(*entry) for entry in found]


def load_bound(
    fabric: Fabric,
    weights: NDArray[np.integer[Any]] | None = None,
    *,
    routes: Literal["any", "shortest", "tables"] = "any",
    is_tight: bool = True,
    one_lane: bool = False,
    stop_cost: int | None = None,
) -> LoadBound:
    """Find a number of routes that no routing keeps every channel between switches below.

    Each channel gets a weight, and a route is as long as those of its channels. What all routes are
    together at least as long as, over the sum of the weights, is what some channel carries,
    whatever the routes. Where traffic may split over paths, the best weights show the least largest
    load there can be (maximum concurrent flow; Shahrokhi and Matula, J. ACM 37(2), 1990); so
    ``split_load`` tells how far the search for them is off. How far a routing's largest load is
    above bounds what a better one could gain.

    On one lane routes have to leave out some turn of every circle of channels, or to stop in
    transit there. What that costs pairs with a single shortest way is added with ``one_lane``; it
    is little on large networks.

    Parameters
    ----------
    fabric : Fabric
        The network.
    weights : ndarray of int, shape (host_count, host_count), optional
        What each host (row) sends to each (column), as for :func:`weft.route_for_weights`; the
        bound is one of the sum of weights over a channel. Without, each host has one route to
        every other.
    routes : str
        ``any``; ``shortest`` for a bound of routes with as few links as the fabric allows;
        ``tables`` for one of tables by destination, where the hosts of a switch take one way to a
        host, so that loads come in whole numbers of hosts.
    is_tight : bool
        Whether to search until the bound is within 0.1 % of what split traffic reaches, which takes
        a minute on 1,024 switches; else for a second or two.
    one_lane : bool
        Whether the bound is one of routes that never deadlock on one lane, as far as the circles
        of channels show it that were found.
    stop_cost : int, optional
        With ``one_lane``: routes may stop in transit, and a stop counts as so many channels passed,
        which all channels between switches share. The bound is one of the largest load and what
        all stops count as, together; without the parameter no route stops.

    Returns
    -------
    LoadBound
        Routes over a channel, or the sum of their weights; with the weights of channels that
        :func:`weft.check_load_bound` takes.

    Raises
    ------
    RoutingError
        When the fabric has no host or is disconnected, weights are not as expected, all 0 or given
        for one lane, or there is a price for stops on several.

    Examples
    --------
    >>> import weft
    >>> tree = weft.generate("k_ary_n_tree", k=4, n=2)
    >>> bound = weft.load_bound(tree)
    >>> bound.load, weft.hottest_channels(tree, weft.route(tree, "best"), 1)[0].routes
    (12, 12)

    On a ring of five switches some pair has to take a longer way if there is one lane:

    >>> ring = weft.generate("ring", switches=5, hosts_per_switch=4)
    >>> weft.load_bound(ring).load, weft.load_bound(ring, one_lane=True).load
    (48, 52)
    """
    if one_lane and weights is not None:
        message = (
            "found weights of pairs for a bound of one lane; expected none, as hosts send alike"
        )
        raise RoutingError(message)
    if not one_lane and stop_cost is not None:
        message = f"found stop_cost {stop_cost} for any number of lanes; expected one_lane with it"
        raise RoutingError(message)
    checked = None if weights is None else whole_weights(fabric, weights)
    if checked is not None and not checked.any():
        message = "weights are all 0, so there is no load to bound; expected some pair that sends"
        raise RoutingError(message)
    return _core.load_bound(fabric, checked, routes, is_tight, one_lane, stop_cost)
