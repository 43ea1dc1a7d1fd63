"""What a process on another machine does with a point: restore, route, simulate."""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from weft.errors import ResultsError
from weft.study.executors.wire import spec_of, written_measurement

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.routing import Routing
    from weft.study.spec import StudySpec

__all__ = ["fabric_of", "routing_of", "simulated"]

#: Fabrics and routings that a process keeps for its next points.
_KEPT = 16


@lru_cache(_KEPT)
def fabric_of(text: str) -> Fabric:
    """Return the fabric of a text, the same object for the same text.

    Parameters
    ----------
    text : str
        From `weft.study.case.fabric_text`.
    """
    from weft import _core

    fabric, _, _ = _core.read_fabric(text.encode(), "fabric of the study")
    return fabric


@lru_cache(_KEPT)
def routing_of(text: str, specification: str) -> Routing:
    """Return a routing of the fabric of a text.

    Parameters
    ----------
    text : str
        From `weft.study.case.fabric_text`.
    specification : str
        The routing as it was asked for.
    """
    from weft.routing import route

    return route(fabric_of(text), specification)


def simulated(text: str, conditions: dict[str, Any], load: float, seed: int, content: str) -> bytes:
    """Simulate a point.

    Parameters
    ----------
    text : str
        The fabric.
    conditions : dict
        From `weft.study.executors.wire.conditions_of`.
    load : float
        Offered load, fraction of the host link rate.
    seed : int
        Seed of the traffic.
    content : str
        What stands for everything that decides the figures.

    Returns
    -------
    bytes
        The measurement, for `weft.study.executors.wire.read_measurement`.

    Raises
    ------
    ResultsError
        When this machine's Weft would not simulate the same point.
    """
    from weft.simulate import simulate
    from weft.study.case import point_content

    spec: StudySpec = spec_of(conditions)
    fabric, routing = fabric_of(text), routing_of(text, conditions["routing"])
    if point_content(conditions["fabric"], routing, spec, load, seed) != content:
        message = (
            f"{conditions['routing']} at load {load:g} is another point on this machine than where "
            "the study was begun; install the same Weft everywhere"
        )
        raise ResultsError(message)
    begun = time.perf_counter()
    measurement = simulate(
        fabric,
        routing,
        spec.hardware,
        spec.traffic_at(load, seed),
        precision=spec.precision,
        max_packets=spec.max_packets,
        pool_interval_ns=spec.pool_interval_ns,
    )
    return written_measurement(measurement, time.perf_counter() - begun)
