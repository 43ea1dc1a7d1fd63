//! What is known of a topology, and how its parameters are read from text.

use super::size::invalid;
use crate::error::FabricError;
use crate::fabric::Fabric;
use crate::suggestion::Suggestion;
use std::collections::BTreeMap;
use std::fmt;

/// What stands between the numbers of a list.
const SEPARATORS: [char; 2] = [',', 'x'];

/// What a value of a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A whole number of 32 bits, not below this one.
    Whole {
        /// Least value.
        least: u32,
    },
    /// Whole numbers of 32 bits, none below this one, as in `4x4x2` or `4,4,2`.
    List {
        /// Least value of each.
        least: u32,
    },
    /// A whole number of 64 bits.
    Seed,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole { least } => write!(f, "a whole number, {least} or more"),
            Self::List { least } => {
                write!(f, "whole numbers, {least} or more each, as in 4x4x2")
            }
            Self::Seed => write!(f, "a whole number from 0 to {}", u64::MAX),
            Self::Choice(words) => f.write_str(&words.join(", ")),
        }
    }
}

/// A parameter of a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParameterSpec {
    /// Name.
    pub name: &'static str,
    /// What a value may be.
    pub kind: ParameterKind,
    /// Value used when none is given; `None` where one must be.
    pub default: Option<&'static str>,
    /// A value for examples.
    pub example: &'static str,
    /// What it decides, in one sentence.
    pub summary: &'static str,
}

impl ParameterSpec {
    /// A whole number that must be given.
    pub(super) const fn whole(
        name: &'static str,
        least: u32,
        example: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            name,
            kind: ParameterKind::Whole { least },
            default: None,
            example,
            summary,
        }
    }

    /// Whole numbers that must be given.
    pub(super) const fn list(
        name: &'static str,
        least: u32,
        example: &'static str,
        summary: &'static str,
    ) -> Self {
        Self {
            kind: ParameterKind::List { least },
            ..Self::whole(name, least, example, summary)
        }
    }

    /// A word, the first of `words` when none is given.
    pub(super) const fn choice(
        name: &'static str,
        words: &'static [&'static str],
        summary: &'static str,
    ) -> Self {
        Self {
            name,
            kind: ParameterKind::Choice(words),
            default: Some(words[0]),
            example: words[0],
            summary,
        }
    }

    /// The same parameter with a value used when none is given.
    pub(super) const fn or(self, default: &'static str) -> Self {
        Self {
            default: Some(default),
            example: default,
            ..self
        }
    }
}

/// `hosts_per_switch`: how many hosts a switch has.
pub(super) const fn hosts_per_switch(default: &'static str) -> ParameterSpec {
    ParameterSpec::whole("hosts_per_switch", 1, "4", "Hosts on each switch.").or(default)
}

/// `seed`: selects one of the networks with the same parameters.
pub(super) const SEED: ParameterSpec = ParameterSpec {
    name: "seed",
    kind: ParameterKind::Seed,
    default: Some("1"),
    example: "1",
    summary: "Another seed, another network; the same seed, the same network on every machine.",
};

/// A topology that can be generated.
#[derive(Clone, Copy, Debug)]
pub struct Topology {
    /// Name, in words joined by `_`.
    pub name: &'static str,
    /// Name for people.
    pub title: &'static str,
    /// What is joined to what, in a sentence or two.
    pub summary: &'static str,
    /// Paper and section it comes from.
    pub source: &'static str,
    /// What can be chosen.
    pub parameters: &'static [ParameterSpec],
    /// Makes the fabric.
    pub generate: fn(&Values) -> Result<Fabric, FabricError>,
}

/// One value as text per parameter of a topology, defaults included.
#[derive(Clone, Debug)]
pub struct Values {
    specs: &'static [ParameterSpec],
    texts: BTreeMap<&'static str, String>,
}

impl Values {
    /// Adds the defaults to what was given.
    ///
    /// # Errors
    /// [`FabricError::UnknownParameter`] and [`FabricError::MissingParameter`].
    pub(super) fn complete(
        topology: &Topology,
        given: &BTreeMap<String, String>,
    ) -> Result<Self, FabricError> {
        let known: Vec<&'static str> = topology.parameters.iter().map(|p| p.name).collect();
        if let Some(found) = given.keys().find(|found| !known.contains(&found.as_str())) {
            return Err(FabricError::UnknownParameter {
                topology: topology.name,
                found: found.clone(),
                suggestion: Suggestion::nearest(found, known.iter().copied()),
                known: known.join(", "),
            });
        }
        let mut texts = BTreeMap::new();
        for spec in topology.parameters {
            let text = given.get(spec.name).map(String::as_str).or(spec.default);
            let Some(text) = text else {
                return Err(FabricError::MissingParameter {
                    topology: topology.name,
                    parameter: spec.name,
                    expected: spec.kind.to_string(),
                });
            };
            texts.insert(spec.name, text.trim().to_owned());
        }
        Ok(Self {
            specs: topology.parameters,
            texts,
        })
    }

    fn read<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, FabricError> {
        let text = self.texts.get(name).map_or("", String::as_str);
        read(text).ok_or_else(|| {
            let kind = self.specs.iter().find(|s| s.name == name).map(|s| s.kind);
            let mut expected = kind.map_or_else(String::new, |kind| kind.to_string());
            if let Some(ParameterKind::Choice(words)) = kind {
                expected = format!(
                    "one of {expected}{}",
                    Suggestion::nearest(text, words.iter().copied())
                );
            }
            if let Some(ParameterKind::Whole { .. } | ParameterKind::List { .. }) = kind
                && text.split(SEPARATORS).any(is_too_large)
            {
                expected = format!("{expected}, {} at most", u32::MAX);
            }
            invalid(name, &format!("“{text}”"), expected)
        })
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &'static str) -> Result<u32, FabricError> {
        self.read(name, |text| text.parse().ok())
    }

    /// The whole numbers of a list.
    pub(super) fn list(&self, name: &'static str) -> Result<Vec<u32>, FabricError> {
        self.read(name, |text| {
            text.split(SEPARATORS)
                .map(|part| part.trim().parse().ok())
                .collect()
        })
    }

    /// The seed.
    pub(super) fn seed(&self) -> Result<u64, FabricError> {
        self.read("seed", |text| text.parse().ok())
    }

    /// What the word chosen stands for.
    pub(super) fn choice<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, FabricError> {
        self.read(name, |text| {
            choices.iter().find(|(word, _)| *word == text).map(|c| c.1)
        })
    }
}

/// Tells whether a text is a whole number of more than 32 bits.
fn is_too_large(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u32>().is_err()
}
