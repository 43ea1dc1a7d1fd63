//! Trees towards one switch whose every path ascends the order of some lane.

use super::patterns::Patterns;
use super::target_switch::Target;
use crate::cycles::{LaneOrders, LaneSet};
use crate::paths::{Exit, NO_EXIT, PathSpace, Way, edge_by, exit_by};

/// What channels cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs<'a> {
    /// Per edge.
    pub(super) edges: &'a [f64],
    /// What they cost besides for what stays on the destination's rail.
    pub(super) of_rail: Option<RailCosts<'a>>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RailCosts<'a> {
    /// Per edge, by what all rails carry and by what this one does.
    pub(super) edges: [&'a [f64]; 2],
    pub(super) patterns: &'a Patterns<'a>,
    pub(super) rail: usize,
}

impl RailCosts<'_> {
    fn of(&self, edge: u32) -> f64 {
        let [at_once, alone] = self.edges;
        at_once[edge as usize] + alone[edge as usize]
    }
}

/// The cost of a way that no lane permits: no cost is more or less than it.
const TAKEN_BACK: f64 = f64::NAN;

/// The place of the least cost, the first of equals.
fn cheapest(costs: &[f64]) -> Option<usize> {
    let mut least: Option<(usize, f64)> = None;
    for (place, &cost) in costs.iter().enumerate() {
        if least.is_none_or(|(_, least)| cost < least) && !cost.is_nan() {
            least = Some((place, cost));
        }
    }
    least.map(|(place, _)| place)
}

#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Per switch: its way.
    pub(crate) exits: Vec<Exit>,
    /// Per switch: lanes whose order its path ascends; none where there is no way.
    pub(crate) lanes: Vec<LaneSet>,
    /// Per switch: what its path costs.
    costs: Vec<f64>,
    /// Per switch: what it costs besides for what stays on the rail.
    rail_costs: Vec<f64>,
    /// Per switch: whether it keeps to the guide.
    is_guided: Vec<bool>,
}

impl Tree {
    pub(crate) fn new(switch_count: usize) -> Self {
        Self {
            exits: vec![NO_EXIT; switch_count],
            lanes: vec![0; switch_count],
            costs: vec![0.0; switch_count],
            rail_costs: vec![0.0; switch_count],
            is_guided: vec![false; switch_count],
        }
    }

    /// Finds, switch by switch, the cheapest path that some lane permits, no longer than that of
    /// the target's guide. Equals go by the lowest port.
    ///
    /// A switch may be left without: those nearer chose paths that it cannot go on by. Then the
    /// switches of its guide's path keep to that, and all others choose anew.
    pub(super) fn grow(
        &mut self,
        space: &PathSpace,
        orders: &LaneOrders,
        target: &Target,
        costs: Costs<'_>,
    ) {
        self.is_guided.fill(false);
        while let Some(mut at) = self.try_to_grow(space, orders, target, costs) {
            while at != target.switch && !self.is_guided[at as usize] {
                self.is_guided[at as usize] = true;
                at = target.guided(space, at).to;
            }
        }
    }

    /// Grows the tree and stops at the first switch that has no path.
    fn try_to_grow(
        &mut self,
        space: &PathSpace,
        orders: &LaneOrders,
        target: &Target,
        costs: Costs<'_>,
    ) -> Option<u32> {
        self.clear(orders, target.switch);
        let mut offers: Vec<f64> = Vec::new();
        for (at, ways) in target.nearer() {
            let guided = [target.guided(space, at)];
            let ways = if self.is_guided[at as usize] {
                &guided
            } else {
                ways
            };
            // What passes a switch without hosts may stay on the rail.
            let of_rail = costs
                .of_rail
                .filter(|of| of.patterns.is_on(at, of.rail) || !space.has_host(at));
            let cost = |&Way { edge, to }: &Way| {
                let cost = self.costs[to as usize] + costs.edges[edge as usize];
                match of_rail {
                    Some(of_rail) => cost + (self.rail_costs[to as usize] + of_rail.of(edge)),
                    None => cost,
                }
            };
            offers.clear();
            offers.extend(ways.iter().map(cost));
            // The cheapest first: lanes are looked up in far more memory than costs.
            let (edge, lanes) = loop {
                let Some(place) = cheapest(&offers) else {
                    return Some(at);
                };
                let edge = ways[place].edge;
                let lanes = self.lanes_by(space, orders, edge);
                if lanes != 0 {
                    break (edge, lanes);
                }
                offers[place] = TAKEN_BACK;
            };
            self.set(space, at, edge, lanes);
            let to = space.edge(edge).to as usize;
            self.costs[at as usize] = self.costs[to] + costs.edges[edge as usize];
            if let Some(of_rail) = costs.of_rail {
                self.rail_costs[at as usize] = self.rail_costs[to] + of_rail.of(edge);
            }
        }
        None
    }

    pub(crate) fn clear(&mut self, orders: &LaneOrders, target: u32) {
        self.lanes.fill(0);
        self.exits.fill(NO_EXIT);
        self.lanes[target as usize] = orders.all();
        self.costs[target as usize] = 0.0;
        self.rail_costs[target as usize] = 0.0;
    }

    /// Gives a switch a path: over an edge, and on as the switch it leads to.
    pub(crate) fn set(&mut self, space: &PathSpace, at: u32, edge: u32, lanes: LaneSet) {
        self.exits[at as usize] = exit_by(space, edge);
        self.lanes[at as usize] = lanes;
    }

    /// The lanes of a path that takes an edge first and goes on as the tree does.
    #[inline]
    pub(crate) fn lanes_by(&self, space: &PathSpace, orders: &LaneOrders, edge: u32) -> LaneSet {
        let to = space.edge(edge).to as usize;
        match self.exits[to] {
            // At the target, or where there is no way.
            NO_EXIT => self.lanes[to],
            exit => self.lanes[to] & orders.permitted(space, edge, exit),
        }
    }

    /// Follows the ways of a whole tree and notes the lanes of every path.
    pub(crate) fn follow(
        &mut self,
        space: &PathSpace,
        orders: &LaneOrders,
        target: u32,
        exits: &[Exit],
    ) {
        self.clear(orders, target);
        let mut path = Vec::new();
        for mut at in (0..).take(exits.len()) {
            while self.lanes[at as usize] == 0 && exits[at as usize] != NO_EXIT {
                path.push(at);
                at = space.edge(edge_by(space, at, exits[at as usize])).to;
            }
            while let Some(at) = path.pop() {
                let edge = edge_by(space, at, exits[at as usize]);
                self.set(space, at, edge, self.lanes_by(space, orders, edge));
            }
        }
    }

    /// The same of a tree whose ways lead nearer to a target.
    pub(super) fn follow_nearest_first(
        &mut self,
        space: &PathSpace,
        orders: &LaneOrders,
        target: &Target,
        exits: &[Exit],
    ) {
        self.clear(orders, target.switch);
        self.exits.copy_from_slice(exits);
        for (at, _) in target.nearer() {
            let edge = edge_by(space, at, exits[at as usize]);
            self.lanes[at as usize] = self.lanes_by(space, orders, edge);
        }
    }

    /// Tells whether the path of a switch that has one ascends the order of no lane.
    pub(super) fn lacks_lane(&self, exits: &[Exit]) -> bool {
        let mut ways = self.lanes.iter().zip(exits);
        ways.any(|(&lanes, &exit)| lanes == 0 && exit != NO_EXIT)
    }
}
