"""What the network carries after the worst failures, by simulation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from weft.errors import RoutingError
from weft.prediction import CarriedLoad, Window, carried_load
from weft.repair import repair, route_anew
from weft.survive.survey import left_after

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.hardware import Hardware
    from weft.survive.records import Survival, Survivals

__all__ = ["simulate_worst"]


def simulate_worst(
    found: Survivals,
    hardware: Hardware,
    count: int,
    *,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Survivals:
    """Simulate the network as it is and after the worst failures.

    All hosts send packets to all, more and more until no more is carried, in windows as short as
    those of :func:`weft.advise`.

    Parameters
    ----------
    found : Survivals
        What :func:`weft.survive` found.
    hardware : Hardware
        The machine.
    count : int
        How many of the worst failures.
    seed : int
        What the traffic is drawn by.
    progress : callable, optional
        Told how many networks have been simulated, and how many there are.

    Returns
    -------
    Survivals
        The same, with the throughput of the whole network and of those failures: with the repaired
        tables, and where there are none with new ones. None where fewer than two compute ends are
        left, or no tables.
    """
    worst = found.failures[:count]
    window = replace(Window.of(found.fabric), seed=seed)

    def told(done: int) -> None:
        if progress is not None:
            progress(done, len(worst) + 1)

    bound = found.whole.saturation_bound
    whole = carried_load(found.fabric, found.routing, hardware, window, bound)
    told(1)
    simulated = []
    for place, one in enumerate(worst):
        simulated.append(replace(one, throughput=_after(found, one, hardware, window)))
        told(place + 2)
    failures = [*simulated, *found.failures[count:]]
    return replace(found, whole_throughput=whole, failures=failures)


def _after(
    found: Survivals, one: Survival, hardware: Hardware, window: Window
) -> CarriedLoad | None:
    load = one.figures
    if load is None or found.is_silent(one):
        return None
    left = left_after(found.fabric, one.failure)
    try:
        routing = (
            route_anew(found.routing, left)
            if one.load is None
            else repair(found.fabric, found.routing, left).routing
        )
    except RoutingError:
        return None
    return carried_load(left, routing, hardware, window, load.saturation_bound)
