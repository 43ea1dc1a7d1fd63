//! From a fabric to the file.

use super::super::graph::{Scalar, edge_attributes, graph_attributes, node_attributes, nodes};
use super::super::json_text::list;
use crate::fabric::Fabric;
use serde_json::Value;
use std::fmt::Write as _;

/// Writes a fabric as networkx does, one node or edge a line.
pub(super) fn write(fabric: &Fabric) -> String {
    let mut text = format!(
        "{{\n  \"directed\": false,\n  \"multigraph\": true,\n  \"graph\": {},\n",
        object(graph_attributes(fabric))
    );
    let nodes = nodes(fabric).map(|node| {
        let mut members = node_attributes(fabric, node);
        members.push(("id", Scalar::Text(fabric.node_name(node).to_owned())));
        object(members)
    });
    let edges = fabric.link_ids().map(|id| {
        let mut members = edge_attributes(fabric, id);
        let [source, target] = fabric.link(id).ends;
        let name = |node| Scalar::Text(fabric.node_name(node).to_owned());
        members.push(("source", name(source.node)));
        members.push(("target", name(target.node)));
        members.push(("key", Scalar::Whole(id.number().into())));
        object(members)
    });
    let lists = [("nodes", list(nodes)), ("edges", list(edges))];
    let lists = lists.map(|(name, entries)| format!("  \"{name}\": {entries}"));
    let _ = writeln!(text, "{}\n}}", lists.join(",\n"));
    text
}

fn object(members: Vec<(&'static str, Scalar)>) -> String {
    let members: Vec<String> = members
        .into_iter()
        .map(|(name, value)| match value {
            Scalar::Text(text) => format!("\"{name}\": {}", Value::from(text)),
            Scalar::Whole(number) => format!("\"{name}\": {number}"),
            Scalar::Number(number) => format!("\"{name}\": {number}"),
        })
        .collect();
    format!("{{{}}}", members.join(", "))
}
