//! From the file to a graph.

use super::super::graph::{
    Attributes, EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, Graph, GraphEdge, GraphNode, NODE_ATTRIBUTES,
    Value, assemble, directed,
};
use super::super::{FormatError, Found, Source};
use super::error::placed;
use roxmltree::{Document, Node, ParsingOptions};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The namespace of GraphML; elements without any are taken as well, as networkx does.
const NAMESPACE: &str = "http://graphml.graphdrawing.org/xmlns";

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let options = ParsingOptions {
        allow_dtd: false,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(source.text, options)
        .map_err(|error| placed(source, &error))?;
    let root = document.root_element();
    if !is(root, "graphml") {
        let found = format!("<{}>", root.tag_name().name());
        return Err(unexpected(source, root, found, "<graphml>"));
    }
    let keys = keys(source, root)?;
    let mut graphs = root.children().filter(|child| is(*child, "graph"));
    let Some(graph) = graphs.next() else {
        let found = "<graphml> without <graph>".to_owned();
        return Err(unexpected(source, root, found, "one graph in it"));
    };
    if let Some(second) = graphs.next() {
        let found = "a second <graph>".to_owned();
        return Err(unexpected(source, second, found, "one graph a file"));
    }
    if graph.attribute("edgedefault") == Some("directed") {
        return Err(directed(source, graph.range().start));
    }
    let graph = gather(source, graph, &keys)?;
    // It takes many times what its text does, and the graph has all that is needed of it.
    drop(keys);
    drop(document);
    assemble(&graph)
}

/// Tells whether a node of the XML is an element of GraphML of this name.
fn is(node: Node<'_, '_>, name: &str) -> bool {
    let tag = node.tag_name();
    node.is_element() && tag.name() == name && tag.namespace().is_none_or(|of| of == NAMESPACE)
}

fn unexpected(source: Source<'_>, at: Node<'_, '_>, found: String, expected: &str) -> FormatError {
    let expected = expected.to_owned();
    source.unexpected(at.range().start, found, expected)
}

/// What a fabric has a place for, by element.
const KNOWN: [(&str, &[&str]); 3] = [
    ("graph", GRAPH_ATTRIBUTES),
    ("node", NODE_ATTRIBUTES),
    ("edge", EDGE_ATTRIBUTES),
];

/// Declared attributes.
#[derive(Default)]
struct Keys<'x> {
    /// Names by id.
    names: BTreeMap<&'x str, Rc<str>>,
    /// Values of elements that give none, by element. Of attributes that a fabric has no place for
    /// they are left out, since they would only multiply in memory.
    defaults: BTreeMap<&'static str, Vec<(Rc<str>, Value)>>,
}

fn keys<'x>(source: Source<'_>, root: Node<'x, '_>) -> Result<Keys<'x>, FormatError> {
    let mut keys = Keys::default();
    for key in root.children().filter(|child| is(*child, "key")) {
        let id = required(source, key, "id")?;
        // yEd declares what it draws with without a name.
        let name = key.attribute("attr.name").unwrap_or(id);
        keys.names.insert(id, name.into());
        let Some(default) = key.children().find(|child| is(*child, "default")) else {
            continue;
        };
        let scope = key.attribute("for").unwrap_or("all");
        for (element, known) in KNOWN {
            if (scope == element || scope == "all") && known.contains(&name) {
                let defaults = keys.defaults.entry(element).or_default();
                defaults.push((name.into(), value(default)));
            }
        }
    }
    Ok(keys)
}

fn required<'x>(
    source: Source<'_>,
    element: Node<'x, '_>,
    name: &str,
) -> Result<&'x str, FormatError> {
    element.attribute(name).ok_or_else(|| {
        let tag = element.tag_name().name();
        let expected = format!("{name}=\"…\" in it");
        unexpected(
            source,
            element,
            format!("<{tag}> without {name}"),
            &expected,
        )
    })
}

/// The text within an element.
fn value(element: Node<'_, '_>) -> Value {
    let texts = element.descendants().filter(Node::is_text);
    Value {
        text: texts
            .filter_map(|text| text.text())
            .collect::<String>()
            .into(),
        offset: element.range().start,
    }
}

fn attributes(
    source: Source<'_>,
    element: Node<'_, '_>,
    keys: &Keys<'_>,
) -> Result<Attributes, FormatError> {
    let defaults = keys.defaults.get(element.tag_name().name());
    let mut attributes = defaults.cloned().unwrap_or_default();
    for data in element.children().filter(|child| is(*child, "data")) {
        let id = required(source, data, "key")?;
        let Some(name) = keys.names.get(id) else {
            let found = format!("key “{id}”");
            let expected = "a key that <graphml> declares by <key id=…>";
            return Err(unexpected(source, data, found, expected));
        };
        attributes.push((Rc::clone(name), value(data)));
    }
    Ok(attributes.into_iter().collect())
}

fn gather<'a>(
    source: Source<'a>,
    graph: Node<'_, '_>,
    keys: &Keys<'_>,
) -> Result<Graph<'a>, FormatError> {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for element in graph.children().filter(Node::is_element) {
        let offset = element.range().start;
        if is(element, "node") {
            refuse_parts(source, element)?;
            nodes.push(GraphNode {
                id: required(source, element, "id")?.to_owned(),
                offset,
                attributes: attributes(source, element, keys)?,
            });
        } else if is(element, "edge") {
            if element.attribute("directed") == Some("true") {
                return Err(directed(source, offset));
            }
            let end = |name| -> Result<(String, usize), FormatError> {
                Ok((required(source, element, name)?.to_owned(), offset))
            };
            edges.push(GraphEdge {
                ends: [end("source")?, end("target")?],
                offset,
                attributes: attributes(source, element, keys)?,
            });
        } else if is(element, "hyperedge") {
            let found = "<hyperedge>".to_owned();
            let expected = "edges: a link has two ends";
            return Err(unexpected(source, element, found, expected));
        }
    }
    let attributes = attributes(source, graph, keys)?;
    Ok(Graph {
        source,
        attributes,
        nodes,
        edges,
    })
}

/// Refuses what a node of GraphML may hold and a node of a fabric may not.
fn refuse_parts(source: Source<'_>, node: Node<'_, '_>) -> Result<(), FormatError> {
    for part in node.children() {
        if is(part, "graph") {
            let found = "a graph within a node".to_owned();
            let expected = "all nodes in one graph; ungroup them";
            return Err(unexpected(source, part, found, expected));
        }
        if is(part, "port") {
            let found = "<port>".to_owned();
            let expected = "ports as numbers, in from_port and to_port of edges";
            return Err(unexpected(source, part, found, expected));
        }
    }
    Ok(())
}
