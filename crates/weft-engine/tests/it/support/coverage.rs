//! What compared cases contained: a comparison is worth what happens in it.

use std::collections::BTreeMap;

/// How often things occurred in some cases, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coverage {
    cases: u64,
    counts: BTreeMap<String, u64>,
}

impl Coverage {
    /// Of one case in which nothing has happened yet.
    pub(crate) fn of_case() -> Self {
        let counts = BTreeMap::new();
        Self { cases: 1, counts }
    }

    pub(crate) fn count(&mut self, what: impl Into<String>, times: u64) {
        *self.counts.entry(what.into()).or_default() += times;
    }

    /// Counts a case in which something is so.
    pub(crate) fn count_if(&mut self, what: impl Into<String>, is_so: bool) {
        self.count(what, is_so.into());
    }

    /// What occurs at most so often in a case.
    pub(crate) fn count_most(&mut self, what: &str, times: u64) {
        let most = self.counts.entry(what.to_owned()).or_default();
        *most = times.max(*most);
    }

    pub(crate) fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        for (what, &times) in &other.counts {
            self.count(what, times);
        }
    }

    /// Asserts that each of these occurred at least so often a case.
    pub(crate) fn assert_holds(&self, least: &[(&str, f64)]) {
        for &(what, expected) in least {
            let found = self.of(what) as f64 / self.cases as f64;
            assert!(
                found >= expected,
                "{what}: found {found} a case, expected at least {expected}"
            );
        }
    }
}
