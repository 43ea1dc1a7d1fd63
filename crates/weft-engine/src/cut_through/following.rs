//! Packets followed over channels, for whoever wants to see them move.

use super::network::Network;
use crate::ids::{OutletId, PacketId};
use crate::probe::Motion;

impl Network<'_> {
    /// Flits of a packet leave by a lane, one after the other, from the first of two cycles until the second.
    #[cold]
    pub(super) fn note_motion(
        &mut self,
        outlet: OutletId,
        packet: PacketId,
        [start_cycle, end_cycle]: [u64; 2],
    ) {
        let packet = &self.packets[packet];
        let motion = Motion {
            channel: self.lanes.channel(outlet),
            lane: self.lanes.lane(outlet),
            source: packet.source,
            destination: packet.header.destination,
            sequence: packet.sequence,
            generation_cycle: packet.generation_cycle,
            start_cycle,
            end_cycle,
        };
        if let Some(following) = &mut self.following {
            following.note(outlet, motion);
        }
    }
}
