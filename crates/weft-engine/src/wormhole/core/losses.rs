//! Packets that time out at a switch.
//!
//! Such a packet has its head in front of an input buffer and its other flits behind it, in that buffer
//! and in those before. It is granted a *sink*, an output of its own of that input, which takes a flit
//! a cycle as they come: to the buffers it drains like any packet.

use super::Core;
use super::departures::Origin;
use crate::wormhole::flow::Timing;
use crate::wormhole::hosts::LossPlace;
use crate::wormhole::switching::Switching;
use weft_fabric::ChannelId;
use weft_model::LossCause;

impl<T: Timing> Core<'_, T> {
    /// Discards the packets that have waited too long and were not granted their output in the
    /// present cycle.
    pub(super) fn discard_timed_out(&mut self) {
        while let Some(input) = self.clock.timed_out.pop() {
            if self.flow.channels[input].junction.requested {
                self.discard(input);
            }
        }
    }

    fn discard(&mut self, input: ChannelId) {
        let now = self.clock.now();
        let sink = self.flow.sink_of(input);
        self.flow.strip(&mut self.clock, input, sink);
        let packet =
            self.switching
                .discard_front(now, &mut self.flow.channels, &self.traffic, input);
        self.lose(packet, now, LossCause::Timeout, LossPlace::Input(input));
        self.traffic.end_way(packet);
        Switching::look_behind(&mut self.clock, &self.flow.channels, &self.traffic, input);
        let departure = self.departure(Origin::at(input, packet), now, true);
        self.start(sink, &departure, false);
    }
}
