//! What can be wrong with a fabric's file, always with the place, and with writing one.

use super::format_name::{FormatName, readable};
use crate::error::FabricError;
use std::fmt;

/// A file could not be read as a fabric.
///
/// Its text names the place and the trouble and shows the line:
///
/// ```text
/// cluster.json:14:21: no node is named “sw99”; did you mean “sw9”?
///    |
/// 14 |     {"ends": [["sw99", 3], ["host1", 1]]}
///    |               ^
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// What is wrong.
    pub kind: FormatErrorKind,
    /// The file's name as given to the reader.
    pub source_name: String,
    /// Line of the place, from 1.
    pub line: u32,
    /// Column of the place in characters, from 1.
    pub column: u32,
    /// The line, clipped around the place when it is long; empty when there is nothing to show.
    pub excerpt: String,
    /// Where in the excerpt the place is, in characters, from 0.
    pub excerpt_column: u32,
}

/// What is wrong with a fabric's file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatErrorKind {
    /// The file has no content.
    #[error(
        "found an empty file, expected a fabric ({}); check that the program that wrote it \
         succeeded",
        readable()
    )]
    Empty,
    /// The file is not text.
    #[error(
        "found {found}, expected the text of a fabric ({}); {advice}",
        readable()
    )]
    NotText {
        /// What the content looks like.
        found: String,
        /// What to do.
        advice: &'static str,
    },
    /// The file is text of another kind.
    #[error("found {found}, expected a fabric ({}); {advice}", readable())]
    OtherFormat {
        /// What the content looks like.
        found: String,
        /// What to do.
        advice: &'static str,
    },
    /// The file stops too early.
    #[error(
        "found {found}, expected {expected}; the file looks truncated: write or copy it again in \
         full"
    )]
    Truncated {
        /// What the file ends with or refers to.
        found: String,
        /// What is missing.
        expected: String,
    },
    /// Something stands where something else belongs.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// What is there.
        found: String,
        /// What belongs there.
        expected: String,
    },
    /// Our own format in a version this reader does not know.
    #[error(
        "found version {found} of the weft-fabric format, expected {newest}; read this file with \
         a newer release of weft"
    )]
    NewerVersion {
        /// The file's version.
        found: u64,
        /// The newest this reader knows.
        newest: u64,
    },
    /// A link ends at a node the file does not list.
    #[error("no node is named “{name}”; {advice}")]
    UnknownNode {
        /// The name.
        name: String,
        /// The nearest name there is, or where names come from.
        advice: String,
    },
    /// The parts are well formed but form no fabric.
    #[error("{error}{}", first_at(*first_line))]
    Fabric {
        /// What is wrong with the fabric.
        error: Box<FabricError>,
        /// The line of the earlier part that this one clashes with.
        first_line: Option<u32>,
    },
}

fn first_at(line: Option<u32>) -> String {
    line.map_or_else(String::new, |line| format!(" (first at line {line})"))
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.source_name, self.line, self.column, self.kind
        )?;
        if !self.excerpt.is_empty() {
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let before = " ".repeat(self.excerpt_column as usize);
            write!(
                f,
                "\n{margin} |\n{number} | {}\n{margin} | {before}^",
                self.excerpt
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for FormatError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            FormatErrorKind::Fabric { error, .. } => Some(error.as_ref()),
            _ => None,
        }
    }
}

/// A fabric could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format is only read.
    #[error("fabrics are read from {format} files, not written; choose another format")]
    ReadOnly {
        /// The format.
        format: FormatName,
    },
    /// The format has no way to say what this fabric has.
    #[error("{format} cannot hold {what}: {reason}")]
    CannotHold {
        /// The format.
        format: FormatName,
        /// The part of the fabric that does not fit.
        what: String,
        /// Why it does not, and what to do.
        reason: String,
    },
    /// Two nodes have the same GUID.
    #[error("“{first}” and “{second}” have the same GUID, 0x{guid:016x}; give one of them another")]
    SharedGuid {
        /// The GUID.
        guid: u64,
        /// One node's name.
        first: String,
        /// The other's.
        second: String,
    },
}
