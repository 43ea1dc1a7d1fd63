//! How lanes are used. Sums run from the beginning; what was true at the last reset is subtracted.

use crate::ids::{OutletId, Table};
use weft_model::cut_through::LaneUse;

/// All counts.
#[derive(Debug)]
pub(super) struct Meters {
    lanes: Table<OutletId, Meter>,
    pub(super) packet_hops: u64,
    /// Flits of the packets that got a link, those not yet sent included.
    pub(super) flits_started: u64,
    pub(super) packets_injected: u64,
}

/// The counts of one lane of a channel.
#[derive(Clone, Debug, Default)]
struct Meter {
    /// Cycles of link time, those to come of the packet being sent included.
    busy_cycles: u64,
    /// Cycles for which packets that have left were kept back.
    blocked_cycles: u64,
    longest_wait: u64,
    at_reset: LaneUse,
}

impl Meters {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            lanes: Table::of(Meter::default(), lanes),
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

    /// A packet takes a lane of an output that it has asked for so many cycles.
    #[inline]
    pub(super) fn grant(&mut self, outlet: OutletId, wait: u64) {
        self.packet_hops += 1;
        let longest_wait = &mut self.lanes[outlet].longest_wait;
        *longest_wait = wait.max(*longest_wait);
    }

    /// Flits are sent, which takes the link so many cycles.
    #[inline]
    pub(super) fn send(&mut self, outlet: OutletId, flits: u64, cycles: u64) {
        self.flits_started += flits;
        self.lanes[outlet].busy_cycles += cycles;
    }

    /// So many flits are not sent after all.
    pub(super) fn keep_back(&mut self, outlet: OutletId, flits: u64, cycles: u64) {
        self.flits_started -= flits;
        self.lanes[outlet].busy_cycles -= cycles;
    }

    /// A packet was kept back.
    #[inline]
    pub(super) fn block(&mut self, outlet: OutletId, cycles: u64) {
        self.lanes[outlet].blocked_cycles += cycles;
    }

    /// The sums since the beginning and the longest wait since the last reset, as far as they are counted
    /// here.
    pub(super) fn counted(&self, outlet: OutletId) -> LaneUse {
        let meter = &self.lanes[outlet];
        LaneUse {
            busy_cycles: meter.busy_cycles,
            blocked_cycles: meter.blocked_cycles,
            longest_wait_cycles: meter.longest_wait,
            ..LaneUse::default()
        }
    }

    /// Sums since the last reset, from those since the beginning.
    pub(super) fn since_reset(&self, outlet: OutletId, in_all: LaneUse) -> LaneUse {
        let before = &self.lanes[outlet].at_reset;
        LaneUse {
            busy_cycles: in_all.busy_cycles - before.busy_cycles,
            blocked_cycles: in_all.blocked_cycles - before.blocked_cycles,
            occupancy_flit_cycles: in_all.occupancy_flit_cycles - before.occupancy_flit_cycles,
            ..in_all
        }
    }

    /// Counts anew, from these sums since the beginning on.
    pub(super) fn reset(&mut self, outlet: OutletId, in_all: LaneUse) {
        let meter = &mut self.lanes[outlet];
        meter.at_reset = in_all;
        meter.longest_wait = 0;
    }
}
