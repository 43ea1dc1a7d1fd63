"""Today's routing of a cluster judged, and what other routings would give.

Loads are static: they follow from routes and rates alone, without time. Real networks saturate
earlier; what the figures tell is which routing leaves less to whom.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from itertools import compress
from statistics import fmean
from typing import TYPE_CHECKING

from weft import _core
from weft._numbers import in_percent
from weft.adaptive import chooses_among_groups, judge_groups, mean_routes_by_groups
from weft.channel_loads import load_figures
from weft.congestion import congestion, hottest_channels
from weft.errors import RoutingError
from weft.fabric import find_computers, inspect_fabric
from weft.load_gap import comparable_bound, is_by_destination, possible
from weft.proof import RouteFindings, route_findings
from weft.routing import check_routing, route
from weft.shares import (
    Shares,
    SharesByUse,
    bound_of_pattern,
    shares_by_use,
    shares_of_rounds,
    slow_hosts_note,
    uniform_shares,
    uses_in_words,
)
from weft.traffic_gap import traffic_note
from weft.workload import Traffic, expected_load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft._core import LoadBound
    from weft.adaptive import GroupsJudged
    from weft.fabric import Fabric, PortRecord, Rail, ReadNote, Suspicion
    from weft.routing import Routing

__all__ = [
    "ALTERNATIVES",
    "Audit",
    "HotCable",
    "Judgement",
    "audit",
    "best_static_name",
    "judge",
]

#: Routings that today's is compared with, where none are named: what subnet managers offer, and
#: what needs no more than tables.
ALTERNATIVES = tuple(_core.default_routings("audited", 8))
_HOTTEST = 10
_EQUAL_WITHIN = 0.03  #: Shares closer than this are called equal.
_PAIRS_OF_HOTTEST = 3


@dataclass(frozen=True, slots=True)
class HotCable:
    """A channel between switches that many routes take."""

    name: str  #: As ``sw0[3] → sw1[4]``
    routes: int  #: Routes of host pairs over it
    gbit_per_s: float | None  #: Its data rate
    pairs: list[tuple[str, str]]  #: The first of the pairs of hosts whose routes take it


@dataclass(frozen=True, slots=True)
class Judgement:
    """A routing of a fabric, judged."""

    routing: str  #: Its label
    #: Why the fabric cannot be routed so; then all that follows is None or empty
    refusal: str | None = None
    findings: RouteFindings | None = None  #: Pairs not reached, loops, credit loops
    #: Whether every switch has one way to each host, so that the bound of tables holds
    is_by_destination: bool = False
    max_routes: int | None = None  #: Most routes of host pairs over a channel between switches
    mean_routes: float | None = None  #: Routes of host pairs over such a channel on average
    #: The part of its link rate that every host that takes part can send, if all of these send to
    #: all others alike, that no channel forbids: rates count where all are known
    uniform_share: float | None = None
    #: The same if no host had a link that is slower than the mean: what routes leave
    share_without_slow_hosts: float | None = None
    #: Which hosts have links that take less than that, in words; None where none has
    slow_hosts_note: str | None = None
    #: The first within each rail, by the rails of :func:`weft.find_computers`: all ends of one send
    #: to one another while those of other rails are silent
    rail_shares: list[float] = field(default_factory=list)
    #: The same if the ends of all rails do so at once
    rails_at_once_share: float | None = None
    #: Random halves of the hosts send to one another: the mean is the effective bisection
    bisection: Shares | None = None
    #: Every host sends to the k-th after it, for all k: what collective operations do
    shifts: Shares | None = None
    #: The part of its link rate that the host can send that sends most, if all send by a given
    #: matrix; None where none is given
    matrix_share: float | None = None
    hottest: list[HotCable] | None = None  #: The channels that most routes take
    #: That service ends count like compute ends, why, and what it costs; None where they do not
    service_note: str | None = None
    #: What the traffic that it was made for loads the channels with, and what no routing is below;
    #: None where it was made for all to all alike
    traffic_note: str | None = None
    #: Where switches choose among groups of ports, what holds by service level; loads above are
    #: then means over even choices, of the level that packets have
    groups: GroupsJudged | None = None
    #: There, and where sources may choose among addresses: what hosts get by how choices are used,
    #: under each kind of traffic
    by_use: list[SharesByUse] = field(default_factory=list)

    @property
    def address_note(self) -> str | None:
        """What hosts get by how addresses are used, in words; None where they have one each."""
        if self.groups is not None or not self.by_use:
            return None
        told = uses_in_words(self.by_use)
        return f"{told[0].lower()}{told[1:]}"

    @property
    def is_sound(self) -> bool:
        """Whether every pair is reached and no packets can deadlock."""
        return self.findings is not None and self.findings.are_none


@dataclass(frozen=True, slots=True)
class Audit:
    """A cluster's wiring and routing, judged."""

    fabric: Fabric  #: The network
    hosts: list[str]  #: The hosts that take part in the rounds
    rails: list[Rail]  #: The rails of the fabric, if it has any
    today: Judgement | None  #: The routing in use; None where no tables are given
    alternatives: list[Judgement]  #: Other routings of the same fabric
    suspicions: list[Suspicion]  #: What of the wiring looks like a fault
    notes: list[ReadNote]  #: What of the files was passed over
    ports: list[PortRecord]  #: What the fabric's file knows of ports: counters of errors, cables
    #: What routes of host pairs over some channel between switches no tables are below; None where
    #: some of the hosts take part, or links between switches have several rates
    load_bound: LoadBound | None = None

    @property
    def possible(self) -> str:
        """How much more even than the judged tables any others could be, in words."""
        judged = [*([] if self.today is None else [self.today]), *self.alternatives]
        tables = [one for one in judged if one.is_sound and one.is_by_destination]
        loads = [(one.routing, one.max_routes) for one in tables]
        return possible(self.load_bound, loads)

    @property
    def verdict(self) -> str:
        """How the routing in use fares, and what another would give on as many lanes."""
        return f"{self.safety}{self._others()}"

    @property
    def safety(self) -> str:
        """Whether the routing in use reaches all pairs, and whether packets can deadlock."""
        today = self.today
        if today is None or today.findings is None:
            return "No tables were given: the wiring and what routings would give are judged."
        findings = today.findings
        lost = findings.unreached_pairs + findings.circling_pairs
        reached = (
            f"{lost:,} of {findings.host_pairs:,} pairs of hosts are not reached"
            if lost
            else "all pairs of hosts are reached"
        )
        free = (
            f"packets can deadlock, in a cycle of {len(findings.cycle)} channels at the shortest"
            if findings.cycle
            else "no packets can deadlock"
        )
        return f"Under the routing in use {reached}, and {free}."

    def _others(self) -> str:
        """Say what the best other routing would give on as many lanes, in a sentence."""
        today = self.today
        if today is None or today.findings is None or today.share_without_slow_hosts is None:
            return ""
        lanes = today.findings.lane_count
        others = [
            (judged.share_without_slow_hosts, judged.routing, judged)
            for judged in self.alternatives
            if judged.is_sound
            and judged.findings is not None
            and judged.findings.lane_count <= lanes
            and judged.share_without_slow_hosts is not None
        ]
        if not others:
            return ""
        now = f"every host can send {_share_but_for_slow_hosts(today)} of its rate, all to all"
        most, name, best = max(others, key=lambda one: one[:2])
        if most <= (1 + _EQUAL_WITHIN) * today.share_without_slow_hosts:
            return f" With it {now}; none of those compared on as many lanes gives more."
        given = _share_but_for_slow_hosts(best)
        then = f"{name} would give {given} on no more lanes, free of deadlock"
        return f" With it {now}; {then}."


def _share_but_for_slow_hosts(judged: Judgement) -> str:
    """Say what hosts can send, and what it would be without slow hosts where they hold it."""
    share = in_percent(judged.uniform_share)
    if judged.slow_hosts_note is None:
        return share
    return f"{share} ({in_percent(judged.share_without_slow_hosts)} but for slow hosts)"


def audit(
    fabric: Fabric,
    routing: Routing | None = None,
    *,
    alternatives: Sequence[str] = ALTERNATIVES,
    hosts: Sequence[int] | None = None,
    count: int = 1000,
    seed: int = 1,
    matrix: str | os.PathLike[str] | None = None,
    flows: int = 1,
    notes: Sequence[ReadNote] = (),
    ports: Sequence[PortRecord] = (),
    progress: Callable[[str], None] = lambda _: None,
    router: Callable[[Fabric, str], Routing] = route,
    is_tight: bool = False,
) -> Audit:
    """Judge the routing of a cluster, and say what other routings would give.

    Parameters
    ----------
    fabric : Fabric
        The network, as discovered.
    routing : Routing, optional
        The routing in use, from tables of the subnet manager.
    alternatives : sequence of str
        Routings to compare with, as on the command line. Where switches choose among groups in the
        routing in use, the best static tables on as many lanes come with them, if any do.
    hosts : sequence of int, optional
        Numbers of the hosts that send, such as those of a job; all compute ends when not given.
    count : int
        Rounds of random halves.
    seed : int
        What they are drawn by.
    matrix : path, optional
        A traffic matrix, as the pattern ``matrix`` has it: what hosts send to one another. It is
        judged beside the rest, whoever takes part in that.
    flows : int
        Flows of each pair where a hash decides among groups of ports, 1 or more.
    notes : sequence of ReadNote
        What of the files was passed over, to be kept with the rest.
    ports : sequence of PortRecord
        What the fabric's file knows of ports, to be kept too.
    progress : callable
        Told what is looked at next.
    router : callable
        Makes a routing as :func:`route` does, for who wants to see how far it is.
    is_tight : bool
        Whether what no tables are below is searched for a minute or a second, as
        :func:`weft.load_bound` has it.

    Raises
    ------
    RoutingError
        When the routing is of another fabric, or there is no such host or routing.
    TrafficError
        When the matrix is not one of this fabric.

    Examples
    --------
    >>> import weft
    >>> torus = weft.torus(4, 4)
    >>> judged = weft.audit(torus, weft.route(torus, "minimal"), alternatives=["lash"], count=10)
    >>> judged.today.is_sound, judged.alternatives[0].is_sound
    (False, True)
    """
    for spec in alternatives:
        check_routing(spec)
    names = fabric.host_names
    computes = [host for host, reason in enumerate(fabric.host_service) if reason is None]
    taking_part = computes if hosts is None else list(hosts)
    rails = find_computers(fabric).rails
    if alternatives and routing is not None and chooses_among_groups(routing):
        static = best_static_name(routing.lane_count)
        alternatives = [*alternatives, *([] if static in alternatives else [static])]

    def judged(routing: Routing) -> Judgement:
        progress(routing.label)
        return judge(
            fabric,
            routing,
            hosts=hosts,
            rails=rails,
            count=count,
            seed=seed,
            matrix=matrix,
            flows=flows,
        )

    return Audit(
        fabric=fabric,
        hosts=[names[host] for host in taking_part],
        rails=rails,
        today=None if routing is None else judged(routing),
        alternatives=[_alternative(fabric, spec, router, judged) for spec in alternatives],
        suspicions=inspect_fabric(fabric).suspicions,
        notes=list(notes),
        ports=list(ports),
        load_bound=comparable_bound(fabric, "tables", is_tight=is_tight) if hosts is None else None,
    )


def best_static_name(lanes: int) -> str:
    """Return the routing that makes the best static tables on so many lanes."""
    return f"best:lanes={lanes}"


def _alternative(
    fabric: Fabric,
    specification: str,
    router: Callable[[Fabric, str], Routing],
    judged: Callable[[Routing], Judgement],
) -> Judgement:
    """Judge an algorithm, or keep why it refuses the fabric."""
    try:
        routing = router(fabric, specification)
    except RoutingError as error:
        return Judgement(specification, refusal=str(error))
    return judged(routing)


def judge(
    fabric: Fabric,
    routing: Routing,
    *,
    hosts: Sequence[int] | None = None,
    rails: Sequence[Rail] = (),
    count: int = 1000,
    seed: int = 1,
    matrix: str | os.PathLike[str] | None = None,
    flows: int = 1,
) -> Judgement:
    """Judge one routing of a fabric.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        The routes.
    hosts : sequence of int, optional
        Numbers of the hosts that send; all compute ends when not given.
    rails : sequence of Rail
        Rails to judge by themselves, as :func:`weft.find_computers` finds them.
    count : int
        Rounds of random halves.
    seed : int
        What they are drawn by.
    matrix : path, optional
        A traffic matrix, as the pattern ``matrix`` has it.
    flows : int
        Flows of each pair where a hash decides among groups of ports, 1 or more.

    Raises
    ------
    RoutingError
        When the routing is of another fabric, or there is no such host.
    TrafficError
        When the matrix is not one of this fabric.
    """
    groups = None
    if chooses_among_groups(routing):
        groups = judge_groups(fabric, routing, hosts=hosts, flows=flows)
    loads = channel_routes(fabric, routing, hosts)
    matrix_of = None if matrix is None else Traffic(pattern=f"matrix:file={os.fspath(matrix)}")
    between = list(compress(loads, fabric.is_switch_channel.tolist()))
    computes = [host for host, reason in enumerate(fabric.host_service) if reason is None]
    ends = [rail.hosts for rail in rails]
    of_rails = [channel_routes(fabric, routing, rail) for rail in ends]
    halves = congestion(fabric, routing, "bisections", count=count, seed=seed, hosts=hosts)
    shifts = congestion(fabric, routing, "shifts", hosts=hosts)
    taking_part = computes if hosts is None else list(hosts)
    uniform = uniform_shares(fabric, [(taking_part, loads)])
    in_halves, in_shifts = shares_of_rounds(halves), shares_of_rounds(shifts)
    by_matrix = of_rates = None
    if matrix_of is not None:
        expected = expected_load(fabric, routing, matrix_of)
        of_rates = bound_of_pattern(fabric, matrix_of.pattern, expected)
        by_matrix = expected.saturation_bound if of_rates is None else of_rates
    by_use = []
    if groups is not None or routing.leaves_addresses:
        even = {
            "all to all": uniform.share,
            "random halves": None if in_halves is None else in_halves.mean,
            "shifts": None if in_shifts is None else in_shifts.mean,
            # How choices are used under a matrix is known of links of one rate.
            "matrix": by_matrix if of_rates is None else None,
        }
        by_use = shares_by_use(
            fabric,
            routing,
            even,
            hosts=taking_part,
            bisections=(count, seed),
            matrix=matrix_of,
            flows=flows,
        )
    return Judgement(
        routing=routing.label,
        findings=(route_findings(fabric, routing) if groups is None else _found(fabric, groups)),
        is_by_destination=is_by_destination(routing),
        max_routes=math.ceil(max(between, default=0)),
        mean_routes=fmean(between) if between else 0.0,
        uniform_share=uniform.share,
        share_without_slow_hosts=uniform.without_slow_hosts,
        slow_hosts_note=slow_hosts_note(fabric, taking_part, uniform),
        rail_shares=[
            uniform_shares(fabric, [(rail, routes)]).share
            for rail, routes in zip(ends, of_rails, strict=True)
        ],
        rails_at_once_share=(
            uniform_shares(fabric, list(zip(ends, of_rails, strict=True))).share if ends else None
        ),
        bisection=in_halves,
        shifts=in_shifts,
        matrix_share=by_matrix,
        hottest=_hottest(fabric, routing) if groups is None else _hottest_by_groups(fabric, loads),
        service_note=routing.service_note,
        traffic_note=traffic_note(fabric, routing),
        groups=groups,
        by_use=by_use,
    )


def channel_routes(
    fabric: Fabric, routing: Routing, hosts: Sequence[int] | None
) -> list[int] | list[float]:
    """Return the routes of pairs of hosts over every channel; in the mean where switches choose."""
    if chooses_among_groups(routing):
        return mean_routes_by_groups(fabric, routing, hosts)
    routes: list[int] = load_figures(fabric, routing, hosts=hosts).routes_per_channel.tolist()
    return routes


def _found(fabric: Fabric, groups: GroupsJudged) -> RouteFindings:
    """Return what is wrong with tables whose switches choose, of the first level where it is."""
    levels = groups.levels
    hosts = fabric.host_count
    return RouteFindings(
        host_pairs=hosts * (hosts - 1),
        unreached_pairs=max((one.loads.unreached_pairs for one in levels), default=0),
        circling_pairs=0,
        unreached=next((one.unreached for one in levels if one.unreached), []),
        route_loop=next((one.route_loop for one in levels if one.route_loop), None),
        cycle=groups.together.cycle,
        lane_count=groups.lane_count,
    )


def _hottest(fabric: Fabric, routing: Routing) -> list[HotCable]:
    """Return the channels that most routes take."""
    names = fabric.host_names
    hottest = hottest_channels(fabric, routing, _HOTTEST, most_pairs=_PAIRS_OF_HOTTEST)
    return [
        HotCable(
            name=fabric.describe_channel(hot.channel),
            routes=hot.routes,
            gbit_per_s=_rate(fabric, hot.channel),
            pairs=[(names[a], names[b]) for a, b in hot.first_pairs.tolist()],
        )
        for hot in hottest
    ]


def _hottest_by_groups(fabric: Fabric, loads: Sequence[float]) -> list[HotCable]:
    """Return the channels between switches that carry most in the mean."""
    between = compress(range(fabric.channel_count), fabric.is_switch_channel.tolist())
    hottest = sorted(between, key=lambda channel: (-loads[channel], channel))[:_HOTTEST]
    return [
        HotCable(
            name=fabric.describe_channel(channel),
            routes=math.ceil(loads[channel]),
            gbit_per_s=_rate(fabric, channel),
            pairs=[],
        )
        for channel in hottest
    ]


def _rate(fabric: Fabric, channel: int) -> float | None:
    """Return the data rate of a channel, None where it is not known."""
    rate = fabric.link_gbit_per_s().tolist()[channel // 2]
    return None if math.isnan(rate) else rate
