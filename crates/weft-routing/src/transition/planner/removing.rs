//! Old entries that new tables lack: removed once no host's packets come to them.

use super::{Entries, Planner};
use crate::transition::mixtures::Mixture;
use crate::transition::phase::OpenPhase;

impl<'j> Planner<'j> {
    /// Removes those of addresses whose new entries were written in phases before. What switches without hosts send by
    /// them waits for nothing after this one.
    pub(super) fn remove_kept(&mut self, phase: &mut OpenPhase<'j>) {
        for number in self.those(Entries::Kept) {
            let removed = &self.joint.addresses[number].removed;
            let unused = self.unused(number);
            if self.stood.contains_key(&number) || unused.len() < removed.len() {
                continue;
            }
            for at in unused {
                phase.write(0, self.write(number, at, None));
            }
            self.set_entries(number, Entries::New);
        }
    }

    /// Removes what is left of them, but for those that hosts' packets come to that know old service levels.
    pub(in crate::transition) fn remove_unused(&mut self) {
        let mut phase = self.reopen();
        for number in self.those(Entries::Kept) {
            for at in self.unused(number) {
                phase.write(0, self.write(number, at, None));
            }
        }
        if phase.has_something() {
            self.close(phase);
        }
    }

    /// The switches with an entry that is to be removed to which no host's packets come.
    fn unused(&self, number: usize) -> Vec<u32> {
        let address = &self.joint.addresses[number];
        let Some(exits) = self.exits(number, self.entries[number]) else {
            return Vec::new();
        };
        let mut senders = self.senders(number, self.levels[number]);
        senders.management = [&[]; 2];
        let standing = Mixture::of_one(self.joint, exits, senders);
        let removed = address.removed.iter().copied();
        removed.filter(|&at| !standing.passes(at)).collect()
    }
}
