//! What is known about a hardware parameter: one registry entry each, from which reading, range
//! checks, help and the report's table are made.

use super::error::{HardwareError, Place};
use std::fmt;
use weft_registry::Suggestion;

/// The kind of values a parameter takes, with their range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// A physical quantity.
    Number {
        /// Smallest value.
        minimum: f64,
        /// Largest value.
        maximum: f64,
    },
    /// A whole number.
    Count {
        /// Smallest value.
        minimum: u32,
        /// Largest value.
        maximum: u32,
    },
    /// One of a few names.
    Choice {
        /// The names.
        names: &'static [&'static str],
    },
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterValue {
    /// A physical quantity, in the parameter's unit.
    Number(f64),
    /// A whole number, in the parameter's unit.
    Count(u32),
    /// One of the names of a choice.
    Choice(&'static str),
}

/// One parameter of hardware of type `H`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParameterSpec<H: 'static> {
    /// Its name: field of `H`, key of the TOML file, key of `--set`.
    pub(super) name: &'static str,
    /// Kind of its values and their range.
    pub(super) kind: ParameterKind,
    /// Unit of its values; empty for a choice.
    pub(super) unit: &'static str,
    /// Value in presets that do not say another.
    pub(super) default: ParameterValue,
    /// What it is, in one sentence.
    pub(super) summary: &'static str,
    /// Where the default comes from.
    pub(super) source: &'static str,
    pub(super) get: fn(&H) -> ParameterValue,
    pub(super) set: fn(&mut H, ParameterValue),
}

impl ParameterKind {
    /// The kind in one word: `number`, `count` or `choice`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Number { .. } => "number",
            Self::Count { .. } => "count",
            Self::Choice { .. } => "choice",
        }
    }

    /// Reads a value from text and checks its range; `None` when it is no value of this kind.
    pub(super) fn parse(&self, text: &str) -> Option<ParameterValue> {
        let value = match *self {
            Self::Number { .. } => ParameterValue::Number(text.trim().parse().ok()?),
            Self::Count { .. } => ParameterValue::Count(text.trim().parse().ok()?),
            Self::Choice { names } => {
                ParameterValue::Choice(names.iter().find(|&&name| name == text.trim())?)
            }
        };
        self.contains(value).then_some(value)
    }

    /// Tells whether a value is of this kind and in its range.
    pub fn contains(&self, value: ParameterValue) -> bool {
        match (*self, value) {
            (Self::Number { minimum, maximum }, ParameterValue::Number(number)) => {
                (minimum..=maximum).contains(&number)
            }
            (Self::Count { minimum, maximum }, ParameterValue::Count(count)) => {
                (minimum..=maximum).contains(&count)
            }
            (Self::Choice { names }, ParameterValue::Choice(name)) => names.contains(&name),
            _ => false,
        }
    }
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { minimum, maximum } => write!(f, "a number from {minimum} to {maximum}"),
            Self::Count { minimum, maximum } => {
                write!(f, "a whole number from {minimum} to {maximum}")
            }
            Self::Choice { names } => write!(f, "one of {}", names.join(", ")),
        }
    }
}

impl<H> ParameterSpec<H> {
    /// Describes the values accepted, with their unit: `a number from 0 to 10 ns`.
    pub(super) fn range(&self) -> String {
        if self.unit.is_empty() {
            self.kind.to_string()
        } else {
            format!("{} {}", self.kind, self.unit)
        }
    }

    /// Reads a value given as text.
    pub(super) fn read(&self, text: &str) -> Result<ParameterValue, HardwareError> {
        self.kind.parse(text).ok_or_else(|| HardwareError::Value {
            place: Place::default(),
            parameter: self.name,
            found: text.to_owned(),
            expected: self.expected(text),
        })
    }

    /// Refuses hardware in which the parameter is out of range.
    pub(super) fn check(&self, hardware: &H) -> Result<(), HardwareError> {
        let value = self.value(hardware);
        if self.kind.contains(value) {
            return Ok(());
        }
        Err(HardwareError::Value {
            place: Place::default(),
            parameter: self.name,
            found: value.to_string(),
            expected: self.range(),
        })
    }

    /// Describes the values accepted to someone who gave `found`: of a choice, the name that
    /// was perhaps meant comes last.
    pub(super) fn expected(&self, found: &str) -> String {
        match self.kind {
            ParameterKind::Choice { names } => {
                let suggestion = Suggestion::nearest(found, names.iter().copied());
                format!("{}{suggestion}", self.range())
            }
            ParameterKind::Number { .. } | ParameterKind::Count { .. } => self.range(),
        }
    }

    /// The parameter's value in `hardware`.
    pub(super) fn value(&self, hardware: &H) -> ParameterValue {
        (self.get)(hardware)
    }
}

impl ParameterValue {
    /// The number of a [`ParameterKind::Number`].
    ///
    /// # Panics
    /// When the value is of another kind, a bug: values are checked against their kind first.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Number(number) => number,
            other => unreachable!("{other:?} is no number"),
        }
    }

    /// The number of a [`ParameterKind::Count`].
    ///
    /// # Panics
    /// As [`ParameterValue::number`].
    pub(super) fn count(self) -> u32 {
        match self {
            Self::Count(count) => count,
            other => unreachable!("{other:?} is no count"),
        }
    }

    /// The name of a [`ParameterKind::Choice`].
    ///
    /// # Panics
    /// As [`ParameterValue::number`].
    pub(super) fn choice(self) -> &'static str {
        match self {
            Self::Choice(name) => name,
            other => unreachable!("{other:?} is no choice"),
        }
    }

    /// The value as TOML writes it.
    pub fn to_toml(self) -> String {
        match self {
            Self::Number(number) => format!("{number:?}"),
            Self::Count(count) => count.to_string(),
            Self::Choice(name) => format!("\"{name}\""),
        }
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Choice(name) => f.write_str(name),
        }
    }
}
