//! What the packets to one destination come to at every switch: the lanes they are on, and the pairs of
//! hosts that they are of.

use crate::cycles::LaneSet;
use crate::paths::{NO_EDGE, PathSpace};

/// Per switch: the lanes and pairs of what it sends on to a destination, its own and that of others.
#[derive(Clone, Debug)]
pub(super) struct Gathered {
    pub(super) lanes: Vec<LaneSet>,
    pub(super) pairs: Vec<u64>,
    waiting: Vec<u32>,
    order: Vec<u32>,
}

impl Gathered {
    pub(super) fn new(switches: usize) -> Self {
        Self {
            lanes: vec![0; switches],
            pairs: vec![0; switches],
            waiting: vec![0; switches],
            order: Vec::with_capacity(switches),
        }
    }

    /// Gathers what every switch has of its own along the edges that switches go on by.
    ///
    /// Lanes are also carried round where entries lead in a circle; pairs are not.
    /// Time in proportion to the switches.
    pub(super) fn gather(
        &mut self,
        space: &PathSpace,
        next: &[u32],
        mut own: impl FnMut(u32) -> (LaneSet, u64),
    ) {
        let target = |at: u32| match next[at as usize] {
            NO_EDGE => None,
            edge => Some(space.edge(edge).to),
        };
        let switches = || (0..).take(next.len());
        self.waiting.fill(0);
        for to in switches().filter_map(target) {
            self.waiting[to as usize] += 1;
        }
        for at in switches() {
            (self.lanes[at as usize], self.pairs[at as usize]) = own(at);
        }
        self.order.clear();
        self.order
            .extend(switches().filter(|&at| self.waiting[at as usize] == 0));
        let mut place = 0;
        while let Some(&at) = self.order.get(place) {
            place += 1;
            if let Some(to) = target(at) {
                self.lanes[to as usize] |= self.lanes[at as usize];
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
                let (lanes, to) = (self.lanes[at as usize], target(at));
                let before = to.map_or(lanes, |to| self.lanes[to as usize]);
                if let (Some(to), true) = (to, lanes | before != before) {
                    self.lanes[to as usize] |= lanes;
                    is_moving = true;
                }
            }
        }
    }

    /// The turns that packets make, each with the lanes they make it on.
    pub(super) fn turns<'a>(
        &'a self,
        space: &'a PathSpace,
        next: &'a [u32],
    ) -> impl Iterator<Item = ([u32; 2], LaneSet)> + 'a {
        (0..next.len()).filter_map(move |at| self.turn(space, next, at))
    }

    /// The turn that packets make which leave a switch.
    #[inline]
    pub(super) fn turn(
        &self,
        space: &PathSpace,
        next: &[u32],
        at: usize,
    ) -> Option<([u32; 2], LaneSet)> {
        let (held, lanes) = (next[at], self.lanes[at]);
        if held == NO_EDGE || lanes == 0 {
            return None;
        }
        let wanted = next[space.edge(held).to as usize];
        (wanted != NO_EDGE).then_some(([held, wanted], lanes))
    }
}

/// The numbers of lanes that a set has.
pub(super) fn numbers(mut lanes: LaneSet) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let lane = (lanes != 0).then(|| lanes.trailing_zeros())?;
        lanes &= lanes - 1;
        u8::try_from(lane).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::ring;

    /// In a ring of five 3 → 2 → 1 → 0, and 4 → 0: the lanes and pairs of those behind come along.
    #[test]
    fn what_is_behind_comes_along() {
        let space = PathSpace::new(&ring(5, 1).unwrap(), None, TurnRule::Free);
        let edge = |from: u32, to: u32| {
            let mut edges = space.edge_ids(from);
            edges.find(|&edge| space.edge(edge).to == to).unwrap()
        };
        let mut next = vec![NO_EDGE, edge(1, 0), edge(2, 1), edge(3, 2), edge(4, 0)];
        let mut gathered = Gathered::new(5);
        gathered.gather(&space, &next, |at| (1 << at, 10 + u64::from(at)));
        assert_eq!(gathered.lanes[1..], [0b1110, 0b1100, 0b1000, 0b10000]);
        assert_eq!(gathered.pairs[1..], [36, 25, 13, 14]);
        let turns: Vec<_> = gathered.turns(&space, &next).collect();
        let along = [(next[2], next[1], 0b1100), (next[3], next[2], 0b1000)];
        assert_eq!(
            turns,
            along.map(|(held, wanted, lanes)| ([held, wanted], lanes))
        );
        // 1 and 2 send to one another: what comes there goes to and fro on all its lanes.
        next[1] = edge(1, 2);
        gathered.gather(&space, &next, |at| (1 << at, 1));
        assert_eq!(gathered.lanes[1..4], [0b1110, 0b1110, 0b1000]);
    }
}
