//! One simulation of the cut-through model in parts of the fabric: what is asked of all together.

use super::borders::Borders;
use super::core::{Core, find_waiting_cycle};
use super::error::EngineError;
use super::setting::InPart;
use super::whole::Whole;
use crate::parallel::{Division, Team, WindowCounts, neighbours};
use crate::probe::{Counters, Probe, WaitingPacket};
use std::ptr;
use weft_fabric::ChannelId;
use weft_model::cut_through::LaneUse;
use weft_routing::{HoldsRoutes, Lane};

/// Cores of all parts of a fabric.
#[derive(Debug)]
pub(super) struct Parts<'a>(Team<Core<'a>>);

impl<'a> Parts<'a> {
    /// Makes the cores of all parts at cycle 0, with an empty network; what they are made of leaves windows of a
    /// cycle at least.
    pub(super) fn new<R: HoldsRoutes + Sync>(
        whole: &Whole<'_, 'a, R>,
        division: &Division,
        window: u64,
        thread_count: usize,
    ) -> Result<Self, EngineError> {
        let fabric = whole.fabric;
        let neighbours = neighbours(fabric, division).into_iter();
        let neighbours = neighbours.map(Vec::from_iter).collect();
        let core = |part| whole.core(Borders::of(fabric, division, part));
        Team::new(fabric, division, neighbours, window, thread_count, core).map(Self)
    }

    pub(super) fn window_counts(&self) -> WindowCounts {
        self.0.window_counts()
    }

    pub(super) fn now(&self) -> u64 {
        self.0.now()
    }

    pub(super) fn advance(&mut self, until: u64, probe: &mut impl Probe) {
        self.0.advance(until);
        for core in self.0.parts_mut() {
            core.end::<InPart>(until);
            core.tell(probe);
        }
    }

    pub(super) fn thread_count(&self) -> usize {
        self.0.thread_count()
    }

    pub(super) fn reset_use(&mut self) {
        self.0.parts_mut().iter_mut().for_each(Core::reset_use);
    }

    /// How a lane was used: each end tells what it knows.
    pub(super) fn lane_use(&self, channel: ChannelId, lane: Lane) -> LaneUse {
        let [sender, receiver] = self.0.ends(channel);
        let sent = sender.lane_use(channel, lane);
        if ptr::eq(sender, receiver) {
            return sent;
        }
        let held = receiver.lane_use(channel, lane);
        LaneUse {
            occupancy_flit_cycles: held.occupancy_flit_cycles,
            max_occupancy_flits: held.max_occupancy_flits,
            ..sent
        }
    }

    pub(super) fn waiting_cycle(&self) -> Option<Vec<WaitingPacket>> {
        find_waiting_cycle(&self.0.parts()[0], |channel| self.0.ends(channel))
    }

    pub(super) fn is_at_rest(&self) -> bool {
        self.0.parts().iter().all(Core::is_at_rest)
    }

    pub(super) fn counters(&self) -> Counters {
        self.0.parts().iter().map(Core::counters).sum()
    }

    pub(super) fn hops_to_come(&self) -> u64 {
        self.0.parts().iter().map(Core::hops_to_come).sum()
    }

    pub(super) fn flit_hops(&self) -> u64 {
        self.0.parts().iter().map(Core::flit_hops).sum()
    }
}
