//! Lines gathered by node.

use super::super::{ReadNote, Source};
use super::{Entry, Lids, Mark, Node, NodeKey, Peer, PortLine, Rate, Rivals, note};
use std::collections::BTreeMap;

/// The nodes of a file as far as they are read.
pub(crate) struct Gathering<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) index: BTreeMap<NodeKey<'a>, usize>,
    /// Port lines in the order of the file, as (node, port).
    pub(crate) entries: Vec<(usize, u8)>,
    /// Further nodes with the GUID of one that the index has.
    pub(super) twins: BTreeMap<NodeKey<'a>, Vec<usize>>,
    /// Lines of ports that an earlier line gives another peer.
    pub(crate) rivals: Rivals<'a>,
    /// Lines that repeat earlier ones: the first with its text and the earlier one's line, and how
    /// many there are.
    repeats: Option<(Mark, String, u32, usize)>,
    /// Whether any line had a rate so far.
    pub(crate) has_rates: bool,
}

/// One end of a cable in a list that tells each cable once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CableEnd<'a> {
    /// The node, which the gathering knows.
    pub(crate) key: NodeKey<'a>,
    pub(crate) port: u8,
    pub(crate) guid: Option<u64>,
    pub(crate) lids: Option<Lids>,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            nodes: Vec::new(),
            index: BTreeMap::new(),
            entries: Vec::new(),
            twins: BTreeMap::new(),
            rivals: Rivals::default(),
            repeats: None,
            has_rates: false,
        }
    }

    /// Adds a node that is not there yet and hands over its index.
    pub(crate) fn add_node(&mut self, key: NodeKey<'a>, node: Node<'a>) -> usize {
        let index = self.nodes.len();
        self.index.insert(key, index);
        self.nodes.push(node);
        index
    }

    /// Adds a port line to a node.
    pub(crate) fn add_port(
        &mut self,
        node_index: usize,
        line: PortLine<'a>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) {
        let node = &mut self.nodes[node_index];
        let port = line.port;
        if let Some(first) = node.ports.get(port) {
            let first_line = if is_same_cable(&first.line, &line) {
                Some(first.mark.line)
            } else {
                let peer = None;
                self.rivals.add(node_index, Entry { line, mark, peer })
            };
            if let Some(first_line) = first_line {
                self.add_repeat(mark, text, first_line);
            }
            return;
        }
        if port > node.port_count {
            let reason = format!(
                "the record gives the node {} ports; it was given more",
                node.port_count
            );
            notes.push(note(mark, text, &reason));
            node.port_count = port;
        }
        match line.rate {
            Rate::Known(_) => self.has_rates = true,
            Rate::Unclear(rate) => {
                let reason = format!("the rate “{rate}” says nothing; the link's rate is unknown");
                notes.push(note(mark, text, &reason));
            }
            Rate::Absent => {}
        }
        self.entries.push((node_index, port));
        let peer = None;
        node.ports.insert(Entry { line, mark, peer });
    }

    /// Adds a cable between two known nodes, as both its ends would tell of it.
    pub(crate) fn join(
        &mut self,
        [a, b]: [CableEnd<'a>; 2],
        rate: Rate<'a>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) {
        self.tell([a, b], rate, text, mark, notes);
        if (a.key, a.port) != (b.key, b.port) {
            self.tell([b, a], rate, text, mark, notes);
        }
    }

    /// Adds a cable between two known nodes as its first end tells of it.
    pub(crate) fn tell(
        &mut self,
        [here, there]: [CableEnd<'a>; 2],
        rate: Rate<'a>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) {
        // Invariant: the callers take the keys of nodes they have added.
        let (Some(&node), Some(&peer)) = (self.index.get(&here.key), self.index.get(&there.key))
        else {
            unreachable!("both nodes of a cable are known")
        };
        let far = &self.nodes[peer];
        let line = PortLine {
            port: here.port,
            guid: here.guid,
            lids: here.lids,
            peer: Peer {
                key: there.key,
                kind: Some(far.kind),
                id: far.id,
                port: there.port,
                guid: there.guid,
                lids: there.lids,
                description: far.description,
            },
            rate,
        };
        self.add_port(node, line, text, mark, notes);
    }

    /// Counts a line that repeats an earlier one.
    pub(crate) fn add_repeat(&mut self, mark: Mark, text: &str, first_line: u32) {
        let first = || (mark, text.to_owned(), first_line, 0);
        self.repeats.get_or_insert_with(first).3 += 1;
    }

    /// Notes the lines that repeat earlier ones, all in one.
    pub(super) fn note_repeats(&self, notes: &mut Vec<ReadNote>) {
        let Some((mark, text, first_line, count)) = &self.repeats else {
            return;
        };
        let reason = match count {
            1 => format!("the line repeats line {first_line}; passed over"),
            _ => format!(
                "{count} lines from here on repeat earlier ones, this one line {first_line}; \
                 passed over, as where a file holds the same twice or adapters have ports in two networks"
            ),
        };
        notes.push(note(*mark, text, &reason));
    }

    /// The port lines in the order of the file.
    pub(crate) fn port_lines(&self) -> impl Iterator<Item = &Entry<'a>> + Clone {
        self.entries
            .iter()
            .filter_map(|&(node, port)| self.nodes[node].ports.get(port))
    }
}

/// Tells whether two lines of a node tell of one port and one cable.
pub(super) fn is_same_cable(a: &PortLine<'_>, b: &PortLine<'_>) -> bool {
    a.port == b.port && a.peer.key == b.peer.key && a.peer.port == b.peer.port
}
