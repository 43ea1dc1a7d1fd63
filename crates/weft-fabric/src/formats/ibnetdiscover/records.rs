//! Which node says what: the records of a file as data.

use super::super::ReadNote;
use super::line::{NodeKind, PortLine, hexadecimal};
use std::collections::BTreeMap;

/// A place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) offset: usize,
    pub(super) line: u32,
}

/// A node and what its record says; nodes that others name but that have no record have no mark.
#[derive(Debug)]
pub(super) struct Node<'a> {
    pub(super) kind: NodeKind,
    pub(super) id: &'a str,
    pub(super) guid: Option<u64>,
    pub(super) description: Option<&'a str>,
    pub(super) port_count: u8,
    /// Where the record opens.
    pub(super) mark: Option<Mark>,
    /// The record's port lines by port.
    pub(super) ports: BTreeMap<u8, Entry<'a>>,
}

/// A port line with the place where it stands and the node it leads to.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) line: PortLine<'a>,
    pub(super) mark: Mark,
    /// Index of the peer among the nodes.
    pub(super) peer: usize,
}

/// All nodes: those with a record in the order of the file, then those only named by others in the
/// order they are first named.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

/// This makes ids comparable: some writers put zeros or `0x` before the GUID, some do not.
pub(super) fn normalised(id: &str) -> String {
    match (id.split_once('-'), id_guid(id)) {
        (Some((kind, _)), Some(guid)) => format!("{kind}-{guid:016x}"),
        _ => id.to_owned(),
    }
}

/// This is the GUID in an id such as `S-0002c90200000001`.
pub(super) fn id_guid(id: &str) -> Option<u64> {
    match id.split_once('-') {
        Some(("S" | "H" | "R", digits)) if !digits.is_empty() => hexadecimal(digits),
        _ => None,
    }
}

pub(super) fn note(mark: Mark, text: &str, reason: &str) -> ReadNote {
    let clipped: String = text.trim().chars().take(200).collect();
    ReadNote {
        line: Some(mark.line),
        text: clipped,
        reason: reason.to_owned(),
    }
}
