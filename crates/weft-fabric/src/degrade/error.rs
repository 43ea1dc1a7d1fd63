//! What can be wrong with a choice of failures.

use crate::error::FabricError;
use weft_registry::Suggestion;

/// The failures asked for cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DegradeError {
    /// A text is neither a share nor a name.
    #[error("found {what} “{found}”, expected {expected}")]
    NotChosen {
        /// What was to fail.
        what: &'static str,
        /// The text given.
        found: String,
        /// What would do.
        expected: String,
    },
    /// Nothing has this name.
    #[error("found {what} “{found}”, and the fabric has none of this name{suggestion}")]
    UnknownName {
        /// A switch or a host.
        what: &'static str,
        /// The name given.
        found: String,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// The switch has no such port.
    #[error("found link “{found}”; “{switch}” has ports 1 to {port_count}")]
    NotAPort {
        /// The text given.
        found: String,
        /// The switch's name.
        switch: String,
        /// Ports it has.
        port_count: u8,
    },
    /// No cable is on the port.
    #[error("found link “{found}”; no cable is on that port, but there is on {wired}")]
    UnwiredPort {
        /// The text given.
        found: String,
        /// The ports of the switch with one.
        wired: String,
    },
    /// All switches would fail.
    #[error("all switches would fail; leave one at least")]
    NothingLeft,
    /// What is left is no fabric.
    #[error(transparent)]
    Fabric(#[from] FabricError),
}
