//! What says that an end is a service end.

use std::fmt;
use std::str::FromStr;

/// What says that an end is a service end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServiceReason {
    /// Its description.
    Description,
    /// Its adapter is part of a switch.
    InsideSwitch,
    /// It is one of few on a level of a tree whose switches have no compute ends.
    Place,
    /// Whoever reads the fabric.
    Told,
}

impl ServiceReason {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 4] = [
        Self::Description,
        Self::InsideSwitch,
        Self::Place,
        Self::Told,
    ];

    /// What a file may have, in words.
    pub(crate) const EXPECTED: &str = "description, inside_switch, place or told";

    /// What a file has for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Description => "description",
            Self::InsideSwitch => "inside_switch",
            Self::Place => "place",
            Self::Told => "told",
        }
    }

    /// What it says, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Description => "their description says that they are no compute ends",
            Self::InsideSwitch => "their adapters are parts of switches",
            Self::Place => "they are few, on a level of the tree where no compute ends are",
            Self::Told => "named as such",
        }
    }
}

impl ServiceReason {
    /// What it says of one end, for people.
    pub fn describe_one(self) -> &'static str {
        match self {
            Self::Description => "its description says that it is no compute end",
            Self::InsideSwitch => "its adapter is part of a switch",
            Self::Place => "it is one of few on a level of the tree where no compute ends are",
            Self::Told => "it was named as one",
        }
    }
}

impl fmt::Display for ServiceReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word is no reason for a service end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found “{0}”, expected {expected}", expected = ServiceReason::EXPECTED)]
pub struct ParseServiceReasonError(String);

impl FromStr for ServiceReason {
    type Err = ParseServiceReasonError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|reason| reason.name() == text);
        known.ok_or_else(|| ParseServiceReasonError(text.to_owned()))
    }
}
