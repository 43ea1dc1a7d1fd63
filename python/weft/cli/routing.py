"""``weft route``: routes of a fabric and how they load its channels."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weft._numbers import in_percent, quantity
from weft._ranges import number_below
from weft.channel_loads import load_figures
from weft.cli.after_failure import repair_document, repair_pairs, repaired_or_anew
from weft.cli.certified_load import bound_option, bounded_at, write_bound
from weft.cli.congestion import CongestionOptions, congestion_pairs, hot_document, hot_lines
from weft.cli.fabric_files import EndOptions, fabric_line, load_fabric, note_text
from weft.cli.named_types import ROUTING
from weft.cli.options import (
    FILE,
    WRITTEN,
    Options,
    argument,
    command,
    flag,
    group,
    json_flag,
    list_flag,
    needs,
    option,
    pattern_option,
)
from weft.cli.output import emit_json, picked, print_pairs, say, talk
from weft.cli.progress import shown_routing
from weft.congestion import congestion, hottest_channels
from weft.errors import RoutingError
from weft.load_gap import better_in_words, load_gap, loads_between_switches, none_below
from weft.route_reading import read_routes, write_routes
from weft.routing import ALL_TO_ALL, algorithms, routing_parts, searched_route, to_tables
from weft.routing import route as route_fabric
from weft.shares import bound_of_pattern, bound_of_rates, uniform_loads
from weft.traffic_gap import is_for_shifts, shift_shares, traffic_gaps
from weft.workload import Traffic, expected_load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.channel_loads import LoadFigures
    from weft.cli.after_failure import Repaired
    from weft.congestion import LoadBound
    from weft.fabric import Fabric
    from weft.load_gap import LoadGap, OneLaneGap
    from weft.routing import Algorithm, Routing
    from weft.traffic_gap import TrafficGap
    from weft.workload import ExpectedLoad

__all__ = ["host_number", "load_routing", "names_routes", "route"]

_BARS = 8
_SHOWN_NOTES = 5
_BAR_CHARACTERS = 40


def _print_algorithm(entry: Algorithm) -> None:
    """Print a routing algorithm with its parameters."""
    say(f"{entry.name}: {entry.title}")
    say(f"  {entry.summary}")
    say(f"  guarantees: {entry.guarantees}")
    if entry.refuses:
        say(f"  refuses a fabric if {' or '.join(entry.refuses)}")
    say(f"  source: {entry.source}")
    for parameter in entry.parameters:
        default = f" (default {parameter.default})" if parameter.default else ""
        say(f"  {parameter.name}={parameter.kind}{default}: {parameter.summary}")
    say()


class _Options(Options):
    fabric: Path = argument(type=FILE)
    ends: EndOptions = group(EndOptions)
    specification: str = argument(metavar="SPEC", type=ROUTING)
    pairs: Sequence[tuple[str, str]] = option(
        "Show the route from one host to another, by name; repeat for more.",
        "--pair",
        metavar="HOST HOST",
        nargs=2,
        multiple=True,
    )
    pattern: str | None = pattern_option()
    congestion: CongestionOptions = group(CongestionOptions)
    lists: bool = list_flag(
        "List the routing algorithms with their parameters and end.",
        "route-list",
        lambda: {"algorithms": algorithms()},
        _print_algorithm,
    )
    repairs: Path | None = option(
        "SPEC routes this fabric, parts of which failed: repair its tables for FABRIC, what is"
        " left of it, with few entries changed and no deadlock on the way.",
        metavar="WHOLE",
        type=FILE,
    )
    tables: bool = flag(
        "Put the routes into forwarding tables; a destination may get several addresses."
    )
    lmc: int = option(
        "With --tables: at most 2 to this power addresses for a destination.",
        type=click.IntRange(0, 7),
        default=7,
    )
    time_budget: float | None = option(
        "With best: improve a first answer, which 0 ends with, until the time is over or Ctrl-C is"
        " pressed; `starts` in the name of the routing makes the same tables again.",
        metavar="SECONDS",
        type=click.FloatRange(min=0),
    )
    bound: Path | None = bound_option()
    output: Path | None = option(
        "Write the routes to this file (JSON), to be proved or simulated later.",
        "-o",
        "--output",
        type=WRITTEN,
    )
    as_json: bool = json_flag()


@command(_Options)
def route(options: _Options) -> None:
    """Route a fabric and show how the routes load its channels.

    SPEC is the name of an algorithm, with parameters after a colon where they differ from the
    defaults: updown, updown:root=0,selection=random,seed=3. `weft route --list` lists them all.
    It may also be a file of routes: what -o wrote, or tables as OpenSM dumps them.

    \b
    The figures:
      routes per channel   over how many host pairs' routes a channel lies; the largest limits
                           what uniform traffic can reach, the mean shows the balance
      saturation bound     the load (fraction of the host link rate) that no channel's routes
                           forbid under uniform traffic; real networks saturate earlier. Where
                           links differ, also about what every host can send of its own
      minimal share        routes that are as short as the fabric allows
      in-transit stops     ejections and re-injections on the way
      largest load         that of the channels between switches, beside what none is below:
                           at most so much better is possible

    With --pattern the same figures follow for a traffic pattern, over the packets it sends: what
    the busiest channel carries for each unit of load, and the load which that forbids.

    Where packets choose on their way (minimal_adaptive, valiant, ugal) no channel has a load before
    it is simulated, and there are no such figures.

    With --rounds all hosts send in pairs at once; where routes share a channel each gets its
    part, and the mean over random halves is the effective bisection bandwidth.

    \b
    Examples:
      weft route net.json updown
      weft route net.json updown --rounds bisections --hottest 5
      weft route net.json updown --pattern hotspot:share=5,hosts=host3
      weft route net.json simple_routes:root=0 --pair host0 host9
      weft route net.json updown --tables --lmc 2 -o tables.json
      weft route net.json best:lanes=4 --time-budget 60 -o tables.json
      weft route net.json best:lanes=4 --bound bound.json
      weft route damaged.json tables.json --repairs net.json -o repaired.json
    """
    asked, output = options.congestion, options.output
    rounds, hottest = asked.rounds, asked.hottest
    needs("--rounds", rounds is not None, "count", "seed")
    needs("--rounds or --hottest", rounds is not None or hottest is not None, "hosts")
    needs("--tables", options.tables, "lmc")
    traffic = None if options.pattern is None else Traffic(pattern=options.pattern)
    network = load_fabric(options.fabric, options.ends).fabric
    routing, repaired = _routing(network, options)
    if options.tables:
        routing = to_tables(network, routing, options.lmc)
    if output is not None:
        write_routes(routing, output)
    routes = {
        (source, destination): routing.route_names(
            host_number(network, source), host_number(network, destination)
        )
        for source, destination in options.pairs
    }
    figures = None if routing.is_adaptive else load_figures(network, routing)
    gap = None
    if figures is not None:
        gap = load_gap(network, routing, figures, is_tight=options.bound is not None)
    if options.bound is not None:
        write_bound(network, None if gap is None else gap.closest, options.bound)
    of_traffic = _traffic_gaps(network, routing, options)
    shifts = shift_shares(network, routing) if is_for_shifts(routing) else None
    chosen = None
    if asked.hosts is not None:
        chosen = [host_number(network, name) for name in asked.hosts.split(",")]
    found = rounds and congestion(
        network, routing, rounds, **picked(asked, "count", "seed"), hosts=chosen
    )
    hot = hottest_channels(network, routing, hottest, hosts=chosen) if hottest else []
    expected = None if traffic is None else expected_load(network, routing, traffic)
    at_rates = None
    if figures is not None:
        at_rates = bound_of_rates(network, uniform_loads(network, figures))
    if options.as_json:
        document = _document(network, routing, figures, routes) | {
            "bound_at_rates": at_rates,
            "load_gap": _gap_document(gap),
            "traffic_gaps": of_traffic,
            "shift_shares": shifts,
        }
        further = {
            "pattern": options.pattern,
            "expected_load": expected,
            "rounds": rounds,
            "congestion": found,
            "hottest_channels": hot_document(network, hot),
        }
        emit_json("route", document | further | repair_document(repaired))
        return
    say(fabric_line(network))
    by_traffic = {f"traffic {each.traffic}": each.in_words for each in of_traffic}
    if shifts is not None:
        by_traffic["shifts"] = shifts.in_words
    print_pairs(_pairs(routing, figures, gap, at_rates) | by_traffic | repair_pairs(repaired))
    if routing.service_note is not None:
        say(routing.service_note)
    if expected is not None and options.pattern is not None:
        say(f"under {options.pattern}:")
        print_pairs(_expected_pairs(network, options.pattern, expected))
    if found and rounds:
        say("all hosts at once:" if chosen is None else f"{len(chosen)} hosts at once:")
        print_pairs(congestion_pairs(found, rounds))
    bars = _histogram(network, figures) if figures else []
    for line in [*bars, *(hot_lines(network, hot) if hot else [])]:
        say(line)
    for (source, destination), names in routes.items():
        say(f"route {source} to {destination}: {' → '.join(names)}")
    if output is not None:
        say(f"written to {output}")
    if options.bound is not None:
        say(f"bound written to {options.bound}")


def _routing(fabric: Fabric, options: _Options) -> tuple[Routing, Repaired | None]:
    """Route a fabric, or repair the tables of one that it is left of."""
    asked = options.specification, options.time_budget
    if options.repairs is None:
        return load_routing(fabric, *asked), None
    whole = load_fabric(options.repairs, options.ends).fabric
    return repaired_or_anew(whole, load_routing(whole, *asked), fabric)


def load_routing(fabric: Fabric, specification: str, time_budget_s: float | None = None) -> Routing:
    """Route a fabric by an algorithm, or read its routes from a file or folder, which comes first.

    Routes of a file take no time budget: a RoutingError.
    """
    if not names_routes(specification):
        if time_budget_s is not None:
            return _improved(fabric, specification, time_budget_s)
        with shown_routing(specification) as progress:
            return route_fabric(fabric, specification, progress=progress)
    if time_budget_s is not None:
        message = f"found a time budget for the routes in {specification}; only best goes on"
        raise RoutingError(message)
    read = read_routes(fabric, specification)
    for note in read.notes[:_SHOWN_NOTES]:
        talk(f"note: {specification}: {note_text(note)}")
    if len(read.notes) > _SHOWN_NOTES:
        talk(f"note: {specification}: {len(read.notes) - _SHOWN_NOTES} more of the kind")
    return read.routing


def _improved(fabric: Fabric, specification: str, time_budget_s: float) -> Routing:
    """Route a fabric for as long as there is time, and tell how far that came."""
    routing, is_stopped = searched_route(fabric, *routing_parts(specification), time_budget_s)
    starts = routing.parameters["starts"]
    named = {"0": "the first answer", "first": "the first start", "1": "1 start"}
    made = named.get(starts, f"{starts} starts")
    ended = "Ctrl-C: " if is_stopped else ""
    talk(f"{ended}{made}; starts={starts} makes the same tables again")
    return routing


def names_routes(specification: str) -> bool:
    """Tell whether what may be a routing is a file or folder of routes, be there one or not."""
    looks_like_path = any(mark in specification.partition(":")[0] for mark in "/.\\")
    return looks_like_path or Path(specification).exists()


def host_number(fabric: Fabric, name: str) -> int:
    """Return the number of a host from its name or number; the error suggests the nearest."""
    names = fabric.host_names
    if name in names:
        return names.index(name)
    number = number_below(len(names), name)
    if number is not None:
        return number
    nearest = get_close_matches(name, names, n=1)
    advice = f"did you mean {nearest[0]}?" if nearest else f"hosts are named like {names[0]}"
    message = f"fabric {fabric.name} has no host {name}; {advice}"
    raise RoutingError(message)


def _traffic_gaps(fabric: Fabric, routing: Routing, options: _Options) -> list[TrafficGap]:
    """Tell how even the traffic is that a routing was made for, where it is not all to all."""
    traffic = routing.parameters.get("traffic", ALL_TO_ALL)
    if traffic == ALL_TO_ALL or names_routes(options.specification):
        return []
    return traffic_gaps(fabric, routing, traffic)


def _gap_document(gap: LoadGap | None) -> dict[str, Any] | None:
    if gap is None:
        return None
    shortest, one_lane = gap.shortest_bound, gap.one_lane
    return {
        "largest_load": gap.largest_load,
        "bound": gap.bound.load,
        "bound_of": gap.bound.routes,
        "split_load": gap.bound.split_load,
        "shortest_bound": bounded_at(shortest),
        "better_possible": gap.better_possible,
        "one_lane": one_lane and _one_lane_document(one_lane, is_comparable=gap.is_comparable),
    }


def _one_lane_document(gap: OneLaneGap, *, is_comparable: bool) -> dict[str, Any]:
    return {
        **picked(gap, "load", "stop_cost"),
        "better_possible": gap.better_possible if is_comparable else None,
        "bound": gap.bound.load,
        "bound_of": gap.bound.routes,
    }


def _document(
    fabric: Fabric,
    routing: Routing,
    figures: LoadFigures | None,
    routes: dict[tuple[str, str], list[str]],
) -> dict[str, Any]:
    return {
        "fabric": fabric.name,
        "routing": picked(
            routing,
            "label",
            "algorithm",
            "parameters",
            "granularity",
            "form",
            "most_addresses",
            "lane_count",
            "service_note",
        ),
        "load_figures": figures,
        "routes": [
            {"source": source, "destination": destination, "nodes": names}
            for (source, destination), names in routes.items()
        ],
    }


def _pairs(
    routing: Routing,
    figures: LoadFigures | None,
    gap: LoadGap | None,
    bound_at_rates: float | None,
) -> dict[str, str]:
    parameters = ", ".join(f"{name}={value}" for name, value in routing.parameters.items())
    head = {"routing": f"{routing.label}, {_form(routing)}", "parameters": parameters or "none"}
    if figures is None:
        return {**head, "lanes": str(routing.lane_count)}
    return {
        **head,
        "routes per channel": (
            f"at most {figures.max_routes_per_channel}, mean "
            f"{figures.mean_routes_per_channel:.1f} over channels between switches"
        ),
        "largest load": _gap(gap),
        "saturation bound": (
            f"load {figures.saturation_bound:.4f} of the host link rate, uniform traffic"
            f"{_at_their_rates(bound_at_rates)}"
        ),
        "mean distance": f"{figures.mean_distance_links:.4f} links, distinct switches",
        "hops": f"mean {figures.mean_hops_links:.4f}, at most {figures.max_hops_links} links",
        "minimal share": in_percent(figures.minimal_share),
        "in-transit stops": (
            f"mean {figures.mean_in_transit_stops:.4f}, at most {figures.max_in_transit_stops}"
        ),
    }


def _at_their_rates(bound: float | None) -> str:
    """Tell the bound at the rates of the links, where these are not all alike."""
    return "" if bound is None else f", were all links alike; about {bound:.4f} at their rates"


_NONE_BETWEEN = "none between switches"

#: Share above which it is told that a bound may be too low.
_LOOSE = 0.01


def _gap(gap: LoadGap | None) -> str:
    """Tell the largest load between switches, and how far it is from what no routing beats."""
    if gap is None:
        return _NONE_BETWEEN

    def told(load: float, bound: LoadBound) -> str:
        below = none_below(bound)
        return f"{below}: {better_in_words(load, bound.load)}" if gap.is_comparable else below

    text = f"{gap.largest_load} between switches; {told(gap.largest_load, gap.bound)}"
    if gap.shortest_bound is not None:
        text += f"; {told(gap.largest_load, gap.shortest_bound)}"
    if gap.one_lane is not None:
        if gap.one_lane.stop_cost is not None:
            text += f"; {quantity(gap.one_lane.load)} with stops"
        text += f"; {told(gap.one_lane.load, gap.one_lane.bound)}"
    if not gap.is_comparable:
        text += "; links have several rates, and routes alone do not tell what is carried"
    # Of several routes for a pair it is rounded as loads are.
    loose = gap.bound.split_load / max(gap.bound.load, gap.bound.mean_load) - 1.0
    if loose > _LOOSE:
        text += f"; the bound may be {in_percent(loose)} too low, --bound takes longer for it"
    return text


def _expected_pairs(fabric: Fabric, pattern: str, expected: ExpectedLoad) -> dict[str, str]:
    loads = expected.load_per_channel.tolist()
    busiest = fabric.describe_channel(loads.index(max(loads)))
    return {
        "sending hosts": f"{expected.sending_hosts} of {fabric.host_count}",
        "busiest channel": f"{busiest}, {expected.max_load:.4f} times what a host sends at most",
        "saturation bound": (
            f"load {expected.saturation_bound:.4f} of the host link rate"
            f"{_at_their_rates(bound_of_pattern(fabric, pattern, expected))}"
        ),
        "hops": f"mean {expected.mean_hops_links:.4f} links",
        "in-transit stops": f"mean {expected.mean_in_transit_stops:.4f}",
    }


def _form(routing: Routing) -> str:
    """Describe how routes are held."""
    if routing.form == "adaptive tables":
        return "several ports by destination switch, and an escape"
    if routing.form == "two phases":
        return "to a switch drawn at random and on from it"
    if routing.form == "source routes":
        shared = routing.parameters.get("per") == "switch"
        spread = ", for all their hosts; per=host has one per pair of hosts" if shared else ""
        return f"one route per pair of {_plural(routing.granularity)}{spread}"
    addresses = routing.most_addresses
    several = f", up to {addresses} addresses for one" if addresses > 1 else ""
    return f"tables by destination {routing.granularity}{several}"


def _plural(granularity: str) -> str:
    return {"switch": "switches", "host": "hosts"}[granularity]


def _histogram(fabric: Fabric, figures: LoadFigures) -> list[str]:
    """Draw the distribution of routes per channel between switches as bars of text."""
    routes = loads_between_switches(fabric, figures)
    most = max(routes, default=0)
    if not most:
        return []
    # The last bar has its upper edge too.
    counts = Counter(min(_BARS * found // most, _BARS - 1) for found in routes)
    lines = ["channels between switches by routes:"]
    for place in range(_BARS):
        count, low, high = counts[place], most * place / _BARS, most * (place + 1) / _BARS
        bar = "#" * round(_BAR_CHARACTERS * count / max(counts.values()))
        lines.append(f"  {low:10.0f} to {high:<10.0f} {count:6d}  {bar}".rstrip())
    return lines
