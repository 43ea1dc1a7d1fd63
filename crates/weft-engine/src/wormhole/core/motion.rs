//! Plans of what outputs send, and who must know of them.

use super::Core;
use crate::cycle::Cycle;
use crate::wormhole::ends::Target;
use crate::wormhole::flow::{Run, Timing};
use crate::wormhole::switching::Switching;
use weft_fabric::ChannelId;

const HELD: &str = "an output that sends holds a packet";

impl<T: Timing> Core<'_, T> {
    /// Plans the present packet's flits on an output anew, from the present cycle on, and passes the
    /// change on to both ends and to the outputs the packet goes on to.
    pub(super) fn plan(&mut self, channel: ChannelId) {
        let mut next = Some(channel);
        while let Some(channel) = next {
            let Some(change) = self.flow.replan(&mut self.clock, channel) else {
                return;
            };
            self.give_up_claim_behind(channel);
            if let Some(sent) = change.closed
                && self.flow.is_in_transit(channel)
            {
                self.close_at_pools(channel, sent);
            }
            if T::HAS_BORDERS && self.flow.ends(channel).leads_over_border() {
                self.tell_change(channel, &change);
            }
            if let Some(head) = self.flow.carry_out(&mut self.clock, channel, &change) {
                if let Some(packet) = head.injected.get() {
                    self.traffic.packets[packet].injection_cycle = head.start;
                }
                self.announce_head(channel, head.arrival);
            }
            next = self.flow.pass_on(&mut self.clock, channel, &change);
        }
    }

    /// Tells the pool that a packet in transit leaves, or enters, of a run that is closed. Of one that only
    /// changes, what has been sent stays the same, and the pool will see it.
    pub(super) fn close_at_pools(&mut self, output: ChannelId, sent: Run<T::Stride>) {
        let (flow, ends) = (&self.flow, self.flow.ends(output));
        if let Some(host) = ends.source_host() {
            self.pools.close_departure(flow, self.clock.now(), host);
        } else if let Some(host) = ends.target_host() {
            self.pools.close_arrival(flow, host, sent);
        }
    }

    /// Tells the far end of a channel when the head of the packet that is on it arrives.
    #[inline]
    pub(super) fn announce_head(&mut self, channel: ChannelId, arrival: Cycle) {
        match self.flow.ends(channel).target() {
            Target::Switch(_) => {
                let packet = self.flow.packet(channel).known(HELD);
                self.traffic.packets[packet].head_arrival = arrival;
                let (clock, channels) = (&mut self.clock, &self.flow.channels);
                let is_draining = self.flow.drain(channel).is_some();
                Switching::announce(clock, channels, channel, arrival, is_draining);
            }
            Target::Host(host) => {
                let delivers = self.flow.delivers(channel);
                if !delivers || self.hosts.has_firmware {
                    let packet = self.flow.packet(channel);
                    let packet = packet.known(HELD);
                    let head = self.flow.coming_head(channel, packet, arrival);
                    self.hosts.announce(&mut self.clock, host, &head, delivers);
                }
            }
            Target::Sink | Target::Border(_) => {}
        }
    }
}
