"""What routes leave to hosts of their rate: all to all, in pairs, by how choices are used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from weft import _core
from weft._numbers import in_percent
from weft.adaptive import chooses_among_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.congestion import Congestion
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.workload import Traffic

__all__ = [
    "Shares",
    "SharesByUse",
    "shares_by_use",
    "shares_of_rounds",
    "uniform_share",
    "uses_in_words",
]


_DRAWS = 16
_MOST_FLOWS = 4_000_000  #: Flows of all draws of one kind of traffic together


@dataclass(frozen=True, slots=True)
class Shares:
    """What pairs that send at once leave to one another, over many rounds."""

    rounds: int  #: Rounds
    mean: float  #: Mean share of the link rate that a pair gets, over all rounds
    least_mean: float  #: The same in the worst round
    least: float  #: Least share of a pair in any round


@dataclass(frozen=True, slots=True)
class SharesByUse:
    """What hosts get of their rate under one kind of traffic, by how choices are used.

    These are the ports of a group at a switch, or the addresses of a destination at a source.
    """

    traffic: str  #: ``"all to all"``, ``"random halves"``, ``"shifts"`` or ``"matrix"``
    flows: int  #: Flows of each pair where a hash decides
    draws: int  #: Draws of hashes
    even: float  #: Where all there is to choose from is used evenly, or by its weights
    hashed: float  #: Where a hash decides for each flow, in the mean over draws
    hashed_worst: float  #: The same in the worst draw
    #: Of groups of ports: what each channel leaves if all pairs choose it that can; no choice
    #: gives a host less
    alike: float | None
    #: Of addresses: where all is sent to first ones, as by programs that know no others
    first: float | None


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
    """Find what hosts get by how groups of ports, or addresses of destinations, are used.

    Traffic of more than four million flows, as of 2,000 hosts all to all, is left out.

    Parameters
    ----------
    fabric : Fabric
        The network.
    routing : Routing
        Tables whose switches choose among groups, or that leave sources several addresses.
    even : mapping
        By traffic: what hosts get where all is used evenly. Traffic without is left out.
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
        When the routing is of another fabric, packets choose otherwise on their way, or there is no
        such host.
    TrafficError
        When the matrix is not one of this fabric.
    """
    has_groups = chooses_among_groups(routing)
    numbers = list(hosts)
    count, seed_of_halves = bisections
    rounds = {"random halves": "bisections", "shifts": "shifts"}
    found = []
    for traffic, of_even in even.items():
        if of_even is None:
            continue
        flows_of_draw = len(numbers) * (count if traffic == "random halves" else len(numbers))
        draws = min(_DRAWS, _MOST_FLOWS // max(1, flows * flows_of_draw))
        if draws == 0:
            continue
        if traffic in rounds:
            drawn = (rounds[traffic], count, seed_of_halves)
            means = _core.shares_of_rounds_by_use(
                fabric, routing, drawn, numbers, (flows, draws), seed
            )
            shares = [fmean(mean.tolist()) if len(mean) else 1.0 for mean in means]
        elif traffic == "all to all":
            loads = _core.loads_by_use(fabric, routing, numbers, (flows, draws), seed)
            shares = [uniform_share(fabric, [(numbers, load.tolist())]) for load in loads]
        elif matrix is None:
            continue
        else:
            shares = _core.bounds_of_pattern_by_use(fabric, routing, matrix, (flows, draws), seed)
        extreme, *by_hash = shares
        found.append(
            SharesByUse(
                traffic=traffic,
                flows=flows,
                draws=draws,
                even=of_even,
                hashed=fmean(by_hash),
                hashed_worst=min(by_hash),
                alike=extreme if has_groups else None,
                first=None if has_groups else extreme,
            )
        )
    return found


_TRAFFIC = {
    "all to all": "all to all",
    "random halves": "in random halves",
    "shifts": "in shifts",
    "matrix": "by the matrix",
}


def uses_in_words(by_use: Sequence[SharesByUse]) -> str:
    """Say what hosts get where choices are used in other ways than evenly, in a sentence."""
    flows, draws = by_use[0].flows, by_use[0].draws
    of_flows = f"{flows} flow{'' if flows == 1 else 's'}"
    of_draws = f"{draws} draw{'' if draws == 1 else 's'}"
    means = ", ".join(f"{in_percent(one.hashed)} {_TRAFFIC[one.traffic]}" for one in by_use)
    worst = ", ".join(in_percent(one.hashed_worst) for one in by_use)
    is_of_ports = by_use[0].alike is not None
    extremes = ", ".join(in_percent(one.alike if is_of_ports else one.first) for one in by_use)
    what = "pairs choose the same ports" if is_of_ports else "is sent to first addresses"
    return (
        f"By a hash of {of_flows} a pair: {means} ({worst} in the worst of {of_draws}); if all"
        f" {what}, {extremes}."
    )
