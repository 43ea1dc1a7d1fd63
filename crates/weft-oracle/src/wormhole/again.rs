//! Packets that sources take, some of them again.

use weft_model::workload::Packet;

/// A packet that its source sends, or sends again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Again {
    /// First cycle in which the NIC may take it.
    pub(super) due_cycle: u64,
    pub(super) sequence: u64,
    pub(super) packet: Packet,
    /// How often it was sent again after failures.
    pub(super) tries: u32,
}
