//! What values may be.

use crate::Suggestion;
use std::fmt;

/// What stands between the numbers of a list.
const SEPARATORS: [char; 2] = [',', 'x'];

/// What a value of a parameter may be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number.
    Whole {
        /// Least value.
        least: u64,
        /// Largest value.
        most: u64,
    },
    /// Whole numbers of 32 bits, none below this one, as in `4x4x2` or `4,4,2`.
    List {
        /// Least value of each.
        least: u32,
    },
    /// A number.
    Number {
        /// Least value.
        least: f64,
        /// Largest value.
        most: f64,
    },
    /// A number more than 0.
    Positive {
        /// Largest value.
        most: f64,
    },
    /// This word, such as `auto`, or a value of another kind.
    Or(&'static str, &'static Kind),
    /// The name of a file.
    File,
    /// What only the owner of the parameter can tell.
    Open(Open),
}

/// Values that only the owner of the parameter can read.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// What a value may be, for people.
    pub expected: &'static str,
    /// Values that are words; one of them was perhaps meant.
    pub words: &'static [&'static str],
    /// Tells whether a text is a value.
    pub accepts: fn(&str) -> bool,
}

/// The value of a number, a whole number or a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(u64),
    /// One of the words of a choice.
    Word(&'static str),
}

impl Kind {
    /// A whole number of 64 bits.
    pub const SEED: Self = Self::count(0, u64::MAX);

    /// A whole number of 32 bits, not below `least`.
    pub const fn whole(least: u32) -> Self {
        Self::count(least as u64, u32::MAX as u64)
    }

    /// A whole number of a range.
    pub const fn count(least: u64, most: u64) -> Self {
        Self::Whole { least, most }
    }

    /// A number of a range.
    pub const fn number(least: f64, most: f64) -> Self {
        Self::Number { least, most }
    }

    /// The kind in one word: `number`, `count`, `choice`, `list` or `text`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Number { .. } | Self::Positive { .. } => "number",
            Self::Whole { .. } => "count",
            Self::Choice(_) => "choice",
            Self::List { .. } => "list",
            Self::Or(_, kind) => kind.name(),
            Self::File | Self::Open(_) => "text",
        }
    }

    /// Tells whether a text is a value of this kind.
    pub fn accepts(&self, text: &str) -> bool {
        match self {
            Self::List { least } => {
                list(text).is_some_and(|numbers| numbers.iter().all(|number| number >= least))
            }
            Self::Or(word, kind) => text == *word || kind.accepts(text),
            Self::File => !text.is_empty(),
            Self::Open(open) => (open.accepts)(text),
            _ => self.read(text).is_some(),
        }
    }

    /// Reads a number, a whole number or a choice; `None` when the text is no value of this kind.
    pub fn read(&self, text: &str) -> Option<Value> {
        match *self {
            Self::Choice(words) => {
                let word = words.iter().find(|&&word| word == text)?;
                Some(Value::Word(word))
            }
            Self::Whole { least, most } => {
                let number = text.parse().ok()?;
                (least..=most)
                    .contains(&number)
                    .then_some(Value::Whole(number))
            }
            Self::Number { least, most } => {
                let number = text.parse().ok()?;
                (least..=most)
                    .contains(&number)
                    .then_some(Value::Number(number))
            }
            Self::Positive { most } => {
                let number = text.parse().ok()?;
                (number > 0.0 && number <= most).then_some(Value::Number(number))
            }
            Self::Or(word, _) if text == word => {
                Some(word.parse().map_or(Value::Word(word), Value::Number))
            }
            Self::Or(_, kind) => kind.read(text),
            Self::List { .. } | Self::File | Self::Open(_) => None,
        }
    }

    /// The words that may have been meant.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        match self {
            Self::Choice(words) => words,
            Self::Or(_, kind) => kind.words(),
            Self::Open(open) => open.words,
            _ => &[],
        }
    }

    /// The word most like what was found.
    pub(crate) fn suggestion(&self, found: &str) -> Suggestion {
        Suggestion::nearest(found, self.words().iter().copied())
    }

    /// Describes the values accepted to someone who gave `found`: a number too large for the most
    /// that goes without saying is told it.
    pub(crate) fn expected(&self, found: &str) -> String {
        let is_too_large = |text: &str| {
            let text = text.trim();
            let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            is_number && text.parse::<u32>().is_err()
        };
        match self {
            Self::Choice(_) => format!("one of {self}"),
            Self::Whole { most, .. } if *most != u64::from(u32::MAX) => self.to_string(),
            Self::Whole { .. } | Self::List { .. } if found.split(SEPARATORS).any(is_too_large) => {
                format!("{self}, {} at most", u32::MAX)
            }
            _ => self.to_string(),
        }
    }
}

/// The whole numbers of a list such as `4x4x2`.
pub(crate) fn list(text: &str) -> Option<Vec<u32>> {
    text.split(SEPARATORS)
        .map(|part| part.trim().parse().ok())
        .collect()
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(words) => f.write_str(&words.join(", ")),
            Self::Whole { least, most } if *most == u64::from(u32::MAX) => {
                write!(f, "a whole number, {least} or more")
            }
            Self::Whole { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::List { least } => {
                write!(f, "whole numbers, {least} or more each, as in 4x4x2")
            }
            Self::Number { least, most } => write!(f, "a number from {least} to {most}"),
            Self::Positive { most } => write!(f, "a number more than 0 and at most {most}"),
            Self::Or(word, kind) => write!(f, "{kind}, or {word}"),
            Self::File => f.write_str("the name of a file"),
            Self::Open(open) => f.write_str(open.expected),
        }
    }
}

impl Value {
    /// The value as TOML writes it.
    pub fn to_toml(self) -> String {
        match self {
            Self::Number(number) => format!("{number:?}"),
            Self::Whole(number) => number.to_string(),
            Self::Word(word) => format!("\"{word}\""),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}
