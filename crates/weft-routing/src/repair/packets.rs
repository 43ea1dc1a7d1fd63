//! What packets to one destination lead over at once.

use super::failed_parts::Left;
use super::gathered::Gathered;
use super::plan::{Plan, add_loads};
use crate::form::{Lane, LanedSet};
use crate::joining::HeldLanes;

/// What switches go on by to a destination, and what comes to each.
#[derive(Clone, Debug)]
pub(super) struct Packets {
    /// Per switch: the edge that it goes on by.
    pub(super) next: Vec<u32>,
    gathered: Gathered,
    /// Whether anybody sends there.
    is_any: bool,
}

impl Packets {
    pub(super) fn new(switches: usize) -> Self {
        Self {
            next: Vec::with_capacity(switches),
            gathered: Gathered::new(switches),
            is_any: false,
        }
    }

    /// Gathers what hosts that are left send to a destination, on the levels of its row.
    pub(super) fn gather(&mut self, plan: &Plan, row: &[Lane], destination: usize, left: &Left) {
        self.is_any = plan.is_left(destination, left);
        if self.is_any {
            plan.gather(&mut self.gathered, &self.next, row, destination, left);
        }
    }

    /// The turn that packets make which leave a switch, with the levels on lanes that hold its first edge.
    pub(super) fn turn(&self, plan: &Plan, at: usize) -> Option<([u32; 2], LanedSet)> {
        let turn = self.gathered.turn(&plan.space, &self.next, at);
        turn.filter(|_| self.is_any)
    }

    /// Adds or takes away their pairs.
    pub(super) fn count(&self, loads: &mut [u64], change: impl Fn(u64, u64) -> u64) {
        if self.is_any {
            add_loads(loads, &self.next, &self.gathered.pairs, change);
        }
    }

    /// Lets go of the turns that packets to the destination made before, but for those that were let go of when parts
    /// failed, and holds those that they make now.
    ///
    /// # Panics
    /// Where the latter close a cycle.
    pub(super) fn replace(&self, before: &Self, plan: &Plan, held: &mut HeldLanes, left: &Left) {
        let turns = (0..self.next.len()).map(|at| [before, self].map(|of| of.turn(plan, at)));
        let differing = || turns.clone().filter(|[was, is]| was != is);
        let was = differing().filter_map(|[was, _]| was);
        for (turn, levels) in was.filter(|(turn, _)| turn.iter().all(|&edge| left.has(edge))) {
            for steps in plan.rules.steps(&plan.space, turn, levels) {
                held.release(&steps);
            }
        }
        for (turn, levels) in differing().filter_map(|[_, is]| is) {
            for steps in plan.rules.steps(&plan.space, turn, levels) {
                let is_held = held.hold_turn_again(steps);
                assert!(is_held, "it was held beside more");
            }
        }
    }
}
