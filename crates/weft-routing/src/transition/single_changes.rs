//! Orders of single changes, each done when packets of before the last one are gone: searched where plans that take
//! destination by destination drain some without need.

use super::joint::Joint;
use super::lane_choice::Rows;
use super::mixtures::{Mixture, Order};
use super::phase::{OpenPhase, Wanted};
use super::senders::Levels;
use super::side::HERE;
use std::collections::{BTreeMap, BinaryHeap};

/// What is changed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SingleChange {
    /// The entry of a switch for an address is written, or once more as it was.
    Entry { number: usize, at: u32 },
    /// All hosts let go of their old service levels for an address.
    Levels { number: usize },
    /// Switches are given their new lane tables.
    Lanes,
}

/// Which changes are done.
type Done = Vec<bool>;

/// The changes between two tables.
pub(super) struct SingleChanges<'j> {
    joint: &'j Joint,
    changes: Vec<SingleChange>,
}

/// What stands once some changes are done.
struct Standing {
    /// Per address and switch: the edge that it goes on by.
    exits: Vec<Vec<u32>>,
    /// Per address.
    levels: Vec<Levels>,
    rows: Rows,
}

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

    /// The steps of packets that are followed to see what may be done next.
    pub(super) fn steps_of_each(&self) -> usize {
        (self.changes.len() + self.joint.addresses.len()) * self.joint.left_count
    }

    /// An order of all of them, found by going on from where most are done; `None` where there is none, or none is found
    /// by following so many steps of packets.
    pub(super) fn order(&self, most_steps: usize) -> Option<Vec<SingleChange>> {
        let mut steps = most_steps;
        let begin: Done = vec![false; self.changes.len()];
        let mut before: BTreeMap<Done, Option<usize>> = BTreeMap::from([(begin.clone(), None)]);
        let mut open = BinaryHeap::from([(0, begin)]);
        while let Some((count, done)) = open.pop() {
            if count == self.changes.len() {
                return Some(self.path(&before, done));
            }
            steps = steps.checked_sub(self.steps_of_each())?;
            let standing = self.standing(&done);
            let mut phase = self.phase(&standing)?;
            for place in 0..self.changes.len() {
                let mut next = done.clone();
                next[place] = !next[place];
                if before.contains_key(&next) || !self.may(&mut phase, &standing, &done, place) {
                    continue;
                }
                before.insert(next.clone(), Some(place));
                let count = next.iter().filter(|is_done| **is_done).count();
                open.push((count, next));
            }
        }
        None
    }

    /// How some changes came to be done.
    fn path(&self, before: &BTreeMap<Done, Option<usize>>, mut done: Done) -> Vec<SingleChange> {
        let mut path = Vec::new();
        while let Some(Some(place)) = before.get(&done) {
            path.push(self.changes[*place]);
            done[*place] = !done[*place];
        }
        path.reverse();
        path
    }

    fn standing(&self, done: &Done) -> Standing {
        let addresses = &self.joint.addresses;
        let mut standing = Standing {
            exits: addresses.iter().map(|of| of.old.exits.clone()).collect(),
            levels: vec![Levels::Old; addresses.len()],
            rows: Rows::Old,
        };
        let all = self.changes.iter().zip(done);
        for (&change, _) in all.filter(|(_, is_done)| **is_done) {
            match change {
                SingleChange::Entry { number, at } => {
                    standing.exits[number][at as usize] = addresses[number].written()[at as usize];
                }
                SingleChange::Levels { number } => standing.levels[number] = Levels::New,
                SingleChange::Lanes => standing.rows = Rows::New,
            }
        }
        standing
    }

    /// What packets do by what stands; `None` where they can deadlock.
    fn phase(&self, standing: &Standing) -> Option<OpenPhase<'j>> {
        let mut wanted = Wanted::new(self.joint);
        for number in self.numbers() {
            wanted.add(&self.meeting(standing, number, standing.rows));
        }
        Some(OpenPhase::new(self.joint, wanted.into_graph()?, 1))
    }

    /// The addresses that somebody sends to.
    fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        let addresses = self.joint.addresses.iter().enumerate();
        let left = addresses.filter(|(_, address)| address.is_left);
        left.map(|(number, _)| number)
    }

    fn meeting<'s>(&'s self, standing: &'s Standing, number: usize, rows: Rows) -> Mixture<'s> {
        let levels = standing.levels[number];
        let senders = self.joint.senders(number, (levels, rows), false);
        Mixture::of_one(self.joint, &standing.exits[number], senders)
    }

    /// Whether packets of before a change and after it wait in no circle; levels and lane tables stay new.
    fn may(
        &self,
        phase: &mut OpenPhase<'j>,
        standing: &Standing,
        done: &Done,
        place: usize,
    ) -> bool {
        match self.changes[place] {
            SingleChange::Entry { number, at } => {
                let address = &self.joint.addresses[number];
                let entries = [&address.old.exits, address.written()];
                let mut next = standing.exits[number].clone();
                next[at as usize] = entries[usize::from(!done[place])][at as usize];
                let meeting = (standing.levels[number], standing.rows);
                let senders = self.joint.senders(number, meeting, false);
                if !self.leads_on(number, at, &next) {
                    return false;
                }
                let both = [&*standing.exits[number], &*next];
                let mixture = Mixture::of_both(self.joint, both, Order::Any, senders);
                mixture.goes_on() && phase.could_hold([mixture].into_iter())
            }
            SingleChange::Levels { number } => {
                let meeting = (Levels::Either, standing.rows);
                let senders = self.joint.senders(number, meeting, false);
                let exits = &standing.exits[number];
                let mixture = Mixture::of_one(self.joint, exits, senders);
                !done[place] && phase.could_hold([mixture].into_iter())
            }
            SingleChange::Lanes => {
                let all = self.numbers();
                let all = all.map(|number| self.meeting(standing, number, Rows::Either));
                !done[place] && phase.could_hold(all)
            }
        }
    }

    /// Whether whoever meets a new entry arrives by these, or that of a switch that is written.
    fn leads_on(&self, number: usize, at: u32, exits: &[u32]) -> bool {
        let address = &self.joint.addresses[number];
        let mut changed = address.changing(self.joint.left_count);
        changed.all(|from| {
            let is_new = from == at || exits[from as usize] != address.old.exits[from as usize];
            !is_new || arrives(self.joint, exits, from)
        })
    }
}

/// Whether entries lead from a switch to where they are for, over channels that are left.
fn arrives(joint: &Joint, exits: &[u32], mut at: u32) -> bool {
    for _ in 0..=joint.left_count {
        match exits[at as usize] {
            HERE => return true,
            exit if joint.stands(exit) => at = joint.edges[exit as usize].to,
            _ => return false,
        }
    }
    false
}
