//! Cycles of channels broken by forbidding turns, while traffic is balanced anew.

use crate::choose::spread;
use crate::cycles::{AcyclicDependencies, Dependencies};
use crate::linear_solver::{LinearError, LinearSolver};
use crate::paths::{Candidates, SpanningTree, Turns, shortest_paths};
use std::collections::BTreeMap;

/// Turns that are forbidden before traffic is balanced anew.
const TURNS_PER_BALANCE: usize = 8;
/// What it costs, beside the traffic a turn carries, that a pair loses a path, as a share of the
/// pair's traffic; and what that it loses its last.
const COST_OF_PATH: f64 = 0.1;
const COST_OF_LAST_PATH: f64 = 1.0;

/// Forbids turns until no cycle of channels is left, and permits every turn again that closes
/// none.
///
/// Of each cycle the turn is forbidden that costs least: the traffic that a linear program puts on
/// it, and something for every pair that loses paths. A pair that loses all its paths gets the
/// shortest that are still permitted. The turns of a spanning tree are never forbidden, so there is
/// always one. At the end the turns that carried most come first.
/// Every step forbids a turn for good.
/// Source: Cherkasova, Kotov, Rokicki, "Fibre channel fabrics: evaluation and design", HICSS 1996, as
/// Flich, López, Malumbres, Duato report it; costs, tree and end are reconstructed.
pub(crate) fn break_cycles<'a>(
    all: &Turns<'a>,
    tree: &SpanningTree,
    pairs: Vec<Candidates>,
    solver: &dyn LinearSolver,
) -> Result<Turns<'a>, LinearError> {
    let mut breaking = Breaking::new(all, tree, pairs);
    breaking.balance(solver)?;
    let first_traffic = breaking.traffic.clone();
    let mut since_balance = 0;
    while let Some(cycle) = breaking.graph.shortest_cycle() {
        if since_balance == TURNS_PER_BALANCE {
            breaking.balance(solver)?;
            since_balance = 0;
        }
        let Some((held, wanted)) = breaking.cheapest(&cycle) else {
            unreachable!("a cycle has a turn that is not of the tree");
        };
        breaking.forbid(held, wanted);
        since_balance += 1;
    }
    Ok(breaking.largest(all, &first_traffic))
}

struct Breaking<'a, 't> {
    turns: Turns<'a>,
    tree: &'t SpanningTree,
    of_tree: Turns<'a>,
    pairs: Vec<Candidates>,
    /// Per pair and path: its share of the pair's traffic; `None` once the path is lost.
    shares: Vec<Vec<Option<f64>>>,
    /// Dependencies of the tree and of all paths that are left.
    graph: Dependencies,
    /// Per turn: the paths that take it, as pair and path, the lost ones included.
    users: Vec<Vec<(usize, usize)>>,
    /// Per turn: traffic of the paths that take it, in pairs of hosts.
    traffic: Vec<f64>,
}

impl<'a, 't> Breaking<'a, 't> {
    fn new(all: &Turns<'a>, tree: &'t SpanningTree, pairs: Vec<Candidates>) -> Self {
        let mut breaking = Self {
            turns: all.clone(),
            tree,
            of_tree: tree.turns(all.space()),
            shares: vec![Vec::new(); pairs.len()],
            pairs,
            graph: Dependencies::new(all.space().edge_count()),
            users: vec![Vec::new(); all.place_count()],
            traffic: vec![0.0; all.place_count()],
        };
        for (held, wanted) in breaking.of_tree.pairs() {
            breaking.graph.add(held, wanted);
        }
        for pair in 0..breaking.pairs.len() {
            breaking.enter(pair);
        }
        breaking
    }

    /// Enters the paths of a pair that are not entered yet.
    fn enter(&mut self, pair: usize) {
        let first = self.shares[pair].len();
        for (path, edges) in self.pairs[pair].paths.iter().enumerate().skip(first) {
            self.graph.add_route(edges);
            for two in edges.windows(2) {
                self.users[self.turns.place(two[0], two[1])].push((pair, path));
            }
            self.shares[pair].push(Some(0.0));
        }
    }

    /// Spreads the traffic over the paths that are left so that the largest load is least.
    fn balance(&mut self, solver: &dyn LinearSolver) -> Result<(), LinearError> {
        let left = |(pair, shares): (&Candidates, &Vec<Option<f64>>)| {
            let paths = pair.paths.iter().zip(shares);
            let paths = paths.filter(|(_, share)| share.is_some());
            Candidates {
                paths: paths.map(|(edges, _)| edges.clone()).collect(),
                ..*pair
            }
        };
        let left: Vec<Candidates> = self.pairs.iter().zip(&self.shares).map(left).collect();
        let shares = spread(self.turns.space().edge_count(), &left, solver)?;
        self.traffic.fill(0.0);
        for ((pair, old), new) in self.pairs.iter().zip(&mut self.shares).zip(shares) {
            let places = old.iter_mut().enumerate();
            let places = places.filter(|(_, share)| share.is_some());
            for ((path, share), new) in places.zip(new) {
                *share = Some(new);
                for two in pair.paths[path].windows(2) {
                    let place = self.turns.place(two[0], two[1]);
                    self.traffic[place] += pair.weight as f64 * new;
                }
            }
        }
        Ok(())
    }

    /// The turn of a cycle that costs least to forbid.
    fn cheapest(&self, cycle: &[u32]) -> Option<(u32, u32)> {
        let next = cycle.iter().cycle().skip(1);
        cycle
            .iter()
            .zip(next)
            .map(|(&held, &wanted)| (held, wanted))
            .filter(|&(held, wanted)| !self.of_tree.permits(held, wanted))
            .map(|turn| (self.cost(turn), turn))
            .min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))
            .map(|(_, turn)| turn)
    }

    /// What it costs to forbid a turn, in pairs of hosts.
    fn cost(&self, turn: (u32, u32)) -> f64 {
        let place = self.turns.place(turn.0, turn.1);
        let mut lost_by: BTreeMap<usize, usize> = BTreeMap::new();
        for &(pair, path) in &self.users[place] {
            if self.shares[pair][path].is_some() {
                *lost_by.entry(pair).or_default() += 1;
            }
        }
        let cost_of = |(&pair, &lost): (&usize, &usize)| {
            let is_last = self.shares[pair].iter().flatten().count() == lost;
            let share = COST_OF_PATH + if is_last { COST_OF_LAST_PATH } else { 0.0 };
            self.pairs[pair].weight as f64 * share
        };
        self.traffic[place] + lost_by.iter().map(cost_of).sum::<f64>()
    }

    /// Forbids a turn, and with it the paths that take it.
    fn forbid(&mut self, held: u32, wanted: u32) {
        self.turns.set(held, wanted, false);
        let users = std::mem::take(&mut self.users[self.turns.place(held, wanted)]);
        for &(pair, path) in &users {
            let Some(share) = self.shares[pair][path].take() else {
                continue;
            };
            let edges = &self.pairs[pair].paths[path];
            self.graph.remove_route(edges);
            for two in edges.windows(2) {
                let place = self.turns.place(two[0], two[1]);
                self.traffic[place] -= self.pairs[pair].weight as f64 * share;
            }
        }
        for (pair, _) in users {
            if self.shares[pair].iter().all(Option::is_none) {
                let Candidates { from, to, .. } = self.pairs[pair];
                let found = shortest_paths(&self.turns, self.tree, from, to);
                self.pairs[pair].paths.extend(found);
                self.enter(pair);
            }
        }
    }

    /// A largest set of turns without a cycle among those left: first what is in use, then
    /// what carried most at first.
    fn largest(&self, all: &Turns<'a>, first_traffic: &[f64]) -> Turns<'a> {
        let mut ranked = AcyclicDependencies::new(all.space().edge_count());
        let mut turns = Turns::none(all.space());
        let mut others = Vec::new();
        for (held, wanted) in all.pairs() {
            if self.graph.uses(held, wanted) > 0 {
                let is_added = ranked.add(held, wanted);
                turns.set(held, wanted, is_added);
            } else {
                others.push((first_traffic[all.place(held, wanted)], held, wanted));
            }
        }
        others.sort_by(|one, other| {
            let by_traffic = other.0.total_cmp(&one.0);
            by_traffic.then((one.1, one.2).cmp(&(other.1, other.2)))
        });
        for (_, held, wanted) in others {
            let is_added = ranked.add(held, wanted);
            turns.set(held, wanted, is_added);
        }
        turns
    }
}
