//! Heads that reach the front of buffers, tails that leave outputs, and what stops and goes change.

use super::Core;
use super::receptions::Tail;
use crate::wormhole::ends::{Ends, Target};
use crate::wormhole::flow::Timing;
use crate::wormhole::switching::Switching;
use weft_fabric::ChannelId;

impl<T: Timing> Core<'_, T> {
    /// A routing flit may have reached the front of an input buffer, or come to wait behind a packet
    /// that is leaving.
    pub(super) fn handle_head(&mut self, input: ChannelId) {
        let now = self.clock.now();
        if let Some(drain) = self.flow.drain(input).get()
            && !self.settle(drain)
        {
            if Switching::second_arrival(&self.flow.channels, &self.traffic, input) == Some(now) {
                self.flow.await_tail(&mut self.clock, drain);
            }
        } else if Switching::front_arrival(&self.flow.channels, &self.traffic, input) == Some(now) {
            self.ask(input, true);
        }
    }

    /// The packet at the front of an input buffer asks for its output; its routing flit may arrive in the
    /// present cycle.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn ask(&mut self, input: ChannelId, arrives: bool) {
        if arrives {
            self.flow.arrive(&mut self.clock, input);
        }
        let output = self.switching.request(
            &mut self.clock,
            &mut self.flow.channels,
            &mut self.traffic,
            input,
        );
        if self.is_down(output) {
            // It may work again in this cycle, and the packet waits for whoever holds it.
            self.flow.touch_fresh(&mut self.clock, input);
            self.clock.refused.push(input);
        } else if self.flow.packet(output).is_none() {
            self.clock.contested.push(output);
        } else if !self.settle(output) {
            if self.is_claimed_ahead(output) {
                self.clock.contested.push(output);
                self.give_up_claim(output);
                return;
            }
            self.flow.await_tail(&mut self.clock, output);
            self.flow.touch_fresh(&mut self.clock, input);
        }
    }

    /// A packet's tail may have left an output in the cycle before.
    pub(super) fn handle_free(&mut self, output: ChannelId) {
        if self.settle(output)
            && let Some(host) = self.flow.ends(output).source_host()
        {
            self.clock.undecided.push(host);
        }
    }

    /// An output has sent all flits that were known to come when it was planned; mostly more have come.
    pub(super) fn handle_dry(&mut self, output: ChannelId) {
        if !self.flow.is_fed(self.clock.now(), output) {
            self.plan(output);
        }
    }

    /// A stop or go may have reached the sender of a channel.
    pub(super) fn handle_control(&mut self, channel: ChannelId) {
        if T::HAS_BORDERS && self.flow.ends(channel).comes_over_border() {
            self.flow.note_crossing(channel);
            return;
        }
        if self.flow.takes_symbol(&mut self.clock, channel) {
            self.settle(channel);
            self.flow.obey_symbol(self.clock.now(), channel);
            self.plan(channel);
        }
    }

    /// Tells whether an output is free, taking note of a tail that has left.
    #[inline]
    pub(super) fn settle(&mut self, output: ChannelId) -> bool {
        if self.flow.packet(output).is_none() {
            return true;
        }
        let is_finished = self.flow.is_finished(self.clock.now(), output);
        if is_finished {
            self.finish(output);
        }
        is_finished
    }

    /// The present packet's tail has left an output before the present cycle.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call of a call costs more than it saves"
    )]
    #[inline(always)]
    fn finish(&mut self, output: ChannelId) {
        let ends = self.flow.ends(output);
        if ends.joins_switches() {
            self.finish_between_switches(output);
        } else if ends.comes_from_switch() {
            self.finish_to_host(output, ends);
        } else {
            self.finish_from_host(output, ends);
        }
    }

    #[inline(never)]
    fn finish_between_switches(&mut self, output: ChannelId) {
        if let Some(input) = self.flow.finish(&mut self.clock, output) {
            self.leave_buffer(output, input);
        }
    }

    /// The tail has left a host, which it was at whole, or in transit.
    #[inline(never)]
    fn finish_from_host(&mut self, output: ChannelId, ends: Ends) {
        let is_in_transit = self.flow.is_in_transit(output);
        if is_in_transit {
            let (run, _) = self.flow.run(output);
            self.close_at_pools(output, run);
        }
        self.flow.finish_at_source(self.clock.now(), output);
        if let Some(source) = ends.source_host() {
            if is_in_transit {
                self.pools.end_sending(source);
            }
            if self.hosts.has_firmware {
                self.hosts.end_sending(source);
            }
        }
    }

    /// The tail has left for a host, a sink or another part.
    #[inline(never)]
    fn finish_to_host(&mut self, output: ChannelId, ends: Ends) {
        let (run, _) = self.flow.run(output);
        if self.flow.is_in_transit(output) {
            self.close_at_pools(output, run);
        }
        let tail = Tail {
            packet: self.flow.packet(output).known("a tail is a packet's"),
            run,
            delivers: self.flow.delivers(output),
        };
        let left = self.flow.finish(&mut self.clock, output);
        match ends.target() {
            Target::Switch(_) => {}
            Target::Host(host) => self.tail_sent_to_host(host, tail),
            Target::Sink => self.traffic.packets.remove(tail.packet),
            Target::Border(_) => self.tail_sent_over_border(tail.packet),
        }
        if let Some(input) = left {
            self.leave_buffer(output, input);
        }
    }

    /// A packet has left an input buffer through an output: others may have both.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn leave_buffer(&mut self, output: ChannelId, input: ChannelId) {
        self.switching.leave(&mut self.flow.channels, input);
        if self.switching.has_requests(&self.flow.channels, output) {
            self.clock.contested.push(output);
        }
        // A routing flit still on its way has its event.
        let now = self.clock.now();
        if let Some(arrival) = Switching::front_arrival(&self.flow.channels, &self.traffic, input)
            && arrival <= now
        {
            self.ask(input, arrival == now);
        }
    }
}
