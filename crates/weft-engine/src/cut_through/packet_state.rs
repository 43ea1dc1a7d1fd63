//! Packets under way.

use super::hosts::Generated;
use crate::ids::{InletId, Maybe, PacketId};
use crate::linked_queue::Linked;
use crate::queue::NEVER;
use crate::slab::Slab;
use weft_fabric::HostId;
use weft_model::PacketRecord;
use weft_model::workload;
use weft_routing::{Header, StepsAhead};

/// All packets that are generated and not delivered.
pub(super) type Packets = Slab<Packet, PacketId>;

/// A packet, from its generation to its delivery. What is used at every switch comes first and fills one
/// cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Packet {
    /// Cycle in which its head arrives in an input buffer; once it is granted an output, the first in
    /// which it may be sent.
    pub(super) at: u64,
    /// The steps it takes next.
    pub(super) ahead: StepsAhead,
    pub(super) flits: u32,
    /// The next packet in the same queue.
    pub(super) next: Maybe<PacketId>,
    /// The inlet it came by; none at its source.
    pub(super) inlet: Maybe<InletId>,
    /// Switches it arrived at.
    pub(super) switches: u16,
    pub(super) header: Header,
    pub(super) injection_cycle: u64,
    pub(super) source: HostId,
    pub(super) payload_bytes: u32,
    pub(super) generation_cycle: u64,
    pub(super) sequence: u64,
    /// For how many cycles it asked for its output, if it has one, or will have, that it was promised; with
    /// foresight alone.
    pub(super) wait: u32,
    /// How often it was lost before.
    pub(super) attempt: u32,
    /// Packets of the same pair that left the source after it and arrived before it, where packets choose.
    pub(super) overtaken_by: u32,
    /// A channel failed while it was on it: it will be lost where it would be delivered.
    pub(super) is_broken: bool,
    /// It is the last of those it was generated with.
    pub(super) is_last: bool,
}

const _: () = assert!(std::mem::offset_of!(Packet, injection_cycle) == 64);

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
    pub(super) fn new(
        generated: &Generated,
        source: HostId,
        header: Header,
        ahead: StepsAhead,
    ) -> Self {
        let &Generated {
            packet,
            sequence,
            flits,
            joined_cycle,
            attempt,
            ..
        } = generated;
        Self {
            generation_cycle: packet.generation_cycle,
            injection_cycle: NEVER,
            sequence,
            at: joined_cycle,
            ahead,
            wait: 0,
            header,
            source,
            payload_bytes: packet.payload_bytes,
            flits,
            next: Maybe::NONE,
            inlet: Maybe::NONE,
            switches: 0,
            attempt,
            overtaken_by: 0,
            is_broken: false,
            is_last: generated.is_last,
        }
    }

    /// What tells it from all others, and from itself when it was sent before.
    pub(super) fn name(&self) -> (HostId, u64, u32) {
        (self.source, self.sequence, self.attempt)
    }

    /// The packet as its source sends it again in a cycle.
    pub(super) fn again(&self, joined_cycle: u64) -> Generated {
        Generated {
            packet: workload::Packet {
                generation_cycle: self.generation_cycle,
                destination: self.header.destination,
                payload_bytes: self.payload_bytes,
                is_control: self.header.lanes_above() > 0,
                is_urgent: false,
                queue_pair: 0,
            },
            joined_cycle,
            attempt: self.attempt + 1,
            sequence: self.sequence,
            is_last: self.is_last,
            lanes_above: self.header.lanes_above(),
            flits: self.flits,
        }
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
            overtaken_by: self.overtaken_by,
        }
    }
}
