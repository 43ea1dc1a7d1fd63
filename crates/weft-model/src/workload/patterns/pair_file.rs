//! Files with a line for each host or pair of hosts.

use super::Request;
use super::names::HostNames;
use crate::workload::error::TrafficError;

/// The file that a pattern's parameter `file` names.
pub(super) struct PairFile<'a> {
    request: &'a Request<'a>,
    names: HostNames<'a>,
    file: &'a str,
    text: &'a str,
}

impl<'a> PairFile<'a> {
    /// The file of a request.
    ///
    /// # Errors
    /// [`TrafficError::FileNotRead`] when nobody has read it.
    pub(super) fn of(request: &'a Request<'a>) -> Result<Self, TrafficError> {
        let file = request.values.text("file");
        let text = request.file_text.ok_or_else(|| TrafficError::FileNotRead {
            file: file.to_owned(),
        })?;
        Ok(Self {
            names: HostNames::of(request),
            request,
            file,
            text,
        })
    }

    /// Its lines that say something, with their numbers.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &'a str)> {
        let lines = (1..).zip(self.text.lines().map(str::trim));
        lines.filter(|(_, content)| !content.is_empty() && !content.starts_with('#'))
    }

    /// The number of its last line, at least 1.
    pub(super) fn last_line(&self) -> usize {
        self.text.lines().count().max(1)
    }

    /// The place of a host that a line names.
    ///
    /// # Errors
    /// [`TrafficError::File`] says what is wrong with it.
    pub(super) fn find(&self, line: usize, text: &str) -> Result<u32, TrafficError> {
        let place = self.names.listed(self.request, text);
        place.map_err(|problem| self.refused(line, problem))
    }

    /// The error of a line.
    pub(super) fn refused(&self, line: usize, problem: String) -> TrafficError {
        TrafficError::File {
            file: self.file.to_owned(),
            line,
            problem,
        }
    }
}
