//! An order of single changes in which some destinations are drained, as nothing else helps.

use super::dead_ends::{Obstacle, OrderSearch};
use super::one_change::SingleChange;
use std::collections::{BTreeMap, BTreeSet};

/// Changes in their order, once some addresses are cleared.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Addresses, by number.
    pub(super) cleared: Vec<usize>,
    pub(super) changes: Vec<SingleChange>,
}

/// Which addresses are cleared where no change can be the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draining {
    /// All that have changes left: those that are few are drained, for short.
    All,
    /// One that stands in the way of most: few are drained, some for long.
    One,
}

impl OrderSearch<'_> {
    /// All changes from the old tables on, of those that are not drained; `None` where that takes more steps of packets.
    pub(super) fn with_draining(
        mut self,
        together: Draining,
        most_steps: usize,
    ) -> Option<Vec<Part>> {
        let mut parts = vec![Part::default()];
        loop {
            self.meet_all();
            let met = std::mem::take(&mut self.trail).into_iter();
            let changes = met.map(|place| self.done.changes[place]);
            if let Some(part) = parts.last_mut() {
                part.changes.extend(changes);
            }
            let left = self.left();
            let Some(&start) = left.first() else {
                return Some(parts);
            };
            if self.done.steps > most_steps {
                return None;
            }
            let numbers: BTreeSet<usize> = match together {
                Draining::All => {
                    let changes = left.iter().map(|&place| self.done.changes[place]);
                    changes.filter_map(SingleChange::address).collect()
                }
                Draining::One => self.in_the_way(start).into_iter().collect(),
            };
            if numbers.is_empty() {
                return None;
            }
            for &number in &numbers {
                self.done.drain(number);
            }
            self.all = self.done.places();
            parts.push(Part {
                cleared: numbers.into_iter().collect(),
                changes: Vec::new(),
            });
        }
    }

    /// The address whose packets close circles of most changes that none can be the next of.
    fn in_the_way(&mut self, start: usize) -> Option<usize> {
        let mut circles: BTreeMap<usize, usize> = BTreeMap::new();
        for (place, (_, obstacle)) in self.stuck(start) {
            let changed = self.done.changes[place].address();
            let mut addresses: BTreeSet<usize> = changed.into_iter().collect();
            if let Obstacle::Circle(waits) = obstacle {
                addresses.extend(waits.iter().map(|wait| wait.address));
            }
            for address in addresses {
                *circles.entry(address).or_default() += 1;
            }
        }
        let most = circles.into_iter().max_by_key(|&(_, count)| count);
        most.map(|(address, _)| address)
    }
}
