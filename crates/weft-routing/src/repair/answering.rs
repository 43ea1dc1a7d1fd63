//! Repairs that leave switches without hosts their ways: they answer the subnet manager wherever that is.

use super::FailedParts;
use super::barred_first::{Tried, barred_first};
use super::change::Change;
use super::legal_turns::LegalTurns;
use super::mending::Apart;
use super::standing_tables::StandingTables;
use crate::paths::NO_EDGE;

/// So many orders of the destinations are tried at most.
const MOST_ORDERS: usize = 4;

impl StandingTables {
    /// Repairs the tables after more parts failed, by legal turns alone where some are given. Where switches without hosts
    /// lose their ways to some destinations, ways found before to others may be what bars these: they come first then, and
    /// of a few orders that is taken which clears ways to fewest destinations and then leaves fewest such switches without
    /// a way, as [`managed`](Self::managed) finds them afterwards.
    ///
    /// # Errors
    /// The first pair that has no way in the order of destinations; then all is as it was.
    ///
    /// # Complexity
    /// That of as many repairs as are made, and a copy of the tables for each but one.
    pub(super) fn mend(
        &mut self,
        failed: &FailedParts,
        legal: Option<&LegalTurns>,
    ) -> Result<Change, Apart> {
        let change = self.mend_along(failed, legal, &[])?;
        if !self.leaves_unanswered(&change) {
            return Ok(change);
        }
        self.undo(change);
        let first = barred_first(MOST_ORDERS, Vec::new(), |first| {
            let mut tried = self.clone();
            let change = tried.mend_along(failed, legal, first).ok()?;
            let mut barred = change.cleared.clone();
            tried.keep(change);
            let lacking = tried.managed().lacking;
            let price = (barred.len(), lacking.len());
            barred.extend(lacking.iter().map(|of| of.1));
            barred.sort_unstable();
            barred.dedup();
            Some(Tried {
                made: first.to_vec(),
                price,
                barred,
            })
        });
        self.mend_along(failed, legal, &first.unwrap_or_default())
    }

    /// Tells whether a switch is left without an entry that it had, where that counts.
    fn leaves_unanswered(&self, change: &Change) -> bool {
        let answers = |at: u32| self.plan.manages(at, &change.left);
        change.left.counts_management
            && change
                .entries
                .iter()
                .any(|&(to, at, was)| was != NO_EDGE && answers(at) && self.edge(to, at) == NO_EDGE)
    }
}
