//! Lines, numbers and places in the files of `OpenSM`.

use super::super::unexpected;
use weft_fabric::formats::{FormatError, FormatErrorKind, Source};

/// The lines without blanks around them, with their places.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(|line| {
        let line = line.trim();
        (line.as_ptr().addr() - text.as_ptr().addr(), line)
    })
}

/// The hexadecimal number after a mark.
pub(super) fn number_after(line: &str, mark: &str) -> Option<u64> {
    let rest = &line[line.find(mark)? + mark.len()..];
    let end = rest
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(rest.len());
    u64::from_str_radix(&rest[..end], 16).ok()
}

/// Takes the LID off the start of an entry.
pub(super) fn lid_and_rest(line: &str) -> Option<(u16, &str)> {
    let rest = line.strip_prefix("0x")?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit())?;
    let lid = u16::from_str_radix(&rest[..end], 16).ok()?;
    Some((lid, rest[end..].trim_start_matches([' ', '\t', ':'])))
}

/// The error of a line that is no entry, which begins at an offset.
pub(super) fn no_entry(source: Source<'_>, offset: usize, example: &str) -> FormatError {
    let line = &source.text[offset..];
    let start: String = line.lines().next().unwrap_or("").chars().take(40).collect();
    let expected = format!("an entry such as “{example}”");
    unexpected(source, offset, format!("“{start}”"), expected)
}

/// The error of a word that is no port.
pub(super) fn no_port(source: Source<'_>, offset: usize, found: &str) -> FormatError {
    let start: String = found.chars().take(20).collect();
    unexpected(
        source,
        offset,
        format!("port “{start}”"),
        "a port, 0 to 254",
    )
}

/// The error of a file that stops before a switch's entries are complete.
pub(super) fn truncated(source: Source<'_>, offset: usize, found: &str) -> FormatError {
    source.error(
        offset,
        FormatErrorKind::Truncated {
            found: found.to_owned(),
            expected: "the rest of a switch's entries".to_owned(),
        },
    )
}
