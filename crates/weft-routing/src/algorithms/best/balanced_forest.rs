//! Trees towards all destinations, each grown over the channels that carry least.

use super::target_switch::Ground;
use super::tree_on_lanes::Tree;
use crate::load::Demand;
use crate::paths::{Exit, NO_EXIT, PathSpace, edge_by};

/// A tree towards every destination, and what they load the channels with.
#[derive(Clone, Debug)]
pub(crate) struct Forest<'a> {
    pub(super) space: &'a PathSpace,
    pub(super) demand: Demand<'a>,
    pub(super) destinations: usize,
    /// Per destination and switch: its way.
    pub(super) exits: Vec<Exit>,
    /// Per edge: what it carries, times its slowness.
    pub(super) loads: Vec<u64>,
}

impl<'a> Forest<'a> {
    pub(crate) fn new(space: &'a PathSpace, demand: Demand<'a>, destinations: usize) -> Self {
        Self {
            exits: vec![NO_EXIT; destinations * space.switch_count()],
            loads: vec![0; space.edge_count()],
            space,
            demand,
            destinations,
        }
    }

    pub(crate) fn largest_and_sum(&self) -> (u64, u64) {
        let largest = self.loads.iter().copied().max();
        (largest.unwrap_or(0), self.loads.iter().sum())
    }

    pub(crate) fn exits(&self, destination: usize) -> &[Exit] {
        let switches = self.space.switch_count();
        &self.exits[destination * switches..][..switches]
    }

    /// Gives a destination without a tree one.
    ///
    /// Shapes: `exits`, per switch its way.
    pub(crate) fn plant(&mut self, destination: usize, exits: &[Exit]) {
        let switches = self.space.switch_count();
        self.exits[destination * switches..][..switches].copy_from_slice(exits);
        self.carry(destination, &mut Vec::new(), |load, flow| load + flow);
    }

    /// Grows the tree of every destination anew, one after the other, over the edges that cost
    /// least: the `exponent`-th power of what they carry for the others.
    pub(super) fn grow(&mut self, ground: &Ground, exponent: i32) {
        // Powers of numbers near 1 neither vanish nor overflow.
        let (_, sum) = self.largest_and_sum();
        let unit = (sum as f64 / self.loads.len().max(1) as f64).max(1.0);
        let cost = |load: u64| match exponent {
            1 => load as f64,
            _ => (load as f64 / unit).powi(exponent),
        };
        let mut costs: Vec<f64> = self.loads.iter().map(|&load| cost(load)).collect();
        let mut tree = Tree::new(self.space.switch_count());
        let mut changed = Vec::new();
        for destination in 0..self.destinations {
            self.carry(destination, &mut changed, |load, flow| load - flow);
            for edge in changed.drain(..) {
                costs[edge as usize] = cost(self.loads[edge as usize]);
            }
            let target = ground.target(destination);
            tree.grow(self.space, &ground.orders, target, &costs);
            let switches = self.space.switch_count();
            self.exits[destination * switches..][..switches].copy_from_slice(&tree.exits);
            self.carry(destination, &mut changed, |load, flow| load + flow);
            for edge in changed.drain(..) {
                costs[edge as usize] = cost(self.loads[edge as usize]);
            }
        }
    }

    /// Changes the loads by the flows of a destination's tree, and lists the edges.
    fn carry(
        &mut self,
        destination: usize,
        edges: &mut Vec<u32>,
        change: impl Fn(u64, u64) -> u64,
    ) {
        let switches = self.space.switch_count();
        let exits = &self.exits[destination * switches..][..switches];
        for from in (0..).take(switches) {
            let flow = self
                .demand
                .of(from as usize, destination, self.destinations);
            let mut at = from;
            while flow > 0 && exits[at as usize] != NO_EXIT {
                let edge = edge_by(self.space, at, exits[at as usize]);
                let load = &mut self.loads[edge as usize];
                *load = change(*load, flow * self.space.slowness(edge));
                edges.push(edge);
                at = self.space.edge(edge).to;
            }
        }
    }
}
