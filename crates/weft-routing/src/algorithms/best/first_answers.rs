//! What is looked at besides where a first answer is far from a bound.

use super::known_tables::Known;
use super::patterns::{FAR, Figure, NEAR};
use super::race_of_starts::Race;
use super::search::{Found, Search};

/// Most ways out of switches that are looked at for lengths by which its routes may be longer.
const LOOKS_AT_DETOURS_AT_FIRST: u64 = 1 << 20;

impl<'a> Search<'a> {
    /// Starts that are made at least where nobody says how many. Where hosts hang unevenly first ones may be far from later
    /// ones, as routes take turns before they agree, and an answer that is had at once waits for as many.
    pub(super) fn least_starts(&self) -> u64 {
        if self.has_heights() && !self.effort.are_told {
            self.effort.agreements.max(1)
        } else {
            1
        }
    }

    /// Tells whether a largest load is so far above a bound that other first answers are worth a look.
    pub(super) fn is_far(&self, figure: Figure) -> bool {
        !self.patterns.is_within(FAR, figure)
    }

    /// Tells whether a largest load is near a bound: enough of a large fabric, and what is looked at besides elsewhere stops.
    pub(super) fn is_near(&self, figure: Figure) -> bool {
        self.patterns.is_within(NEAR, figure)
    }

    /// The best of what starts with longer routes and from known tables, if it is better than a first answer.
    pub(super) fn nearer_than(&self, first: &Found<'a>, known: &[Known]) -> Option<Found<'a>> {
        let fits = |found: &Found<'_>| found.lane_count() <= self.effort.lanes;
        // Relief hardly gets what is a quarter fuller below it.
        let is_near = |known: &&Known| !self.figure_of(known).is_above(FAR, first.figure());
        let starts = known.iter().filter(|known| known.is_start).filter(is_near);
        let followed = starts.filter_map(|known| self.follow(known)).filter(fits);
        let mut best = followed.min_by_key(Found::figure);
        let is_far =
            |best: &Option<Found<'_>>| best.as_ref().is_none_or(|best| self.is_far(best.figure()));
        // What an order is grown from decides more than how many there are: fewer lanes begin otherwise.
        let tries = if self.effort.is_exhaustive {
            usize::MAX
        } else {
            1
        };
        let detours = self.detours(LOOKS_AT_DETOURS_AT_FIRST, is_far(&best));
        if let Some(detours) = &detours {
            for (tried, &lanes) in self.more_lanes().iter().rev().take(tries).enumerate() {
                if tried > 0 && !is_far(&best) {
                    break;
                }
                let around = self.begin(lanes, 0, Some(detours));
                best = best.into_iter().chain(around).min_by_key(Found::figure);
            }
        }
        if (self.has_heights() || self.effort.is_exhaustive) && is_far(&best) {
            let agreed = self.agreed_at_first();
            best = best.into_iter().chain(agreed).min_by_key(Found::figure);
        }
        best.filter(|best| best.figure() < first.figure())
    }

    /// What routes of any length agree on that negotiate for one lane, until it is no longer far from a bound.
    ///
    /// Where hosts hang unevenly on few links, shortest routes may fill some twice as much as longer ones do, and orders that
    /// are grown from short ways leave no room to go around these; nor do they on sparse networks. There negotiations
    /// that begin with other orders take turns with that around a tree.
    fn agreed_at_first(&self) -> Option<Found<'a>> {
        let mut races = vec![Race::unbegun(self, 1)];
        if !self.has_heights() {
            races.extend(self.races_along_orders());
        }
        let turns = self.effort.agreements.div_ceil(races.len() as u64);
        'agreed: for start in 0..turns {
            for race in &mut races {
                race.run(start..start + 1);
                if race.figure().is_some_and(|best| !self.is_far(best)) {
                    break 'agreed;
                }
            }
        }
        let agreed = races.into_iter().filter_map(|race| race.best);
        agreed.min_by_key(Found::figure)
    }
}
