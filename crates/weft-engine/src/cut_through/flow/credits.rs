//! Credits: a packet is sent when its sender knows of room for it whole. Once it has started it never
//! waits, so everything that follows from it is known at once.
//!
//! A packet's room is given back at a cycle that is known as soon as it is granted an output, so
//! credits are entered ahead of time, and taken when the sender needs them.

use crate::cut_through::event::Event;
use crate::cut_through::far_room::{FarRoom, GivenBack};
use crate::cut_through::network::Network;
use crate::cut_through::packet_state::Packets;
use crate::cut_through::switches::{Grant, Outlet};
use crate::ids::{InletId, Maybe, OutletId, PacketId};
use crate::queue::NEVER;
#[cfg(debug_assertions)]
use std::num::NonZeroU32;
use weft_fabric::ChannelId;
use weft_model::cut_through::{CutThroughModel, LaneUse};
use weft_routing::Lane;

/// What is known of room, beside what is kept at both ends of each lane.
#[derive(Debug)]
pub(crate) struct Credits {
    /// Credits on their way that are not the next of their lanes.
    given_back: GivenBack,
    /// Flits that each buffer holds.
    buffer_flits: u32,
    /// Maxima are counted from this cycle on.
    reset_at: u64,
}

impl Credits {
    /// All buffers are empty, and their senders know it.
    pub(super) fn new(model: &CutThroughModel) -> Self {
        Self {
            given_back: GivenBack::new(),
            buffer_flits: model.input_buffer_flits,
            reset_at: 0,
        }
    }

    /// A packet has the lane of an output: with output buffers it is known when it will have crossed.
    pub(super) fn grant(&mut self, network: &mut Network, grant: Grant) {
        let Grant {
            outlet,
            inlet,
            packet: number,
        } = grant;
        let now = network.clock.now();
        let packets = &mut network.packets;
        let switches = &mut network.switches;
        let crossbar = switches.crossbar;
        let from = &mut switches.inlets[inlet];
        let state = &mut network.channels[network.lanes.channel(outlet)];
        let is_slower = from.cycles_per_flit > state.cycles_per_flit;
        let (flits, arrival) = (packets[number].flits, packets[number].at);
        from.note_most(flits, arrival, self.reset_at, packets);

        let first = now + crossbar.routing_delay;
        let others = u64::from(flits) - 1;
        let last_arrival = arrival + others * u64::from(from.cycles_per_flit);
        let granted = &mut switches.outlets[outlet];
        let (ready_at, released_at) = if crossbar.has_output_buffers() {
            // Flits cross one every `crossbar` cycles, each if it has arrived.
            let cycles = crossbar.cycles_per_flit;
            let last = last_arrival.max(first + others * cycles);
            let released_at = last + cycles;
            granted.crossbar_free_at = released_at;
            granted.room -= flits;
            from.held.leave(flits, arrival, released_at);
            let ready_at = if is_slower {
                released_at
            } else {
                first + cycles
            };
            (ready_at, Some(released_at))
        } else {
            granted.crossbar_free_at = NEVER;
            from.held.hold(flits, arrival);
            let ready_at = if is_slower {
                first.max(last_arrival)
            } else {
                first
            };
            (ready_at, None)
        };
        let packet = &mut packets[number];
        packet.inlet = inlet.into();
        packet.at = ready_at;
        if granted.packets.push(number, packets) {
            state.loaded.insert(network.lanes.lane(outlet));
        }
        if let Some(released_at) = released_at {
            self.release(network, inlet, flits, released_at);
        }
    }

    /// A packet's room in an input buffer is released in `cycle`, its last flit having crossed.
    #[inline]
    fn release(&mut self, network: &mut Network, inlet: InletId, flits: u32, cycle: u64) {
        let switches = &mut network.switches;
        let from = &mut switches.inlets[inlet];
        let lookup_delay = switches.crossbar.lookup_delay;
        if let Some(ask_at) = from.release(cycle, lookup_delay, &network.packets) {
            network.clock.plan(ask_at, Event::Request(inlet));
        }
        let at = cycle + u64::from(from.flight);
        let outlet = inlet.near_end();
        let sender = &mut switches.outlets[outlet];
        let settled = sender.released_at.min(network.clock.now());
        let given_back = &mut self.given_back;
        if sender.far_room.give_back(flits, at, settled, given_back) {
            network.look(network.lanes.channel(outlet), at);
        }
    }

    /// Uses the link of a channel, if it can be, and plans the next look at it.
    pub(super) fn serve(&mut self, network: &mut Network, channel: ChannelId) {
        self.arbitrate(network, channel);
        let next = next_grant(network, channel).min(next_link(network, channel));
        network.look(channel, next);
        #[cfg(debug_assertions)]
        self.assert_conserved(network, channel);
    }

    /// Gives a free link to the next lane in turn whose packet is ready and has room.
    #[inline]
    fn arbitrate(&mut self, network: &mut Network, channel: ChannelId) {
        let now = network.clock.now();
        let state = &network.channels[channel];
        if state.free_at > now {
            return;
        }
        let leads_to_host = state.leads_to_host();
        for lane in state.loaded_in_turn() {
            let outlet = network.lanes.outlet(channel, lane);
            let sender = &mut network.switches.outlets[outlet];
            if let Some(front) = front(sender, &network.packets)
                && front.ready_at <= now
                && (leads_to_host || self.take_room(sender, &front, now))
            {
                self.send(network, channel, lane, &front);
                return;
            }
        }
    }

    /// Takes the room that the packet in front of a lane, which is ready, needs at the end of the
    /// channel, if there is so much.
    #[inline]
    fn take_room(&mut self, sender: &mut Outlet, front: &Front, now: u64) -> bool {
        let far_room = &mut sender.far_room;
        let (has_room, since) = far_room.has_room(front.flits, now, &mut self.given_back);
        if has_room {
            far_room.occupy(front.flits);
            sender.meter.blocked_cycles += since.saturating_sub(front.ready_at);
        }
        has_room
    }

    /// The packet in front of a lane leaves, from now on flit after flit.
    #[inline]
    fn send(&mut self, network: &mut Network, channel: ChannelId, lane: Lane, front: &Front) {
        let &Front {
            packet,
            from,
            flits,
            ..
        } = front;
        let now = network.clock.now();
        let crossbar = network.switches.crossbar;
        let outlet = network.lanes.outlet(channel, lane);
        let state = &mut network.channels[channel];
        let sender = &mut network.switches.outlets[outlet];
        let cycles_per_flit = u64::from(state.cycles_per_flit);
        let cycles = u64::from(flits) * cycles_per_flit;
        let (released_at, head_arrival) = (now + cycles, now + state.latency);

        state.free_at = released_at;
        state.serve(lane, network.lanes);
        let is_buffered = crossbar.has_output_buffers() && from.is_some();
        let freed = if is_buffered { flits } else { 0 };
        if !sender.send(freed, released_at, &network.packets) {
            state.loaded.remove(lane);
        }
        network.meters.flits_started += u64::from(flits);
        sender.meter.busy_cycles += cycles;

        let last_arrival = released_at - cycles_per_flit + state.latency;
        let leads_to_host = state.leads_to_host();
        match from.get() {
            None => network.inject(packet),
            Some(from) if !is_buffered => {
                sender.crossbar_free_at = released_at;
                network.switches.inlets[from].held.let_go(released_at);
                self.release(network, from, flits, released_at);
            }
            Some(_) => {}
        }
        if leads_to_host {
            network.deliver(packet, last_arrival);
        } else {
            network.enter(outlet.far_end(), packet, head_arrival);
        }
    }

    /// Flits taken of the buffer at the end of a lane, as far as its source knows.
    pub(super) fn taken(&self, _: OutletId, far_room: &FarRoom, now: u64) -> u32 {
        let credits = far_room.credits(&self.given_back);
        let arrived = credits.take_while(|&(at, _)| at <= now);
        self.buffer_flits - far_room.room() - arrived.map(|(_, flits)| flits).sum::<u32>()
    }

    /// How a lane was used: sums since the beginning, and maxima since the last reset.
    pub(super) fn lane_use(&self, network: &Network, outlet: OutletId) -> LaneUse {
        let now = network.clock.now();
        let sender = &network.switches.outlets[outlet];
        let inlet = outlet.far_end();
        let buffer = &network.switches.inlets[inlet];
        let waiting = || buffer.waiting(&network.packets);
        let counted = sender.meter.counted();
        LaneUse {
            busy_cycles: counted.busy_cycles - sender.released_at.saturating_sub(now),
            blocked_cycles: counted.blocked_cycles + self.blocked_now(network, outlet),
            occupancy_flit_cycles: buffer.held.flit_cycles(waiting(), now),
            max_occupancy_flits: buffer.held.most(&waiting(), self.reset_at, now),
            ..counted
        }
    }

    /// Counts the maxima of buffers anew.
    pub(super) fn reset(&mut self, network: &mut Network) {
        self.reset_at = network.clock.now();
        for inlet in network.switches.inlets.ids() {
            network.switches.inlets[inlet].held.reset();
        }
    }

    /// Cycles before now for which the packet in front of a lane has been ready without room.
    fn blocked_now(&self, network: &Network, outlet: OutletId) -> u64 {
        let channel = &network.channels[network.lanes.channel(outlet)];
        let sender = &network.switches.outlets[outlet];
        let front = front(sender, &network.packets).filter(|_| !channel.leads_to_host());
        let Some(Front {
            flits, ready_at, ..
        }) = front
        else {
            return 0;
        };
        let (mut room, mut room_at) = (sender.far_room.room(), 0);
        for (at, credit) in sender.far_room.credits(&self.given_back) {
            if room >= flits {
                break;
            }
            room += credit;
            room_at = at;
        }
        let until = if room < flits { NEVER } else { room_at };
        until.min(network.clock.now()).saturating_sub(ready_at)
    }

    /// Whether the packet in front of a lane is ready, there is no room for it at the end of the channel,
    /// and none is given back.
    #[expect(clippy::unused_self, reason = "asked of either kind of flow control")]
    pub(super) fn is_kept_back(&self, network: &Network, outlet: OutletId) -> bool {
        let sender = &network.switches.outlets[outlet];
        let leads_to_host = network.channels[network.lanes.channel(outlet)].leads_to_host();
        front(sender, &network.packets).is_some_and(|front| {
            let is_ready = front.ready_at <= network.clock.now();
            is_ready && !leads_to_host && sender.far_room.is_short_of(front.flits)
        })
    }

    /// All room of a buffer is where it can be: known to the sender, given back, taken by a packet.
    /// Room that is lost stays lost, so it is enough to look now and then.
    #[cfg(debug_assertions)]
    fn assert_conserved(&self, network: &Network, channel: ChannelId) {
        let (state, now) = (&network.channels[channel], network.clock.now());
        if state.leads_to_host() || !now.is_multiple_of(61) {
            return;
        }
        let output_buffer = network.switches.crossbar.output_buffer;
        for outlet in network.lanes.outlets(channel) {
            let sender = &network.switches.outlets[outlet];
            let room_at_last = sender.room_at_last();
            assert!(
                room_at_last <= output_buffer.map_or(0, NonZeroU32::get),
                "{outlet:?} has room for {room_at_last} flits"
            );
            let buffer = &network.switches.inlets[outlet.far_end()];
            let (mut free, mut coming, mut taken) = (sender.far_room.room(), 0, 0);
            for (at, credit) in sender.far_room.credits(&self.given_back) {
                if at <= now {
                    free += credit;
                } else if at - u64::from(buffer.flight) <= now {
                    coming += credit;
                } else {
                    taken += credit;
                }
            }
            let waiting = buffer.waiting(&network.packets);
            taken += waiting.map(|packet| packet.flits).sum::<u32>();
            taken += buffer.held.held_flits;
            assert_eq!(
                free + coming + taken,
                self.buffer_flits,
                "room of {outlet:?} at {now}: {free} free, {coming} coming, {taken} taken"
            );
        }
    }
}

/// A packet in front of a lane.
struct Front {
    packet: PacketId,
    /// The inlet it came by; none at its source.
    from: Maybe<InletId>,
    flits: u32,
    /// The first cycle in which it is ready.
    ready_at: u64,
}

/// The packet in front of a lane, if there is one.
#[inline]
fn front(sender: &Outlet, packets: &Packets) -> Option<Front> {
    let number = sender.packets.front()?;
    let packet = &packets[number];
    Some(Front {
        packet: number,
        from: packet.inlet,
        flits: packet.flits,
        ready_at: packet.at.max(sender.released_at),
    })
}

/// The first cycle in which a lane of a channel may be granted to a packet that asks, as far as is known.
#[inline]
fn next_grant(network: &Network, channel: ChannelId) -> u64 {
    let now = network.clock.now();
    let mut next = NEVER;
    for lane in network.channels[channel].asked {
        let requested = &network.switches.outlets[network.lanes.outlet(channel, lane)];
        if requested.crossbar_free_at > now {
            next = next.min(requested.crossbar_free_at);
        } else if requested.released_at > now {
            next = next.min(requested.released_at);
        }
    }
    next
}

/// The first cycle in which the link of a channel may be used, as far as is known.
#[inline]
fn next_link(network: &mut Network, channel: ChannelId) -> u64 {
    let now = network.clock.now();
    let state = &network.channels[channel];
    let mut next = NEVER;
    for lane in state.loaded {
        if next <= state.free_at {
            // No lane has the link sooner.
            break;
        }
        let sender = &mut network.switches.outlets[network.lanes.outlet(channel, lane)];
        let Some(front) = front(sender, &network.packets) else {
            continue;
        };
        let ready_at = front.ready_at.max(state.free_at);
        if ready_at > now {
            next = next.min(ready_at);
        } else if !state.leads_to_host() {
            // Ready, the link free, and not sent: there is no room.
            next = next.min(sender.far_room.wait());
        }
    }
    match state.source_host.get() {
        Some(host) => next.min(network.next_generation(host, channel)),
        None => next,
    }
}
