//! Which node says what: a file as data.

use super::super::ReadNote;
use super::Lids;
use crate::LinkRate;
use std::collections::BTreeSet;

/// A place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) offset: usize,
    pub(crate) line: u32,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NodeKind {
    Switch,
    /// A channel adapter: its ports are our hosts.
    Adapter,
    Router,
}

impl NodeKind {
    /// The kind's name for people.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Adapter => "channel adapter",
            Self::Router => "router",
        }
    }
}

/// What tells a node from all others of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NodeKey<'a> {
    /// The GUID of a node of known kind.
    Guid(NodeKind, u64),
    /// The GUID of a port, in a format that has none of the port's node.
    PortGuid(u64),
    /// A LID and a description, in a format without GUIDs.
    Described(u32, &'a str),
    /// An id that holds no GUID.
    Id(&'a str),
}

/// What a port line says of the rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rate<'a> {
    /// Nothing, as in files of old releases.
    Absent,
    /// Something that is no rate, such as `4x???`.
    Unclear(&'a str),
    /// A width and a speed.
    Known(LinkRate),
}

impl Rate<'_> {
    pub(crate) fn known(self) -> Option<LinkRate> {
        match self {
            Rate::Known(rate) => Some(rate),
            Rate::Absent | Rate::Unclear(_) => None,
        }
    }
}

/// A line that lists a cable at one of a node's ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PortLine<'a> {
    pub(crate) port: u8,
    pub(crate) guid: Option<u64>,
    pub(crate) lids: Option<Lids>,
    pub(crate) peer: Peer<'a>,
    pub(crate) rate: Rate<'a>,
}

/// What a port line says of the other end of the cable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peer<'a> {
    pub(crate) key: NodeKey<'a>,
    pub(crate) kind: Option<NodeKind>,
    /// The node's id as the file writes it.
    pub(crate) id: &'a str,
    pub(crate) port: u8,
    pub(crate) guid: Option<u64>,
    pub(crate) lids: Option<Lids>,
    pub(crate) description: Option<&'a str>,
}

/// A node and what the file says of it.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) kind: NodeKind,
    pub(crate) id: &'a str,
    pub(crate) guid: Option<u64>,
    /// LIDs of a switch; those of an adapter's ports stand with the ports.
    pub(crate) lids: Option<Lids>,
    pub(crate) description: Option<&'a str>,
    pub(crate) port_count: u8,
    /// The GUID of the system that it is a part of.
    pub(crate) system_image: Option<u64>,
    pub(crate) device: Option<Device>,
    /// Where what it says of itself begins; nodes that only others name have no mark.
    pub(crate) mark: Option<Mark>,
    /// Its port lines by port.
    pub(crate) ports: PortLines<'a>,
}

/// What made a node, by the numbers that its vendor gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Device {
    pub(crate) vendor: u32,
    pub(crate) id: u32,
}

/// A port line with the place where it stands and the node it leads to.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) line: PortLine<'a>,
    pub(crate) mark: Mark,
    /// Index of the peer among the nodes; found from the peer's key unless given.
    pub(crate) peer: Option<usize>,
}

/// A node's port lines by ascending port. Most nodes are adapters with one, so they stand in a list as long as
/// they are many: of ten thousand trees, each of which has room for eleven, most would be empty room.
#[derive(Debug, Default)]
pub(crate) struct PortLines<'a>(Vec<Entry<'a>>);

impl<'a> PortLines<'a> {
    pub(crate) fn get(&self, port: u8) -> Option<&Entry<'a>> {
        self.place(port).ok().map(|at| &self.0[at])
    }

    pub(crate) fn get_mut(&mut self, port: u8) -> Option<&mut Entry<'a>> {
        self.place(port).ok().map(|at| &mut self.0[at])
    }

    /// Adds the line of a port that has none yet; the first of two stays.
    pub(crate) fn insert(&mut self, entry: Entry<'a>) {
        if let Err(at) = self.place(entry.line.port) {
            if self.0.is_empty() {
                self.0.reserve_exact(1);
            }
            self.0.insert(at, entry);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Entry<'a>> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Entry<'a>> {
        self.0.iter_mut()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, port: u8) -> Result<usize, usize> {
        self.0.binary_search_by_key(&port, |entry| entry.line.port)
    }
}

/// All nodes: those with lines of their own in the order of the file, then those only named by
/// others in the order they are first named.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// Ports, each with its node, that the file gives several peers.
    pub(super) disputed: BTreeSet<(usize, u8)>,
}

/// A note on a line, clipped where it is long.
pub(crate) fn note(mark: Mark, text: &str, reason: &str) -> ReadNote {
    let clipped: String = text.trim().chars().take(200).collect();
    ReadNote {
        line: Some(mark.line),
        text: clipped,
        reason: reason.to_owned(),
    }
}
