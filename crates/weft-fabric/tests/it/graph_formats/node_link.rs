//! The node-link JSON of networkx.

use super::{error, error_after, found, links, notes};
use weft_fabric::formats::{FormatName, write};
use weft_fabric::{HostId, Layout, SwitchId};
use weft_testing::table;

/// As networkx writes a graph it was given, the ends of an edge in the order of the nodes.
const TWO: &str = r#"{
  "directed": false, "multigraph": true,
  "graph": {"name": "two switches", "grid": "2x1"},
  "nodes": [
    {"kind": "switch", "ports": 8, "guid": "0x0002c90200000001", "id": "sw0"},
    {"kind": "switch", "ports": 8, "id": "sw1"},
    {"kind": "host", "guid": "0x0002c90300000007", "id": "host0"},
    {"kind": "host", "id": "host1"}
  ],
  "edges": [
    {"link": 2, "from": "sw1", "from_port": 5, "to": "sw0", "to_port": 6, "source": "sw0", "target": "sw1", "key": 2},
    {"link": 0, "from": "host0", "from_port": 1, "to": "sw0", "to_port": 1, "rate": "4xHDR", "source": "sw0", "target": "host0", "key": 0},
    {"link": 1, "from": "sw1", "from_port": 1, "to": "host1", "to_port": 2, "source": "sw1", "target": "host1", "key": 1}
  ]
}
"#;

#[test]
fn links_keep_their_order_and_direction() {
    let found = found(TWO);
    assert_eq!(found.format, FormatName::NodeLink);
    assert_eq!(notes(&found), []);
    let fabric = &found.fabric;
    assert_eq!(fabric.name(), "two switches");
    let extents = vec![2, 1];
    assert_eq!(*fabric.layout(), Layout::Grid { extents });
    assert_eq!(
        fabric.switch(SwitchId::new(0)).guid,
        Some(0x0002_c902_0000_0001)
    );
    assert_eq!(
        fabric.host(HostId::new(0)).guid,
        Some(0x0002_c903_0000_0007)
    );
    assert_eq!(
        links(fabric),
        [
            "host0[1] → sw0[1] 4xHDR",
            "sw1[1] → host1[2]",
            "sw1[5] → sw0[6]"
        ]
    );
}

#[test]
fn a_fabric_is_written_one_part_a_line() {
    let text = write(&found(TWO).fabric, FormatName::NodeLink).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[1..5],
        [
            "  \"directed\": false,",
            "  \"multigraph\": true,",
            "  \"graph\": {\"name\": \"two switches\", \"grid\": \"2x1\"},",
            "  \"nodes\": [",
        ]
    );
    assert_eq!(
        lines[6],
        "    {\"kind\": \"switch\", \"ports\": 8, \"id\": \"sw1\"},"
    );
    assert_eq!(
        lines[13],
        "    {\"link\": 2, \"from\": \"sw1\", \"from_port\": 5, \"to\": \"sw0\", \"to_port\": 6, \
         \"source\": \"sw1\", \"target\": \"sw0\", \"key\": 2}"
    );
}

#[test]
fn a_drawn_graph_is_a_fabric_of_switches_with_ports_in_order() {
    // networkx before 3.4 says links; grid graphs have tuples as nodes, others numbers.
    let text = r#"{"nodes": [{"id": [0, 0], "pos": [1, 2]}, {"id": [0, 1]}, {"id": 7}],
                   "links": [{"source": [0, 1], "target": 7, "weight": 2.5},
                             {"source": [0, 0], "target": [0, 1], "weight": null}]}"#;
    let found = found(text);
    assert_eq!(
        links(&found.fabric),
        ["(0, 1)[1] → 7[1]", "(0, 0)[1] → (0, 1)[2]"]
    );
    assert_eq!(found.fabric.switch(SwitchId::new(1)).port_count, 2);
    assert_eq!(
        notes(&found),
        [
            (None, "3 nodes without “kind”"),
            (Some(1), "“pos” of 1 switch"),
            (Some(2), "“weight” of 1 edge"),
        ]
    );
}

#[test]
fn ports_that_are_not_given_are_the_lowest_free_ones_hosts_first() {
    let text = r#"{"nodes": [{"kind": "switch", "id": "a"}, {"kind": "switch", "id": "b"},
                             {"kind": "host", "id": "h"}],
                   "edges": [{"source": "a", "target": "b"},
                             {"source": "a", "target": "b", "from": "b", "from_port": 2},
                             {"source": "a", "target": "h", "to": "a", "to_port": 3},
                             {"source": "b", "target": "b"}]}"#;
    assert_eq!(
        links(&found(text).fabric),
        ["a[1] → b[1]", "b[2] → a[2]", "h[1] → a[3]", "b[3] → b[4]"]
    );
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let cases = table(
        r#"
        "directed": false => "directed": true
            file:2:15: found a directed graph, expected an undirected one, since a link carries both
            directions; convert it first (in networkx: graph.to_undirected())
        "kind": "host", "id": "host1" => "id": "host1"
            file:8:5: found a node without “kind”, though others have one, expected kind switch or
            host for each node, or for none if all are switches
        "kind": "host", "id" => "kind": "server", "id"
            file:8:14: found kind “server”, expected switch or host
        "ports": 8, "id" => "ports": 255, "id"
            file:6:33: found ports “255”, expected a whole number from 1 to 254
        "to_port": 6 => "to_port": 9
            file:11:85: port 9 of “sw0” does not exist; it has ports 1 to 8
        "to_port": 6 => "to_port": 1
            file:11:85: port 1 of “sw0” is used twice: by host0[1] – sw0[1] and by sw1[5] – sw0[1]
            (first at line 12)
        "from": "sw1", "from_port": 5 => "from": "sw2"
            file:11:25: found from “sw2”, expected an end of this edge, “sw0” or “sw1”
        "to": "sw0", "to_port": 6 => "to": "sw1"
            file:11:54: found to “sw1”, expected the edge's other end
        "from": "sw1", "from_port": 5, "to": "sw0", => ``
            file:11:29: found to_port without “to”, expected the name of the node beside it (“to”),
            as an undirected edge does not keep which end is first
        "link": 2 => "link": 1
            file:13:5: found link 1 a second time (first at line 11), expected a number of its own
            for each link
        "target": "host1" => "target": "host12"
            file:13:54: found to “host1”, expected the edge's other end
        "host1", "to_port": 2, "source": "sw1", "target": "host1" => "host12", "to_port": 2, "source": "sw1", "target": "host12"
            file:13:105: no node is named “host12”; did you mean “host1”?
        "source": "sw0", "target": "sw1" => "target": "sw1"
            file:11:5: found no field `source`, expected it; add it
        "id": "host1"} => "id": "host1"}, {"kind": "host", "id": "host0"}
            file:8:38: two nodes are named “host0”; names must be unique (first at line 7)
        "id": "host1" => "id": 1.5
            file:8:28: found 1.5, expected what a node is called: a text, a whole number or a list
            of them
        "rate": "4xHDR" => "rate": "fast"
            file:12:85: found rate “fast”, expected a data rate such as 1.28 Gbit/s, or width x
            speed such as 4xHDR (widths 1, 2, 4, 8, 12)
        "grid": "2x1" => "grid": "2x2"
            file:3:45: the layout is a grid of extents [2, 2], but there are 2 switches; the product
            of the extents must be the number of switches
        "edges": [ => "links": [], "edges": [
            file:1:1: found both “edges” and “links”, expected one list of edges, called “edges” or
            “links”
        "edges": [ => "arcs": [
            file:1:1: found neither “edges” nor “links”, expected one list of edges, called “edges”
            or “links”
    "#,
    );
    for [from, to, expected] in cases {
        assert_eq!(error_after(TWO, &from, &to), expected, "for {from}");
    }
    let nodes = "{\"id\": 0}, {\"id\": 1}";
    let edge = "{\"source\": 0, \"target\": 1}, ";
    let edges = edge.repeat(255);
    let text = format!(
        "{{\"nodes\": [{nodes}], \"edges\": [{}]}}",
        &edges[..edges.len() - 2]
    );
    assert!(error(&text).ends_with(
        "a switch would need 255 ports; at most 254 are possible, so choose smaller parameters"
    ));
}
