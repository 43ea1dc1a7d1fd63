//! From a graph to the fabric.

use super::super::placed::{PlacedBuilder, PlacedEnd, nearest};
use super::super::source::number;
use super::super::{FormatError, FormatErrorKind, ReadNote, Source, fabric_name};
use super::attributes::Kind;
use super::description::{HOST_ATTRIBUTES, SWITCH_ATTRIBUTES};
use super::ports::{Link, LinkEnd, complete};
use super::{EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, Graph, GraphEdge};
use crate::{Fabric, FabricError, Host, Layout, Node, PortNumber, Switch};
use std::collections::BTreeMap;

/// What networkx leaves on edges that lost their keys.
const EDGE_LEFTOVERS: &[&str] = &["id", "key"];

/// Builds the fabric: switches and hosts in the order of the nodes, links by their numbers.
pub(crate) fn assemble(graph: &Graph<'_>) -> Result<(Fabric, Vec<ReadNote>), FormatError> {
    let source = graph.source;
    let mut notes = Vec::new();
    let kinds = kinds(graph, &mut notes)?;
    let mut links = links(graph)?;

    let name = graph.attributes.get("name");
    let name = name.map_or_else(|| fabric_name(source.name), |name| name.text.to_string());
    let mut builder = PlacedBuilder::new(source, name);
    if let Some(extents) = graph.attributes.grid(source)? {
        let offset = graph.attributes.get("grid").map_or(0, |grid| grid.offset);
        builder.set_layout(Layout::Grid { extents }, offset);
    }
    let highest_ports = complete(&kinds, &mut links).map_err(|offset| {
        let error = FabricError::TooManyPorts {
            needed: u64::from(PortNumber::MAX) + 1,
            limit: PortNumber::MAX,
        };
        builder.clash(offset, error, None)
    })?;
    let mut nodes = Vec::with_capacity(kinds.len());
    for ((entry, kind), highest_port) in graph.nodes.iter().zip(&kinds).zip(highest_ports) {
        let (name, attributes) = (entry.id.clone(), &entry.attributes);
        let guid = attributes.guid(source, "guid")?;
        let lids = attributes.lids(source, entry.offset)?;
        nodes.push(match kind {
            Kind::Switch => {
                let given = attributes.port(source, "ports")?;
                let switch = Switch {
                    name,
                    port_count: given.map_or(highest_port, PortNumber::number),
                    guid,
                    system_guid: attributes.guid(source, "system_guid")?,
                    lids,
                };
                builder.add_switch(switch, entry.offset)?
            }
            Kind::Host => {
                let host = Host {
                    name,
                    guid,
                    adapter_guid: attributes.guid(source, "adapter_guid")?,
                    lids,
                    service: attributes.service(source)?,
                };
                builder.add_host(host, entry.offset)?
            }
        });
    }
    for Link { ends, cable, .. } in links {
        let ends = ends.map(|end| {
            // Invariant: every end was given a port above.
            let port = end.port.unwrap_or(PortNumber::new(1));
            PlacedEnd::new(nodes[end.node], port, end.offset)
        });
        builder.add_link(ends, cable)?;
    }
    note_unknown(graph, &nodes, &mut notes);
    Ok((builder.build(source.content())?, notes))
}

/// The kinds of the nodes: all given, or none and all are switches.
fn kinds(graph: &Graph<'_>, notes: &mut Vec<ReadNote>) -> Result<Vec<Kind>, FormatError> {
    let source = graph.source;
    let given = graph.nodes.iter().map(|node| node.attributes.kind(source));
    let given = given.collect::<Result<Vec<_>, _>>()?;
    if given.iter().any(Option::is_some) {
        if let Some(silent) = given.iter().position(Option::is_none) {
            return Err(source.unexpected(
                graph.nodes[silent].offset,
                "a node without “kind”, though others have one",
                "kind switch or host for each node, or for none if all are switches",
            ));
        }
    } else if !given.is_empty() {
        notes.push(ReadNote {
            line: None,
            text: format!("{} nodes without “kind”", given.len()),
            reason: "all were taken for switches, so the fabric has no host; say which nodes are \
                     hosts (kind switch or host)"
                .to_owned(),
        });
    }
    let kinds = given.into_iter().map(|kind| kind.unwrap_or(Kind::Switch));
    Ok(kinds.collect())
}

/// The links by their numbers, those without one last.
fn links(graph: &Graph<'_>) -> Result<Vec<Link>, FormatError> {
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    for (position, node) in graph.nodes.iter().enumerate() {
        by_name.entry(&node.id).or_insert(position);
    }
    let mut links = Vec::with_capacity(graph.edges.len());
    let mut numbered: BTreeMap<u64, usize> = BTreeMap::new();
    for edge in &graph.edges {
        let link = link(graph.source, edge, &by_name)?;
        if let Some(number) = link.number
            && let Some(first) = numbered.insert(number, edge.offset)
        {
            return Err(graph.source.unexpected(
                edge.offset,
                format!(
                    "link {number} a second time (first at line {})",
                    graph.source.line_of(first)
                ),
                "a number of its own for each link",
            ));
        }
        links.push(link);
    }
    links.sort_by_key(|link| link.number.unwrap_or(u64::MAX));
    Ok(links)
}

fn link(
    source: Source<'_>,
    edge: &GraphEdge,
    by_name: &BTreeMap<&str, usize>,
) -> Result<Link, FormatError> {
    let attributes = &edge.attributes;
    let [a, b] = &edge.ends;
    let [first, second] = if is_turned(source, edge)? {
        [b, a]
    } else {
        [a, b]
    };
    let end = |(name, offset): &(String, usize), port: &str| {
        let Some(&node) = by_name.get(name.as_str()) else {
            let known = by_name.keys().copied();
            let kind = FormatErrorKind::UnknownNode {
                name: name.clone(),
                advice: nearest(name, known, "list it among the nodes"),
            };
            return Err(source.error(*offset, kind));
        };
        Ok(LinkEnd {
            node,
            port: attributes.port(source, port)?,
            offset: *offset,
        })
    };
    Ok(Link {
        ends: [end(first, "from_port")?, end(second, "to_port")?],
        cable: attributes.cable(source)?,
        number: attributes.link(source)?,
    })
}

/// Tells whether the edge names the link's second end first.
fn is_turned(source: Source<'_>, edge: &GraphEdge) -> Result<bool, FormatError> {
    let [(a, _), (b, _)] = &edge.ends;
    let mut turned = None;
    // Each says which of the edge's ends it is, as seen by a link that is not turned.
    for (name, straight, crossed) in [("from", a, b), ("to", b, a)] {
        let Some(value) = edge.attributes.get(name) else {
            continue;
        };
        let fits_straight = *value.text == **straight && turned != Some(true);
        let fits_crossed = *value.text == **crossed && turned != Some(false);
        if !fits_straight && !fits_crossed {
            let found = format!("{name} “{}”", value.text);
            let expected = match turned {
                None => format!("an end of this edge, “{a}” or “{b}”"),
                Some(_) => "the edge's other end".to_owned(),
            };
            return Err(source.unexpected(value.offset, found, expected));
        }
        turned = Some(!fits_straight);
    }
    if turned.is_none() {
        for (port, end) in [("from_port", "from"), ("to_port", "to")] {
            if let Some(value) = edge.attributes.get(port) {
                let expected = format!(
                    "the name of the node beside it (“{end}”), as an undirected edge does not keep \
                     which end is first"
                );
                let found = format!("{port} without “{end}”");
                return Err(source.unexpected(value.offset, found, expected));
            }
        }
    }
    Ok(turned.unwrap_or(false))
}

/// Notes attributes that a fabric has no place for, each name once, in the order of the file.
fn note_unknown(graph: &Graph<'_>, nodes: &[Node], notes: &mut Vec<ReadNote>) {
    let mut unknown: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let of_nodes = graph
        .nodes
        .iter()
        .zip(nodes)
        .map(|(entry, node)| match node {
            Node::Switch(_) => ("switches", &entry.attributes, SWITCH_ATTRIBUTES),
            Node::Host(_) => ("hosts", &entry.attributes, HOST_ATTRIBUTES),
        });
    let of_edges = (graph.edges.iter()).map(|edge| ("edges", &edge.attributes, EDGE_ATTRIBUTES));
    let of_graph = ("the graph", &graph.attributes, GRAPH_ATTRIBUTES);
    for (owner, attributes, known) in of_nodes.chain(of_edges).chain([of_graph]) {
        for (name, value) in attributes.iter() {
            let is_leftover = owner == "edges" && EDGE_LEFTOVERS.contains(&name);
            if !known.contains(&name) && !is_leftover {
                let seen = unknown.entry((owner, name)).or_insert((value.offset, 0));
                *seen = (seen.0.min(value.offset), seen.1 + 1);
            }
        }
    }
    let mut unknown: Vec<_> = unknown.into_iter().collect();
    unknown.sort_by_key(|&(_, (first, _))| first);
    // Lines are counted on from note to note, not from the start for each.
    let (mut line, mut counted) = (1, 0);
    notes.extend(unknown.into_iter().map(|((owner, name), (first, count))| {
        let between = graph.source.text.get(counted..first).unwrap_or("");
        line += between.matches('\n').count();
        counted = first;
        let owner = match owner {
            "the graph" => owner.to_owned(),
            "switches" if count == 1 => "1 switch".to_owned(),
            _ if count == 1 => format!("1 {}", owner.trim_end_matches('s')),
            _ => format!("{count} {owner}"),
        };
        ReadNote {
            line: Some(number(line)),
            text: format!("“{name}” of {owner}"),
            reason: "a fabric has no place for it".to_owned(),
        }
    }));
}
