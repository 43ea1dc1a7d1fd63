//! Packets under way.

use super::hosts::Generated;
use crate::ids::{InletId, Maybe, PacketId};
use crate::linked_queue::Linked;
use crate::queue::NEVER;
use crate::slab::Slab;
use weft_fabric::HostId;
use weft_model::PacketRecord;
use weft_routing::Header;

/// All packets that are generated and not delivered.
pub(super) type Packets = Slab<Packet, PacketId>;

/// A packet, from its generation to its delivery.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    generation_cycle: u64,
    injection_cycle: u64,
    sequence: u64,
    /// Cycle in which its head arrives in an input buffer; once it is granted an output, the first in
    /// which it may be sent.
    at: u64,
    header: Header,
    source: HostId,
    payload_bytes: u32,
    flits: u32,
    /// The next packet in the same queue.
    next: Maybe<PacketId>,
    /// The inlet it came by; none at its source.
    inlet: Maybe<InletId>,
    /// Switches it arrived at.
    switches: u16,
}

impl Linked<PacketId> for Packet {
    #[inline]
    fn next(&self) -> Maybe<PacketId> {
        self.next
    }

    #[inline]
    fn set_next(&mut self, next: Maybe<PacketId>) {
        self.next = next;
    }
}

impl Packet {
    /// A packet that its source puts into a queue.
    pub(super) fn new(generated: &Generated, source: HostId, header: Header) -> Self {
        let &Generated {
            packet,
            sequence,
            flits,
            ..
        } = generated;
        Self {
            generation_cycle: packet.generation_cycle,
            injection_cycle: NEVER,
            sequence,
            at: packet.generation_cycle,
            header,
            source,
            payload_bytes: packet.payload_bytes,
            flits,
            next: Maybe::NONE,
            inlet: Maybe::NONE,
            switches: 0,
        }
    }

    #[inline]
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    #[inline]
    pub(super) fn flits(&self) -> u32 {
        self.flits
    }

    #[inline]
    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    /// The inlet it came by, if it is not at its source.
    #[inline]
    pub(super) fn inlet(&self) -> Option<InletId> {
        self.inlet.get()
    }

    #[inline]
    pub(super) fn switches(&self) -> u16 {
        self.switches
    }

    /// Its source, and its number among the packets of it.
    pub(super) fn name(&self) -> (HostId, u64) {
        (self.source, self.sequence)
    }

    /// Its first flit leaves its source.
    #[inline]
    pub(super) fn inject(&mut self, now: u64) {
        self.injection_cycle = now;
    }

    /// Its head will be in an input buffer in cycle `arrival`.
    #[inline]
    pub(super) fn travel(&mut self, arrival: u64) {
        self.at = arrival;
    }

    /// It asks for an output at one more switch; tells how many it arrived at before.
    #[inline]
    pub(super) fn ask(&mut self) -> usize {
        let before = self.switches;
        self.switches += 1;
        before.into()
    }

    /// It has decided on its way.
    pub(super) fn decide(&mut self, header: Header) {
        self.header = header;
    }

    /// It has an output, coming by `inlet`, and may be sent from `ready_at` on.
    #[inline]
    pub(super) fn cross(&mut self, inlet: InletId, ready_at: u64) {
        self.inlet = inlet.into();
        self.at = ready_at;
    }

    /// Its last flit arrives in cycle `delivery_cycle`.
    pub(super) fn record(&self, delivery_cycle: u64) -> PacketRecord {
        PacketRecord {
            source: self.source,
            sequence: self.sequence,
            destination: self.header.destination,
            payload_bytes: self.payload_bytes,
            generation_cycle: self.generation_cycle,
            injection_cycle: self.injection_cycle,
            delivery_cycle,
            switches: self.switches,
            in_transit_stops: 0,
        }
    }
}
