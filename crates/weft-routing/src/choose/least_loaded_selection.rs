//! Paths moved off the most loaded channels.

use crate::form::{Endpoints, RouteRow};
use crate::paths::{Distances, PathSpace, ShortestPaths, State};
use crate::random::stream;
use rand::seq::SliceRandom;
use rayon::prelude::*;

/// Times every pair is visited; later visits hardly move a route.
const SWEEPS: usize = 2;

/// Moves routes to other shortest paths, one pair after the other in random order, each to the
/// path whose most loaded channel carries least, of those the one with the least sum of loads.
///
/// No move raises the largest load, as each route may stay where it is; so the result is at least
/// as balanced as what it starts from.
///
/// Shapes: `rows` holds, for every source and destination, some shortest path.
pub(crate) fn balance(space: &PathSpace, endpoints: &Endpoints, rows: &mut [RouteRow], seed: u64) {
    let count = endpoints.count();
    let sources = endpoints.source_switches();
    let mut distances: Vec<Option<Distances>> = vec![None; space.switch_count()];
    let searched: Vec<Distances> = sources
        .par_iter()
        .map(|source| ShortestPaths::from(space, source.number()).into_distances())
        .collect();
    for (source, found) in sources.iter().zip(searched) {
        distances[source.index()] = Some(found);
    }
    let mut pairs = Vec::new();
    let mut starts = Vec::with_capacity(rows.len());
    let mut load = vec![0_u64; space.edge_count()];
    for (source, row) in rows.iter().enumerate() {
        let mut start = 0;
        let mut row_starts = Vec::with_capacity(count);
        for (destination, &length) in row.lengths.iter().enumerate() {
            row_starts.push(start);
            let end = start + usize::from(length);
            if length > 0 {
                pairs.push((source, destination));
                let weight = endpoints.host_pairs(source, destination);
                let from = endpoints.switch(source);
                for edge in space.edges_along(from, &row.steps[start..end]) {
                    load[edge as usize] += weight;
                }
            }
            start = end;
        }
        starts.push(row_starts);
    }
    let mut random = stream(seed, "order of pairs", 0);
    let mut search = Search::new(space);
    for _ in 0..SWEEPS {
        pairs.shuffle(&mut random);
        for &(source, destination) in &pairs {
            let from = endpoints.switch(source);
            let Some(distances) = &distances[from as usize] else {
                continue;
            };
            let weight = endpoints.host_pairs(source, destination);
            let row = &mut rows[source];
            let start = starts[source][destination];
            let steps = &mut row.steps[start..start + usize::from(row.lengths[destination])];
            for edge in space.edges_along(from, steps) {
                load[edge as usize] -= weight;
            }
            search.run(space, distances, endpoints.switch(destination), &load);
            let mut at = search.start(space, from);
            for step in steps {
                let (edge, next) = search.next[at as usize];
                load[edge as usize] += weight;
                *step = space.edge(edge).port;
                at = next;
            }
        }
    }
}

/// The search for the least loaded path of one pair after the other.
struct Search {
    visit: u32,
    /// Per state: the last visit.
    visited: Vec<u32>,
    /// Per state visited: largest load of a channel on the best path from here, and their sum.
    cost: Vec<(u64, u64)>,
    /// Per state visited: first edge of the best path from here, and where it leads.
    next: Vec<(u32, State)>,
    queue: Vec<State>,
}

impl Search {
    fn new(space: &PathSpace) -> Self {
        let states = space.state_count();
        Self {
            visit: 0,
            visited: vec![0; states],
            cost: vec![(0, 0); states],
            next: vec![(0, 0); states],
            queue: Vec::new(),
        }
    }

    fn start(&self, space: &PathSpace, from: u32) -> State {
        let visited = |at: &State| self.visited[*at as usize] == self.visit;
        let starts = space.starts(from).filter(visited);
        let Some(best) = starts.min_by_key(|&at| self.cost[at as usize]) else {
            unreachable!("some path begins in a state visited");
        };
        best
    }

    /// Finds, from every state on a shortest path to `to`, the best way on.
    fn run(&mut self, space: &PathSpace, distances: &Distances, to: u32, load: &[u64]) {
        self.visit = self.visit.wrapping_add(1);
        if self.visit == 0 {
            self.visited.fill(0);
            self.visit = 1;
        }
        self.queue.clear();
        for end in distances.ends(space, to) {
            self.visited[end as usize] = self.visit;
            self.cost[end as usize] = (0, 0);
            self.queue.push(end);
        }
        // States are taken by falling distance from the source, so that all ways on from one are
        // known before it is taken.
        let mut place = 0;
        while let Some(&at) = self.queue.get(place) {
            place += 1;
            let (largest, sum) = self.cost[at as usize];
            for (before, edge) in distances.last_steps(space, at) {
                let here = load[edge as usize];
                let cost = (largest.max(here), sum + here);
                let known = self.visited[before as usize] == self.visit;
                if known && self.cost[before as usize] <= cost {
                    continue;
                }
                if !known {
                    self.visited[before as usize] = self.visit;
                    self.queue.push(before);
                }
                self.cost[before as usize] = cost;
                self.next[before as usize] = (edge, at);
            }
        }
    }
}
