//! Shortest ways by a metric from one switch to all others, and what they carry.

use super::BoundedRoutes;
use crate::paths::PathSpace;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const UNREACHED: u64 = u64::MAX;

/// The search from one switch after the other, with its memory.
#[derive(Debug)]
pub(super) struct WaysByWeight<'a> {
    space: &'a PathSpace,
    routes: BoundedRoutes,
    /// Whether all edges have one weight.
    is_even: bool,
    /// Per switch: the length of its ways, and their links where only shortest routes count.
    lengths: Vec<u64>,
    links: Vec<u32>,
    /// The switches that are reached, each after those that its ways come by, and where each is there.
    order: Vec<u32>,
    places: Vec<u32>,
    /// Per switch: what its ways are to carry on for others.
    passing: Vec<f64>,
    nearest: BinaryHeap<Reverse<(u64, u32)>>,
    last_edges: Vec<u32>,
}

impl<'a> WaysByWeight<'a> {
    pub(super) fn new(space: &'a PathSpace, routes: BoundedRoutes, is_even: bool) -> Self {
        let switches = space.switch_count();
        Self {
            space,
            routes,
            is_even,
            lengths: vec![UNREACHED; switches],
            links: vec![0; switches],
            order: Vec::with_capacity(switches),
            places: vec![u32::MAX; switches],
            passing: vec![0.0; switches],
            nearest: BinaryHeap::new(),
            last_edges: Vec::new(),
        }
    }

    /// Adds what a switch sends to the loads of the channels on its shortest ways, in equal parts where several
    /// lead on, and returns the sum of what is sent times its length.
    ///
    /// Shapes: `weights` and `loads` per edge, `sent` per switch; what a switch sends itself counts nowhere.
    pub(super) fn carry(
        &mut self,
        source: u32,
        weights: &[u32],
        sent: &[u64],
        loads: &mut [f64],
    ) -> u128 {
        match self.routes {
            _ if self.is_even => self.reach_evenly(source, weights.first().copied().unwrap_or(1)),
            BoundedRoutes::Any | BoundedRoutes::Tables => self.reach(source, weights),
            BoundedRoutes::Shortest => self.reach_by_fewest_links(source, weights),
        }
        for (place, &switch) in (0..).zip(&self.order) {
            self.places[switch as usize] = place;
        }
        let mut sum = 0;
        for place in (1..self.order.len()).rev() {
            let switch = self.order[place];
            let at = switch as usize;
            sum += u128::from(sent[at]) * u128::from(self.lengths[at]);
            let passing = std::mem::take(&mut self.passing[at]) + sent[at] as f64;
            if passing <= 0.0 {
                continue;
            }
            let mut last_edges = std::mem::take(&mut self.last_edges);
            last_edges.extend(self.last_edges(switch, weights));
            let part = passing / last_edges.len() as f64;
            for edge in last_edges.drain(..) {
                loads[edge as usize] += part;
                self.passing[self.space.tail(edge) as usize] += part;
            }
            self.last_edges = last_edges;
        }
        self.passing[source as usize] = 0.0;
        sum
    }

    /// The edges by which shortest ways come to a switch.
    fn last_edges<'s>(
        &'s self,
        switch: u32,
        weights: &'s [u32],
    ) -> impl Iterator<Item = u32> + use<'s, 'a> {
        let here = switch as usize;
        let is_last = move |from: u32, edge: u32| {
            let from = from as usize;
            // What is farther, or not reached, is told without its weight.
            self.lengths[from] <= self.lengths[here]
                && self.lengths[from] + u64::from(weights[edge as usize]) == self.lengths[here]
                && self.places[from] < self.places[here]
                && match self.routes {
                    BoundedRoutes::Any | BoundedRoutes::Tables => true,
                    BoundedRoutes::Shortest => self.links[from] + 1 == self.links[here],
                }
        };
        let ways_back = self.space.edges_of(switch).iter();
        ways_back
            .filter(move |back| is_last(back.to, back.reverse))
            .map(|back| back.reverse)
    }

    /// Finds the lengths from a switch along any ways, by Dijkstra's search.
    fn reach(&mut self, source: u32, weights: &[u32]) {
        self.lengths.fill(UNREACHED);
        self.order.clear();
        self.lengths[source as usize] = 0;
        self.nearest.push(Reverse((0, source)));
        while let Some(Reverse((length, switch))) = self.nearest.pop() {
            if length > self.lengths[switch as usize] {
                continue;
            }
            self.order.push(switch);
            let ids = self.space.edge_ids(switch);
            for (id, edge) in ids.zip(self.space.edges_of(switch)) {
                let beyond = length + u64::from(weights[id as usize]);
                let known = &mut self.lengths[edge.to as usize];
                if beyond < *known {
                    *known = beyond;
                    self.nearest.push(Reverse((beyond, edge.to)));
                }
            }
        }
    }

    /// Finds the lengths from a switch where all edges have one weight: along the ways with fewest links, the switches of
    /// a length in the order of their numbers, as [`Self::reach`] has them.
    fn reach_evenly(&mut self, source: u32, weight: u32) {
        self.lengths.fill(UNREACHED);
        self.order.clear();
        self.lengths[source as usize] = 0;
        self.links[source as usize] = 0;
        self.order.push(source);
        let (mut first, mut links) = (0, 0);
        while first < self.order.len() {
            let end = self.order.len();
            links += 1;
            for place in first..end {
                for edge in self.space.edges_of(self.order[place]) {
                    let to = edge.to as usize;
                    if self.lengths[to] == UNREACHED {
                        self.lengths[to] = u64::from(links) * u64::from(weight);
                        self.links[to] = links;
                        self.order.push(edge.to);
                    }
                }
            }
            self.order[end..].sort_unstable();
            first = end;
        }
    }

    /// Finds the lengths from a switch along the ways with fewest links.
    fn reach_by_fewest_links(&mut self, source: u32, weights: &[u32]) {
        self.lengths.fill(UNREACHED);
        self.order.clear();
        self.lengths[source as usize] = 0;
        self.links[source as usize] = 0;
        self.order.push(source);
        let mut place = 0;
        while let Some(&switch) = self.order.get(place) {
            place += 1;
            let (length, links) = (self.lengths[switch as usize], self.links[switch as usize]);
            let ids = self.space.edge_ids(switch);
            for (id, edge) in ids.zip(self.space.edges_of(switch)) {
                let to = edge.to as usize;
                if self.lengths[to] == UNREACHED {
                    self.links[to] = links + 1;
                    self.order.push(edge.to);
                }
                if self.links[to] == links + 1 {
                    let beyond = length + u64::from(weights[id as usize]);
                    self.lengths[to] = self.lengths[to].min(beyond);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::TurnRule;
    use weft_fabric::generate::{IrregularParameters, irregular};

    /// Of one weight the lengths are those of fewest links, and what channels carry is added up in the same order, so that
    /// the sums are the same to the last bit.
    #[test]
    fn even_weights_are_followed_without_a_queue() {
        for seed in 0..10 {
            let parameters = IrregularParameters {
                switches: 30,
                seed,
                ..IrregularParameters::default()
            };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let weights = vec![3; space.edge_count()];
            let sent: Vec<u64> = (0..30).map(|switch| switch * switch + seed).collect();
            for routes in [BoundedRoutes::Any, BoundedRoutes::Shortest] {
                let carried = [false, true].map(|is_even| {
                    let mut ways = WaysByWeight::new(&space, routes, is_even);
                    let mut loads = vec![0.0; space.edge_count()];
                    let sums: Vec<u128> = (0..30)
                        .map(|source| ways.carry(source, &weights, &sent, &mut loads))
                        .collect();
                    let bits: Vec<u64> = loads.into_iter().map(f64::to_bits).collect();
                    (sums, bits)
                });
                assert_eq!(carried[0].0, carried[1].0, "seed {seed}");
                if routes == BoundedRoutes::Any {
                    assert_eq!(carried[0].1, carried[1].1, "seed {seed}");
                }
            }
        }
    }
}
