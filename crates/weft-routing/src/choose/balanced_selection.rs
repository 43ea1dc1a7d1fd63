//! Paths taken away one by one where channels carry most, until each pair has one.

use crate::form::{Endpoints, RouteRow};
use crate::paths::{PathSpace, RandomPaths, ShortestPaths, State};
use crate::random::stream;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use weft_fabric::SwitchId;

/// Candidate paths of a pair of switches; with more, as many are drawn.
const MOST_CANDIDATES: usize = 64;
/// Candidate paths of all pairs together, as far as two for each pair permit.
const MOST_CANDIDATES_IN_ALL: usize = 1 << 18;

/// The candidate paths of one pair of switches.
struct Candidates {
    /// Pairs of hosts between them.
    weight: u64,
    /// Edges of each path, by ascending ports; empty once taken away.
    paths: Vec<Vec<u32>>,
    left: usize,
}

/// Leaves every pair of switches one of its shortest paths, common to all their hosts.
///
/// Again and again, of the paths over the channel that most paths use, the one is taken away without
/// which the standard deviation of the channels' use is least, as long as its pair keeps another.
///
/// Shapes: a row per source, as output ports.
/// Time O(R·P·L) for R candidate paths, P of them over one channel, each of L links.
/// Source: Sancho, Robles, "Improving the up*/down* routing scheme for networks of workstations", Euro-Par
/// 2000; reconstructed from what others report of it.
pub(crate) fn select(space: &PathSpace, endpoints: &Endpoints, seed: u64) -> Vec<RouteRow> {
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let sources = endpoints.source_switches();
    let mut pairs: Vec<Candidates> = sources
        .par_iter()
        .flat_map_iter(|&source| candidates_from(space, source, &sources, &hosts, seed))
        .collect();
    remove(space.edge_count(), &mut pairs);

    let mut place = vec![0; space.switch_count()];
    for (nth, source) in sources.iter().enumerate() {
        place[source.index()] = nth;
    }
    space.rows(endpoints, |source, destination| {
        let ends = [source, destination].map(|end| place[endpoints.switch(end) as usize]);
        let mut paths = pairs[ends[0] * sources.len() + ends[1]].paths.iter();
        paths.find(|path| !path.is_empty())
    })
}

/// The candidates from one switch to every switch with hosts; none to itself.
fn candidates_from(
    space: &PathSpace,
    source: SwitchId,
    destinations: &[SwitchId],
    hosts: &[u64],
    seed: u64,
) -> Vec<Candidates> {
    let shortest = ShortestPaths::from(space, source.number());
    let counts = shortest.counts(space);
    let most = (MOST_CANDIDATES_IN_ALL / destinations.len().pow(2)).clamp(2, MOST_CANDIDATES);
    let mut random = stream(seed, "candidate paths", u64::from(source.number()));
    let mut drawn = None;
    let to = |destination: &SwitchId| {
        let mut paths = BTreeSet::new();
        if *destination != source {
            let ends = shortest.distances().ends(space, destination.number());
            let count: f64 = ends.map(|end| counts[end as usize]).sum();
            if count <= most as f64 {
                for end in shortest.distances().ends(space, destination.number()) {
                    extend_back(space, &shortest, end, &mut Vec::new(), &mut paths);
                }
            } else {
                let drawn = drawn.get_or_insert_with(|| RandomPaths::of(space, &shortest));
                for _ in 0..most {
                    let mut path = Vec::new();
                    drawn.draw_reversed(destination.number(), &mut random, |before, port| {
                        let (switch, _) = space.place(before);
                        path.push(space.edge_at(switch, port));
                    });
                    path.reverse();
                    paths.insert(path);
                }
            }
        }
        Candidates {
            weight: hosts[source.index()] * hosts[destination.index()],
            left: paths.len(),
            paths: paths.into_iter().collect(),
        }
    };
    destinations.iter().map(to).collect()
}

/// Takes paths away until each pair has one.
fn remove(edges: usize, pairs: &mut [Candidates]) {
    let mut used = vec![0_u64; edges];
    let mut over: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (pair, candidates) in pairs.iter().enumerate() {
        for (path, steps) in candidates.paths.iter().enumerate() {
            for &edge in steps {
                used[edge as usize] += candidates.weight;
                over.entry(edge).or_default().push((pair, path));
            }
        }
    }
    let mut total: u64 = used.iter().sum();
    let mut busiest: BinaryHeap<(u64, Reverse<u32>)> = over
        .keys()
        .map(|&edge| (used[edge as usize], Reverse(edge)))
        .collect();
    while let Some((uses, Reverse(edge))) = busiest.pop() {
        let now = used[edge as usize];
        if uses != now {
            busiest.push((now, Reverse(edge)));
            continue;
        }
        let Some(here) = over.get_mut(&edge) else {
            continue;
        };
        here.retain(|&(pair, path)| pairs[pair].left > 1 && !pairs[pair].paths[path].is_empty());
        let best = here.iter().copied().min_by_key(|&(pair, path)| {
            let candidates = &pairs[pair];
            let steps = &candidates.paths[path];
            let change = deviation_change(&used, total, steps, candidates.weight);
            (change, Reverse(steps.len()), Reverse(candidates.left))
        });
        // Without such a path nothing more can be taken from this channel, now or later.
        if let Some((pair, path)) = best {
            let candidates = &mut pairs[pair];
            candidates.left -= 1;
            total -= candidates.weight * candidates.paths[path].len() as u64;
            for &step in &std::mem::take(&mut candidates.paths[path]) {
                used[step as usize] -= candidates.weight;
            }
            busiest.push((used[edge as usize], Reverse(edge)));
        }
    }
}

/// Lists all shortest paths to a state, each followed by `rest`, which is held last edge first.
fn extend_back(
    space: &PathSpace,
    shortest: &ShortestPaths,
    at: State,
    rest: &mut Vec<u32>,
    paths: &mut BTreeSet<Vec<u32>>,
) {
    let mut begun = true;
    for (before, edge) in shortest.distances().last_steps(space, at) {
        begun = false;
        rest.push(edge);
        extend_back(space, shortest, before, rest, paths);
        rest.pop();
    }
    if begun {
        paths.insert(rest.iter().rev().copied().collect());
    }
}

/// By how much the variance of the channels' use, times the square of their number, changes
/// when a path is taken away.
fn deviation_change(used: &[u64], total: u64, path: &[u32], weight: u64) -> i128 {
    let channels = used.len() as i128;
    let weight = i128::from(weight);
    let squares: i128 = path
        .iter()
        .map(|&edge| weight * (weight - 2 * i128::from(used[edge as usize])))
        .sum();
    let taken = weight * path.len() as i128;
    channels * squares + taken * (2 * i128::from(total) - taken)
}
