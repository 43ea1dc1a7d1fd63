//! What happens to a network while it runs: parts fail and return, tables change, packets are lost.
//!
//! # Parts that fail
//! A channel is *down* while its link has failed, or a switch at one of its ends. What that does to packets is
//! decided packet by packet, so that none is ever cut in two and no credit is lost:
//!
//! * A packet that begins to leave on a channel that is down is *swallowed*. It leaves at the rate of the
//!   link, whatever room there is at the other end and whatever stop was sent, takes no room there, and is lost
//!   in the cycle in which its last flit would have arrived. So a dead port drains what is sent to it, as that
//!   of a switch does, and so does each port of a dead switch.
//! * A packet that had begun to leave on a channel when that failed, and whose last flit has not arrived, is
//!   *broken*. It goes on as if nothing had happened, its receiver being told by its checksum, and is lost
//!   where and when it would have been delivered.
//! * When a channel returns, whatever begins to leave from then on passes.
//!
//! # Tables that change
//! A switch looks up a packet in the tables that it has in the cycle of the packet's request. A host writes
//! address and service level by the tables that it has when the packet joins its queue. A packet that a switch
//! has no entry for, or one that leads to no switch, or no lane, is *discarded*: it crosses to nowhere as if it
//! had been granted an output at once, and is lost in that cycle. At the switch of its destination it takes the
//! host's port, whatever the tables say.
//!
//! # Sources
//! A lost packet is gone, or its source sends it again, see [`Retries`].
//!
//! Changes of a cycle come before all else in it, in the order in which they are listed.

use weft_fabric::{HostId, LinkId, SwitchId};

/// What happens to a part of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A link fails, both ways.
    LinkFails(LinkId),
    /// It works again.
    LinkReturns(LinkId),
    /// A switch fails, and with it every channel from and to it.
    SwitchFails(SwitchId),
    /// It works again, with the tables it has.
    SwitchReturns(SwitchId),
    /// From now on a switch has other tables: a place in a list of tables, where 0 are the first ones.
    SwitchTables(SwitchId, usize),
    /// From now on a host writes headers by other tables.
    HostTables(HostId, usize),
}

/// How sources send again what was lost, as `InfiniBand`'s reliable connections do: each packet by itself, with
/// a timer of its own that starts when its first flit leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// The packet joins its host's queue again so many cycles after it began to leave, or in the cycle
    /// after it was lost if that is later: no source sends what is still under way. At least 1.
    pub timeout_cycles: u64,
    /// How often it is sent again at most.
    pub count: u32,
}

impl Retries {
    /// The cycle in which a lost packet joins the queue again.
    pub fn due_cycle(&self, injection_cycle: u64, loss_cycle: u64) -> u64 {
        let timeout = injection_cycle.saturating_add(self.timeout_cycles);
        timeout.max(loss_cycle + 1)
    }
}

/// All that happens to a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    by_cycle: Vec<(u64, Change)>,
    retries: Option<Retries>,
}

impl Changes {
    /// Changes, each with its cycle, in any order; without `retries` what is lost is gone.
    pub fn new(mut changes: Vec<(u64, Change)>, retries: Option<Retries>) -> Self {
        changes.sort_by_key(|&(cycle, _)| cycle);
        Self {
            by_cycle: changes,
            retries,
        }
    }

    /// Cycles and changes, in order.
    pub fn by_cycle(&self) -> &[(u64, Change)] {
        &self.by_cycle
    }

    /// Whether and how sources send again.
    pub fn retries(&self) -> Option<Retries> {
        self.retries
    }

    /// Counts the tables that there must be for every change to find its own.
    pub fn table_count(&self) -> usize {
        let places = self
            .by_cycle
            .iter()
            .filter_map(|&(_, change)| match change {
                Change::SwitchTables(_, tables) | Change::HostTables(_, tables) => Some(tables),
                _ => None,
            });
        places.max().unwrap_or(0) + 1
    }
}
