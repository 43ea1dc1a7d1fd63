//! Addresses that change in several phases, some of their entries in each.

use super::{Entries, Planner};
use crate::transition::mixtures::{Mixture, Order};
use crate::transition::phase::OpenPhase;
use crate::transition::side::HERE;

impl<'j> Planner<'j> {
    /// Writes some of the entries of addresses none of which can change as a whole: those that can be written in any
    /// order beside what stands. The next phase begins when packets that met the entries of before are gone, so that
    /// less is mixed than where all change together. Tells whether there was any.
    pub(super) fn write_some(&mut self, phase: &mut OpenPhase<'j>) -> bool {
        let mut has_moved = false;
        for number in self.waiting() {
            let (next, written) = self.next_entries(phase, number);
            for &at in &written {
                let exit = next[at as usize];
                phase.write(0, self.write(number, at, Some(exit)));
            }
            if !written.is_empty() {
                self.between.push(next);
                self.set_entries(number, Entries::Between(self.between.len() - 1));
                has_moved = true;
            }
        }
        has_moved
    }

    /// The entries of an address with those written that can be, the ones nearest to it by its new ways first; and
    /// where.
    fn next_entries(&self, phase: &mut OpenPhase<'j>, number: usize) -> (Vec<u32>, Vec<u32>) {
        let joint = self.joint;
        let address = &joint.addresses[number];
        let stands = self.entries[number];
        let Some(exits) = self.exits(number, stands) else {
            return (Vec::new(), Vec::new());
        };
        let senders = self.senders(number, self.levels[number]);
        let (mut next, mut written) = (exits.to_vec(), Vec::new());
        let mut unwritten = self.unwritten(number, stands);
        unwritten.sort_by_cached_key(|&at| self.links(number, at));
        for at in unwritten {
            let was = std::mem::replace(&mut next[at as usize], address.written()[at as usize]);
            let mixture = Mixture::of_both(joint, [exits, &next], Order::Any, senders);
            if mixture.goes_on() && phase.hold(&mixture) {
                written.push(at);
            } else {
                next[at as usize] = was;
            }
        }
        (next, written)
    }

    /// The links of the new way from a switch to an address.
    fn links(&self, number: usize, from: u32) -> usize {
        let exits = &self.joint.addresses[number].new.exits;
        let (mut at, mut links) = (from, 0);
        while exits[at as usize] < HERE && links < exits.len() {
            at = self.joint.edges[exits[at as usize] as usize].to;
            links += 1;
        }
        links
    }
}
