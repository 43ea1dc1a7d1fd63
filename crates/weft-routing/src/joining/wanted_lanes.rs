//! Which lanes of channels would wait for which, before it is known whether they can.

use super::held_lanes::{HeldLanes, LaneStep, vertex};
use crate::cycles::Dependencies;
use crate::paths::PathSpace;

/// What ways would depend on, cycles and all, before it is known whether they can be held.
#[derive(Clone, Debug)]
pub(crate) struct WantedLanes {
    edge_count: usize,
    lane_count: usize,
    graph: Dependencies,
}

impl WantedLanes {
    /// No ways, on so many lanes of each channel.
    pub(crate) fn new(space: &PathSpace, lane_count: usize) -> Self {
        Self {
            edge_count: space.edge_count(),
            lane_count,
            graph: Dependencies::new(space.edge_count() * lane_count),
        }
    }

    /// Adds a way.
    pub(crate) fn add(&mut self, way: &[LaneStep]) {
        for turn in way.windows(2) {
            let [held, wanted] = [turn[0], turn[1]].map(|step| vertex(self.edge_count, step));
            self.graph.add(held, wanted);
        }
    }

    /// All ways held; `None` if they close a cycle.
    /// Time in proportion to channels, lanes and dependencies.
    pub(crate) fn into_held(self) -> Option<HeldLanes> {
        HeldLanes::of(self.graph, [self.edge_count, self.lane_count])
    }
}
