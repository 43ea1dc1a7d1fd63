//! A fabric as the attributes of a graph.

use crate::{Fabric, Layout, LinkId, Node};

/// Attributes of the graph, in the order in which they are written.
pub(crate) const GRAPH_ATTRIBUTES: &[&str] = &["name", "grid"];
/// Attributes of a node.
pub(crate) const NODE_ATTRIBUTES: &[&str] = &[
    "kind",
    "ports",
    "guid",
    "system_guid",
    "adapter_guid",
    "lid",
    "lmc",
    "service",
];
/// Those of them that a switch has.
pub(super) const SWITCH_ATTRIBUTES: &[&str] =
    &["kind", "ports", "guid", "system_guid", "lid", "lmc"];
/// Those of them that a host has.
pub(super) const HOST_ATTRIBUTES: &[&str] =
    &["kind", "guid", "adapter_guid", "lid", "lmc", "service"];
/// Attributes of an edge.
pub(crate) const EDGE_ATTRIBUTES: &[&str] = &[
    "link",
    "from",
    "from_port",
    "to",
    "to_port",
    "rate",
    "metres",
    "port_kind",
];

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scalar {
    /// A text.
    Text(String),
    /// A whole number.
    Whole(u64),
    /// Any number.
    Number(f64),
}

/// An attribute's name and value.
type Entry = (&'static str, Scalar);

/// All nodes: switches, then hosts, in order.
pub(crate) fn nodes(fabric: &Fabric) -> impl Iterator<Item = Node> {
    let switches = fabric.switch_ids().map(Node::Switch);
    switches.chain(fabric.host_ids().map(Node::Host))
}

/// The attributes of the graph.
pub(crate) fn graph_attributes(fabric: &Fabric) -> Vec<Entry> {
    let mut entries = vec![("name", Scalar::Text(fabric.name().to_owned()))];
    if let Layout::Grid { extents } = fabric.layout() {
        let extents: Vec<String> = extents.iter().map(u32::to_string).collect();
        entries.push(("grid", Scalar::Text(extents.join("x"))));
    }
    entries
}

/// The attributes of a node.
pub(crate) fn node_attributes(fabric: &Fabric, node: Node) -> Vec<Entry> {
    let text = |text: &str| Scalar::Text(text.to_owned());
    let (mut entries, guids, lids) = match node {
        Node::Switch(id) => {
            let switch = fabric.switch(id);
            let ports = Scalar::Whole(switch.port_count.into());
            let entries = vec![("kind", text("switch")), ("ports", ports)];
            let guids = [("guid", switch.guid), ("system_guid", switch.system_guid)];
            (entries, guids, switch.lids)
        }
        Node::Host(id) => {
            let host = fabric.host(id);
            let guids = [("guid", host.guid), ("adapter_guid", host.adapter_guid)];
            (vec![("kind", text("host"))], guids, host.lids)
        }
    };
    for (name, guid) in guids {
        if let Some(guid) = guid {
            entries.push((name, Scalar::Text(format!("0x{guid:016x}"))));
        }
    }
    if let Some(lids) = lids {
        entries.push(("lid", Scalar::Whole(lids.base().into())));
        if lids.mask_bits() > 0 {
            entries.push(("lmc", Scalar::Whole(lids.mask_bits().into())));
        }
    }
    if let Node::Host(id) = node
        && let Some(reason) = fabric.host(id).service
    {
        entries.push(("service", text(reason.name())));
    }
    entries
}

/// The attributes of a link.
pub(crate) fn edge_attributes(fabric: &Fabric, id: LinkId) -> Vec<Entry> {
    let link = fabric.link(id);
    let [from, to] = link.ends;
    let name = |node| Scalar::Text(fabric.node_name(node).to_owned());
    let port = |number: u8| Scalar::Whole(number.into());
    let mut entries = vec![
        ("link", Scalar::Whole(id.number().into())),
        ("from", name(from.node)),
        ("from_port", port(from.port.number())),
        ("to", name(to.node)),
        ("to_port", port(to.port.number())),
    ];
    let cable = link.cable;
    if let Some(rate) = cable.rate {
        entries.push(("rate", Scalar::Text(rate.to_string())));
    }
    if let Some(length) = cable.length {
        entries.push(("metres", Scalar::Number(length.metres())));
    }
    if let Some(kind) = cable.port_kind {
        entries.push(("port_kind", Scalar::Text(kind.to_string())));
    }
    entries
}
