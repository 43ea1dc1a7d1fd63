//! Parameters of patterns and arrival processes: what they may be, and what was chosen.

use super::error::TrafficError;
use std::collections::BTreeMap;
use std::fmt;
use weft_registry::Suggestion;

/// What a value of a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number of 32 bits, not below this one.
    Whole {
        /// Least value.
        least: u32,
    },
    /// A whole number of 64 bits.
    Seed,
    /// More than 0 and at most 100.
    Percent,
    /// A time in ns, more than 0.
    Nanoseconds,
    /// Hosts by name or number, joined by `+`, or the word `random`.
    Hosts,
    /// The name of a file.
    File,
}

/// Longest time accepted in ns, 30 hours: longer than any run.
const MAX_NS: f64 = 1.1e14;

impl ParameterKind {
    fn accepts(self, text: &str) -> bool {
        match self {
            Self::Choice(words) => words.contains(&text),
            Self::Whole { least } => text.parse().is_ok_and(|number: u32| number >= least),
            Self::Seed => text.parse::<u64>().is_ok(),
            Self::Percent => text.parse().is_ok_and(|x: f64| x > 0.0 && x <= 100.0),
            Self::Nanoseconds => text.parse().is_ok_and(|x: f64| x > 0.0 && x <= MAX_NS),
            Self::Hosts | Self::File => !text.is_empty(),
        }
    }
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(words) => f.write_str(&words.join(", ")),
            Self::Whole { least } => write!(f, "a whole number, {least} or more"),
            Self::Seed => write!(f, "a whole number from 0 to {}", u64::MAX),
            Self::Percent => f.write_str("more than 0 and at most 100, in percent"),
            Self::Nanoseconds => f.write_str("more than 0 ns, and at most 30 hours"),
            Self::Hosts => f.write_str("random, or hosts by name or number, joined by +"),
            Self::File => f.write_str("the name of a file"),
        }
    }
}

/// A parameter of a pattern or an arrival process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterSpec {
    /// Name.
    pub name: &'static str,
    /// What a value may be.
    pub kind: ParameterKind,
    /// Value used when none is given; `None` where one must be.
    pub default: Option<&'static str>,
    /// What it decides, in one sentence.
    pub summary: &'static str,
}

impl ParameterSpec {
    /// A parameter with a default.
    pub(super) const fn of(
        name: &'static str,
        kind: ParameterKind,
        default: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            default: Some(default),
            summary,
        }
    }

    /// A word, the first of `words` when none is given.
    pub(super) const fn choice(
        name: &'static str,
        words: &'static [&'static str],
        summary: &'static str,
    ) -> Self {
        Self::of(name, ParameterKind::Choice(words), words[0], summary)
    }
}

/// The error for a name that a registry does not have.
pub(super) fn unknown(
    what: &'static str,
    found: &str,
    known: impl Iterator<Item = &'static str>,
) -> TrafficError {
    let known: Vec<&'static str> = known.collect();
    TrafficError::UnknownName {
        what,
        found: found.to_owned(),
        suggestion: Suggestion::nearest(found, known.iter().copied()),
        known: known.join(", "),
    }
}

/// One value per parameter, defaults included, each of its kind.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// Such as `pattern hotspot`.
    owner: String,
    texts: BTreeMap<&'static str, String>,
}

impl Values {
    /// Adds the defaults to what was given and checks every value.
    ///
    /// # Errors
    /// [`TrafficError::UnknownParameter`], [`TrafficError::MissingParameter`] and
    /// [`TrafficError::InvalidValue`].
    pub(super) fn complete(
        what: &'static str,
        name: &'static str,
        specs: &[ParameterSpec],
        given: &BTreeMap<String, String>,
    ) -> Result<Self, TrafficError> {
        let owner = format!("{what} {name}");
        let known: Vec<&'static str> = specs.iter().map(|spec| spec.name).collect();
        if let Some(found) = given.keys().find(|found| !known.contains(&found.as_str())) {
            return Err(TrafficError::UnknownParameter {
                owner,
                found: found.clone(),
                suggestion: Suggestion::nearest(found, known.iter().copied()),
                known: match known.as_slice() {
                    [] => "none".to_owned(),
                    names => format!("one of {}", names.join(", ")),
                },
            });
        }
        let mut texts = BTreeMap::new();
        for spec in specs {
            let text = given.get(spec.name).map(String::as_str).or(spec.default);
            let Some(text) = text else {
                return Err(TrafficError::MissingParameter {
                    owner,
                    parameter: spec.name,
                    expected: spec.kind.to_string(),
                });
            };
            if !spec.kind.accepts(text) {
                let words = match spec.kind {
                    ParameterKind::Choice(words) => words,
                    _ => &[],
                };
                return Err(TrafficError::InvalidValue {
                    owner,
                    parameter: spec.name,
                    found: text.to_owned(),
                    expected: spec.kind.to_string(),
                    suggestion: Suggestion::nearest(text, words.iter().copied()),
                });
            }
            texts.insert(spec.name, text.to_owned());
        }
        Ok(Self { owner, texts })
    }

    /// A value as text.
    pub(super) fn text(&self, name: &str) -> &str {
        // Invariant: patterns and processes ask for parameters they list.
        self.texts
            .get(name)
            .unwrap_or_else(|| unreachable!("{} has no parameter {name}", self.owner))
    }

    fn parsed<T: std::str::FromStr>(&self, name: &str) -> T {
        let value = self.text(name).parse();
        // Invariant: every value is of its parameter's kind.
        value.unwrap_or_else(|_| unreachable!("{name} of {} was checked", self.owner))
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> u32 {
        self.parsed(name)
    }

    /// A share in percent or a time in ns.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.parsed(name)
    }

    /// The seed.
    pub(super) fn seed(&self) -> u64 {
        self.parsed("seed")
    }

    /// Tells whether the word chosen is this one.
    pub(super) fn is(&self, name: &str, word: &str) -> bool {
        self.text(name) == word
    }

    /// The error for a value that fits its kind and not the fabric.
    pub(super) fn invalid(&self, parameter: &'static str, expected: String) -> TrafficError {
        TrafficError::InvalidValue {
            owner: self.owner.clone(),
            parameter,
            found: self.text(parameter).to_owned(),
            expected,
            suggestion: Suggestion::default(),
        }
    }
}
