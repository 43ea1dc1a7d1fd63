//! Lines gathered by node.

use super::super::{FormatError, FormatErrorKind, ReadNote, Source};
use super::{Entry, Mark, Node, NodeKey, PortLine, Rate, note};
use std::collections::BTreeMap;

/// The nodes of a file as far as they are read.
pub(crate) struct Gathering<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) nodes: Vec<Node<'a>>,
    pub(crate) index: BTreeMap<NodeKey<'a>, usize>,
    /// Port lines in the order of the file, as (node, port).
    pub(crate) entries: Vec<(usize, u8)>,
    /// Whether any line had a rate so far.
    pub(crate) has_rates: bool,
}

impl<'a> Gathering<'a> {
    pub(crate) fn new(source: Source<'a>) -> Self {
        Self {
            source,
            nodes: Vec::new(),
            index: BTreeMap::new(),
            entries: Vec::new(),
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
        if let Some(first) = node.ports.get(&port) {
            if is_same_peer(&first.line, &line) {
                let reason = format!("the line repeats line {}; passed over", first.mark.line);
                notes.push(note(mark, text, &reason));
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
        node.ports.insert(port, Entry { line, mark, peer });
        Ok(())
    }

    /// The port lines in the order of the file.
    pub(crate) fn port_lines(&self) -> impl Iterator<Item = &Entry<'a>> + Clone {
        self.entries
            .iter()
            .map(|(node, port)| &self.nodes[*node].ports[port])
    }
}

fn is_same_peer(a: &PortLine<'_>, b: &PortLine<'_>) -> bool {
    a.peer.key == b.peer.key && a.peer.port == b.peer.port
}
