//! The bisection: how few links join two halves of the hosts.

mod buckets;
mod flow_bound;
mod local_search;

use super::Capacity;
use super::graph::SwitchGraph;
use crate::{Fabric, Layout, Node, SwitchId};
use buckets::Buckets;
use local_search::Halves;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// Halves tried from random starts: as many as this allows at one unit a pair of neighbours.
const RANDOM_WORK: usize = 4_000_000;
/// Fewest and most random starts.
const RANDOM_STARTS: [usize; 2] = [4, 64];
/// Keeps this stream of random numbers apart from others ("bisectio").
const PURPOSE: u64 = 0x6269_7365_6374_696f;

/// Bounds on the bisection width, and the halves behind the upper one.
///
/// The width is the least number of links between switches that join two halves of the fabric.
/// Halves have as many hosts each, as nearly as the switches allow: they differ by no more than the
/// hosts of the fullest switch. Switches without hosts go with either half. In a fabric without
/// hosts every switch counts as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Bisection {
    /// Links between the two halves found: the width is at most this.
    pub at_most_links: u64,
    /// The width is at least this; `None` where the fabric is too large to tell cheaply.
    pub at_least_links: Option<u64>,
    /// Data rate of the links between the halves found, each way, in Gbit/s; `None` where the rate
    /// of one is unknown.
    pub found_gbit_per_s: Option<f64>,
    /// What half of the hosts can inject over what these links can carry, each way: by rate where
    /// all rates are known, by number of links otherwise; `None` where there are no links or no
    /// hosts.
    pub oversubscription: Option<f64>,
    /// Hosts of the two halves found (switches, in a fabric without hosts).
    pub sizes: [u64; 2],
    /// Per switch: whether it lies in the second half.
    pub is_second: Vec<bool>,
}

/// What is to be halved.
#[derive(Clone, Copy, Debug)]
struct Problem<'a> {
    graph: &'a SwitchGraph,
    /// Hosts per switch, or ones.
    weights: &'a [u64],
    /// The most by which the halves may differ.
    tolerance: u64,
}

impl Bisection {
    /// Bounds the bisection width of a fabric from above by local search and from below by
    /// what an even flow between all hosts must carry.
    ///
    /// The search improves halves by moving one switch after the other, from several starts: the
    /// order of the ids, each dimension of a grid, the distance from a far switch, and random ones.
    ///
    /// # Complexity
    /// Upper bound: a few passes of O(S + E) a start, for S switches and E pairs of neighbours.
    /// Lower bound: O(S · E), left out above `flow_bound::MOST_STEPS`.
    ///
    /// # Determinism
    /// Depends on the fabric alone.
    ///
    /// # Source
    /// Fiduccia, Mattheyses, "A linear-time heuristic for improving network partitions", DAC 1982;
    /// the lower bound is that of Leighton and Rao: a cut must carry what crosses it.
    pub fn of(fabric: &Fabric) -> Self {
        let graph = SwitchGraph::of(fabric);
        let mut weights: Vec<u64> = fabric
            .switch_ids()
            .map(|switch| fabric.compute_hosts_of(switch) as u64)
            .collect();
        if weights.iter().all(|&weight| weight == 0) {
            weights.fill(1);
        }
        let problem = Problem {
            graph: &graph,
            weights: &weights,
            tolerance: weights.iter().copied().max().unwrap_or(0),
        };
        let best = starts(fabric, &graph)
            .par_iter()
            .map_init(
                || Buckets::new(&graph),
                |buckets, order| Halves::from_order(problem, order).improved(problem, buckets),
            )
            .enumerate()
            .min_by_key(|(start, halves)| (halves.cut, *start));
        let Halves {
            cut,
            is_second,
            sizes,
            ..
        } = match best {
            Some((_, halves)) => halves,
            // Invariant: there is a start by the ids.
            None => Halves::from_order(problem, &[]),
        };
        let between = between(fabric, &is_second);
        Self {
            at_most_links: cut,
            at_least_links: flow_bound::least_width(problem).map(|least| least.min(cut)),
            found_gbit_per_s: between.gbit_per_s,
            oversubscription: injection(fabric)
                .over(between)
                .map(|over| over / 2.0)
                .filter(|&over| over > 0.0),
            sizes,
            is_second,
        }
    }
}

/// Orders of the switches whose halves are worth improving.
fn starts(fabric: &Fabric, graph: &SwitchGraph) -> Vec<Vec<u32>> {
    let ids: Vec<u32> = fabric.switch_ids().map(SwitchId::number).collect();
    let mut starts = vec![ids.clone(), by_distance(graph)];
    if let Layout::Grid { extents } = fabric.layout() {
        let mut step = 1;
        for &extent in extents {
            let mut order = ids.clone();
            order.sort_by_key(|id| id / step % extent);
            starts.push(order);
            step *= extent;
        }
    }
    let [fewest, most] = RANDOM_STARTS;
    let random_starts = (RANDOM_WORK / (graph.arc_count() + 1)).clamp(fewest, most);
    let mut random = Pcg64Mcg::seed_from_u64(PURPOSE);
    starts.extend((0..random_starts).map(|_| {
        let mut order = ids.clone();
        order.shuffle(&mut random);
        order
    }));
    starts
}

/// Orders the switches by their distance from one that is far from the first.
fn by_distance(graph: &SwitchGraph) -> Vec<u32> {
    let from_first = breadth_first(graph, 0);
    breadth_first(graph, from_first.last().map_or(0, |&far| far as usize))
}

/// All switches in the order of a breadth-first search, part by part.
fn breadth_first(graph: &SwitchGraph, start: usize) -> Vec<u32> {
    let switches = graph.switch_count();
    let mut is_seen = vec![false; switches];
    let mut order = Vec::with_capacity(switches);
    for root in std::iter::once(start).chain(0..switches) {
        if std::mem::replace(&mut is_seen[root], true) {
            continue;
        }
        let mut next = order.len();
        order.push(SwitchId::from_index(root).number());
        while let Some(&switch) = order.get(next) {
            next += 1;
            for neighbour in graph.of_switch(switch as usize) {
                if !std::mem::replace(&mut is_seen[neighbour.switch as usize], true) {
                    order.push(neighbour.switch);
                }
            }
        }
    }
    order
}

/// The links between the halves.
fn between(fabric: &Fabric, is_second: &[bool]) -> Capacity {
    let is_between = |ends: [Node; 2]| match ends {
        [Node::Switch(a), Node::Switch(b)] => is_second[a.index()] != is_second[b.index()],
        _ => false,
    };
    Capacity::of(fabric, is_between)
}

/// The links of all hosts.
fn injection(fabric: &Fabric) -> Capacity {
    Capacity::of(fabric, |ends| {
        ends.iter().any(|end| matches!(end, Node::Host(_)))
    })
}
