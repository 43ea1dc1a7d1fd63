"""What routes leave to hosts of their rate: all to all, in pairs, by how groups are used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from weft import _core
from weft.adaptive import draws_of_hashes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.congestion import Congestion
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.workload import Traffic

__all__ = ["Shares", "SharesByUse", "shares_by_use", "shares_of_rounds", "uniform_share"]


@dataclass(frozen=True, slots=True)
class Shares:
    """What pairs that send at once leave to one another, over many rounds."""

    rounds: int  #: Rounds
    mean: float  #: Mean share of the link rate that a pair gets, over all rounds
    least_mean: float  #: The same in the worst round
    least: float  #: Least share of a pair in any round


@dataclass(frozen=True, slots=True)
class SharesByUse:
    """What hosts get of their rate under one kind of traffic, by how groups of ports are used."""

    traffic: str  #: ``"all to all"``, ``"random halves"``, ``"shifts"`` or ``"matrix"``
    flows: int  #: Flows of each pair where a hash decides
    draws: int  #: Draws of hashes; 0 where there are too many pairs to draw unasked
    even: float  #: Where groups are used evenly, or by their weights
    hashed: float | None  #: Where a hash decides for each flow, in the mean over draws
    hashed_worst: float | None  #: The same in the worst draw
    #: What each channel leaves if all pairs choose it that can: no choice gives a host less
    alike: float


def uniform_share(fabric: Fabric, groups: Sequence[tuple[Sequence[int], Sequence[float]]]) -> float:
    """Return what every host can send of its rate, if those of a group send to one another alike.

    A host of rate r that sends at a share x loads a channel with x·r/(n-1) for each of its routes
    to n-1 others; the hosts of a group are taken at the mean of their rates. Where a rate is not
    known, all are taken as equal. Each group comes with the routes between its hosts over every
    channel, shape (channel_count,).
    """
    rates = [rate for rate in fabric.link_gbit_per_s().tolist() for _ in range(2)]
    if any(map(math.isnan, rates)):
        rates = [1.0] * fabric.channel_count
    rate_of_host = [1.0] * fabric.host_count
    for (source, _), rate in zip(fabric.channel_ends().tolist(), rates, strict=True):
        if source >= fabric.switch_count:
            rate_of_host[source - fabric.switch_count] = rate
    taken = [0.0] * fabric.channel_count
    for hosts, routes in groups:
        if len(hosts) > 1:
            of_route = fmean(rate_of_host[host] for host in hosts) / (len(hosts) - 1)
            both = zip(taken, routes, strict=True)
            taken = [used + of_route * count for used, count in both]
    shares = (rate / used for rate, used in zip(rates, taken, strict=True) if used)
    return min(1.0, min(shares, default=1.0))


def shares_of_rounds(found: Congestion) -> Shares | None:
    """Sum rounds up; None without any."""
    if not len(found.pairs):
        return None
    means = found.mean_share.tolist()
    return Shares(
        rounds=len(found.pairs),
        mean=fmean(means),
        least_mean=min(means),
        least=min(found.least_share.tolist()),
    )


def shares_by_use(
    fabric: Fabric,
    routing: Routing,
    even: Mapping[str, float | None],
    *,
    hosts: Sequence[int],
    bisections: tuple[int, int],
    matrix: Traffic | None = None,
    flows: int = 1,
    seed: int = 1,
) -> list[SharesByUse]:
    """Find what hosts get by how the groups of ports of their switches are used.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Tables whose switches choose among groups.
    even : mapping
        By traffic: what hosts get where groups are used evenly. Traffic without is left out.
    hosts : sequence of int
        Numbers of the hosts that send.
    bisections : (int, int)
        How many random halves, and what they are drawn by.
    matrix : Traffic, optional
        Traffic by a matrix.
    flows : int
        Flows of each pair where a hash decides.
    seed : int
        What hashes are drawn by; a draw has the same ones under all traffic.

    Raises
    ------
    RoutingError
        When the routing is of another fabric, its switches do not choose, or there is no such host.
    TrafficError
        When the matrix is not one of this fabric.
    """
    numbers = list(hosts)
    count, seed_of_halves = bisections
    rounds = {"random halves": "bisections", "shifts": "shifts"}
    found = []
    for traffic, of_even in even.items():
        if of_even is None:
            continue
        flows_of_draw = len(numbers) * (count if traffic == "random halves" else len(numbers))
        draws = draws_of_hashes(flows * flows_of_draw)
        if traffic in rounds:
            drawn = (rounds[traffic], count, seed_of_halves)
            means = _core.group_shares_of_rounds(
                fabric, routing, drawn, numbers, (flows, draws), seed
            )
            shares = [fmean(mean.tolist()) if len(mean) else 1.0 for mean in means]
        elif traffic == "all to all":
            level = _core.service_level_classes(fabric, routing)[0][0]
            most = _core.group_loads(fabric, routing, level, numbers)["most"]
            hashed = _core.hashed_loads(fabric, routing, level, numbers, (flows, draws), seed)
            loads = [one.tolist() for one in (most, *hashed)]
            shares = [uniform_share(fabric, [(numbers, load)]) for load in loads]
        elif matrix is None:
            continue
        else:
            shares = _core.group_bounds_of_pattern(fabric, routing, matrix, (flows, draws), seed)
        alike, *by_hash = shares
        found.append(
            SharesByUse(
                traffic=traffic,
                flows=flows,
                draws=draws,
                even=of_even,
                hashed=fmean(by_hash) if by_hash else None,
                hashed_worst=min(by_hash, default=None),
                alike=alike,
            )
        )
    return found
