//! Trees towards all destinations, each grown over the channels that carry least.

use super::loads_of_trees::{Loads, Place, Towards};
use super::patterns::{ALL, Figure, Patterns, RAILS};
use super::target_switch::{Ground, Target};
use super::tree_on_lanes::{Costs, RailCosts, Tree};
use crate::paths::{Exit, NO_EXIT, PathSpace};

/// Trees grown between two looks at whether the search is over.
pub(super) const DESTINATIONS_AT_ONCE: usize = 64;

/// A tree towards every destination, and what they load the channels with.
#[derive(Clone, Debug)]
pub(crate) struct Forest<'a> {
    pub(super) space: &'a PathSpace,
    pub(super) patterns: &'a Patterns<'a>,
    /// Per destination and switch: its way.
    pub(super) exits: Vec<Exit>,
    pub(super) loads: Loads<'a>,
}

impl<'a> Forest<'a> {
    pub(super) fn new(space: &'a PathSpace, patterns: &'a Patterns<'a>) -> Self {
        Self {
            exits: vec![NO_EXIT; patterns.destination_count() * space.switch_count()],
            loads: Loads::new(space, patterns),
            space,
            patterns,
        }
    }

    pub(super) fn figure(&self) -> Figure {
        self.loads.figure()
    }

    pub(crate) fn exits(&self, destination: usize) -> &[Exit] {
        let switches = self.space.switch_count();
        &self.exits[destination * switches..][..switches]
    }

    /// Gives a destination without a tree one, and tells what each load is then that it changes.
    ///
    /// Shapes: `exits`, per switch its way.
    pub(crate) fn plant(
        &mut self,
        destination: usize,
        target: &Target,
        exits: &[Exit],
        mut changed: impl FnMut(Place, u64),
    ) {
        let switches = self.space.switch_count();
        self.exits[destination * switches..][..switches].copy_from_slice(exits);
        self.carry(destination, target, |place, load, flow| {
            *load += flow;
            changed(place, *load);
        });
    }

    /// Takes what a destination's tree carries back, and tells what each load is then that it changes.
    pub(super) fn uproot(
        &mut self,
        destination: usize,
        target: &Target,
        mut changed: impl FnMut(Place, u64),
    ) {
        self.carry(destination, target, |place, load, flow| {
            *load -= flow;
            changed(place, *load);
        });
    }

    /// Grows the tree of every destination anew, one after the other, over the edges that cost
    /// least: the `exponent`-th power of what they carry for the others, and for what stays on its rail that of
    /// what they carry of the rail's as well. Some keep their trees once the search is over.
    pub(super) fn grow(&mut self, ground: &Ground, exponent: u32, is_over: &dyn Fn() -> bool) {
        let units = self.units(exponent);
        let cost = |load: u64, unit: f64| power(load as f64 / unit, exponent);
        let all = self.loads.per_pattern().iter().zip(&units);
        let mut costs: Vec<Vec<f64>> = all
            .map(|(loads, &unit)| loads.iter().map(|&load| cost(load, unit)).collect())
            .collect();
        let mut tree = Tree::new(self.space.switch_count());
        let mut together = Vec::new();
        for destination in 0..self.patterns.destination_count() {
            if destination.is_multiple_of(DESTINATIONS_AT_ONCE) && is_over() {
                return;
            }
            let target = ground.target(destination);
            let update = |costs: &mut [Vec<f64>], place: Place, load: u64| {
                let Place { pattern, edge } = place;
                costs[pattern][edge as usize] = cost(load, units[pattern]);
            };
            self.uproot(destination, target, |place, load| {
                update(&mut costs, place, load);
            });
            if self.patterns.is_several() {
                self.cost_together(destination, &costs, &mut together);
            }
            let of_rail = self.patterns.rail_of(destination).map(|rail| RailCosts {
                edges: [RAILS, rail].map(|pattern| &costs[pattern][..]),
                patterns: self.patterns,
                rail,
            });
            let on = Costs {
                edges: if self.patterns.is_several() {
                    &together
                } else {
                    &costs[ALL]
                },
                of_rail,
            };
            tree.grow(self.space, &ground.orders, target, on);
            self.plant(destination, target, &tree.exits, |place, load| {
                update(&mut costs, place, load);
            });
        }
    }

    /// Adds up what edges cost by each of several demands, as far as it has something for a destination.
    ///
    /// Shapes: `costs`, per pattern and edge.
    fn cost_together(&self, destination: usize, costs: &[Vec<f64>], together: &mut Vec<f64>) {
        together.clear();
        together.resize(self.space.edge_count(), 0.0);
        for (pattern, costs) in costs.iter().enumerate().skip(1) {
            let share = self.patterns.share(pattern, destination);
            if share > 0.0 {
                for (sum, cost) in together.iter_mut().zip(costs) {
                    *sum += share * cost;
                }
            }
        }
    }

    /// Per pattern: a load that costs 1. Powers of numbers near 1 neither vanish nor overflow; what costs as much as it
    /// carries is added up without rounding.
    fn units(&self, exponent: u32) -> Vec<f64> {
        if self.patterns.has_rails() || self.patterns.is_several() {
            let patterns = 0..self.patterns.count();
            return patterns
                .map(|pattern| self.patterns.least(pattern).max(1) as f64)
                .collect();
        }
        if exponent == 1 {
            return vec![1.0];
        }
        let sum: u64 = self.loads[ALL].iter().sum();
        vec![(sum as f64 / self.space.edge_count().max(1) as f64).max(1.0)]
    }

    /// Changes the loads by the flows of a destination's tree.
    fn carry(
        &mut self,
        destination: usize,
        target: &Target,
        change: impl FnMut(Place, &mut u64, u64),
    ) {
        let switches = self.space.switch_count();
        let tree = Towards {
            destination,
            switch: target.switch,
            exits: &self.exits[destination * switches..][..switches],
            farthest_first: target.farthest_first(),
        };
        self.loads.change(&tree, change);
    }
}

/// A power whose exponent is one of 2.
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent.trailing_zeros()).fold(base, |power, _| power * power)
}
