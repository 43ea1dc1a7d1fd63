//! Trees whose ways may be longer than shortest ones, around channels that are full.

use super::balanced_forest::{DESTINATIONS_AT_ONCE, Forest};
use super::guide_trees;
use super::loads_of_trees::Place;
use super::patterns::ALL;
use super::target_switch::{Ground, Target};
use super::tree_on_lanes::Tree;
use crate::cycles::LaneOrders;
use crate::paths::{Lengths, PathSpace};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Powers of the loads by which channels cost, round by round.
const EXPONENTS: [i32; 5] = [1, 1, 2, 4, 8];

/// What a link costs besides, where one costs 1 more that carries what split traffic would fill it with.
const COST_OF_LINK: f64 = 0.2;

/// Most that a channel costs: sums of costs tell all ways apart.
const MOST_COST: f64 = 1e6;

impl Forest<'_> {
    /// Grows the tree of every destination anew, one after the other, by the cheapest paths that some lane permits,
    /// of any length; and lets relief choose from then on among the ways by which they get cheaper.
    ///
    /// A channel costs a little for its link, and a power of what it carries for others over `full`, times its
    /// [slowness](PathSpace::slowness); a slow one for what the switch sends itself, too. So routes go around the fuller channels.
    /// Time O(h·E log E) for h hosts and E channels.
    pub(super) fn grow_around(
        &mut self,
        ground: &mut Ground,
        round: usize,
        full: f64,
        is_over: &dyn Fn() -> bool,
    ) {
        let exponent = EXPONENTS[round.min(EXPONENTS.len() - 1)];
        let space = self.space;
        let slowness = |edge: u32| space.slowness(edge) as f64;
        // What is sent over a slow channel fills it by more.
        let cost = |edge: u32, load: u64| {
            let filled = (load as f64 / full).powi(exponent) * slowness(edge);
            COST_OF_LINK + filled.min(MOST_COST)
        };
        let loads = (0..).zip(&self.loads[ALL]);
        let mut costs: Vec<f64> = loads.map(|(edge, &load)| cost(edge, load)).collect();
        let edges = (0..).take(costs.len());
        let fastest = edges.clone().map(|edge| space.slowness(edge)).min();
        let fastest = fastest.unwrap_or(1);
        let is_slow = |&edge: &u32| space.slowness(edge) > fastest;
        let slow: Vec<u32> = edges.filter(is_slow).collect();
        let mut tree = Tree::new(self.space.switch_count());
        for destination in 0..self.patterns.destination_count() {
            if destination.is_multiple_of(DESTINATIONS_AT_ONCE) && is_over() {
                return;
            }
            let target = ground.target(destination);
            self.uproot(destination, target, |Place { edge, .. }, load| {
                costs[edge as usize] = cost(edge, load);
            });
            // What a switch itself would send over a slow channel fills that the more.
            for &edge in &slow {
                let sent = self.patterns.sent(space.tail(edge), destination);
                let own = sent * (space.slowness(edge) - fastest);
                costs[edge as usize] = cost(edge, self.loads[ALL][edge as usize] + own);
            }
            let switch = target.switch;
            tree.grow_cheapest(self.space, &ground.orders, switch, &costs);
            if tree.misses_hosts(self.space) {
                let by_links = Lengths::LINKS;
                tree.exits = guide_trees::complete(
                    self.space,
                    &ground.orders,
                    switch,
                    &tree.exits,
                    by_links,
                );
            }
            let of_edge = |edge: u32| costs[edge as usize];
            let target = Target::new(self.space, switch, tree.exits.clone(), of_edge);
            self.plant(
                destination,
                &target,
                &tree.exits,
                |Place { edge, .. }, load| {
                    costs[edge as usize] = cost(edge, load);
                },
            );
            ground.set_target(destination, target);
        }
    }
}

impl Tree {
    /// Grows by the cheapest path first (Dijkstra), along those that some lane permits; a switch keeps the first way it
    /// gets, and may be left without.
    ///
    /// Shapes: `costs`, per edge, not negative.
    fn grow_cheapest(&mut self, space: &PathSpace, orders: &LaneOrders, to: u32, costs: &[f64]) {
        self.clear(orders, to);
        // Costs are not negative: their bits are in the order of their values.
        let entry = |cost: f64, edge: u32| Reverse((cost.to_bits(), edge));
        let mut open = BinaryHeap::new();
        for back in space.edges_of(to) {
            open.push(entry(costs[back.reverse as usize], back.reverse));
        }
        while let Some(Reverse((cost, way))) = open.pop() {
            let at = space.tail(way);
            let lanes = self.lanes_by(space, orders, way);
            if self.lanes[at as usize] != 0 || lanes == 0 {
                continue;
            }
            self.set(space, at, way, lanes);
            for back in space.edges_of(at) {
                if self.lanes[back.to as usize] == 0 {
                    let beyond = f64::from_bits(cost) + costs[back.reverse as usize];
                    open.push(entry(beyond, back.reverse));
                }
            }
        }
    }

    /// Tells whether some switch with hosts has no way.
    fn misses_hosts(&self, space: &PathSpace) -> bool {
        let mut all = (0..).zip(&self.lanes);
        all.any(|(at, &lanes)| lanes == 0 && space.has_host(at))
    }
}
