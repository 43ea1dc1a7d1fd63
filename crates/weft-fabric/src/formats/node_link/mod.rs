//! The node-link JSON of networkx (`networkx.node_link_data`), as D3 and others read it.
//!
//! ```json
//! {
//!   "directed": false,
//!   "multigraph": true,
//!   "graph": {"name": "two switches"},
//!   "nodes": [
//!     {"kind": "switch", "ports": 8, "id": "sw0"},
//!     {"kind": "switch", "ports": 8, "id": "sw1"}
//!   ],
//!   "edges": [
//!     {"link": 0, "from": "sw0", "from_port": 5, "to": "sw1", "to_port": 5,
//!      "source": "sw0", "target": "sw1", "key": 0}
//!   ]
//! }
//! ```
//!
//! networkx calls the list of edges `links` before release 3.4; both are read, `edges` is written.
//! The attributes are those of [`graph`](super::graph).
//!
//! Source: networkx 3.6, `readwrite/json_graph/node_link.py`.

mod read;
mod write;

use super::{Format, FormatName, Reader};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// networkx node-link JSON in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::NodeLink,
    id: "node-link",
    title: "networkx node-link JSON",
    summary: "A graph with attributes as `networkx.node_link_data` gives it.",
    keeps: "Everything.",
    extensions: &["nodelink"],
    reader: Some(Reader(recognises, read::read)),
    writer: Some(|fabric| Ok(write::write(fabric))),
};

/// What tells node-link JSON from our own.
#[derive(Deserialize)]
struct Head {
    format: Option<IgnoredAny>,
    nodes: Option<IgnoredAny>,
}

/// Tells node-link JSON from other text: an object that lists nodes and names no format.
pub(super) fn recognises(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && serde_json::from_str::<Head>(text)
            .is_ok_and(|head| head.format.is_none() && head.nodes.is_some())
}
