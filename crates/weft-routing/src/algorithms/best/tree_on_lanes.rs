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

/// Switches of a tree that choose anew, by their places from the target on.
#[derive(Debug)]
struct Again {
    /// Per switch: its place.
    places: Vec<u32>,
    /// Per place, a bit each: whether it does.
    is_in: Vec<u64>,
    /// No word before this has any.
    word: usize,
}

impl Again {
    /// None.
    fn new(space: &PathSpace, target: &Target) -> Self {
        // The target and what is not joined to it come nowhere.
        let mut places = vec![u32::MAX; space.switch_count()];
        for (place, (at, _)) in (0..).zip(target.nearer()) {
            places[at as usize] = place;
        }
        Self {
            places,
            is_in: vec![0; space.switch_count().div_ceil(64)],
            word: 0,
        }
    }

    fn add(&mut self, at: u32) {
        let place = self.places[at as usize] as usize;
        self.is_in[place / 64] |= 1 << (place % 64);
        self.word = self.word.min(place / 64);
    }

    /// Adds the switches around one that may lie behind it, as far as they come no later than a place.
    fn add_behind(&mut self, space: &PathSpace, at: u32, last: usize) {
        let place = self.places[at as usize];
        for around in space.edges_of(at) {
            let other = self.places[around.to as usize];
            if other > place && other as usize <= last {
                self.add(around.to);
            }
        }
    }

    /// Takes out the first one, if it comes no later than a place.
    fn first_until(&mut self, last: usize) -> Option<usize> {
        while self.word <= last / 64 {
            let word = self.is_in.get_mut(self.word)?;
            if *word == 0 {
                self.word += 1;
                continue;
            }
            let place = self.word * 64 + word.trailing_zeros() as usize;
            if place > last {
                return None;
            }
            *word &= *word - 1;
            return Some(place);
        }
        None
    }
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
    /// switches of its guide's path keep to that, and whoever is behind what changes by it chooses anew.
    pub(super) fn grow(
        &mut self,
        space: &PathSpace,
        orders: &LaneOrders,
        target: &Target,
        costs: Costs<'_>,
    ) {
        self.clear(orders, target.switch);
        self.is_guided.fill(false);
        let mut again: Option<Again> = None;
        let mut offers = Vec::new();
        for (place, (at, ways)) in target.nearer().enumerate() {
            if self.choose(space, orders, target, (at, ways), costs, &mut offers) {
                continue;
            }
            let again = again.get_or_insert_with(|| Again::new(space, target));
            self.guide(space, target, at, again);
            while let Some((at, ways)) =
                again.first_until(place).and_then(|of| target.nearer_at(of))
            {
                let before = self.way_of(at);
                if !self.choose(space, orders, target, (at, ways), costs, &mut offers) {
                    self.guide(space, target, at, again);
                } else if self.way_of(at) != before {
                    again.add_behind(space, at, place);
                }
            }
        }
    }

    /// Lets the switches of a path in the guide keep to it, which choose anew by that.
    fn guide(&mut self, space: &PathSpace, target: &Target, mut at: u32, again: &mut Again) {
        while at != target.switch && !self.is_guided[at as usize] {
            self.is_guided[at as usize] = true;
            again.add(at);
            at = target.guided(space, at).to;
        }
    }

    /// All that those behind a switch choose by.
    fn way_of(&self, at: u32) -> (Exit, LaneSet, [u64; 2]) {
        let at = at as usize;
        let costs = [self.costs[at], self.rail_costs[at]];
        (self.exits[at], self.lanes[at], costs.map(f64::to_bits))
    }

    /// Gives a switch the cheapest of its ways that some lane permits, or that of the guide if it keeps to it, and tells
    /// whether there is one.
    #[inline]
    fn choose(
        &mut self,
        space: &PathSpace,
        orders: &LaneOrders,
        target: &Target,
        (at, ways): (u32, &[Way]),
        costs: Costs<'_>,
        offers: &mut Vec<f64>,
    ) -> bool {
        let guided;
        let ways = if self.is_guided[at as usize] {
            guided = [target.guided(space, at)];
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
        let chosen = loop {
            let Some(place) = cheapest(offers) else {
                break None;
            };
            let edge = ways[place].edge;
            let lanes = self.lanes_by(space, orders, edge);
            if lanes != 0 {
                break Some((edge, lanes));
            }
            offers[place] = TAKEN_BACK;
        };
        let Some((edge, lanes)) = chosen else {
            return false;
        };
        self.set(space, at, edge, lanes);
        let to = space.edge(edge).to as usize;
        self.costs[at as usize] = self.costs[to] + costs.edges[edge as usize];
        if let Some(of_rail) = costs.of_rail {
            self.rail_costs[at as usize] = self.rail_costs[to] + of_rail.of(edge);
        }
        true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::best::guide_trees;
    use crate::cycles::up_down_ranks;
    use crate::paths::{Lengths, TurnRule};
    use proptest::prelude::*;
    use weft_fabric::generate::{IrregularLinks, IrregularParameters, irregular};

    impl Tree {
        /// The same as [`Tree::grow`], from the target on again whenever a switch is left without.
        fn grow_again_and_again(
            &mut self,
            space: &PathSpace,
            orders: &LaneOrders,
            target: &Target,
            costs: Costs<'_>,
        ) -> u32 {
            self.is_guided.fill(false);
            for times in 1.. {
                self.clear(orders, target.switch);
                let mut all = target.nearer();
                let Some((mut at, _)) =
                    all.find(|&of| !self.choose(space, orders, target, of, costs, &mut Vec::new()))
                else {
                    return times;
                };
                while at != target.switch && !self.is_guided[at as usize] {
                    self.is_guided[at as usize] = true;
                    at = target.guided(space, at).to;
                }
            }
            0
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        /// Only what is behind a change chooses anew, and the tree is as if all did.
        #[test]
        fn trees_around_guided_switches_are_those_grown_from_the_target_on(
            switches in 6_u32..80, lanes in 1_usize..3, seed in any::<u64>(),
            places in prop::collection::vec(any::<u32>(), 80), prices in prop::collection::vec(0_u8..30, 800),
        ) {
            let parameters = IrregularParameters {
                switches,
                hosts_per_switch: 1,
                ports_per_switch: 4,
                links: IrregularLinks::RandomCount,
                seed,
            };
            let fabric = irregular(&parameters).unwrap();
            let space = PathSpace::new(&fabric, None, TurnRule::Free);
            let count = space.switch_count();
            // Up and down by breadth from switch 0, which joins all; and by drawn places.
            let by_breadth = Lengths::LINKS.distances_to(&space, 0);
            let distinct = |of: &[u32]| {
                let mut order: Vec<u32> = (0..).take(count).collect();
                order.sort_by_key(|&at| of[at as usize]);
                crate::cycles::places_of(&order)
            };
            let ranks = [distinct(&by_breadth), distinct(&places[..count])];
            let ranks = ranks.iter().take(lanes).map(|places| up_down_ranks(&space, places));
            let orders = LaneOrders::new(&space, ranks.collect());
            let edges: Vec<f64> = (0..space.edge_count()).map(|edge| f64::from(prices[edge % 800])).collect();
            let on = Costs { edges: &edges, of_rail: None };
            let (mut tree, mut plain) = (Tree::new(count), Tree::new(count));
            for to in (0..).take(count) {
                let none = vec![NO_EXIT; count];
                let guide = guide_trees::complete(&space, &orders, to, &none, Lengths::LINKS);
                let target = Target::new(&space, to, guide, |_| 1.0);
                tree.grow(&space, &orders, &target, on);
                plain.grow_again_and_again(&space, &orders, &target, on);
                prop_assert_eq!(&tree.exits, &plain.exits);
                prop_assert_eq!(&tree.lanes, &plain.lanes);
                prop_assert_eq!(&tree.is_guided, &plain.is_guided);
            }
        }
    }
}
