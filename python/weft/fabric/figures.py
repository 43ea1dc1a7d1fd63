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

    Links include those of hosts. Switch links have a switch at both ends, cables back to the same
    switch (self links) included; parallel links are those beyond the first between the same two
    switches. Components are the parts the switches fall into, 1 when each can reach each. The
    largest radix is the ports of the largest switch, wired or not.

    Distances count links between switches, their mean is over ordered pairs of distinct switches,
    None for one switch. The papers on irregular networks count the switches of a path instead, on
    shortest paths over all ordered pairs, a switch and itself included. Both are None where some
    switch cannot reach another. Rates are links by rate, written as ``4xHDR``; links of unknown
    rate are left out.
    """

    switches: int
    hosts: int
    links: int
    switch_links: int
    host_links: int
    self_links: int
    parallel_links: int
    components: int
    diameter_links: int | None
    mean_distance_links: float | None
    mean_path_switches: float | None
    max_path_switches: int | None
    radix_max: int
    hosts_per_switch_min: int
    hosts_per_switch_max: int
    hosts_per_switch_mean: float
    rates: dict[str, int]


def fabric_figures(fabric: Fabric) -> FabricFigures:
    """Compute the figures of a fabric as a graph."""
    return FabricFigures(**_core.fabric_figures(fabric))
