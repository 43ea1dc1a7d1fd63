"""Several routes a pair: layers of ``best`` beside those of LNMP, by load and by messages.

::

    .venv/bin/python benches/layers.py [--simulate]

LNMP is built here, from its description alone: Blach et al., "A high-performance design,
implementation, deployment, and evaluation of the Slim Fly network", NSDI 2024 (arXiv 2310.03742).
The first layer has the shortest paths. In each further one every switch, those first that have
fewest longer paths to a host so far, gets a path to the host of one link more than the shortest:
that over the links that carry least of the paths laid before, of those that agree with what the
layer's tables hold. Those left over take the shortest path that does. Pairs of switches are put on
lanes one by one, each on the first where all its routes fit.

A row has what pairs get of the rate in the mean over all shifts and in the worst, all to all, and
the lanes; with ``--simulate`` what hosts accept in some shifts and all to all, when they offer all
they can, and how long an exchange of all pairs takes, messages of 64 KiB shift by shift, with
addresses taken in turn, by a hash, and the first alone.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import weft
from weft._numbers import in_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Layers, the first among them: four LIDs a host.
LAYERS = 4

#: Shifts that are simulated, of 199.
SHIFTS = (1, 5, 29, 60, 101, 147)

#: What each host sends every other in the exchange.
MESSAGE_BYTES = 65536

Switches = tuple[int, ...]
Link = tuple[int, int]


class Layers:
    """Trees to every host in every layer: the next switch of each switch."""

    def __init__(self, fabric: weft.Fabric, seed: int) -> None:
        self.count = fabric.switch_count
        self.fabric = fabric
        self.ports: list[dict[int, int]] = [{} for _ in range(self.count)]
        #: Per host: its switch and the port that leads to it.
        self.ends: list[tuple[int, int]] = [(0, 0)] * fabric.host_count
        for one, port, other, back in fabric.links().tolist():
            if max(one, other) < self.count:
                self.ports[one][other], self.ports[other][one] = port, back
            elif one < self.count:
                self.ends[other - self.count] = (one, port)
            else:
                self.ends[one - self.count] = (other, back)
        self.links = [self._links_from(switch) for switch in range(self.count)]
        #: Paths over each link so far, in all layers.
        self.carried: dict[Link, int] = defaultdict(int)
        #: By switch and host: layers with a longer path than the shortest.
        self.longer: dict[tuple[int, int], int] = defaultdict(int)
        self.next: list[dict[tuple[int, int], int]] = []
        draws = random.Random(seed)  # noqa: S311
        for layer in range(LAYERS):
            self._lay(is_first=layer == 0, draws=draws)

    def _links_from(self, source: int) -> list[int]:
        links = {source: 0}
        queue = [source]
        for switch in queue:
            for other in self.ports[switch]:
                if other not in links:
                    links[other] = links[switch] + 1
                    queue.append(other)
        return [links[switch] for switch in range(self.count)]

    def _lay(self, *, is_first: bool, draws: random.Random) -> None:
        ways: dict[tuple[int, int], int] = {}
        pairs = [
            (source, host)
            for host, (switch, _) in enumerate(self.ends)
            for source in range(self.count)
            if source != switch
        ]
        draws.shuffle(pairs)
        pairs.sort(key=lambda pair: self.longer[pair])
        for longer in (0,) if is_first else (1, 0):
            for source, host in pairs:
                if (source, host) not in ways:
                    length = self.links[source][self.ends[host][0]] + longer
                    self._take(ways, host, self._paths(ways, source, host, length))
        # What a layer holds may allow no shortest path: the shortest that it does, then.
        for source, host in pairs:
            length = self.links[source][self.ends[host][0]]
            while (source, host) not in ways:
                length += 1
                self._take(ways, host, self._paths(ways, source, host, length))
        self.next.append(ways)

    def _paths(
        self, ways: dict[tuple[int, int], int], source: int, host: int, length: int
    ) -> Iterator[Switches]:
        """Yield the paths of so many links that agree with what the layer holds."""
        target = self.ends[host][0]
        stack: list[Switches] = [(source,)]
        while stack:
            path = stack.pop()
            here, left = path[-1], length - len(path) + 1
            if here == target:
                if left == 0:
                    yield path
                continue
            held = ways.get((here, host))
            for other in self.ports[here] if held is None else (held,):
                if other not in path and self.links[other][target] < left:
                    stack.append((*path, other))

    def _take(self, ways: dict[tuple[int, int], int], host: int, paths: Iterator[Switches]) -> None:
        """Put the path over the links that carry least into a layer."""
        least = min(
            paths, key=lambda path: sum(self.carried[link] for link in pairwise(path)), default=()
        )
        for place, (here, other) in enumerate(pairwise(least)):
            if (here, host) not in ways:
                ways[here, host] = other
                rest = least[place:]
                self.longer[here, host] += len(rest) - 1 > self.links[here][least[-1]]
                for link in pairwise(rest):
                    self.carried[link] += 1

    def path(self, layer: int, source: int, host: int) -> list[int]:
        """Return the switches of a route."""
        path = [source]
        while path[-1] != self.ends[host][0]:
            path.append(self.next[layer][path[-1], host])
        return path

    def lanes(self) -> list[list[int]]:
        """Return the lane by switch and host: one for all routes of a pair of switches."""
        lanes = [[0] * len(self.ends) for _ in range(self.count)]
        after: list[dict[Link, set[Link]]] = []
        for target in range(self.count):
            for source in range(self.count):
                hosts = [host for host, (switch, _) in enumerate(self.ends) if switch == target]
                turns = {
                    turn
                    for host in hosts
                    for layer in range(LAYERS)
                    for turn in pairwise(pairwise(self.path(layer, source, host)))
                }
                lane = 0
                while lane == len(after) or not fits(after[lane], turns):
                    if lane == len(after):
                        after.append(defaultdict(set))
                    else:
                        lane += 1
                for host in hosts:
                    lanes[source][host] = lane
        return lanes

    def port(self, at: int, host: int, layer: int) -> int:
        """Return the port by which a switch leads to a host in a layer."""
        switch, port = self.ends[host]
        return port if switch == at else self.ports[at][self.next[layer][at, host]]

    def routing(self) -> weft.Routing:
        """Return the layers as a routing whose hosts have an address for each."""
        hosts, layers = range(len(self.ends)), range(LAYERS)
        lanes = self.lanes()
        document = json.loads(weft.route(self.fabric, "best:starts=0,lanes=1").to_json()) | {
            "algorithm": "lnmp",
            "parameters": {},
            "addresses": [LAYERS for _ in hosts],
            "tables": [
                [self.port(at, host, layer) for host in hosts for layer in layers]
                for at in range(self.count)
            ],
            "aliases": "any",
            "switch_lanes": lanes,
        }
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "lnmp.json"
            file.write_text(json.dumps(document))
            return weft.read_routes(self.fabric, file).routing


def fits(after: dict[Link, set[Link]], turns: set[tuple[Link, Link]]) -> bool:
    """Add turns to those of a lane unless one closes a circle; tell whether they were added."""
    added = []
    for held, wanted in turns:
        if wanted in after[held]:
            continue
        seen, stack = set(), [wanted]
        while stack:
            link = stack.pop()
            if link == held:
                for one, other in added:
                    after[one].discard(other)
                return False
            if link not in seen:
                seen.add(link)
                stack.extend(after.get(link, ()))
        after[held].add(wanted)
        added.append((held, wanted))
    return True


def rows(fabric: weft.Fabric) -> Iterator[tuple[str, weft.Routing]]:
    """Make the routings."""
    yield "best", weft.route(fabric, "best")
    yield "best:lmc=2", weft.route(fabric, "best:lmc=2")
    yield "LNMP, 4 layers", Layers(fabric, seed=1).routing()


def accepted(
    fabric: weft.Fabric, routing: weft.Routing, hardware: weft.Hardware, pattern: str
) -> float:
    """Return the share of their rate that hosts accept when they offer all they can."""
    traffic = weft.Traffic(pattern, load=1.0, payload_bytes=4096)
    return float(weft.simulate(fabric, routing, hardware, traffic).accepted_load)


def exchange_ms(fabric: weft.Fabric, routing: weft.Routing, hardware: weft.Hardware) -> float:
    """Return how long an exchange of all pairs takes, shift by shift."""
    program = weft.Program(fabric.host_count)
    ranks = range(fabric.host_count)
    program.collective("alltoall", ranks, size_bytes=MESSAGE_BYTES, algorithm="pairwise")
    return weft.replay(fabric, routing, hardware, program).duration_ns / 1e6


def print_simulated(fabric: weft.Fabric, routing: weft.Routing) -> None:
    """Print a row for each way to choose among addresses."""
    for addresses in ("even", "hash", "first") if routing.most_addresses > 1 else ("first",):
        # As many lanes as the most that a routing needs here, for all.
        hardware = weft.hardware("infiniband_hdr", lanes=15, addresses=addresses)
        shifts = [accepted(fabric, routing, hardware, f"shift:by={by}") for by in SHIFTS]
        uniform = accepted(fabric, routing, hardware, "uniform")
        taken = exchange_ms(fabric, routing, hardware)
        print(
            f"  {addresses:14} {in_percent(fmean(shifts)):>8} {in_percent(min(shifts)):>8}"
            f" {in_percent(uniform):>10}       {taken:.2f} ms",
            flush=True,
        )


def main() -> None:
    """Print a row for each routing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulate", action="store_true", help="messages, too")
    asked = parser.parse_args()
    fabric = weft.generate("slim_fly", q=5, hosts_per_switch=4)
    print(f"{'':16} {'shifts':>8} {'worst':>8} {'all to all':>10} {'lanes':>5}")
    for name, routing in rows(fabric):
        shares = weft.shift_shares(fabric, routing)
        uniform = weft.judge(fabric, routing).uniform_share
        is_proved = weft.prove(fabric, routing).deadlock_free
        lanes = routing.lane_count if is_proved else "none"
        print(
            f"{name:16} {in_percent(shares.mean):>8} {in_percent(shares.worst):>8}"
            f" {in_percent(uniform):>10} {lanes:>5}",
            flush=True,
        )
        if asked.simulate:
            print_simulated(fabric, routing)


if __name__ == "__main__":
    main()
