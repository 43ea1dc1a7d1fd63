//! How a lane and the buffer at its end are used. Sums run from the beginning; what was true at the
//! last reset is subtracted.

use super::Engine;
use super::state::NONE;
use crate::queue::NEVER;
use weft_model::cut_through::LaneUse;

/// The counts of one lane of a channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meter {
    /// Cycles of link time, those to come of the packet being sent included.
    pub(super) busy_cycles: u64,
    /// Cycles for which packets that have left were kept back.
    pub(super) blocked_cycles: u64,
    pub(super) longest_wait: u64,
    /// Flit-cycles of the packets that have left the buffer, or of which it is known when they do.
    occupancy: u64,
    most: u32,
    /// The packet that left the buffer last: its flits, and the cycle its room is released in.
    last_flits: u32,
    last_release: u64,
    /// A packet that has an output, but not yet the link: its flits and its arrival.
    held_flits: u32,
    held_since: u64,
    at_reset: LaneUse,
    reset_at: u64,
}

impl Meter {
    pub(super) const ZERO: Self = Self {
        busy_cycles: 0,
        blocked_cycles: 0,
        longest_wait: 0,
        occupancy: 0,
        most: 0,
        last_flits: 0,
        last_release: 0,
        held_flits: 0,
        held_since: 0,
        at_reset: LaneUse {
            busy_cycles: 0,
            blocked_cycles: 0,
            longest_wait_cycles: 0,
            occupancy_flit_cycles: 0,
            max_occupancy_flits: 0,
        },
        reset_at: 0,
    };

    /// A packet that arrived in `arrival` has an output, but not yet the link.
    pub(super) fn enter_crossbar(&mut self, arrival: u64, flits: u32) {
        self.held_flits = flits;
        self.held_since = arrival;
    }

    /// It has the link too, and its room will be released in `released_at`.
    pub(super) fn cross(&mut self, released_at: u64) {
        self.leave(self.held_flits, self.held_since, released_at);
        self.held_flits = 0;
    }

    #[cfg(debug_assertions)]
    pub(super) fn held_flits(&self) -> u32 {
        self.held_flits
    }

    /// The room of a packet will be released in `released_at`.
    #[inline]
    pub(super) fn leave(&mut self, flits: u32, arrival: u64, released_at: u64) {
        self.occupancy += u64::from(flits) * (released_at - arrival);
        self.last_flits = flits;
        self.last_release = released_at;
    }
}

impl Engine<'_> {
    /// The packet in front of a buffer is about to leave it; the one before has. The buffer was
    /// fullest just before that one's room was released.
    #[inline]
    pub(super) fn note_most(&mut self, inlet: u32) {
        let meter = &self.meters[inlet as usize];
        let at_most = meter.last_flits + self.inlets[inlet as usize].flits;
        if meter.last_release > meter.reset_at && at_most > meter.most {
            let flits = meter.last_flits + self.waiting_flits(inlet, meter.last_release - 1);
            let most = &mut self.meters[inlet as usize].most;
            *most = flits.max(*most);
        }
    }

    /// Flits of the packets in a buffer, without those that have an output, whose heads had arrived by
    /// the end of `cycle`.
    #[inline]
    fn waiting_flits(&self, inlet: u32, cycle: u64) -> u32 {
        let mut flits = 0;
        let mut number = self.inlets[inlet as usize].front;
        while number != NONE {
            let packet = &self.packets[number];
            if packet.at > cycle {
                break;
            }
            flits += packet.flits;
            number = packet.next;
        }
        flits
    }

    /// Sums since the beginning, and maxima since the last reset.
    fn lane_use_in_all(&self, lane: u32) -> LaneUse {
        let meter = &self.meters[lane as usize];
        if let Some(stream) = self.streams.get(lane as usize) {
            let content = self.content(lane);
            let to_come = stream
                .run
                .map_or(0, |run| run.end().saturating_sub(self.now));
            return LaneUse {
                busy_cycles: meter.busy_cycles - to_come,
                blocked_cycles: meter.blocked_cycles + self.stopped_cycles(lane),
                longest_wait_cycles: meter.longest_wait.max(self.longest_wait_now(lane)),
                occupancy_flit_cycles: content.sum,
                max_occupancy_flits: u32::try_from(content.most).unwrap_or(u32::MAX),
            };
        }
        let sender = &self.outlets[lane as usize];
        LaneUse {
            busy_cycles: meter.busy_cycles - sender.released_at.saturating_sub(self.now),
            blocked_cycles: meter.blocked_cycles + self.blocked_now(lane),
            longest_wait_cycles: meter.longest_wait.max(self.longest_wait_now(lane)),
            occupancy_flit_cycles: meter.occupancy + self.occupancy_now(lane)
                - u64::from(meter.last_flits) * meter.last_release.saturating_sub(self.now),
            max_occupancy_flits: meter.most.max(self.most_now(lane)),
        }
    }

    pub(super) fn lane_use_since_reset(&self, lane: u32) -> LaneUse {
        let LaneUse {
            busy_cycles,
            blocked_cycles,
            longest_wait_cycles,
            occupancy_flit_cycles,
            max_occupancy_flits,
        } = self.lane_use_in_all(lane);
        let before = &self.meters[lane as usize].at_reset;
        LaneUse {
            busy_cycles: busy_cycles - before.busy_cycles,
            blocked_cycles: blocked_cycles - before.blocked_cycles,
            longest_wait_cycles,
            occupancy_flit_cycles: occupancy_flit_cycles - before.occupancy_flit_cycles,
            max_occupancy_flits,
        }
    }

    pub(super) fn reset_lane_use(&mut self, lane: u32) {
        let at_reset = self.lane_use_in_all(lane);
        let meter = &mut self.meters[lane as usize];
        meter.at_reset = at_reset;
        meter.longest_wait = 0;
        if let Some(stream) = self.streams.get_mut(lane as usize) {
            stream.content = stream
                .content
                .through(&stream.arrivals, &stream.departures, self.now);
            stream.content.most = 0;
        }
        let meter = &mut self.meters[lane as usize];
        meter.most = 0;
        meter.reset_at = self.now;
    }

    /// Cycles before now for which the packet in front of a lane has been ready without room.
    fn blocked_now(&self, lane: u32) -> u64 {
        let sender = &self.outlets[lane as usize];
        let channel = &self.channels[self.channel_of(lane)];
        if sender.front == NONE || channel.target_host != NONE {
            return 0;
        }
        let packet = &self.packets[sender.front];
        let ready_at = packet.at.max(sender.released_at);
        let (mut room, mut room_at) = (sender.credits, 0);
        let mut credit = sender.first_credit;
        while room < packet.flits && credit != NONE {
            room += self.credits[credit].flits;
            room_at = self.credits[credit].at;
            credit = self.credits[credit].next;
        }
        let until = if room < packet.flits { NEVER } else { room_at };
        until.min(self.now).saturating_sub(ready_at)
    }

    fn longest_wait_now(&self, lane: u32) -> u64 {
        // Requests are in order of their cycles.
        let first = self.outlets[lane as usize].first_request;
        if first == NONE {
            return 0;
        }
        self.now - self.inlets[first as usize].asked_at
    }

    /// Flit-cycles before now of the packets still in a buffer.
    fn occupancy_now(&self, lane: u32) -> u64 {
        let meter = &self.meters[lane as usize];
        let mut sum = u64::from(meter.held_flits) * (self.now - meter.held_since.min(self.now));
        let mut number = self.inlets[lane as usize].front;
        while number != NONE {
            let packet = &self.packets[number];
            sum += u64::from(packet.flits) * self.now.saturating_sub(packet.at);
            number = packet.next;
        }
        sum
    }

    /// Most flits in a buffer at the end of the cycles before now, since the packet before the last
    /// left it.
    fn most_now(&self, lane: u32) -> u32 {
        let meter = &self.meters[lane as usize];
        if self.now <= meter.reset_at {
            return 0;
        }
        let last = self.now - 1;
        let after = meter.held_flits + self.waiting_flits(lane, last);
        if meter.last_release <= meter.reset_at {
            return after;
        }
        let with_last = (meter.last_release - 1).min(last);
        after.max(meter.last_flits + self.waiting_flits(lane, with_last))
    }
}
