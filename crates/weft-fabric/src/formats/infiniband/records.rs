//! Which node says what: a file as data.

use super::super::ReadNote;
use crate::lids::LidRange;
use crate::rate::LinkRate;
use std::collections::BTreeMap;

/// A place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Mark {
    pub(in super::super) offset: usize,
    pub(in super::super) line: u32,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum NodeKind {
    Switch,
    /// A channel adapter: its ports are our hosts.
    Adapter,
    Router,
}

impl NodeKind {
    /// The kind's name for people.
    pub(in super::super) fn describe(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Adapter => "channel adapter",
            Self::Router => "router",
        }
    }
}

/// What tells a node from all others of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum NodeKey<'a> {
    /// The GUID of a node of known kind.
    Guid(NodeKind, u64),
    /// The GUID of a port, in a format that has none of the port's node.
    PortGuid(u64),
    /// A LID and a description, in a format without GUIDs.
    Described(u16, &'a str),
    /// An id that holds no GUID.
    Id(&'a str),
}

/// What a port line says of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Rate<'a> {
    /// Nothing, as in files of old releases.
    Absent,
    /// Something that is no rate, such as `4x???`.
    Unclear(&'a str),
    /// A width and a speed.
    Known(LinkRate),
}

impl Rate<'_> {
    pub(in super::super) fn known(self) -> Option<LinkRate> {
        match self {
            Rate::Known(rate) => Some(rate),
            Rate::Absent | Rate::Unclear(_) => None,
        }
    }
}

/// A line that lists a cable at one of a node's ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct PortLine<'a> {
    pub(in super::super) port: u8,
    pub(in super::super) guid: Option<u64>,
    pub(in super::super) lids: Option<LidRange>,
    pub(in super::super) peer: Peer<'a>,
    pub(in super::super) rate: Rate<'a>,
}

/// What a port line says of the other end of the cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Peer<'a> {
    pub(in super::super) key: NodeKey<'a>,
    pub(in super::super) kind: Option<NodeKind>,
    /// The node's id as the file writes it.
    pub(in super::super) id: &'a str,
    pub(in super::super) port: u8,
    pub(in super::super) guid: Option<u64>,
    pub(in super::super) lids: Option<LidRange>,
    pub(in super::super) description: Option<&'a str>,
}

/// A node and what the file says of it.
#[derive(Debug)]
pub(in super::super) struct Node<'a> {
    pub(in super::super) kind: NodeKind,
    pub(in super::super) id: &'a str,
    pub(in super::super) guid: Option<u64>,
    /// LIDs of a switch; those of an adapter's ports stand with the ports.
    pub(in super::super) lids: Option<LidRange>,
    pub(in super::super) description: Option<&'a str>,
    pub(in super::super) port_count: u8,
    /// Where what it says of itself begins; nodes that only others name have no mark.
    pub(in super::super) mark: Option<Mark>,
    /// Its port lines by port.
    pub(in super::super) ports: BTreeMap<u8, Entry<'a>>,
}

/// A port line with the place where it stands and the node it leads to.
#[derive(Debug)]
pub(in super::super) struct Entry<'a> {
    pub(in super::super) line: PortLine<'a>,
    pub(in super::super) mark: Mark,
    /// Index of the peer among the nodes; found from the peer's key unless given.
    pub(in super::super) peer: Option<usize>,
}

/// All nodes: those with lines of their own in the order of the file, then those only named by
/// others in the order they are first named.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) nodes: Vec<Node<'a>>,
}

/// A note on a line, clipped where it is long.
pub(in super::super) fn note(mark: Mark, text: &str, reason: &str) -> ReadNote {
    let clipped: String = text.trim().chars().take(200).collect();
    ReadNote {
        line: Some(mark.line),
        text: clipped,
        reason: reason.to_owned(),
    }
}
