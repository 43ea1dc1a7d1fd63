//! How lanes are used. Sums run from the beginning; what was true at the last reset is subtracted.

use crate::ids::{OutletId, Table};
use weft_model::cut_through::LaneUse;

/// What is counted of the network as a whole, and of lanes at the last reset.
#[derive(Debug)]
pub(super) struct Meters {
    at_reset: Table<OutletId, Sums>,
    pub(super) packet_hops: u64,
    /// Flits of the packets that got a link, those not yet sent included.
    pub(super) flits_started: u64,
    pub(super) packets_injected: u64,
}

/// What is summed up of one lane of a channel, in cycles and flit-cycles.
#[derive(Clone, Debug, Default)]
struct Sums {
    busy: u64,
    blocked: u64,
    occupancy: u64,
}

/// How packets waited for one lane of a channel. Most do not, so it lies apart from what every packet looks at.
#[derive(Clone, Debug, Default)]
struct Waits {
    /// Cycles for which packets that have left were kept back.
    blocked_cycles: u64,
    longest: u64,
}

/// How packets waited for each lane.
#[derive(Debug)]
pub(super) struct Waiting(Table<OutletId, Waits>);

impl Waiting {
    /// Nobody has waited.
    pub(super) fn new(lanes: usize) -> Self {
        Self(Table::of(Waits::default(), lanes))
    }

    /// A packet takes the lane of an output that it has asked for so many cycles.
    #[inline]
    pub(super) fn grant(&mut self, outlet: OutletId, wait: u64) {
        if wait > 0 {
            let longest = &mut self.0[outlet].longest;
            *longest = wait.max(*longest);
        }
    }

    /// A packet that leaves, or is to be counted anew, was kept back for so many cycles.
    #[inline]
    pub(super) fn keep_back(&mut self, outlet: OutletId, cycles: u64) {
        if cycles > 0 {
            self.0[outlet].blocked_cycles += cycles;
        }
    }

    /// The cycles for which packets were kept back since the beginning and the longest wait since the last reset, as far
    /// as they are counted here.
    pub(super) fn counted(&self, outlet: OutletId) -> LaneUse {
        let waits = &self.0[outlet];
        LaneUse {
            blocked_cycles: waits.blocked_cycles,
            longest_wait_cycles: waits.longest,
            ..LaneUse::default()
        }
    }

    /// Counts the longest wait for a lane anew.
    pub(super) fn reset(&mut self, outlet: OutletId) {
        self.0[outlet].longest = 0;
    }
}

impl Meters {
    pub(super) fn new(lanes: usize) -> Self {
        Self {
            at_reset: Table::of(Sums::default(), lanes),
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
            busy_cycles: in_all.busy_cycles - before.busy,
            blocked_cycles: in_all.blocked_cycles - before.blocked,
            occupancy_flit_cycles: in_all.occupancy_flit_cycles - before.occupancy,
            ..in_all
        }
    }

    /// Counts anew, from these sums since the beginning on.
    pub(super) fn reset(&mut self, outlet: OutletId, in_all: &LaneUse) {
        self.at_reset[outlet] = Sums {
            busy: in_all.busy_cycles,
            blocked: in_all.blocked_cycles,
            occupancy: in_all.occupancy_flit_cycles,
        };
    }
}
