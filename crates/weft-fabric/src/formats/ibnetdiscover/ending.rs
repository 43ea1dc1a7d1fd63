//! Signs that a file was cut short.

use super::super::ReadNote;
use super::super::error::{FormatError, FormatErrorKind};
use super::gathering::Gathering;
use super::line::NodeKind;
use super::records::{Mark, normalised};

impl Gathering<'_> {
    /// This is the error for a last line that stops where `expected` should follow.
    pub(super) fn cut_line(&self, text: &str, mark: Mark, expected: &str) -> FormatError {
        let kind = FormatErrorKind::Truncated {
            found: "the end of the file within a line".to_owned(),
            expected: expected.to_owned(),
        };
        self.source.error(mark.offset + text.trim_end().len(), kind)
    }

    /// This looks for a last record that is not complete.
    pub(super) fn check_end(&self, notes: &mut Vec<ReadNote>) -> Result<(), FormatError> {
        let truncated = |mark: Mark, found: String, expected: &str| {
            let kind = FormatErrorKind::Truncated {
                found,
                expected: expected.to_owned(),
            };
            Err(self.source.error(mark.offset, kind))
        };
        if let Some(mark) = self.open_identity {
            let found = "the end of the file after the opening lines of a record".to_owned();
            return truncated(mark, found, "the record itself");
        }
        let Some((last, mark)) = self.nodes.last().and_then(|node| Some((node, node.mark?))) else {
            let found = "the end of the file before any record".to_owned();
            let mark = Mark {
                offset: self.source.text.trim_end().len(),
                line: 0,
            };
            return truncated(mark, found, "records of switches and channel adapters");
        };
        if last.ports.is_empty() {
            let found = "the end of the file after the first line of a record".to_owned();
            return truncated(mark, found, "the ports of the node");
        }
        let is_host = |id: &str| id.starts_with("H-");
        let mut named = self
            .entries
            .iter()
            .map(|(node, port)| &self.nodes[*node].ports[port]);
        let unrecorded = named.clone().find(|entry| {
            is_host(entry.line.peer_id) && !self.index.contains_key(&normalised(entry.line.peer_id))
        });
        if let Some(entry) = unrecorded.filter(|_| last.kind == NodeKind::Switch) {
            let id = entry.line.peer_id;
            let found = format!(
                "a link to the channel adapter “{id}” and no record of it, and the file ends with \
                 a switch"
            );
            return truncated(entry.mark, found, "the records of all channel adapters");
        }
        if !self.nodes.iter().any(|node| node.kind == NodeKind::Adapter)
            && !named.any(|entry| is_host(entry.line.peer_id))
        {
            notes.push(ReadNote {
                line: None,
                text: "no channel adapter".to_owned(),
                reason: "the fabric has no host; the file may have been cut".to_owned(),
            });
        }
        Ok(())
    }

    /// This is the error for a switch that is named but has no record.
    pub(super) fn missing_switch(
        &self,
        id: &str,
        description: Option<&str>,
        mark: Mark,
    ) -> FormatError {
        let name = description.map_or_else(String::new, |text| format!(" (“{text}”)"));
        let kind = FormatErrorKind::Truncated {
            found: format!("a link to {id}{name}, which has no record"),
            expected: "a record of every switch".to_owned(),
        };
        self.source.error(mark.offset, kind)
    }
}
