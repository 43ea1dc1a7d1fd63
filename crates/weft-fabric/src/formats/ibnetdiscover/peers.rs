//! Which node stands at the other end of each port line.

use super::super::ReadNote;
use super::super::error::FormatError;
use super::gathering::Gathering;
use super::line::NodeKind;
use super::records::{Mark, Node, Records, id_guid, normalised};
use std::collections::BTreeMap;

impl<'a> Gathering<'a> {
    /// This finds the node at the other end of each port line. A switch without a record is an
    /// error, for its other cables are unknown; of a channel adapter the lines that name it tell
    /// enough.
    pub(super) fn resolve_peers(
        mut self,
        notes: &mut Vec<ReadNote>,
    ) -> Result<Records<'a>, FormatError> {
        for (node, port) in std::mem::take(&mut self.entries) {
            let entry = &self.nodes[node].ports[&port];
            let (id, mark) = (entry.line.peer_id, entry.mark);
            let description = entry.line.peer_description.filter(|text| !text.is_empty());
            let peer = match self.index.get(&normalised(id)) {
                Some(&peer) => peer,
                None => self.add_unrecorded(id, description, mark, notes)?,
            };
            if let Some(entry) = self.nodes[node].ports.get_mut(&port) {
                entry.peer = peer;
            }
            let node = &mut self.nodes[peer];
            node.description = node.description.or(description);
        }
        Ok(Records { nodes: self.nodes })
    }

    /// This adds a node that has no record and hands over its index.
    fn add_unrecorded(
        &mut self,
        id: &'a str,
        description: Option<&'a str>,
        mark: Mark,
        notes: &mut Vec<ReadNote>,
    ) -> Result<usize, FormatError> {
        let key = normalised(id);
        let (kind, what) = match key.split_once('-') {
            Some(("H", _)) => (NodeKind::Adapter, "channel adapter"),
            Some(("R", _)) => (NodeKind::Router, "router"),
            _ => return Err(self.missing_switch(id, description, mark)),
        };
        notes.push(ReadNote {
            line: Some(mark.line),
            text: format!("{what} “{}” ({id})", description.unwrap_or("")),
            reason: "a link leads to it, but it has no record; taken from the link alone, as the \
                     file may have been cut"
                .to_owned(),
        });
        let index = self.nodes.len();
        self.index.insert(key, index);
        self.nodes.push(Node {
            kind,
            id,
            guid: id_guid(id),
            description,
            port_count: 1,
            mark: None,
            ports: BTreeMap::new(),
        });
        Ok(index)
    }
}
