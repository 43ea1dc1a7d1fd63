//! Lines gathered by node.

use super::super::{FormatError, FormatErrorKind, ReadNote, Source};
use super::{Entry, Lids, Mark, Node, NodeKey, Peer, PortLine, Rate, note};
use std::collections::BTreeMap;

/// The nodes of a file as far as they are read.
pub(crate) struct Gathering<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) index: BTreeMap<NodeKey<'a>, usize>,
    /// Port lines in the order of the file, as (node, port).
    pub(crate) entries: Vec<(usize, u8)>,
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
    ) -> Result<(), FormatError> {
        let node = &mut self.nodes[node_index];
        let port = line.port;
        if let Some(first) = node.ports.get(port) {
            if is_same_peer(&first.line, &line) {
                let first_line = first.mark.line;
                self.add_repeat(mark, text, first_line);
                return Ok(());
            }
            let kind = FormatErrorKind::PortListedTwice {
                node: node.description.unwrap_or(node.id).to_owned(),
                port,
                first_line: first.mark.line,
            };
            return Err(self.source.error(mark.offset, kind));
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
        Ok(())
    }

    /// Adds a cable between two known nodes, as both its ends would tell of it.
    pub(crate) fn join(
        &mut self,
        [a, b]: [CableEnd<'a>; 2],
        rate: Rate<'a>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
        self.tell([a, b], rate, text, mark, notes)?;
        if (a.key, a.port) == (b.key, b.port) {
            return Ok(());
        }
        self.tell([b, a], rate, text, mark, notes)
    }

    /// Adds a cable between two known nodes as its first end tells of it.
    pub(crate) fn tell(
        &mut self,
        [here, there]: [CableEnd<'a>; 2],
        rate: Rate<'a>,
        text: &str,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<(), FormatError> {
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
        self.add_port(node, line, text, mark, notes)
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

fn is_same_peer(a: &PortLine<'_>, b: &PortLine<'_>) -> bool {
    a.peer.key == b.peer.key && a.peer.port == b.peer.port
}
