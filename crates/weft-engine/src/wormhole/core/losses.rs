//! Packets that a switch discards: they have waited too long, or what they ask for is down.
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
    /// Discards the packets that are to wait no longer and were not granted their output in the present
    /// cycle.
    pub(super) fn discard_refused(&mut self) {
        while let Some(input) = self.clock.refused.pop() {
            if self.flow.channels[input].junction.requested
                && let Some(cause) = self.refusal(input)
            {
                self.discard(input, cause);
            }
        }
    }

    /// Why a packet that asks for an output is to wait no longer. What has failed in the present cycle may work
    /// again.
    fn refusal(&self, input: ChannelId) -> Option<LossCause> {
        let (channels, traffic) = (&self.flow.channels, &self.traffic);
        let wanted = self.switching.wanted_output(channels, traffic, input);
        if self.is_down(wanted) {
            return Some(LossCause::Failure);
        }
        let packet = &traffic.packets[channels[input].junction.asking()];
        let waited = self.clock.now() - packet.asking_since;
        let timeout = self.switching.timeout;
        let is_late = timeout.is_some_and(|timeout| waited >= timeout);
        is_late.then_some(LossCause::Timeout)
    }

    fn discard(&mut self, input: ChannelId, cause: LossCause) {
        let now = self.clock.now();
        let sink = self.flow.sink_of(input);
        self.flow.strip(&mut self.clock, input, sink);
        let packet =
            self.switching
                .discard_front(now, &mut self.flow.channels, &self.traffic, input);
        self.lose(packet, now, cause, LossPlace::Input(input));
        self.traffic.end_way(packet);
        Switching::look_behind(&mut self.clock, &self.flow.channels, &self.traffic, input);
        let departure = self.departure(Origin::at(input, packet), now, true);
        self.start(sink, &departure, false);
    }
}
