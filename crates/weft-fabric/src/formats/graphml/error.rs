//! What is wrong with a text as XML, in our words and with its place.

use super::super::{FormatError, Source};
use quick_xml::Error;
use quick_xml::errors::{IllFormedError, SyntaxError};
use quick_xml::escape::EscapeError;
use quick_xml::events::attributes::AttrError;

/// An error of the XML reader at a byte offset.
pub(super) fn broken(source: Source<'_>, offset: usize, error: &Error) -> FormatError {
    let is_open = match error {
        Error::Syntax(error) => *error != SyntaxError::InvalidBangMarkup,
        Error::IllFormed(error) => *error == IllFormedError::UnclosedReference,
        _ => false,
    };
    // What is open up to the end of a text that ends as XML does was not closed where it should have been.
    if is_open && !source.text.trim_end().ends_with('>') {
        return source.ended("the rest of the XML");
    }
    let what = match error {
        Error::InvalidAttr(error) => return no_attribute(source, offset, error),
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("expected </{expected}>, not </{found}>")
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
            format!("nothing that </{found}> ends")
        }
        Error::Escape(EscapeError::UnrecognizedEntity(_, name)) => undeclared(name),
        Error::Escape(EscapeError::UnterminatedEntity(_)) => "“&” without “;”".to_owned(),
        _ => error.to_string(),
    };
    no_xml(source, offset, &what)
}

/// What is said of an entity that nothing declares.
pub(super) fn undeclared(name: &str) -> String {
    format!("nothing declares the entity “{name}”")
}

/// An error of the attributes of an element that begins at a byte offset.
pub(super) fn no_attribute(source: Source<'_>, offset: usize, error: &AttrError) -> FormatError {
    let (place, what) = match error {
        AttrError::ExpectedEq(place) => (place, "a name of an attribute without “=”"),
        AttrError::ExpectedValue(place) => (place, "an attribute without a value"),
        AttrError::UnquotedValue(place) => (place, "a value of an attribute without quotes"),
        AttrError::ExpectedQuote(place, _) => (place, "a value of an attribute that is not closed"),
        AttrError::Duplicated(place, _) => (place, "an attribute twice"),
    };
    // Places are counted from behind the bracket.
    no_xml(source, offset + 1 + place, what)
}

/// The error of a text that is no XML at a byte offset.
pub(super) fn no_xml(source: Source<'_>, offset: usize, what: &str) -> FormatError {
    let expected = format!("well-formed XML ({what})");
    source.unexpected(offset, "what is no XML", expected)
}
