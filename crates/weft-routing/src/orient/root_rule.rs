//! How the root of an orientation is chosen, as text.

use std::fmt;
use std::str::FromStr;
use weft_registry::{Kind, Open};

/// How the root of an up*/down* orientation is chosen, or several of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootRule {
    /// The switch with the lowest mean distance to the others; the lowest id of equals.
    MinAverage,
    /// The switch with the highest mean distance to the others; the lowest id of equals.
    MaxAverage,
    /// The switch with most links to other switches; the lowest id of equals.
    MaxDegree,
    /// Any switch, drawn by the seed.
    Random,
    /// The switch with this id.
    Id(u32),
    /// The switch with this name.
    Name(String),
    /// All switches that `OpenSM` takes for the roots of a tree: more than 90 % of all hosts are
    /// equally far from them, and no other distance has more than 5 %.
    Opensm,
    /// All switches at the largest distance from the nearest switch with hosts: the top of a tree.
    Tops,
    /// Several switches, each by id or name; after a name a number is written as `id:12`.
    Several(Vec<RootRule>),
}

impl RootRule {
    /// What a value of a root parameter may be, for people.
    pub(crate) const EXPECTED: &str = "min_average, max_average, max_degree, random, a switch number (12 or id:12) or name:<switch>";

    /// A rule for the root or several roots.
    pub(crate) const KIND: Kind = Kind::Open(Open {
        expected: "min_average, max_average, max_degree, random, a switch number (12 or id:12) or \
                   name:<switch>; for several roots: opensm, tops, or such switches joined by +",
        words: &Self::WORDS,
        accepts: |text| text.parse::<Self>().is_ok(),
    });

    /// A rule for the root where there is one alone.
    pub(crate) const KIND_OF_ONE: Kind = Kind::Open(Open {
        expected: Self::EXPECTED,
        words: Self::WORDS.split_at(4).0,
        accepts: |text| text.parse().is_ok_and(|rule: Self| !rule.is_of_several()),
    });

    /// Values that are words.
    pub(crate) const WORDS: [&str; 6] = [
        "min_average",
        "max_average",
        "max_degree",
        "random",
        "opensm",
        "tops",
    ];

    /// Tells whether the rule may give more than one root.
    pub(crate) fn is_of_several(&self) -> bool {
        matches!(self, Self::Opensm | Self::Tops | Self::Several(_))
    }
}

impl fmt::Display for RootRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinAverage => f.write_str("min_average"),
            Self::MaxAverage => f.write_str("max_average"),
            Self::MaxDegree => f.write_str("max_degree"),
            Self::Opensm => f.write_str("opensm"),
            Self::Tops => f.write_str("tops"),
            Self::Several(roots) => {
                let texts: Vec<String> = roots.iter().map(ToString::to_string).collect();
                f.write_str(&texts.join("+"))
            }
            Self::Random => f.write_str("random"),
            Self::Id(id) => write!(f, "id:{id}"),
            Self::Name(name) => write!(f, "name:{name}"),
        }
    }
}

/// The text names no rule for the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {}", RootRule::EXPECTED)]
pub struct ParseRootRuleError;

impl FromStr for RootRule {
    type Err = ParseRootRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "min_average" => Ok(Self::MinAverage),
            "max_average" => Ok(Self::MaxAverage),
            "max_degree" => Ok(Self::MaxDegree),
            "random" => Ok(Self::Random),
            "opensm" => Ok(Self::Opensm),
            "tops" => Ok(Self::Tops),
            _ => {
                let roots = parts(text).into_iter().map(one_switch);
                let mut roots = roots.collect::<Result<Vec<_>, _>>()?;
                Ok(match roots.len() {
                    1 => roots.remove(0),
                    _ => Self::Several(roots),
                })
            }
        }
    }
}

/// The parts between plus signs; one that a name contains does not part it, unless `id:`
/// or `name:` comes next.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (place, _) in text.match_indices('+') {
        let rest = &text[place + 1..];
        let in_name = text[start..].starts_with("name:");
        if !in_name || rest.starts_with("id:") || rest.starts_with("name:") {
            parts.push(&text[start..place]);
            start = place + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

fn one_switch(text: &str) -> Result<RootRule, ParseRootRuleError> {
    match text.strip_prefix("name:") {
        Some(name) => Ok(RootRule::Name(name.to_owned())),
        None => text
            .strip_prefix("id:")
            .unwrap_or(text)
            .parse()
            .map(RootRule::Id)
            .map_err(|_| ParseRootRuleError),
    }
}
