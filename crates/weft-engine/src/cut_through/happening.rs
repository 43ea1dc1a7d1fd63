//! What is to happen, what has failed, and which packets a failure would break.

use super::packet_state::Packets;
use crate::ids::{PacketId, Table};
use crate::queue::NEVER;
use weft_fabric::{ChannelId, Fabric, HostId, LinkId, SwitchId};
use weft_model::changes::{Change, Changes};

/// What is to happen, what has failed, and which packets a failure would break.
#[derive(Debug)]
pub(super) struct Happening {
    pub(super) changes: Changes,
    /// How many of them have happened.
    done: usize,
    pub(super) failed_links: Table<LinkId, bool>,
    pub(super) failed_switches: Table<SwitchId, bool>,
    pub(super) under_way: Vec<UnderWay>,
}

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

impl Happening {
    pub(super) fn new(fabric: &Fabric, changes: &Changes) -> Self {
        Self {
            changes: changes.clone(),
            done: 0,
            failed_links: Table::of(false, fabric.link_count()),
            failed_switches: Table::of(false, fabric.switch_count()),
            under_way: Vec::new(),
        }
    }

    /// The cycle of the next change.
    pub(super) fn next_cycle(&self) -> u64 {
        let next = self.changes.by_cycle().get(self.done);
        next.map_or(NEVER, |&(cycle, _)| cycle)
    }

    /// The next of the changes that are due by `now`.
    pub(super) fn next_due(&mut self, now: u64) -> Option<Change> {
        let &(cycle, change) = self.changes.by_cycle().get(self.done)?;
        (cycle <= now).then(|| {
            self.done += 1;
            change
        })
    }
}

impl UnderWay {
    /// Whether the number is still that packet's: one that was swallowed or discarded has none any more.
    pub(super) fn is_on(&self, packets: &Packets) -> bool {
        packets[self.packet].name() == self.name
    }
}
