//! Packets that nothing halts: all of whose flits come for certain, and that no stop keeps back. What follows from
//! them is known at once, as with credits, and costs no event when it happens.

use super::StopAndGo;
use super::content::Run;
use super::sender::Visit;
use crate::cut_through::event::Event;
use crate::cut_through::network::Network;
use crate::cut_through::setting::Steady;
use crate::cut_through::switches::Grant;
use crate::ids::{InletId, OutletId, PacketId};
use crate::queue::NEVER;
use weft_fabric::ChannelId;
use weft_routing::Lane;

impl StopAndGo {
    /// A packet that alone asks for an output where nobody waits, that comes for certain, and that finds crossbar
    /// port, link and buffers free when it comes to them, is granted the output and given the link at once; tells
    /// whether one was.
    #[inline]
    pub(super) fn pass(&mut self, network: &mut Network, channel: ChannelId) -> bool {
        let now = network.clock.now();
        let switches = &mut network.switches;
        let crossbar = switches.crossbar;
        let state = &mut network.channels[channel];
        if !crossbar.can_pass || !state.loaded.is_empty() {
            return false;
        }
        let Some(lane) = state.asked.only() else {
            return false;
        };
        let outlet = network.lanes.outlet(channel, lane);
        let sender = &mut switches.outlets[outlet];
        let Some(inlet) = sender.requests.only() else {
            return false;
        };
        let from = &mut switches.inlets[inlet];
        let packet = from.asking();
        let flits = network.packets[packet].flits;
        let leaves_at = now + crossbar.ready_after();
        let is_buffered = crossbar.has_output_buffers();
        let is_free = sender.crossbar_free_at <= now && state.free_at <= leaves_at;
        let is_room = !is_buffered || sender.add_room(now) >= flits && sender.can_foresee(now);
        if !is_free || !is_room {
            return false;
        }
        let leads_on = !state.leads_to_host();
        let (start, step) = (now + crossbar.routing_delay, from.cycles_per_flit.into());
        let Some(crossing) = self.crossing_whole(inlet, flits, start, step, now) else {
            return false;
        };
        if leads_on && !self.calls_no_stop(outlet, flits, now) {
            return false;
        }
        sender.requests.take_only();
        state.asked.remove(lane);
        network.clock.look_next(channel, &mut state.look, NEVER);
        switches.waiting.grant(outlet, now - from.asked_at);
        from.grant(&network.packets);
        network.meters.packet_hops += 1;
        let freed = if is_buffered { flits } else { 0 };
        sender.room -= freed;
        sender.crossbar_free_at = crossing.end();
        self.cross(network, inlet, crossing);
        self.leave(network, (packet, outlet), flits, freed, leaves_at);
        true
    }

    /// A packet has the lane of an output, and all of it comes for certain: with output buffers it is known when it
    /// will have crossed. Tells whether that is so.
    #[inline]
    pub(super) fn grant_whole(&mut self, network: &mut Network, grant: &Grant) -> bool {
        let &Grant {
            outlet,
            inlet,
            packet,
            ..
        } = grant;
        let crossbar = network.switches.crossbar;
        if !crossbar.can_pass || !crossbar.has_output_buffers() {
            return false;
        }
        let state = &mut network.packets[packet];
        let now = network.clock.now();
        let (start, step) = (now + crossbar.routing_delay, crossbar.cycles_per_flit);
        let Some(crossing) = self.crossing_whole(inlet, state.flits, start, step, now) else {
            return false;
        };
        state.inlet = inlet.into();
        state.at = crossing.start + crossbar.cycles_per_flit;
        let granted = &mut network.switches.outlets[outlet];
        granted.room -= state.flits;
        granted.crossbar_free_at = crossing.end();
        self.cross(network, inlet, crossing);
        network.load(outlet, packet);
        true
    }

    /// The packet in front of an inlet, of so many flits, crosses from cycle `start` on, one flit every `step`
    /// cycles, if all of it comes for certain and as fast.
    #[inline]
    fn crossing_whole(
        &mut self,
        inlet: InletId,
        flits: u32,
        start: u64,
        step: u64,
        now: u64,
    ) -> Option<Run> {
        let coming = self.buffers[inlet].whole_in_front(flits, step, now)?;
        debug_assert!(coming.start <= start, "a packet asks when it has arrived");
        Some(Run { start, ..coming })
    }

    /// The packet in front of an inlet crosses, which is released when it has.
    #[inline]
    fn cross(&mut self, network: &mut Network, inlet: InletId, crossing: Run) {
        let buffer = &mut self.buffers[inlet];
        buffer.cross_whole(crossing);
        if buffer.may_call(self.thresholds) {
            self.touch(inlet);
        }
        if let Some(ask_at) = network.release(inlet, crossing.end()) {
            network.clock.plan(ask_at, Event::Request(inlet));
        }
    }

    /// Whether nothing halts a packet of so many flits that sets out on a lane to a switch.
    #[inline]
    fn calls_no_stop(&mut self, outlet: OutletId, flits: u32, now: u64) -> bool {
        self.buffers[outlet.far_end()].calls_no_stop(flits, self.thresholds, now)
    }

    /// The link of a channel from a switch is given away as far ahead as it is known who has it: a packet that is
    /// not granted an output by now is ready no sooner than after the routing delay and the crossing of its first
    /// flit.
    #[inline]
    pub(super) fn send_ahead(&mut self, network: &mut Network, channel: ChannelId) {
        let crossbar = network.switches.crossbar;
        if !crossbar.can_pass || !crossbar.has_output_buffers() {
            return;
        }
        let now = network.clock.now();
        let foreseen = now + crossbar.ready_after();
        loop {
            let state = &network.channels[channel];
            if state.free_at > foreseen || state.source_host.is_some() || state.holder.is_some() {
                return;
            }
            let Some(lane) = state.loaded.only() else {
                return;
            };
            let outlet = network.lanes.outlet(channel, lane);
            if !network.switches.outlets[outlet].can_foresee(now) {
                return;
            }
            let at = self.candidate_at(network, outlet).max(state.free_at);
            if at <= now || at > foreseen || !self.send_whole(network, channel, lane, at) {
                return;
            }
        }
    }

    /// The packet in front of a lane has the link from cycle `at` on, if nothing halts it: tells whether that is so.
    #[inline]
    pub(super) fn send_whole(
        &mut self,
        network: &mut Network,
        channel: ChannelId,
        lane: Lane,
        at: u64,
    ) -> bool {
        let outlet = network.lanes.outlet(channel, lane);
        if !network.switches.crossbar.can_pass || self.senders[outlet].sending.is_some() {
            return false;
        }
        let now = network.clock.now();
        let sender = &mut network.switches.outlets[outlet];
        let Some(number) = sender.packets.front() else {
            return false;
        };
        let packet = &network.packets[number];
        let (flits, from) = (packet.flits, packet.inlet.get());
        let visit = Visit {
            packet: number,
            switches: packet.switches,
        };
        let is_buffered = network.switches.crossbar.has_output_buffers() && from.is_some();
        if is_buffered && from.is_some_and(|from| self.buffers[from].granted == Some(visit)) {
            // It crosses as its flits come.
            return false;
        }
        let state = &mut network.channels[channel];
        if !state.leads_to_host() && !self.calls_no_stop(outlet, flits, now) {
            return false;
        }
        if !is_buffered && let Some(from) = from {
            // It crosses as it leaves.
            let step = state.cycles_per_flit.into();
            let Some(crossing) = self.crossing_whole(from, flits, at, step, now) else {
                return false;
            };
            self.buffers[from].granted = None;
            sender.crossbar_free_at = crossing.end();
            self.cross(network, from, crossing);
        }
        let sender = &mut network.switches.outlets[outlet];
        let state = &mut network.channels[channel];
        if !sender.pop(&network.packets) {
            state.loaded.remove(lane);
        }
        state.holder = None;
        if from.is_none() {
            network.inject(number);
        }
        let freed = if is_buffered { flits } else { 0 };
        self.leave(network, (number, outlet), flits, freed, at);
        true
    }

    /// A packet leaves by a lane from cycle `at` on, flit after flit; so many flits of the output buffer are free
    /// when it has left.
    #[inline]
    fn leave(
        &mut self,
        network: &mut Network,
        (packet, outlet): (PacketId, OutletId),
        flits: u32,
        freed: u32,
        at: u64,
    ) {
        let channel = network.lanes.channel(outlet);
        let state = &mut network.channels[channel];
        state.serve(network.lanes.lane(outlet), network.lanes);
        let run = Run {
            start: at,
            count: flits.into(),
            step: state.cycles_per_flit.into(),
        };
        let (end, start) = (run.end(), at + state.latency);
        state.free_at = end;
        let leads_to_host = state.leads_to_host();
        let sender = &mut network.switches.outlets[outlet];
        sender.leave(freed, end);
        sender.busy_cycles += end - at;
        network.meters.flits_started += run.count;
        if network.following.is_some() {
            network.note_motion(outlet, packet, [at, end]);
        }
        if leads_to_host {
            network.deliver::<Steady>(packet, start + (end - at) - run.step);
        } else {
            let inlet = outlet.far_end();
            self.buffers[inlet].arrive(Run { start, ..run }, true);
            network.enter(inlet, packet, start);
        }
    }
}
