//! Packets that meet nobody.

use super::{Credits, take_link};
use crate::cut_through::network::Network;
use crate::cut_through::setting::Setting;
use crate::queue::NEVER;
use weft_fabric::ChannelId;

impl Credits {
    /// A packet that alone asks for an output where nobody waits, and that finds crossbar port, link and
    /// buffers free when it comes to them, is granted the output and given the link at once; tells whether
    /// one was.
    #[inline]
    pub(in super::super) fn pass<S: Setting>(
        &mut self,
        network: &mut Network,
        channel: ChannelId,
    ) -> bool {
        let now = network.clock.now();
        let packets = &mut network.packets;
        let switches = &mut network.switches;
        let crossbar = &switches.crossbar;
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
        let from = &switches.inlets[inlet];
        let number = from.asking();
        let (flits, arrival) = (packets[number].flits, packets[number].at);
        let leaves_at = now + crossbar.foresight;
        let is_buffered = crossbar.has_output_buffers();
        if S::CHANGES && leaves_at >= network.clock.horizon {
            return false;
        }
        let is_free = sender.crossbar_free_at <= now && state.free_at <= leaves_at;
        let is_room = !is_buffered || sender.add_room(now) >= flits && sender.can_foresee(now);
        if !is_free || !is_room {
            return false;
        }
        if !is_buffered && from.cycles_per_flit > state.cycles_per_flit {
            // It is ready only when it has come.
            return false;
        }
        let far_end = outlet.far_end();
        if !state.takes_all::<S>() && !switches.inlets[far_end].far_room.has_room(flits) {
            return false;
        }
        let from = &mut switches.inlets[inlet];

        sender.requests.take_only();
        state.asked.remove(lane);
        state.serve(lane, network.lanes);
        network.clock.look_next(channel, &mut state.look, NEVER);
        switches.waiting.grant(outlet, now - from.asked_at);
        from.grant(packets);
        from.note_most(flits, arrival, self.reset_at, packets);
        let meters = &mut network.meters;
        meters.packet_hops += 1;
        let freed = if is_buffered { flits } else { 0 };
        let sending = take_link(state, sender, meters, flits, freed, leaves_at);
        let crossed_at = if is_buffered {
            sender.room -= flits;
            crossbar.released_at(now, flits, from.last_arrival(flits, arrival))
        } else {
            sending.released_at
        };
        sender.crossbar_free_at = crossed_at;
        from.held.leave(flits, arrival, crossed_at);
        self.release::<S>(network, inlet, flits, crossed_at);
        self.arrive::<S>(network, outlet, number, flits, &sending);
        true
    }
}
