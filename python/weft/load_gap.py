"""How much better than a routing any other could be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING, Final, Literal

from weft._numbers import in_percent
from weft.channel_loads import load_figures
from weft.congestion import load_bound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from weft._core import Fabric, LoadBound, Routing
    from weft.channel_loads import LoadFigures

__all__ = [
    "LoadGap",
    "OneLaneGap",
    "are_links_alike",
    "better_in_words",
    "better_possible",
    "bounded_load",
    "comparable_bound",
    "is_bounded",
    "is_by_destination",
    "largest_load",
    "leads_between_switches",
    "load_gap",
    "loads_between_switches",
    "none_below",
    "possible",
]

#: How routings are held whose switches look up the destination alone.
_TABLES: Final = "forwarding tables"

#: What a bound is of, in words.
_NONE = {
    "any": "no routing is",
    "shortest": "no routing of shortest routes is",
    "tables": "no tables by destination are",
}

#: Share of minimal routes from which on all count as such.
_ALL = 1.0


@dataclass(frozen=True, slots=True)
class OneLaneGap:
    """The load of a routing on one lane beside what none is below that never deadlocks on one."""

    load: float  #: Routes over the fullest channel between switches, and what all stops count as.
    bound: LoadBound  #: What none is below, as far as circles of channels show it.

    @property
    def stop_cost(self) -> int | None:
        """What a stop counts as, in channels passed; None where no route may stop."""
        return None if self.bound.one_lane is None else self.bound.one_lane[0]

    @property
    def better_possible(self) -> float:
        """How much lower the load of another could be at most, as a share of its own."""
        return better_possible(self.load, self.bound.load)


@dataclass(frozen=True, slots=True)
class LoadGap:
    """The largest load of a routing beside what none of its kind is below."""

    largest_load: int  #: Routes over the fullest channel between switches.
    bound: LoadBound  #: What no routing is below or, of tables, no tables by destination.
    #: What no routing of shortest routes is below, where these are; else None.
    shortest_bound: LoadBound | None
    #: On one lane: beside what none is below there, where that is more or stops have a price.
    one_lane: OneLaneGap | None
    #: Whether links have one rate, so that the fullest channel is that with most routes.
    is_comparable: bool = True

    @property
    def better_possible(self) -> float | None:
        """How much more uniform traffic another could carry at most, as a share.

        None where links have several rates, of which routes alone tell nothing.
        """
        return better_possible(self.largest_load, self.bound.load) if self.is_comparable else None

    @property
    def closest(self) -> LoadBound:
        """That of the bounds which knows most of what routes have to keep to."""
        return self.bound if self.one_lane is None else self.one_lane.bound


def load_gap(
    fabric: Fabric, routing: Routing, figures: LoadFigures, *, is_tight: bool = False
) -> LoadGap | None:
    """Set the largest load of a routing beside what none of its kind is below.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Its routes.
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
    kind: Literal["any", "tables"] = "tables" if is_by_destination(routing) else "any"
    is_split = routing.most_addresses > 1

    def of(routes: Literal["any", "tables", "shortest"]) -> LoadBound:
        found = load_bound(fabric, routes=routes, is_tight=is_tight)
        # With one route for each pair, channels carry whole routes.
        return found.of_several_routes() if is_split else found

    bound = of(kind)
    if not bound.load:
        return None
    shortest = None
    if figures.minimal_share >= _ALL:
        found = of("shortest")
        shortest = found if found.load > bound.load else None
    on_one = None
    has_room = largest > bound.load or figures.max_in_transit_stops > 0
    if routing.lane_count == 1 and has_room and not is_split:
        on_one = _on_one_lane(fabric, routing, figures, shortest or bound, is_tight=is_tight)
    return LoadGap(largest, bound, shortest, on_one, are_links_alike(fabric))


def is_by_destination(routing: Routing) -> bool:
    """Return whether every switch has one way to each host, as the bound of tables has it.

    Routes of pairs, choices among ports, and tables with several addresses of a host can be below.
    """
    return routing.form == _TABLES and routing.most_addresses == 1


def is_bounded(routing: Routing, figures: LoadFigures, bound: LoadBound, largest: float) -> bool:
    """Return whether a routing with such a largest load is one of those that a bound is for.

    Where pairs have several routes their parts may add up to less than whole ones do.
    """
    if bound.routes == "tables":
        return is_by_destination(routing)
    is_short = bound.routes == "any" or figures.minimal_share >= _ALL
    has_one = routing.most_addresses == 1 or largest >= bound.load
    return is_short and has_one


def _on_one_lane(
    fabric: Fabric, routing: Routing, figures: LoadFigures, bound: LoadBound, *, is_tight: bool
) -> OneLaneGap | None:
    """Set a routing beside what none is below on one lane, where that shows more than a bound."""
    price = routing.parameters.get("stop_cost")
    stop_cost = None if price is None else int(price)
    if stop_cost is None and figures.max_in_transit_stops:
        return None
    are_shortest = stop_cost is not None and figures.minimal_share >= _ALL
    routes = "shortest" if are_shortest else bound.routes
    found = load_bound(fabric, routes=routes, is_tight=is_tight, one_lane=True, stop_cost=stop_cost)
    if stop_cost is None and found.load <= bound.load:
        return None
    return OneLaneGap(bounded_load(fabric, figures, found), found)


def bounded_load(fabric: Fabric, figures: LoadFigures, bound: LoadBound) -> float:
    """Return what a bound is of: the largest load between switches and, at a price, all stops."""
    loads = loads_between_switches(fabric, figures)
    largest = float(max(loads, default=0))
    stop_cost = None if bound.one_lane is None else bound.one_lane[0]
    if stop_cost is None or not loads:
        return largest
    # A route passes the channel of its source and that of its destination, and two more a stop.
    hosts = sum(reason is None for reason in fabric.host_service)
    passed = int(figures.routes_per_channel.sum()) - sum(loads)
    stops = passed // 2 - hosts * (hosts - 1)
    return largest + stop_cost * stops / len(loads)


def none_below(bound: LoadBound) -> str:
    """Say what a bound is of and what it is: `no routing is below 612`."""
    told = f"{_NONE[bound.routes]} below {bound.load}"
    if bound.one_lane is None:
        return told
    stop_cost, _ = bound.one_lane
    if stop_cost is None:
        return f"on one lane {told}"
    return f"on one lane, stops counted at stop_cost={stop_cost}, {told}"


def comparable_bound(
    fabric: Fabric, routes: Literal["any", "tables"], *, is_tight: bool = False
) -> LoadBound | None:
    """Return what routes over some channel none is below, from a search of a second or a minute.

    None where links have several rates, so that the fullest channel is not that with most routes,
    or channels between switches carry nothing.
    """
    if not are_links_alike(fabric):
        return None
    found = load_bound(fabric, routes=routes, is_tight=is_tight)
    return found if found.load else None


def are_links_alike(fabric: Fabric) -> bool:
    """Tell whether links between switches have one rate, and those of compute ends one, as known.

    Routes over a channel tell how full it is there alone: others are filled by fewer, and hosts
    with faster links send more by each.
    """
    # Rates in words, which are alike where none is known.
    rates = [str(rate) for rate in fabric.link_gbit_per_s().tolist() for _ in range(2)]
    between = set(compress(rates, fabric.is_switch_channel.tolist()))
    first = fabric.switch_count
    sources = (source - first for source, _ in fabric.channel_ends().tolist())
    counts = (source >= 0 and fabric.host_service[source] is None for source in sources)
    return len(between) < 2 and len(set(compress(rates, counts))) < 2


def leads_between_switches(fabric: Fabric) -> bool:
    """Tell whether ends hang on several switches, so that some route passes a channel between."""
    ends = zip(fabric.host_switch.tolist(), fabric.host_service, strict=True)
    return len({switch for switch, reason in ends if reason is None}) > 1


def possible(bound: LoadBound | None, loads: Iterable[tuple[str, int | None]]) -> str:
    """Say how much better than the most even of some routings any other could be.

    Parameters
    ----------
    bound : LoadBound or None
        What none is below; without, there is nothing to say.
    loads : iterable of str and int
        Routings with their routes over the fullest channel between switches.
    """
    known = [(load, label) for label, load in loads if load]
    if not known or bound is None:
        return ""
    load, label = min(known)
    return (
        f"{_NONE[bound.routes]} below {bound.load:,} routes over some channel, and {label} has "
        f"{load:,}: {better_in_words(load, bound.load)}"
    )


def better_in_words(load: float, bound: int) -> str:
    """Say how much better than a largest load is possible, when none is below the bound."""
    if load <= bound:
        return "none better is possible"
    return f"at most {in_percent(better_possible(load, bound))} better is possible"


def better_possible(load: float, bound: int) -> float:
    """Return how much more uniform traffic than with a largest load is possible, as a share."""
    return load / bound - 1.0


def loads_between_switches(fabric: Fabric, figures: LoadFigures) -> list[int]:
    """Return the routes over each channel between switches, in their order."""
    return list(compress(figures.routes_per_channel.tolist(), fabric.is_switch_channel.tolist()))


def largest_load(fabric: Fabric, routing: Routing) -> int:
    """Return the routes over the busiest channel between switches."""
    return max(loads_between_switches(fabric, load_figures(fabric, routing)), default=0)
