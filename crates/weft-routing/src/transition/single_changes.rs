//! Orders of single changes, each done when packets of before the last one are gone: searched where plans that take
//! destination by destination drain some without need.

use super::OrderEnd;
use super::changes_done::ChangesDone;
use super::dead_ends::{DeadEnd, OrderSearch, Outcome};
use super::joint::Joint;
use super::ordered_changes::{OrderedChanges, SingleChange};
use std::collections::BTreeMap;

/// Most steps of packets that are followed to go through all changes once, where an order is searched.
const MOST_WORK: usize = 1 << 16;

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
            if address.changes_levels() {
                changes.push(SingleChange::Levels { number });
            }
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

    /// Tells whether they are few enough for orders to be searched.
    pub(super) fn are_few(&self) -> bool {
        let followed = self.changes.len() + self.joint.addresses.len();
        followed * self.joint.left_count <= MOST_WORK
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

    /// An order with when each address is drained that it is not of: when it can stand as it did no longer, until it can
    /// stand as it will and none stands as it did.
    pub(super) fn drained_in(&self, order: &[usize], counts: &[bool]) -> OrderedChanges {
        let addresses = self.joint.addresses.iter().zip(counts).enumerate();
        let drained = addresses.filter(|(_, (address, counts))| address.is_left && !**counts);
        let drained: Vec<usize> = drained.map(|(number, _)| number).collect();
        let cleared = self.stands_beside(OrderEnd::First, order.iter().copied(), &drained);
        let back = order.iter().rev().copied();
        let set = self.stands_beside(OrderEnd::Last, back, &drained);
        let all_cleared = cleared.values().copied().max().unwrap_or(0);
        let each = drained.into_iter().map(|number| {
            let set = order.len() - set[&number];
            (number, [cleared[&number], set.max(all_cleared)])
        });
        OrderedChanges {
            drained: each.collect(),
            changes: order.iter().map(|&place| self.changes[place]).collect(),
        }
    }

    /// Per drained address: the changes that are gone through from an end while it stands as it does there.
    fn stands_beside(
        &self,
        end: OrderEnd,
        order: impl ExactSizeIterator<Item = usize>,
        drained: &[usize],
    ) -> BTreeMap<usize, usize> {
        let mut found = BTreeMap::new();
        let all = self.joint.addresses.iter().map(|of| of.is_left);
        let (count, mut standing) = (order.len(), drained.to_vec());
        let done = ChangesDone::new(self.joint, &self.changes, end, all.collect());
        if let Some(mut done) = done {
            for (met, place) in order.enumerate() {
                let out = done.make_room(place, &standing);
                standing.retain(|number| !out.contains(number));
                found.extend(out.into_iter().map(|number| (number, met)));
                if !done.may(place) {
                    break;
                }
                done.turn_over(place);
            }
        }
        found.extend(standing.into_iter().map(|number| (number, count)));
        found
    }
}
