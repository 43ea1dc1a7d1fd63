//! Lines, numbers and places in the files of `OpenSM`.

use weft_fabric::formats::{FormatError, FormatErrorKind, Source};

/// The port that stands for no entry.
const UNREACHABLE_PORT: u8 = 255;
/// The word that does.
pub(crate) const UNREACHABLE: &str = "UNREACHABLE";

/// The lines without blanks around them, with their places.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(|line| {
        let line = line.trim();
        (line.as_ptr().addr() - text.as_ptr().addr(), line)
    })
}

/// The hexadecimal number after a mark.
pub(crate) fn number_after(line: &str, mark: &str) -> Option<u64> {
    let rest = &line[line.find(mark)? + mark.len()..];
    let end = rest
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(rest.len());
    u64::from_str_radix(&rest[..end], 16).ok()
}

/// Takes the LID off the start of an entry.
pub(crate) fn lid_and_rest(line: &str) -> Option<(u16, &str)> {
    let rest = line.strip_prefix("0x")?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit())?;
    let lid = u16::from_str_radix(&rest[..end], 16).ok()?;
    Some((lid, rest[end..].trim_start_matches([' ', '\t', ':'])))
}

/// The error of a line that is no entry, which begins at an offset.
pub(crate) fn no_entry(source: Source<'_>, offset: usize, example: &str) -> FormatError {
    let line = source.text[offset..].lines().next().unwrap_or("");
    let expected = format!("an entry such as “{example}”");
    source.unexpected(offset, start_of(line), expected)
}

/// The port of an entry; `None` where it leads nowhere.
pub(crate) fn port(
    source: Source<'_>,
    offset: usize,
    word: &str,
) -> Result<Option<u8>, FormatError> {
    match word.parse::<u8>() {
        Ok(number) => Ok(Some(number).filter(|&number| number != UNREACHABLE_PORT)),
        Err(_) if word.starts_with(UNREACHABLE) => Ok(None),
        Err(_) => {
            let start: String = word.chars().take(20).collect();
            Err(source.unexpected(offset, format!("port “{start}”"), "a port, 0 to 254"))
        }
    }
}

/// The start of a line, for people.
pub(crate) fn start_of(line: &str) -> String {
    format!("“{}”", line.chars().take(40).collect::<String>())
}

/// Refuses a file that stops within a line.
pub(crate) fn unless_cut(source: Source<'_>) -> Result<(), FormatError> {
    if source.text.is_empty() || source.text.ends_with('\n') {
        return Ok(());
    }
    Err(truncated(source, source.text.len(), "the end of the file"))
}

/// The error of a file that stops before a switch's entries are complete.
pub(crate) fn truncated(source: Source<'_>, offset: usize, found: &str) -> FormatError {
    source.error(
        offset,
        FormatErrorKind::Truncated {
            found: found.to_owned(),
            expected: "the rest of a switch's entries".to_owned(),
        },
    )
}
