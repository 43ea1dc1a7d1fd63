"""Routings of one's own: taken as they are meant, proved like all others, refused by the hop."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest

import weft
from weft import own_routing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from weft.own_routing import PathFunction


def tree_paths(fabric: weft.Fabric, values: Mapping[str, str]) -> PathFunction:
    """Route over a breadth-first spanning tree alone."""
    names = fabric.switch_names
    graph = networkx.Graph(weft.to_networkx(fabric)).subgraph(names)
    root = values["root"]
    if root not in graph:
        message = f"there is no switch {root}"
        raise weft.RoutingError(message)
    tree = networkx.bfs_tree(graph, root).to_undirected()

    def path(source: int, destination: int) -> list[str]:
        return list(networkx.shortest_path(tree, names[source], names[destination])[1:])

    return path


def tree(name: str = "spanning_tree") -> weft.OwnAlgorithm:
    return weft.OwnAlgorithm(
        weft.Algorithm(
            name=name,
            title="spanning tree",
            summary="Takes the links of one spanning tree alone.",
            guarantees="Deadlock-free: a tree has no cycle.",
            refuses=[],
            source="every textbook",
            parameters=[weft.Parameter("root", "name of a switch", "sw0", "Root of the tree.")],
        ),
        tree_paths,
    )


@pytest.fixture(autouse=True)
def _no_algorithms_left() -> Iterator[None]:
    before = dict(own_routing._added)
    yield
    own_routing._added.clear()
    own_routing._added.update(before)


def two_ways() -> weft.Fabric:
    """Two switches joined by two links, with a host each; links of hosts take port 1."""
    graph = networkx.MultiGraph(name="two ways")
    graph.add_nodes_from(["a", "b"], kind="switch")
    graph.add_nodes_from(["x", "y"], kind="host")
    graph.add_edges_from([("x", "a"), ("y", "b"), ("a", "b"), ("a", "b")])
    return weft.from_networkx(graph)


def test_a_name_takes_the_lowest_port_and_a_number_that_port() -> None:
    fabric = two_ways()
    ends = {0: ["b"], 1: [3]}
    routing = weft.own_routes(fabric, lambda source, _: ends[source], label="mine")
    assert (routing.label, routing.algorithm, routing.form) == ("mine", "mine", "source routes")
    loads = weft.load_figures(fabric, routing).routes_per_channel
    used = {fabric.describe_channel(channel) for channel in loads.nonzero()[0].tolist()}
    assert {"a[2] → b[2]", "b[3] → a[3]"} <= used
    assert {"a[3] → b[3]", "b[2] → a[2]"} & used == set()


def test_lanes_make_a_ring_safe() -> None:
    ring = weft.generate("ring", switches=4, hosts_per_switch=1)

    def clockwise(source: int, destination: int) -> list[tuple[str, int]]:
        steps = range(source + 1, source + (destination - source) % 4 + 1)
        return [(f"sw{step % 4}", int(step >= 4)) for step in steps]

    one = weft.own_routes(ring, lambda *pair: [name for name, _ in clockwise(*pair)])
    two = weft.own_routes(ring, clockwise)
    assert (one.lane_count, weft.prove(ring, one).verdict) == (1, "deadlock")
    assert (two.lane_count, weft.prove(ring, two).deadlock_free) == (2, True)


def test_a_host_on_the_way_is_an_in_transit_stop() -> None:
    ring = weft.generate("ring", switches=4, hosts_per_switch=1)

    def clockwise(source: int, destination: int) -> list[str]:
        hops = []
        for step in range(source + 1, source + (destination - source) % 4 + 1):
            hops.append(f"sw{step % 4}")
            if step == 4 and destination != 0:
                hops.append("host0")
        return hops

    routing = weft.own_routes(ring, clockwise)
    assert routing.route_names(3, 1) == ["host3", "sw3", "sw0", "host0", "sw0", "sw1", "host1"]
    assert weft.prove(ring, routing).deadlock_free


@pytest.mark.parametrize(
    ("hops", "message"),
    [
        (
            ["c"],
            "hop 1 of the path from a to b is 'c', expected a neighbour of a \\(b, x\\) or one",
        ),
        ([9], "hop 1 of the path from a to b is 9, .* wired ports \\(1, 2, 3\\)"),
        (["b", "a"], "the path from a to b ends at a; expected hops up to b"),
        ([], "the path from a to b ends at a"),
        (None, "the path from a to b is None, expected its hops in a list"),
        (3, "the path from a to b is 3, expected its hops in a list"),
        ("b", "the path from a to b is 'b', expected its hops in a list"),
        ([1.5], "hop 1 of the path from a to b is 1.5, expected the name of a node or the number"),
        ([["b", 0]], r"hop 1 of the path from a to b is \['b', 0\], expected the name of a node"),
        ([("b", 0, 1)], r"hop 1 of the path from a to b is \('b', 0, 1\), expected .* a pair"),
        ([("b", -1)], "hop 1 of the path from a to b is on lane -1, expected a whole number, 0 to"),
        ([("b", 256)], "on lane 256, expected a whole number, 0 to 255"),
        ([("b", "0")], "on lane '0', expected a whole number, 0 to 255"),
        (itertools.cycle(["b", "a"]), "there are .* channels, and a path that takes none twice"),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(hops: object, message: str) -> None:
    with pytest.raises(weft.RoutingError, match=message):
        weft.own_routes(two_ways(), lambda *_: hops)


@pytest.mark.parametrize("whole", [int, np.int64, np.uint8])
def test_ports_and_lanes_may_be_numbers_of_numpy(whole: type, tmp_path: Path) -> None:
    # Of the two links the second, on lane 3.
    routing = weft.own_routes(two_ways(), lambda *_: [(whole(3), whole(3))])
    weft.write_routes(routing, tmp_path / "own.json")
    written = json.loads((tmp_path / "own.json").read_text())
    assert written["routes"] == [[[], [3]], [[3], []]]
    assert written["lanes"] == [[[], [3]], [[3], []]]


def test_an_added_algorithm_is_known_by_its_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    weft.add_algorithm(tree())
    assert weft.algorithms()[-1].name == "spanning_tree"
    net = weft.torus(4, 4, hosts_per_switch=1)
    routing = weft.route(net, "spanning_tree:root=sw5")
    assert routing.label == "spanning_tree:root=sw5"
    assert weft.route(net, "spanning_tree").parameters == {"root": "sw0"}
    assert weft.prove(net, routing).deadlock_free
    # Over 15 links of 32 alone.
    loads = weft.load_figures(net, routing).routes_per_channel[net.is_switch_channel]
    assert int((loads > 0).sum()) == 30
    results = weft.compare(
        net,
        ["updown", "spanning_tree"],
        loads=[0.02],
        precision=0.2,
        results=tmp_path_factory.mktemp("own") / "results.sqlite",
    )
    assert {row.label for row in results.ranking()} == {"updown", "spanning_tree"}
    assert {entry.title for entry in results.routings} >= {"spanning tree"}


def test_mistakes_with_algorithms_are_told() -> None:
    weft.add_algorithm(tree())
    net = weft.torus(4, 4, hosts_per_switch=1)
    with pytest.raises(weft.RoutingError, match=r"has no parameter rot; did you mean root\?"):
        weft.route(net, "spanning_tree:rot=sw1")
    with pytest.raises(weft.RoutingError, match="there is no switch sw99"):
        weft.route(net, "spanning_tree", root="sw99")
    with pytest.raises(weft.RoutingError, match="Weft has an algorithm updown of its own"):
        weft.add_algorithm(tree("updown"))
    with pytest.raises(weft.RoutingError, match="expected letters, digits and underscores"):
        weft.add_algorithm(tree("spanning tree"))


def test_algorithms_of_packages_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name, value = "tree", "package:tree"

        def __init__(self, found: object) -> None:
            self.load = lambda: found

    def installed(found: object) -> None:
        monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry(found)])
        monkeypatch.setattr(own_routing, "_is_searched", False)

    installed(tree("packaged"))
    net = weft.torus(4, 4, hosts_per_switch=1)
    assert weft.route(net, "packaged").label == "packaged"
    installed(42)
    with pytest.raises(weft.RoutingError, match=r"is int, expected weft\.OwnAlgorithm"):
        weft.algorithms()
