//! With credits: what a buffer held, told by the packets that leave it.

use super::packet_state::Packet;

/// What is counted of an input buffer, whole packets from the arrival of their heads until they are
/// released.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Occupancy {
    /// Flit-cycles of the packets that have left the buffer, or of which it is known when they do, without the
    /// cycles before the arrival of one that is held: below zero it counts from the largest number.
    flit_cycles: u64,
    /// The packet that left the buffer last: the cycle its room is released in, and its flits.
    last_release: u64,
    last_flits: u32,
    most: u32,
}

impl Occupancy {
    /// A packet that arrived in `arrival` has an output, but not yet the link: it is held.
    pub(super) fn hold(&mut self, flits: u32, arrival: u64) {
        let before = u64::from(flits) * arrival;
        self.flit_cycles = self.flit_cycles.wrapping_sub(before);
    }

    /// It has the link too, and its room will be released in `released_at`.
    pub(super) fn let_go(&mut self, flits: u32, released_at: u64) {
        let until = u64::from(flits) * released_at;
        self.flit_cycles = self.flit_cycles.wrapping_add(until);
        self.last_flits = flits;
        self.last_release = released_at;
    }

    /// The room of a packet will be released in `released_at`.
    #[inline]
    pub(super) fn leave(&mut self, flits: u32, arrival: u64, released_at: u64) {
        self.flit_cycles += u64::from(flits) * (released_at - arrival);
        self.last_flits = flits;
        self.last_release = released_at;
    }

    /// A packet is about to leave the buffer; the one before has. The buffer was fullest just before that
    /// one's room was released: tells the cycle at whose end, unless so many flits of others on the way
    /// do not make a maximum.
    #[inline]
    pub(super) fn fullest(&self, others: u32, reset_at: u64) -> Option<u64> {
        let may_be = self.last_release > reset_at && self.last_flits + others > self.most;
        may_be.then(|| self.last_release - 1)
    }

    /// So many flits of others were in the buffer when it was fullest.
    #[inline]
    pub(super) fn note_most(&mut self, others: u32) {
        self.most = self.most.max(self.last_flits + others);
    }

    /// Flit-cycles before now, with those of so many flits that are held and of the packets that have no output
    /// yet.
    pub(super) fn flit_cycles<'p>(
        &self,
        held_flits: u32,
        waiting: impl Iterator<Item = &'p Packet>,
        now: u64,
    ) -> u64 {
        let counted = self.flit_cycles.wrapping_add(u64::from(held_flits) * now);
        let waiting = waiting.map(|packet| u64::from(packet.flits) * now.saturating_sub(packet.at));
        let to_come = u64::from(self.last_flits) * self.last_release.saturating_sub(now);
        counted + waiting.sum::<u64>() - to_come
    }

    /// Most flits at the end of the cycles before now, since the last reset, with those that are held and those
    /// of packets that have no output yet.
    pub(super) fn most<'p>(
        &self,
        held_flits: u32,
        waiting: &(impl Iterator<Item = &'p Packet> + Clone),
        reset_at: u64,
        now: u64,
    ) -> u32 {
        if now <= reset_at {
            return self.most;
        }
        let there_by = |cycle| {
            let there = waiting.clone().take_while(|packet| packet.at <= cycle);
            there.map(|packet| packet.flits).sum::<u32>()
        };
        let last = now - 1;
        let after = held_flits + there_by(last);
        let most = self.most.max(after);
        if self.last_release <= reset_at {
            return most;
        }
        let with_last = (self.last_release - 1).min(last);
        most.max(self.last_flits + there_by(with_last))
    }

    /// Counts the maximum anew.
    pub(super) fn reset(&mut self) {
        self.most = 0;
    }
}
