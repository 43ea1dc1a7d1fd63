//! Files that hold fabrics: our own JSON (read and write) and the output of `ibnetdiscover`
//! (read).
//!
//! ```text
//! bytes ─► recognise ─┬─► json ──────────┐
//!                     └─► ibnetdiscover ─┴─► FabricBuilder ─► ReadFabric
//! ```

mod error;
mod ibnetdiscover;
mod json;
mod recognise;
mod source;

pub use error::{FormatError, FormatErrorKind};
pub use json::write_json;

use crate::fabric::Fabric;
use std::fmt;

/// A format fabrics are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    /// Our own JSON.
    Json,
    /// The output of `ibnetdiscover`.
    Ibnetdiscover,
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Json => "weft-fabric JSON",
            Self::Ibnetdiscover => "ibnetdiscover",
        })
    }
}

/// Something a reader passed over, corrected or found worth telling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadNote {
    /// Its line in the file, from 1, where it belongs to one.
    pub line: Option<u32>,
    /// The text or the part of the fabric it is about.
    pub text: String,
    /// What was done about it and why.
    pub reason: String,
}

/// A fabric as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFabric {
    /// The fabric.
    pub fabric: Fabric,
    /// The format the file was in.
    pub format: FormatName,
    /// What was passed over or corrected, in the order of the file.
    pub notes: Vec<ReadNote>,
}

/// This reads a fabric; the format is found from the content.
///
/// `source_name` is what errors call the file; the fabric takes its name from it where the format
/// has none.
///
/// # Errors
/// [`FormatError`] with the place, for anything that is no complete fabric. No content makes the
/// reader panic.
pub fn read(bytes: &[u8], source_name: &str) -> Result<ReadFabric, FormatError> {
    let recognised = recognise::recognise(bytes, source_name)?;
    let source = source::Source {
        name: source_name,
        text: &recognised.text,
    };
    match recognised.format {
        FormatName::Json => json::read(source),
        FormatName::Ibnetdiscover => ibnetdiscover::read(source),
    }
}

/// This is a fabric's name made from its file's: the last part of the path without its extension.
fn fabric_name(source_name: &str) -> String {
    let file = source_name
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(source_name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let name: String = stem.chars().filter(|c| !c.is_control()).collect();
    if name.trim_matches(['-', ' ']).is_empty() {
        "fabric".to_owned()
    } else {
        name
    }
}
