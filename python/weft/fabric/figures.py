"""Figures of a fabric as a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import _core

if TYPE_CHECKING:
    from weft._core import Fabric


@dataclass(frozen=True, slots=True)
class FabricFigures:
    """Figures of a fabric as a graph.

    Distances count links between switches. The papers on irregular networks count the switches of
    a path instead, over all ordered pairs, a switch and itself included. Both are None where some
    switch cannot reach another.
    """

    switches: int  #: Number of switches
    hosts: int  #: Number of hosts
    links: int  #: Number of links, those of hosts included
    switch_links: int  #: Links with a switch at both ends, cables back to the same switch included
    host_links: int  #: Links of hosts
    self_links: int  #: Links whose ends are two ports of the same switch
    parallel_links: int  #: Links beyond the first between the same two switches
    components: int  #: Parts the switches fall into; 1 when each can reach each
    diameter_links: int | None  #: Largest distance between two switches, in links
    #: Mean distance over ordered pairs of distinct switches, in links; None for one switch
    mean_distance_links: float | None
    #: Mean switches on a shortest path, over all ordered pairs of switches
    mean_path_switches: float | None
    max_path_switches: int | None  #: Most switches on a shortest path
    radix_max: int  #: Ports of the largest switch, wired or not
    hosts_per_switch_min: int  #: Hosts on the switch with fewest
    hosts_per_switch_max: int  #: Hosts on the switch with most
    hosts_per_switch_mean: float  #: Hosts per switch on average
    #: Links by rate, written as ``4xHDR``; links of unknown rate are left out
    rates: dict[str, int]


def fabric_figures(fabric: Fabric) -> FabricFigures:
    """Compute the figures of a fabric.

    Parameters
    ----------
    fabric : Fabric
        The network.
    """
    return FabricFigures(**_core.fabric_figures(fabric))
