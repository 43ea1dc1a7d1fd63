//! From the file to a graph.

use super::super::graph::{Attributes, Graph, GraphEdge, GraphNode, Value, assemble, directed};
use super::super::json_text::clipped;
use super::super::{FormatError, Found, JsonText, Source};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(expecting = "an object with the members of a graph")]
struct Document<'a> {
    #[serde(borrow)]
    directed: Option<&'a RawValue>,
    #[serde(borrow)]
    graph: Option<&'a RawValue>,
    #[serde(borrow)]
    nodes: Vec<&'a RawValue>,
    #[serde(borrow)]
    edges: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    links: Option<Vec<&'a RawValue>>,
}

/// Members of an object, not yet parsed.
#[derive(Deserialize)]
#[serde(transparent)]
#[serde(expecting = "an object such as {\"id\": \"sw0\"}")]
struct Members<'a>(#[serde(borrow)] BTreeMap<String, &'a RawValue>);

pub(super) fn read(source: Source<'_>) -> Result<Found, FormatError> {
    let text = JsonText { source };
    let document: Document<'_> = text.parse(source.text)?;
    if let Some(direction) = document.directed
        && text.parse::<bool>(direction.get())?
    {
        return Err(directed(source, text.offset(direction.get())));
    }
    let edges = match (document.edges, document.links) {
        (Some(edges), None) | (None, Some(edges)) => edges,
        (edges, _) => {
            let found = match edges {
                Some(_) => "both “edges” and “links”",
                None => "neither “edges” nor “links”",
            };
            return Err(source.unexpected(
                source.content(),
                found,
                "one list of edges, called “edges” or “links”",
            ));
        }
    };
    let attributes = match document.graph {
        Some(entry) => attributes(text, text.parse::<Members<'_>>(entry.get())?.0)?,
        None => Attributes::default(),
    };
    let nodes = document.nodes.into_iter().map(|entry| node(text, entry));
    let edges = edges.into_iter().map(|entry| edge(text, entry));
    let graph = Graph {
        source,
        attributes,
        nodes: nodes.collect::<Result<_, _>>()?,
        edges: edges.collect::<Result<_, _>>()?,
    };
    assemble(&graph)
}

fn node<'a>(text: JsonText<'a>, entry: &'a RawValue) -> Result<GraphNode, FormatError> {
    let mut members = text.parse::<Members<'_>>(entry.get())?.0;
    let (id, _) = id(text, entry, &mut members, "id")?;
    Ok(GraphNode {
        id,
        offset: text.offset(entry.get()),
        attributes: attributes(text, members)?,
    })
}

fn edge<'a>(text: JsonText<'a>, entry: &'a RawValue) -> Result<GraphEdge, FormatError> {
    let mut members = text.parse::<Members<'_>>(entry.get())?.0;
    let source = id(text, entry, &mut members, "source")?;
    let target = id(text, entry, &mut members, "target")?;
    Ok(GraphEdge {
        ends: [source, target],
        offset: text.offset(entry.get()),
        attributes: attributes(text, members)?,
    })
}

/// Takes a node's id out of the members of an entry.
fn id<'a>(
    text: JsonText<'a>,
    entry: &'a RawValue,
    members: &mut BTreeMap<String, &'a RawValue>,
    member: &str,
) -> Result<(String, usize), FormatError> {
    let Some(value) = members.remove(member) else {
        return Err(text.source.unexpected(
            text.offset(entry.get()),
            format!("no field `{member}`"),
            "it; add it",
        ));
    };
    Ok((name(text, value)?, text.offset(value.get())))
}

/// What a node is called. networkx takes any text, number or tuple of them; a tuple stands
/// as Python shows it: `(0, 1)`.
fn name<'a>(text: JsonText<'a>, id: &'a RawValue) -> Result<String, FormatError> {
    if !id.get().starts_with('[') {
        return scalar(text, id);
    }
    let parts: Vec<&RawValue> = text.parse(id.get())?;
    let parts = parts.into_iter().map(|part| {
        let shown = scalar(text, part)?;
        let is_text = part.get().starts_with('"');
        Ok(if is_text { format!("'{shown}'") } else { shown })
    });
    let parts = parts.collect::<Result<Vec<_>, FormatError>>()?;
    Ok(format!("({})", parts.join(", ")))
}

fn scalar<'a>(text: JsonText<'a>, id: &'a RawValue) -> Result<String, FormatError> {
    let raw = id.get();
    if raw.starts_with('"') {
        return text.parse(raw);
    }
    let number = raw.parse::<i64>().map(|number| number.to_string());
    number.map_err(|_| {
        let expected = "what a node is called: a text, a whole number or a list of them";
        let offset = text.offset(raw);
        text.source.unexpected(offset, clipped(raw), expected)
    })
}

/// The members as attributes; `null` is none.
fn attributes<'a>(
    text: JsonText<'a>,
    members: BTreeMap<String, &'a RawValue>,
) -> Result<Attributes, FormatError> {
    let mut attributes = Vec::new();
    for (name, raw) in members {
        let value = match raw.get().as_bytes().first() {
            Some(b'n') => continue,
            Some(b'"') => text.parse::<String>(raw.get())?.into(),
            _ => raw.get().into(),
        };
        let offset = text.offset(raw.get());
        let value = Value {
            text: value,
            offset,
        };
        attributes.push((name.into(), value));
    }
    Ok(attributes.into_iter().collect())
}
