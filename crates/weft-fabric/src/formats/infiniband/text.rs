//! The lines of a file, and what is said of those that say nothing.

use super::super::source::number;
use super::super::{FormatError, ReadNote, Source};
use super::{Malformed, Mark, note};

/// A line of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLine<'a> {
    /// Its content without the line end.
    pub(crate) text: &'a str,
    pub(crate) mark: Mark,
    /// Whether it has a line end; the last line of a file that was cut has none.
    pub(crate) is_whole: bool,
}

/// What one line of a list says.
#[derive(Debug)]
pub(crate) enum ListLine<T> {
    /// An empty line or a comment.
    Nothing,
    Content(T),
    Malformed(Malformed),
    Unknown,
}

/// Takes the lines of a list that `tool` writes one by one.
pub(crate) fn read_list<'a, T>(
    source: Source<'a>,
    tool: &str,
    notes: &mut Vec<ReadNote>,
    parse: impl Fn(&'a str) -> ListLine<T>,
    mut take: impl FnMut(T, TextLine<'a>, &mut Vec<ReadNote>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    for line in lines(source) {
        match parse(line.text) {
            ListLine::Nothing => {}
            ListLine::Malformed(malformed) if !line.is_whole => {
                return Err(cut_line(source, line, malformed.expected));
            }
            ListLine::Malformed(malformed) => return Err(malformed.error(source, line.mark)),
            ListLine::Unknown => notes.push(line.note(&unknown_reason(line.text, tool))),
            ListLine::Content(content) => take(content, line, notes)?,
        }
    }
    Ok(())
}

impl TextLine<'_> {
    pub(crate) fn note(&self, reason: &str) -> ReadNote {
        note(self.mark, self.text, reason)
    }

    /// Notes a last line that has no line end but all else.
    pub(crate) fn note_end(&self, notes: &mut Vec<ReadNote>) {
        if !self.is_whole {
            notes.push(self.note("the last line has no line end; the file may have been cut"));
        }
    }
}

/// The lines of a file.
pub(crate) fn lines<'a>(source: Source<'a>) -> impl Iterator<Item = TextLine<'a>> {
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
pub(crate) fn cut_line(source: Source<'_>, line: TextLine<'_>, expected: &str) -> FormatError {
    source.truncated(
        line.mark.offset + line.text.trim_end().len(),
        "the end of the file within a line",
        expected,
    )
}

/// Tells why a line that says nothing was passed over.
pub(crate) fn unknown_reason(text: &str, tool: &str) -> String {
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
