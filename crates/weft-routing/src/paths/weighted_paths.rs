//! The cheapest legal path of one pair after another, over channels whose weights only grow.

use crate::paths::legal_steps::{LegalSteps, Steps};
use crate::paths::reached_steps::{ReachedSteps, StepsInto};
use crate::paths::{PathSpace, State};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weft_fabric::SwitchId;

/// A state no path leads to.
const UNREACHED: u64 = u64::MAX;

/// Weights of the channels and the search for cheapest paths over them.
///
/// The search goes backward from the destination, and only where a lower bound lets a path be as cheap
/// as one that is known: the costs from the source as they were at some earlier moment, which never
/// exceed those of now, as weights only grow. The known path is the one found last between the two, at
/// the weights of now. So the path found is exactly the cheapest; bounds and known paths decide only how
/// little is looked at. Steps from states that no path from the source leads to, nearly all of those down from
/// the tops of a tree, are left out before.
#[derive(Clone, Debug)]
pub(crate) struct WeightedSearch<'a> {
    space: &'a PathSpace,
    /// Per edge: weight now, in units that leave room for a tie-break by links.
    weights: Vec<u64>,
    /// Units per unit of weight.
    unit: u64,
    steps: LegalSteps,
    /// Per source switch: costs of all states when last looked at; empty for switches without use.
    bounds: Vec<Vec<u64>>,
    /// The steps that begin where paths from a source lead.
    reached: ReachedSteps,
    sources: Vec<SwitchId>,
    /// Per state: cost to the destination, found in search number `found_in`.
    cost: Vec<u64>,
    found_in: Vec<u32>,
    search: u32,
    /// States by the order in which they were met, each with its cost then.
    queue: Vec<(u64, State)>,
}

impl<'a> WeightedSearch<'a> {
    /// Gives every channel the same weight and looks from the given sources.
    pub(crate) fn new(space: &'a PathSpace, sources: Vec<SwitchId>, weight: u64) -> Self {
        let states = space.state_count();
        // A path visits no state twice, so its links never add up to one unit.
        let unit = states as u64 + 1;
        let mut search = Self {
            space,
            steps: LegalSteps::of(space),
            weights: vec![weight.saturating_mul(unit).saturating_add(1); space.edge_count()],
            unit,
            bounds: vec![Vec::new(); space.switch_count()],
            reached: ReachedSteps::default(),
            sources,
            cost: vec![0; states],
            found_in: vec![0; states],
            search: 0,
            queue: Vec::new(),
        };
        search.refresh_bounds();
        let is_reached = |source: usize, state: State| {
            let bounds = &search.bounds[source];
            bounds
                .get(state as usize)
                .is_some_and(|&bound| bound != UNREACHED)
        };
        search.reached = ReachedSteps::of(&search.steps.before, space.switch_count(), is_reached);
        search
    }

    pub(crate) fn add(&mut self, edge: u32, weight: u64) {
        let here = &mut self.weights[edge as usize];
        *here = here.saturating_add(weight.saturating_mul(self.unit));
    }

    /// Takes the lower bounds from the weights as they are now. It changes no path, only the
    /// time to find them.
    pub(crate) fn refresh_bounds(&mut self) {
        let (after, weights) = (&self.steps.after, &self.weights);
        let starts = self
            .sources
            .par_iter()
            .map(|source| self.space.state(source.number(), 0));
        let costs: Vec<Vec<u64>> = starts
            .map(|start| costs_from(after, weights, start))
            .collect();
        for (source, costs) in self.sources.iter().zip(costs) {
            self.bounds[source.index()] = costs;
        }
    }

    /// Writes the edges of the cheapest path between two switches; of equally cheap ones that
    /// with fewest links, then that with the lowest port where they part.
    pub(crate) fn cheapest(&mut self, from: u32, to: u32, path: &mut Vec<u32>) {
        path.clear();
        self.search_back(from, to);
        let mut at = self.space.state(from, 0);
        while self.space.place(at).0 != to {
            let Some((edge, next)) = self.cheapest_step(at) else {
                unreachable!("routes are asked for between joined switches only");
            };
            path.push(edge);
            at = next;
        }
    }

    /// Finds what all states cost that may lie on a cheapest path, so that ties are seen.
    fn search_back(&mut self, from: u32, to: u32) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 {
            self.found_in.fill(0);
            self.search = 1;
        }
        let start = self.space.state(from, 0);
        let into = self.reached.from(from);
        // Names of their own spare the loop below looking each of them up again for every step.
        let (weights, bounds) = (&self.weights[..], &self.bounds[from as usize][..]);
        let ends = self.space.ends(to);
        let mut most = ends
            .clone()
            .map(|end| known_cost(into, weights, bounds, end))
            .min()
            .unwrap_or(UNREACHED);
        self.queue.clear();
        for end in ends.filter(|&end| bounds[end as usize] <= most) {
            self.cost[end as usize] = 0;
            self.found_in[end as usize] = self.search;
            self.queue.push((0, end));
        }
        let mut next = 0;
        while let Some(&(cost, at)) = self.queue.get(next) {
            next += 1;
            if cost != self.cost[at as usize] {
                continue;
            }
            if at == start {
                most = most.min(cost);
                continue;
            }
            for &(before, edge) in into.at(at) {
                let cost = cost.saturating_add(weights[edge as usize]);
                if cost.saturating_add(bounds[before as usize]) > most {
                    continue;
                }
                let is_known = self.found_in[before as usize] == self.search;
                if !is_known || cost < self.cost[before as usize] {
                    self.found_in[before as usize] = self.search;
                    self.cost[before as usize] = cost;
                    self.queue.push((cost, before));
                }
            }
        }
    }

    /// The edge by the lowest port on a cheapest path from a state, and where it leads.
    fn cheapest_step(&self, at: State) -> Option<(u32, State)> {
        self.steps.after.at(at).iter().find_map(|&(next, edge)| {
            let cost = self.cost[next as usize].saturating_add(self.weights[edge as usize]);
            let found = self.found_in[next as usize] == self.search;
            (found && cost == self.cost[at as usize]).then_some((edge, next))
        })
    }
}

/// What a path to a state costs that ever takes what seems cheapest, backward; [`UNREACHED`] where
/// none leads.
fn known_cost(into: StepsInto<'_>, weights: &[u64], bounds: &[u64], end: State) -> u64 {
    let (mut sum, mut at) = (0_u64, end);
    while bounds[at as usize] != 0 {
        let nearer = into.at(at).iter();
        let nearer = nearer.filter(|step| bounds[step.0 as usize] < bounds[at as usize]);
        let weight = |edge: u32| weights[edge as usize];
        let seems = |step: &&(State, u32)| bounds[step.0 as usize].saturating_add(weight(step.1));
        let Some(&(before, edge)) = nearer.min_by_key(seems) else {
            return UNREACHED;
        };
        sum = sum.saturating_add(weight(edge));
        at = before;
    }
    sum
}

/// The costs of the cheapest paths from a state to all.
fn costs_from(after: &Steps, weights: &[u64], start: State) -> Vec<u64> {
    let mut costs = vec![UNREACHED; after.state_count()];
    let mut queue = BinaryHeap::from([Reverse((0, start))]);
    costs[start as usize] = 0;
    while let Some(Reverse((cost, at))) = queue.pop() {
        if cost > costs[at as usize] {
            continue;
        }
        for &(next, edge) in after.at(at) {
            let cost_next = cost.saturating_add(weights[edge as usize]);
            if cost_next < costs[next as usize] {
                costs[next as usize] = cost_next;
                queue.push(Reverse((cost_next, next)));
            }
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orient::Orientation;
    use crate::paths::{ShortestPaths, TurnRule};
    use crate::random::stream;
    use rand::RngExt;
    use weft_fabric::generate::{IrregularParameters, irregular, k_ary_n_tree, torus};

    /// Weight, links and edges by port of the cheapest path between two switches, found by
    /// relaxing whole paths until none improves.
    fn cheapest_plainly(space: &PathSpace, weights: &[u64], from: u32, to: u32) -> Vec<u32> {
        let mut best: Vec<Option<(u64, Vec<u32>)>> = vec![None; space.state_count()];
        best[space.state(from, 0) as usize] = Some((0, Vec::new()));
        let rank = |(weight, path): &(u64, Vec<u32>)| {
            let ports: Vec<_> = path.iter().map(|&edge| space.edge(edge).port).collect();
            (*weight, path.len(), ports)
        };
        let mut improved = true;
        while improved {
            improved = false;
            for at in 0..best.len() {
                let Some((weight, path)) = best[at].clone() else {
                    continue;
                };
                let at = State::try_from(at).unwrap();
                let (switch, phase) = space.place(at);
                for id in space.edge_ids(switch) {
                    let edge = space.edge(id);
                    let Some((after, _)) = space.turn(switch, phase, edge.ups()) else {
                        continue;
                    };
                    let mut longer = path.clone();
                    longer.push(id);
                    let way = (weight + weights[id as usize], longer);
                    let known = &mut best[space.state(edge.to, after) as usize];
                    if known.as_ref().is_none_or(|known| rank(&way) < rank(known)) {
                        *known = Some(way);
                        improved = true;
                    }
                }
            }
        }
        let ends = space.ends(to);
        ends.filter_map(|end| best[end as usize].clone())
            .min_by_key(rank)
            .unwrap()
            .1
    }

    #[test]
    fn every_path_is_the_cheapest_while_weights_grow_and_bounds_age() {
        let mut fabrics = vec![torus(4, 3, 1).unwrap(), k_ary_n_tree(2, 3).unwrap()];
        for seed in 1..=3 {
            let parameters = IrregularParameters {
                switches: 12,
                seed,
                ..IrregularParameters::default()
            };
            fabrics.push(irregular(&parameters).unwrap());
        }
        let mut detours = 0;
        for (number, fabric) in (0..).zip(&fabrics) {
            let orientation = Orientation::from_root(fabric, SwitchId::new(number));
            let space = PathSpace::new(fabric, Some(&orientation), TurnRule::Forbidden);
            let mut search = WeightedSearch::new(&space, fabric.switch_ids().collect(), 1);
            let mut weights = vec![1; space.edge_count()];
            let mut draws = stream(1, "pairs of the test", u64::from(number));
            let mut path = Vec::new();
            for round in 0..600 {
                if round % 150 == 149 {
                    search.refresh_bounds();
                }
                // Few destinations, so that loads differ.
                let (from, to) = (draws.random_range(0..12), draws.random_range(0..2));
                if from == to {
                    continue;
                }
                search.cheapest(from, to, &mut path);
                assert_eq!(
                    path,
                    cheapest_plainly(&space, &weights, from, to),
                    "round {round}"
                );
                let shortest = ShortestPaths::from(&space, from)
                    .distances()
                    .links_to(&space, to);
                detours += usize::from(path.len() > usize::from(shortest.unwrap()));
                for &edge in &path {
                    search.add(edge, 1);
                    weights[edge as usize] += 1;
                }
            }
        }
        assert!(detours > 10, "weights send some routes a longer way");
    }
}
