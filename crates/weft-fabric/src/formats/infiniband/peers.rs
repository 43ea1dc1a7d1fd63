//! Which node stands at the other end of each port line.

use super::super::{FormatError, ReadNote};
use super::records::Records;
use super::{Gathering, Mark, Node, NodeKey, NodeKind, Peer, PortLines};

impl<'a> Gathering<'a> {
    /// Finds the node at the other end of each port line. A switch without lines of its own is
    /// an error, for its other cables are unknown; of a channel adapter the lines that name it tell
    /// enough.
    pub(super) fn resolve_peers(
        mut self,
        notes: &mut Vec<ReadNote>,
    ) -> Result<Records<'a>, FormatError> {
        for (node, port) in std::mem::take(&mut self.entries) {
            let Some(entry) = self.nodes[node].ports.get(port) else {
                continue;
            };
            let (line, mark) = (entry.line.clone(), entry.mark);
            let known = entry.peer.or_else(|| self.peer_of(node, &line));
            let index = self.far_node(known, &line.peer, mark, notes)?;
            if let Some(entry) = self.nodes[node].ports.get_mut(port) {
                entry.peer = Some(index);
            }
        }
        let mut rivals = std::mem::take(&mut self.rivals);
        for (node, rival) in rivals.in_order_mut() {
            let known = (rival.peer).or_else(|| self.peer_of(node, &rival.line));
            rival.peer = Some(self.far_node(known, &rival.line.peer, rival.mark, notes)?);
        }
        self.part_claimed(&mut rivals, notes);
        let disputed = self.settle(rivals, notes);
        let nodes = self.nodes;
        Ok(Records { nodes, disputed })
    }

    /// The node at the far end, which is added where no other line tells of it.
    fn far_node(
        &mut self,
        known: Option<usize>,
        peer: &Peer<'a>,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<usize, FormatError> {
        let index = match known {
            Some(index) => index,
            None => self.add_unrecorded(peer, mark, notes)?,
        };
        let description = peer.description.filter(|text| !text.is_empty());
        let node = &mut self.nodes[index];
        node.description = node.description.or(description);
        Ok(index)
    }

    /// Adds a node that has no lines of its own and hands over its index.
    fn add_unrecorded(
        &mut self,
        peer: &Peer<'a>,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<usize, FormatError> {
        let kind = match peer.kind {
            Some(kind @ (NodeKind::Adapter | NodeKind::Router)) => kind,
            Some(NodeKind::Switch) | None => return Err(self.missing_switch(peer, mark)),
        };
        let description = peer.description.filter(|text| !text.is_empty());
        let (what, id) = (kind.describe(), peer.id);
        notes.push(ReadNote {
            line: Some(mark.line),
            text: format!("{what} “{}” ({id})", description.unwrap_or("")),
            reason: "a link leads to it, but it has no record; taken from the link alone, as the \
                     file may have been cut"
                .to_owned(),
        });
        let guid = match peer.key {
            NodeKey::Guid(_, guid) => Some(guid),
            _ => None,
        };
        Ok(self.add_node(
            peer.key,
            Node {
                kind,
                id,
                guid,
                lids: None,
                description,
                port_count: 1,
                mark: None,
                system_image: None,
                device: None,
                ports: PortLines::default(),
            },
        ))
    }

    /// The error for a switch that is named but has no lines of its own.
    fn missing_switch(&self, peer: &Peer<'_>, mark: Mark) -> FormatError {
        let name = peer
            .description
            .map_or_else(String::new, |text| format!(" (“{text}”)"));
        self.source.unexpected(
            mark.offset,
            format!("a link to {}{name}, which has no record", peer.id),
            "a record of every switch: lines are missing from the file, or the tool did not reach \
             that switch",
        )
    }
}
