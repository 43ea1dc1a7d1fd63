"""What points and programs cost, told before anything is simulated.

The work of a run is the switches its packets pass. How many packets it takes is known only when it
is done; what is told here is what runs of irregular networks, tori and trees took in the middle::

    packets
       │             ××××      about saturation: all that a run may take
       │
       │                 ×  ×  beyond: until it shows that the network does not carry them
       │          ×
       │ ×  ×  ×               below: until the mean latency is known well enough
       └──────────────────────── load

It serves to plan with, and to pack points into tasks; no figure depends on it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from weft import _core
from weft.channel_loads import load_figures
from weft.errors import RoutingError
from weft.fabric import fabric_figures
from weft.replay import messaging_defaults
from weft.routing import route

if TYPE_CHECKING:
    from weft.fabric import Fabric
    from weft.replay import Trace
    from weft.spec.programs import ProgramSpec
    from weft.spec.study import StudySpec

__all__ = ["expected_loads", "expected_packets", "plain_bound", "point_cost_s", "program_cost_s"]

#: Where networks saturate, in parts of the load that the busiest channel carries.
_WORMHOLE_SATURATION = 0.6
_CUT_THROUGH_SATURATION = 0.75
_ABOUT_SATURATION = (0.8, 1.03)  #: What counts as about saturation, in parts of it.
#: Loads of a ladder in the middle, in parts of saturation: those it climbs by, and those around the
#: maximum that it refines.
_LADDER = (0.05, 0.22, 0.45, 0.67, 0.88, 0.93, 0.95, 0.98, 1.0, 1.05, 1.1, 1.2, 1.35)
#: Packets until the mean latency is known to a relative precision, times the square of that, on an
#: idle network; ten times as many for every step towards saturation.
_IDLE_PACKETS = 0.07
_TENFOLD_STEP = 0.36
_FINEST = 1e-6  #: A precision that no run reaches.
#: Packets until it shows that a network does not carry what is offered, in all and for each host.
_BEYOND_PACKETS = 150_000
_BEYOND_PACKETS_PER_HOST = 200
#: Packets are simulated while a run warms up as well: so many for each that is measured.
_WITH_WARM_UP = 1.3
#: Seconds of a processor that a packet takes at a switch: in a small network, and twice as long in
#: one of so many hosts, whose state no longer lies close to the processor.
_HOP_S = 250e-9
#: The same for packets that are not followed flit by flit.
_CUT_THROUGH_HOP_S = 150e-9
_TWICE_AT_HOSTS = 800
_POINT_S = 0.0005  #: Seconds that a point takes beside its simulation: sent, written, looked after.
_OVER_UPDOWN = 1.3  #: Routings carry more than up*/down* in the middle.


def expected_loads(spec: StudySpec, bound: float) -> list[float]:
    """Return the loads a routing is simulated at; for a ladder, those it has in the middle.

    The payload load `bound` is that which should saturate the busiest channel.
    """
    if spec.loads is not None:
        return list(spec.loads)
    saturation = _saturation(spec, bound)
    return [min(1.0, part * saturation) for part in _LADDER]


@lru_cache(64)
def plain_bound(fabric: Fabric) -> float:
    """Return about which load saturates a fabric, where nothing is known of its routing."""
    try:
        found = load_figures(fabric, route(fabric, "updown")).saturation_bound
    except RoutingError:
        # It cannot be routed at all, and nothing will be simulated.
        return 1.0
    return min(1.0, _OVER_UPDOWN * found)


def expected_packets(fabric: Fabric, spec: StudySpec, load: float, bound: float) -> float:
    """Return how many packets a run at a load measures in the middle.

    Load and bound, at which the busiest channel should saturate, are fractions of the host link
    rate.
    """
    part = load / _saturation(spec, bound)
    about, beyond = _ABOUT_SATURATION
    if part > beyond:
        needed = max(float(_BEYOND_PACKETS), _BEYOND_PACKETS_PER_HOST * fabric.host_count)
    elif part > about:
        needed = float(_allowed(fabric, spec))
    else:
        needed = _IDLE_PACKETS * 10 ** (part / _TENFOLD_STEP) / max(spec.precision, _FINEST) ** 2
    return min(_allowed(fabric, spec), max(_core.packets_needed(fabric.host_count), needed))


def _allowed(fabric: Fabric, spec: StudySpec) -> int:
    if spec.max_packets is None:
        return _core.packets_allowed(fabric.host_count)
    return spec.max_packets


def point_cost_s(fabric: Fabric, spec: StudySpec, load: float, bound: float) -> float:
    """Return about how many seconds of one processor a point takes; as `expected_packets`."""
    measured = expected_packets(fabric, spec, load, bound)
    packets = _WITH_WARM_UP * measured + min(
        _allowed(fabric, spec), _core.packets_needed(fabric.host_count)
    )
    hop_s = _HOP_S if _is_wormhole(spec) else _CUT_THROUGH_HOP_S
    return _POINT_S + packets * hop_s * _hops(fabric)


def program_cost_s(fabric: Fabric, spec: ProgramSpec, trace: Trace) -> float:
    """Return about how many seconds of one processor a program takes."""
    program = spec.program
    messaging = {**messaging_defaults(spec.hardware.preset), **program.messaging}
    packets = _core.trace_packets(
        trace, program.settings["region"], program.algorithms, int(messaging["packet_bytes"])
    )
    # An acknowledgement is a packet of its own.
    copies = 2 if messaging["acknowledged"] else 1
    return _POINT_S + copies * packets * _HOP_S * _hops(fabric)


def _saturation(spec: StudySpec, bound: float) -> float:
    return bound * (_WORMHOLE_SATURATION if _is_wormhole(spec) else _CUT_THROUGH_SATURATION)


def _is_wormhole(spec: StudySpec) -> bool:
    return spec.hardware.switching == "wormhole"


def _hops(fabric: Fabric) -> float:
    """Return the switches of a path, each counted by what it costs in a network of this size."""
    return _path_switches(fabric) * (1 + fabric.host_count / _TWICE_AT_HOSTS)


@lru_cache(64)
def _path_switches(fabric: Fabric) -> float:
    found = fabric_figures(fabric).mean_path_switches
    return found if found and math.isfinite(found) else 1.0
