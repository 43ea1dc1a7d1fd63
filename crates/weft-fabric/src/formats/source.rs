//! The text of a file and the places in it.

use super::{FormatError, FormatErrorKind};
use crate::{FabricError, narrow};

/// Characters of a long line that an error shows before and after the place.
const EXCERPT_BEFORE: usize = 70;
const EXCERPT_AFTER: usize = 50;

/// A file's content with its name.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// What errors call the file.
    pub name: &'a str,
    /// The content.
    pub text: &'a str,
}

impl Source<'_> {
    /// An error at a byte offset of the text.
    pub fn error(&self, offset: usize, kind: FormatErrorKind) -> FormatError {
        let offset = floor(self.text, offset);
        let (line, start) = self.line_at(offset);
        let content = self.text[start..].lines().next().unwrap_or("");
        let before = self.text[start..offset].chars().count();
        let skipped = before.saturating_sub(EXCERPT_BEFORE);
        let length = content.chars().count();
        let mut excerpt: String = content
            .chars()
            .skip(skipped)
            .take(EXCERPT_BEFORE + EXCERPT_AFTER)
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let mut excerpt_column = before - skipped;
        if skipped > 0 {
            excerpt.insert(0, '…');
            excerpt_column += 1;
        }
        if length > skipped + EXCERPT_BEFORE + EXCERPT_AFTER {
            excerpt.push('…');
        }
        FormatError {
            kind,
            source_name: self.name.to_owned(),
            line,
            column: number(before + 1),
            excerpt: if excerpt.trim().is_empty() {
                String::new()
            } else {
                excerpt
            },
            excerpt_column: number(excerpt_column),
        }
    }

    /// The error of something else than what was expected, at a byte offset of the text.
    pub fn unexpected(
        &self,
        offset: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> FormatError {
        let (found, expected) = (found.into(), expected.into());
        self.error(offset, FormatErrorKind::Unexpected { found, expected })
    }

    /// The error of a file that stops too early, or lacks a part.
    pub(super) fn truncated(
        &self,
        offset: usize,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> FormatError {
        let (found, expected) = (found.into(), expected.into());
        self.error(offset, FormatErrorKind::Truncated { found, expected })
    }

    /// The error of a file that ends where something should follow.
    pub(super) fn ended(&self, expected: impl Into<String>) -> FormatError {
        self.truncated(self.text.trim_end().len(), "the end of the file", expected)
    }

    /// The error of parts that form no fabric; `first_line` is where the earlier of two that clash is.
    pub(super) fn no_fabric(
        &self,
        offset: usize,
        error: FabricError,
        first_line: Option<u32>,
    ) -> FormatError {
        let error = Box::new(error);
        self.error(offset, FormatErrorKind::Fabric { error, first_line })
    }

    /// The byte offset of the content after blanks.
    pub fn content(&self) -> usize {
        self.text.len() - self.text.trim_start().len()
    }

    /// The line number (from 1) of a byte offset.
    pub fn line_of(&self, offset: usize) -> u32 {
        self.line_at(floor(self.text, offset)).0
    }

    /// The byte offset of a line and column (both from 1, the column in bytes).
    pub(super) fn offset_of(&self, line: usize, column: usize) -> usize {
        let start = self
            .text
            .split_inclusive('\n')
            .take(line.saturating_sub(1))
            .map(str::len);
        (start.sum::<usize>() + column.saturating_sub(1)).min(self.text.len())
    }

    fn line_at(&self, offset: usize) -> (u32, usize) {
        let before = &self.text[..offset];
        let line = number(before.bytes().filter(|&byte| byte == b'\n').count() + 1);
        (line, before.rfind('\n').map_or(0, |newline| newline + 1))
    }
}

/// The start of the character that `offset` lies in.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// A count as a line or column number; files beyond four thousand million lines share the last one.
pub(super) fn number(count: usize) -> u32 {
    narrow(
        count.min(u32::MAX as usize),
        "the lesser of it and the largest",
    )
}
