//! Switches that have no entry, as no route passed them.

use super::Draining;
use crate::paths::NO_EDGE;
use crate::repair::broken_ways::without_entry;
use std::collections::BTreeSet;

impl Draining {
    /// Has those that are left led to a destination, too, so that ways of others may pass them; tells whether there are
    /// any that were not before.
    pub(super) fn ask_others(&mut self, destination: usize) -> bool {
        let entries = self.plan.entries(&self.tables.exits, destination);
        let apart = self.apart.entry(destination).or_default();
        let known: BTreeSet<u32> = apart.iter().map(|of| of.0).collect();
        let others = without_entry(entries, &self.left).filter(|at| !known.contains(at));
        apart.extend(others.map(|at| (at, NO_EDGE)));
        apart.len() > known.len()
    }
}
