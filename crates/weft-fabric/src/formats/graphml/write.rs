//! From a fabric to the file.

use super::super::error::WriteError;
use super::super::graph::{
    EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES, Scalar, edge_attributes, graph_attributes,
    node_attributes, nodes,
};
use super::is_held;
use crate::fabric::Fabric;
use std::fmt::Write as _;

const HEAD: &str = "<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">
";

/// Attributes that are whole numbers.
const WHOLE: &[&str] = &["ports", "lid", "lmc", "link", "from_port", "to_port"];

/// Writes a fabric as networkx does: keys, then nodes and edges with their data.
pub(super) fn write(fabric: &Fabric) -> Result<String, WriteError> {
    check(fabric.name(), "the fabric's name")?;
    for node in nodes(fabric) {
        check(fabric.node_name(node), "the name of a node")?;
    }
    let mut text = HEAD.to_owned();
    let scopes = [
        ("graph", GRAPH_ATTRIBUTES),
        ("node", NODE_ATTRIBUTES),
        ("edge", EDGE_ATTRIBUTES),
    ];
    for (scope, names) in scopes {
        for name in names {
            let kind = match *name {
                "metres" => "double",
                name if WHOLE.contains(&name) => "long",
                _ => "string",
            };
            let _ = writeln!(
                text,
                "  <key id=\"{scope}_{name}\" for=\"{scope}\" attr.name=\"{name}\" \
                 attr.type=\"{kind}\"/>"
            );
        }
    }
    text.push_str("  <graph edgedefault=\"undirected\">\n");
    data(&mut text, "    ", "graph", graph_attributes(fabric));
    for node in nodes(fabric) {
        let name = escaped(fabric.node_name(node));
        let _ = writeln!(text, "    <node id=\"{name}\">");
        data(&mut text, "      ", "node", node_attributes(fabric, node));
        text.push_str("    </node>\n");
    }
    for id in fabric.link_ids() {
        let ends = fabric.link(id).ends;
        let [source, target] = ends.map(|end| escaped(fabric.node_name(end.node)));
        let number = id.number();
        let _ = writeln!(
            text,
            "    <edge source=\"{source}\" target=\"{target}\" id=\"{number}\">"
        );
        data(&mut text, "      ", "edge", edge_attributes(fabric, id));
        text.push_str("    </edge>\n");
    }
    text.push_str("  </graph>\n</graphml>\n");
    Ok(text)
}

fn data(text: &mut String, indent: &str, scope: &str, entries: Vec<(&'static str, Scalar)>) {
    for (name, value) in entries {
        let value = match value {
            Scalar::Text(value) => escaped(&value),
            Scalar::Whole(number) => number.to_string(),
            Scalar::Number(number) => number.to_string(),
        };
        let _ = writeln!(text, "{indent}<data key=\"{scope}_{name}\">{value}</data>");
    }
}

/// A text as it may stand in an element or in a quoted attribute: blanks other than spaces
/// are spelt out, as readers of XML may change them.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Refuses characters that XML has not.
fn check(text: &str, what: &str) -> Result<(), WriteError> {
    match text.chars().find(|&c| !is_held(c)) {
        None => Ok(()),
        Some(found) => Err(WriteError::CannotHold {
            format: super::super::FormatName::GraphMl,
            what: format!("{what}, “{}”", text.escape_debug()),
            reason: format!(
                "XML has no character U+{:04X}; name it otherwise or choose another format",
                u32::from(found)
            ),
        }),
    }
}
