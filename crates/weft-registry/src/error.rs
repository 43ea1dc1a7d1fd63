//! What is said of a choice that cannot be.

use crate::Suggestion;

/// A choice or a value of a parameter cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// A part of a choice is no `name=value`.
    #[error("found “{found}” in “{text}”, expected name=value; write parameters as in {example}")]
    Malformed {
        /// The text of the choice.
        text: String,
        /// The part that could not be read.
        found: String,
        /// A choice that could be read.
        example: &'static str,
    },
    /// A parameter is given twice.
    #[error("parameter “{parameter}” is given twice in “{text}”; give each parameter once")]
    DuplicateParameter {
        /// The text of the choice.
        text: String,
        /// The parameter.
        parameter: String,
    },
    /// Nothing has this name.
    #[error("found {what} “{found}”, expected one of {known}{suggestion}")]
    UnknownName {
        /// What was looked for, such as `topology`.
        what: &'static str,
        /// The name given.
        found: String,
        /// All names.
        known: String,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// What was chosen has no parameter of this name.
    #[error("found parameter “{found}” for {owner}, expected {known}{suggestion}")]
    UnknownParameter {
        /// Whose parameter, such as `topology ring`.
        owner: String,
        /// The name given.
        found: String,
        /// The names there are.
        known: String,
        /// The name most like it.
        suggestion: Suggestion,
    },
    /// A parameter without a default is not given.
    #[error("{owner} needs a value for parameter {parameter}; expected {expected}")]
    MissingParameter {
        /// Whose parameter.
        owner: String,
        /// The parameter.
        parameter: &'static str,
        /// What would be valid.
        expected: String,
    },
    /// A parameter has a value it cannot have.
    #[error(
        "found “{found}” for parameter {parameter} of {owner}, expected {expected}{suggestion}"
    )]
    InvalidValue {
        /// Whose parameter.
        owner: String,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        found: String,
        /// What would be valid.
        expected: String,
        /// The valid value most like it.
        suggestion: Suggestion,
    },
}

/// The most names that an error lists; of more, the nearest one says enough.
const MOST_LISTED: usize = 16;

impl RegistryError {
    /// The error for a name that a registry does not have.
    pub fn unknown_name<'a>(
        what: &'static str,
        found: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        Self::UnknownName {
            what,
            found: found.to_owned(),
            suggestion: Suggestion::nearest(found, known.iter().copied()),
            known: known.join(", "),
        }
    }

    /// The error for a parameter that `owner` does not have.
    pub fn unknown_parameter<'a>(
        owner: impl Into<String>,
        found: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        Self::UnknownParameter {
            owner: owner.into(),
            found: found.to_owned(),
            suggestion: Suggestion::nearest(found, known.iter().copied()),
            known: match known.len() {
                0 => "none".to_owned(),
                1..=MOST_LISTED => format!("one of {}", known.join(", ")),
                count => format!("one of its {count}"),
            },
        }
    }
}
