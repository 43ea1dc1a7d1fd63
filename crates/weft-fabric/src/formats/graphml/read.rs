//! From the file to a graph.

use super::super::graph::{
    Attributes, EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, Graph, GraphEdge, GraphNode, NODE_ATTRIBUTES,
    Value, assemble, directed,
};
use super::super::{FormatError, Found, Source};
use super::stream::{Element, Parts};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let keys = keys(source)?;
    let mut read = None;
    let mut parts = Parts::new(source);
    parts.each_child(|parts, _| {
        parts.each_child(|parts, child| {
            if child.is("graph") {
                read = Some(gather(source, parts, child, &keys)?);
            }
            Ok(())
        })
    })?;
    drop(keys);
    // Invariant: there is one, or the keys had not been read.
    let graph = read.ok_or_else(|| source.ended("one graph"))?;
    assemble(&graph)
}

/// What a fabric has a place for, by element.
const KNOWN: [(&str, &[&str]); 3] = [
    ("graph", GRAPH_ATTRIBUTES),
    ("node", NODE_ATTRIBUTES),
    ("edge", EDGE_ATTRIBUTES),
];

/// Declared attributes.
#[derive(Default)]
struct Keys {
    /// Names by id.
    names: BTreeMap<String, Rc<str>>,
    /// Values of elements that give none, by element. Of attributes that a fabric has no place for
    /// they are left out, since they would only multiply in memory.
    defaults: BTreeMap<&'static str, Vec<(Rc<str>, Value)>>,
}

/// Goes through all of the text for what it declares, wherever that stands; what is no XML, or has not one graph, is
/// refused.
fn keys(source: Source<'_>) -> Result<Keys, FormatError> {
    let mut keys = Keys::default();
    let mut offset = 0;
    let mut has_graph = false;
    Parts::new(source).each_child(|parts, root| {
        if !root.is("graphml") {
            return Err(root.unexpected(format!("<{}>", root.name()), "<graphml>"));
        }
        offset = root.offset;
        parts.each_child(|parts, child| {
            if child.is("key") {
                keys.declare(parts, child)?;
            } else if child.is("graph") {
                if has_graph {
                    return Err(child.unexpected("a second <graph>", "one graph a file"));
                }
                has_graph = true;
                if child.attribute("edgedefault")?.as_deref() == Some("directed") {
                    return Err(directed(source, child.offset));
                }
            }
            Ok(())
        })
    })?;
    if has_graph {
        return Ok(keys);
    }
    Err(source.unexpected(offset, "<graphml> without <graph>", "one graph in it"))
}

impl Keys {
    fn declare(&mut self, parts: &mut Parts<'_>, key: &Element<'_>) -> Result<(), FormatError> {
        let id = key.required("id")?;
        // yEd declares what it draws with without a name.
        let name = key.attribute("attr.name")?.unwrap_or_else(|| id.clone());
        let name: Rc<str> = name.into();
        self.names.insert(id, Rc::clone(&name));
        let mut default = None;
        parts.each_child(|parts, child| {
            if child.is("default") && default.is_none() {
                default = Some(value(parts, child)?);
            }
            Ok(())
        })?;
        let Some(default) = default else {
            return Ok(());
        };
        let scope = key.attribute("for")?.unwrap_or_else(|| "all".to_owned());
        for (element, known) in KNOWN {
            if (scope == element || scope == "all") && known.contains(&&*name) {
                let defaults = self.defaults.entry(element).or_default();
                defaults.push((Rc::clone(&name), default.clone()));
            }
        }
        Ok(())
    }

    /// What an element has that gives none itself.
    fn defaults_of(&self, element: &Element<'_>) -> Vec<(Rc<str>, Value)> {
        let defaults = self.defaults.get(element.name());
        defaults.cloned().unwrap_or_default()
    }

    /// Adds what an element says of itself by one in it.
    fn add(
        &self,
        attributes: &mut Vec<(Rc<str>, Value)>,
        parts: &mut Parts<'_>,
        data: &Element<'_>,
    ) -> Result<(), FormatError> {
        let id = data.required("key")?;
        let Some(name) = self.names.get(&id) else {
            let found = format!("key “{id}”");
            let expected = "a key that <graphml> declares by <key id=…>";
            return Err(data.unexpected(found, expected));
        };
        attributes.push((Rc::clone(name), value(parts, data)?));
        Ok(())
    }
}

/// The text within an element.
fn value(parts: &mut Parts<'_>, element: &Element<'_>) -> Result<Value, FormatError> {
    Ok(Value {
        text: parts.text()?.into(),
        offset: element.offset,
    })
}

/// All that a node or an edge says of itself.
fn attributes(
    parts: &mut Parts<'_>,
    element: &Element<'_>,
    keys: &Keys,
) -> Result<Attributes, FormatError> {
    let mut attributes = keys.defaults_of(element);
    parts.each_child(|parts, child| {
        if element.is("node") {
            refuse(child)?;
        }
        if child.is("data") {
            keys.add(&mut attributes, parts, child)?;
        }
        Ok(())
    })?;
    Ok(attributes.into_iter().collect())
}

fn gather<'a>(
    source: Source<'a>,
    parts: &mut Parts<'_>,
    graph: &Element<'_>,
    keys: &Keys,
) -> Result<Graph<'a>, FormatError> {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    let mut of_graph = keys.defaults_of(graph);
    parts.each_child(|parts, element| {
        let offset = element.offset;
        if element.is("node") {
            nodes.push(GraphNode {
                id: element.required("id")?,
                offset,
                attributes: attributes(parts, element, keys)?,
            });
        } else if element.is("edge") {
            if element.attribute("directed")?.as_deref() == Some("true") {
                return Err(directed(source, offset));
            }
            let end = |name| -> Result<(String, usize), FormatError> {
                Ok((element.required(name)?, offset))
            };
            edges.push(GraphEdge {
                ends: [end("source")?, end("target")?],
                offset,
                attributes: attributes(parts, element, keys)?,
            });
        } else if element.is("hyperedge") {
            let expected = "edges: a link has two ends";
            return Err(element.unexpected("<hyperedge>", expected));
        } else if element.is("data") {
            keys.add(&mut of_graph, parts, element)?;
        }
        Ok(())
    })?;
    Ok(Graph {
        source,
        attributes: of_graph.into_iter().collect(),
        nodes,
        edges,
    })
}

/// Refuses what a node of GraphML may hold and a node of a fabric may not.
fn refuse(part: &Element<'_>) -> Result<(), FormatError> {
    if part.is("graph") {
        let expected = "all nodes in one graph; ungroup them";
        return Err(part.unexpected("a graph within a node", expected));
    }
    if part.is("port") {
        let expected = "ports as numbers, in from_port and to_port of edges";
        return Err(part.unexpected("<port>", expected));
    }
    Ok(())
}
