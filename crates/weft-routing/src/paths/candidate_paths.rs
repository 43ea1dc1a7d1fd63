//! The paths that a pair of switches may take where only some turns are permitted.

use crate::form::Endpoints;
use crate::paths::{SpanningTree, Turns, draw};
use crate::random::stream;
use rand::Rng;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Candidate paths of a pair of switches; with more, as many are drawn.
const MOST_PATHS: usize = 64;
/// Candidate paths of all pairs together, as far as two for each pair permit.
const MOST_PATHS_IN_ALL: usize = 1 << 18;

/// The paths that a pair of switches may take.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Pairs of hosts between them.
    pub(crate) weight: u64,
    /// Edges of each path, no switch twice, by ascending ports; at least one path.
    pub(crate) paths: Vec<Vec<u32>>,
}

/// Lists, for every two switches with hosts, the permitted paths of at most `slack` links more
/// than the shortest permitted one; where there are too many, as many as fit are drawn, each path with
/// the same probability. Where no such path spares every switch a second visit, it is the path over
/// the tree.
///
/// Shapes: pairs by destination, then by source.
/// Draws depend on the seed and the pair alone.
/// Time O(S·D·T) for S switches, paths of D links and T turns, and the paths themselves.
pub(crate) fn candidates(
    turns: &Turns<'_>,
    tree: &SpanningTree,
    endpoints: &Endpoints,
    slack: usize,
    seed: u64,
) -> Vec<Candidates> {
    let over_tree = |from, to| tree.path(turns.space(), from, to);
    candidates_or(turns, endpoints, [slack, MOST_PATHS], seed, over_tree)
}

/// The same with at most so many paths a pair, and another path where none found spares every
/// switch a second visit.
pub(crate) fn candidates_or(
    turns: &Turns<'_>,
    endpoints: &Endpoints,
    [slack, most_paths]: [usize; 2],
    seed: u64,
    otherwise: impl Fn(u32, u32) -> Vec<u32> + Sync,
) -> Vec<Candidates> {
    let switches = endpoints.source_switches();
    let hosts = endpoints.hosts_per_switch(turns.space().switch_count());
    let most = (MOST_PATHS_IN_ALL / switches.len().pow(2).max(1)).clamp(2, most_paths);
    let to = |to: u32| {
        let sources: Vec<u32> = switches.iter().map(|s| s.number()).collect();
        let ways = WaysTo::search(turns, to, &sources, slack);
        let mut random = stream(seed, "candidate paths", u64::from(to));
        let others = sources.into_iter().filter(move |&from| from != to);
        let pair = |from: u32| Candidates {
            from,
            to,
            weight: hosts[from as usize] * hosts[to as usize],
            paths: ways
                .paths(from, most, &mut random)
                .unwrap_or_else(|| vec![otherwise(from, to)]),
        };
        others.map(pair).collect::<Vec<_>>()
    };
    switches
        .par_iter()
        .flat_map_iter(|switch| to(switch.number()))
        .collect()
}

/// Lists the shortest permitted paths of one pair, of too many the first by ports; if each
/// visits a switch twice, the path over the tree.
pub(crate) fn shortest_paths(
    turns: &Turns<'_>,
    tree: &SpanningTree,
    from: u32,
    to: u32,
) -> Vec<Vec<u32>> {
    shortest_permitted(turns, from, to, MOST_PATHS)
        .unwrap_or_else(|| vec![tree.path(turns.space(), from, to)])
}

/// The shortest permitted paths of one pair, by ascending ports, the first `most` of them;
/// `None` if there is none that visits no switch twice.
pub(crate) fn shortest_permitted(
    turns: &Turns<'_>,
    from: u32,
    to: u32,
    most: usize,
) -> Option<Vec<Vec<u32>>> {
    WaysTo::search(turns, to, &[from], 0).first_paths(from, most)
}

/// A shortest permitted path of one pair that visits no switch twice, which there has to be.
pub(crate) fn shortest_simple(turns: &Turns<'_>, from: u32, to: u32) -> Vec<u32> {
    let with_slack = |slack| WaysTo::search(turns, to, &[from], slack).first_paths(from, 1);
    let found = (0..turns.space().switch_count()).find_map(with_slack);
    found.into_iter().flatten().next().unwrap_or_default()
}

/// How many ways lead to a switch from every channel.
struct WaysTo<'a> {
    turns: &'a Turns<'a>,
    to: u32,
    slack: usize,
    /// Per number of links, then per edge: ways that begin with the edge and have at most so many
    /// links, exactly up to 2^53. They may visit a switch twice, but no further than `to`.
    counts: Vec<Vec<f64>>,
}

impl<'a> WaysTo<'a> {
    /// Counts as far as the farthest of the sources needs.
    fn search(turns: &'a Turns<'a>, to: u32, sources: &[u32], slack: usize) -> Self {
        let mut ways = Self {
            turns,
            to,
            slack,
            counts: vec![vec![0.0; turns.space().edge_count()]],
        };
        let mut left: Vec<u32> = sources.iter().copied().filter(|&s| s != to).collect();
        let mut more = slack;
        let mut reached = 0;
        loop {
            let is_any_left = !left.is_empty();
            if !is_any_left && more == 0 {
                break;
            }
            let next = ways.extended();
            let reached_now = next.iter().filter(|&&count| count > 0.0).count();
            // No channel is new, so none ever will be: the rest cannot be reached.
            if is_any_left && reached_now == reached {
                break;
            }
            reached = reached_now;
            more -= usize::from(!is_any_left);
            ways.counts.push(next);
            let links = ways.counts.len() - 1;
            left.retain(|&source| ways.count(source, links) == 0.0);
        }
        ways
    }

    /// The counts of ways with one link more.
    fn extended(&self) -> Vec<f64> {
        let last = self.counts.last().map_or(&[][..], Vec::as_slice);
        let count = |edge: u32| {
            if self.turns.space().edge(edge).to == self.to {
                return 1.0;
            }
            let after = self.turns.after(edge);
            after.map(|next| last[next as usize]).sum()
        };
        self.turns.edges().map(count).collect()
    }

    /// Counts the ways from a switch of at most so many links.
    fn count(&self, from: u32, links: usize) -> f64 {
        let exits = self.turns.space().edge_ids(from);
        exits.map(|edge| self.counts[links][edge as usize]).sum()
    }

    /// The most links that a path from a switch may have; `None` without any.
    fn limit(&self, from: u32) -> Option<usize> {
        let shortest = (1..self.counts.len()).find(|&links| self.count(from, links) > 0.0)?;
        Some((shortest + self.slack).min(self.counts.len() - 1))
    }

    /// The paths from a switch, as many as `most` drawn where there are more.
    fn paths(&self, from: u32, most: usize, random: &mut impl Rng) -> Option<Vec<Vec<u32>>> {
        let limit = self.limit(from)?;
        if self.count(from, limit) <= most as f64 {
            return self.first_paths(from, most);
        }
        let mut paths = BTreeSet::new();
        for _ in 0..most {
            paths.extend(self.drawn(from, limit, random));
        }
        (!paths.is_empty()).then(|| paths.into_iter().collect())
    }

    /// The first paths from a switch by ascending ports.
    fn first_paths(&self, from: u32, most: usize) -> Option<Vec<Vec<u32>>> {
        let mut found = Vec::new();
        let mut path = Path {
            edges: Vec::new(),
            switches: vec![from],
        };
        let exits = self.turns.space().edge_ids(from);
        self.extend(exits, self.limit(from)?, most, &mut path, &mut found);
        (!found.is_empty()).then_some(found)
    }

    fn extend(
        &self,
        next: impl Iterator<Item = u32>,
        links: usize,
        most: usize,
        path: &mut Path,
        found: &mut Vec<Vec<u32>>,
    ) {
        for edge in next {
            let to = self.turns.space().edge(edge).to;
            let leads_there = self.counts[links][edge as usize] > 0.0;
            if !leads_there || found.len() >= most || path.switches.contains(&to) {
                continue;
            }
            path.edges.push(edge);
            path.switches.push(to);
            if to == self.to {
                found.push(path.edges.clone());
            } else {
                let after: Vec<u32> = self.turns.after(edge).collect();
                self.extend(after.into_iter(), links - 1, most, path, found);
            }
            path.edges.pop();
            path.switches.pop();
        }
    }

    /// Draws a way, each with the same probability; `None` if it visits a switch twice.
    fn drawn(&self, from: u32, limit: usize, random: &mut impl Rng) -> Option<Vec<u32>> {
        let space = self.turns.space();
        let mut path = Vec::new();
        let mut switches = vec![from];
        let mut next: Vec<u32> = space.edge_ids(from).collect();
        for links in (1..=limit).rev() {
            let count = |edge: &u32| self.counts[links][*edge as usize];
            let edge = draw(next.into_iter().filter(|e| count(e) > 0.0), count, random)?;
            let to = space.edge(edge).to;
            if switches.contains(&to) {
                return None;
            }
            path.push(edge);
            switches.push(to);
            if to == self.to {
                return Some(path);
            }
            next = self.turns.after(edge).collect();
        }
        None
    }
}

/// A path while it is extended.
struct Path {
    edges: Vec<u32>,
    switches: Vec<u32>,
}
