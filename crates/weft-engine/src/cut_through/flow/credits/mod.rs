//! Credits: a packet is sent when its sender knows of room for it whole. Once it has started it never
//! waits, so everything that follows from it is known at once.
//!
//! A packet's room is given back at a cycle that is known as soon as it is granted an output, so
//! credits are entered ahead of time, and taken when the sender needs them.

mod changing;
mod measures;
mod passing;

use super::{grant_all, next_grant};
use crate::cut_through::borders::{Arriving, Returning};
use crate::cut_through::channel_state::Channel;
use crate::cut_through::event::Event;
use crate::cut_through::far_room::{FarRoom, GivenBack};
use crate::cut_through::lane_use::Meters;
use crate::cut_through::network::Network;
use crate::cut_through::packet_state::Packets;
use crate::cut_through::setting::{Changing, Setting};
use crate::cut_through::switches::{Grant, Outlet};
use crate::ids::{InletId, Maybe, OutletId, PacketId, Table};
use crate::queue::NEVER;
pub(super) use measures::grants_to_come;
use weft_fabric::ChannelId;
use weft_model::LossCause;
use weft_model::cut_through::CutThroughModel;
use weft_routing::Lane;

/// What is known of room, beside what is kept at both ends of each lane.
#[derive(Debug)]
pub(crate) struct Credits {
    /// The cycle from which on the packet in front of each lane is ready and has room, where several are loaded and
    /// that is `known`: nothing changes it until the packet is sent. It is `NEVER` while too few credits are given
    /// back. Those of a channel lie together, so that lanes that wait are passed over by a look at one cache line.
    open_at: Table<OutletId, u64>,
    /// Credits on their way that are not the next of their lanes.
    given_back: GivenBack,
    /// Flits that each buffer holds.
    buffer_flits: u32,
    /// Maxima are counted from this cycle on.
    reset_at: u64,
}

impl Credits {
    /// All buffers are empty, and their senders know it. So many lanes take turns with others.
    pub(super) fn new(model: &CutThroughModel, lanes_in_turn: usize) -> Self {
        Self {
            open_at: Table::of(NEVER, lanes_in_turn),
            given_back: GivenBack::new(),
            buffer_flits: model.input_buffer_flits,
            reset_at: 0,
        }
    }

    /// What is kept here of all channels.
    pub(super) fn bytes_of_channels(&self) -> usize {
        self.open_at.len() * size_of::<u64>()
    }

    /// Does what is possible at the source of a channel now, and plans the next look at it.
    pub(crate) fn resolve<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        if !self.pass::<S>(network, channel) {
            grant_all(network, channel, |network, grant| {
                self.grant::<S>(network, grant);
            });
            self.serve::<S>(network, channel);
        }
    }

    /// A packet has the lane of an output: with output buffers it is known when it will have crossed.
    pub(super) fn grant<S: Setting>(&mut self, network: &mut Network, grant: Grant) {
        let Grant {
            outlet,
            inlet,
            packet: number,
            at,
            wait,
        } = grant;
        let packets = &mut network.packets;
        let switches = &mut network.switches;
        let crossbar = switches.crossbar;
        let from = &mut switches.inlets[inlet];
        let state = &mut network.channels[network.lanes.channel(outlet)];
        let is_slower = from.cycles_per_flit > state.cycles_per_flit;
        let (flits, arrival) = (packets[number].flits, packets[number].at);
        from.note_most(flits, arrival, self.reset_at, packets);

        let first = at + crossbar.routing_delay;
        let granted = &mut switches.outlets[outlet];
        let (ready_at, released_at) = if crossbar.has_output_buffers() {
            let cycles = crossbar.cycles_per_flit;
            let released_at = crossbar.released_at(at, flits, from.last_arrival(flits, arrival));
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
            from.hold(flits, arrival);
            let ready_at = if is_slower {
                first.max(from.last_arrival(flits, arrival))
            } else {
                first
            };
            (ready_at, None)
        };
        let packet = &mut packets[number];
        packet.inlet = inlet.into();
        packet.at = ready_at;
        if crossbar.foresight > 0 {
            packet.wait = wait;
        }
        if granted.packets.push(number, packets) {
            state.loaded.insert(network.lanes.lane(outlet));
        }
        if let Some(released_at) = released_at {
            self.release::<S>(network, inlet, flits, released_at);
        }
    }

    /// A packet's room in an input buffer is released in `cycle`, its last flit having crossed.
    #[expect(clippy::inline_always, reason = "every packet does at every switch")]
    #[inline(always)]
    fn release<S: Setting>(
        &mut self,
        network: &mut Network,
        inlet: InletId,
        flits: u32,
        cycle: u64,
    ) {
        let switches = &mut network.switches;
        let from = &mut switches.inlets[inlet];
        let lookup_delay = switches.crossbar.lookup_delay;
        if let Some(ask_at) = from.release(cycle, lookup_delay, &network.packets) {
            network.clock.plan(ask_at, Event::Request(inlet));
        }
        let at = cycle + u64::from(from.flight);
        let returning = Returning { inlet, flits, at };
        if S::IN_PART
            && let Some(letter) = network.borders.letter_over(network.lanes.channel(inlet))
        {
            letter.returning.push(returning);
        } else {
            self.give_back(network, &returning);
        }
    }

    /// Room is given back to the source of a lane.
    #[expect(clippy::inline_always, reason = "every packet does at every switch")]
    #[inline(always)]
    pub(super) fn give_back(&mut self, network: &mut Network, returning: &Returning) {
        let &Returning { inlet, flits, at } = returning;
        // Packets that choose look at the room as it is.
        let known_until = if network.switches.choose() {
            network.clock.now()
        } else {
            NEVER
        };
        let far_room = &mut network.switches.inlets[inlet].far_room;
        if far_room.give_back(flits, at, known_until, &mut self.given_back) {
            let channel = network.lanes.channel(inlet);
            let known = &mut network.channels[channel].known;
            known.remove(network.lanes.lane(inlet));
            network.look(channel, at);
        }
    }

    /// Uses the link of a channel, as far ahead as it is known who has it, and plans the next look at it.
    pub(super) fn serve<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) {
        let now = network.clock.now();
        let source_host = network.channels[channel].source_host.get();
        let foreseen = match source_host {
            None => now + network.switches.crossbar.foresight,
            // What a host will have generated is looked at when it has.
            Some(_) => now,
        };
        let mut next = loop {
            if network.channels[channel].loaded.is_empty() {
                break NEVER;
            }
            let Some(turn) = self.next_turn::<S>(network, channel) else {
                break NEVER;
            };
            let is_known = turn.at <= foreseen && (!S::CHANGES || turn.at < network.clock.horizon);
            if turn.at > now && !(is_known && turn.is_certain) {
                break turn.at;
            }
            self.send::<S>(network, channel, &turn);
        };
        if let Some(host) = source_host {
            next = next.min(network.next_generation::<S>(host, channel));
        }
        let next = next.min(next_grant(network, channel));
        network.look_next(channel, next);
        // Of a channel over a border each end knows its own.
        #[cfg(debug_assertions)]
        if !S::IN_PART {
            self.assert_conserved(network, channel);
        }
    }

    /// Who has the link of a channel next, of the packets that are in front of it: the first lane in turn
    /// when one is ready and has room.
    #[inline]
    fn next_turn<S: Setting>(&mut self, network: &mut Network, channel: ChannelId) -> Option<Turn> {
        let now = network.clock.now();
        let state = &network.channels[channel];
        let first = state.free_at.max(now);
        let lane = match state.loaded.only() {
            Some(lane) => lane,
            None => self.next_lane::<S>(network, channel, first)?,
        };
        let outlet = network.lanes.outlet(channel, lane);
        let (front, room_at) = self.open_front::<S>(network, outlet)?;
        let at = first.max(front.ready_at).max(room_at);
        if at >= NEVER {
            return None;
        }
        let blocked = room_at.saturating_sub(front.ready_at);
        let can_foresee = network.switches.outlets[outlet].can_foresee(now);
        Some(Turn {
            lane,
            at,
            front,
            blocked,
            is_certain: blocked == 0 && can_foresee,
        })
    }

    /// Which lane has the link of a channel next, of several, if its turn is known: no earlier than in cycle `first`.
    #[inline]
    fn next_lane<S: Setting>(
        &mut self,
        network: &mut Network,
        channel: ChannelId,
        first: u64,
    ) -> Option<Lane> {
        let mut next: Option<(Lane, u64)> = None;
        for lane in network.channels[channel].loaded_in_turn() {
            let outlet = network.lanes.outlet(channel, lane);
            if !network.channels[channel].known.has(lane) {
                network.channels[channel].known.insert(lane);
                self.open_at[outlet] = self
                    .open_front::<S>(network, outlet)
                    .map_or(NEVER, |(front, room_at)| front.ready_at.max(room_at));
            }
            let at = first.max(self.open_at[outlet]);
            if at < next.map_or(NEVER, |(_, at)| at) {
                next = Some((lane, at));
                if at == first {
                    break;
                }
            }
        }
        next.map(|(lane, _)| lane)
    }

    /// The packet in front of a lane, if there is one, and the cycle from which on there is room for it.
    #[inline]
    fn open_front<S: Setting>(
        &self,
        network: &mut Network,
        outlet: OutletId,
    ) -> Option<(Front, u64)> {
        let front = front(&network.switches.outlets[outlet], &network.packets)?;
        let room_at = if network.channels[network.lanes.channel(outlet)].takes_all::<S>() {
            0
        } else {
            let buffer = &mut network.switches.inlets[outlet.far_end()];
            buffer.far_room.room_at(front.flits, &self.given_back)
        };
        Some((front, room_at))
    }

    /// The packet in front of a lane leaves when it is its turn, flit after flit.
    #[inline]
    fn send<S: Setting>(&mut self, network: &mut Network, channel: ChannelId, turn: &Turn) {
        let &Turn {
            lane,
            at,
            front:
                Front {
                    packet,
                    from,
                    flits,
                    ..
                },
            blocked,
            ..
        } = turn;
        let crossbar = network.switches.crossbar;
        let outlet = network.lanes.outlet(channel, lane);
        let state = &mut network.channels[channel];
        let sender = &mut network.switches.outlets[outlet];
        let is_buffered = crossbar.has_output_buffers() && from.is_some();
        let freed = if is_buffered { flits } else { 0 };
        if !sender.pop(&network.packets) {
            state.loaded.remove(lane);
        }
        state.known.remove(lane);
        let meters = &mut network.meters;
        state.serve(lane, network.lanes);
        let sending = take_link(state, sender, meters, flits, freed, at);
        if crossbar.foresight > 0 {
            let wait = network.packets[packet].wait.into();
            network.switches.waiting.grant(outlet, wait);
        }
        network.switches.waiting.keep_back(outlet, blocked);
        let released_at = sending.released_at;
        match from.get() {
            None => network.inject(packet),
            Some(from) if !is_buffered => {
                network.switches.outlets[outlet].crossbar_free_at = released_at;
                network.switches.inlets[from].let_go(released_at);
                self.release::<S>(network, from, flits, released_at);
            }
            Some(_) => {}
        }
        self.arrive::<S>(network, outlet, packet, flits, &sending);
    }

    /// A packet that has the link of a lane takes room at its end and is on its way there.
    #[expect(clippy::inline_always, reason = "every packet does at every switch")]
    #[inline(always)]
    fn arrive<S: Setting>(
        &mut self,
        network: &mut Network,
        outlet: OutletId,
        packet: PacketId,
        flits: u32,
        sending: &Sending,
    ) {
        let channel = network.lanes.channel(outlet);
        if network.following.is_some() {
            let end = sending.released_at;
            let cycles_per_flit = u64::from(network.channels[channel].cycles_per_flit);
            network.note_motion(
                outlet,
                packet,
                [end - u64::from(flits) * cycles_per_flit, end],
            );
        }
        if S::CHANGES && sending.is_down {
            network.lose(packet, sending.last_arrival, LossCause::Failure);
            return;
        }
        let is_beyond = S::CHANGES && sending.last_arrival >= network.clock.horizon;
        if is_beyond {
            let (last_arrival, delivers) = (sending.last_arrival, sending.leads_to_host);
            network.note_under_way(channel, packet, last_arrival, delivers);
        }
        if sending.leads_to_host {
            if !is_beyond {
                network.deliver::<S>(packet, sending.last_arrival);
            }
            return;
        }
        let inlet = outlet.far_end();
        let buffer = &mut network.switches.inlets[inlet];
        let given_back = &mut self.given_back;
        buffer
            .far_room
            .occupy(flits, sending.released_at, given_back);
        if S::IN_PART
            && let Some(letter) = network.borders.letter_over(channel)
        {
            letter.arriving.push(Arriving {
                inlet,
                packet: network.packets[packet],
                at: sending.head_arrival,
            });
            network.packets.remove(packet);
            return;
        }
        network.enter(inlet, packet, sending.head_arrival);
    }

    /// Flits taken of the buffer at the end of a lane, as far as its source knows.
    pub(super) fn taken(&self, _: OutletId, far_room: &FarRoom, now: u64) -> u32 {
        let credits = far_room.credits(&self.given_back);
        let arrived = credits.take_while(|&(at, _)| at <= now);
        self.buffer_flits - far_room.room() - arrived.map(|(_, flits)| flits).sum::<u32>()
    }

    /// Whether the packet in front of a lane is ready, and there is no room for it at the end of the channel,
    /// nor with all that is given back.
    pub(super) fn is_kept_back(&self, network: &Network, outlet: OutletId) -> bool {
        let sender = &network.switches.outlets[outlet];
        let takes_all = network.channels[network.lanes.channel(outlet)].takes_all::<Changing>();
        front(sender, &network.packets).is_some_and(|front| {
            let is_ready = front.ready_at <= network.clock.now();
            let buffer = &network.switches.inlets[outlet.far_end()];
            is_ready && !takes_all && buffer.far_room.is_short_of(front.flits, &self.given_back)
        })
    }
}

/// A packet to which a link is given.
struct Turn {
    lane: Lane,
    /// From this cycle on.
    at: u64,
    front: Front,
    /// Cycles for which it has been ready without room.
    blocked: u64,
    /// Whether that can be told ahead of time.
    is_certain: bool,
}

/// A packet that has the link.
struct Sending {
    /// The cycle after its last flit.
    released_at: u64,
    head_arrival: u64,
    last_arrival: u64,
    leads_to_host: bool,
    is_down: bool,
}

/// A packet of so many flits gets the link of a channel from cycle `at` on; so many flits of the output buffer
/// are free when it has left.
#[inline]
fn take_link(
    state: &mut Channel,
    sender: &mut Outlet,
    meters: &mut Meters,
    flits: u32,
    freed: u32,
    at: u64,
) -> Sending {
    let cycles_per_flit = u64::from(state.cycles_per_flit);
    let cycles = u64::from(flits) * cycles_per_flit;
    let released_at = at + cycles;
    state.free_at = released_at;
    sender.leave(freed, released_at);
    sender.busy_cycles += cycles;
    meters.flits_started += u64::from(flits);
    Sending {
        released_at,
        head_arrival: at + state.latency,
        last_arrival: released_at - cycles_per_flit + state.latency,
        leads_to_host: state.leads_to_host(),
        is_down: state.is_down,
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
