//! What an even flow between all hosts says of every cut.

use super::super::graph::SwitchGraph;
use super::Problem;
use rayon::prelude::*;

/// Visits of neighbours above which the bound is not computed (some seconds' work).
pub(super) const MOST_STEPS: u64 = 400_000_000;
/// Parts in which the sources are added up; fixed, so that sums do not depend on the cores.
const PARTS: usize = 16;
/// Room for rounding in a quotient of sums.
const ROUNDING: f64 = 1e-9;

/// The least number of links between halves: every host of one sends one unit to every host
/// of the other, all shortest paths share evenly, and no link carries more than the busiest one.
///
/// `None` for a graph too large, or in parts (whose halves may share no link at all).
pub(super) fn least_width(problem: Problem<'_>) -> Option<u64> {
    let graph = problem.graph;
    let sources: Vec<u32> = (0..)
        .zip(problem.weights)
        .filter(|&(_, &weight)| weight > 0)
        .map(|(switch, _)| switch)
        .collect();
    let steps = sources.len() as u64 * (graph.arc_count() + graph.switch_count()) as u64;
    if steps > MOST_STEPS {
        return None;
    }
    let parts: Vec<&[u32]> = sources
        .chunks(sources.len().div_ceil(PARTS).max(1))
        .collect();
    let sums: Vec<Option<Vec<f64>>> = parts
        .par_iter()
        .map(|part| {
            let mut flow = Flow::new(graph);
            part.iter()
                .all(|&source| flow.add(graph, problem.weights, source))
                .then_some(flow.on_link)
        })
        .collect();
    let mut busiest = 0.0_f64;
    let sums: Vec<Vec<f64>> = sums.into_iter().collect::<Option<_>>()?;
    for arc in 0..graph.arc_count() {
        busiest = busiest.max(sums.iter().map(|sum| sum[arc]).sum());
    }
    let total: u64 = problem.weights.iter().sum();
    let smaller = total
        .saturating_sub(problem.tolerance.min(total))
        .div_ceil(2);
    // Halves that are as alike as they can be: of an even number of equal switches, equal.
    let equal = problem
        .weights
        .iter()
        .all(|&w| w == 0 || w == problem.tolerance);
    let smaller = if equal && (total / problem.tolerance.max(1)).is_multiple_of(2) {
        total / 2
    } else {
        smaller
    };
    if busiest <= 0.0 {
        return Some(0);
    }
    let crossing = smaller as f64 * (total - smaller) as f64;
    let width = (crossing / busiest * (1.0 - ROUNDING)).ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and no more than there are links"
    )]
    Some(width as u64)
}

/// Flow on every link, summed over sources, and the room one search needs.
struct Flow {
    /// Per pair of neighbours, in the order of the graph: units on one of the links between them.
    on_link: Vec<f64>,
    distance: Vec<u32>,
    /// Numbers of shortest paths from the source.
    paths: Vec<f64>,
    /// Units that pass through or end at a switch.
    passing: Vec<f64>,
    order: Vec<u32>,
}

impl Flow {
    fn new(graph: &SwitchGraph) -> Self {
        let switches = graph.switch_count();
        Self {
            on_link: vec![0.0; graph.arc_count()],
            distance: vec![u32::MAX; switches],
            paths: vec![0.0; switches],
            passing: vec![0.0; switches],
            order: Vec::with_capacity(switches),
        }
    }

    /// Adds the flow from the hosts of one switch to all others, and tells whether it reached
    /// them (Brandes, "A faster algorithm for betweenness centrality", 2001).
    fn add(&mut self, graph: &SwitchGraph, weights: &[u64], source: u32) -> bool {
        self.distance.fill(u32::MAX);
        self.paths.fill(0.0);
        self.order.clear();
        self.distance[source as usize] = 0;
        self.paths[source as usize] = 1.0;
        self.order.push(source);
        let mut next = 0;
        while let Some(&switch) = self.order.get(next) {
            next += 1;
            let here = switch as usize;
            for neighbour in graph.of_switch(here) {
                let there = neighbour.switch as usize;
                if self.distance[there] == u32::MAX {
                    self.distance[there] = self.distance[here] + 1;
                    self.order.push(neighbour.switch);
                }
                if self.distance[there] == self.distance[here] + 1 {
                    self.paths[there] += self.paths[here] * f64::from(neighbour.links);
                }
            }
        }
        for (units, &weight) in self.passing.iter_mut().zip(weights) {
            *units = weight as f64;
        }
        let sent = weights[source as usize] as f64;
        for &switch in self.order.iter().rev() {
            let here = switch as usize;
            let row = graph.of_switch(here);
            for (arc, neighbour) in (graph.row_start(here)..).zip(row) {
                let there = neighbour.switch as usize;
                if self.distance[there] == self.distance[here] + 1 {
                    let share = self.passing[there] * self.paths[here] / self.paths[there];
                    self.on_link[arc] += sent * share;
                    self.passing[here] += share * f64::from(neighbour.links);
                }
            }
        }
        let is_reached = |switch: usize| self.distance[switch] != u32::MAX;
        (0..weights.len()).all(|switch| weights[switch] == 0 || is_reached(switch))
    }
}
