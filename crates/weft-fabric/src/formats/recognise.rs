//! Which format a file is in, and clear words for those that are in none we read.

use super::{FORMATS, FormatError, FormatErrorKind, FormatName, Reader, Source, graphml};
use std::borrow::Cow;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Starts of files that people mistake for text, what they are and what to do about them.
const NOT_TEXT: [(&[u8], &str, &str); 7] = [
    (
        b"\x1f\x8b",
        "a gzip-compressed file",
        "unpack it first (gunzip)",
    ),
    (
        b"BZh",
        "a bzip2-compressed file",
        "unpack it first (bunzip2)",
    ),
    (
        b"\xfd7zXZ",
        "an xz-compressed file",
        "unpack it first (unxz)",
    ),
    (
        b"\x28\xb5\x2f\xfd",
        "a zstd-compressed file",
        "unpack it first (unzstd)",
    ),
    (b"PK\x03\x04", "a zip archive", "unpack it first (unzip)"),
    (
        b"\xff\xfe",
        "text in UTF-16",
        "convert it first (iconv -f UTF-16 -t UTF-8)",
    ),
    (
        b"\xfe\xff",
        "text in UTF-16",
        "convert it first (iconv -f UTF-16 -t UTF-8)",
    ),
];

/// A file's text with the reader of its format.
pub(super) struct Recognised<'a> {
    pub(super) format: FormatName,
    pub(super) reader: Reader,
    /// The content without byte-order mark; bytes that are not UTF-8 stand as U+FFFD.
    pub(super) text: Cow<'a, str>,
}

pub(super) fn recognise<'a>(
    bytes: &'a [u8],
    source_name: &str,
) -> Result<Recognised<'a>, FormatError> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    let text = String::from_utf8_lossy(bytes);
    let source = Source {
        name: source_name,
        text: &text,
    };
    let content = text.trim_start();
    if content.is_empty() {
        return Err(source.error(0, FormatErrorKind::Empty));
    }
    for (start, found, advice) in NOT_TEXT {
        if bytes.starts_with(start) {
            return Err(not_text(found.to_owned(), advice, source_name));
        }
    }
    if let Some(offset) = text.find('\0') {
        return Err(source.error(offset, binary("a byte of value zero")));
    }
    if (opens_json(&text) || graphml::recognises(&text)) && std::str::from_utf8(bytes).is_err() {
        let offset = text.find(char::REPLACEMENT_CHARACTER).unwrap_or(0);
        return Err(source.error(offset, binary("a byte that is not UTF-8")));
    }
    let mut readers = FORMATS
        .iter()
        .filter_map(|format| Some((format.name, format.reader?)));
    match readers.find(|(_, Reader(recognises, _))| recognises(&text)) {
        Some((format, reader)) => Ok(Recognised {
            format,
            reader,
            text,
        }),
        None => Err(foreign(source)),
    }
}

/// A brace, then a member's name or nothing: `opensm-subnet.lst` opens with a brace as well.
pub(super) fn opens_json(text: &str) -> bool {
    text.trim_start().strip_prefix('{').is_some_and(|rest| {
        rest.trim_start()
            .chars()
            .next()
            .is_none_or(|c| "\"}'/".contains(c))
    })
}

fn binary(found: &str) -> FormatErrorKind {
    FormatErrorKind::NotText {
        found: found.to_owned(),
        advice: "check that this is the file you meant",
    }
}

fn not_text(found: String, advice: &'static str, source_name: &str) -> FormatError {
    // The line is no text; there is nothing to show.
    let source = Source {
        name: source_name,
        text: "",
    };
    source.error(0, FormatErrorKind::NotText { found, advice })
}

/// Names the format of a file we do not read, if it is one we know.
fn foreign(source: Source<'_>) -> FormatError {
    let is_control = |c: char| c.is_control() && !"\t\n\r\u{b}\u{c}\u{1b}".contains(c);
    if let Some(offset) = source.text.find(is_control) {
        return source.error(offset, binary("a control character"));
    }
    if let Some(offset) = source.text.find(char::REPLACEMENT_CHARACTER) {
        return source.error(offset, binary("a byte that is not UTF-8"));
    }
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        if let Some((found, advice)) = known_line(line.trim()) {
            let kind = FormatErrorKind::OtherFormat {
                found: found.to_owned(),
                advice,
            };
            return source.error(start, kind);
        }
        start += line.len();
    }
    let offset = source.text.len() - source.text.trim_start().len();
    let line = source.text.trim_start().lines().next().unwrap_or("");
    let shown: String = line.chars().take(40).collect();
    let dots = if shown.len() < line.len() { "…" } else { "" };
    source.error(
        offset,
        FormatErrorKind::OtherFormat {
            found: format!("a file that starts with “{}{dots}”", shown.trim_end()),
            advice: "check that this is the file you meant",
        },
    )
}

fn known_line(line: &str) -> Option<(&'static str, &'static str)> {
    let words: Vec<&str> = line.split_whitespace().take(4).collect();
    match words.as_slice() {
        ["Switch" | "Ca" | "Router", ":", guid, ..] if guid.starts_with("0x") => Some((
            "a list of nodes without links (ibnetdiscover -l, -S, -H or -R)",
            "run ibnetdiscover without these options",
        )),
        _ => None,
    }
}
