"""Networks that are neither grid nor tree, divided into groups of switches close to one another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.plots.aggregates.joined import joined, quotient

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from weft.plots.layout.graph import SwitchGraph

MOST_BUNDLES = 320
"""Bundles between groups at most."""

DENSE = 0.5
"""Of the pairs of groups that could be joined, the share from which all count as joined."""

_STRONG = 0.75
"""A link is inside a community from this share of the common neighbours of its ends' best on."""


def cluster_of(graph: SwitchGraph, most: int) -> NDArray[np.int64]:
    """Return the cluster of every switch of a connected graph, no more than `most` of them.

    Where switches form communities, such as the groups of a dragonfly, clusters are made of whole
    ones, side by side by name where most of them are joined. Otherwise they grow from switches far
    from one another, all alike large.
    """
    community = _communities(graph)
    coarse = quotient(graph.pairs, community)
    sizes = np.bincount(community)
    count = len(sizes)
    order = np.full(count, graph.switch_count, dtype=np.int64)
    np.minimum.at(order, community, graph.order)
    is_dense = len(coarse) > DENSE * count * (count - 1) / 2
    growth = _Growth(count, coarse, sizes.tolist())
    for wanted in _fewer(min(most, count)):
        if is_dense:
            found = _runs(sizes, order, wanted)
        elif wanted == count:
            found = np.arange(count, dtype=np.int64)
        else:
            found = growth.clusters(wanted)
        cluster = found[community]
        if wanted == 1 or len(quotient(graph.pairs, cluster)) <= MOST_BUNDLES:
            break
    return cluster


def _fewer(count: int) -> list[int]:
    """Return numbers of clusters to try, each about a seventh smaller than the one before."""
    tried = [max(count, 1)]
    while tried[-1] > 1:
        tried.append(min(tried[-1] - 1, round(tried[-1] * 0.85)))
    return [number for number in tried if number > 0]


def _communities(graph: SwitchGraph) -> NDArray[np.int64]:
    """Return the communities: switches whose neighbours are neighbours of one another.

    Switches that have the same neighbours, as the leaves of a group that is a small tree, count as
    one. Every switch is a community of its own where there are none.
    """
    count = graph.switch_count
    neighbours = [frozenset(own) for own in graph.neighbours()]
    numbers: dict[frozenset[int], int] = {}
    alike = np.array([numbers.setdefault(own, len(numbers)) for own in neighbours], dtype=np.int64)
    weight = np.bincount(alike)[alike]
    common = np.array(
        [len(neighbours[a] & neighbours[b]) for a, b in graph.pairs.tolist()], dtype=np.int64
    )
    # Of switches alike that number more than one, a link is as good as that many common neighbours.
    strength = common + np.maximum(weight[graph.pairs[:, 0]], weight[graph.pairs[:, 1]]) - 1
    best = np.zeros(count, dtype=np.int64)
    for end in (0, 1):
        np.maximum.at(best, graph.pairs[:, end], strength)
    floor = np.maximum(best[graph.pairs[:, 0]], best[graph.pairs[:, 1]])
    is_inside = (strength > 0) & (strength >= _STRONG * floor)
    found = joined(count, graph.pairs[is_inside])
    community = np.unique(found, return_inverse=True)[1].astype(np.int64)
    groups = int(community.max()) + 1
    if 1 < groups <= count // 2:
        return community
    return np.arange(count, dtype=np.int64)


def _runs(sizes: NDArray[np.int64], order: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Put groups together that follow one another by name, about as many switches each time."""
    by_name = np.argsort(order, kind="stable")
    before = np.cumsum(sizes[by_name]) - sizes[by_name]
    found = np.empty(len(sizes), dtype=np.int64)
    found[by_name] = before * count // int(sizes.sum())
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


class _Growth:
    """Clusters that grow from groups of switches far from one another."""

    def __init__(self, count: int, pairs: NDArray[np.int64], sizes: list[int]) -> None:
        both = np.concatenate([pairs, pairs[:, ::-1]])
        both = both[np.lexsort((both[:, 1], both[:, 0]))]
        self._sources, self._targets = both[:, 0], both[:, 1]
        starts = np.searchsorted(both[:, 0], np.arange(1, count))
        self._neighbours = [own.tolist() for own in np.split(both[:, 1], starts)]
        self._sizes = sizes
        self._seeds = [0]
        self._nearest = self._distances(0)

    def clusters(self, wanted: int) -> NDArray[np.int64]:
        """Grow clusters of about as many switches, a group at a time; number them by group."""
        while len(self._seeds) < wanted:
            self._seeds.append(int(self._nearest.argmax()))
            self._nearest = np.minimum(self._nearest, self._distances(self._seeds[-1]))
        found = [-1] * len(self._neighbours)
        room = [-(-sum(self._sizes) // wanted)] * wanted
        fronts = [self._front(seed, found) for seed in self._seeds[:wanted]]
        growing = list(range(wanted))
        while growing:
            still = []
            for number in growing:
                group = next(fronts[number], None)
                if group is not None:
                    found[group] = number
                    room[number] -= self._sizes[group]
                    if room[number] > 0:
                        still.append(number)
            growing = still
        self._take_in_the_rest(found, room)
        return np.unique(np.array(found, dtype=np.int64), return_inverse=True)[1].astype(np.int64)

    def _front(self, seed: int, found: list[int]) -> Iterator[int]:
        """Yield the groups around a seed that are still to be had, the nearest first."""
        reached = [seed]
        for group in reached:
            if found[group] < 0:
                yield group
                reached += [other for other in self._neighbours[group] if found[other] < 0]

    def _distances(self, start: int) -> NDArray[np.int64]:
        distance = np.full(len(self._neighbours), -1, dtype=np.int64)
        distance[start] = 0
        for links in range(1, len(distance)):
            reached = self._targets[distance[self._sources] == links - 1]
            reached = reached[distance[reached] < 0]
            if not len(reached):
                break
            distance[reached] = links
        return distance

    def _take_in_the_rest(self, found: list[int], room: list[int]) -> None:
        """Give what no cluster had room for to the smallest of the clusters beside it."""
        left = [group for group, number in enumerate(found) if number < 0]
        while left:
            for group in left:
                beside = {found[other] for other in self._neighbours[group]} - {-1}
                if beside:
                    found[group] = max(sorted(beside), key=room.__getitem__)
                    room[found[group]] -= self._sizes[group]
            left = [group for group in left if found[group] < 0]
