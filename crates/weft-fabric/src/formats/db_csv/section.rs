//! One section of the file.

use super::super::infiniband::{Columns, Row, TextLine, lines, unknown_reason};
use super::super::{FormatError, ReadNote, Source};

/// Notes lines outside of all sections, which say nothing.
pub(super) fn note_strays(source: Source<'_>, notes: &mut Vec<ReadNote>) {
    let mut is_within = false;
    for line in lines(source) {
        let content = line.text.trim();
        if content.starts_with("START_") {
            is_within = true;
        } else if content.starts_with("END_") {
            is_within = false;
        } else if !is_within && !content.is_empty() && !content.starts_with('#') {
            notes.push(line.note(&unknown_reason(line.text, "ibdiagnet")));
        }
    }
}

/// The rows of a section below the names of its columns.
pub(super) struct Section<'a> {
    source: Source<'a>,
    columns: Columns,
    rows: Vec<TextLine<'a>>,
}

impl<'a> Section<'a> {
    /// Finds a section, `None` where the file has none of this name.
    pub(super) fn find(source: Source<'a>, name: &str) -> Result<Option<Self>, FormatError> {
        let (start, end) = (format!("START_{name}"), format!("END_{name}"));
        let mut lines = lines(source);
        let Some(opening) = lines.find(|line| line.text.trim() == start) else {
            return Ok(None);
        };
        let mut columns = None;
        let mut rows = Vec::new();
        for line in lines {
            let content = line.text.trim();
            if content == end {
                let Some(columns) = columns else {
                    let found = format!("a section {name} without a line");
                    let expected = "the names of its columns";
                    return Err(source.unexpected(opening.mark.offset, found, expected));
                };
                return Ok(Some(Self {
                    source,
                    columns,
                    rows,
                }));
            }
            if content.starts_with("START_") {
                let found = format!("the start of another section within {name}");
                return Err(source.unexpected(line.mark.offset, found, end));
            }
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            match columns {
                None => columns = Some(Columns::new(line, ',')),
                Some(_) => rows.push(line),
            }
        }
        Err(source.ended(format!("the line {end}")))
    }

    /// The same of a section that must be there.
    pub(super) fn need(source: Source<'a>, name: &str) -> Result<Self, FormatError> {
        let missing = || {
            source.truncated(
                source.text.trim_end().len(),
                "the end of the file",
                format!("a section {name}"),
            )
        };
        Self::find(source, name)?.ok_or_else(missing)
    }

    /// The rows, cut into their cells one by one: those of all ports at once would take more memory than the fabric.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'a>> + '_ {
        self.rows.iter().map(|&line| Row::new(line, ','))
    }

    /// The place of a column that must be there; names are in small letters.
    pub(super) fn column(&self, names: &[&str]) -> Result<usize, FormatError> {
        self.columns.need(self.source, names)
    }

    /// The place of a column, if it is there.
    pub(super) fn find_column(&self, names: &[&str]) -> Option<usize> {
        self.columns.find(names)
    }
}
