"""What a file of programs says: networks, machines, applications, and what is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from weft.fabric import Fabric
    from weft.hardware import Hardware
    from weft.routing import Routing

__all__ = ["Application", "Gain", "Measured", "Network", "ProgramFile"]


@dataclass(frozen=True, slots=True)
class Network:
    """A network with its routings."""

    name: str
    remark: str  # what was decided of it here
    fabric: Fabric
    routings: dict[str, Routing]  # by their name in the paper
    per_host: int  # ranks of an application on a host


@dataclass(frozen=True, slots=True)
class Measured:
    """A machine with its hosts."""

    name: str  # what is told of it in a condition; may be empty
    hardware: Hardware
    messaging: dict[str, float]  # what differs in the messaging layer


@dataclass(frozen=True, slots=True)
class Application:
    """A recorded application."""

    name: str  # what it is called in a condition
    trace: Path
    region: str  # part of it that is replayed
    clock_ns: float  # time that reading the clock added to each interval of computing
    compute_scale: float  # factor of all times of computing
    placement: str  # as `weft.place_ranks` takes it
    is_evened: bool  # as `weft.Trace.evened` says
    algorithms: dict[str, str]  # of collective operations, where not the default
    only: list[str]  # names of networks and routings it is replayed on; all when empty


@dataclass(frozen=True, slots=True)
class Gain:
    """What is compared with what."""

    name: str  # how it is told
    of: list[str]  # names in conditions: routings, machines, kinds of hosts or orders
    over: str  # the one they are compared with


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """What a file says."""

    title: str
    source: str  # where the experiment comes from
    measure: str  # hops, barrier, broadcast, bandwidth, distance, application or parts
    orders: list[str]  # of multicasts
    seeds: int  # how many orders are drawn, of random ones
    sizes_bytes: list[int]
    patterns: list[str]  # who sends to whom, where bandwidth is measured
    messages: int  # of a host, where bandwidth is measured
    repeats: int  # of a multicast, without a pause
    gather_bytes: int | None  # of a broadcast: length of the messages before, if there are any
    networks: list[Network]
    machines: list[Measured]  # every machine with every kind of hosts
    applications: list[Application] = field(default_factory=list)  # those whose trace is there
    missing: list[str] = field(default_factory=list)  # files of traces that are not
    gains: list[Gain] = field(default_factory=list)
