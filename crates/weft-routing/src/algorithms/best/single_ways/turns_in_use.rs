//! The turns that trees on one lane make, kept free of circles.

use super::Descent;
use crate::cycles::AcyclicDependencies;

/// A channel that is held while the next one is waited for.
pub(super) type Turn = [u32; 2];

/// How many routes make each turn, and an order of the channels that all of them ascend.
#[derive(Clone, Debug)]
pub(super) struct TurnsInUse {
    dependencies: AcyclicDependencies,
}

impl TurnsInUse {
    /// Takes some turns back and makes others, or leaves all as they were where these would close a circle; and tells which.
    pub(super) fn exchange(&mut self, before: &[Turn], after: &[Turn]) -> bool {
        self.take_back(before);
        if self.make(after) {
            return true;
        }
        let is_back = self.make(before);
        debug_assert!(is_back, "what was there closed no circle");
        false
    }

    /// Makes all of some turns, or none where that would close a circle.
    fn make(&mut self, turns: &[Turn]) -> bool {
        for (place, [held, wanted]) in turns.iter().enumerate() {
            if !self.dependencies.add(*held, *wanted) {
                self.take_back(&turns[..place]);
                return false;
            }
        }
        true
    }

    fn take_back(&mut self, turns: &[Turn]) {
        for turn in turns {
            self.dependencies.remove_route(turn);
        }
    }
}

impl Descent<'_, '_> {
    /// The turns of all trees; none where they close a circle.
    pub(super) fn turns_in_use(&self) -> Option<TurnsInUse> {
        let edges = (0..).take(self.space.edge_count());
        let ranks: Vec<u32> = edges.map(|edge| self.ground.orders.rank(0, edge)).collect();
        let mut turns = TurnsInUse {
            dependencies: AcyclicDependencies::with_ranks(&ranks),
        };
        for destination in 0..self.ground.target_of.len() {
            for at in (0..).take(self.space.switch_count()) {
                let Some(way) = self.way(destination, at) else {
                    continue;
                };
                if let Some(next) = self.way(destination, self.space.edge(way).to)
                    && !turns.make(&[[way, next]])
                {
                    return None;
                }
            }
        }
        Some(turns)
    }

    /// Ranks of the channels that all turns ascend, where turns are counted.
    pub(super) fn ranks(&self) -> Option<Vec<u32>> {
        let turns = self.turns.as_ref();
        turns.map(|turns| turns.dependencies.ranks())
    }

    /// The turns that routes to a destination make onto an edge of a switch and off it, if the switch sends by that.
    pub(super) fn turns_by(&self, destination: usize, at: u32, edge: u32) -> Vec<Turn> {
        let onto = self.behind(destination, at).map(|behind| [behind, edge]);
        let next = self.way(destination, self.space.edge(edge).to);
        onto.chain(next.map(|next| [edge, next])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three channels in a ring each is held while the next is waited for; the third turn would close the ring, until one
    /// that two routes make is made by none.
    #[test]
    fn a_turn_is_made_once_no_route_makes_one_that_closes_a_circle_with_it() {
        let mut turns = TurnsInUse {
            dependencies: AcyclicDependencies::new(4),
        };
        assert!(turns.make(&[[0, 1], [1, 2], [1, 2]]));
        assert!(!turns.exchange(&[[0, 1]], &[[0, 3], [2, 0], [0, 1]]));
        assert_eq!(turns.dependencies.uses(0, 1), 1);
        assert_eq!(turns.dependencies.uses(0, 3), 0);
        assert_eq!(turns.dependencies.uses(2, 0), 0);
        assert!(!turns.exchange(&[[1, 2]], &[[2, 0]]));
        assert_eq!(turns.dependencies.uses(1, 2), 2);
        assert!(turns.exchange(&[[1, 2], [1, 2]], &[[2, 0]]));
        assert!(turns.dependencies.is_before(2, 0));
    }
}
