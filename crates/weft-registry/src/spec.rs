//! What is known of a parameter.

use crate::{Kind, RegistryError};

/// What is known of a parameter: reading, checks, help and tables are made from it.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Name, as written in `name=value`.
    pub name: &'static str,
    /// What a value may be.
    pub kind: Kind,
    /// Unit of a value; empty where there is none.
    pub unit: &'static str,
    /// Value used when none is given; `None` where one must be.
    pub default: Option<&'static str>,
    /// A value for examples; empty where the default is one.
    pub example: &'static str,
    /// What it decides, in one sentence.
    pub summary: &'static str,
    /// Where the default comes from; empty where it is chosen with the rest.
    pub source: &'static str,
}

impl Spec {
    /// A parameter that must be given.
    pub const fn required(name: &'static str, kind: Kind, example: &'static str) -> Self {
        Self {
            name,
            kind,
            unit: "",
            default: None,
            example,
            summary: "",
            source: "",
        }
    }

    /// A parameter with a default.
    pub const fn of(name: &'static str, kind: Kind, default: &'static str) -> Self {
        Self {
            default: Some(default),
            ..Self::required(name, kind, default)
        }
    }

    /// A word, the first of `words` when none is given.
    pub const fn choice(name: &'static str, words: &'static [&'static str]) -> Self {
        Self::of(name, Kind::Choice(words), words[0])
    }

    /// A whole number of 32 bits, not below `least`, that must be given.
    pub const fn whole(name: &'static str, least: u32, example: &'static str) -> Self {
        Self::required(name, Kind::whole(least), example)
    }

    /// Whole numbers, none below `least`, that must be given.
    pub const fn list(name: &'static str, least: u32, example: &'static str) -> Self {
        Self::required(name, Kind::List { least }, example)
    }

    /// The same parameter with a value used when none is given.
    #[must_use]
    pub const fn or(self, default: &'static str) -> Self {
        Self::of(self.name, self.kind, default).says(self.summary)
    }

    /// The same parameter with what it decides, in one sentence.
    #[must_use]
    pub const fn says(self, summary: &'static str) -> Self {
        Self { summary, ..self }
    }

    /// The same parameter in a unit.
    #[must_use]
    pub const fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    /// The same parameter with a word of where its default comes from.
    #[must_use]
    pub const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// Describes the values accepted, with their unit: `a number from 0 to 10 ns`.
    pub fn range(&self) -> String {
        self.with_unit(self.kind.to_string())
    }

    fn with_unit(&self, kind: String) -> String {
        match self.unit {
            "" => kind,
            unit => format!("{kind} {unit}"),
        }
    }

    /// The error for a value that is not of the parameter's kind.
    pub fn invalid(&self, owner: &str, found: &str) -> RegistryError {
        RegistryError::InvalidValue {
            owner: owner.to_owned(),
            parameter: self.name,
            found: found.to_owned(),
            expected: self.with_unit(self.kind.expected(found)),
            suggestion: self.kind.suggestion(found),
        }
    }
}
