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
//! A switch looks up a packet in the tables that it has in the cycle of the packet's request, whole ones given to it
//! and single entries written since. A host writes
//! address and service level by the tables that it has when the packet joins its queue, or becomes the first of its
//! queue pair. A packet that a switch
//! has no entry for, or one that leads to no switch, or no lane, is *discarded*: it crosses to nowhere as if it
//! had been granted an output at once, and is lost in that cycle. At the switch of its destination it takes the
//! host's port, whatever the tables say.
//!
//! # Wormhole networks
//! A packet holds several channels at once there: each output from its grant, and its source's or that of a stop
//! from when the NIC takes it, until its last flit has left as a whole.
//!
//! * A packet whose channel fails while it holds that is *broken*: it goes on as if nothing had happened, and is
//!   lost in the cycle in which it would have been delivered to the NIC of its destination.
//! * A packet that asks for an output that is down, or waits for one that fails, is discarded as one that has
//!   waited too long, and lost in that cycle.
//! * A NIC knows whether its own link works, and takes no packet while it does not; those that come to it on the
//!   way to others wait. Firmware that has begun to send breaks what it sends.
//! * Hosts hold the routes, and a mapper gives them others ([`Change::HostTables`]): a packet takes those of its
//!   source in the cycle in which the NIC takes it, in firmware that in which its DMA is asked for. One that they
//!   do not lead to its destination is lost then, and nothing else taken in that cycle. Switches hold no tables.
//!
//! # Sources
//! A lost packet is gone, or its source sends it again, see [`Retries`]. Those of wormhole networks go by it for
//! what is lost in failures and for want of a route alone; what overflows, is damaged or waits too long they send
//! again as the hardware does anyway.
//!
//! Changes of a cycle come before all else in it, in the order in which they are listed.

use weft_fabric::{Fabric, HostId, LinkId, PortNumber, SwitchId};

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
    /// From now on a switch has another entry for an address, by its place among all of the tables: a port, or
    /// none (port 0). It lasts until the switch is given other tables.
    SwitchEntry(SwitchId, u32, PortNumber),
    /// From now on a host writes headers by other tables, or sends by other routes.
    HostTables(HostId, usize),
}

/// How sources send again what was lost, as `InfiniBand`'s reliable connections do: each packet by itself, with
/// a timer of its own that starts when its first flit leaves, or when it is lost before.
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

/// A change names what is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("change {place} (cycle {cycle}) names {found}, but there are {count} {what}, from 0 on")]
pub struct UnknownPart {
    /// Place among the changes, by cycle, from 1.
    pub place: usize,
    /// Its cycle.
    pub cycle: u64,
    /// What it names.
    pub found: usize,
    /// Of which kind.
    pub what: &'static str,
    /// How many there are.
    pub count: usize,
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

    /// Nothing happens.
    pub const fn none() -> Self {
        Self {
            by_cycle: Vec::new(),
            retries: None,
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

    /// The first change that names what is not there.
    pub fn unknown_part(&self, fabric: &Fabric, table_count: usize) -> Option<UnknownPart> {
        let link = |link: LinkId| (link.index(), "links", fabric.link_count());
        let switch = |switch: SwitchId| (switch.index(), "switches", fabric.switch_count());
        let host = |host: HostId| (host.index(), "hosts", fabric.host_count());
        let tables = |tables: usize| (tables, "tables", table_count);
        let named = |change| match change {
            Change::LinkFails(id) | Change::LinkReturns(id) => [link(id); 2],
            Change::SwitchFails(id) | Change::SwitchReturns(id) | Change::SwitchEntry(id, ..) => {
                [switch(id); 2]
            }
            Change::SwitchTables(id, place) => [switch(id), tables(place)],
            Change::HostTables(id, place) => [host(id), tables(place)],
        };
        self.by_cycle
            .iter()
            .zip(1..)
            .find_map(|(&(cycle, change), place)| {
                let named = named(change).into_iter();
                let mut unknown = named.filter(|&(found, _, count)| found >= count);
                unknown.next().map(|(found, what, count)| UnknownPart {
                    place,
                    cycle,
                    found,
                    what,
                    count,
                })
            })
    }

    /// Whether switches or hosts are given others than the first tables, or entries.
    pub fn are_of_tables(&self) -> bool {
        self.by_cycle.iter().any(|(_, change)| {
            matches!(
                change,
                Change::SwitchTables(..) | Change::SwitchEntry(..) | Change::HostTables(..)
            )
        })
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
