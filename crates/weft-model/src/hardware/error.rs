//! What can be wrong with hardware parameters.

use crate::{ClockError, CutThroughError, WormholeError};
use std::fmt;
use weft_registry::RegistryError;

/// Where in a file something was found; shown as `file:line:column: `, or as nothing for values
/// that come from no file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(Option<(String, usize, usize)>);

impl Place {
    /// The place at byte `offset` of `text`, the contents of `source_name`.
    pub(super) fn in_text(source_name: &str, text: &str, offset: usize) -> Self {
        let before = String::from_utf8_lossy(&text.as_bytes()[..offset.min(text.len())]);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before
            .chars()
            .rev()
            .take_while(|&character| character != '\n')
            .count();
        Self(Some((source_name.to_owned(), line, column)))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some((source_name, line, column)) => write!(f, "{source_name}:{line}:{column}: "),
            None => Ok(()),
        }
    }
}

/// Hardware parameters cannot be read or contradict one another.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HardwareError {
    /// A preset or a parameter is unknown, or a value of the wrong kind or out of range.
    #[error("{place}{source}")]
    Parameter {
        /// Where it was found.
        place: Place,
        /// What is wrong.
        source: Box<RegistryError>,
    },
    /// The parameter is one of other hardware.
    #[error(
        "{place}found “{found}”, which {preset} does not have; expected other hardware, of {known}"
    )]
    OtherHardware {
        /// Where it was found.
        place: Place,
        /// Name given.
        found: String,
        /// The preset that the hardware started from.
        preset: &'static str,
        /// The presets that have it.
        known: String,
    },
    /// The file is no TOML.
    #[error("{place}{message}; expected lines such as routing_delay_ns = 150")]
    Syntax {
        /// Where reading stopped.
        place: Place,
        /// What is wrong there.
        message: String,
    },
    /// The links of a fabric have no common clock.
    #[error(transparent)]
    Clock(#[from] ClockError),
    /// The parameters are in range but do not fit together.
    #[error("{parameters}: {source}")]
    Contradiction {
        /// Names of the parameters concerned.
        parameters: String,
        /// What does not fit, in flits (bytes) and cycles.
        source: ModelError,
    },
}

/// What does not fit together in a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub enum ModelError {
    /// Of the wormhole model.
    Wormhole(#[from] WormholeError),
    /// Of the cut-through model.
    CutThrough(#[from] CutThroughError),
}

impl From<RegistryError> for HardwareError {
    fn from(source: RegistryError) -> Self {
        let place = Place::default();
        let source = Box::new(source);
        Self::Parameter { place, source }
    }
}
