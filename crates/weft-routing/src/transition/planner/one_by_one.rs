//! Changes in an order that was searched, one after the other.

use super::{Entries, Planner};
use crate::transition::mixtures::{Mixture, Order};
use crate::transition::one_change::SingleChange;
use crate::transition::phase::OpenPhase;

impl<'j> Planner<'j> {
    /// Does changes in their order, in one phase as many as close no circle together: those too that come after some that
    /// have to wait, so many at most. `None` where that leads to where none of those that are left can be done.
    pub(in crate::transition) fn follow(
        &mut self,
        mut phase: OpenPhase<'j>,
        ordered: &[SingleChange],
        most_waiting: usize,
    ) -> Option<OpenPhase<'j>> {
        self.clear_gone(&mut phase);
        let mut parts = ordered.split(|&change| change == SingleChange::Lanes);
        phase = self.follow_part(phase, parts.next()?, most_waiting)?;
        for part in parts {
            phase = self.write_lanes(phase);
            phase = self.follow_part(phase, part, most_waiting)?;
        }
        Some(phase)
    }

    fn follow_part(
        &mut self,
        mut phase: OpenPhase<'j>,
        ordered: &[SingleChange],
        most_waiting: usize,
    ) -> Option<OpenPhase<'j>> {
        let mut left = ordered.to_vec();
        while !left.is_empty() {
            let (count, mut waiting) = (left.len(), 0);
            left.retain(|&change| {
                let waits = waiting > most_waiting || !self.do_one(&mut phase, change);
                waiting += usize::from(waits);
                waits
            });
            if left.len() == count {
                return None;
            }
            phase = self.next_phase(phase);
        }
        Some(phase)
    }

    /// The phase after one in which something was done.
    fn next_phase(&mut self, phase: OpenPhase<'j>) -> OpenPhase<'j> {
        self.close(phase);
        self.reopen()
    }

    /// Does one more in a phase, unless it would close a circle, or is of what changed in it in another way.
    fn do_one(&mut self, phase: &mut OpenPhase<'j>, change: SingleChange) -> bool {
        match change {
            SingleChange::Entry { number, at } => self.write_one(phase, number, at),
            SingleChange::Levels { number } => {
                !self.stood.contains_key(&number) && self.renew_one(phase, number)
            }
            SingleChange::Lanes => false,
        }
    }

    fn write_one(&mut self, phase: &mut OpenPhase<'j>, number: usize, at: u32) -> bool {
        let joint = self.joint;
        let began = self.stood.get(&number).copied();
        let began = began.unwrap_or_else(|| self.state(number));
        let [Some(first), Some(now)] =
            [began.entries, self.entries[number]].map(|of| self.exits(number, of))
        else {
            return false;
        };
        let is_again = first[at as usize] != now[at as usize];
        if is_again || began.levels != self.levels[number] {
            return false;
        }
        let address = &joint.addresses[number];
        let (old, new) = (
            address.old.exits[at as usize],
            address.written()[at as usize],
        );
        let exit = if now[at as usize] == new { old } else { new };
        let mut next = now.to_vec();
        next[at as usize] = exit;
        let senders = self.senders(number, self.levels[number]);
        let mixture = Mixture::of_both(joint, [first, &next], Order::Any, senders);
        if !(mixture.goes_on() && phase.hold(&mixture)) {
            return false;
        }
        phase.write(0, self.write(number, at, Some(exit)));
        let is_written = next[..self.left()] == address.written()[..self.left()];
        self.between.push(next);
        let between = Entries::Between(self.between.len() - 1);
        let entries = if is_written {
            super::written(address)
        } else {
            between
        };
        self.set_entries(number, entries);
        true
    }
}
