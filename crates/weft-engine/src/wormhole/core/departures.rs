//! Packets that are given outputs, and leave.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId};
use crate::wormhole::flow::{Departure, Timing};
use crate::wormhole::switching::Grant;
use weft_fabric::ChannelId;

/// Where a packet is that is given an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) packet: PacketId,
    /// Channel at whose far end it is; none when it lies whole in NIC memory.
    pub(super) from: Maybe<ChannelId>,
    /// Index, among all flits that ever arrived there, of the first one to send.
    pub(super) first_index: u64,
}

impl<T: Timing> Core<'_, T> {
    /// Lets every free output that was asked for pick one requester.
    pub(super) fn arbitrate(&mut self) {
        while let Some(output) = self.clock.next_contested() {
            if self.flow.packet(output).is_some() {
                continue;
            }
            if let Some(grant) = self.switching.winner(&self.traffic, output) {
                self.grant(output, &grant);
                if self.switching.has_requests(output) {
                    self.touch_losers(output);
                }
            }
        }
    }

    /// Heads that reached an empty buffer in the present cycle, and lost, do not pass at once.
    fn touch_losers(&mut self, output: ChannelId) {
        for input in self.switching.asking_inputs(output) {
            self.flow.touch_fresh(&mut self.clock, input);
        }
    }

    /// Gives a free output to the packet at the front of an input buffer.
    fn grant(&mut self, output: ChannelId, grant: &Grant) {
        self.switching.note_grant(output, grant);
        self.traffic.count_hop();
        if !self.pass(output, grant.input) {
            let earliest = self.clock.now() + self.switching.routing_delay();
            self.flow.strip(&mut self.clock, grant.input, output);
            let origin = self.strip_front(grant.input, output);
            self.traffic.take_step(origin.packet);
            self.start(output, origin, earliest);
        }
    }

    /// The front packet of an input buffer, which has been granted an output.
    #[inline]
    fn strip_front(&mut self, input: ChannelId, output: ChannelId) -> Origin {
        let now = self.clock.now();
        let stripped = self.switching.strip_front(now, input, output);
        self.traffic.strip(stripped.packet);
        Origin {
            packet: stripped.packet,
            from: input.into(),
            first_index: stripped.first_index,
        }
    }

    /// Lets a packet whose head has just reached an empty buffer pass through the output it was
    /// granted: `false`, and nothing done, when something is in the way.
    #[inline]
    fn pass(&mut self, output: ChannelId, input: ChannelId) -> bool {
        let routing_delay = self.switching.routing_delay();
        let Some(delay) = self.flow.passes(input, output, routing_delay) else {
            return false;
        };
        let leads_to_switch = self.flow.ends(output).leads_to_switch();
        let is_heeded = !leads_to_switch && self.hosts.has_firmware();
        if is_heeded || !self.switching.is_alone(input) {
            return false;
        }
        self.flow.strip_passing(input, output);
        let origin = self.strip_front(input, output);
        self.traffic.take_step(origin.packet);
        let awaited = !leads_to_switch || self.switching.has_requests(output);
        self.launch(output, origin, self.clock.now() + delay, awaited);
        true
    }

    /// Hands a packet to an output that is not stopped, all its flits being there in time.
    #[inline]
    pub(super) fn launch(
        &mut self,
        output: ChannelId,
        origin: Origin,
        start: Cycle,
        awaited: bool,
    ) {
        self.enter_buffer(output, origin.packet);
        let departure = self.departure(origin, start, awaited);
        let arrival = self.flow.launch(&mut self.clock, output, &departure);
        self.announce_head(output, arrival);
    }

    /// Hands a packet to an output, which sends it as soon as it can, from `earliest` on. A switch's
    /// output knows already whether its tail is awaited.
    pub(super) fn start(&mut self, output: ChannelId, origin: Origin, earliest: Cycle) {
        self.enter_buffer(output, origin.packet);
        // Hosts always wait for tails.
        let ends = self.flow.ends(output);
        let awaited = match origin.from.get() {
            Some(input) if ends.source_host().is_none() => {
                self.switching.has_head_behind(&mut self.clock, input)
                    || !ends.leads_to_switch()
                    || self.switching.has_requests(output)
            }
            _ => true,
        };
        let departure = self.departure(origin, earliest, awaited);
        self.flow.start(self.clock.now(), output, &departure);
        self.plan(output);
    }

    /// A packet is given a channel, and so is on its way into the buffer it leads to, if to one.
    #[inline]
    fn enter_buffer(&mut self, channel: ChannelId, packet: PacketId) {
        if !self.flow.ends(channel).leads_to_switch() {
            return;
        }
        if let Some(drain) = self.flow.drain(channel).get() {
            self.settle(drain);
        }
        let first_index = self.flow.total_sent(channel);
        self.switching.enter(channel, packet, first_index);
    }

    #[inline]
    fn departure(&self, origin: Origin, earliest: Cycle, awaited: bool) -> Departure {
        let packet = &self.traffic[origin.packet];
        Departure {
            packet: origin.packet,
            from: origin.from,
            first_index: origin.first_index,
            earliest,
            flits: packet.flits,
            delivers: packet.is_at_end(),
            awaited,
        }
    }
}
