//! The two shortest ways by a metric from one switch to all others: how much longer a way is at least that is not the
//! shortest.

use super::BoundedRoutes;
use crate::paths::{NO_EDGE, PathSpace, links_from};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The length of a way that there is none of.
pub(super) const NONE: u64 = u64::MAX;

/// The search from one switch after the other, with its memory.
#[derive(Debug)]
pub(super) struct TwoShortest<'a> {
    space: &'a PathSpace,
    routes: BoundedRoutes,
    /// Per switch: the lengths of both, [`NONE`] where there is none; ways of several links may come by a switch twice.
    pub(super) lengths: Vec<[u64; 2]>,
    /// Per switch: the edge by which the shortest comes.
    last_edge: Vec<u32>,
    /// Length, edge by which a way comes, and the switch it leads to.
    nearest: BinaryHeap<Reverse<(u64, u32, u32)>>,
}

impl<'a> TwoShortest<'a> {
    pub(super) fn new(space: &'a PathSpace, routes: BoundedRoutes) -> Self {
        let switches = space.switch_count();
        Self {
            space,
            routes,
            lengths: vec![[NONE; 2]; switches],
            last_edge: vec![NO_EDGE; switches],
            nearest: BinaryHeap::new(),
        }
    }

    /// Finds the ways from a switch, of routes that are as short as they have to be.
    ///
    /// Time O(E log E) for E links. Shapes: `weights`, per edge.
    pub(super) fn reach(&mut self, source: u32, weights: &[u32]) {
        let space = self.space;
        let links = match self.routes {
            BoundedRoutes::Shortest => Some(links_from(space, source)),
            BoundedRoutes::Any | BoundedRoutes::Tables => None,
        };
        let is_taken = |from: u32, to: u32| {
            links
                .as_ref()
                .is_none_or(|links| links[from as usize] + 1 == links[to as usize])
        };
        self.lengths.fill([NONE; 2]);
        self.nearest.push(Reverse((0, NO_EDGE, source)));
        while let Some(Reverse((length, edge, switch))) = self.nearest.pop() {
            let known = &mut self.lengths[switch as usize];
            if known[0] == NONE {
                known[0] = length;
                self.last_edge[switch as usize] = edge;
            } else if known[1] == NONE {
                known[1] = length;
            } else {
                continue;
            }
            for (id, edge) in space.edge_ids(switch).zip(space.edges_of(switch)) {
                if self.lengths[edge.to as usize][1] == NONE && is_taken(switch, edge.to) {
                    let beyond = length + u64::from(weights[id as usize]);
                    self.nearest.push(Reverse((beyond, id, edge.to)));
                }
            }
        }
    }

    pub(super) fn space(&self) -> &'a PathSpace {
        self.space
    }

    /// The edges of the shortest way to a switch, last first.
    pub(super) fn way_to(&self, switch: u32) -> impl Iterator<Item = u32> {
        let before = move |&edge: &u32| {
            let edge = self.last_edge[self.space.tail(edge) as usize];
            (edge != NO_EDGE).then_some(edge)
        };
        let last = self.last_edge[switch as usize];
        std::iter::successors((last != NO_EDGE).then_some(last), before)
    }
}
