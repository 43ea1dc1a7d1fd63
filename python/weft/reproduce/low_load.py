"""Latency at low traffic: what one routing costs more than another where nothing waits."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from weft.reproduce.questions import grouped, once
from weft.reproduce.spread import PUBLISHED_TOPOLOGIES, extremes
from weft.routing import route
from weft.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from weft.reproduce.definition import Row
    from weft.reproduce.questions import Found, Question
    from weft.results import Throughput
    from weft.study import Case

    #: What the load is, a fraction of the host link rate, where a routing carries most so much.
    Low = Callable[[Throughput], float]

__all__ = ["at_share", "at_traffic", "penalties"]

#: Differences are of single per cents, and as much depends on the phases that constant arrivals
#: have in a run: figures are means over so many seeds. The two runs of a seed have the same packets
#: at the same times.
_SEEDS = 8
_PRECISION = 0.002
_SEED = "fabrics.seed"  # what tells topologies of one kind apart
_PACKETS = 12_500


def at_share(share: float) -> Low:
    """Return the load that is a share of the one at which a routing carries most."""
    return lambda most: share * most.at_load


def at_traffic(bytes_per_ns_per_switch: float) -> Low:
    """Return the load at which so much is offered, whatever the routing carries."""
    return lambda most: (
        bytes_per_ns_per_switch * most.accepted_load / most.accepted_bytes_per_ns_per_switch
    )


def penalties(
    name: str, over: str, of: str, keys: Sequence[str], low: Low, *, remark: str = ""
) -> Question:
    """Ask how much longer packets take with the routing `of` than with `over`, in per cent.

    Both are simulated, when it is asked, with several seeds, on each topology at the load that
    `low` makes of the most that `over` carries there. The answer has average, minimum and maximum
    over the topologies of each condition.
    """

    def values(group: Found) -> Iterator[tuple[Case, float]]:
        for case, results in group:
            loads = [
                low(routing.throughput)
                for routing in results.routings
                if routing.label == over and routing.throughput is not None
            ]
            for load in loads:
                more, less = (_latency_ns(case, label, load) for label in (of, over))
                yield case, 100 * (more / less - 1)

    def published(group: Found) -> int:
        """Return how many topologies the paper has under the conditions of a group, all told."""
        kinds = {
            repr(sorted((key, value) for key, value in case.settings.items() if key != _SEED))
            for case, _ in group
        }
        return PUBLISHED_TOPOLOGIES * len(kinds)

    def question(found: Found) -> list[Row]:
        return [
            row
            for under, group in grouped(found, keys).items()
            for row in extremes(
                under, name, once(values(group)), remark, unit="%", published=published(group)
            )
        ]

    return question


def _latency_ns(case: Case, label: str, load: float) -> float:
    """Simulate a load, a fraction of the host link rate: mean latency from generation."""
    spec = case.spec
    routing = route(case.fabric, label)
    first = spec.seeds[0]
    return fmean(
        simulate(
            case.fabric,
            routing,
            spec.hardware,
            spec.traffic_at(load, seed),
            precision=_PRECISION,
            max_packets=_PACKETS,
        ).generation_latency_ns.mean
        for seed in range(first, first + _SEEDS)
    )
