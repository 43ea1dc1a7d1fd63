//! The lines of a file, and what is said of those that say nothing.

use super::super::error::{FormatError, FormatErrorKind};
use super::super::source::{Source, number};
use super::records::Mark;

/// A line of a file.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct TextLine<'a> {
    /// Its content without the line end.
    pub(in super::super) text: &'a str,
    pub(in super::super) mark: Mark,
    /// Whether it has a line end; the last line of a file that was cut has none.
    pub(in super::super) is_whole: bool,
}

/// What is said of a last line that has no line end but all else.
pub(in super::super) const NO_LINE_END: &str =
    "the last line has no line end; the file may have been cut";

/// The lines of a file.
pub(in super::super) fn lines<'a>(source: Source<'a>) -> impl Iterator<Item = TextLine<'a>> {
    let mut offset = 0;
    let line = move |(index, line): (usize, &'a str)| {
        let mark = Mark {
            offset,
            line: number(index + 1),
        };
        offset += line.len();
        TextLine {
            text: line.trim_end_matches(['\n', '\r']),
            mark,
            is_whole: line.ends_with('\n'),
        }
    };
    source.text.split_inclusive('\n').enumerate().map(line)
}

/// The error for a last line that stops where `expected` should follow.
pub(in super::super) fn cut_line(
    source: Source<'_>,
    line: TextLine<'_>,
    expected: &str,
) -> FormatError {
    let kind = FormatErrorKind::Truncated {
        found: "the end of the file within a line".to_owned(),
        expected: expected.to_owned(),
    };
    source.error(line.mark.offset + line.text.trim_end().len(), kind)
}

/// Tells why a line that says nothing was passed over.
pub(in super::super) fn unknown_reason(text: &str, tool: &str) -> String {
    let is_complaint = [
        "umad",
        "ibwarn",
        "iberror",
        "mad_rpc",
        "timed out",
        "failed",
        "discover.c",
        "query_smp.c",
    ]
    .iter()
    .any(|word| text.contains(word));
    if is_complaint {
        "a complaint of the tool, passed over; what it could not reach is missing from the fabric"
            .to_owned()
    } else {
        format!("nothing {tool} writes; passed over")
    }
}
