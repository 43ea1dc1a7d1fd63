//! The name that was perhaps meant.

use std::fmt;

/// “; did you mean “…”?” for messages, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suggestion(Option<String>);

impl Suggestion {
    /// How alike two names must be, by Jaro and Winkler (1 is equal), for one to be suggested.
    const LEAST_LIKENESS: f64 = 0.75;

    /// Longer names are not compared: that takes time and memory by the product of their lengths.
    const LONGEST_COMPARED: usize = 128;

    /// The candidate most like `found`, if any is like it at all; the first of equals.
    pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        let mut best: Option<(f64, &str)> = None;
        let is_short = |name: &str| name.len() <= Self::LONGEST_COMPARED;
        let candidates = candidates.into_iter().filter(|name| is_short(name));
        for candidate in candidates.filter(|_| is_short(found)) {
            let likeness = strsim::jaro_winkler(&found.to_lowercase(), &candidate.to_lowercase());
            if likeness >= Self::LEAST_LIKENESS && best.is_none_or(|(most, _)| likeness > most) {
                best = Some((likeness, candidate));
            }
        }
        Self(best.map(|(_, name)| name.to_owned()))
    }

    /// The name suggested.
    pub fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(name) => write!(f, "; did you mean “{name}”?"),
            None => Ok(()),
        }
    }
}
