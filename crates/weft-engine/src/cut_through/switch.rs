//! In a switch: packets in front of input buffers ask for outputs, and outputs are granted.

use super::Engine;
use super::choices::Guide;
use super::event::Event;
use super::state::NONE;
use crate::queue::NEVER;
use weft_fabric::{PortNumber, SwitchId};
use weft_routing::{Entry, Lane};

impl Engine<'_> {
    /// The packet in front of an input buffer asks for an output.
    pub(super) fn request(&mut self, inlet: u32) {
        let now = self.now;
        let Guide::Fixed(forwarding) = &self.guide else {
            return self.ask_for_any(inlet);
        };
        let lane = Lane::new(self.lane_of(inlet));
        let came_by = &self.channels[self.channel_of(inlet)];
        let packet = &mut self.packets[self.inlets[inlet as usize].front];
        let entry = Entry {
            switch: SwitchId::new(came_by.target_switch),
            port: PortNumber::new(came_by.target_port),
            lane,
        };
        let (port, lane) = forwarding.next(&packet.header, entry, packet.switches.into());
        packet.switches += 1;
        let flits = packet.flits;
        let row = came_by.target_switch as usize * self.ports_per_switch;
        let channel = self.port_channels[row + port.index()];
        let outlet = self.lane_index(channel, lane.number());
        let requested = &mut self.outlets[outlet as usize];
        requested.too_little_room = requested.too_little_room.min(flits - 1);
        let inlet_state = &mut self.inlets[inlet as usize];
        inlet_state.asked_at = now;
        inlet_state.outlet = outlet;
        self.join_requests(outlet, inlet);
        let channel_state = &mut self.channels[channel as usize];
        channel_state.asked |= 1 << lane.number();
        self.contest(channel);
    }

    /// Requests are in order of their cycles, those of one cycle of input port, then lane.
    fn join_requests(&mut self, outlet: u32, inlet: u32) {
        self.inlets[inlet as usize].next_request = NONE;
        let last = self.outlets[outlet as usize].last_request;
        if last == NONE {
            let requests = &mut self.outlets[outlet as usize];
            requests.first_request = inlet;
            requests.last_request = inlet;
            return;
        }
        if self.rank(last) < self.rank(inlet) {
            self.inlets[last as usize].next_request = inlet;
            self.outlets[outlet as usize].last_request = inlet;
            return;
        }
        let rank = self.rank(inlet);
        let mut before = NONE;
        let mut after = self.outlets[outlet as usize].first_request;
        while self.rank(after) < rank {
            before = after;
            after = self.inlets[after as usize].next_request;
        }
        self.inlets[inlet as usize].next_request = after;
        if before == NONE {
            self.outlets[outlet as usize].first_request = inlet;
        } else {
            self.inlets[before as usize].next_request = inlet;
        }
    }

    /// What orders requests.
    #[inline]
    pub(super) fn rank(&self, inlet: u32) -> (u64, u8, u8) {
        let port = self.channels[self.channel_of(inlet)].target_port;
        (
            self.inlets[inlet as usize].asked_at,
            port,
            self.lane_of(inlet),
        )
    }

    /// Grants a free lane of an output to the first request whose packet fits.
    pub(super) fn grant(&mut self, outlet: u32) {
        let now = self.now;
        if self.outlets[outlet as usize].crossbar_free_at > now {
            return;
        }
        self.add_room(outlet);
        let requested = &self.outlets[outlet as usize];
        let room = requested.room;
        if self.has_output_buffers && room <= requested.too_little_room {
            return;
        }
        let mut before = NONE;
        let mut inlet = requested.first_request;
        while inlet != NONE {
            let asking = &self.inlets[inlet as usize];
            if !self.has_output_buffers || self.packets[asking.front].flits <= room {
                self.leave_requests(outlet, before, inlet);
                self.take(outlet, inlet);
                return;
            }
            before = inlet;
            inlet = asking.next_request;
        }
        self.outlets[outlet as usize].too_little_room = room;
    }

    /// Room in an output buffer that was released by now is added to the rest.
    #[inline]
    pub(super) fn add_room(&mut self, outlet: u32) {
        let sender = &mut self.outlets[outlet as usize];
        if sender.released_at <= self.now {
            sender.room += sender.coming_room;
            sender.coming_room = 0;
        }
    }

    fn leave_requests(&mut self, outlet: u32, before: u32, inlet: u32) {
        let after = self.inlets[inlet as usize].next_request;
        let requests = &mut self.outlets[outlet as usize];
        if before == NONE {
            requests.first_request = after;
        } else {
            self.inlets[before as usize].next_request = after;
        }
        if after == NONE {
            requests.last_request = before;
        }
        if requests.first_request == NONE {
            let (channel, lane) = (self.channel_of(outlet), self.lane_of(outlet));
            self.channels[channel].asked &= !(1 << lane);
        }
    }

    /// An output takes the packet in front of an input buffer.
    #[inline]
    pub(super) fn take(&mut self, outlet: u32, inlet: u32) {
        self.note_most(inlet);
        let now = self.now;
        let taken = &mut self.inlets[inlet as usize];
        let wait = now - taken.asked_at;
        let packet = taken.front;
        taken.front = self.packets[packet].next;
        taken.flits -= self.packets[packet].flits;
        taken.asked_at = NEVER;
        taken.released_at = NEVER;
        self.packet_hops += 1;
        let meter = &mut self.meters[outlet as usize];
        meter.longest_wait = meter.longest_wait.max(wait);

        let first = now + self.routing_delay;
        let cycles_in = self.channels[self.channel_of(inlet)].cycles_per_flit;
        let is_slower = cycles_in > self.channels[self.channel_of(outlet)].cycles_per_flit;
        let state = &mut self.packets[packet];
        let flits = u64::from(state.flits);
        let last_arrival = state.at + (flits - 1) * u64::from(cycles_in);
        state.next = NONE;
        state.inlet = inlet;
        if !self.streams.is_empty() {
            self.take_in_runs(outlet, inlet, packet, first);
        } else if self.has_output_buffers {
            // Flits cross one every `crossbar` cycles, each if it has arrived.
            let last = last_arrival.max(first + (flits - 1) * self.crossbar);
            let (arrival, flits, released_at) = (state.at, state.flits, last + self.crossbar);
            state.at = if is_slower {
                released_at
            } else {
                first + self.crossbar
            };
            let granted = &mut self.outlets[outlet as usize];
            granted.crossbar_free_at = released_at;
            granted.room -= flits;
            self.meters[inlet as usize].leave(flits, arrival, released_at);
            self.release(inlet, flits, released_at);
        } else {
            self.outlets[outlet as usize].crossbar_free_at = NEVER;
            self.meters[inlet as usize].enter_crossbar(state.at, state.flits);
            state.at = if is_slower {
                first.max(last_arrival)
            } else {
                first
            };
        }
        self.load(outlet, packet);
    }

    /// With stop & go it is not known when the packet will have crossed.
    fn take_in_runs(&mut self, outlet: u32, inlet: u32, number: u32, first: u64) {
        let packet = &mut self.packets[number];
        let flits = packet.flits;
        let granted = &mut self.outlets[outlet as usize];
        granted.crossbar_free_at = NEVER;
        if self.has_output_buffers {
            granted.room -= flits;
            packet.at = first + self.crossbar;
        } else {
            packet.at = first;
        }
        self.granted(inlet, number, flits, first);
    }

    /// A packet's room in an input buffer is released in `cycle`, its last flit having crossed.
    pub(super) fn release(&mut self, inlet: u32, flits: u32, cycle: u64) {
        let buffer = &mut self.inlets[inlet as usize];
        buffer.released_at = cycle;
        let next = buffer.front;
        if next != NONE {
            let ask_at = cycle.max(self.packets[next].at + self.lookup_delay);
            self.queue.push(ask_at, Event::Request.at(inlet));
        }
        let flight = u64::from(self.channels[self.channel_of(inlet)].flight);
        self.give_back(inlet, flits, cycle + flight);
    }

    /// A packet joins the queue of a lane of an output, or of a host.
    #[inline]
    pub(super) fn load(&mut self, outlet: u32, packet: u32) {
        let queue = &mut self.outlets[outlet as usize];
        if queue.front == NONE {
            queue.front = packet;
            let (channel, lane) = (self.channel_of(outlet), self.lane_of(outlet));
            self.channels[channel].loaded |= 1 << lane;
        } else {
            self.packets[queue.back].next = packet;
        }
        self.outlets[outlet as usize].back = packet;
    }
}
