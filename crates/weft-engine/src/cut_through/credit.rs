//! Credits: room in an input buffer that the source of its channel does not know of yet.
//!
//! A packet's room is given back at a cycle that is known as soon as it is granted an output, so
//! credits are entered ahead of time, and taken when the sender needs them.

use super::Engine;
use super::state::{Credit, NONE};

impl Engine<'_> {
    /// Room that the source of a channel will know of in cycle `at`.
    pub(super) fn give_back(&mut self, lane: u32, flits: u32, at: u64) {
        let credit = self.credits.insert(Credit {
            at,
            flits,
            next: NONE,
        });
        let sender = &mut self.outlets[lane as usize];
        if sender.first_credit == NONE {
            sender.first_credit = credit;
        } else {
            self.credits[sender.last_credit].next = credit;
        }
        let sender = &mut self.outlets[lane as usize];
        sender.last_credit = credit;
        if sender.is_starved {
            sender.is_starved = false;
            self.look(lane >> self.lane_bits, at);
        }
    }

    /// Takes the credits of a lane that have arrived until there is room for `flits`, tells
    /// whether there is, and since when if some were taken.
    #[inline]
    pub(super) fn has_room(&mut self, lane: u32, flits: u32) -> (bool, u64) {
        let sender = &mut self.outlets[lane as usize];
        let mut since = 0;
        while sender.credits < flits && sender.first_credit != NONE {
            let Credit {
                at,
                flits: more,
                next,
            } = self.credits[sender.first_credit];
            if at > self.now {
                break;
            }
            self.credits.remove(sender.first_credit);
            sender.first_credit = next;
            sender.credits += more;
            since = at;
        }
        (sender.credits >= flits, since)
    }

    /// The cycle in which the next credit of a lane arrives, if it is given back already.
    #[inline]
    pub(super) fn next_credit_at(&self, lane: u32) -> Option<u64> {
        let first = self.outlets[lane as usize].first_credit;
        (first != NONE).then(|| self.credits[first].at)
    }

    /// All room of a buffer is where it can be: known to the sender, given back, taken by a packet.
    #[cfg(debug_assertions)]
    pub(super) fn assert_conserved(&self, channel: u32) {
        let state = &self.channels[channel as usize];
        if state.target_host != NONE {
            return;
        }
        for lane in 0..self.lane_count {
            let lane = self.lane_index(channel, lane);
            let sender = &self.outlets[lane as usize];
            let (mut free, mut coming, mut taken) = (sender.credits, 0, 0);
            let mut credit = sender.first_credit;
            while credit != NONE {
                let given_back = self.credits[credit];
                let known_at = given_back.at;
                if known_at <= self.now {
                    free += given_back.flits;
                } else if known_at - u64::from(state.flight) <= self.now {
                    coming += given_back.flits;
                } else {
                    taken += given_back.flits;
                }
                credit = given_back.next;
            }
            let mut packet = self.inlets[lane as usize].front;
            while packet != NONE {
                taken += self.packets[packet].flits;
                packet = self.packets[packet].next;
            }
            taken += self.meters[lane as usize].held_flits();
            assert_eq!(
                free + coming + taken,
                self.input_buffer_flits,
                "room of lane {lane} at {}: {free} free, {coming} coming, {taken} taken",
                self.now
            );
        }
    }
}
