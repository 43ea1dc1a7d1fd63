//! With credits: what a buffer held, told by the packets that leave it.

use crate::cut_through::packet_state::Packets;
use crate::cut_through::switches::Inlet;

/// What is counted of an input buffer, whole packets from the arrival of their heads until they are
/// released.
#[derive(Clone, Debug, Default)]
pub(super) struct Occupancy {
    /// Flit-cycles of the packets that have left the buffer, or of which it is known when they do.
    flit_cycles: u64,
    most: u32,
    /// The packet that left the buffer last: its flits, and the cycle its room is released in.
    last_flits: u32,
    last_release: u64,
    /// A packet that has an output, but not yet the link: its flits and its arrival.
    pub(super) held_flits: u32,
    held_since: u64,
    reset_at: u64,
}

impl Occupancy {
    /// A packet that arrived in `arrival` has an output, but not yet the link.
    pub(super) fn hold(&mut self, flits: u32, arrival: u64) {
        self.held_flits = flits;
        self.held_since = arrival;
    }

    /// It has the link too, and its room will be released in `released_at`.
    pub(super) fn let_go(&mut self, released_at: u64) {
        self.leave(self.held_flits, self.held_since, released_at);
        self.held_flits = 0;
    }

    /// The room of a packet will be released in `released_at`.
    #[inline]
    pub(super) fn leave(&mut self, flits: u32, arrival: u64, released_at: u64) {
        self.flit_cycles += u64::from(flits) * (released_at - arrival);
        self.last_flits = flits;
        self.last_release = released_at;
    }

    /// A packet is about to leave the buffer; the one before has. The buffer was fullest just before that
    /// one's room was released.
    #[inline]
    pub(super) fn note_most(
        &mut self,
        flits: u32,
        arrival: u64,
        buffer: &mut Inlet,
        packets: &Packets,
    ) {
        let at_most = self.last_flits + flits + buffer.flits;
        if self.last_release > self.reset_at && at_most > self.most {
            let cycle = self.last_release - 1;
            let waiting = if arrival <= cycle {
                flits + buffer.flits_there(cycle, packets)
            } else {
                0
            };
            self.most = self.most.max(self.last_flits + waiting);
        }
    }

    /// Flit-cycles before now.
    pub(super) fn flit_cycles(&self, buffer: &Inlet, packets: &Packets, now: u64) -> u64 {
        let held = u64::from(self.held_flits) * (now - self.held_since.min(now));
        let waiting = buffer.waiting(packets);
        let waiting = waiting.map(|packet| u64::from(packet.flits) * now.saturating_sub(packet.at));
        let to_come = u64::from(self.last_flits) * self.last_release.saturating_sub(now);
        self.flit_cycles + held + waiting.sum::<u64>() - to_come
    }

    /// Most flits at the end of the cycles before now, since the last reset.
    pub(super) fn most(&self, buffer: &Inlet, packets: &Packets, now: u64) -> u32 {
        if now <= self.reset_at {
            return self.most;
        }
        let last = now - 1;
        let after = self.held_flits + waiting_flits(buffer, packets, last);
        let most = self.most.max(after);
        if self.last_release <= self.reset_at {
            return most;
        }
        let with_last = (self.last_release - 1).min(last);
        most.max(self.last_flits + waiting_flits(buffer, packets, with_last))
    }

    /// Counts the maximum anew.
    pub(super) fn reset(&mut self, now: u64) {
        self.most = 0;
        self.reset_at = now;
    }
}

/// Flits of the packets in a buffer, without those that have an output, whose heads had arrived by
/// the end of `cycle`.
fn waiting_flits(buffer: &Inlet, packets: &Packets, cycle: u64) -> u32 {
    let waiting = buffer.waiting(packets);
    let there = waiting.take_while(|packet| packet.at <= cycle);
    there.map(|packet| packet.flits).sum()
}
