//! That single changes have no order, by dead ends: once some are done others can never be.

use super::dead_ends::{DeadEnd, Obstacle};
use super::joint::Joint;
use super::one_change::SingleChange;
use super::single_changes::{SingleChanges, Sought};
use super::{BlockedChange, BlockedWrite, MetChange, Obstruction, OrderDeadEnd, OrderEnd, Wait};
use crate::form::Lane;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{SwitchId, narrow};

/// Most steps of packets that are followed to find an order of some destinations, or that there is none.
const MOST_STEPS: usize = 1 << 20;
/// The same where one is left out that there is none with.
const MOST_STEPS_WITHOUT_ONE: usize = 1 << 18;

/// Shows that destinations have no order of changes, as far as it can.
pub(super) struct NoOrder<'j> {
    joint: &'j Joint,
    changes: SingleChanges<'j>,
    /// Per address: its destination.
    destinations: &'j [u32],
}

impl<'j> NoOrder<'j> {
    /// `None` where too much changes, or switches choose lanes: what packets do then is not certain.
    pub(super) fn new(joint: &'j Joint, destinations: &'j [u32]) -> Option<Self> {
        let changes = SingleChanges::new(joint);
        (changes.are_few() && !joint.lanes.is_by_port()).then_some(Self {
            joint,
            changes,
            destinations,
        })
    }

    /// An obstruction of some destinations, of which hardly one can be left out, and those it is of: destinations are
    /// taken together one after the other for as long as they have an order.
    pub(super) fn shown(&self, counted: &BTreeSet<u32>) -> Option<(BTreeSet<u32>, Obstruction)> {
        let mut together = BTreeSet::new();
        for &destination in counted {
            together.insert(destination);
            match self.sought(&together, MOST_STEPS) {
                Sought::Order(_) => {}
                Sought::None(end, dead_ends) => {
                    if let Some(found) = self.obstruction(end, &dead_ends) {
                        return Some(self.shrunk(found));
                    }
                    together.remove(&destination);
                }
                Sought::Unknown => {
                    together.remove(&destination);
                }
            }
        }
        None
    }

    fn shrunk(&self, mut best: (BTreeSet<u32>, Obstruction)) -> (BTreeSet<u32>, Obstruction) {
        for out in best.0.clone() {
            let mut fewer = best.0.clone();
            if !fewer.remove(&out) {
                continue;
            }
            if let Sought::None(end, dead_ends) = self.sought(&fewer, MOST_STEPS_WITHOUT_ONE)
                && let Some(smaller) = self.obstruction(end, &dead_ends)
            {
                best = smaller;
            }
        }
        best
    }

    fn sought(&self, counted: &BTreeSet<u32>, most_steps: usize) -> Sought {
        let addresses = self.joint.addresses.iter().zip(self.destinations);
        let counts = addresses.map(|(of, destination)| of.is_left && counted.contains(destination));
        let counts: Vec<bool> = counts.collect();
        self.changes.order(&counts, most_steps)
    }

    /// What the last dead end takes; `None` where it takes what cannot be told.
    fn obstruction(
        &self,
        end: OrderEnd,
        found: &[DeadEnd],
    ) -> Option<(BTreeSet<u32>, Obstruction)> {
        let last = found.len().checked_sub(1)?;
        let mut needed = BTreeSet::from([last]);
        let mut open = vec![last];
        while let Some(number) = open.pop() {
            for obstacle in found[number].left.values() {
                if let Obstacle::DeadEnd(other) = obstacle
                    && needed.insert(*other)
                {
                    open.push(*other);
                }
            }
        }
        let numbers: BTreeMap<usize, usize> =
            (0..).zip(needed).map(|(new, old)| (old, new)).collect();
        let each = numbers
            .keys()
            .map(|&of| self.dead_end(&found[of], &numbers));
        let mut dead_ends = each.collect::<Option<Vec<OrderDeadEnd>>>()?;
        let addresses = dead_ends.iter().flat_map(|of| {
            let met = of.met.iter().map(|of| of.address);
            let waits = of.writes.iter().flat_map(|write| &write.cycle);
            let waits = waits.map(|wait| wait.address);
            met.chain(waits)
                .chain(of.writes.iter().map(|write| write.address))
        });
        let destinations = addresses.map(|address| self.destinations[address as usize]);
        let destinations = destinations.collect();
        let writes = dead_ends.pop()?.writes;
        let obstruction = Obstruction {
            end,
            writes,
            dead_ends,
        };
        Some((destinations, obstruction))
    }

    fn dead_end(&self, found: &DeadEnd, numbers: &BTreeMap<usize, usize>) -> Option<OrderDeadEnd> {
        let met = found.met.iter().map(|&place| self.change(place));
        let writes = found.left.iter().map(|(&place, obstacle)| {
            let MetChange {
                change,
                switch,
                address,
            } = self.change(place)?;
            let (cycle, dead_end) = match obstacle {
                Obstacle::Loses => return None,
                Obstacle::DeadEnd(number) => (Vec::new(), Some(numbers[number])),
                Obstacle::Circle(waits) => {
                    let waits = waits.iter().map(|wait| {
                        let (edge, lane) = self.joint.edge_of(wait.held);
                        let [_, management] = &self.joint.management;
                        let is_of_hosts = management.iter().all(|sent| sent.from != wait.from);
                        Some(Wait {
                            channel: self.joint.edges[edge as usize]
                                .channel
                                .filter(|_| is_of_hosts)?,
                            lane: Lane::new(lane),
                            address: numbered(wait.address),
                            from: SwitchId::new(wait.from),
                            is_by_write: wait.is_by_change,
                        })
                    });
                    (waits.collect::<Option<Vec<Wait>>>()?, None)
                }
            };
            Some(BlockedWrite {
                change,
                switch,
                address,
                cycle,
                dead_end,
            })
        });
        Some(OrderDeadEnd {
            met: met.collect::<Option<Vec<MetChange>>>()?,
            writes: writes.collect::<Option<Vec<BlockedWrite>>>()?,
        })
    }

    fn change(&self, place: usize) -> Option<MetChange> {
        let (number, at, change) = match self.changes.all()[place] {
            SingleChange::Entry { number, at } => (number, at, BlockedChange::Entry),
            SingleChange::Levels { number, from } => (number, from, BlockedChange::Levels),
            SingleChange::Lanes => return None,
        };
        Some(MetChange {
            change,
            switch: SwitchId::new(at),
            address: numbered(number),
        })
    }
}

fn numbered(place: usize) -> u32 {
    narrow(place, "addresses and switches have numbers of 32 bits")
}
