"""What a person wants to know of a fabric: ports, distances, bisection, levels, suspicions."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core
from weft._numbers import counted
from weft.fabric.structure import Structure, fabric_structure
from weft.fabric.what_is_wrong import Suspicion, suspicion_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from weft._core import Fabric

__all__ = [
    "BisectionBounds",
    "FabricInspection",
    "LevelFigures",
    "PortUse",
    "fabric_levels",
    "inspect_fabric",
]


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
    #: What contradicts these levels, which most switches agree on: compute ends on switches above
    #: others, and links between switches that are not on neighbouring levels, but for those that
    #: join groups
    against_levels: list[str]
    structure: Structure | None  #: What the switches form beyond levels, if that is known
    suspicions: list[Suspicion]  #: What looks like a fault, what costs most first


def fabric_levels(fabric: Fabric) -> NDArray[np.int64]:
    """Tell the level of every switch of a tree-like fabric, shape (switch_count,).

    It is 0 for the leaves (switches with a fifth of the hosts of the fullest one, or more), then
    the links up from the nearest leaf. Leaves that hang higher than the others, as storage on the
    cores above several pods, are on the level below the switches they hang on. It is -1 in parts
    that are not tree-like: they have no two levels, or more than a twentieth of the joined pairs of
    switches lie within a level. Links that join the spines of groups, as those of a dragonfly+ do,
    do not count among these.
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
    a cable is missing: sw3[19] – sw14[4]
    """
    found = _core.inspect_fabric(fabric)
    between_groups = set(found["links_between_groups"])
    return FabricInspection(
        port_use=[PortUse(**entry) for entry in found["port_use"]],
        switch_pairs_by_distance=found["switch_pairs_by_distance"],
        host_pairs_by_distance=found["host_pairs_by_distance"],
        mean_host_distance_links=found["mean_host_distance_links"],
        bisection=BisectionBounds(**found["bisection"]),
        levels=[LevelFigures(**entry) for entry in found["levels"]],
        against_levels=_against(fabric, between_groups) if found["levels"] else [],
        structure=fabric_structure(fabric),
        suspicions=[suspicion_of(entry) for entry in found["suspicions"]],
    )


def _against(fabric: Fabric, between_groups: set[int]) -> list[str]:
    """Tell what contradicts the levels of a tree, or of groups and the links that join them."""
    return [*_ends_above(fabric), *_links_across(fabric, between_groups)]


def _ends_above(fabric: Fabric) -> Iterator[str]:
    """Tell of switches above others that have compute ends."""
    levels = fabric_levels(fabric).tolist()
    names = fabric.switch_names
    links = fabric.links().tolist()
    above = {
        one if levels[one] > levels[other] else other
        for one, _, other, _ in links
        if max(one, other) < len(names) and levels[one] != levels[other]
    }
    computing = Counter(
        switch
        for switch, reason in zip(fabric.host_switch.tolist(), fabric.host_service, strict=True)
        if reason is None
    )
    for switch, ends in sorted(computing.items()):
        if levels[switch] > 0 and switch in above:
            yield f"{names[switch]}, on level {levels[switch]}, has {counted(ends, 'compute end')}"


def _links_across(fabric: Fabric, between_groups: set[int]) -> Iterator[str]:
    """Tell of links between switches that are not on neighbouring levels."""
    levels = fabric_levels(fabric).tolist()
    names = fabric.switch_names
    for link, (one, one_port, other, other_port) in enumerate(fabric.links().tolist()):
        if max(one, other) >= len(names) or one == other or link in between_groups:
            continue
        low, high = sorted((levels[one], levels[other]))
        if low >= 0 and high - low != 1:
            between = f"two switches of level {low}" if low == high else f"levels {low} and {high}"
            yield f"{names[one]}[{one_port}] – {names[other]}[{other_port}] joins {between}"
