//! Packets followed over channels, for whoever wants to see them move.

use crate::ids::{Id, Table};
use crate::probe::Motion;

/// What was seen of packets since somebody asked last, place by place: a channel, or a lane of one.
#[derive(Debug)]
pub(crate) struct Following<P> {
    motions: Vec<Motion>,
    /// The cycle up to which what each place sends is told.
    told_until: Table<P, u64>,
}

impl<P: Id> Following<P> {
    /// Nothing was seen of so many places.
    pub(crate) fn of(places: usize) -> Self {
        Self {
            motions: Vec::new(),
            told_until: Table::of(0, places),
        }
    }

    /// A packet's flits leave at a place one after the other: those that are not told yet are.
    pub(crate) fn note(&mut self, place: P, motion: Motion) {
        let told_until = &mut self.told_until[place];
        let start_cycle = motion.start_cycle.max(*told_until);
        if start_cycle < motion.end_cycle {
            *told_until = motion.end_cycle;
            self.motions.push(Motion {
                start_cycle,
                ..motion
            });
        }
    }

    /// What was seen since the last call.
    pub(crate) fn take(&mut self) -> Vec<Motion> {
        std::mem::take(&mut self.motions)
    }
}
