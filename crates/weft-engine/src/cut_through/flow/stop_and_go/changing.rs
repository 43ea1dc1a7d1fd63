//! Stop & go where parts fail and tables change.

use super::StopAndGo;
use super::sender::Visit;
use crate::cut_through::network::Network;
use crate::ids::{InletId, OutletId};
use weft_fabric::ChannelId;
use weft_model::LossCause;

impl StopAndGo {
    /// Whether no stop keeps the packet that a lane sends, or would begin to send: it is swallowed.
    pub(super) fn takes_all(&self, network: &Network, outlet: OutletId) -> bool {
        let sender = &self.senders[outlet];
        match sender.sending {
            Some(_) => sender.is_swallowed,
            None => network.channels[network.lanes.channel(outlet)].is_down,
        }
    }

    /// The packet in front of an inlet crosses to nowhere, as if it had been granted an output now. Its number stays
    /// its own until it has.
    pub(in super::super) fn discard(&mut self, network: &mut Network, inlet: InletId) {
        let now = network.clock.now();
        let first = now + network.switches.crossbar.routing_delay;
        let packet = network.switches.inlets[inlet].grant(&network.packets);
        network.report_loss(packet, now, LossCause::NoEntry);
        let state = &network.packets[packet];
        let switches = state.switches;
        self.buffers[inlet].grant(Visit { packet, switches }, state.flits, first, now);
        self.plan_crossing(network, inlet);
    }

    /// A packet that was discarded has crossed to nowhere.
    pub(super) fn forget_discarded(&self, network: &mut Network, inlet: InletId) {
        if let Some(visit) = self.buffers[inlet].granted {
            network.packets.remove(visit.packet);
        }
    }

    /// Whether a channel is down is about to change: cycles for which stops kept packets back are counted.
    pub(in super::super) fn settle_blocked(&mut self, network: &mut Network, channel: ChannelId) {
        let now = network.clock.now();
        for outlet in network.lanes.outlets(channel) {
            let blocked = self.stopped_cycles(network, outlet);
            network.switches.waiting.keep_back(outlet, blocked);
            let since = &mut self.senders[outlet].stopped_since;
            *since = since.map(|_| now);
        }
    }

    /// A channel fails: what has begun to leave on it is broken.
    pub(in super::super) fn break_begun(&self, network: &mut Network, channel: ChannelId) {
        for outlet in network.lanes.outlets(channel) {
            let sender = &self.senders[outlet];
            if let Some(visit) = sender.sending
                && !sender.is_swallowed
            {
                network.packets[visit.packet].is_broken = true;
            }
        }
    }
}
