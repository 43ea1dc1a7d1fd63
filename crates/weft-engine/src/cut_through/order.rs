//! Where packets choose: which overtake which on their way.

use super::packet_state::Packets;
use crate::ids::{PacketId, Table};
use std::collections::VecDeque;
use weft_fabric::{Fabric, HostId};

/// Packets that left their sources and have not arrived.
#[derive(Debug)]
pub(super) struct Order {
    /// Per source, in the order in which they left.
    under_way: Table<HostId, VecDeque<PacketId>>,
}

impl Order {
    /// Nothing is under way.
    pub(super) fn new(fabric: &Fabric) -> Self {
        let hosts = fabric.host_ids();
        Self {
            under_way: hosts.map(|_| VecDeque::new()).collect(),
        }
    }

    /// A packet leaves its source.
    pub(super) fn leave(&mut self, source: HostId, packet: PacketId) {
        self.under_way[source].push_back(packet);
    }

    /// A packet is lost.
    pub(super) fn forget(&mut self, source: HostId, packet: PacketId) {
        self.under_way[source].retain(|&other| other != packet);
    }

    /// A packet arrives, unless it has before: it has overtaken those of its pair that left before it.
    pub(super) fn arrive(&mut self, arrived: PacketId, packets: &mut Packets) {
        let (source, destination) = {
            let packet = &packets[arrived];
            (packet.source, packet.header.destination)
        };
        let under_way = &mut self.under_way[source];
        let Some(place) = under_way.iter().position(|&other| other == arrived) else {
            return;
        };
        for &before in under_way.range(..place) {
            let before = &mut packets[before];
            if before.header.destination == destination {
                before.overtaken_by += 1;
            }
        }
        under_way.remove(place);
    }
}
