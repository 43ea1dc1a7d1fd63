//! A shortest cycle of the dependency graph.

use crate::dependency_graph::{DependencyGraph, Vertex};
use weft_fabric::ChannelId;
use weft_routing::Lane;

pub(crate) type Arc = ((ChannelId, Lane), (ChannelId, Lane));

/// The dependencies of a shortest cycle; none without a cycle.
pub(crate) fn cycle_of(graph: &DependencyGraph<'_>) -> Vec<Arc> {
    let cycle = shortest_cycle(graph).unwrap_or_default();
    let cycle: Vec<_> = cycle.iter().map(|&vertex| graph.channel(vertex)).collect();
    let following = cycle.iter().cycle().skip(1);
    cycle.iter().copied().zip(following.copied()).collect()
}

/// Finds a shortest cycle: the lanes of channels in order, the lowest first; `None` where there is none.
///
/// Channels that no endless chain leads to, or none leads away from, are put aside first. From each
/// channel left, a breadth-first search looks for the shortest way back to it, never further than
/// would beat the best so far; the channel is then put aside too, since any cycle through it has
/// been weighed.
/// Time O(C · D) at worst for C channels and D dependencies in cycles; with a cycle of length l,
/// each search ends l steps from its start.
fn shortest_cycle(graph: &DependencyGraph<'_>) -> Option<Vec<Vertex>> {
    let mut remains = core_of(graph);
    let mut best: Option<Vec<Vertex>> = None;
    let mut search = Search {
        number: 0,
        seen_in: vec![0; graph.vertex_count()],
        before: vec![Vertex::new(0); graph.vertex_count()],
        queue: Vec::new(),
    };
    for start in graph.vertices() {
        if !remains[start.index()] {
            continue;
        }
        let longest = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
        if let Some(cycle) = search.back_to(graph, start, &remains, longest) {
            best = Some(cycle);
        }
        remains[start.index()] = false;
    }
    best.map(|mut cycle| {
        let Some(lowest) = (0..cycle.len()).min_by_key(|&place| cycle[place]) else {
            unreachable!("a cycle has a channel");
        };
        cycle.rotate_left(lowest);
        cycle
    })
}

/// Marks the channels that lie on a cycle or on a chain from one cycle to another.
fn core_of(graph: &DependencyGraph<'_>) -> Vec<bool> {
    let mut wanted_by: Vec<Vec<Vertex>> = vec![Vec::new(); graph.vertex_count()];
    let mut wants: Vec<Vec<Vertex>> = vec![Vec::new(); graph.vertex_count()];
    for held in graph.vertices() {
        for wanted in graph.wanted(held) {
            wants[held.index()].push(wanted);
            wanted_by[wanted.index()].push(held);
        }
    }
    let mut remains = vec![true; graph.vertex_count()];
    peel(graph.vertices(), &mut remains, &wanted_by, &wants);
    peel(graph.vertices(), &mut remains, &wants, &wanted_by);
    remains
}

/// Puts aside, again and again, the channels that have nothing left before them.
fn peel(
    vertices: impl Iterator<Item = Vertex>,
    remains: &mut [bool],
    before: &[Vec<Vertex>],
    after: &[Vec<Vertex>],
) {
    let left = |c: &Vertex| remains[c.index()];
    let mut count: Vec<usize> = before
        .iter()
        .map(|channels| channels.iter().filter(|c| left(c)).count())
        .collect();
    let mut free: Vec<Vertex> = vertices
        .filter(|c| left(c) && count[c.index()] == 0)
        .collect();
    while let Some(channel) = free.pop() {
        remains[channel.index()] = false;
        for next in &after[channel.index()] {
            count[next.index()] -= 1;
            if count[next.index()] == 0 && remains[next.index()] {
                free.push(*next);
            }
        }
    }
}

/// Breadth-first searches that share their memory.
struct Search {
    number: u32,
    seen_in: Vec<u32>,
    before: Vec<Vertex>,
    queue: Vec<Vertex>,
}

impl Search {
    /// Finds a shortest way from a channel back to itself over channels that remain, of at
    /// most `longest` dependencies.
    fn back_to(
        &mut self,
        graph: &DependencyGraph<'_>,
        start: Vertex,
        remains: &[bool],
        longest: usize,
    ) -> Option<Vec<Vertex>> {
        // Invariant: there are fewer than 2^32 channels, hence searches.
        self.number += 1;
        self.queue.clear();
        self.queue.push(start);
        self.seen_in[start.index()] = self.number;
        let (mut place, mut depth, mut level_end) = (0, 1, 1);
        while place < self.queue.len() && depth <= longest {
            let held = self.queue[place];
            for wanted in graph.wanted(held) {
                if wanted == start {
                    return Some(self.way(start, held));
                }
                if remains[wanted.index()] && self.seen_in[wanted.index()] != self.number {
                    self.seen_in[wanted.index()] = self.number;
                    self.before[wanted.index()] = held;
                    self.queue.push(wanted);
                }
            }
            place += 1;
            if place == level_end {
                depth += 1;
                level_end = self.queue.len();
            }
        }
        None
    }

    fn way(&self, start: Vertex, end: Vertex) -> Vec<Vertex> {
        let mut way = vec![end];
        let mut at = end;
        while at != start {
            at = self.before[at.index()];
            way.push(at);
        }
        way.reverse();
        way
    }
}
