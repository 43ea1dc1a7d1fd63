//! Graphviz: the fabric as a drawing.
//!
//! Switches are boxes, hosts ellipses, and both ends of an edge carry their ports. Where the fabric
//! is a tree, switches of one level stand in one row above their hosts and `dot` draws it; any other
//! is left to `sfdp`. Nodes are called `s` or `h` and their number, with their names as labels, so
//! that no name needs quoting twice.
//!
//! Source: Graphviz, "The DOT Language" (quoted strings) and `escString` (backslashes and HTML
//! entities in labels).

use super::levels::{joined_peers, levels};
use super::{Format, FormatName};
use crate::{Fabric, Node, SwitchId};
use std::fmt::Write as _;

/// Graphviz in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Dot,
    id: "dot",
    title: "Graphviz DOT",
    summary: "A drawing for Graphviz, switches in rows by level where the fabric is a tree.",
    keeps: "It is not read.",
    extensions: &["dot", "gv"],
    reader: None,
    writer: Some(|fabric| Ok(write(fabric))),
};

/// Writes a fabric as an undirected graph.
fn write(fabric: &Fabric) -> String {
    let levels = tree_levels(fabric);
    let layout = if levels.is_some() { "dot" } else { "sfdp" };
    let name = quoted(fabric.name());
    let mut text = format!("graph {name} {{\n  layout={layout};\n  node [shape=ellipse];\n");
    let switch = |text: &mut String, indent: &str, id: SwitchId| {
        let label = quoted(&fabric.switch(id).name);
        let number = id.number();
        let _ = writeln!(text, "{indent}s{number} [shape=box, label={label}];");
    };
    if let Some(levels) = &levels {
        let top = levels.iter().copied().max().unwrap_or(0);
        for level in (0..=top).rev() {
            let _ = writeln!(text, "  subgraph level_{level} {{\n    rank=same;");
            let row = fabric.switch_ids().filter(|id| levels[id.index()] == level);
            row.for_each(|id| switch(&mut text, "    ", id));
            text.push_str("  }\n");
        }
    } else {
        fabric
            .switch_ids()
            .for_each(|id| switch(&mut text, "  ", id));
    }
    for host in fabric.host_ids() {
        let label = quoted(&fabric.host(host).name);
        let _ = writeln!(text, "  h{} [label={label}];", host.number());
    }
    let height = |node: Node| match node {
        Node::Host(_) => 0,
        Node::Switch(id) => levels.as_ref().map_or(1, |levels| 1 + levels[id.index()]),
    };
    for link in fabric.link_ids().map(|id| fabric.link(id)) {
        let [mut above, mut below] = link.ends;
        // Graphviz puts the first end of an edge above the second.
        if height(below.node) > height(above.node) {
            (above, below) = (below, above);
        }
        let rate = link.cable.rate.map(|rate| format!(", tooltip=\"{rate}\""));
        let _ = writeln!(
            text,
            "  {} -- {} [taillabel={}, headlabel={}{}];",
            node_id(above.node),
            node_id(below.node),
            above.port,
            below.port,
            rate.unwrap_or_default()
        );
    }
    text.push_str("}\n");
    text
}

fn node_id(node: Node) -> String {
    match node {
        Node::Switch(id) => format!("s{}", id.number()),
        Node::Host(id) => format!("h{}", id.number()),
    }
}

/// The levels of the switches above the hosts, if the fabric is a tree.
fn tree_levels(fabric: &Fabric) -> Option<Vec<u32>> {
    let has_hosts = |id: &SwitchId| !fabric.hosts_of(*id).is_empty();
    let leaves: Vec<SwitchId> = fabric.switch_ids().filter(has_hosts).collect();
    let levels = levels(fabric, &leaves);
    match joined_peers(fabric, |a, b| levels[a.index()] == levels[b.index()]) {
        Some(_) => None,
        None => levels.into_iter().collect(),
    }
}

/// A text as a label in quotes. Backslashes stand for more than themselves in labels, and
/// ampersands start entities.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '&' => quoted.push_str("&amp;"),
            '\n' => quoted.push_str("\\n"),
            _ if c.is_control() => quoted.push(char::REPLACEMENT_CHARACTER),
            _ => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
