//! NICs that take their next packets.

use super::Core;
use super::departures::Origin;
use crate::ids::{Maybe, PacketId};
use crate::wormhole::flow::Timing;
use crate::wormhole::hosts::{Deed, InTransit, Sending};
use weft_fabric::{ChannelId, HostId};

impl<T: Timing> Core<'_, T> {
    /// Lets every idle NIC that may have something to send take its next packet.
    pub(super) fn decide(&mut self) {
        while let Some(host) = self.clock.undecided.pop() {
            if self.hosts.has_firmware {
                self.run_firmware(host);
                continue;
            }
            if self.is_cut_off(host) || self.has_taken_in_vain(host) {
                continue;
            }
            let injection = self.hosts.injection(host);
            if !self.settle(injection) {
                self.flow.await_tail(&mut self.clock, injection);
            } else if let Some(sending) =
                self.hosts
                    .next_to_send(&mut self.clock, &mut self.traffic, host)
            {
                self.send(host, sending);
            }
        }
    }

    /// Phase 3 of a NIC with firmware.
    fn run_firmware(&mut self, host: HostId) {
        let deed = self.hosts.finish_handler(&mut self.clock, &self.flow, host);
        match deed {
            Some(Deed::Send(sending)) => self.send(host, sending),
            Some(Deed::Deliver(record)) => self.deliver(record),
            None => {}
        }
        if self.has_taken_in_vain(host) {
            return;
        }
        let unreachable =
            self.hosts
                .begin_handler(&mut self.clock, &self.flow, &mut self.traffic, host);
        if let Some(packet) = unreachable {
            self.lose_at_source(host, packet);
        }
    }

    fn send(&mut self, host: HostId, sending: Sending) {
        if T::HAS_CHANGES {
            let (Sending::Local(packet) | Sending::InTransit(InTransit { packet, .. })) = sending;
            if !self.traffic.packets[packet].has_route {
                self.lose_at_source(host, packet);
                return;
            }
            self.traffic.packets[packet].is_broken |= self.is_cut_off(host);
        }
        self.traffic.hops += 1;
        match sending {
            Sending::InTransit(stop) => self.send_in_transit(host, stop),
            Sending::Local(packet) => self.send_local(host, packet),
        }
    }

    /// Sends an in-transit packet on.
    fn send_in_transit(&mut self, host: HostId, stop: InTransit) {
        let now = self.clock.now();
        self.pools.begin_sending(host, stop.pooled);
        let injection = self.hosts.injection(host);
        self.flow.draw_from(injection.reverse(), stop.first_index);
        let origin = Origin::at(injection.reverse(), stop.packet);
        let mut departure = self.departure(origin, now, true);
        let is_draining = self.is_draining(injection);
        let is_stopped = self.flow.is_stopped(injection);
        if is_stopped || !self.flow.comes_in_time(now, injection, stop.packet) {
            self.start(injection, &departure, is_draining);
        } else {
            departure.awaited = self.is_tail_awaited(host, injection, departure.flits);
            self.launch(injection, &departure, is_draining);
        }
    }

    /// Whether a NIC has something to send when the tail of a packet leaves that it sends from now on. If the
    /// next one comes later, it is the next one that is an event.
    #[inline]
    fn is_tail_awaited(&mut self, host: HostId, injection: ChannelId, flits: u32) -> bool {
        let free_at = self.clock.now() + u64::from(flits) * self.flow.pace(injection);
        !self.hosts.wakes_after(&mut self.clock, host, free_at)
    }

    /// Sends a packet of the host's, which lies whole in NIC memory.
    fn send_local(&mut self, host: HostId, packet: PacketId) {
        let now = self.clock.now();
        let injection = self.hosts.injection(host);
        let from = Maybe::NONE;
        let mut departure = self.departure(Origin { packet, from }, now, true);
        let is_draining = self.is_draining(injection);
        if self.flow.is_stopped(injection) {
            self.start(injection, &departure, is_draining);
            return;
        }
        self.traffic.packets[packet].injection_cycle = now;
        departure.awaited = self.is_tail_awaited(host, injection, departure.flits);
        self.launch(injection, &departure, is_draining);
    }
}
