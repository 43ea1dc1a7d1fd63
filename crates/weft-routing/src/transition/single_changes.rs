//! Orders of single changes, each done when packets of before the last one are gone: searched where plans that take
//! destination by destination drain some without need.

use super::OrderEnd;
use super::dead_ends::{DeadEnd, OrderSearch, Outcome};
use super::draining_order::{Draining, Part};
use super::joint::Joint;
use super::one_change::SingleChange;
use std::collections::BTreeSet;

/// What a search for an order has come to.
pub(super) enum Sought {
    /// Changes by their places.
    Order(Vec<usize>),
    /// There is none, by the last dead end that was met from one end on.
    None(OrderEnd, Vec<DeadEnd>),
    /// It was given up.
    Unknown,
}

/// The changes between two tables.
pub(super) struct SingleChanges<'j> {
    joint: &'j Joint,
    changes: Vec<SingleChange>,
}

/// Most steps of packets that are followed to go through few changes once.
const FEW: usize = 1 << 16;
/// Steps of packets that a search follows from one end before the other has its turn.
const STEPS_IN_TURN: usize = 1 << 16;

impl<'j> SingleChanges<'j> {
    /// Those of addresses that are left.
    pub(super) fn new(joint: &'j Joint) -> Self {
        let mut changes = Vec::new();
        let addresses = joint.addresses.iter().enumerate();
        for (number, address) in addresses.filter(|(_, address)| address.is_left) {
            let entries = address.changing(joint.left_count);
            changes.extend(entries.map(|at| SingleChange::Entry { number, at }));
            let levels = address.changing_levels();
            changes.extend(levels.map(|from| SingleChange::Levels { number, from }));
        }
        if !joint.lanes.changed().is_empty() {
            changes.push(SingleChange::Lanes);
        }
        Self { joint, changes }
    }

    /// The changes, by their places.
    pub(super) fn all(&self) -> &[SingleChange] {
        &self.changes
    }

    /// About how many steps of packets are followed to go through all of them once.
    pub(super) fn work(&self) -> usize {
        let followed = self.changes.len() + self.joint.addresses.len();
        followed * self.joint.left_count
    }

    /// Tells whether they are so few that many dead ends can be learned of.
    pub(super) fn are_few(&self) -> bool {
        self.work() <= FEW
    }

    /// Everything is cleared that changes, and what else changes is changed then.
    pub(super) fn all_drained(&self) -> Part {
        let cleared = self.changes.iter().filter_map(|change| change.address());
        let cleared: BTreeSet<usize> = cleared.collect();
        let others = self.changes.iter().copied();
        Part {
            cleared: cleared.into_iter().collect(),
            changes: others.filter(|change| change.address().is_none()).collect(),
        }
    }

    /// All changes from the old tables on, with some addresses drained; `None` where that takes more steps of packets.
    pub(super) fn with_draining(&self, together: Draining, most_steps: usize) -> Option<Vec<Part>> {
        let all = self.joint.addresses.iter().map(|of| of.is_left).collect();
        let search = OrderSearch::new(self.joint, &self.changes, OrderEnd::First, all);
        search?.with_draining(together, most_steps)
    }

    /// An order of those of addresses that count, by their places, searched from the old tables on and from the new ones
    /// back by turns.
    pub(super) fn order(&self, counts: &[bool], most_steps: usize) -> Sought {
        let search = |end| OrderSearch::new(self.joint, &self.changes, end, counts.to_vec());
        let ends = [OrderEnd::First, OrderEnd::Last];
        let [Some(first), Some(last)] = ends.map(search) else {
            return Sought::Unknown;
        };
        let mut searches = [first, last];
        let mut turn = STEPS_IN_TURN;
        loop {
            for (end, search) in ends.into_iter().zip(&mut searches) {
                match search.go_on(turn.min(most_steps)) {
                    Outcome::Unknown => {}
                    Outcome::Impossible => {
                        return Sought::None(end, std::mem::take(&mut search.dead_ends));
                    }
                    Outcome::Order => {
                        let mut order = search.trail.clone();
                        if end == OrderEnd::Last {
                            order.reverse();
                        }
                        return Sought::Order(order);
                    }
                }
            }
            if turn >= most_steps {
                return Sought::Unknown;
            }
            turn *= 2;
        }
    }
}
