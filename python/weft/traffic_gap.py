"""How far the loads of the traffic that a routing was made for are from the least possible."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from weft import _core
from weft._numbers import in_percent
from weft.congestion import congestion
from weft.demand import SHIFTS, host_demands, traffic_parts
from weft.errors import WeftError
from weft.load_gap import are_links_alike
from weft.routing import ALL_TO_ALL

if TYPE_CHECKING:
    from weft._core import Fabric, Routing

__all__ = [
    "ShiftShares",
    "TrafficGap",
    "is_for_shifts",
    "shift_shares",
    "traffic_gaps",
    "traffic_note",
]


@dataclass(frozen=True, slots=True)
class TrafficGap:
    """The largest load of some traffic over the channels between switches, and its bound.

    Both are multiples of what the host sends that sends most.
    """

    traffic: str  #: What hosts send, as it was told
    largest_load: float  #: What the fullest channel carries
    #: What the fullest of no routing is below: of none with one route for each pair of hosts, where
    #: the routing is such; where pairs spread over several addresses, of none at all
    bound: float
    #: Whether links have one rate, so that the fullest channel is that which carries most
    is_comparable: bool = True

    @property
    def better_possible(self) -> float | None:
        """How much more of the traffic another routing could carry at most, as a share.

        None where links have several rates, of which what channels carry tells nothing.
        """
        if not self.is_comparable:
            return None
        return self.largest_load / self.bound - 1.0 if self.bound else 0.0

    @property
    def in_words(self) -> str:
        """The largest load beside what no routing is below."""
        text = (
            f"{self.largest_load:.3f} times what the host sends that sends most; no routing is"
            f" below {self.bound:.3f}"
        )
        better = self.better_possible
        if better is None:
            return f"{text}; links have several rates, and that alone does not tell what is carried"
        if better > 0:
            return f"{text}: at most {in_percent(better)} better is possible"
        return f"{text}: none better is possible"


@dataclass(frozen=True, slots=True)
class ShiftShares:
    """What shifts leave to a pair of hosts, as shares of the rate of a link.

    In the k-th shift every host sends to the k-th after it.
    """

    mean: float  #: Over all pairs of all shifts
    worst: float  #: Over the pairs of the shift that is worst off
    bound: float  #: What no routing's mean over all shifts is above

    @property
    def in_words(self) -> str:
        """The shares beside what no routing is above."""
        return (
            f"{in_percent(self.mean)} of the rate in the mean over all shifts,"
            f" {in_percent(self.worst)} in the worst; no routing is above {in_percent(self.bound)}"
        )


def shift_shares(fabric: Fabric, routing: Routing) -> ShiftShares:
    """Tell what shifts leave to pairs of hosts, and what no routing is above.

    In the k-th shift every host sends to the k-th after it. A pair has one part in as many as there
    are routes over the busiest channel of its own; where it may send to any of several addresses,
    it spreads over all. Routes over a channel have no more than it all together, so what all pairs
    have, times the links between switches of the shortest way each, is no more than there are
    channels.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or packets choose on their way.

    Examples
    --------
    >>> import weft
    >>> tree = weft.generate("k_ary_n_tree", k=4, n=2)
    >>> weft.shift_shares(tree, weft.route(tree, "d_mod_k")).mean
    1.0
    """
    shares = congestion(fabric, routing, "shifts").mean_share.tolist()
    if not shares:
        return ShiftShares(1.0, 1.0, 1.0)
    return ShiftShares(fmean(shares), min(shares), _most_of_shifts(fabric))


def _most_of_shifts(fabric: Fabric) -> float:
    """Bound the mean share of all shifts by the links of shortest ways; 1 where rates differ."""
    if len({str(rate) for rate in fabric.link_gbit_per_s().tolist()}) > 1:
        return 1.0
    room = sum(fabric.is_switch_channel.tolist())
    switches = [
        switch
        for switch, why in zip(fabric.host_switch.tolist(), fabric.host_service, strict=True)
        if why is None
    ]
    links = {switch: _core.links_from(fabric, switch).tolist() for switch in set(switches)}
    hosts = len(switches)
    shares = []
    for shift in range(1, hosts):
        others = switches[shift:] + switches[:shift]
        pairs = Counter(links[one][other] for one, other in zip(switches, others, strict=True))
        left, share = float(room), float(pairs.pop(0, 0))
        for length, count in sorted(pairs.items()):
            full = min(float(count), left / length)
            share += full
            left -= full * length
        shares.append(share / hosts)
    return fmean(shares)


def traffic_gaps(fabric: Fabric, routing: Routing, traffic: str) -> list[TrafficGap]:
    """Set the largest load of traffic beside what no routing is below, for each of several.

    Parameters
    ----------
    fabric : Fabric
        The network the routing was made for.
    routing : Routing
        The routes.
    traffic : str
        What hosts send, as the parameter ``traffic`` of ``best`` has it: ``alltoall``, a pattern
        of :func:`weft.patterns`, an operation of :func:`weft.collective`, the file of a traffic
        matrix (``source,destination,amount``) or of jobs (``.toml``); several joined by ``+``.
        Of ``shifts`` nothing is told here, but by :func:`weft.shift_shares`.

    Returns
    -------
    list of TrafficGap
        In the order of the text.

    Raises
    ------
    RoutingError
        When the routing was made for another fabric, or packets choose on their way.
    WeftError
        When a file, pattern or name is not as expected; a file is named with the line.

    Examples
    --------
    >>> import weft
    >>> fabric = weft.torus(4, 4, hosts_per_switch=2)
    >>> routing = weft.route(fabric, "best:traffic=transpose")
    >>> [gap] = weft.traffic_gaps(fabric, routing, "transpose")
    >>> gap.largest_load >= gap.bound
    True
    """
    demands = host_demands(fabric, traffic)
    told = traffic_parts(traffic) if demands else []
    alike = are_links_alike(fabric)
    return [
        TrafficGap(one, *demand.gap(routing), is_comparable=alike)
        for one, demand in zip(told, demands, strict=True)
    ]


def traffic_note(fabric: Fabric, routing: Routing) -> str | None:
    """Tell what the traffic that a routing was made for loads; None of all to all.

    Routes of a file may be made for files that are not there any more, which is told instead.
    """
    traffic = routing.parameters.get("traffic", ALL_TO_ALL)
    if routing.is_adaptive:
        return None
    told = []
    if is_for_shifts(routing):
        told.append(f"shifts: {shift_shares(fabric, routing).in_words}")
    try:
        gaps = [] if traffic == ALL_TO_ALL else traffic_gaps(fabric, routing, traffic)
    except WeftError as error:
        return f"traffic {traffic} is not known: {error}"
    told += [f"traffic {gap.traffic}: {gap.in_words}" for gap in gaps]
    return "; ".join(told) or None


def is_for_shifts(routing: Routing) -> bool:
    """Tell whether any trees of a routing were laid for shifts."""
    parameters = routing.parameters
    return parameters.get("traffic") == SHIFTS or parameters.get("lmc", "0") != "0"
