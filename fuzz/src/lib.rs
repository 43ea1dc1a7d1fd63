//! What must hold whatever bytes a reader is given.

pub mod programs;

use libfuzzer_sys::Corpus;
use weft_fabric::formats::{FormatErrorKind, FormatName, read, write};

/// Reads bytes of any kind and checks what comes of them.
pub fn any(bytes: &[u8]) {
    let _ = check(bytes);
}

/// Does the same and keeps only bytes that are, or were meant to be, in one format.
pub fn only(bytes: &[u8], format: FormatName) -> Corpus {
    match check(bytes) {
        Some(found) if found == Some(format) || found.is_none() => Corpus::Keep,
        _ => Corpus::Reject,
    }
}

/// The format the bytes were read in, `Some(None)` where they were refused, and `None` where
/// they look like no format at all.
///
/// # Panics
/// When a fabric does not survive being written and read again.
fn check(bytes: &[u8]) -> Option<Option<FormatName>> {
    let found = match read(bytes, "file") {
        Ok(found) => found,
        Err(error) => {
            // Showing an error slices the text around its place.
            assert!(error.to_string().starts_with("file:"));
            let is_foreign = matches!(
                error.kind,
                FormatErrorKind::Empty
                    | FormatErrorKind::NotText { .. }
                    | FormatErrorKind::OtherFormat { .. }
            );
            return if is_foreign { None } else { Some(None) };
        }
    };
    for format in [found.format, FormatName::Json] {
        let Ok(text) = write(&found.fabric, format) else {
            continue;
        };
        let again = match read(text.as_bytes(), "file") {
            Ok(again) => again,
            Err(error) => panic!("what was written cannot be read: {error}\n{text}"),
        };
        assert_eq!(again.format, format, "{text}");
        if makes_identifiers(format) {
            assert_eq!(write(&again.fabric, format).as_ref(), Ok(&text));
        } else {
            assert_eq!(again.fabric, found.fabric, "{text}");
        }
    }
    Some(Some(found.format))
}

/// Tells whether a writer adds identifiers that its format cannot do without, so that a fabric
/// comes back with more than it had; written once more, it is the same file.
fn makes_identifiers(format: FormatName) -> bool {
    matches!(
        format,
        FormatName::Ibnetdiscover
            | FormatName::PortsReport
            | FormatName::Iblinkinfo
            | FormatName::SubnetList
    )
}
