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
    """A network with its routings.

    Attributes
    ----------
    name : str
        Its name in the paper.
    remark : str
        What was decided of it here.
    fabric : Fabric
        The network.
    routings : dict of str to Routing
        By their name in the paper.
    """

    name: str
    remark: str
    fabric: Fabric
    routings: dict[str, Routing]


@dataclass(frozen=True, slots=True)
class Measured:
    """A machine with its hosts.

    Attributes
    ----------
    name : str
        What is told of it in a condition; may be empty.
    hardware : Hardware
        Switches and cables.
    messaging : dict of str to float
        What differs in the messaging layer.
    """

    name: str
    hardware: Hardware
    messaging: dict[str, float]


@dataclass(frozen=True, slots=True)
class Application:
    """A recorded application.

    Attributes
    ----------
    name : str
        What it is called in a condition.
    trace : Path
        The file with what its ranks did.
    region : str
        Part of it that is replayed.
    clock_ns : float
        Time that reading the clock added to each interval of computing.
    compute_scale : float
        Factor of all times of computing.
    placement : str
        Where ranks are placed, as `weft.place_ranks` takes it.
    """

    name: str
    trace: Path
    region: str
    clock_ns: float
    compute_scale: float
    placement: str


@dataclass(frozen=True, slots=True)
class Gain:
    """What is compared with what.

    Attributes
    ----------
    name : str
        How it is told.
    of : list of str
        Names in conditions: routings, machines, kinds of hosts or orders.
    over : str
        The one they are compared with.
    """

    name: str
    of: list[str]
    over: str


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """What a file says.

    Attributes
    ----------
    title, source : str
        What it is about, and where the experiment comes from.
    measure : str
        hops, barrier, broadcast, bandwidth, distance, application or parts.
    orders : list of str
        Orders of multicasts.
    seeds : int
        How many orders are drawn, of random ones.
    sizes_bytes : list of int
        Lengths of messages.
    patterns : list of str
        Who sends to whom, where bandwidth is measured.
    messages : int
        Messages of a host, where bandwidth is measured.
    networks : list of Network
        Where.
    machines : list of Measured
        On what: every machine with every kind of hosts.
    applications : list of Application
        Those whose trace is there.
    missing : list of str
        Files of traces that are not.
    gains : list of Gain
        What is compared with what.
    """

    title: str
    source: str
    measure: str
    orders: list[str]
    seeds: int
    sizes_bytes: list[int]
    patterns: list[str]
    messages: int
    networks: list[Network]
    machines: list[Measured]
    applications: list[Application] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    gains: list[Gain] = field(default_factory=list)
