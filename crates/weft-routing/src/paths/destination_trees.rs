//! Breadth-first trees toward every destination, as forwarding tables hold them.

use crate::form::Endpoints;
use crate::paths::{NO_EDGE, PathSpace};
use rayon::prelude::*;

/// The way of every switch to every other: in the breadth-first tree of the other, whose switches are
/// visited by ascending ids.
///
/// Parallel links are taken in turn by the destination's id.
#[derive(Clone, Debug)]
pub(crate) struct DestinationTrees {
    /// Per destination and switch: the edge it takes; `NO_EDGE` at the destination itself, where
    /// there is no way, and of a destination that no one sends to.
    next: Vec<Vec<u32>>,
}

impl DestinationTrees {
    /// The trees toward all switches that endpoints stand for.
    /// Time O(S·(S + E)) for S switches and E links.
    pub(crate) fn new(space: &PathSpace, endpoints: &Endpoints) -> Self {
        let tree = |destination: usize| {
            let is_used = endpoints.hosts(destination) > 0;
            let to = endpoints.switch(destination);
            if is_used { tree(space, to) } else { Vec::new() }
        };
        let next = (0..endpoints.count()).into_par_iter().map(tree).collect();
        Self { next }
    }

    pub(crate) fn next(&self, switch: u32, destination: usize) -> Option<u32> {
        let edge = self.next[destination].get(switch as usize).copied();
        edge.filter(|&edge| edge != NO_EDGE)
    }

    /// The edges from a switch to a destination.
    pub(crate) fn path(&self, space: &PathSpace, from: u32, destination: usize) -> Vec<u32> {
        let mut path = Vec::new();
        let mut here = from;
        while let Some(edge) = self.next(here, destination) {
            path.push(edge);
            here = space.edge(edge).to;
        }
        path
    }
}

fn tree(space: &PathSpace, to: u32) -> Vec<u32> {
    let mut next = vec![NO_EDGE; space.switch_count()];
    let mut queue = vec![to];
    let mut place = 0;
    while let Some(&at) = queue.get(place) {
        place += 1;
        let mut back: Vec<(u32, u32)> = space
            .edges_of(at)
            .iter()
            .filter(|edge| edge.to != to && next[edge.to as usize] == NO_EDGE)
            .map(|edge| (edge.to, edge.reverse))
            .collect();
        back.sort_unstable();
        for parallel in back.chunk_by(|one, other| one.0 == other.0) {
            let (switch, edge) = parallel[to as usize % parallel.len()];
            next[switch as usize] = edge;
            queue.push(switch);
        }
    }
    next
}
