//! How lanes are used. Sums run from the beginning; what was true at the last reset is subtracted.

use crate::ids::{OutletId, Table};
use weft_model::cut_through::LaneUse;

/// What is counted of the network as a whole, and of lanes at the last reset.
#[derive(Debug)]
pub(super) struct Meters {
    at_reset: Table<OutletId, LaneUse>,
    pub(super) packet_hops: u64,
    /// Flits of the packets that got a link, those not yet sent included.
    pub(super) flits_started: u64,
    pub(super) packets_injected: u64,
}

/// The counts of one lane of a channel.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Meter {
    /// Cycles of link time, those to come of the packet being sent included.
    pub(super) busy_cycles: u64,
    /// Cycles for which packets that have left were kept back.
    pub(super) blocked_cycles: u64,
    longest_wait: u64,
}

impl Meter {
    /// A packet takes the lane of an output that it has asked for so many cycles.
    #[inline]
    pub(super) fn grant(&mut self, wait: u64) {
        // Most do not wait, and the record is not looked at then.
        if wait > 0 {
            self.longest_wait = wait.max(self.longest_wait);
        }
    }

    /// The sums since the beginning and the longest wait since the last reset, as far as they are counted
    /// here.
    pub(super) fn counted(&self) -> LaneUse {
        LaneUse {
            busy_cycles: self.busy_cycles,
            blocked_cycles: self.blocked_cycles,
            longest_wait_cycles: self.longest_wait,
            ..LaneUse::default()
        }
    }

    /// Counts the longest wait anew.
    pub(super) fn reset(&mut self) {
        self.longest_wait = 0;
    }
}

impl Meters {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            at_reset: Table::of(LaneUse::default(), lanes),
            packet_hops: 0,
            flits_started: 0,
            packets_injected: 0,
        }
    }

    /// A packet leaves its source.
    #[inline]
    pub(super) fn inject(&mut self) {
        self.packets_injected += 1;
        self.packet_hops += 1;
    }

    /// Sums since the last reset, from those since the beginning.
    pub(super) fn since_reset(&self, outlet: OutletId, in_all: LaneUse) -> LaneUse {
        let before = &self.at_reset[outlet];
        LaneUse {
            busy_cycles: in_all.busy_cycles - before.busy_cycles,
            blocked_cycles: in_all.blocked_cycles - before.blocked_cycles,
            occupancy_flit_cycles: in_all.occupancy_flit_cycles - before.occupancy_flit_cycles,
            ..in_all
        }
    }

    /// Counts anew, from these sums since the beginning on.
    pub(super) fn reset(&mut self, outlet: OutletId, in_all: LaneUse) {
        self.at_reset[outlet] = in_all;
    }
}
