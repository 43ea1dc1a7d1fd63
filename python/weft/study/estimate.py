"""What a point costs, told before anything is simulated.

The work of a run is the switches its packets pass; how many packets it takes is known only when it
is done, so what is told here is the middle of what runs of irregular networks and tori took. It
serves to plan with, and to pack points into tasks; no figure depends on it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.study.spec import StudySpec

__all__ = ["expected_packets", "point_cost_s", "points_of"]

#: Loads a ladder has in the middle, refinement included.
_LADDER_LOADS = 14
#: Packets a run takes in the middle of a ladder at the precision beside it, warm-up included. An
#: interval half as wide needs four times as many.
_PACKETS = 120_000
_AT_PRECISION = 0.05
#: Packets without which no run ends: some for all, and for each host.
_FEWEST_PACKETS = 5_000
_FEWEST_PACKETS_PER_HOST = 50
#: Switches passed by packets in a second of one processor.
_HOPS_PER_S = 1.3e6


def points_of(spec: StudySpec) -> int:
    """Return how many points a routing has; for a ladder, how many it has in the middle.

    Parameters
    ----------
    spec : StudySpec
        The study.
    """
    loads = _LADDER_LOADS if spec.loads is None else len(spec.loads)
    return loads * len(spec.seeds)


def expected_packets(fabric: Fabric, spec: StudySpec) -> float:
    """Return how many packets a run takes in the middle.

    Parameters
    ----------
    fabric : Fabric
        The network.
    spec : StudySpec
        The study.
    """
    fewest = _FEWEST_PACKETS + _FEWEST_PACKETS_PER_HOST * fabric.host_count
    return min(spec.max_packets, fewest + _PACKETS * (_AT_PRECISION / spec.precision) ** 2)


def point_cost_s(fabric: Fabric, spec: StudySpec) -> float:
    """Return about how many seconds of one processor a point takes.

    Parameters
    ----------
    fabric : Fabric
        The network.
    spec : StudySpec
        The study.
    """
    return expected_packets(fabric, spec) * _path_switches(fabric) / _HOPS_PER_S


@lru_cache(64)
def _path_switches(fabric: Fabric) -> float:
    from weft.fabric import fabric_figures

    return fabric_figures(fabric).mean_path_switches or 1.0
