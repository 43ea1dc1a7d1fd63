"""What routes leave to hosts of their rate: all to all, in pairs, by how choices are used."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from weft import _core
from weft._numbers import in_percent, quantity
from weft.adaptive import chooses_among_groups
from weft.fabric import fabric_figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft.channel_loads import LoadFigures
    from weft.congestion import Congestion
    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.routing import Routing
    from weft.workload import ExpectedLoad, Traffic

__all__ = [
    "Shares",
    "SharesByUse",
    "UniformShares",
    "bound_of_pattern",
    "bound_of_rates",
    "compute_ends",
    "shares_by_use",
    "shares_of_rounds",
    "slow_hosts_bound",
    "slow_hosts_note",
    "uniform_loads",
    "uniform_shares",
    "uses_in_words",
]


_DRAWS = 16
_MOST_FLOWS = 4_000_000  #: Flows of all draws of one kind of traffic together
_NAMED = 3  #: Slow hosts that are named


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


@dataclass(frozen=True, slots=True)
class UniformShares:
    """What every host can send of its rate, if those of a group send to one another alike."""

    share: float  #: What no channel forbids
    #: What none forbade if no host had a link that is slower than the mean
    without_slow_hosts: float


def uniform_shares(
    fabric: Fabric, groups: Sequence[tuple[Sequence[int], Sequence[float]]]
) -> UniformShares:
    """Return what every host can send of its rate, if those of a group send to one another alike.

    A host of rate r that sends at a share x loads a channel with x·r/(n-1) for each of its routes
    to n-1 others; the hosts of a group are taken at the mean of their rates. Where a rate is not
    known, all are taken as equal. Each group comes with the routes between its hosts over every
    channel, shape (channel_count,).
    """
    rates = _channel_rates(fabric)
    rate_of_host = _host_rates(fabric, rates)
    taken = [0.0] * fabric.channel_count
    least = 0.0
    for hosts, routes in groups:
        mean = fmean(rate_of_host[host] for host in hosts) if hosts else 0.0
        least = max(least, mean)
        if len(hosts) > 1:
            of_route = mean / (len(hosts) - 1)
            both = zip(taken, routes, strict=True)
            taken = [used + of_route * count for used, count in both]
    is_between = fabric.is_switch_channel.tolist()
    raised = [
        rate if between else max(rate, least)
        for rate, between in zip(rates, is_between, strict=True)
    ]

    def share(rates: Sequence[float]) -> float:
        shares = (rate / used for rate, used in zip(rates, taken, strict=True) if used)
        return min(1.0, min(shares, default=1.0))

    return UniformShares(share(rates), share(raised))


def bound_of_rates(
    fabric: Fabric,
    loads: Sequence[float],
    machine: Hardware | None = None,
    *,
    is_by_amounts: bool = False,
) -> float | None:
    """Return what every host can send of its own link before a channel is full, by their rates.

    Parameters
    ----------
    fabric : Fabric
        The network.
    loads : sequence of float
        What each channel carries, as multiples of what a host sends, shape (channel_count,). Hosts
        are taken at the mean of their rates.
    machine : Hardware, optional
        What tells whether rates in InfiniBand's words hold; they do when it is left out.
    is_by_amounts : bool
        Whether hosts send amounts, as by a matrix, whatever their links carry: then it is what the
        link can carry that its host fills most.

    Returns
    -------
    float, optional
        At most 1; None where all links have one rate, as far as is known.
    """
    rates = _channel_rates(fabric)
    hosts = compute_ends(fabric)
    if len(set(rates)) < 2 or not hosts:
        return None
    has_words = machine is None or machine.parameters.get("link_rates") == "fabric"
    if not has_words and _has_rates_in_words(fabric):
        return None
    rate_of_host = _host_rates(fabric, rates)
    full = fmean(rate_of_host[host] for host in hosts)
    if is_by_amounts:
        sources = (source for source, _ in fabric.channel_ends().tolist())
        both = zip(sources, loads, strict=True)
        ends = ((source - fabric.switch_count, load) for source, load in both if load > 0)
        full = min((rate_of_host[host] / load for host, load in ends if host >= 0), default=full)
    shares = (rate / (full * load) for rate, load in zip(rates, loads, strict=True) if load > 0)
    return min(1.0, float(min(shares, default=1.0)))


def uniform_loads(fabric: Fabric, load: LoadFigures) -> list[float]:
    """Return what each channel carries if all send to all alike, as multiples of what one sends."""
    others = max(1, len(compute_ends(fabric)) - 1)
    return [count / others for count in load.routes_per_channel.tolist()]


def bound_of_pattern(
    fabric: Fabric, pattern: str, load: ExpectedLoad, machine: Hardware | None = None
) -> float | None:
    """Return :func:`bound_of_rates` of a pattern by its expected loads."""
    loads = load.load_per_channel.tolist()
    by_amounts = pattern.partition(":")[0] == "matrix"
    return bound_of_rates(fabric, loads, machine, is_by_amounts=by_amounts)


def _has_rates_in_words(fabric: Fabric) -> bool:
    """Tell whether a link has its rate in InfiniBand's words, such as 4xHDR."""
    return any(not rate.endswith("Gbit/s") for rate in fabric_figures(fabric).rates)


def compute_ends(fabric: Fabric) -> list[int]:
    """Return the numbers of the hosts that are no service ends."""
    return [host for host, reason in enumerate(fabric.host_service) if reason is None]


def slow_hosts_note(fabric: Fabric, hosts: Sequence[int], found: UniformShares) -> str | None:
    """Say which hosts have links that take less than routes leave to them.

    Parameters
    ----------
    fabric : Fabric
        The network.
    hosts : sequence of int
        Numbers of the hosts that send to one another.
    found : UniformShares
        What they can send.

    Returns
    -------
    str, optional
        None where no host has.
    """
    who = _slow_hosts(fabric, hosts, found.without_slow_hosts)
    if who is None or found.share == found.without_slow_hosts:
        return None
    return (
        f"all to all alike is held to {in_percent(found.share)} by {who}; else it would be"
        f" {in_percent(found.without_slow_hosts)}"
    )


def slow_hosts_bound(fabric: Fabric) -> str | None:
    """Say what compute ends whose links are slower than the mean take of traffic all to all alike.

    Returns
    -------
    str, optional
        None where the links of all have one rate, or a rate is not known.
    """
    hosts = compute_ends(fabric)
    who = _slow_hosts(fabric, hosts, 1.0)
    if who is None:
        return None
    rates = _host_rates(fabric, _channel_rates(fabric))
    most = min(rates[host] for host in hosts) / fmean(rates[host] for host in hosts)
    return f"all to all alike, no routing carries more than {in_percent(most)}, for {who}"


def _slow_hosts(fabric: Fabric, hosts: Sequence[int], part: float) -> str | None:
    """Name the hosts whose links have less than a part of the mean rate; None without any."""
    rates = _host_rates(fabric, _channel_rates(fabric))
    mean = fmean(rates[host] for host in hosts) if hosts else 0.0
    slow = [host for host in hosts if rates[host] < mean * part]
    if not slow:
        return None
    named = [fabric.host_names[host] for host in slow[:_NAMED]] + ["…"] * (len(slow) > _NAMED)
    least, most = min(rates[host] for host in slow), max(rates[host] for host in slow)
    speed = quantity(least) if least == most else f"{quantity(least)} to {quantity(most)}"
    who = f"{len(slow):,} hosts with links" if len(slow) > 1 else "1 host with a link"
    return f"{who} of {speed} Gbit/s, where the mean is {quantity(mean)} ({', '.join(named)})"


def _channel_rates(fabric: Fabric) -> list[float]:
    """Return the rate of every channel, 1 where one is not known."""
    rates = [rate for rate in fabric.link_gbit_per_s().tolist() for _ in range(2)]
    if any(map(math.isnan, rates)):
        rates = [1.0] * fabric.channel_count
    return rates


def _host_rates(fabric: Fabric, rates: Sequence[float]) -> list[float]:
    """Return the rate of every host's link, of those of all channels."""
    rate_of_host = [1.0] * fabric.host_count
    ends = fabric.channel_ends().tolist()
    for (source, _), rate in zip(ends, rates, strict=True):
        if source >= fabric.switch_count:
            rate_of_host[source - fabric.switch_count] = rate
    return rate_of_host


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
            shares = [uniform_shares(fabric, [(numbers, load.tolist())]).share for load in loads]
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
