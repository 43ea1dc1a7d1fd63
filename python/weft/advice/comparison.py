"""Which routing a cluster should take: several compared, on the network as it is and as it fails.

All are judged by static loads, which follow from routes and rates alone (see :mod:`weft.audit`),
and the best of them by simulation. Every routing is made anew for what is left after failures, as a
subnet manager would.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from weft import _core
from weft._ranges import require_whole
from weft.adaptive import chooses_among_groups
from weft.adaptive_gains import static_names
from weft.advice.records import (
    ENOUGH_PART,
    MORE_BY_LANES,
    Advice,
    Candidate,
    Scenario,
    Simulated,
    are_enough,
)
from weft.audit import Judgement, judge
from weft.errors import RoutingError
from weft.fabric import degrade
from weft.hardware import hardware as take_preset
from weft.hardware import infiniband_preset
from weft.load_gap import comparable_bound
from weft.prediction import CarriedLoad, Prediction, Window, carried_load, mean_latency_ns
from weft.routing import check_routing, route, to_tables

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.routing import Routing

__all__ = ["advise", "candidates"]


def candidates(lanes: int) -> list[str]:
    """List the routings worth a comparison on so many lanes that a subnet manager can take."""
    return _core.default_routings("advised", lanes)


def advise(
    fabric: Fabric,
    lanes: int,
    *,
    fail: Sequence[str] = (),
    draws: int = 3,
    lmc: int = 0,
    routings: Sequence[str] | None = None,
    adaptive: bool = False,
    today: Routing | None = None,
    matrix: str | os.PathLike[str] | None = None,
    count: int = 200,
    seed: int = 1,
    simulate: int = 6,
    hardware: Hardware | None = None,
    progress: Callable[[str], None] = lambda _: None,
    router: Callable[[Fabric, str], Routing] = route,
    is_tight: bool = False,
) -> Advice:
    """Compare routings on a network as it is and as it fails, and advise one.

    Parameters
    ----------
    fabric : Fabric
        The network.
    lanes : int
        Lanes that switches and adapters have for data.
    fail : sequence of str
        What fails, each by itself: a share of the links between switches such as ``"2%"``, or a
        link by switch and port such as ``"leaf01:17"``.
    draws : int
        How often a share is drawn, at most 1,000 times; figures are means.
    lmc : int
        A host has at most 2 to this power LIDs; a routing that needs more cannot be taken.
    routings : sequence of str, optional
        What is compared; :func:`candidates` when not given. Where switches choose among groups in
        one of them, the best static tables on as many lanes come with it.
    adaptive : bool
        Whether switches can choose among groups of ports (adaptive routing of InfiniBand); then
        such routings are compared too.
    today : Routing, optional
        What the switches route by today, on the network as it is; it is judged beside the others.
    matrix : path, optional
        A traffic matrix, as the pattern ``matrix`` has it, by which what chooses is judged beside
        static tables.
    count : int
        Random halves that send to one another, per network.
    seed : int
        What shares and halves are drawn by.
    simulate : int
        How many of the best are simulated, and the best on one lane besides; 0 for none.
    hardware : Hardware, optional
        What they are simulated on; the preset that suits the rates of the network, with `lanes`
        lanes, when not given.
    progress : callable
        Told what is looked at next.
    router : callable
        Makes a routing as :func:`route` does, for who wants to see how far it is.
    is_tight : bool
        Whether what no tables are below is searched for a minute or a second, as
        :func:`weft.load_bound` has it.

    Raises
    ------
    FabricError
        When there is no such link.
    RoutingError
        When `lanes` is out of range, a routing is unknown, or that of today is of another fabric.
    TrafficError
        When the matrix is not one of this fabric.

    Examples
    --------
    >>> import weft
    >>> routings = ["minimal", "down_preferred"]
    >>> advice = weft.advise(weft.torus(4, 4), 1, routings=routings, simulate=0)
    >>> [candidate.routing for candidate in advice.ranked]
    ['down_preferred']
    """
    require_whole("lanes", lanes, 1, _MOST_LANES, RoutingError)
    require_whole("draws", draws, 1, MOST_DRAWS, RoutingError)
    specifications = list(candidates(lanes) if routings is None else routings)
    if adaptive:
        choosing = _core.default_routings("adaptive", lanes)
        specifications += [name for name in choosing if name not in specifications]
    for specification in specifications:
        check_routing(specification)
    scenarios = [Scenario("nothing", [fabric])]
    for what in fail:
        seeds = range(seed, seed + draws) if what.endswith("%") else [seed]
        left = [degrade(fabric, links=what, seed=s, keep_largest=True).fabric for s in seeds]
        scenarios.append(Scenario(what, left))

    def judged(specification: str) -> Candidate:
        progress(specification)
        # What a matrix names may have failed.
        whole = [_judged(fabric, specification, router, lmc, count, seed, matrix)]
        failed = [
            [
                _judged(left, specification, router, lmc, count, seed, None)
                for left in scenario.fabrics
            ]
            for scenario in scenarios[1:]
        ]
        judgements = [whole, *failed]
        return Candidate(specification, judgements, lanes)

    compared = [judged(specification) for specification in specifications]
    choosing_on = [one.lanes() for one in compared if one.chooses and one.trouble is None]
    compared += [judged(name) for name in static_names(choosing_on, specifications)]
    last = len(scenarios) - 1
    ranked = _by_loads([one for one in compared if one.trouble is None], last)
    others = [candidate for candidate in compared if candidate.trouble is not None]
    simulated = None
    if simulate and ranked and all(scenario.fabrics[0].host_count > 1 for scenario in scenarios):
        if hardware is None:
            preset = infiniband_preset(fabric) or _PRESET_WITHOUT_RATES
            hardware = take_preset(preset, lanes=lanes)
        taken = _to_simulate(ranked, simulate)
        simulated, predicted = _predict(taken, scenarios, router, lmc, hardware, seed, progress)
        rest = [candidate for candidate in ranked if candidate not in taken]
        ranked = [*_by_prediction(predicted), *rest]
    ranked = _with_few_lanes_first(ranked, last)
    in_use = None
    if today is not None:
        progress(today.label)
        in_use = judge(fabric, today, count=count, seed=seed, matrix=matrix)
    bound = comparable_bound(fabric, "tables", is_tight=is_tight)
    return Advice(fabric, lanes, scenarios, ranked, others, simulated, bound, in_use)


#: Networks that are drawn for a share of failures.
MOST_DRAWS = 1000
_MOST_LANES = 15
#: What is simulated where a network does not say the rates of its links.
_PRESET_WITHOUT_RATES = "infiniband_edr"
#: Routings with no less than this part of the largest throughput count as equal: runs are short.
_EQUAL_PART = 0.96


def _predict(
    best: Sequence[Candidate],
    scenarios: Sequence[Scenario],
    router: Callable[[Fabric, str], Routing],
    lmc: int,
    hardware: Hardware,
    seed: int,
    progress: Callable[[str], None],
) -> tuple[Simulated, list[Candidate]]:
    """Simulate routings in every scenario, on the first network of each."""
    networks = [scenario.fabrics[0] for scenario in scenarios]
    window = replace(Window.of(networks[0]), seed=seed)
    routed: list[list[Routing]] = []
    carried: list[list[CarriedLoad]] = []
    for candidate in best:
        progress(f"{candidate.routing}, simulated")
        routings = [_as_loaded(net, router(net, candidate.routing), lmc) for net in networks]
        # What chooses goes round a channel that is full, so that even loads bound nothing.
        bounds = [
            1.0 if candidate.chooses else draws[0].uniform_share or 1.0
            for draws in candidate.judgements
        ]
        loads = []
        for place, (net, routing, bound) in enumerate(zip(networks, routings, bounds, strict=True)):
            first = _first_alike(routed, place, routing)
            loads.append(
                carried_load(net, routing, hardware, window, bound)
                if first is None
                else carried[first][place]
            )
        routed.append(routings)
        carried.append(loads)
    load = max(loads[0].load for loads in carried) / 2
    predicted: list[Candidate] = []
    for number, (candidate, routings) in enumerate(zip(best, routed, strict=True)):
        progress(f"{candidate.routing}, simulated at half the load")
        alike = [
            _first_alike(routed[:number], place, routing) for place, routing in enumerate(routings)
        ]
        predictions = [
            Prediction(
                carried[number][place].load,
                mean_latency_ns(net, routing, hardware, window, load),
                carried[number][place].out_of_order_share,
            )
            if first is None
            else predicted[first].predictions[place]
            for place, (net, routing, first) in enumerate(
                zip(networks, routings, alike, strict=True)
            )
        ]
        first = alike[0]
        same = None
        if first is not None and all(other == first for other in alike):
            same = best[first].routing
        predicted.append(replace(candidate, predictions=predictions, same_routes_as=same))
    return Simulated(hardware, window, load), predicted


def _first_alike(routed: Sequence[Sequence[Routing]], place: int, routing: Routing) -> int | None:
    """Return which candidate is the first of the same routes on a network, None without any."""
    alike = (number for number, others in enumerate(routed) if others[place].leads_as(routing))
    return next(alike, None)


def _by_prediction(predicted: Sequence[Candidate]) -> list[Candidate]:
    """Rank by throughput in the last scenario; among equals the order was by static load."""

    def carried(candidate: Candidate) -> float:
        return candidate.predictions[-1].throughput_load

    by_throughput = sorted(predicted, key=carried, reverse=True)
    enough = carried(by_throughput[0]) * _EQUAL_PART
    first = next(candidate for candidate in predicted if carried(candidate) >= enough)
    return [first, *(candidate for candidate in by_throughput if candidate is not first)]


def _by_loads(candidates: list[Candidate], scenario: int) -> list[Candidate]:
    """Rank by what hosts can send all to all; of those that give hardly less, by random halves.

    Several lanes count for more, as simulation finds.
    """

    def gives(candidate: Candidate) -> float:
        part = MORE_BY_LANES if candidate.lanes() > 1 else 1.0
        return part * (candidate.without_slow_hosts(scenario) or 0.0)

    left, ranked = list(candidates), []
    while left:
        enough = ENOUGH_PART * max(map(gives, left))
        alike = [candidate for candidate in left if gives(candidate) >= enough]
        first = max(alike, key=lambda candidate: candidate.bisection(scenario) or 0.0)
        ranked.append(first)
        left = [candidate for candidate in left if candidate is not first]
    return ranked


def _to_simulate(ranked: list[Candidate], count: int) -> list[Candidate]:
    """Take the best by loads; of one lane one at least, beside which lanes have to give more."""
    taken = ranked[:count]
    if any(candidate.lanes() == 1 for candidate in taken):
        return taken
    return [*taken, *[candidate for candidate in ranked if candidate.lanes() == 1][:1]]


def _with_few_lanes_first(ranked: list[Candidate], scenario: int) -> list[Candidate]:
    """Put the best routing of one lane first where it gives hardly less than the best of several.

    That is by both loads and, where these were simulated, by throughput too. What carries most of
    all as simulated stays first.
    """
    on_lanes = [candidate for candidate in ranked if candidate.lanes() > 1]
    if not on_lanes:
        return ranked
    best = on_lanes[0]
    most = max(candidate.simulated(scenario) for candidate in on_lanes)

    def is_enough(one: Candidate) -> bool:
        if (one.simulated(scenario) == 0.0) != (best.simulated(scenario) == 0.0):
            return False
        is_as_simulated = one.simulated(scenario) >= ENOUGH_PART * most
        return is_as_simulated and are_enough(one.loads(scenario), best.loads(scenario))

    first = ranked[0]
    if first.lanes() > 1 or first.simulated(scenario) < most:
        ones = (one for one in ranked if one.lanes() == 1 and is_enough(one))
        first = next(ones, best)
    return [first, *(candidate for candidate in ranked if candidate is not first)]


def _judged(
    fabric: Fabric,
    specification: str,
    router: Callable[[Fabric, str], Routing],
    lmc: int,
    count: int,
    seed: int,
    matrix: str | os.PathLike[str] | None,
) -> Judgement:
    """Judge a routing in the tables that switches would hold, or keep why there are none."""
    try:
        routing = _as_loaded(fabric, router(fabric, specification), lmc)
    except RoutingError as error:
        return Judgement(specification, refusal=str(error))
    return judge(fabric, routing, count=count, seed=seed, matrix=matrix)


def _as_loaded(fabric: Fabric, routing: Routing, lmc: int) -> Routing:
    """Put routes into the tables that switches would hold: groups are such tables."""
    return routing if chooses_among_groups(routing) else to_tables(fabric, routing, lmc)
