//! Packets that a failure would break.

use super::packet_state::Packets;
use crate::ids::PacketId;
use weft_fabric::{ChannelId, HostId};

/// A packet on a channel that its last flit leaves no sooner than in the cycle of the next change.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnderWay {
    pub(super) channel: ChannelId,
    pub(super) packet: PacketId,
    /// Tells whether the number is still that packet's.
    pub(super) name: (HostId, u64, u32),
    pub(super) last_arrival: u64,
    /// Whether it is at its destination then, of which nobody was told yet.
    pub(super) delivers: bool,
}

impl UnderWay {
    /// Whether the number is still that packet's: one that was swallowed or discarded has none any more.
    pub(super) fn is_on(&self, packets: &Packets) -> bool {
        packets[self.packet].name() == self.name
    }
}
