//! Outputs claimed ahead of time.
//!
//! A packet that meets nobody asks for each output in the cycle in which its head reaches an empty buffer,
//! and gets it. Where that is to be foreseen, it is settled beforehand, for as many switches as possible at
//! once: the head's way over them is no event. A *claim* is an output granted for a cycle to come. Nothing
//! in the claimed buffers or on the way to them can be changed until then but by who asks for the output
//! before, or in the same cycle, or by a gap in what feeds it: then the claim is given up with all that
//! rest on it, the packet is on its way as if it had never been made, and asks in its time.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId};
use crate::wormhole::event::Event;
use crate::wormhole::flow::{ComingHead, Departure, Stride, Timing};
use weft_fabric::ChannelId;

/// Where the head of a packet goes that has claimed an output.
enum Onward {
    /// To the next switch, which it reaches in some cycle.
    Switch(ChannelId, Cycle),
    /// To its destination.
    Host,
}

impl<T: Timing> Core<'_, T> {
    /// Lets a packet, all of whose flits are about to follow one another over a channel, claim outputs
    /// ahead of time, if it is alone there: `false` when others are before it.
    #[inline]
    pub(super) fn claim_ahead(&mut self, channel: ChannelId, coming: &ComingHead) -> bool {
        let record = &mut self.flow.channels[channel];
        if record.junction.count > 0 || !self.switching.serves_who_is_alone() {
            return false;
        }
        record.junction.count = 1;
        record.junction.front = coming.packet.into();
        let mut is_clear = record.is_calm() && !record.input_drains();
        let (mut channel, mut arrival) = (channel, coming.arrival);
        while is_clear {
            match self.claim(channel, coming.packet, arrival) {
                Some(Onward::Switch(output, later)) => (channel, arrival) = (output, later),
                Some(Onward::Host) => return true,
                None => is_clear = false,
            }
        }
        self.traffic.packets[coming.packet].head_arrival = arrival;
        self.clock.plan(arrival, Event::Head(channel));
        true
    }

    /// Lets a packet that reaches the end of a channel in some cycle claim the next output, if all is clear
    /// there until then, as it is on the way to it.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn claim(&mut self, input: ChannelId, packet: PacketId, arrival: Cycle) -> Option<Onward> {
        let state = &self.traffic.packets[packet];
        let output = self
            .switching
            .next_output(self.flow.channels[input].ends, state);
        let is_last = state.step == state.step_count;
        if self.is_down(output) || !self.is_clear(output, is_last) {
            return None;
        }
        let delay = self.passing_delay(output);
        let (pace, stop_above) = (self.flow.stride(output), self.flow.stop_above);
        let (from, to) = self.flow.channels.pair(input, output);
        // To note a tail that had left the output may have given claims up, and the first of this packet's too.
        if !from.junction.front.is(packet) || !from.never_fills(pace, delay, stop_above) {
            return None;
        }
        from.strip(output);
        to.junction.claim(from.junction.port);
        let leads_to_switch = to.ends.leads_to_switch();
        if leads_to_switch {
            to.junction.count = 1;
            to.junction.front = packet.into();
        }
        self.traffic.take_step(packet);
        let departure = Departure {
            packet,
            from: input.into(),
            earliest: arrival + delay,
            flits: self.traffic.packets[packet].flits,
            delivers: is_last,
            awaited: !leads_to_switch && self.hears_tail(is_last),
        };
        self.follow(output, packet);
        let arrival = self.flow.launch_whole(&mut self.clock, output, &departure);
        Some(if leads_to_switch {
            Onward::Switch(output, arrival)
        } else {
            Onward::Host
        })
    }

    /// Whether an output is free and not asked for, and nothing is in the way behind it of a packet that
    /// takes it later.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn is_clear(&mut self, output: ChannelId, is_last: bool) -> bool {
        if !self.settle(output) || self.switching.has_requests(&self.flow.channels, output) {
            return false;
        }
        if !self.flow.ends(output).leads_to_switch() {
            return is_last && !self.hosts.has_firmware;
        }
        if self.is_draining(output) {
            return false;
        }
        let record = &self.flow.channels[output];
        record.junction.count == 0 && record.is_calm()
    }

    /// Whether an output was claimed by a packet that would ask for it in the present cycle or later.
    #[inline]
    pub(super) fn is_claimed_ahead(&self, output: ChannelId) -> bool {
        let record = &self.flow.channels[output];
        record.junction.is_claimed() && self.asks_in(output) >= self.clock.now()
    }

    /// Cycle in which the packet that has claimed an output asks for it.
    #[inline]
    fn asks_in(&self, output: ChannelId) -> Cycle {
        self.flow.earliest(output) - self.passing_delay(output)
    }

    /// Cycles from the one in which a head reaches an empty buffer to the one in which it leaves through an
    /// output that is free.
    #[inline]
    pub(super) fn passing_delay(&self, output: ChannelId) -> u64 {
        let pace = self.flow.stride(output).cycles();
        self.switching.routing_delay.max(pace)
    }

    /// Gives the claim up that rests on what a channel sends, which is about to be changed.
    #[inline]
    pub(super) fn give_up_claim_behind(&mut self, channel: ChannelId) {
        if let Some(output) = self.flow.drain(channel).get()
            && self.flow.packet(output) == self.flow.packet(channel)
            && self.is_claimed_ahead(output)
        {
            self.give_up_claim(output);
        }
    }

    /// Gives a claim of a cycle to come up, and all that rest on it: the packet will ask in its time.
    #[inline(never)]
    pub(super) fn give_up_claim(&mut self, output: ChannelId) {
        let asks_in = self.asks_in(output);
        let (packet, input) = self.flow.holder(output);
        self.flow.channels[input].unstrip();
        let mut steps = 0;
        let mut next = Some(output);
        while let Some(output) = next {
            steps += 1;
            next = self.flow.drain(output).get();
            let record = &mut self.flow.channels[output];
            record.give_up();
            record.junction.unclaim();
            if record.ends.leads_to_switch() {
                record.junction.count = 0;
                record.junction.front = Maybe::NONE;
            }
        }
        self.traffic.take_back(packet, steps);
        self.traffic.packets[packet].head_arrival = asks_in;
        if asks_in == self.clock.now() {
            self.ask(input, true);
        } else {
            self.clock.plan(asks_in, Event::Head(input));
        }
    }

    /// Outputs that are claimed for the present cycle or a later one.
    pub(in crate::wormhole) fn hops_to_come(&self) -> u64 {
        let outputs = (0..self.flow.part_count()).map(ChannelId::from_index);
        let claimed = outputs
            .filter(|&output| self.flow.packet(output).is_some() && self.is_claimed_ahead(output));
        claimed.count() as u64
    }
}
