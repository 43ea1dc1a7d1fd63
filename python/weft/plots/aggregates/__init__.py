"""Switches drawn together where a network is too large for a mark a switch and a stroke a link.

A grid is divided into blocks, a tree level by level into pods, chassis, line cards or switches in
the order of their names, anything else into groups of switches close to one another.  The same
fabric is always divided alike, and every switch is in exactly one group.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fabric import fabric_levels
from weft.fabric.chassis import chassis_of
from weft.plots.aggregates.blocks import MOST_BLOCKS, block_extents, block_names, block_of
from weft.plots.aggregates.clusters import cluster_of
from weft.plots.aggregates.joined import quotient
from weft.plots.aggregates.pods import pod_of
from weft.plots.layout.graph import SwitchGraph
from weft.short_names import short_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fabric import Fabric

__all__ = ["Aggregates", "aggregates"]

MOST_PARTS = 8
"""Of more parts without a link between them, the smaller are one group together."""

MOST_BLOCK_PAIRS = 1_800
"""Pairs of blocks at most that links join."""

MOST_CLUSTERS = 64
"""Groups at most of a network that is neither grid nor tree."""


#: What a label can be cut after: marks between words, and letters before a number.
_PARTS = re.compile(r"[\W_]+|(?<![^\W_])[^\W\d_]+(?=\d)")


@dataclass(frozen=True)
class Aggregates:
    """Groups of switches that are drawn as one mark each."""

    kind: str  # ``blocks``, ``levels`` or ``clusters``
    group_of: NDArray[np.int64]  # of every switch
    names: list[str]  # of the groups: whole names of switches
    labels: list[str]  # the same, short
    extents: tuple[int, ...]  # blocks along each extent of a grid; empty otherwise
    level: NDArray[np.int64]  # of the groups of a tree; -1 otherwise

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Count the switches of every group."""
        return np.bincount(self.group_of, minlength=len(self.names))


def aggregates(fabric: Fabric) -> Aggregates:
    """Divide the switches of any fabric."""
    graph = SwitchGraph.of(fabric)
    extents = tuple(int(extent) for extent in fabric.layout_extents or ())
    if extents and int(np.prod(extents)) == fabric.switch_count:
        return _blocks(extents, graph)
    level = np.asarray(fabric_levels(fabric), dtype=np.int64)
    names = fabric.switch_names
    chassis = chassis_of(fabric)
    group_of = np.zeros(fabric.switch_count, dtype=np.int64)
    parts = graph.parts()
    own_groups = parts[: MOST_PARTS - 1] if len(parts) > MOST_PARTS else parts
    count = 0
    for part in own_groups:
        members = np.array(part, dtype=np.int64)
        within = graph.restricted(part)
        share = len(part) / fabric.switch_count
        if (level[members] >= 0).all():
            own = [chassis[switch] for switch in part]
            found = pod_of(within, level[members], own, share)
        else:
            found = cluster_of(within, max(1, round(MOST_CLUSTERS * share)))
        group_of[members] = count + found
        count += int(found.max()) + 1
    for part in parts[len(own_groups) :]:
        group_of[part] = count
    whole, short = _named(group_of, names, graph.order)
    first = np.unique(group_of, return_index=True)[1]
    kind = "levels" if (level[parts[0]] >= 0).all() else "clusters"
    return Aggregates(kind, group_of, whole, short, (), level[first])


def _blocks(extents: tuple[int, ...], graph: SwitchGraph) -> Aggregates:
    """Divide a grid into blocks, into fewer where switches have links to many others of a row."""
    most = MOST_BLOCKS
    while True:
        blocks = block_extents(extents, most)
        group_of = block_of(extents, blocks)
        if most == 1 or len(quotient(graph.pairs, group_of)) <= MOST_BLOCK_PAIRS:
            break
        most //= 2
    names = block_names(extents, blocks)
    level = np.full(len(names), -1, dtype=np.int64)
    return Aggregates("blocks", group_of, names, names, blocks, level)


def _named(
    group_of: NDArray[np.int64], names: list[str], order: NDArray[np.int64]
) -> tuple[list[str], list[str]]:
    """Name every group by its first switch, and the last where it has all between them."""
    by_group = np.lexsort((order, group_of))
    starts = np.searchsorted(group_of[by_group], np.arange(int(group_of.max()) + 2))
    labels = short_names(names)
    whole, short = [], []
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        first, last = int(by_group[start]), int(by_group[end - 1])
        if first == last:
            whole.append(names[first])
            short.append(labels[first])
        elif order[last] - order[first] == end - start - 1:
            whole.append(f"{names[first]} … {names[last]}")
            short.append(_span(labels[first], labels[last]))
        else:
            whole.append(f"{names[first]} and {end - start - 1:,} more")
            short.append(f"{labels[first]}…")
    return whole, short


def _span(first: str, last: str) -> str:
    """Write from where to where labels go, what both begin with once: ``core1/L01…09``."""
    ends = [found.end() for found in _PARTS.finditer(last) if first.startswith(last[: found.end()])]
    return f"{first}…{last[max(ends, default=0) :]}"
