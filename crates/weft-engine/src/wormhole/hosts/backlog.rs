//! What a host has to send: packets in transit, packets lost before, packets of its own.

use crate::cycle::Cycle;
use crate::ids::PacketId;
use crate::wormhole::clock::Clock;
use crate::wormhole::event::Event;
use crate::wormhole::traffic::Traffic;
use std::collections::VecDeque;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::{self, HostStream, Workload};

/// An in-transit packet at the NIC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InTransit {
    /// First cycle in which it may be sent on, never until the firmware has seen it.
    pub(super) ready: Cycle,
    pub(crate) packet: PacketId,
    /// Index, among all flits that ever arrived at the host, of the first one to send.
    pub(crate) first_index: u64,
    pub(crate) pooled: bool,
}

/// A packet that a NIC sends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sending {
    InTransit(InTransit),
    /// A packet of the host's own, which lies whole in NIC memory.
    Local(PacketId),
}

/// Where a packet was lost, in the order in which those of one cycle are sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum LossPlace {
    /// At a host.
    Host(HostId),
    /// At a switch, coming from a channel.
    Input(ChannelId),
}

/// A packet that was lost and that its source will send again.
#[derive(Clone, Copy, Debug)]
struct Retransmission {
    due: Cycle,
    /// Where it was lost; settles the order of packets due in one cycle.
    place: LossPlace,
    packet: PacketId,
}

/// What one host has to send.
#[derive(Debug)]
pub(super) struct Backlog {
    host: HostId,
    stream: HostStream,
    /// The next packets of the stream, as many as were looked at.
    upcoming: VecDeque<workload::Packet>,
    /// Packets taken from the stream so far.
    taken: u64,
    /// Earliest cycle for which a look at the NIC is planned.
    wake_at: Cycle,
    pub(super) in_transit: VecDeque<InTransit>,
    retransmissions: VecDeque<Retransmission>,
    served_in_transit_last: bool,
}

impl Backlog {
    pub(super) fn new(host: HostId, stream: HostStream) -> Self {
        Self {
            host,
            stream,
            upcoming: VecDeque::new(),
            taken: 0,
            wake_at: Cycle::NEVER,
            in_transit: VecDeque::new(),
            retransmissions: VecDeque::new(),
            served_in_transit_last: false,
        }
    }

    /// These packets, generated now, are the next.
    pub(super) fn extend(&mut self, packets: Vec<workload::Packet>) {
        self.upcoming.extend(packets);
    }

    /// A lost packet is to be sent again when it is due.
    pub(super) fn send_again(&mut self, due: Cycle, place: LossPlace, packet: PacketId) {
        let again = Retransmission { due, place, packet };
        let position = self
            .retransmissions
            .partition_point(|other| (other.due, other.place) < (due, place));
        self.retransmissions.insert(position, again);
    }

    /// The next packet to send in the present cycle; if there is none, a look is planned for when there
    /// is.
    #[inline]
    pub(super) fn next(
        &mut self,
        clock: &mut Clock,
        workload: &Workload,
        traffic: &mut Traffic<'_>,
        local_equal_at: usize,
    ) -> Option<Sending> {
        let now = clock.now();
        let front = self.in_transit.front();
        let transit_ready = front.map_or(Cycle::NEVER, |packet| packet.ready);
        let local_ready = self.local_ready(workload);
        if transit_ready > now && local_ready > now {
            self.wake(clock, transit_ready.min(local_ready));
            return None;
        }
        let in_transit_first = if transit_ready <= now && local_ready <= now {
            !self.is_long(now, workload, local_equal_at) || !self.served_in_transit_last
        } else {
            transit_ready <= now
        };
        self.served_in_transit_last = in_transit_first;
        if in_transit_first {
            self.in_transit.pop_front().map(Sending::InTransit)
        } else {
            let packet = self.take_local(now, workload, traffic);
            packet.map(Sending::Local)
        }
    }

    /// Takes the first local packet, if one is due.
    pub(super) fn take_local(
        &mut self,
        now: Cycle,
        workload: &Workload,
        traffic: &mut Traffic<'_>,
    ) -> Option<PacketId> {
        let again = self.retransmissions.front();
        if again.is_some_and(|again| again.due <= now) {
            return self.retransmissions.pop_front().map(|again| again.packet);
        }
        if self.next_generation(workload) > now {
            return None;
        }
        let sequence = self.taken;
        self.taken += 1;
        // Invariant: the next packet's generation time was looked at, and is not never.
        let Some(next) = self.upcoming.pop_front() else {
            unreachable!("a packet is waiting")
        };
        Some(traffic.add(self.host, sequence, &next))
    }

    /// Plans a look for when the next local packet is due.
    pub(super) fn wake_for_local(&mut self, clock: &mut Clock, workload: &Workload) {
        let wake = self.local_ready(workload);
        self.wake(clock, wake);
    }

    /// Tells whether there is nothing to send until after some cycle, and then plans a look for when there
    /// is.
    #[inline]
    pub(super) fn wakes_after(
        &mut self,
        clock: &mut Clock,
        workload: &Workload,
        cycle: Cycle,
    ) -> bool {
        if !self.in_transit.is_empty() || !self.retransmissions.is_empty() {
            return false;
        }
        let wake = self.next_generation(workload);
        if wake <= cycle {
            return false;
        }
        self.wake(clock, wake);
        true
    }

    /// Cycle in which the first local packet is due.
    #[inline]
    fn local_ready(&mut self, workload: &Workload) -> Cycle {
        let again = self.retransmissions.front();
        let again_due = again.map_or(Cycle::NEVER, |again| again.due);
        again_due.min(self.next_generation(workload))
    }

    /// Generation cycle of the next packet in the stream.
    #[inline]
    fn next_generation(&mut self, workload: &Workload) -> Cycle {
        match self.upcoming.front() {
            Some(packet) => Cycle::new(packet.generation_cycle),
            None => self.generation_of(workload, 0),
        }
    }

    /// Generation cycle of the `index`-th packet still in the stream (0 is the next).
    #[inline(never)]
    fn generation_of(&mut self, workload: &Workload, index: usize) -> Cycle {
        while self.upcoming.len() <= index {
            match workload.next_packet(&mut self.stream) {
                Some(packet) => self.upcoming.push_back(packet),
                None => return Cycle::NEVER,
            }
        }
        Cycle::new(self.upcoming[index].generation_cycle)
    }

    /// Plans a look for a cycle to come, unless one is planned before.
    #[inline]
    fn wake(&mut self, clock: &mut Clock, wake: Cycle) {
        if !wake.is_never() && (wake < self.wake_at || self.wake_at <= clock.now()) {
            self.wake_at = wake;
            clock.plan(wake, Event::Nic(self.host));
        }
    }

    /// Whether the local queue is long enough to alternate with the in-transit queue.
    fn is_long(&mut self, now: Cycle, workload: &Workload, local_equal_at: usize) -> bool {
        let again = self
            .retransmissions
            .iter()
            .take_while(|again| again.due <= now)
            .count();
        match local_equal_at.checked_sub(again) {
            None | Some(0) => true,
            Some(missing) => self.generation_of(workload, missing - 1) <= now,
        }
    }
}
