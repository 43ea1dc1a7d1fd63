"""Today's routing of a cluster judged, and what other routings would give.

Loads are static: they follow from routes and rates alone, without time. Real networks saturate
earlier; what the figures tell is which routing leaves less to whom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft.congestion import congestion, hottest_channels
from weft.errors import RoutingError
from weft.fabric import inspect_fabric
from weft.proof import route_findings
from weft.routing import check_routing, load_figures, route

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft.congestion import Congestion
    from weft.fabric import Fabric, ReadNote, Suspicion
    from weft.proof import RouteFindings
    from weft.routing import Routing

__all__ = ["ALTERNATIVES", "Audit", "HotCable", "Judgement", "Shares", "audit", "judge"]

#: Routings that today's is compared with, where none are named: what subnet managers offer, and
#: what needs no more than tables.
ALTERNATIVES = tuple(_core.default_routings("audited", 8))
_HOTTEST = 10
_PAIRS_OF_HOTTEST = 3


@dataclass(frozen=True, slots=True)
class Shares:
    """What pairs that send at once leave to one another, over many rounds.

    Of the link rate, a pair gets `mean` over all rounds and `least_mean` over those of the worst
    round; `least` is what a pair gets in any round.
    """

    rounds: int
    mean: float
    least_mean: float
    least: float


@dataclass(frozen=True, slots=True)
class HotCable:
    """A channel between switches that many routes take, named as ``sw0[3] → sw1[4]``.

    It tells the routes of host pairs over it with the first of these pairs, and its data rate in
    Gbit/s, None where that is not known.
    """

    name: str
    routes: int
    gbit_per_s: float | None
    pairs: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A routing of a fabric, judged; where it is refused, everything else is None or empty.

    Findings are pairs not reached, loops and credit loops. Routes of host pairs are counted over
    the channels between switches: most, and on average. The uniform share is the part of its link
    rate that every host can send, if all send to all others alike, that no channel forbids: rates
    count where all are known. In the bisections random halves of the hosts send to one another, and
    their mean is the effective bisection; in the shifts every host sends to the k-th after it, for
    all k, which is what collective operations do. The hottest are the channels that most routes
    take.
    """

    routing: str
    refusal: str | None = None
    findings: RouteFindings | None = None
    max_routes: int | None = None
    mean_routes: float | None = None
    uniform_share: float | None = None
    bisection: Shares | None = None
    shifts: Shares | None = None
    hottest: list[HotCable] | None = None

    @property
    def is_sound(self) -> bool:
        """Whether every pair is reached and no packets can deadlock."""
        return self.findings is not None and self.findings.are_none


@dataclass(frozen=True, slots=True)
class Audit:
    """A cluster's wiring and routing, judged.

    Hosts are those that take part in the rounds. Today's routing is the one in use, None where no
    tables are given; alternatives are other routings of the same fabric. Suspicions are what of the
    wiring looks like a fault, notes what of the files was passed over.
    """

    fabric: Fabric
    hosts: list[str]
    today: Judgement | None
    alternatives: list[Judgement]
    suspicions: list[Suspicion]
    notes: list[ReadNote]


def audit(
    fabric: Fabric,
    routing: Routing | None = None,
    *,
    alternatives: Sequence[str] = ALTERNATIVES,
    hosts: Sequence[int] | None = None,
    count: int = 1000,
    seed: int = 1,
    notes: Sequence[ReadNote] = (),
    progress: Callable[[str], None] = lambda _: None,
) -> Audit:
    """Judge the routing of a cluster, and say what other routings would give.

    The routing in use is one of tables of the subnet manager; alternatives are named as on the
    command line. `hosts` are numbers of the hosts that send in the rounds, such as those of a job,
    all when not given; `count` rounds of random halves are drawn by the seed. Notes of what of the
    files was passed over are kept with the rest, and `progress` is told what is looked at next. A
    routing of another fabric, and a host or routing that is not there, is a `RoutingError`.

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

    def judged(routing: Routing) -> Judgement:
        progress(routing.label)
        return judge(fabric, routing, hosts=hosts, count=count, seed=seed)

    return Audit(
        fabric=fabric,
        hosts=names if hosts is None else [names[host] for host in hosts],
        today=None if routing is None else judged(routing),
        alternatives=[_alternative(fabric, spec, judged) for spec in alternatives],
        suspicions=inspect_fabric(fabric).suspicions,
        notes=list(notes),
    )


def _alternative(
    fabric: Fabric, specification: str, judged: Callable[[Routing], Judgement]
) -> Judgement:
    """Judge an algorithm, or keep why it refuses the fabric."""
    try:
        routing = route(fabric, specification)
    except RoutingError as error:
        return Judgement(specification, refusal=str(error))
    return judged(routing)


def judge(
    fabric: Fabric,
    routing: Routing,
    *,
    hosts: Sequence[int] | None = None,
    count: int = 1000,
    seed: int = 1,
) -> Judgement:
    """Judge one routing of a fabric.

    Hosts, rounds and errors are those of :func:`audit`.
    """
    loads = load_figures(fabric, routing)
    between = loads.routes_per_channel[fabric.is_switch_channel]
    rates = fabric.link_gbit_per_s()
    names = fabric.host_names
    hottest = []
    for hot in hottest_channels(fabric, routing, _HOTTEST, most_pairs=_PAIRS_OF_HOTTEST):
        rate = float(rates[hot.channel // 2])
        hottest.append(
            HotCable(
                name=fabric.describe_channel(hot.channel),
                routes=hot.routes,
                gbit_per_s=None if math.isnan(rate) else rate,
                pairs=[(names[a], names[b]) for a, b in hot.first_pairs.tolist()],
            )
        )
    halves = congestion(fabric, routing, "bisections", count=count, seed=seed, hosts=hosts)
    shifts = congestion(fabric, routing, "shifts", hosts=hosts)
    return Judgement(
        routing=routing.label,
        findings=route_findings(fabric, routing),
        max_routes=int(between.max(initial=0)),
        mean_routes=loads.mean_routes_per_channel,
        uniform_share=_uniform_share(fabric, loads.routes_per_channel),
        bisection=_shares(halves),
        shifts=_shares(shifts),
        hottest=hottest,
    )


def _uniform_share(fabric: Fabric, routes_per_channel: NDArray[np.uint64]) -> float:
    """Return what every host can send of its rate, if all send to all others alike.

    A host of rate r that sends at a share x loads a channel with x·r/(n-1) for each of its routes;
    hosts are taken at the mean of their rates. Where a rate is not known, all are taken as equal.
    """
    import numpy as np

    others = max(fabric.host_count - 1, 1)
    rates = np.repeat(fabric.link_gbit_per_s(), 2)
    if np.isnan(rates).any():
        rates = np.ones(fabric.channel_count)
    host_rate = rates[~fabric.is_switch_channel].mean() if fabric.host_count else 1.0
    used = routes_per_channel > 0
    if not used.any():
        return 1.0
    shares = rates[used] * others / (host_rate * routes_per_channel[used])
    return min(1.0, float(shares.min()))


def _shares(found: Congestion) -> Shares | None:
    """Sum rounds up; None without any."""
    if not len(found.pairs):
        return None
    return Shares(
        rounds=len(found.pairs),
        mean=float(found.mean_share.mean()),
        least_mean=float(found.mean_share.min()),
        least=float(found.least_share.min()),
    )
