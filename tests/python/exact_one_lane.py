"""How little the fullest channel can carry on one lane, by trying which turns routes leave out.

Traffic may split over all paths, as no routing's does, but of every circle of channels that packets
could wait for one another in some turn is made by none of it. A linear program, solved by HiGHS,
has the best split without some turns; where that makes all turns of a circle, one after the other
is left out, with all before it kept (branch and bound). The search of bounds has no part in it.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from weft._linear import solve

if TYPE_CHECKING:
    from collections.abc import Iterable

    import weft

    Turn = tuple[int, int]
    Open = tuple[float, int, frozenset[Turn], frozenset[Turn], set[Turn]]

#: How often a turn is made at most that counts as not made.
_NOTHING = 1e-6


class Splits:
    """The best that traffic does which splits over all paths, without some turns.

    A linear program: per source, what each channel carries and how often each turn is made.
    """

    def __init__(self, fabric: weft.Fabric) -> None:
        self.ends = fabric.channel_ends()[fabric.is_switch_channel].tolist()
        self.hosts = np.bincount(fabric.host_switch, minlength=fabric.switch_count).tolist()
        channels = range(len(self.ends))
        #: From a channel on to another, but not straight back.
        self.turns: list[Turn] = [
            (held, wanted)
            for held in channels
            for wanted in channels
            if self.ends[held][1] == self.ends[wanted][0]
            and self.ends[held][0] != self.ends[wanted][1]
        ]
        # Column 0 is the largest load; per source there are the channels, then the turns.
        self.width = len(channels) + len(self.turns)
        self.entries: list[list[tuple[int, float]]] = [[(c, -1.0) for c in channels]]
        self.rows: list[tuple[float, float]] = [(-np.inf, 0.0)] * len(channels)
        self.never: set[int] = set()
        for source in range(fabric.switch_count):
            self._add_source(source)

    def _add_source(self, source: int) -> None:
        channels = range(len(self.ends))
        into, out_of, at = len(self.rows), len(self.rows) + len(channels), {}
        for start, _ in self.ends:
            # What a channel carries comes by turns, but for what the source begins with.
            self.rows.append((0.0, np.inf if start == source else 0.0))
        self.rows += [(0.0, np.inf)] * len(channels)
        for switch, hosts in enumerate(self.hosts):
            if switch != source:
                at[switch] = len(self.rows)
                sent = float(self.hosts[source] * hosts)
                self.rows.append((sent, sent))
        for channel, (_, end) in enumerate(self.ends):
            entries = [(channel, 1.0), (into + channel, 1.0), (out_of + channel, 1.0)]
            if end == source:
                self.never.add(len(self.entries))
            else:
                entries.append((at[end], 1.0))
            self.entries.append(entries)
        for held, wanted in self.turns:
            entries = [(into + wanted, -1.0), (out_of + held, -1.0)]
            switch = self.ends[held][1]
            if switch != source:
                entries.append((at[switch], -1.0))
            self.entries.append(entries)

    def without(self, left_out: Iterable[Turn]) -> tuple[float, set[Turn]]:
        """Return the least largest load of a split without some turns, and the turns it makes."""
        columns = len(self.entries)
        upper = np.full(columns, np.inf)
        upper[list(self.never)] = 0.0
        first = 1 + len(self.ends)
        for turn in left_out:
            upper[first + self.turns.index(turn) :: self.width] = 0.0
        starts = np.cumsum([0, *map(len, self.entries)]).astype(np.uint32)
        flat = [entry for entries in self.entries for entry in entries]
        rows = np.array([row for row, _ in flat], dtype=np.uint32)
        values = np.array([value for _, value in flat])
        costs = np.zeros(columns)
        costs[0] = 1.0
        lower, most = (np.array(bound) for bound in zip(*self.rows, strict=True))
        try:
            found = solve(costs, (np.zeros(columns), upper), (lower, most), (starts, rows, values))
        except RuntimeError:  # Some pair has no way left.
            return np.inf, set()
        made = found[1:].reshape(-1, self.width)[:, len(self.ends) :].sum(axis=0)
        return float(found[0]), {
            turn for turn, times in zip(self.turns, made, strict=True) if times > _NOTHING
        }


def least_on_one_lane(fabric: weft.Fabric, enough: float = np.inf) -> float:
    """Return what the fullest channel carries at least on one lane, or what is `enough` to show.

    Where it is less than that, some split reaches it whose turns close no circle.
    """
    splits = Splits(fabric)
    load, made = splits.without([])
    order = 0
    open_: list[Open] = [(load, order, frozenset(), frozenset(), made)]
    while open_:
        load, _, left_out, kept, made = heapq.heappop(open_)
        circle = shortest_circle(made)
        if load >= enough or not circle:
            return min(load, enough)
        for place, turn in enumerate(circle):
            if turn in kept:
                continue
            order += 1
            without = left_out | {turn}
            load, made = splits.without(without)
            heapq.heappush(open_, (load, order, without, kept | set(circle[:place]), made))
    return enough


def shortest_circle(turns: Iterable[Turn]) -> list[Turn]:
    """Return turns that lead from a channel back to it, as few as can be; none without any."""
    onward: dict[int, list[int]] = {}
    for held, wanted in sorted(turns):
        onward.setdefault(held, []).append(wanted)
    best: list[Turn] = []
    for first in onward:
        before = {first: first}
        queue = deque([first])
        while queue and first in before:
            held = queue.popleft()
            for wanted in onward.get(held, ()):
                if wanted == first:
                    circle = [(held, first)]
                    while held != first:
                        circle.append((before[held], held))
                        held = before[held]
                    if not best or len(circle) < len(best):
                        best = circle[::-1]
                    queue.clear()
                    break
                if wanted not in before:
                    before[wanted] = held
                    queue.append(wanted)
    return best
