//! Switches: packets in front of input buffers ask for lanes of outputs, and are granted them.

mod adaptive;
mod guide;
mod inlet;
mod outlet;
mod requests;
mod selects;

use super::lane_numbers::Lanes;
use super::lane_use::Waiting;
use super::packet_state::{Packet, Packets};
use crate::ids::{InletId, OutletId, PacketId, Records, Table};
use crate::memory::fetch;
use crate::queue::NEVER;
pub(crate) use guide::Guide;
use guide::Ports;
pub(crate) use inlet::Inlet;
use inlet::Inlets;
pub(crate) use outlet::Outlet;
pub(crate) use selects::Selects;
use std::num::NonZeroU32;
use weft_fabric::{ChannelId, Fabric, Node};
use weft_model::ChannelTimings;
use weft_model::cut_through::{CutThroughModel, FlowControl};
use weft_routing::Forwarding;

/// The ends of all lanes, which switches join, and what tells packets their way. A host's end of a lane is
/// here too.
#[derive(Debug)]
pub(crate) struct Switches<'a> {
    pub(crate) outlets: Records<OutletId, Outlet>,
    pub(in crate::cut_through) waiting: Waiting,
    pub(crate) inlets: Inlets,
    pub(crate) guide: Guide<'a>,
    pub(crate) ports: Ports,
    lanes: Lanes,
    pub(crate) crossbar: Crossbar,
}

/// How switches are built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossbar {
    /// Cycles from one flit to the next, with output buffers.
    pub(crate) cycles_per_flit: u64,
    /// Cycles from the arrival of a head to its request, at least.
    pub(crate) lookup_delay: u64,
    /// Where packets choose: cycles from a look at several lanes to the choice by it.
    pub(crate) choice_delay: u64,
    /// Cycles from a grant to the first flit that crosses.
    pub(crate) routing_delay: u64,
    /// Flits of an output buffer, where there is one.
    pub(crate) output_buffer: Option<NonZeroU32>,
    /// How many cycles ahead outputs and links are given away; 0 where they are not.
    ///
    /// A packet that is not granted an output by now can be sent no sooner than after the routing delay and
    /// the crossing of its first flit, and it gives its room back later still. Up to then it is known what
    /// comes in front of a link, and what for room there is at its end. Packets that choose look at the
    /// room as it is, and packets that come from a slower link are ready later than others that are granted
    /// after them.
    pub(crate) foresight: u64,
    /// Whether a packet that alone asks for an output is given output and link at once: with foresight, and
    /// where it crosses to the link as soon as it has both. With stop & go: whether it is known when one crosses that
    /// nothing halts, and when it has left, as all flits come, cross and leave at one rate.
    pub(crate) can_pass: bool,
}

impl Crossbar {
    #[inline]
    pub(crate) fn has_output_buffers(&self) -> bool {
        self.output_buffer.is_some()
    }

    /// Cycles from a grant until the packet can be sent, at least.
    #[inline]
    pub(crate) fn ready_after(&self) -> u64 {
        if self.has_output_buffers() {
            self.routing_delay + self.cycles_per_flit
        } else {
            self.routing_delay
        }
    }

    /// With output buffers: the cycle after a packet that is granted an output in cycle `at` has crossed. Its
    /// flits cross one every so many cycles, each if it has arrived.
    #[inline]
    pub(crate) fn released_at(&self, at: u64, flits: u32, last_arrival: u64) -> u64 {
        let (first, cycles) = (at + self.routing_delay, self.cycles_per_flit);
        let others = u64::from(flits) - 1;
        last_arrival.max(first + others * cycles) + cycles
    }
}

/// A packet that was in front of an inlet has an outlet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grant {
    pub(crate) outlet: OutletId,
    pub(crate) inlet: InletId,
    pub(crate) packet: PacketId,
    /// The cycle from which on it has it, now or later.
    pub(crate) at: u64,
    /// If it is later: for how many cycles it will have asked for it.
    pub(crate) wait: u32,
}

/// What comes of a packet's turn, where packets choose.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Turn {
    /// It has an outlet.
    Has(Grant),
    /// It chose one, which it takes in a later cycle if it is open then.
    Chose(u64),
    /// None is open, or what it chose does not count yet.
    Waits,
}

impl<'a> Switches<'a> {
    /// Empty switches.
    #[expect(unsafe_code, reason = "lanes are looked up several times an event")]
    pub(crate) fn new(
        fabric: &Fabric,
        guide: Guide<'a>,
        model: &CutThroughModel,
        timings: &ChannelTimings,
        lanes: Lanes,
    ) -> Self {
        let numbers = lanes.numbers(fabric.channel_count());
        let room = model.output_buffer_flits.map_or(0, NonZeroU32::get);
        let inlet = |(channel, lane)| {
            let target = fabric.target(channel);
            let switch = match target.node {
                Node::Switch(switch) => Some(switch),
                Node::Host(_) => None,
            };
            {
                let room = model.input_buffer_flits;
                Inlet::new(switch, target.port, lane, timings.of(channel), room)
            }
        };
        let rates = || {
            let timings = fabric.channel_ids().map(|channel| timings.of(channel));
            timings.map(|timing| timing.cycles_per_flit)
        };
        let have_one_rate = rates().max() == rates().min();
        let is_fixed = !matches!(guide, Guide::Adaptive(_));
        let has_buffers = model.output_buffer_flits.is_some();
        let is_foreseen = is_fixed && have_one_rate && has_buffers;
        let crosses_at_once = is_fixed && !has_buffers && model.routing_delay_cycles == 0;
        let (foresight, can_pass) = match model.flow_control {
            FlowControl::Credits if is_foreseen => {
                let cycles = model.routing_delay_cycles + model.crossbar_cycles_per_flit;
                (u64::from(cycles), true)
            }
            FlowControl::Credits => (0, crosses_at_once),
            FlowControl::StopAndGo { .. } => {
                let rate = model.crossbar_cycles_per_flit;
                let crosses_as_fast = is_foreseen && rates().all(|cycles| cycles == rate);
                (0, crosses_as_fast || have_one_rate && crosses_at_once)
            }
        };
        let all_lanes = |channel| lanes.places().map(move |lane| (channel, lane));
        let outlets = Table::of(Outlet::new(room), numbers);
        let inlets = fabric.channel_ids().flat_map(all_lanes).map(inlet);
        // SAFETY: the ids of channels come from this fabric, and lanes are those that routes have, of which there
        // are as many as were counted.
        let (outlets, inlets) = unsafe { (Records::of(outlets), Records::of(inlets.collect())) };
        Self {
            outlets,
            waiting: Waiting::new(numbers),
            inlets,
            guide,
            ports: Ports::new(fabric, lanes),
            lanes,
            crossbar: Crossbar {
                cycles_per_flit: model.crossbar_cycles_per_flit.into(),
                lookup_delay: model.lookup_delay_cycles.into(),
                choice_delay: model.choice_delay_cycles.into(),
                routing_delay: model.routing_delay_cycles.into(),
                output_buffer: model.output_buffer_flits,
                foresight,
                can_pass,
            },
        }
    }

    /// The packet in front of an inlet asks for its outlet, which is told, where routes are fixed and what
    /// it looks at is at hand.
    #[inline]
    pub(crate) fn request_fixed(
        &mut self,
        inlet: InletId,
        now: u64,
        packets: &mut Packets,
    ) -> Option<OutletId> {
        let Guide::Fixed(forwarding) = &self.guide else {
            return None;
        };
        let state = &mut self.inlets[inlet];
        let packet = &mut packets[state.asking()];
        let outlet = ask_fixed(state, packet, now, (forwarding, &self.ports));
        let flits = packet.flits;
        let requests = &mut self.outlets[outlet].requests;
        requests.join(inlet, flits, &mut self.inlets);
        Some(outlet)
    }

    /// The packets in front of inlets are about to ask for outlets: finds which, where they have no choice.
    pub(crate) fn find_outlets(&mut self, inlets: &[InletId], now: u64, packets: &mut Packets) {
        match &self.guide {
            Guide::Fixed(forwarding) => {
                for &inlet in inlets {
                    let state = &mut self.inlets[inlet];
                    let packet = &mut packets[state.asking()];
                    ask_fixed(state, packet, now, (forwarding, &self.ports));
                    if let Some(behind) = packet.next.get() {
                        // It is asked for its arrival when this one has its output.
                        fetch(&packets[behind]);
                    }
                }
            }
            Guide::Changing(forwarding) => {
                for &inlet in inlets {
                    let state = &mut self.inlets[inlet];
                    state.asked_at = now;
                    let entry = state.entry();
                    let packet = &mut packets[state.asking()];
                    // Tables that are being changed may lead around in circles for long.
                    packet.switches = packet.switches.saturating_add(1);
                    let next = forwarding.next(&packet.header, entry);
                    let outlet =
                        next.map(|(port, lane)| self.ports.outlet(entry.switch, port, lane));
                    state.outlet = outlet.into();
                }
            }
            Guide::Adaptive(_) => {
                for &inlet in inlets {
                    // What it chose when it asked before may count now.
                    let asked_at = &mut self.inlets[inlet].asked_at;
                    *asked_at = now.min(*asked_at);
                }
            }
        }
    }

    /// The packet in front of an inlet asks for its outlet, which was found and is told; where packets choose,
    /// it takes its turn.
    #[inline]
    pub(crate) fn request(
        &mut self,
        inlet: InletId,
        now: u64,
        packets: &Packets,
    ) -> Option<OutletId> {
        if let Guide::Adaptive(_) = &self.guide {
            self.wait(inlet, now);
            return None;
        }
        let state = &self.inlets[inlet];
        let outlet = state.outlet();
        let flits = packets[state.asking()].flits;
        let requests = &mut self.outlets[outlet].requests;
        requests.join(inlet, flits, &mut self.inlets);
        Some(outlet)
    }

    /// Grants a free outlet to the first request whose packet fits. One that will be free is promised to
    /// the first of all, if its packet fits already: whoever asks later comes after it.
    #[inline]
    pub(crate) fn grant(&mut self, outlet: OutletId, now: u64, packets: &Packets) -> Option<Grant> {
        let requested = &mut self.outlets[outlet];
        let room = requested.add_room(now);
        if requested.crossbar_free_at > now {
            if self.crossbar.foresight == 0 {
                return None;
            }
            let first = requested.requests.first()?;
            let at = requested.crossbar_free_at;
            let wait = u32::try_from(at - self.inlets[first].asked_at).ok()?;
            let inlet = requested.requests.take_first(room, &self.inlets, packets)?;
            let from = &mut self.inlets[inlet];
            return Some(Grant {
                outlet,
                inlet,
                packet: from.grant(packets),
                at,
                wait,
            });
        }
        // Without an output buffer a packet needs no room.
        let room = if self.crossbar.has_output_buffers() {
            room
        } else {
            u32::MAX
        };
        let inlet = requested.requests.take(room, &mut self.inlets, packets)?;
        let from = &mut self.inlets[inlet];
        self.waiting.grant(outlet, now - from.asked_at);
        Some(take(outlet, from, inlet, now, packets))
    }

    /// The cycles for which the packet that waits longest for an outlet has waited.
    pub(crate) fn longest_wait(&self, outlet: OutletId, now: u64) -> u64 {
        // Requests are in order of their cycles.
        let first = self.outlets[outlet].requests.first();
        first.map_or(0, |inlet| now - self.inlets[inlet].asked_at)
    }

    /// The outlet through which alone a buffer can drain, if it cannot now.
    pub(crate) fn drains_through(&self, inlet: InletId, packets: &Packets) -> Option<OutletId> {
        let buffer = &self.inlets[inlet];
        if buffer.is_crossing() {
            // With output buffers it crosses, unless its flits are held back elsewhere.
            // So does what is discarded.
            return buffer
                .found()
                .filter(|_| !self.crossbar.has_output_buffers());
        }
        if buffer.asked_at == NEVER {
            return None;
        }
        let wants = buffer.outlet();
        let flits = packets[buffer.asking()].flits;
        self.is_full(wants, flits).then_some(wants)
    }

    /// Where packets choose: the outlets through one of which a buffer must drain, if it can through none now.
    pub(crate) fn drains_through_any(
        &self,
        inlet: InletId,
        packets: &Packets,
        is_down: impl Fn(ChannelId) -> bool,
    ) -> Vec<OutletId> {
        let buffer = &self.inlets[inlet];
        if buffer.is_crossing() {
            let one = self.drains_through(inlet, packets);
            return one.into_iter().collect();
        }
        if buffer.asked_at == NEVER {
            return Vec::new();
        }
        let mut offered = self.choices().offered(inlet).to_vec();
        if !self.takes_down(inlet, &is_down) {
            offered.retain(|&outlet| !is_down(self.lanes.channel(outlet)));
        }
        let flits = packets[buffer.asking()].flits;
        let all_are_full = offered.iter().all(|&outlet| self.is_full(outlet, flits));
        if all_are_full { offered } else { Vec::new() }
    }

    /// Tells whether an outlet takes no packet of a length until one that it has leaves.
    fn is_full(&self, outlet: OutletId, flits: u32) -> bool {
        let outlet = &self.outlets[outlet];
        if self.crossbar.has_output_buffers() {
            // Shorter packets may still pass it and take more of the room; none gives any back.
            outlet.room_at_last() < flits
        } else {
            outlet.crossbar_free_at == NEVER
        }
    }
}

/// The packet in front of an inlet, whose route is fixed, is told its outlet.
#[inline]
fn ask_fixed(
    from: &mut Inlet,
    packet: &mut Packet,
    now: u64,
    (forwarding, ports): (&Forwarding<'_>, &Ports),
) -> OutletId {
    from.asked_at = now;
    let entry = from.entry();
    let switches_before = packet.switches.into();
    packet.switches += 1;
    let (port, lane) = forwarding.next(&packet.header, &mut packet.ahead, entry, switches_before);
    let outlet = ports.outlet(entry.switch, port, lane);
    from.outlet = outlet.into();
    outlet
}

/// An outlet takes the packet in front of an inlet.
#[inline]
fn take(outlet: OutletId, from: &mut Inlet, inlet: InletId, now: u64, packets: &Packets) -> Grant {
    Grant {
        outlet,
        inlet,
        packet: from.grant(packets),
        at: now,
        wait: 0,
    }
}
