//! Packets that are given outputs, and leave.

use super::Core;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId};
use crate::wormhole::ends::Target;
use crate::wormhole::flow::{ComingHead, Departure, Timing};
use crate::wormhole::switching::{Grant, Switching};
use weft_fabric::ChannelId;

/// Where a packet is that is given an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) packet: PacketId,
    /// Channel at whose far end it is; none when it lies whole in NIC memory.
    pub(super) from: Maybe<ChannelId>,
}

impl Origin {
    /// In front of the buffer that a channel leads to.
    #[inline]
    pub(super) fn at(input: ChannelId, packet: PacketId) -> Self {
        let from = input.into();
        Self { packet, from }
    }
}

impl<T: Timing> Core<'_, T> {
    /// Lets every free output that was asked for pick one requester.
    pub(super) fn arbitrate(&mut self) {
        while let Some(output) = self.clock.contested.pop() {
            if self.flow.packet(output).is_some() {
                continue;
            }
            if self.is_down(output) {
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

    /// Gives a free output to the packet at the front of an input buffer: one whose head has just reached
    /// an empty buffer passes, unless something is in the way.
    #[inline]
    fn grant(&mut self, output: ChannelId, grant: &Grant) {
        let (now, input) = (self.clock.now(), grant.input);
        let is_draining = self.is_draining(output);
        let delay = self.passing_delay(output);
        let (pace, stop_above) = (self.flow.stride(output), self.flow.stop_above);
        let channels = &mut self.flow.channels;
        channels[output].junction.grant(grant.port);
        self.switching.withdraw_from_afar(output, grant.port);
        let packet = channels[input].junction.answer();
        // One channel, where a cable leads back to its switch and a packet takes it twice.
        let (from, to) = (&channels[input], &channels[output]);
        let leads_to_switch = to.ends.leads_to_switch();
        let is_heeded = self.hosts.has_firmware && !leads_to_switch;
        if from.passes(to, pace, delay, stop_above) && from.junction.is_single() && !is_heeded {
            let is_asked = to.junction.is_asked() || self.switching.is_asked_from_afar(output);
            self.flow.channels[input].strip(output);
            let origin = Origin::at(input, packet);
            let mut departure = self.next_departure(origin, now + delay, is_asked);
            departure.awaited |= !leads_to_switch && self.hears_tail(departure.delivers);
            self.launch(output, &departure, is_draining);
        } else {
            self.flow.strip(&mut self.clock, input, output);
            let waited = now - self.traffic.packets[packet].asking_since;
            self.switching.note_wait(waited, output);
            let (channels, traffic) = (&self.flow.channels, &self.traffic);
            let is_followed = Switching::look_behind(&mut self.clock, channels, traffic, input);
            let awaited = is_followed || self.switching.has_requests(&self.flow.channels, output);
            let origin = Origin::at(input, packet);
            let mut departure =
                self.next_departure(origin, now + self.switching.routing_delay, awaited);
            departure.awaited |= !leads_to_switch && self.hears_tail(departure.delivers);
            self.start(output, &departure, is_draining);
        }
    }

    /// Whether who is no switch must be told when the tail leaves of a packet on the way to it. A host that the
    /// packet stops at in transit has heard all by its mark, unless it is to throw the packet away.
    #[inline]
    pub(super) fn hears_tail(&self, delivers: bool) -> bool {
        delivers || T::HAS_BORDERS || self.hosts.hear_tails
    }

    /// Hands a packet to an output that is not stopped, all its flits being there in time.
    #[inline]
    pub(super) fn launch(&mut self, output: ChannelId, departure: &Departure, is_draining: bool) {
        self.follow(output, departure.packet);
        let coming = self.flow.launch(&mut self.clock, output, departure);
        match self.flow.ends(output).target() {
            Target::Switch(_) => {
                if !self.claim_ahead(output, &coming) {
                    self.enter(output, &coming, is_draining);
                }
            }
            Target::Host(host) => {
                if !departure.delivers {
                    self.hosts.announce(&mut self.clock, host, &coming, false);
                }
            }
            Target::Border(_) if !T::HAS_BORDERS => {}
            Target::Border(_) => self.cross_border(output, departure, true),
            Target::Sink => unreachable!("what is discarded does not pass"),
        }
    }

    /// Hands a packet to an output, which sends it as soon as it can.
    pub(super) fn start(&mut self, output: ChannelId, departure: &Departure, is_draining: bool) {
        self.follow(output, departure.packet);
        let coming = self.flow.start(self.clock.now(), output, departure);
        match self.flow.ends(output).target() {
            Target::Switch(_) => self.enter(output, &coming, is_draining),
            Target::Border(_) if !T::HAS_BORDERS => {}
            Target::Border(_) => self.cross_border(output, departure, false),
            Target::Host(_) | Target::Sink => {}
        }
        self.plan(output);
    }

    /// A packet is on its way to the next switch.
    #[inline]
    pub(super) fn enter(&mut self, output: ChannelId, coming: &ComingHead, is_draining: bool) {
        self.traffic.packets[coming.packet].head_arrival = coming.arrival;
        let channels = &mut self.flow.channels;
        self.switching
            .enter(&mut self.clock, channels, output, coming, is_draining);
    }

    /// Whether a packet is leaving the buffer that a channel leads to.
    #[inline]
    pub(super) fn is_draining(&mut self, channel: ChannelId) -> bool {
        let drain = self.flow.drain(channel).get();
        drain.is_some_and(|drain| !self.settle(drain))
    }

    /// A packet takes its next step and departs.
    #[inline]
    fn next_departure(&mut self, origin: Origin, earliest: Cycle, awaited: bool) -> Departure {
        self.traffic.take_step(origin.packet);
        self.departure(origin, earliest, awaited)
    }

    #[inline]
    pub(super) fn departure(&self, origin: Origin, earliest: Cycle, awaited: bool) -> Departure {
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
