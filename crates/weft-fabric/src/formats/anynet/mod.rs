//! The network files of BookSim's topology `anynet`.
//!
//! ```text
//! router 0 node 0 node 1 router 1
//! router 1 node 2 node 3 router 0
//! ```
//!
//! A line gives the nodes (hosts) and routers (switches) joined to its first; a line may start with
//! a node as well. A link is there when either end lists it. A number after a router or node is the
//! latency of that channel in cycles. Routers and nodes are numbered from 0 without gaps.
//!
//! A file names no ports: BookSim gives a router's first ports to its nodes and the next to its
//! neighbours, both by ascending number, and so does the reader. It knows one link between two
//! routers and none from a router to itself, so the writer refuses fabrics with others.
//!
//! Source: BookSim 2.0, `src/networks/anynet.cpp` and `src/examples/anynet/README`.

mod lists;
mod read;
mod write;

use super::{Format, FormatName, Reader};

/// BookSim anynet in the table.
pub(super) const FORMAT: Format = Format {
    name: FormatName::Anynet,
    id: "anynet",
    title: "BookSim anynet",
    summary: "The network file of BookSim's topology anynet.",
    keeps: "Who is joined to whom, and the numbers of switches and hosts; ports follow BookSim's order, names and rates are lost, parallel links refused.",
    extensions: &["anynet"],
    reader: Some(Reader(recognises, read::read)),
    writer: Some(write::write),
};

/// Tells a network file from other text: it starts with a router or node and its number.
pub(super) fn recognises(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let is_kind = words.next().is_some_and(|word| kind(word).is_some());
    is_kind
        && words
            .next()
            .is_none_or(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What a word says follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Router,
    Node,
}

/// BookSim's README spells the words with capitals, its code without.
fn kind(word: &str) -> Option<Kind> {
    let is = |known: &str| word.eq_ignore_ascii_case(known);
    if is("router") {
        Some(Kind::Router)
    } else {
        is("node").then_some(Kind::Node)
    }
}
