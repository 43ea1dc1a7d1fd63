//! What trees load the channels with.

use super::patterns::{ALL, Figure, Patterns};
use crate::paths::{Exit, NO_EXIT, PathSpace, edge_by};
use std::ops::{Index, IndexMut};

/// Per pattern and edge: what it carries, times its slowness.
#[derive(Clone, Debug)]
pub(super) struct Loads<'a> {
    space: &'a PathSpace,
    patterns: &'a Patterns<'a>,
    of_patterns: Vec<Vec<u64>>,
    /// Per switch: what has come there while flows are followed, none between.
    coming: Vec<u64>,
}

/// A pattern's load of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pattern: usize,
    pub(super) edge: u32,
}

/// A tree towards a destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Towards<'t, Order> {
    pub(super) destination: usize,
    /// The switch of the destination.
    pub(super) switch: u32,
    /// Per switch: its way.
    pub(super) exits: &'t [Exit],
    /// The switches joined to it, each before those that its way leads over.
    pub(super) farthest_first: Order,
}

impl<'a> Loads<'a> {
    pub(super) fn new(space: &'a PathSpace, patterns: &'a Patterns<'a>) -> Self {
        Self {
            of_patterns: vec![vec![0; space.edge_count()]; patterns.count()],
            coming: vec![0; space.switch_count()],
            space,
            patterns,
        }
    }

    pub(super) fn figure(&self) -> Figure {
        self.patterns.figure(&self.of_patterns)
    }

    /// The sum of the squares of all loads: the less, the more alike they are.
    pub(super) fn sum_of_squares(&self) -> u128 {
        let loads = self.of_patterns[ALL].iter();
        loads.map(|&load| u128::from(load).pow(2)).sum()
    }

    /// Per pattern: the loads of all edges.
    pub(super) fn per_pattern(&self) -> &[Vec<u64>] {
        &self.of_patterns
    }

    /// Changes loads by the flows of a tree: of each pattern and edge once.
    /// Time O(S) per pattern for S switches.
    pub(super) fn change(
        &mut self,
        tree: &Towards<'_, impl Iterator<Item = u32> + Clone>,
        mut change: impl FnMut(Place, &mut u64, u64),
    ) {
        let (space, patterns) = (self.space, self.patterns);
        let coming = &mut self.coming;
        for pattern in patterns.counting(tree.destination) {
            let loads = &mut self.of_patterns[pattern];
            for at in tree.farthest_first.clone() {
                let passing = std::mem::take(&mut coming[at as usize]);
                let flow = passing + patterns.counted(pattern, at, tree.destination);
                let exit = tree.exits[at as usize];
                if flow == 0 || exit == NO_EXIT {
                    continue;
                }
                let edge = edge_by(space, at, exit);
                let place = Place { pattern, edge };
                let load = &mut loads[edge as usize];
                change(place, load, flow * space.slowness(edge));
                coming[space.edge(edge).to as usize] += flow;
            }
            coming[tree.switch as usize] = 0;
        }
    }
}

impl Index<usize> for Loads<'_> {
    type Output = Vec<u64>;

    fn index(&self, pattern: usize) -> &Vec<u64> {
        &self.of_patterns[pattern]
    }
}

impl IndexMut<usize> for Loads<'_> {
    fn index_mut(&mut self, pattern: usize) -> &mut Vec<u64> {
        &mut self.of_patterns[pattern]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Endpoints, PairGranularity};
    use crate::load::Demand;
    use crate::orient::routed_part;
    use crate::paths::{NextHops, TurnRule, exit_by};
    use weft_fabric::generate::{JellyfishParameters, jellyfish};

    /// Beside what every switch's way adds up to, followed link by link.
    #[test]
    fn flows_join_on_their_way() {
        let fabric = jellyfish(&JellyfishParameters {
            switches: 14,
            degree: 3,
            hosts_per_switch: 2,
            seed: 5,
        });
        let fabric = fabric.unwrap();
        let space = PathSpace::new(&fabric, None, TurnRule::Free);
        let endpoints = Endpoints::new(&fabric, PairGranularity::Host);
        let hosts = endpoints.hosts_per_switch(space.switch_count());
        let part = routed_part(&fabric).unwrap();
        let patterns = Patterns::one(&space, &part, &endpoints, Demand::PerHost(&hosts));
        let mut loads = Loads::new(&space, &patterns);
        let mut expected = vec![0; space.edge_count()];
        for destination in 0..endpoints.count() {
            let switch = endpoints.switch(destination);
            let nearer = NextHops::to(&space, switch);
            let mut exits = vec![NO_EXIT; space.switch_count()];
            for (at, ways) in nearer.iter() {
                exits[at as usize] = exit_by(&space, ways[destination % ways.len()].edge);
            }
            let tree = Towards {
                destination,
                switch,
                exits: &exits,
                farthest_first: nearer.switches().rev(),
            };
            let mut edges = 0;
            loads.change(&tree, |place, load, flow| {
                *load += flow;
                edges += usize::from(place.pattern == ALL);
            });
            assert_eq!(edges, space.switch_count() - 1, "an edge of each way");
            for from in (0..).take(space.switch_count()) {
                let mut at = from;
                while at != switch {
                    let edge = edge_by(&space, at, exits[at as usize]);
                    expected[edge as usize] += 2;
                    at = space.edge(edge).to;
                }
            }
        }
        assert_eq!(loads[ALL], expected);
    }
}
