//! What the packets to one destination come to at every switch: the service levels and lanes they are on, and the
//! pairs of hosts that they are of.

use crate::form::LanedSet;
use crate::paths::{NO_EDGE, PathSpace};

/// Per switch: the levels on lanes and the pairs of what it sends on to a destination, its own and that of others.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    pub(super) levels: Vec<LanedSet>,
    pub(super) pairs: Vec<u64>,
    waiting: Vec<u32>,
    order: Vec<u32>,
}

impl Gathered {
    pub(super) fn new(switches: usize) -> Self {
        Self {
            levels: vec![0; switches],
            pairs: vec![0; switches],
            waiting: vec![0; switches],
            order: Vec::with_capacity(switches),
        }
    }

    /// Gathers what every switch has of its own along the edges that switches go on by; `turned` tells what becomes
    /// of levels on lanes from one edge to the next.
    ///
    /// Levels are also carried round where entries lead in a circle; pairs are not.
    /// Time in proportion to the switches.
    pub(super) fn gather(
        &mut self,
        space: &PathSpace,
        next: &[u32],
        mut own: impl FnMut(u32) -> (LanedSet, u64),
        turned: impl Fn([u32; 2], LanedSet) -> LanedSet,
    ) {
        let target = |at: u32| match next[at as usize] {
            NO_EDGE => None,
            edge => Some(space.edge(edge).to),
        };
        // What comes on to a switch, by what that goes on by.
        let carried = |at: u32, to: u32, levels: LanedSet| match next[to as usize] {
            NO_EDGE => 0,
            wanted => turned([next[at as usize], wanted], levels),
        };
        let switches = || (0..).take(next.len());
        self.waiting.fill(0);
        for to in switches().filter_map(target) {
            self.waiting[to as usize] += 1;
        }
        for at in switches() {
            (self.levels[at as usize], self.pairs[at as usize]) = own(at);
        }
        self.order.clear();
        self.order
            .extend(switches().filter(|&at| self.waiting[at as usize] == 0));
        let mut place = 0;
        while let Some(&at) = self.order.get(place) {
            place += 1;
            if let Some(to) = target(at) {
                self.levels[to as usize] |= carried(at, to, self.levels[at as usize]);
                self.pairs[to as usize] += self.pairs[at as usize];
                self.waiting[to as usize] -= 1;
                if self.waiting[to as usize] == 0 {
                    self.order.push(to);
                }
            }
        }
        let mut is_moving = self.order.len() < next.len();
        while is_moving {
            is_moving = false;
            for at in switches().filter(|&at| self.waiting[at as usize] > 0) {
                let Some(to) = target(at) else { continue };
                let before = self.levels[to as usize];
                self.levels[to as usize] |= carried(at, to, self.levels[at as usize]);
                is_moving |= self.levels[to as usize] != before;
            }
        }
    }

    /// The turns that packets make, each with the levels on lanes that hold the first edge.
    pub(super) fn turns<'a>(
        &'a self,
        space: &'a PathSpace,
        next: &'a [u32],
    ) -> impl Iterator<Item = ([u32; 2], LanedSet)> + 'a {
        (0..next.len()).filter_map(move |at| self.turn(space, next, at))
    }

    /// The turn that packets make which leave a switch.
    #[inline]
    pub(super) fn turn(
        &self,
        space: &PathSpace,
        next: &[u32],
        at: usize,
    ) -> Option<([u32; 2], LanedSet)> {
        let (held, levels) = (next[at], self.levels[at]);
        if held == NO_EDGE || levels == 0 {
            return None;
        }
        let wanted = next[space.edge(held).to as usize];
        (wanted != NO_EDGE).then_some(([held, wanted], levels))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// In a ring of five 3 → 2 → 1 → 0, and 4 → 0: the levels and pairs of those behind come along.
    #[test]
    fn what_is_behind_comes_along() {
        let space = PathSpace::new(&ring(5, 1).unwrap(), None, TurnRule::Free);
        let edge = |from: u32, to: u32| {
            let mut edges = space.edge_ids(from);
            edges.find(|&edge| space.edge(edge).to == to).unwrap()
        };
        let mut next = vec![NO_EDGE, edge(1, 0), edge(2, 1), edge(3, 2), edge(4, 0)];
        let mut gathered = Gathered::new(5);
        let same = |_: [u32; 2], levels| levels;
        gathered.gather(&space, &next, |at| (1 << at, 10 + u64::from(at)), same);
        assert_eq!(gathered.levels[1..], [0b1110, 0b1100, 0b1000, 0b10000]);
        assert_eq!(gathered.pairs[1..], [36, 25, 13, 14]);
        let turns: Vec<_> = gathered.turns(&space, &next).collect();
        let along = [(next[2], next[1], 0b1100), (next[3], next[2], 0b1000)];
        assert_eq!(
            turns,
            along.map(|(held, wanted, levels)| ([held, wanted], levels))
        );
        // A switch that puts what comes on another lane.
        let other = |[_, wanted]: [u32; 2], levels| if wanted == next[1] { 1 << 5 } else { levels };
        gathered.gather(&space, &next, |at| (1 << at, 1), other);
        assert_eq!(gathered.levels[1..4], [0b10_0010, 0b1100, 0b1000]);
        // 1 and 2 send to one another: what comes there goes to and fro on all its levels.
        next[1] = edge(1, 2);
        gathered.gather(&space, &next, |at| (1 << at, 1), same);
        assert_eq!(gathered.levels[1..4], [0b1110, 0b1110, 0b1000]);
    }
}
