//! Packets that are given outputs, and leave.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId};
use crate::wormhole::ends::Target;
use crate::wormhole::flow::{Departure, Timing};
use crate::wormhole::switching::Grant;
use weft_fabric::ChannelId;

/// Where a packet is that is given an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) packet: PacketId,
    /// Channel at whose far end it is; none when it lies whole in NIC memory.
    pub(super) from: Maybe<ChannelId>,
}

impl<T: Timing> Core<'_, T> {
    /// Lets every free output that was asked for pick one requester.
    pub(super) fn arbitrate(&mut self) {
        while let Some(output) = self.clock.contested.pop() {
            if self.flow.packet(output).is_some() {
                continue;
            }
            if let Some(grant) = self
                .switching
                .winner(&self.flow.channels, &self.traffic, output)
            {
                self.grant(output, &grant);
                if self.switching.has_requests(&self.flow.channels, output) {
                    self.touch_losers(output);
                }
            }
        }
    }

    /// Heads that reached an empty buffer in the present cycle, and lost, do not pass at once.
    fn touch_losers(&mut self, output: ChannelId) {
        for port in self.switching.requesters(&self.flow.channels, output) {
            let input = self.switching.input_at(&self.flow.channels, output, port);
            self.flow.touch_fresh(&mut self.clock, input);
        }
    }

    /// Gives a free output to the packet at the front of an input buffer.
    #[inline]
    fn grant(&mut self, output: ChannelId, grant: &Grant) {
        let (now, input) = (self.clock.now(), grant.input);
        self.switching
            .note_grant(&mut self.flow.channels, output, grant);
        let passes_after = self.passes_after(output, input);
        if passes_after.is_some() {
            self.flow.strip_passing(input, output);
        } else {
            self.flow.strip(&mut self.clock, input, output);
            self.switching
                .note_wait(now, &self.flow.channels, input, output);
        }
        let packet = self.switching.strip_front(&mut self.flow.channels, input);
        self.traffic.take_step(packet);
        let origin = Origin {
            packet,
            from: input.into(),
        };
        if let Some(delay) = passes_after {
            let leads_to_switch = self.flow.ends(output).leads_to_switch();
            let awaited =
                !leads_to_switch || self.switching.has_requests(&self.flow.channels, output);
            self.launch(output, origin, now + delay, awaited);
        } else {
            let earliest = now + self.switching.routing_delay;
            self.start(output, origin, earliest);
        }
    }

    /// Tells after how many cycles a packet, whose head has just reached an empty buffer, passes through
    /// the output it was granted; nothing, when something is in the way.
    #[inline]
    fn passes_after(&self, output: ChannelId, input: ChannelId) -> Option<u64> {
        let routing_delay = self.switching.routing_delay;
        let delay = self.flow.passes_after(input, output, routing_delay)?;
        let is_heeded = self.hosts.has_firmware && !self.flow.ends(output).leads_to_switch();
        (!is_heeded && self.flow.channels[input].junction.is_single()).then_some(delay)
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
        let departure = self.departure(origin, start, awaited);
        match self.flow.ends(output).target() {
            Target::Switch(_) => {
                let is_draining = self.is_draining(output);
                let coming = self.flow.launch(&mut self.clock, output, &departure);
                self.switching.enter(
                    &mut self.clock,
                    &mut self.flow.channels,
                    output,
                    &coming,
                    is_draining,
                );
            }
            Target::Host(host) => {
                let coming = self.flow.launch(&mut self.clock, output, &departure);
                if !departure.delivers {
                    self.hosts.announce(&mut self.clock, host, &coming, false);
                }
            }
            Target::Sink => unreachable!("what is discarded does not pass"),
        }
    }

    /// Hands a packet to an output, which sends it as soon as it can, from `earliest` on. A switch's
    /// output knows already whether its tail is awaited.
    pub(super) fn start(&mut self, output: ChannelId, origin: Origin, earliest: Cycle) {
        let ends = self.flow.ends(output);
        let is_draining = ends.leads_to_switch() && self.is_draining(output);
        // Hosts always wait for tails.
        let awaited = match origin.from.get() {
            Some(input) if ends.source_host().is_none() => {
                self.switching
                    .has_head_behind(&mut self.clock, &self.flow.channels, input)
                    || !ends.leads_to_switch()
                    || self.switching.has_requests(&self.flow.channels, output)
            }
            _ => true,
        };
        let departure = self.departure(origin, earliest, awaited);
        let coming = self.flow.start(self.clock.now(), output, &departure);
        if ends.leads_to_switch() {
            self.switching.enter(
                &mut self.clock,
                &mut self.flow.channels,
                output,
                &coming,
                is_draining,
            );
        }
        self.plan(output);
    }

    /// Whether a packet is leaving the buffer that a channel leads to.
    #[inline]
    fn is_draining(&mut self, channel: ChannelId) -> bool {
        let drain = self.flow.drain(channel).get();
        drain.is_some_and(|drain| !self.settle(drain))
    }

    #[inline]
    fn departure(&self, origin: Origin, earliest: Cycle, awaited: bool) -> Departure {
        let packet = &self.traffic.packets[origin.packet];
        Departure {
            packet: origin.packet,
            from: origin.from,
            earliest,
            flits: packet.flits,
            delivers: packet.is_at_end(),
            awaited,
        }
    }
}
