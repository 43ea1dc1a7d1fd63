"""What a person wants to know of a fabric: ports, distances, bisection, levels, suspicions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from weft import _core

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric

__all__ = [
    "BisectionBounds",
    "FabricInspection",
    "LevelFigures",
    "PortUse",
    "Suspicion",
    "fabric_levels",
    "inspect_fabric",
]

_NAMES_IN_TEXT = 8


@dataclass(frozen=True, slots=True)
class PortUse:
    """Switches with equally many ports, and equally many of them wired."""

    ports: int  #: Ports of each switch
    wired: int  #: Ports of each with a cable, to a switch or a host
    switches: int  #: How many switches there are like this


@dataclass(frozen=True, slots=True)
class BisectionBounds:
    """Bounds on the least number of links between two halves of the hosts.

    Halves differ by no more hosts than the fullest switch has; switches without hosts go with
    either. In a fabric without hosts every switch counts as one.
    """

    at_most_links: int  #: Links between the halves that a local search found
    #: What an even flow between all hosts needs; None where that is too much to compute
    at_least_links: int | None
    #: Data rate of the links between the halves found, each way; None where one is unknown
    found_gbit_per_s: float | None
    #: What half of the hosts can inject over what these links carry: by rate where all are known,
    #: by number otherwise. None without links or hosts
    oversubscription: float | None
    sizes: tuple[int, int]  #: Hosts of the halves found


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """What a level of a tree-like fabric has; level 0 are the leaves.

    Data rates are those of all links together, each way, in Gbit/s; None where one is unknown.
    """

    switches: int  #: Switches of the level
    hosts: int  #: Hosts on them
    injection_links: int  #: Host links of this level and all below
    injection_gbit_per_s: float | None  #: Their rate
    down_links: int  #: Links to the level below and to hosts
    down_gbit_per_s: float | None  #: Their rate
    up_links: int  #: Links to the level above
    up_gbit_per_s: float | None  #: Their rate
    #: What the hosts on this level and below can inject over what the links up carry: by rate where
    #: all are known, by number otherwise. None for the top
    oversubscription: float | None
    narrowest_switch: str | None  #: The switch whose links down can carry most over its links up
    narrowest_oversubscription: float | None  #: That quotient


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something that looks like a fault, because most of its kind are different.

    Attributes
    ----------
    kind : str
        ``"isolated_part"``: switches that cannot reach the part with most hosts.
        ``"fewer_links"``: a switch with fewer links to switches than most like it; its ports are
        those that are dark and wired on most like it.
        ``"missing_links"``: two switches joined by fewer links than most switches like the first
        are to the second; the ports are dark ones where the cables may belong.
        ``"slow_link"``: a link slower than most of its kind, or than others beside it.
        ``"self_link"``: a cable from a switch back to itself.
    nodes : list of str
        Switches or hosts it is about.
    ports : list of list of int
        Ports of each of them.
    found, expected : int, str or None
        What there is, and what there is elsewhere: links, or a rate written as ``4xHDR``.
    agreeing, peers : int or None
        How many switches have what is expected, of how many of the kind.
    hosts : int or None
        Hosts of an isolated part.
    """

    kind: Literal["isolated_part", "fewer_links", "missing_links", "slow_link", "self_link"]
    nodes: list[str]
    ports: list[list[int]]
    found: int | str | None = None
    expected: int | str | None = None
    agreeing: int | None = None
    peers: int | None = None
    hosts: int | None = None

    @property
    def text(self) -> str:
        """The suspicion as a sentence."""
        match self.kind:
            case "isolated_part":
                names = ", ".join(self.nodes[:_NAMES_IN_TEXT])
                rest = len(self.nodes) - _NAMES_IN_TEXT
                return (
                    f"{_counted(len(self.nodes), 'switch')} with "
                    f"{_counted(self.hosts or 0, 'host')} cannot reach the rest: {names}"
                    + (f" … {rest} more" if rest > 0 else "")
                )
            case "fewer_links":
                dark = f"; dark there: {_ports(self.ports[0])}" if self.ports[0] else ""
                return (
                    f"{self.nodes[0]} has {_counted(self.found, 'link')} to switches, "
                    f"{self.agreeing} of {self.peers} like it have {self.expected}{dark}"
                )
            case "missing_links":
                first, second = self.nodes
                dark = ", ".join(
                    f"{node} {_ports(ports)}"
                    for node, ports in zip(self.nodes, self.ports, strict=True)
                    if ports
                )
                return (
                    f"{first} has {_counted(self.found, 'link')} to {second}, "
                    f"most like it have {self.expected}" + (f"; dark there: {dark}" if dark else "")
                )
            case "slow_link":
                return f"{self._link()} runs at {self.found}, others like it at {self.expected}"
            case "self_link":
                return f"{self._link()} leads back to the same switch"

    def _link(self) -> str:
        ends = zip(self.nodes, self.ports, strict=True)
        return " – ".join(f"{node}[{ports[0]}]" for node, ports in ends)


def _counted(count: int | str | None, noun: str) -> str:
    plural = f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{count} {noun if count == 1 else plural}"


def _ports(ports: list[int]) -> str:
    return ("port " if len(ports) == 1 else "ports ") + ", ".join(map(str, ports))


@dataclass(frozen=True, slots=True)
class FabricInspection:
    """Ports, distances, bisection, levels and suspicions of a fabric."""

    port_use: list[PortUse]  #: Switches by ports and wired ports
    #: Ordered pairs of switches by their distance in links; entry 0 counts each with itself
    switch_pairs_by_distance: list[int]
    #: Ordered pairs of distinct hosts by the distance of their switches in links
    host_pairs_by_distance: list[int]
    #: Mean links between distinct hosts that reach each other, both host links included
    mean_host_distance_links: float | None
    bisection: BisectionBounds  #: Links between halves
    levels: list[LevelFigures]  #: Levels of a tree-like fabric from the leaves up; empty for others
    suspicions: list[Suspicion]  #: What looks like a fault


def fabric_levels(fabric: Fabric) -> NDArray[np.int64]:
    """Tell the level of every switch of a tree-like fabric, shape (switch_count,).

    It is 0 for the leaves (switches with a fifth of the hosts of the fullest one, or more), then
    the links up from the nearest leaf, and -1 in parts that are not tree-like: they have no two
    levels, or more than a twentieth of the joined pairs of switches lie within a level.
    """
    return _core.fabric_levels(fabric)


def inspect_fabric(fabric: Fabric) -> FabricInspection:
    """Find out what a person wants to know of a fabric beyond its counts.

    Parameters
    ----------
    fabric : Fabric
        The network.

    Examples
    --------
    >>> import weft
    >>> tree = weft.generate("xgft", m=[18, 14], w=[1, 6])
    >>> inspection = weft.inspect_fabric(tree)
    >>> [level.oversubscription for level in inspection.levels]
    [3.0, None]
    >>> inspection.bisection.at_most_links
    42
    >>> damaged = weft.degrade(tree, links="sw3:19").fabric
    >>> for suspicion in weft.inspect_fabric(damaged).suspicions:
    ...     print(suspicion.text)
    sw3 has 5 links to switches, 13 of 14 like it have 6; dark there: port 19
    sw14 has 13 links to switches, 5 of 6 like it have 14; dark there: port 4
    sw3 has 0 links to sw14, most like it have 1; dark there: sw3 port 19, sw14 port 4
    """
    found = _core.inspect_fabric(fabric)
    return FabricInspection(
        port_use=[PortUse(**entry) for entry in found["port_use"]],
        switch_pairs_by_distance=found["switch_pairs_by_distance"],
        host_pairs_by_distance=found["host_pairs_by_distance"],
        mean_host_distance_links=found["mean_host_distance_links"],
        bisection=BisectionBounds(**found["bisection"]),
        levels=[LevelFigures(**entry) for entry in found["levels"]],
        suspicions=[Suspicion(**entry) for entry in found["suspicions"]],
    )
