//! What a planner has come to.

use super::Planner;
use crate::transition::senders::Levels;
use crate::transition::{LevelChange, PlannedAddress, TransitionPlan};
use weft_fabric::narrow;

impl Planner<'_> {
    /// The plan, if all entries are written and nobody uses old levels.
    pub(in crate::transition) fn finished_throughout(
        self,
        levels: LevelChange,
    ) -> Option<TransitionPlan> {
        let is_renewed = self.levels.iter().all(|&of| of == Levels::New);
        is_renewed.then(|| self.finished(levels)).flatten()
    }

    /// The plan, once all has been done that can be; `None` where not all entries are written.
    pub(in crate::transition) fn finished(mut self, levels: LevelChange) -> Option<TransitionPlan> {
        if !self.is_done() {
            return None;
        }
        self.remove_unused();
        let addresses = self.joint.addresses.iter().zip(&self.is_drained);
        Some(TransitionPlan {
            addresses: addresses
                .map(|(address, &is_drained)| PlannedAddress {
                    destination: address.destination.clone(),
                    alias: address.alias,
                    is_drained,
                })
                .collect(),
            lane_count: narrow(self.joint.lane_count, "tables have at most 16 lanes"),
            levels,
            phases: self.phases,
            by_trees: None,
        })
    }
}
