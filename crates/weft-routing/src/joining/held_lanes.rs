//! Which lanes of channels wait for which, never in a cycle.

use crate::cycles::{AcyclicDependencies, Dependencies};
use crate::form::Lane;
use crate::paths::PathSpace;
use std::collections::BTreeSet;
use weft_fabric::narrow;

/// A channel by its edge, and its lane.
pub(crate) type LaneStep = (u32, Lane);

/// What all ways depend on that are held, never in a cycle: a dependency for each lane of a channel and the
/// next that a way takes, with the number of its uses.
///
/// Only channels between switches are here: those from hosts wait but nobody waits for them, and those to hosts
/// wait for nothing.
#[derive(Clone, Debug)]
pub(crate) struct HeldLanes {
    lane_count: usize,
    graph: AcyclicDependencies,
    /// Turns that are known to close a cycle with what is held, and will as long as nothing of that is let go of.
    refused: BTreeSet<[u32; 2]>,
    /// The turn that was refused last, beside all that was held then.
    refused_last: Option<[u32; 2]>,
}

/// Whether a turn is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// It is made by some way already; no use was added.
    Before,
    /// It is held, as its first use.
    Now,
    /// It would close a cycle.
    Not,
}

/// Turns to and from channels that failed, each lane of a channel with the next and its uses.
#[derive(Clone, Debug)]
pub(crate) struct CutTurns(Vec<(u32, u32, u32)>);

/// What ways would depend on, cycles and all, before it is known whether they can be held.
#[derive(Clone, Debug)]
pub(crate) struct WantedLanes {
    lane_count: usize,
    graph: Dependencies,
}

impl WantedLanes {
    /// No ways, on so many lanes of each channel.
    pub(crate) fn new(space: &PathSpace, lane_count: usize) -> Self {
        Self {
            lane_count,
            graph: Dependencies::new(space.edge_count() * lane_count),
        }
    }

    /// Adds a way.
    pub(crate) fn add(&mut self, way: &[LaneStep]) {
        for turn in way.windows(2) {
            let [held, wanted] = [turn[0], turn[1]].map(|step| vertex(self.lane_count, step));
            self.graph.add(held, wanted);
        }
    }

    /// All ways held; `None` if they close a cycle.
    /// Time in proportion to channels, lanes and dependencies.
    pub(crate) fn into_held(self) -> Option<HeldLanes> {
        Some(HeldLanes {
            lane_count: self.lane_count,
            graph: AcyclicDependencies::of(self.graph)?,
            refused: BTreeSet::new(),
            refused_last: None,
        })
    }
}

impl HeldLanes {
    /// Holds a way, all of it or, if that would close a cycle, none; and tells which.
    #[must_use]
    pub(crate) fn hold(&mut self, way: &[LaneStep]) -> bool {
        let lane_count = self.lane_count;
        let turn = |turn: &[LaneStep]| [turn[0], turn[1]].map(|step| vertex(lane_count, step));
        if !self.refused.is_empty() && way.windows(2).any(|of| self.refused.contains(&turn(of))) {
            return false;
        }
        for (place, of) in way.windows(2).enumerate() {
            let [held, wanted] = turn(of);
            if !self.graph.add(held, wanted) {
                self.refused_last = Some([held, wanted]);
                self.release(&way[..=place]);
                return false;
            }
        }
        true
    }

    /// Notes what was refused last, if it is refused beside what is held now too: that is to stay until
    /// [`forget_refused`](Self::forget_refused).
    pub(crate) fn note_refused(&mut self) {
        let Some([held, wanted]) = self.refused_last.take() else {
            return;
        };
        if self.graph.add(held, wanted) {
            self.graph.remove_route(&[held, wanted]);
        } else {
            self.refused.insert([held, wanted]);
        }
    }

    /// Forgets what was refused, as something that was held is let go of.
    pub(crate) fn forget_refused(&mut self) {
        self.refused.clear();
        self.refused_last = None;
    }

    /// Holds a path on one lane, all of it or none, and tells which.
    #[must_use]
    pub(crate) fn hold_on(&mut self, lane: Lane, path: &[u32]) -> bool {
        for (place, turn) in path.windows(2).enumerate() {
            if !self.hold_turn_again([turn[0], turn[1]].map(|edge| (edge, lane))) {
                self.release_on(lane, &path[..=place]);
                return false;
            }
        }
        true
    }

    /// Lets go of a way that was held.
    pub(crate) fn release(&mut self, way: &[LaneStep]) {
        for turn in way.windows(2) {
            let [held, wanted] = [turn[0], turn[1]].map(|step| vertex(self.lane_count, step));
            self.graph.remove_route(&[held, wanted]);
        }
    }

    /// Lets go of a path that was held on a lane.
    fn release_on(&mut self, lane: Lane, path: &[u32]) {
        for turn in path.windows(2) {
            self.release(&[turn[0], turn[1]].map(|edge| (edge, lane)));
        }
    }

    /// Holds a turn that some way makes already, or that closes no cycle, and tells whether it is one; with
    /// it whether nobody made it before.
    pub(crate) fn hold_turn(&mut self, turn: [LaneStep; 2]) -> Held {
        let [held, wanted] = turn.map(|step| vertex(self.lane_count, step));
        if self.graph.uses(held, wanted) > 0 {
            Held::Before
        } else if self.refused.contains(&[held, wanted]) {
            Held::Not
        } else if self.graph.add(held, wanted) {
            Held::Now
        } else {
            self.refused_last = Some([held, wanted]);
            Held::Not
        }
    }

    /// Holds a turn once more than before, unless it would close a cycle, and tells whether it is held.
    #[must_use]
    pub(crate) fn hold_turn_again(&mut self, turn: [LaneStep; 2]) -> bool {
        let [held, wanted] = turn.map(|step| vertex(self.lane_count, step));
        self.graph.add(held, wanted)
    }

    /// Lets go of all turns to and from a channel, on any lane.
    pub(crate) fn cut(&mut self, edge: u32) -> CutTurns {
        let lanes = 0..self.lane_count;
        let vertices = lanes.map(|lane| number(edge as usize * self.lane_count + lane));
        CutTurns(vertices.flat_map(|v| self.graph.clear(v)).collect())
    }

    /// Holds turns again that were cut; what has been held since must be let go of.
    ///
    /// # Panics
    /// Where they close a cycle with what has been held since.
    pub(crate) fn restore(&mut self, turns: CutTurns) {
        for (held, wanted, uses) in turns.0 {
            let is_held = self.graph.add_uses(held, wanted, uses);
            assert!(is_held, "what was held together can be held again");
        }
    }

    /// Tells whether ways on some lane make a turn, from one edge to another.
    pub(crate) fn makes(&self, turn: [u32; 2]) -> bool {
        (0..self.lane_count).any(|lane| {
            let [held, wanted] = turn.map(|edge| edge as usize * self.lane_count + lane);
            self.graph.uses(number(held), number(wanted)) > 0
        })
    }
}

fn vertex(lane_count: usize, (edge, lane): LaneStep) -> u32 {
    debug_assert!(lane.index() < lane_count, "lanes were counted");
    number(edge as usize * lane_count + lane.index())
}

fn number(vertex: usize) -> u32 {
    narrow(vertex, "lanes of channels have numbers of 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// Edges of a ring of four by port: of switch s, 2s on to s + 1 and 2s + 1 back to s - 1, but of 3, where 6
    /// leads to 0 and 7 to 2, and of 0, where 1 leads to 3.
    fn space() -> PathSpace {
        PathSpace::new(&ring(4, 1).unwrap(), None, TurnRule::Free)
    }

    fn on(lane: u8, path: &[u32]) -> Vec<LaneStep> {
        path.iter().map(|&edge| (edge, Lane::new(lane))).collect()
    }

    #[test]
    fn a_way_that_closes_a_cycle_is_held_on_another_lane_or_when_there_is_room() {
        let space = space();
        // On round: 0 → 1 → 2 → 3 → 0.
        let round = [0, 2, 4, 6];
        let ends: Vec<u32> = round.iter().map(|&edge| space.edge(edge).to).collect();
        assert_eq!(ends, [1, 2, 3, 0]);
        let mut wanted = WantedLanes::new(&space, 2);
        wanted.add(&on(0, &[0, 2, 4]));
        let mut held = wanted.into_held().unwrap();
        assert!(held.makes([0, 2]) && held.makes([2, 4]) && !held.makes([4, 6]));
        assert!(!held.hold_on(Lane::ZERO, &[4, 6, 0]));
        assert!(!held.makes([4, 6]), "what is refused leaves no trace");
        assert!(held.hold_on(Lane::new(1), &[4, 6, 0]));
        assert!(held.makes([4, 6]));
        // By way of lane 1 at the last turn the circle is open, and closed by another to lane 0.
        assert!(held.hold(&[(4, Lane::ZERO), (6, Lane::new(1))]));
        assert!(!held.hold(&[
            (0, Lane::new(1)),
            (0, Lane::ZERO),
            (2, Lane::ZERO),
            (4, Lane::new(1))
        ]));
        held.release(&on(0, &[0, 2, 4]));
        assert!(held.hold_on(Lane::ZERO, &[4, 6, 0]));
    }

    /// What closes a cycle with a part of the same way alone is not noted; what does beside what stays is refused
    /// until that is let go of.
    #[test]
    fn what_is_refused_stays_so_until_something_is_let_go_of() {
        let space = space();
        let mut held = WantedLanes::new(&space, 1).into_held().unwrap();
        let round = on(0, &[0, 2, 4, 6, 0]);
        assert!(!held.hold(&round));
        held.note_refused();
        assert!(
            held.hold(&round[3..]),
            "it was the way's own beginning that it met"
        );
        held.release(&round[3..]);
        assert!(held.hold(&round[..4]));
        let turn = [round[3], round[4]];
        assert!(!held.hold(&turn));
        held.note_refused();
        assert_eq!(held.refused.len(), 1);
        assert!(!held.hold(&turn));
        assert_eq!(held.hold_turn(turn), Held::Not);
        held.release(&round[..2]);
        held.forget_refused();
        assert_eq!(held.hold_turn(turn), Held::Now);
    }

    #[test]
    fn ways_with_a_cycle_among_them_are_not_held() {
        let space = space();
        let mut wanted = WantedLanes::new(&space, 1);
        for path in [[0, 2], [2, 4], [4, 6]] {
            wanted.add(&on(0, &path));
        }
        assert!(wanted.clone().into_held().is_some());
        wanted.add(&on(0, &[6, 0]));
        assert!(wanted.into_held().is_none());
    }
}
