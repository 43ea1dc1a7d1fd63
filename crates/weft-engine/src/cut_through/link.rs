//! On a link with credits: which lane's packet is sent next. Once it has started it never waits, so
//! everything that follows from it is known at once.

use super::Engine;
use super::event::Event;
use super::state::NONE;
use crate::queue::NEVER;

impl Engine<'_> {
    /// Gives a free link to the next lane in turn whose packet is ready and has room.
    pub(super) fn arbitrate(&mut self, channel: u32) {
        let state = &self.channels[channel as usize];
        if state.free_at > self.now || state.loaded == 0 {
            return;
        }
        // The lanes in turn: from the pointer on, then those before it.
        let before = state.loaded & ((1 << state.next_lane) - 1);
        for mut lanes in [state.loaded ^ before, before] {
            while lanes != 0 {
                #[expect(clippy::cast_possible_truncation, reason = "at most 16")]
                let lane = lanes.trailing_zeros() as u8;
                lanes &= lanes - 1;
                if self.try_to_send(channel, lane) {
                    return;
                }
            }
        }
    }

    fn try_to_send(&mut self, channel: u32, lane: u8) -> bool {
        let now = self.now;
        let outlet = self.lane_index(channel, lane);
        let sender = &self.outlets[outlet as usize];
        let packet = &self.packets[sender.front];
        let (flits, ready_at) = (packet.flits, packet.at.max(sender.released_at));
        if ready_at > now {
            return false;
        }
        if self.channels[channel as usize].target_host == NONE {
            let (has_room, since) = self.has_room(outlet, flits);
            if !has_room {
                return false;
            }
            self.meters[outlet as usize].blocked_cycles += since.saturating_sub(ready_at);
            self.outlets[outlet as usize].credits -= flits;
        }
        self.send(channel, lane);
        true
    }

    /// The packet in front of a lane leaves, from now on flit after flit.
    fn send(&mut self, channel: u32, lane: u8) {
        let now = self.now;
        let outlet = self.lane_index(channel, lane);
        let state = &mut self.channels[channel as usize];
        let sender = &mut self.outlets[outlet as usize];
        let number = sender.front;
        let packet = &mut self.packets[number];
        let flits = packet.flits;
        let cycles = u64::from(flits) * u64::from(state.cycles_per_flit);
        let (released_at, head_arrival) = (now + cycles, now + state.latency);

        state.free_at = released_at;
        state.next_lane = if lane + 1 == self.lane_count {
            0
        } else {
            lane + 1
        };
        sender.front = packet.next;
        if packet.next == NONE {
            state.loaded &= !(1 << lane);
        }
        // Earlier packets have been released.
        sender.room += sender.coming_room;
        sender.coming_room = flits;
        sender.released_at = released_at;
        self.meters[outlet as usize].busy_cycles += cycles;
        self.flits_started += u64::from(flits);

        let last_arrival = released_at - u64::from(state.cycles_per_flit) + state.latency;
        let target_host = state.target_host;
        let from = packet.inlet;
        if from == NONE {
            packet.injection_cycle = now;
            self.packets_injected += 1;
            self.packet_hops += 1;
        } else if !self.has_output_buffers {
            sender.crossbar_free_at = released_at;
            self.meters[from as usize].cross(released_at);
            self.release(from, flits, released_at);
        }
        if target_host == NONE {
            self.enter(outlet, number, head_arrival);
        } else {
            self.deliver(number, last_arrival);
        }
    }

    /// A packet is on its way to the buffer at the end of a lane.
    pub(super) fn enter(&mut self, inlet: u32, number: u32, head_arrival: u64) {
        let packet = &mut self.packets[number];
        packet.at = head_arrival;
        packet.next = NONE;
        let buffer = &mut self.inlets[inlet as usize];
        buffer.flits += packet.flits;
        if buffer.front == NONE {
            buffer.front = number;
            if buffer.released_at != NEVER {
                let ask_at = buffer.released_at.max(head_arrival + self.lookup_delay);
                self.queue.push(ask_at, Event::Request.at(inlet));
            }
        } else {
            self.packets[buffer.back].next = number;
        }
        self.inlets[inlet as usize].back = number;
    }

    /// Plans the next look at a channel, for the first cycle in which a grant or the link may be
    /// possible, as far as is known.
    pub(super) fn plan(&mut self, channel: u32) {
        let now = self.now;
        let state = &self.channels[channel as usize];
        let (mut asked, mut loaded) = (state.asked, state.loaded);
        let free_at = state.free_at;
        let has_credits = state.target_host == NONE;
        let mut next = NEVER;
        while asked != 0 {
            let lane = asked.trailing_zeros();
            asked &= asked - 1;
            let requested = &self.outlets[(channel << self.lane_bits | lane) as usize];
            if requested.crossbar_free_at > now {
                next = next.min(requested.crossbar_free_at);
            } else if requested.released_at > now {
                next = next.min(requested.released_at);
            }
        }
        while loaded != 0 {
            let lane = loaded.trailing_zeros();
            loaded &= loaded - 1;
            let outlet = channel << self.lane_bits | lane;
            let sender = &self.outlets[outlet as usize];
            let ready_at = free_at
                .max(self.packets[sender.front].at)
                .max(sender.released_at);
            if ready_at > now {
                next = next.min(ready_at);
            } else if has_credits {
                // Ready, the link free, and not sent: there is no room.
                match self.next_credit_at(outlet) {
                    Some(at) => next = next.min(at),
                    None => self.outlets[outlet as usize].is_starved = true,
                }
            }
        }
        let source = self.channels[channel as usize].source_host;
        if source != NONE {
            next = next.min(self.next_generation(source, channel));
        }
        self.look(channel, next);
    }

    /// Plans a look at a channel, unless an earlier one is planned.
    #[inline]
    pub(super) fn look(&mut self, channel: u32, at: u64) {
        let state = &mut self.channels[channel as usize];
        if at < NEVER && (at < state.look_at || state.look_at <= self.now) {
            state.look_at = at;
            self.queue.push(at, Event::Look.at(channel));
        }
    }
}
