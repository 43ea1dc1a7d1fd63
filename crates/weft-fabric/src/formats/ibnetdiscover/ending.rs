//! Signs that a file was cut short.

use super::super::infiniband::{Mark, NodeKind};
use super::super::{FormatError, ReadNote};
use super::gathering::Reading;

impl Reading<'_> {
    /// Looks for a last record that is not complete.
    pub(super) fn check_end(&self, notes: &mut Vec<ReadNote>) -> Result<(), FormatError> {
        let gathering = &self.gathering;
        let truncated = |mark: Mark, found: String, expected: &str| {
            Err(gathering.source.truncated(mark.offset, found, expected))
        };
        if let (Some(_), Some(line)) = (self.open_identity, self.stray) {
            let found = "a line of something else after the opening lines of a record";
            return Err(gathering
                .source
                .unexpected(line.mark.offset, found, "the record itself"));
        }
        if let Some(mark) = self.open_identity {
            let found = "the end of the file after the opening lines of a record".to_owned();
            return truncated(mark, found, "the record itself");
        }
        let Some((last, mark)) = gathering
            .nodes
            .last()
            .and_then(|node| Some((node, node.mark?)))
        else {
            let found = "the end of the file before any record".to_owned();
            let mark = Mark {
                offset: gathering.source.text.trim_end().len(),
                line: 0,
            };
            return truncated(mark, found, "records of switches and channel adapters");
        };
        if last.ports.is_empty() && !self.is_closed {
            let found = "the end of the file after the first line of a record".to_owned();
            return truncated(mark, found, "the ports of the node");
        }
        let is_host = |kind: Option<NodeKind>| kind == Some(NodeKind::Adapter);
        let mut named = gathering.port_lines();
        let unrecorded = named.clone().find(|entry| {
            let peer = &entry.line.peer;
            is_host(peer.kind) && !gathering.index.contains_key(&peer.key)
        });
        if let Some(entry) = unrecorded.filter(|_| last.kind == NodeKind::Switch) {
            let id = entry.line.peer.id;
            let found = format!(
                "a link to the channel adapter “{id}” and no record of it, and the file ends with \
                 a switch"
            );
            return truncated(entry.mark, found, "the records of all channel adapters");
        }
        if !gathering
            .nodes
            .iter()
            .any(|node| node.kind == NodeKind::Adapter)
            && !named.any(|entry| is_host(entry.line.peer.kind))
        {
            notes.push(ReadNote {
                line: None,
                text: "no channel adapter".to_owned(),
                reason: "the fabric has no host; the file may have been cut".to_owned(),
            });
        }
        Ok(())
    }
}
