//! Parameters of the algorithms: what they may be, what they are, and what to say when they are
//! wrong.

use crate::error::RoutingError;
use crate::form::pair_granularity::PairGranularity;
use crate::orient::root_rule::RootRule;
use crate::orient::several_roots::TreeRoots;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use weft_fabric::Fabric;
use weft_registry::Suggestion;

/// What a value of a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParameterKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// How the root or several roots are found; see [`RootRule`].
    Root,
    /// How the root is found where there is one alone.
    OneRoot,
    /// How the roots of several trees are found; see [`TreeRoots`].
    TreeRoots,
    /// A whole number of 64 bits, 0 or more.
    Integer,
    /// A whole number from `least` to `most`.
    Count {
        /// Least value.
        least: u8,
        /// Largest value.
        most: u8,
    },
    /// A whole number from `least` to `most`, or the word `auto`.
    CountOrAuto {
        /// Least value.
        least: u16,
        /// Largest value.
        most: u16,
    },
    /// A number from `least` to `most`, or the word `auto`.
    NumberOrAuto {
        /// Least value.
        least: f64,
        /// Largest value.
        most: f64,
    },
}

impl fmt::Display for ParameterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(words) => f.write_str(&words.join(", ")),
            Self::Root => {
                let several = RootRule::EXPECTED_OF_SEVERAL;
                write!(f, "{}{several}", RootRule::EXPECTED)
            }
            Self::OneRoot => f.write_str(RootRule::EXPECTED),
            Self::TreeRoots => f.write_str(TreeRoots::EXPECTED),
            Self::Count { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::CountOrAuto { least, most } => {
                write!(f, "a whole number from {least} to {most}, or auto")
            }
            Self::Integer => write!(f, "a whole number from 0 to {}", u64::MAX),
            Self::NumberOrAuto { least, most } => {
                write!(f, "a number from {least} to {most}, or auto")
            }
        }
    }
}

/// A parameter of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Name, as written in `updown:root=0`.
    pub name: &'static str,
    /// What a value may be.
    pub kind: ParameterKind,
    /// Value used when none is given.
    pub default: &'static str,
    /// What it decides, in one sentence.
    pub summary: &'static str,
}

/// Hosts up to which `per=auto` holds a route per pair of hosts. A route takes one byte per switch
/// and four per pair: at this size about ten megabytes, in proportion to the square beyond.
const MOST_HOSTS_PER_HOST: usize = 1024;

/// `root`: how the root of the orientation is found.
pub(crate) const ROOT: ParameterSpec = ParameterSpec {
    name: "root",
    kind: ParameterKind::Root,
    default: "min_average",
    summary: "Root of the up*/down* orientation: the switch nearest to all others on average, the \
              one with most links, a random one, or a given one; for trees several, such as all \
              at the top.",
};

/// `root` of a depth-first search.
pub(crate) const DEPTH_FIRST_ROOT: ParameterSpec = ParameterSpec {
    name: "root",
    kind: ParameterKind::OneRoot,
    default: "max_average",
    summary: "Where the depth-first search begins: the switch farthest from all others on average, \
              the one nearest to them, the one with most links, a random one, or a given one.",
};

/// `orientation`: which order of the switches tells up from down.
pub(crate) const ORIENTATION: ParameterSpec = ParameterSpec {
    name: "orientation",
    kind: ParameterKind::Choice(&["breadth_first", "depth_first"]),
    default: "breadth_first",
    summary: "Which end of a link is up: the one nearer the root, or the one that a depth-first \
              search from it visits earlier.",
};

/// `per`: what routes are held between.
pub(crate) const PER: ParameterSpec = ParameterSpec {
    name: "per",
    kind: ParameterKind::Choice(&["auto", "host", "switch"]),
    default: "auto",
    summary: "Whether each pair of hosts has a route of its own or the hosts of two switches share \
              one; auto means host up to 1,024 hosts, then switch.",
};

/// `seed`: what all draws of an algorithm depend on.
pub(crate) const SEED: ParameterSpec = ParameterSpec {
    name: "seed",
    kind: ParameterKind::Integer,
    default: "1",
    summary: "Seed of every random choice; the same seed gives the same routes.",
};

/// `selection`: which of the shortest paths of a pair is its route.
pub(crate) const fn selection(default: &'static str) -> ParameterSpec {
    ParameterSpec {
        name: "selection",
        kind: ParameterKind::Choice(&["first", "random", "least_loaded", "balanced"]),
        default,
        summary: "Which of the shortest paths a pair takes: the first by port numbers, any with \
                  the same probability, the one over the least loaded channels, or the one left \
                  when paths over the busiest channels are taken away one by one (hosts of two \
                  switches share it).",
    }
}

/// `lanes`: how many virtual lanes the hardware has.
pub(crate) const LANES: ParameterSpec = ParameterSpec {
    name: "lanes",
    kind: ParameterKind::Count {
        least: 1,
        most: u8::MAX,
    },
    default: "15",
    summary: "Virtual lanes that packets may use; a fabric that needs more is refused.",
};

fn within(text: &str, least: u16, most: u16) -> bool {
    text.parse()
        .is_ok_and(|count: u16| (least..=most).contains(&count))
}

/// The parameters of one routing: every one of the algorithm's, each valid.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    algorithm: &'static str,
    specs: &'static [ParameterSpec],
    values: BTreeMap<String, String>,
}

impl Parameters {
    /// Checks what was given and adds the defaults.
    ///
    /// # Errors
    /// [`RoutingError::UnknownParameter`] and [`RoutingError::InvalidValue`].
    pub(crate) fn complete(
        algorithm: &'static str,
        specs: &'static [ParameterSpec],
        given: &BTreeMap<String, String>,
    ) -> Result<Self, RoutingError> {
        let known: Vec<&'static str> = specs.iter().map(|spec| spec.name).collect();
        if let Some(found) = given.keys().find(|found| !known.contains(&found.as_str())) {
            return Err(RoutingError::UnknownParameter {
                algorithm,
                found: found.clone(),
                suggestion: Suggestion::nearest(found, known.iter().copied()),
                known,
            });
        }
        let mut values = BTreeMap::new();
        for spec in specs {
            let text = given
                .get(spec.name)
                .map_or(spec.default, String::as_str)
                .trim();
            values.insert(spec.name.to_owned(), text.to_owned());
        }
        let parameters = Self {
            algorithm,
            specs,
            values,
        };
        for spec in specs {
            parameters.parse(spec.name, |text| {
                match spec.kind {
                    ParameterKind::Choice(words) => words.contains(&text),
                    ParameterKind::Root => text.parse::<RootRule>().is_ok(),
                    ParameterKind::OneRoot => text
                        .parse()
                        .is_ok_and(|rule: RootRule| !rule.is_of_several()),
                    ParameterKind::TreeRoots => text.parse::<TreeRoots>().is_ok(),
                    ParameterKind::Integer => text.parse::<u64>().is_ok(),
                    ParameterKind::Count { least, most } => within(text, least.into(), most.into()),
                    ParameterKind::CountOrAuto { least, most } => {
                        text == "auto" || within(text, least, most)
                    }
                    ParameterKind::NumberOrAuto { least, most } => {
                        text == "auto" || text.parse().is_ok_and(|x: f64| x >= least && x <= most)
                    }
                }
                .then_some(())
            })?;
        }
        Ok(parameters)
    }

    /// All parameters by name, with the values used.
    pub(crate) fn into_values(self) -> BTreeMap<String, String> {
        self.values
    }

    /// Records the value that a rule such as `auto` came to.
    pub(crate) fn settle(&mut self, name: &'static str, value: &impl fmt::Display) {
        self.values.insert(name.to_owned(), value.to_string());
    }

    /// Reads a value.
    pub(crate) fn parse<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, RoutingError> {
        let text = self.values.get(name).map_or("", String::as_str);
        read(text).ok_or_else(|| self.invalid(name))
    }

    /// Reads a value that is one of a few words.
    pub(crate) fn choice<T: Copy>(
        &self,
        name: &'static str,
        choices: &[(&str, T)],
    ) -> Result<T, RoutingError> {
        let find = |text: &str| choices.iter().find(|(word, _)| *word == text).map(|c| c.1);
        self.parse(name, find)
    }

    /// Reads a number of a few; `None` for `auto`.
    pub(crate) fn count(&self, name: &'static str) -> Result<Option<u8>, RoutingError> {
        self.number_or_auto(name)
    }

    /// Reads a whole number; `None` for `auto`.
    pub(crate) fn number_or_auto<T: FromStr>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, RoutingError> {
        self.parse(name, |text| match text {
            "auto" => Some(None),
            _ => text.parse().ok().map(Some),
        })
    }

    /// Reads the seed.
    pub(crate) fn seed(&self) -> Result<u64, RoutingError> {
        self.parse("seed", |text| text.parse().ok())
    }

    /// Refuses a fabric that needs more lanes than the parameter `lanes` allows.
    ///
    /// # Errors
    /// [`RoutingError::TooFewLanes`].
    pub(crate) fn refuse_more_lanes(
        &self,
        fabric: &Fabric,
        needed: usize,
    ) -> Result<(), RoutingError> {
        let lanes = self.count("lanes")?.map_or(usize::MAX, usize::from);
        if needed <= lanes {
            return Ok(());
        }
        Err(RoutingError::TooFewLanes {
            algorithm: self.algorithm,
            fabric: fabric.name().to_owned(),
            lanes,
            needed,
        })
    }

    /// Decides what routes are held between, and records it.
    pub(crate) fn granularity(&mut self, fabric: &Fabric) -> Result<PairGranularity, RoutingError> {
        let by_size = if fabric.host_count() <= MOST_HOSTS_PER_HOST {
            PairGranularity::Host
        } else {
            PairGranularity::Switch
        };
        let choices = [
            ("auto", by_size),
            ("host", PairGranularity::Host),
            ("switch", PairGranularity::Switch),
        ];
        let granularity = self.choice("per", &choices)?;
        let word = match granularity {
            PairGranularity::Host => "host",
            PairGranularity::Switch => "switch",
        };
        self.settle("per", &word);
        Ok(granularity)
    }

    fn invalid(&self, name: &'static str) -> RoutingError {
        let kind = self
            .specs
            .iter()
            .find(|spec| spec.name == name)
            .map(|spec| spec.kind);
        let words = match kind {
            Some(ParameterKind::Choice(words)) => words,
            Some(ParameterKind::Root) => &RootRule::WORDS,
            Some(ParameterKind::OneRoot) => &RootRule::WORDS[..4],
            Some(ParameterKind::TreeRoots) => &TreeRoots::WORDS,
            _ => &[],
        };
        let expected = kind.map_or_else(String::new, |kind| kind.to_string());
        self.invalid_with(name, expected, |found| {
            Suggestion::nearest(found, words.iter().copied())
        })
    }

    pub(crate) fn invalid_with(
        &self,
        parameter: &'static str,
        expected: String,
        suggest: impl FnOnce(&str) -> Suggestion,
    ) -> RoutingError {
        let found = self.values.get(parameter).cloned().unwrap_or_default();
        RoutingError::InvalidValue {
            algorithm: self.algorithm,
            parameter,
            suggestion: suggest(&found),
            found,
            expected,
        }
    }
}
