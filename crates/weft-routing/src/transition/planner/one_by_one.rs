//! Changes in an order that was searched, one after the other.

use super::{Entries, Planner, State, index};
use crate::transition::Renewal;
use crate::transition::addresses::{Sent, levels_from, set_levels};
use crate::transition::draining_order::Part;
use crate::transition::mixtures::{Mixture, Order};
use crate::transition::one_change::SingleChange;
use crate::transition::phase::OpenPhase;
use crate::transition::senders::Levels;
use weft_fabric::SwitchId;

impl<'j> Planner<'j> {
    /// Does changes in their order, in one phase as many as close no circle together: those too that come after some that
    /// have to wait, so many at most. `None` where that leads to where none of those that are left can be done.
    pub(in crate::transition) fn follow(
        &mut self,
        mut phase: OpenPhase<'j>,
        ordered: &[Part],
        most_waiting: usize,
    ) -> Option<OpenPhase<'j>> {
        self.clear_gone(&mut phase);
        for part in ordered {
            for &number in &part.cleared {
                self.clear(&mut phase, number);
            }
            if !part.cleared.is_empty() {
                phase = self.next_phase(phase);
            }
            let mut changes = part.changes.split(|&change| change == SingleChange::Lanes);
            phase = self.follow_part(phase, changes.next()?, most_waiting)?;
            for rest in changes {
                phase = self.write_lanes(phase);
                phase = self.follow_part(phase, rest, most_waiting)?;
            }
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

    /// Does one more in a phase, unless it would close a circle, or was done in it the other way round.
    fn do_one(&mut self, phase: &mut OpenPhase<'j>, change: SingleChange) -> bool {
        match change {
            SingleChange::Entry { number, at } => self.write_one(phase, number, at),
            SingleChange::Levels { number, from } => self.tell_one(phase, number, from),
            SingleChange::Lanes => false,
        }
    }

    fn write_one(&mut self, phase: &mut OpenPhase<'j>, number: usize, at: u32) -> bool {
        let began = self.began(number);
        let [Some(first), Some(now)] =
            [began.entries, self.entries[number]].map(|of| self.exits(number, of))
        else {
            return false;
        };
        if first[at as usize] != now[at as usize] {
            return false;
        }
        let address = &self.joint.addresses[number];
        let written = address.written();
        let exit = address.other_exit(now, at);
        let mut next = now.to_vec();
        next[at as usize] = exit;
        let sent = self.sent(number, self.levels[number]).concat();
        if !self.holds_meanwhile(phase, number, (&next, &sent)) {
            return false;
        }
        phase.write(0, self.write(number, at, Some(exit)));
        let entries = if next[..self.left()] == written[..self.left()] {
            super::written(address)
        } else {
            self.between.push(next);
            Entries::Between(self.between.len() - 1)
        };
        self.set_entries(number, entries);
        true
    }

    /// Tells the hosts of a switch their other levels for an address.
    fn tell_one(&mut self, phase: &mut OpenPhase<'j>, number: usize, from: u32) -> bool {
        let address = &self.joint.addresses[number];
        let [began, now] = [self.began(number).levels, self.levels[number]]
            .map(|levels| self.sent(number, levels).concat());
        if levels_from(&began, from) != levels_from(&now, from) {
            return false;
        }
        let other = address.other_levels(&now, from);
        let mut next = now;
        set_levels(&mut next, other);
        let Some(exits) = self.exits(number, self.entries[number]) else {
            return false;
        };
        if !self.holds_meanwhile(phase, number, (exits, &next)) {
            return false;
        }
        phase.moved.push(Renewal {
            address: index(number),
            switch: SwitchId::new(from),
        });
        let levels = if next == address.new.sent {
            Levels::New
        } else {
            self.told.push(next);
            Levels::Between(self.told.len() - 1)
        };
        self.set_levels(number, levels);
        true
    }

    /// What stood for an address when the phase began.
    fn began(&self, number: usize) -> State {
        let began = self.stood.get(&number).copied();
        began.unwrap_or_else(|| self.state(number))
    }

    /// Holds all that packets to an address may meet while its entries and levels change from what they were when the phase
    /// began, if that closes no circle.
    fn holds_meanwhile(
        &self,
        phase: &mut OpenPhase<'j>,
        number: usize,
        (exits, sent): (&[u32], &[Sent]),
    ) -> bool {
        let began = self.began(number);
        let Some(first) = self.exits(number, began.entries) else {
            return false;
        };
        let before = self.sent(number, began.levels).concat();
        let meeting = (self.rows, self.is_beginning);
        let senders = self.joint.senders(number, [&before, sent], meeting);
        let mixture = Mixture::of_both(self.joint, [first, exits], Order::Any, senders);
        mixture.goes_on() && phase.hold(&mixture)
    }
}
