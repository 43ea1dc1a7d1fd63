//! What is wrong with a text as XML, in our words and with its place.

use super::super::{FormatError, FormatErrorKind, Source};
use roxmltree::Error;

/// Places an error of the XML reader.
pub(super) fn placed(source: Source<'_>, error: &Error) -> FormatError {
    let end = source.text.trim_end().len();
    let (offset, kind) = match error {
        Error::UnexpectedEndOfStream | Error::UnclosedRootNode | Error::NoRootNode => (
            end,
            FormatErrorKind::Truncated {
                found: "the end of the file".to_owned(),
                expected: "the rest of the XML".to_owned(),
            },
        ),
        Error::DtdDetected => (
            source.text.find("<!DOCTYPE").unwrap_or(0),
            unexpected(
                "a document type declaration",
                "none: the entities it may declare are not read; delete it",
            ),
        ),
        Error::NodesLimitReached
        | Error::AttributesLimitReached
        | Error::NamespacesLimitReached => {
            (end, unexpected("too many parts", "at most 4294967295"))
        }
        _ => {
            let text = error.to_string();
            let text = text
                .rsplit_once(" at ")
                .map_or(text.as_str(), |(text, _)| text);
            let kind = unexpected("what is no XML", &format!("well-formed XML ({text})"));
            (offset(source.text, error), kind)
        }
    };
    source.error(offset, kind)
}

fn unexpected(found: &str, expected: &str) -> FormatErrorKind {
    FormatErrorKind::Unexpected {
        found: found.to_owned(),
        expected: expected.to_owned(),
    }
}

/// The byte offset of an error; the XML reader counts lines, and columns in characters.
fn offset(text: &str, error: &Error) -> usize {
    let place = error.pos();
    let lines = text.split_inclusive('\n');
    let before = lines.take(place.row.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let columns = text[start..]
        .chars()
        .take(place.col.saturating_sub(1) as usize);
    start + columns.map(char::len_utf8).sum::<usize>()
}
