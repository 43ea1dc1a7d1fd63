//! What the formats of graph tools share: an undirected graph of nodes and edges with attributes.
//!
//! ```text
//! node_link ─┐                                       ┌─► node_link
//!            ├─► Graph ─► assembly ─► Fabric ─► description
//! graphml ───┘                                       └─► graphml
//! ```
//!
//! | of | attribute | meaning |
//! |---|---|---|
//! | graph | `name` | name of the fabric |
//! | graph | `grid` | extents of the grid the switches are arranged in, as `4x4` |
//! | node | `kind` | `switch` or `host` |
//! | node | `ports` | ports of a switch, wired or not |
//! | node | `guid` | of a switch or of a host's port, as `0x0002c90300000001` |
//! | node | `system_guid` | of the chassis a switch belongs to |
//! | node | `adapter_guid` | of the adapter a host's port belongs to |
//! | node | `service` | of a service end: `description`, `inside_switch`, `place` or `told` |
//! | node | `lid`, `lmc` | first local identifier, and its number of masked bits if not 0 |
//! | edge | `link` | number of the link: edges are put in this order |
//! | edge | `from`, `to` | names of the link's first and second end |
//! | edge | `from_port`, `to_port` | ports at these ends |
//! | edge | `rate` | as `4xHDR` |
//!
//! An undirected graph does not keep which end of an edge came first, hence `from` and `to`. Every
//! attribute may be missing, as in a graph that was drawn rather than discovered: nodes are then
//! switches, ports are given out in order (see [`ports`]).

mod assembly;
mod attributes;
mod description;
mod ports;

pub(super) use assembly::assemble;
pub(super) use attributes::{Attributes, Value};
pub(super) use description::{
    EDGE_ATTRIBUTES, GRAPH_ATTRIBUTES, NODE_ATTRIBUTES, Scalar, edge_attributes, graph_attributes,
    node_attributes, nodes,
};

use super::{FormatError, Source};

/// A graph as read from a file.
pub(super) struct Graph<'a> {
    pub(super) source: Source<'a>,
    pub(super) attributes: Attributes,
    pub(super) nodes: Vec<GraphNode>,
    pub(super) edges: Vec<GraphEdge>,
}

/// A node of a graph.
pub(super) struct GraphNode {
    pub(super) id: String,
    pub(super) offset: usize,
    pub(super) attributes: Attributes,
}

/// An edge of a graph.
pub(super) struct GraphEdge {
    /// Ids of the nodes it joins, each with its offset.
    pub(super) ends: [(String, usize); 2],
    pub(super) offset: usize,
    pub(super) attributes: Attributes,
}

/// Refuses a directed graph.
pub(super) fn directed(source: Source<'_>, offset: usize) -> FormatError {
    let expected = "an undirected one, since a link carries both directions; convert it first (in \
                    networkx: graph.to_undirected())";
    source.unexpected(offset, "a directed graph", expected)
}
