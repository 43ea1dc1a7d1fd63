//! Credits: a packet is sent when its sender knows of room for it whole. Once it has started it never
//! waits, so everything that follows from it is known at once.
//!
//! A packet's room is given back at a cycle that is known as soon as it is granted an output, so
//! credits are entered ahead of time, and taken when the sender needs them.

use super::occupancy::Occupancy;
use crate::cut_through::event::Event;
use crate::cut_through::network::Network;
use crate::cut_through::switches::Grant;
use crate::ids::{CreditId, InletId, Maybe, OutletId, PacketId, Table};
use crate::linked_queue::{Linked, LinkedQueue};
use crate::queue::NEVER;
use crate::slab::Slab;
#[cfg(debug_assertions)]
use std::num::NonZeroU32;
use weft_fabric::ChannelId;
use weft_model::cut_through::{CutThroughModel, LaneUse};

/// What is known of room, and what was held.
#[derive(Debug)]
pub(crate) struct Credits {
    senders: Table<OutletId, Sender>,
    buffers: Table<InletId, Occupancy>,
    given_back: Slab<Credit, CreditId>,
    /// Flits that each buffer holds.
    buffer_flits: u32,
}

/// What the source of a lane knows of the buffer at its end.
#[derive(Clone, Debug)]
struct Sender {
    /// Room in flits, without the credits that were not needed yet.
    room: u32,
    /// Credits given back, by arrival.
    credits: LinkedQueue<CreditId>,
    /// The packet in front waits for a credit that is not given back yet.
    is_starved: bool,
}

/// Room given back to the source of a channel.
#[derive(Clone, Copy, Debug)]
struct Credit {
    /// Cycle in which the source knows of it.
    at: u64,
    flits: u32,
    /// The next credit of the same lane.
    next: Maybe<CreditId>,
}

impl Linked<CreditId> for Credit {
    #[inline]
    fn next(&self) -> Maybe<CreditId> {
        self.next
    }

    #[inline]
    fn set_next(&mut self, next: Maybe<CreditId>) {
        self.next = next;
    }
}

impl Sender {
    /// Takes the credits that have arrived until there is room for `flits`, tells whether there is,
    /// and since when if some were taken.
    #[inline]
    fn has_room(
        &mut self,
        flits: u32,
        now: u64,
        credits: &mut Slab<Credit, CreditId>,
    ) -> (bool, u64) {
        let mut since = 0;
        while self.room < flits
            && let Some(first) = self.credits.front()
            && credits[first].at <= now
        {
            self.room += credits[first].flits;
            since = credits[first].at;
            self.credits.pop(credits);
            credits.remove(first);
        }
        (self.room >= flits, since)
    }
}

impl Credits {
    /// All buffers are empty, and their senders know it.
    pub(super) fn new(model: &CutThroughModel, lanes: usize) -> Self {
        let sender = Sender {
            room: model.input_buffer_flits,
            credits: LinkedQueue::EMPTY,
            is_starved: false,
        };
        Self {
            senders: Table::of(sender, lanes),
            buffers: Table::of(Occupancy::default(), lanes),
            given_back: Slab::new(),
            buffer_flits: model.input_buffer_flits,
        }
    }

    /// A packet has the lane of an output: with output buffers it is known when it will have crossed.
    pub(super) fn grant(&mut self, network: &mut Network, grant: Grant) {
        let Grant {
            outlet,
            inlet,
            packet: number,
        } = grant;
        let crossbar = network.switches.crossbar;
        let cycles_in = network.channels[network.lanes.channel(inlet)].cycles_per_flit;
        let cycles_out = network.channels[network.lanes.channel(outlet)].cycles_per_flit;
        let is_slower = cycles_in > cycles_out;
        let packet = &network.packets[number];
        let (flits, arrival) = (packet.flits, packet.at);
        let buffer = &mut network.switches.inlets[inlet];
        self.buffers[inlet].note_most(flits, arrival, buffer, &network.packets);

        let first = network.clock.now() + crossbar.routing_delay;
        let others = u64::from(flits) - 1;
        let last_arrival = arrival + others * cycles_in;
        let packet = &mut network.packets[number];
        packet.inlet = inlet.into();
        let granted = &mut network.switches.outlets[outlet];
        if crossbar.has_output_buffers() {
            // Flits cross one every `crossbar` cycles, each if it has arrived.
            let cycles = crossbar.cycles_per_flit;
            let last = last_arrival.max(first + others * cycles);
            let released_at = last + cycles;
            packet.at = if is_slower {
                released_at
            } else {
                first + cycles
            };
            granted.crossbar_free_at = released_at;
            granted.room -= flits;
            self.buffers[inlet].leave(flits, arrival, released_at);
            self.release(network, inlet, flits, released_at);
        } else {
            packet.at = if is_slower {
                first.max(last_arrival)
            } else {
                first
            };
            granted.crossbar_free_at = NEVER;
            self.buffers[inlet].hold(flits, arrival);
        }
        network.load(outlet, number);
    }

    /// A packet's room in an input buffer is released in `cycle`, its last flit having crossed.
    fn release(&mut self, network: &mut Network, inlet: InletId, flits: u32, cycle: u64) {
        if let Some(ask_at) = network.release(inlet, cycle) {
            network.clock.plan(ask_at, Event::Request(inlet));
        }
        let outlet = inlet.near_end();
        let channel = network.lanes.channel(outlet);
        let at = cycle + network.channels[channel].flight;
        if self.give_back(outlet, flits, at) {
            network.clock.look(channel, at);
        }
    }

    /// Room that the source of a lane will know of in cycle `at`; tells whether it waits for it.
    fn give_back(&mut self, outlet: OutletId, flits: u32, at: u64) -> bool {
        let credit = self.given_back.insert(Credit {
            at,
            flits,
            next: Maybe::NONE,
        });
        let sender = &mut self.senders[outlet];
        sender.credits.push(credit, &mut self.given_back);
        std::mem::take(&mut sender.is_starved)
    }

    /// Uses the link of a channel, if it can be, and plans the next look at it.
    pub(super) fn serve(&mut self, network: &mut Network, channel: ChannelId) {
        self.arbitrate(network, channel);
        let next = self.next_look(network, channel);
        network.clock.look(channel, next);
        #[cfg(debug_assertions)]
        self.assert_conserved(network, channel);
    }

    /// Gives a free link to the next lane in turn whose packet is ready and has room.
    fn arbitrate(&mut self, network: &mut Network, channel: ChannelId) {
        let now = network.clock.now();
        let state = &network.channels[channel];
        if state.free_at > now || state.loaded.is_empty() {
            return;
        }
        let leads_to_host = state.leads_to_host();
        for lane in state.loaded_in_turn() {
            let outlet = network.lanes.outlet(channel, lane);
            if let Some(front) = front(network, outlet)
                && front.ready_at <= now
                && (leads_to_host || self.take_room(network, outlet, &front))
            {
                self.send(network, channel, outlet, &front);
                return;
            }
        }
    }

    /// Takes the room that the packet in front of a lane, which is ready, needs at the end of the
    /// channel, if there is so much.
    #[inline]
    fn take_room(&mut self, network: &mut Network, outlet: OutletId, front: &Front) -> bool {
        let sender = &mut self.senders[outlet];
        let now = network.clock.now();
        let (has_room, since) = sender.has_room(front.flits, now, &mut self.given_back);
        if has_room {
            sender.room -= front.flits;
            if since > front.ready_at {
                network.meters.block(outlet, since - front.ready_at);
            }
        }
        has_room
    }

    /// The packet in front of a lane leaves, from now on flit after flit.
    #[inline]
    fn send(&mut self, network: &mut Network, channel: ChannelId, outlet: OutletId, front: &Front) {
        let &Front {
            packet,
            from,
            flits,
            ..
        } = front;
        let now = network.clock.now();
        let crossbar = network.switches.crossbar;
        let lane = network.lanes.lane(outlet);
        let state = &mut network.channels[channel];
        let sender = &mut network.switches.outlets[outlet];
        let cycles = u64::from(flits) * state.cycles_per_flit;
        let (released_at, head_arrival) = (now + cycles, now + state.latency);

        state.free_at = released_at;
        state.serve(lane, network.lanes);
        let is_buffered = crossbar.has_output_buffers() && from.is_some();
        let freed = if is_buffered { flits } else { 0 };
        if !sender.send(freed, released_at, &network.packets) {
            state.loaded.remove(lane);
        }
        network.meters.send(outlet, flits.into(), cycles);

        let last_arrival = released_at - state.cycles_per_flit + state.latency;
        let leads_to_host = state.leads_to_host();
        match from.get() {
            None => network.inject(packet),
            Some(from) if !is_buffered => {
                sender.crossbar_free_at = released_at;
                self.buffers[from].let_go(released_at);
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

    /// The first cycle in which a grant or the link of a channel may be possible, as far as is known.
    fn next_look(&mut self, network: &Network, channel: ChannelId) -> u64 {
        let now = network.clock.now();
        let state = &network.channels[channel];
        let mut next = NEVER;
        for lane in state.asked {
            let requested = &network.switches.outlets[network.lanes.outlet(channel, lane)];
            if requested.crossbar_free_at > now {
                next = next.min(requested.crossbar_free_at);
            } else if requested.released_at > now {
                next = next.min(requested.released_at);
            }
        }
        for lane in state.loaded {
            if next <= state.free_at {
                // No lane has the link sooner.
                break;
            }
            let outlet = network.lanes.outlet(channel, lane);
            let Some(front) = front(network, outlet) else {
                continue;
            };
            let ready_at = front.ready_at.max(state.free_at);
            if ready_at > now {
                next = next.min(ready_at);
            } else if !state.leads_to_host() {
                // Ready, the link free, and not sent: there is no room.
                let sender = &mut self.senders[outlet];
                match sender.credits.front() {
                    Some(credit) => next = next.min(self.given_back[credit].at),
                    None => sender.is_starved = true,
                }
            }
        }
        match state.source_host.get() {
            Some(host) => next.min(network.next_generation(host, channel)),
            None => next,
        }
    }

    /// Flits taken of the buffer at the end of a lane, as far as its source knows.
    pub(super) fn taken(&self, outlet: OutletId, now: u64) -> u32 {
        let sender = &self.senders[outlet];
        let credits = sender.credits.iter(&self.given_back);
        let arrived = credits.take_while(|credit| credit.at <= now);
        self.buffer_flits - sender.room - arrived.map(|credit| credit.flits).sum::<u32>()
    }

    /// How a lane was used: sums since the beginning, and maxima since the last reset.
    pub(super) fn lane_use(&self, network: &Network, outlet: OutletId) -> LaneUse {
        let now = network.clock.now();
        let sender = &network.switches.outlets[outlet];
        let inlet = outlet.far_end();
        let (buffer, packets) = (&network.switches.inlets[inlet], &network.packets);
        let counted = network.meters.counted(outlet);
        let occupancy = &self.buffers[inlet];
        LaneUse {
            busy_cycles: counted.busy_cycles - sender.released_at.saturating_sub(now),
            blocked_cycles: counted.blocked_cycles + self.blocked_now(network, outlet),
            occupancy_flit_cycles: occupancy.flit_cycles(buffer, packets, now),
            max_occupancy_flits: occupancy.most(buffer, packets, now),
            ..counted
        }
    }

    /// Counts the maximum of a buffer anew.
    pub(super) fn reset(&mut self, inlet: InletId, now: u64) {
        self.buffers[inlet].reset(now);
    }

    /// Cycles before now for which the packet in front of a lane has been ready without room.
    fn blocked_now(&self, network: &Network, outlet: OutletId) -> u64 {
        let channel = &network.channels[network.lanes.channel(outlet)];
        let front = front(network, outlet).filter(|_| !channel.leads_to_host());
        let Some(Front {
            flits, ready_at, ..
        }) = front
        else {
            return 0;
        };
        let sender = &self.senders[outlet];
        let (mut room, mut room_at) = (sender.room, 0);
        for credit in sender.credits.iter(&self.given_back) {
            if room >= flits {
                break;
            }
            room += credit.flits;
            room_at = credit.at;
        }
        let until = if room < flits { NEVER } else { room_at };
        until.min(network.clock.now()).saturating_sub(ready_at)
    }

    /// Whether the packet in front of a lane is ready, there is no room for it at the end of the channel,
    /// and none is given back.
    pub(super) fn is_kept_back(&self, network: &Network, outlet: OutletId) -> bool {
        let sender = &self.senders[outlet];
        let leads_to_host = network.channels[network.lanes.channel(outlet)].leads_to_host();
        front(network, outlet).is_some_and(|front| {
            let is_ready = front.ready_at <= network.clock.now();
            is_ready && !leads_to_host && sender.credits.is_empty() && sender.room < front.flits
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
            let room_at_last = network.switches.outlets[outlet].room_at_last();
            assert!(
                room_at_last <= output_buffer.map_or(0, NonZeroU32::get),
                "{outlet:?} has room for {room_at_last} flits"
            );
            let sender = &self.senders[outlet];
            let (mut free, mut coming, mut taken) = (sender.room, 0, 0);
            for credit in sender.credits.iter(&self.given_back) {
                if credit.at <= now {
                    free += credit.flits;
                } else if credit.at - state.flight <= now {
                    coming += credit.flits;
                } else {
                    taken += credit.flits;
                }
            }
            let inlet = outlet.far_end();
            let waiting = network.switches.inlets[inlet].waiting(&network.packets);
            taken += waiting.map(|packet| packet.flits).sum::<u32>();
            taken += self.buffers[inlet].held_flits;
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
fn front(network: &Network, outlet: OutletId) -> Option<Front> {
    let sender = &network.switches.outlets[outlet];
    let number = sender.packets.front()?;
    let packet = &network.packets[number];
    Some(Front {
        packet: number,
        from: packet.inlet,
        flits: packet.flits,
        ready_at: packet.at.max(sender.released_at),
    })
}
