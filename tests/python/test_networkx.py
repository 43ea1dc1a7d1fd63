"""Fabrics as graphs of networkx: nothing is lost either way, nor through networkx's own files."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import networkx
import numpy as np
import pytest

import weft

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = [topology.name for topology in weft.topologies()]


def example(name: str) -> weft.Fabric:
    """Generate a topology by the examples of its parameters."""
    topology = next(topology for topology in weft.topologies() if topology.name == name)
    return weft.generate(name, **{p.name: p.example for p in topology.parameters})


@pytest.fixture
def cluster(tmp_path: Path) -> weft.Fabric:
    """Return a fabric with all a fabric may have: GUIDs, LIDs, rates, parallel and own cables."""
    path = tmp_path / "cluster.json"
    path.write_text(
        json.dumps(
            {
                "format": "weft-fabric",
                "version": 1,
                "name": "kleiner “Verbund” <&>",
                "layout": {"grid": {"extents": [2, 1]}},
                "switches": [
                    {"name": "é\t1", "ports": 36, "guid": "0x0002c90200000001", "lid": 4},
                    {"name": "sw1", "ports": 36},
                ],
                "hosts": [
                    {"name": "h0", "guid": "0x7", "adapter_guid": "0x6", "lid": 8, "lmc": 2},
                    {"name": "h1"},
                ],
                "links": [
                    {"ends": [["sw1", 9], ["é\t1", 3]], "rate": "4xHDR"},
                    {"ends": [["é\t1", 4], ["sw1", 8]], "rate": "4xEDR"},
                    {"ends": [["h1", 2], ["sw1", 1]]},
                    {"ends": [["sw1", 20], ["sw1", 21]]},
                    {"ends": [["é\t1", 1], ["h0", 1]]},
                ],
            }
        )
    )
    return weft.read_fabric(path).fabric


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_topology_comes_back_from_networkx(name: str) -> None:
    fabric = example(name)
    graph = weft.to_networkx(fabric)
    assert graph.number_of_nodes() == fabric.switch_count + fabric.host_count
    assert graph.number_of_edges() == fabric.link_count
    assert weft.from_networkx(graph) == fabric


def test_attributes_say_what_the_fabric_is(cluster: weft.Fabric) -> None:
    graph = weft.to_networkx(cluster)
    assert graph.name == "kleiner “Verbund” <&>"
    assert graph.graph["grid"] == "2x1"
    assert graph.nodes["h0"] == {
        "kind": "host",
        "guid": "0x0000000000000007",
        "adapter_guid": "0x0000000000000006",
        "lid": 8,
        "lmc": 2,
    }
    assert graph.edges["sw1", "é\t1", 0] == {
        "link": 0,
        "from": "sw1",
        "from_port": 9,
        "to": "é\t1",
        "to_port": 3,
        "rate": "4xHDR",
    }
    assert graph.number_of_edges("sw1", "é\t1") == 2
    assert weft.from_networkx(graph) == cluster


def test_networkx_agrees_on_distances() -> None:
    fabric = weft.irregular(16, seed=3)
    graph = weft.to_networkx(fabric)
    switches = graph.subgraph(fabric.switch_names)
    figures = weft.fabric_figures(fabric)
    assert networkx.diameter(switches) == figures.diameter_links
    mean = networkx.average_shortest_path_length(networkx.Graph(switches))
    assert figures.mean_distance_links == pytest.approx(mean)


@pytest.mark.parametrize("options", [{}, {"named_key_ids": True}])
def test_graphml_of_networkx_is_read_and_ours_by_networkx(
    cluster: weft.Fabric, tmp_path: Path, options: dict[str, bool]
) -> None:
    theirs = tmp_path / "theirs.graphml"
    networkx.write_graphml(weft.to_networkx(cluster), theirs, **options)
    found = weft.read_fabric(theirs)
    assert (found.fabric, found.format, found.notes) == (cluster, "graphml", [])

    ours = tmp_path / "ours.graphml"
    assert weft.write_fabric(cluster, ours) == "graphml"
    graph = networkx.read_graphml(ours)
    assert networkx.utils.graphs_equal(graph_of(graph), graph_of(weft.to_networkx(cluster)))
    # What networkx adds of its own to a graph it read is no part of the fabric.
    for added in ("node_default", "edge_default"):
        graph.graph.pop(added)
    assert weft.from_networkx(graph) == cluster


def graph_of(graph: networkx.MultiGraph) -> networkx.MultiGraph:
    """Return the nodes and edges alone."""
    plain = networkx.MultiGraph()
    plain.add_nodes_from(graph.nodes(data=True))
    plain.add_edges_from(graph.edges(data=True, keys=True))
    return plain


@pytest.mark.parametrize("edges", ["edges", "links"])
def test_node_link_data_of_networkx_is_read_and_ours_by_networkx(
    cluster: weft.Fabric, tmp_path: Path, edges: str
) -> None:
    data = networkx.node_link_data(weft.to_networkx(cluster), edges=edges)
    theirs = tmp_path / "theirs.json"
    theirs.write_text(json.dumps(data))
    found = weft.read_fabric(theirs)
    assert (found.fabric, found.format, found.notes) == (cluster, "node-link", [])

    ours = tmp_path / "ours.json"
    assert weft.write_fabric(cluster, ours, format="node-link") == "node-link"
    graph = networkx.node_link_graph(json.loads(ours.read_text()), edges="edges")
    assert networkx.utils.graphs_equal(graph, weft.to_networkx(cluster))


def test_a_graph_without_parallel_links_survives_as_a_simple_one(tmp_path: Path) -> None:
    fabric = weft.mesh(3, 2, hosts_per_switch=2)
    path = tmp_path / "mesh.graphml"
    weft.write_fabric(fabric, path)
    graph = networkx.read_graphml(path)
    assert not graph.is_multigraph()
    networkx.write_graphml(graph, path)
    assert weft.read_fabric(path).fabric == fabric


def test_a_link_taken_away_is_missing_and_the_others_are_as_they_were(cluster: weft.Fabric) -> None:
    graph = weft.to_networkx(cluster)
    graph.remove_edge("sw1", "é\t1", key=0)
    left = weft.from_networkx(graph)
    assert left.links().tolist() == cluster.links()[1:].tolist()


def test_a_drawn_graph_is_made_of_switches_and_says_so() -> None:
    with pytest.warns(UserWarning, match="16 nodes without “kind”: all were taken for switches"):
        fabric = weft.from_networkx(networkx.grid_2d_graph(4, 4))
    assert (fabric.switch_count, fabric.host_count, fabric.link_count) == (16, 0, 24)
    assert fabric.switch_names[1] == "(0, 1)"


def test_hosts_and_ports_may_be_left_to_the_order() -> None:
    graph = networkx.Graph(name="by hand")
    graph.add_node("leaf", kind="switch", ports=np.int64(8))
    graph.add_node("spine", kind="switch")
    graph.add_node("h", kind="host", weight=1.5)
    graph.add_edge("leaf", "spine")
    graph.add_edge("h", "leaf")
    with pytest.warns(UserWarning, match="“weight” of 1 host: a fabric has no place for it"):
        fabric = weft.from_networkx(graph)
    assert fabric.name == "by hand"
    assert [fabric.describe_channel(channel) for channel in (0, 2)] == [
        "leaf[2] → spine[1]",
        "leaf[1] → h[1]",
    ]


def test_what_makes_no_fabric_is_refused_with_the_part_it_is_about() -> None:
    directed = networkx.DiGraph([("a", "b")])
    with pytest.raises(weft.FormatError, match=r"found a directed graph.*to_undirected"):
        weft.from_networkx(directed)
    graph = networkx.Graph([("a", "b")])
    graph.nodes["a"]["kind"] = "swich"
    graph.nodes["b"]["kind"] = "host"
    with pytest.raises(weft.FormatError, match=r"found kind “swich”, expected switch or host") as e:
        weft.from_networkx(graph)
    assert '{"kind": "swich", "id": "a"}' in str(e.value)


def test_without_networkx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(
        weft.EnvironmentFailure, match=r"install it by: pip install 'networkx>=3.4'"
    ):
        weft.to_networkx(weft.mesh(2, 1))
