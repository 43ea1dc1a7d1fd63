//! Credits where parts fail and tables change.

use super::Credits;
use crate::cut_through::lane_numbers::LaneSet;
use crate::cut_through::network::Network;
use crate::cut_through::setting::Changing;
use crate::ids::InletId;
use weft_fabric::ChannelId;
use weft_model::LossCause;

impl Credits {
    /// The packet in front of an inlet crosses to nowhere, as if it had been granted an output now.
    pub(in super::super) fn discard(&mut self, network: &mut Network, inlet: InletId) {
        let now = network.clock.now();
        let packets = &mut network.packets;
        let from = &mut network.switches.inlets[inlet];
        let packet = from.grant(packets);
        let (flits, arrival) = (packets[packet].flits, packets[packet].at);
        from.note_most(flits, arrival, self.reset_at, packets);
        let last_arrival = from.last_arrival(flits, arrival);
        let crossbar = network.switches.crossbar;
        let released_at = crossbar.released_at(now, flits, last_arrival);
        from.held.leave(flits, arrival, released_at);
        self.release::<Changing>(network, inlet, flits, released_at);
        network.lose(packet, now, LossCause::NoEntry);
    }

    /// Whether what is in front of a channel needs room at its end is about to change: the cycles for which it was
    /// kept back are counted, and whether it is from now on is to be found out.
    pub(in super::super) fn settle_blocked(&mut self, network: &mut Network, channel: ChannelId) {
        let now = network.clock.now();
        network.channels[channel].known = LaneSet::EMPTY;
        for outlet in network.lanes.outlets(channel) {
            let blocked = self.blocked_now(network, outlet);
            network.switches.waiting.keep_back(outlet, blocked);
            if let Some(front) = network.switches.outlets[outlet].packets.front() {
                let packet = &mut network.packets[front];
                packet.at = packet.at.max(now);
            }
        }
    }
}
