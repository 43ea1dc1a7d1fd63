"""How links are used at the same traffic by all routings: what each spends on the same work.

At its own throughput a routing that carries more uses its links more; at one traffic the difference
is the routing's. Each has points at loads of its own, so figures are interpolated between the two
that carry a little less and a little more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import compress, groupby, pairwise
from statistics import fmean
from typing import TYPE_CHECKING, Protocol

from weft._numbers import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from weft.fabric import Fabric
    from weft.results.reading import Reading
    from weft.results.types import RoutingResult
    from weft.spec.study import StudySpec

__all__ = ["LinkUse", "link_use"]

#: Without a wish, this share of the least throughput of the routings: near enough for links to be
#: busy, and carried by all.
SHARE_OF_LEAST_THROUGHPUT = 0.8

#: Figures of channels are kept in single precision.
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class LinkUse:
    """Use of the channels between switches at a traffic; shares of time and of channels, 0 to 1."""

    routing: str
    bytes_per_ns_per_switch: float  #: The accepted traffic it is told for.
    load: float  #: The same as a fraction of the host link rate.
    #: None of the figures below where the routing does not carry that much: then this says so.
    note: str
    utilization_mean: float | None = None
    utilization_least: float | None = None
    utilization_most: float | None = None
    share_below_10_percent: float | None = None
    share_above_30_percent: float | None = None
    share_above_50_percent: float | None = None
    blocked_mean: float | None = None
    blocked_most: float | None = None


class Studied(Protocol):
    """As much of a study's results as links are told from."""

    @property
    def fabric(self) -> Fabric:
        """The network."""
        ...

    @property
    def spec(self) -> StudySpec:
        """The study."""
        ...

    @property
    def reading(self) -> Reading:
        """How its results are read."""
        ...

    @property
    def routings(self) -> Sequence[RoutingResult]:
        """What is known of each routing."""
        ...

    def array(self, routing_label: str, load: float, seed: int | None, name: str) -> NDArray[Any]:
        """Return a figure per channel at one point."""
        ...


@dataclass(frozen=True, slots=True)
class _Step:
    """A load and what is accepted of it, means over the seeds."""

    load: float
    traffic: float


def link_use(results: Studied) -> list[LinkUse]:
    """Tell how the links between switches are used where all routings carry the same traffic.

    Utilization and blocked time of each channel are interpolated linearly between the simulated
    loads either side, from an idle network on.

    Returns
    -------
    list of LinkUse
        One for each simulated routing, at the traffic of the reading; none where no channel is
        between switches.
    """
    if not any(results.fabric.is_switch_channel.tolist()):
        return []
    routings = [routing for routing in results.routings if routing.throughput is not None]
    per_load = _traffic_per_load(routings)
    if per_load is None:
        return []
    wished = results.reading.traffic
    if wished is None:
        least = min(r.throughput.accepted_bytes_per_ns_per_switch for r in routings if r.throughput)
        traffic = SHARE_OF_LEAST_THROUGHPUT * least
    else:
        traffic = _in_bytes(wished, per_load, results)
    return [_of(results, routing, traffic, traffic / per_load) for routing in routings]


def _traffic_per_load(routings: list[RoutingResult]) -> float | None:
    """Return bytes/ns/switch that are the whole rate of the hosts' links."""
    found = (r.throughput for r in routings if r.throughput and r.throughput.accepted_load)
    known = next(found, None)
    return None if known is None else known.accepted_bytes_per_ns_per_switch / known.accepted_load


def _in_bytes(traffic: tuple[float, str], per_load: float, results: Studied) -> float:
    """Return a traffic in bytes/ns/switch."""
    number, unit = traffic
    flit_bytes = float(results.spec.hardware.parameters.get("flit_bytes", 1))
    factors = {"flits/ns/switch": flit_bytes, "load": per_load, "%": per_load / 100}
    return number * factors.get(unit, 1.0)


def _of(results: Studied, routing: RoutingResult, traffic: float, load: float) -> LinkUse:
    groups = [list(group) for _, group in groupby(routing.points, key=lambda point: point.load)]
    steps = [_Step(0.0, 0.0)]
    for group in groups:
        accepted = [point.measurement.accepted_bytes_per_ns_per_switch for point in group]
        steps.append(_Step(group[0].load, math.fsum(accepted) / len(accepted)))
    for below, above in pairwise(steps):
        if below.traffic <= traffic <= above.traffic:
            share = (traffic - below.traffic) / (above.traffic - below.traffic)
            ends = [_channels(results, routing, step) for step in (below, above)]
            utilization, blocked = (
                [low + share * (high - low) for low, high in zip(*both, strict=True)]
                for both in zip(*ends, strict=True)
            )
            return _told(routing.label, traffic, load, utilization, blocked)
    most = max(step.traffic for step in steps)
    note = f"carries at most {quantity(most)} bytes/ns/switch"
    return LinkUse(routing.label, traffic, load, note)


def _channels(results: Studied, routing: RoutingResult, step: _Step) -> list[list[float]]:
    """Return utilization and blocked time of the channels between switches, means over seeds."""
    between = results.fabric.is_switch_channel.tolist()
    if not step.load:
        return [[0.0] * sum(between)] * 2
    seeds = [point.seed for point in routing.points if point.load == step.load]
    names = ("channel_utilization", "channel_blocked")

    def of_seed(name: str, seed: int) -> Iterator[float]:
        return compress(results.array(routing.label, step.load, seed, name).tolist(), between)

    of_names = ([of_seed(name, seed) for seed in seeds] for name in names)
    return [list(map(fmean, zip(*of_seeds, strict=True))) for of_seeds in of_names]


def _told(
    label: str,
    traffic: float,
    load: float,
    utilization: list[float],
    blocked: list[float],
) -> LinkUse:
    return LinkUse(
        label,
        traffic,
        load,
        "",
        utilization_mean=fmean(utilization),
        utilization_least=min(utilization),
        utilization_most=max(utilization),
        share_below_10_percent=fmean(share < 0.1 - _ROUNDING for share in utilization),
        share_above_30_percent=fmean(share > 0.3 + _ROUNDING for share in utilization),
        share_above_50_percent=fmean(share > 0.5 + _ROUNDING for share in utilization),
        blocked_mean=fmean(blocked),
        blocked_most=max(blocked),
    )
