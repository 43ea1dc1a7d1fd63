//! GraphML as networkx writes and reads it (`networkx.write_graphml`).
//!
//! ```xml
//! <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
//!   <key id="d0" for="node" attr.name="kind" attr.type="string"/>
//!   <key id="d1" for="node" attr.name="ports" attr.type="long"/>
//!   <graph edgedefault="undirected">
//!     <node id="sw0"><data key="d0">switch</data><data key="d1">8</data></node>
//!     <node id="sw1"><data key="d0">switch</data><data key="d1">8</data></node>
//!     <edge source="sw0" target="sw1" id="0"/>
//!   </graph>
//! </graphml>
//! ```
//!
//! The attributes are those of [`graph`](super::graph). A document type declaration is refused: a
//! few lines of entities could otherwise grow to any size. Groups (a graph within a node), ports and
//! hyperedges of GraphML have no counterpart in a fabric and are refused as well.
//!
//! Source: GraphML 1.0 (graphml.graphdrawing.org); networkx 3.6, `readwrite/graphml.py`.

mod error;
mod read;
mod stream;
mod write;

use super::{Format, FormatName, Reader};

/// The namespace of GraphML; elements without any are taken as well, as networkx does.
const NAMESPACE: &str = "http://graphml.graphdrawing.org/xmlns";

/// Tells whether XML 1.0, §2.2, has a character.
fn is_held(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// GraphML in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::GraphMl,
    id: "graphml",
    title: "GraphML",
    summary: "A graph with attributes as networkx, yEd and Gephi hold it.",
    keeps: "Everything, where names have no control character.",
    extensions: &["graphml"],
    reader: Some(Reader(recognises, read::read)),
    writer: Some(write::write),
};

/// Tells GraphML from other text.
pub(super) fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('<') && text.contains("graphml")
}
