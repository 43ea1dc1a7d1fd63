//! Addresses that no order helps: cleared, and set when there is room.

use super::{Entries, Planner, index};
use crate::cycles::AcyclicDependencies;
use crate::transition::mixtures::{Mixture, Order, rounds_outwards};
use crate::transition::phase::OpenPhase;
use crate::transition::senders::Levels;
use crate::transition::side::{HERE, NOWHERE};
use crate::transition::{Phase, Write};

impl<'j> Planner<'j> {
    /// Clears what keeps old tables from being free of deadlock.
    pub(in crate::transition) fn clear_until_free(&mut self) {
        let nothing = AcyclicDependencies::new(self.joint.vertex_count());
        let mut free = OpenPhase::new(self.joint, nothing, 1);
        for number in self.numbers() {
            let standing = self.standing(number, self.levels[number]);
            if !standing.is_some_and(|mixture| free.hold(&mixture)) {
                self.clear(&mut free, number);
            }
        }
        let cleared = free.close(self.after);
        self.phases.push(Phase {
            order: None,
            ..cleared
        });
        self.is_beginning = false;
        self.graph = None;
    }

    /// Sets addresses that were cleared, where there is room.
    pub(in crate::transition) fn set_cleared(&mut self, phase: &mut OpenPhase<'j>) -> bool {
        let mut has_moved = false;
        for number in self.those(Entries::Cleared) {
            if phase.cleared.contains(&number) {
                continue;
            }
            let address = &self.joint.addresses[number];
            let senders = self.senders(number, self.levels[number]);
            let mixture = Mixture::of_one(self.joint, &address.new.exits, senders);
            if !(mixture.has_lanes() && phase.hold(&mixture)) {
                continue;
            }
            for (at, &exit) in (0..).zip(&address.new.exits).take(self.left()) {
                let is_there = match exit {
                    HERE => address.changes(at),
                    exit => self.joint.stands(exit),
                };
                if is_there {
                    phase.write(0, self.write(number, at, Some(exit)));
                }
            }
            self.set_entries(number, Entries::New);
            has_moved = true;
        }
        has_moved
    }

    /// Clears some addresses that nothing else helps, and tells whether there was any; else hosts let go of
    /// old levels, so that those can be set that were cleared.
    pub(in crate::transition) fn drain_some(&mut self, mut phase: OpenPhase<'j>) -> bool {
        let parts = match self.manner.parts {
            Some(parts) if !self.is_done() => parts,
            _ => {
                self.put_back(phase);
                return false;
            }
        };
        let mut stuck = self.waiting();
        // Those that need little are tried first.
        stuck.sort_by_cached_key(|&number| {
            let mixture = self.mixture(number, self.entries[number], Order::Outwards);
            mixture.turns().len()
        });
        if stuck.is_empty() {
            self.renew(&mut phase);
            let lets_go = phase.has_something();
            if lets_go {
                self.close(phase);
            } else {
                self.put_back(phase);
            }
            return lets_go;
        }
        let stuck_now = stuck.iter();
        let mut rest = phase
            .without(stuck_now.filter_map(|&number| self.standing(number, self.levels[number])));
        let mut drained: Vec<usize> = Vec::new();
        for number in stuck {
            let standing = self.standing(number, self.levels[number]);
            let stands = standing.is_some_and(|mixture| rest.hold(&mixture));
            let rounds = rounds_outwards(self.joint, &self.joint.addresses[number], self.left());
            let changes = stands
                && ((rounds.is_some() && self.holds(&mut rest, number, Order::Outwards))
                    || self.holds(&mut rest, number, Order::Any));
            if !changes {
                drained.push(number);
            }
        }
        drained.truncate(drained.len().div_ceil(parts));
        for number in drained {
            self.clear(&mut phase, number);
        }
        self.close(phase);
        true
    }

    /// Clears an address in the first round of a phase.
    pub(in crate::transition) fn clear(&mut self, phase: &mut OpenPhase<'j>, number: usize) {
        for write in self.clears(number) {
            phase.write(0, write);
        }
        phase.cleared.push(number);
        self.set_entries(number, Entries::Cleared);
        self.is_drained[number] = true;
        if matches!(self.levels[number], Levels::Old | Levels::Between(_)) {
            phase.told.push(index(number));
        }
        if self.levels[number] != Levels::New {
            phase.renewed.push(index(number));
        }
        self.set_levels(number, Levels::New);
    }

    /// What clears the entries there are for an address; hosts of one switch go on sending to one another.
    pub(in crate::transition) fn clears(&self, number: usize) -> Vec<Write> {
        let address = &self.joint.addresses[number];
        let exits = self.exits(number, self.entries[number]);
        let exits = exits.unwrap_or(&address.new.exits);
        let entries = (0..).zip(exits).take(self.left());
        let there =
            entries.filter(|&(_, &exit)| exit != NOWHERE && !(exit == HERE && address.is_left));
        there.map(|(at, _)| self.write(number, at, None)).collect()
    }
}
