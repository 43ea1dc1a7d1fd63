//! What engine and oracle both record, so that they can be compared.

use weft_fabric::HostId;

/// The life of one delivered packet. Times are cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PacketRecord {
    /// Host that sent it.
    pub source: HostId,
    /// Its number among the packets of its source, from 0 in order of generation.
    pub sequence: u64,
    /// Host that received it.
    pub destination: HostId,
    /// Payload in bytes.
    pub payload_bytes: u32,
    /// Cycle it was generated in.
    pub generation_cycle: u64,
    /// Cycle its first flit left the source's NIC (of the attempt that was delivered).
    pub injection_cycle: u64,
    /// Cycle its last flit arrived at the destination.
    pub delivery_cycle: u64,
    /// Switches traversed; a switch with an in-transit stop counts twice.
    pub switches: u16,
    /// In-transit stops made.
    pub in_transit_stops: u16,
    /// Packets that left the same source for the same destination later and arrived earlier, where packets choose on
    /// their way; 0 elsewhere.
    pub overtaken_by: u32,
}

/// How a channel spent its time, in cycles since the last reset of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelUse {
    /// Cycles in which it sent a flit.
    pub busy_cycles: u64,
    /// Cycles (at phase 4) in which its output held a granted packet and was stopped.
    pub blocked_cycles: u64,
    /// Longest wait of a packet for the output of a switch: cycles from the first in which it asks
    /// for it to its grant, or to now while it waits. A wait counts whole, its part before the last
    /// reset included.
    pub longest_wait_cycles: u64,
}

/// How a NIC's in-transit pool was used since the last reset of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolUse {
    /// Sum over cycles (end of cycle) of the flits held in the pool.
    pub occupancy_flit_cycles: u64,
    /// Most flits held at the end of any cycle.
    pub max_flits: u32,
    /// In-transit packets accepted into the pool.
    pub packets: u64,
    /// In-transit packets that found the pool too full.
    pub overflows: u64,
}
