//! Parts of a JSON text parsed, with errors placed in the whole.

use super::error::{FormatError, FormatErrorKind};
use super::source::{Source, floor};
use serde::Deserialize;
use serde_json::error::Category;

/// The JSON text of a file.
#[derive(Clone, Copy, Debug)]
pub struct JsonText<'a> {
    /// The file.
    pub source: Source<'a>,
}

impl<'a> JsonText<'a> {
    /// Where a part of the text starts in the whole.
    pub fn offset(self, part: &'a str) -> usize {
        (part.as_ptr().addr()).saturating_sub(self.source.text.as_ptr().addr())
    }

    /// Parses a part of the text; errors name their place in the whole.
    ///
    /// # Errors
    /// [`FormatError`] where the part is no JSON, or not what was to be parsed.
    pub fn parse<T: Deserialize<'a>>(self, part: &'a str) -> Result<T, FormatError> {
        serde_json::from_str(part).map_err(|error| self.placed(part, &error))
    }

    /// The error of a text that ends too early.
    fn ended(self) -> FormatError {
        let text = self.source.text;
        let Some(Open { bracket, offset }) = left_open(text) else {
            return self.source.ended("the rest of the JSON");
        };
        let close = if bracket == '{' { '}' } else { ']' };
        let line = text[..offset].matches('\n').count() + 1;
        self.source.unexpected(
            text.trim_end().len(),
            format!("the end of the file, with “{bracket}” of line {line} still open"),
            format!(
                "“{close}” for it: close it where it belongs, or, where the file was cut, write or \
                 copy it again in full"
            ),
        )
    }

    fn placed(self, part: &'a str, error: &serde_json::Error) -> FormatError {
        let message = error.to_string();
        let message = message
            .rsplit_once(" at line ")
            .map_or(message.as_str(), |(text, _)| text);
        let within = Source {
            name: "",
            text: part,
        }
        .offset_of(error.line(), error.column());
        let (within, kind) = match error.classify() {
            Category::Eof => return self.ended(),
            Category::Syntax => (
                within,
                syntax(message, part[floor(part, within)..].chars().next()),
            ),
            Category::Data | Category::Io => match mismatch(message) {
                (kind, Extent::Whole) => (part.len() - part.trim_start().len(), kind),
                (kind, Extent::Value) => (token_start(part, within), kind),
            },
        };
        self.source.error(self.offset(part) + within, kind)
    }
}

/// A bracket that opens an array or an object, and where it stands.
#[derive(Clone, Copy)]
struct Open {
    bracket: char,
    offset: usize,
}

/// The innermost bracket that a text leaves open, if its last character closes another: then no part is cut
/// through, and a bracket may lack as well as the rest of the file.
fn left_open(text: &str) -> Option<Open> {
    if !text.trim_end().ends_with(['}', ']']) {
        return None;
    }
    let mut open: Vec<Open> = Vec::new();
    let (mut is_text, mut is_escaped) = (false, false);
    for (offset, bracket) in text.char_indices() {
        match bracket {
            _ if is_escaped => is_escaped = false,
            '\\' if is_text => is_escaped = true,
            '"' => is_text = !is_text,
            _ if is_text => {}
            '{' | '[' => open.push(Open { bracket, offset }),
            '}' | ']' => drop(open.pop()),
            _ => {}
        }
    }
    open.pop().filter(|_| !is_text)
}

/// What an error of serde concerns: the whole part it parsed, or a value in it.
enum Extent {
    Whole,
    Value,
}

fn syntax(message: &str, found: Option<char>) -> FormatErrorKind {
    FormatErrorKind::Unexpected {
        found: found.map_or_else(|| "the end".to_owned(), |c| format!("“{c}”")),
        expected: match message.strip_prefix("expected ") {
            Some("value") => "a value, as JSON has it; is a comma too many?".to_owned(),
            Some(expected) => format!("{expected}, as JSON has it"),
            None => format!("JSON ({message})"),
        },
    }
}

/// serde names the end of a value; this is its start if it is a number, a word or a string.
fn token_start(part: &str, end: usize) -> usize {
    let before = &part.as_bytes()[..end.min(part.len())];
    let start = match part.as_bytes().get(end) {
        Some(b'"') => before.iter().rposition(|&byte| byte == b'"'),
        _ => before
            .iter()
            .rposition(|byte| !byte.is_ascii_alphanumeric() && !b"+-.".contains(byte))
            .map(|delimiter| delimiter + 1),
    };
    start.unwrap_or(end)
}

/// Puts serde's words into ours, and tells what they concern.
fn mismatch(message: &str) -> (FormatErrorKind, Extent) {
    let pieces = |text: &str| {
        let (found, expected) = text.split_once(", expected ")?;
        Some((found.to_owned(), expected.to_owned()))
    };
    let (found, expected, extent) = if let Some(field) = message.strip_prefix("missing field ") {
        (
            format!("no field {field}"),
            "it; add it".to_owned(),
            Extent::Whole,
        )
    } else if let Some(field) = message.strip_prefix("duplicate field ") {
        (
            format!("field {field} twice"),
            "it once".to_owned(),
            Extent::Value,
        )
    } else {
        let plain = ["invalid type: ", "invalid value: ", "found "]
            .iter()
            .find_map(|start| message.strip_prefix(start))
            .unwrap_or(message);
        let (found, expected) =
            pieces(plain).unwrap_or_else(|| (plain.to_owned(), "a fabric".to_owned()));
        let expected = match expected.as_str() {
            "u32" => "a whole number".to_owned(),
            "u8" => "a whole number from 0 to 255".to_owned(),
            _ => expected,
        };
        (found, expected, Extent::Value)
    };
    (FormatErrorKind::Unexpected { found, expected }, extent)
}

/// A text as errors show it, its start where it is long.
pub(super) fn clipped(text: &str) -> String {
    let shown: String = text.chars().take(40).collect();
    if shown.len() < text.len() {
        format!("{shown}…")
    } else {
        shown
    }
}

/// A JSON array with one item a line.
pub(super) fn list(items: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = items.map(|item| format!("\n    {item}")).collect();
    if lines.is_empty() {
        "[]".to_owned()
    } else {
        format!("[{}\n  ]", lines.join(","))
    }
}
