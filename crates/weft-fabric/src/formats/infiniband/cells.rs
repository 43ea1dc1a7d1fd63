//! Lines cut into cells, and tables of them with a line of names above.

use super::super::{FormatError, Source};
use super::{Mark, TextLine};

/// The cells of a line, without the blanks around them and without quotes, between which the
/// separator is a character like others.
pub(crate) fn cells(line: &str, separator: char) -> Vec<&str> {
    let mut cells = Vec::new();
    let (mut start, mut is_quoted) = (0, false);
    for (offset, c) in line.char_indices() {
        if c == '"' {
            is_quoted = !is_quoted;
        } else if c == separator && !is_quoted {
            cells.push(plain(&line[start..offset]));
            start = offset + c.len_utf8();
        }
    }
    cells.push(plain(&line[start..]));
    cells
}

fn plain(cell: &str) -> &str {
    let cell = cell.trim();
    let inner = cell
        .strip_prefix('"')
        .and_then(|cell| cell.strip_suffix('"'));
    inner.map_or(cell, str::trim)
}

/// The names of a table's columns, in any case.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    names: Vec<String>,
    mark: Mark,
}

impl Columns {
    pub(crate) fn new(line: TextLine<'_>, separator: char) -> Self {
        let names = cells(line.text, separator);
        Self {
            names: names.iter().map(|name| name.to_ascii_lowercase()).collect(),
            mark: line.mark,
        }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// The place of the column that has one of these names, in small letters.
    pub(crate) fn find(&self, names: &[&str]) -> Option<usize> {
        (names.iter()).find_map(|name| self.names.iter().position(|known| known == name))
    }

    /// The same, which must be there.
    pub(crate) fn need(&self, source: Source<'_>, names: &[&str]) -> Result<usize, FormatError> {
        self.find(names).ok_or_else(|| {
            let found = "a line of names without this column";
            source.unexpected(self.mark.offset, found, format!("a column “{}”", names[0]))
        })
    }
}

/// A row of a table.
#[derive(Clone, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) cells: Vec<&'a str>,
    pub(crate) line: TextLine<'a>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(line: TextLine<'a>, separator: char) -> Self {
        let cells = cells(line.text, separator);
        Self { cells, line }
    }

    /// A cell, empty where the row is too short.
    pub(crate) fn cell(&self, column: Option<usize>) -> &'a str {
        column
            .and_then(|at| self.cells.get(at))
            .copied()
            .unwrap_or("")
    }

    /// A cell as `take` reads it, which must be there and be readable.
    pub(crate) fn need<T>(
        &self,
        source: Source<'_>,
        column: usize,
        expected: &str,
        take: impl Fn(&'a str) -> Option<T>,
    ) -> Result<T, FormatError> {
        let Some(&cell) = self.cells.get(column) else {
            let found = format!("a row of {} cells", self.cells.len());
            let end = self.line.mark.offset + self.line.text.trim_end().len();
            if !self.line.is_whole {
                return Err(source.truncated(end, found, expected));
            }
            return Err(source.unexpected(end, found, expected));
        };
        take(cell).ok_or_else(|| {
            let offset = cell.as_ptr().addr() - self.line.text.as_ptr().addr();
            let shown: String = cell.chars().take(30).collect();
            let found = format!("“{shown}”");
            source.unexpected(self.line.mark.offset + offset, found, expected)
        })
    }
}

/// A number in decimal digits, or in hexadecimal ones after `0x`.
pub(crate) fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => super::hexadecimal(digits).filter(|_| !digits.is_empty()),
        None if text.starts_with('+') => None,
        None => text.parse().ok(),
    }
}

/// A port of a cable, 1 to 254.
pub(crate) fn port(text: &str) -> Option<u8> {
    let number = number(text)?;
    u8::try_from(number)
        .ok()
        .filter(|number| (1..=crate::PortNumber::MAX).contains(number))
}

/// A GUID, with `0x` or without.
pub(crate) fn guid(text: &str) -> Option<u64> {
    super::hexadecimal(text).filter(|_| !text.is_empty())
}
