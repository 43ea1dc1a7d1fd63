//! Packets followed over channels, for whoever wants to see them move.

use super::network::Network;
use crate::ids::{OutletId, PacketId};
use crate::probe::Motion;

impl Network<'_> {
    /// A packet has a link until a cycle, flit after flit.
    #[cold]
    pub(super) fn note_motion(&mut self, outlet: OutletId, packet: PacketId, end_cycle: u64) {
        let channel = self.lanes.channel(outlet);
        let cycles_per_flit = u64::from(self.channels[channel].cycles_per_flit);
        let packet = &self.packets[packet];
        let motion = Motion {
            channel,
            lane: self.lanes.lane(outlet),
            source: packet.source,
            destination: packet.header.destination,
            sequence: packet.sequence,
            generation_cycle: packet.generation_cycle,
            start_cycle: end_cycle - u64::from(packet.flits) * cycles_per_flit,
            end_cycle,
        };
        if let Some(motions) = &mut self.motions {
            motions.push(motion);
        }
    }
}
