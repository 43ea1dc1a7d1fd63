//! Ways that are held, to be let go of again.

use super::held_lanes::{HeldLanes, LaneStep};

/// Ways that lanes hold, one behind the other in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldWays {
    steps: Vec<LaneStep>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl HeldWays {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Has a way held that `add` adds the steps of, if it can add them all and they can be held, and tells which.
    pub(crate) fn hold(
        &mut self,
        held: &mut HeldLanes,
        add: impl FnOnce(&mut Vec<LaneStep>) -> bool,
    ) -> bool {
        let first = self.steps.len();
        let is_held = add(&mut self.steps) && held.hold(&self.steps[first..]);
        if is_held {
            self.ends.push(self.steps.len());
        } else {
            self.steps.truncate(first);
        }
        is_held
    }

    /// Lets go of all but the first, so many.
    pub(crate) fn release(&mut self, kept: usize, held: &mut HeldLanes) {
        let start = |place: usize| place.checked_sub(1).map_or(0, |before| self.ends[before]);
        for (place, &end) in self.ends.iter().enumerate().skip(kept) {
            held.take_back(&self.steps[start(place)..end]);
        }
        let end = start(kept.min(self.ends.len()));
        self.steps.truncate(end);
        self.ends.truncate(kept);
    }
}
