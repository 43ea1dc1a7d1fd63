//! Flits, and packets as rows of flits.

use super::again::Again;
use std::collections::VecDeque;
use weft_fabric::{Fabric, HostId, Node, PortNumber, narrow};
use weft_model::workload::Packet;
use weft_model::{PacketRecord, WormholeModel};

/// What a flit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FlitKind {
    /// It names the output port at the next switch, which strips it.
    Routing(PortNumber),
    /// It tells a NIC that the packet is in transit; the NIC strips it.
    Mark,
    /// Type, payload or checksum.
    Body,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Flit {
    /// Number of the attempt it belongs to.
    pub(super) attempt: u64,
    pub(super) kind: FlitKind,
    /// Flits of the packet after this one.
    pub(super) followed_by: u32,
}

impl Flit {
    pub(super) fn is_last(&self) -> bool {
        self.followed_by == 0
    }
}

/// One attempt to bring a packet to its destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) source: HostId,
    pub(super) sequence: u64,
    pub(super) packet: Packet,
    /// Cycle in which the first flit left the source's NIC.
    pub(super) injection_cycle: Option<u64>,
    /// Flits of it sent over channels.
    pub(super) flit_hops: u64,
    /// Switches that its head has traversed.
    pub(super) switches_passed: u16,
    /// A channel failed while it held it.
    pub(super) is_broken: bool,
    /// How often it was sent again after failures.
    pub(super) tries: u32,
    switches: u16,
    in_transit_stops: u16,
}

impl Attempt {
    pub(super) fn new(source: HostId, taken: Again, kinds: &[FlitKind]) -> Self {
        let count = |wanted: fn(&FlitKind) -> bool| {
            let count = kinds.iter().filter(|kind| wanted(kind)).count();
            narrow(count, "a route has at most 65,535 steps")
        };
        Self {
            source,
            sequence: taken.sequence,
            packet: taken.packet,
            injection_cycle: None,
            flit_hops: 0,
            switches_passed: 0,
            is_broken: false,
            tries: taken.tries,
            switches: count(|kind| matches!(kind, FlitKind::Routing(_))),
            in_transit_stops: count(|kind| matches!(kind, FlitKind::Mark)),
        }
    }

    /// Switches that its head, in front of one, will traverse after this one.
    pub(super) fn switches_after_this(&self) -> u16 {
        self.switches - self.switches_passed - 1
    }

    pub(super) fn record(&self, delivery_cycle: u64) -> PacketRecord {
        PacketRecord {
            source: self.source,
            sequence: self.sequence,
            destination: self.packet.destination,
            payload_bytes: self.packet.payload_bytes,
            generation_cycle: self.packet.generation_cycle,
            // Invariant: what arrived was sent.
            injection_cycle: self
                .injection_cycle
                .unwrap_or_else(|| unreachable!("it was sent")),
            delivery_cycle,
            switches: self.switches,
            in_transit_stops: self.in_transit_stops,
            overtaken_by: 0,
        }
    }
}

/// The flits of a packet in the order its source sends them.
pub(super) fn packet_flits(
    fabric: &Fabric,
    model: &WormholeModel,
    source: HostId,
    steps: &[PortNumber],
    packet: Packet,
) -> Vec<FlitKind> {
    let mut kinds = Vec::new();
    let mut here = fabric.host_switch(source);
    for &port in steps {
        kinds.push(FlitKind::Routing(port));
        let channel = fabric.outgoing_at(here, port);
        match channel.map(|channel| fabric.target(channel).node) {
            None => panic!("port {port} of {here} is not wired"),
            Some(Node::Switch(next)) => here = next,
            Some(Node::Host(_)) => kinds.push(FlitKind::Mark),
        }
    }
    let destination = packet.destination;
    assert_eq!(
        here,
        fabric.host_switch(destination),
        "the route ends at its destination's switch"
    );
    kinds.push(FlitKind::Routing(fabric.host_port(destination)));
    let body = model.type_flits + packet.payload_bytes + model.crc_flits;
    kinds.extend((0..body).map(|_| FlitKind::Body));
    kinds
}

/// The flits of one attempt, each knowing how many follow.
pub(super) fn number_flits(attempt: u64, kinds: &[FlitKind]) -> VecDeque<Flit> {
    let mut flits = VecDeque::new();
    for (&kind, followed_by) in kinds.iter().rev().zip(0..) {
        flits.push_front(Flit {
            attempt,
            kind,
            followed_by,
        });
    }
    flits
}
