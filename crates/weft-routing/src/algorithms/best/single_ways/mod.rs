//! Single switches, drawn one after the other, that send another way wherever that makes the sum of powers of all loads
//! fall.
//!
//! Trees that are grown anew stop at a balance in which each is the best for the others, and relief at one in which no
//! change empties what is fullest. A high power of all loads goes on from there: it lets channels get fuller that are
//! hardly full if that empties one that is, however many others are as full as that. Where that stops, a little more is borne
//! for a while, the less the longer it goes on, and kept if the fullest is emptier after that.
//!
//! On one lane the order of the channels goes along: only turns that routes make have to ascend, and whichever is new is
//! permitted if it closes no circle with these. So the order is whatever the routes there are leave of it, and not the one
//! that they were found by.
//!
//! # Source
//! Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", Science 220, 1983, for what is borne for a while.

mod other_way;
mod turns_in_use;

use super::balanced_forest::Forest;
use super::patterns::{ALL, largest};
use super::search::{Found, Search};
use super::target_switch::{Ground, Target};
use super::tree_on_lanes::Tree;
use crate::cycles::{LaneOrders, LaneSet};
use crate::paths::{NO_EXIT, PathSpace, edge_by};
use crate::random::stream;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use turns_in_use::TurnsInUse;
use weft_fabric::narrow;

/// The power of the loads.
const POWER: i32 = 64;

/// Ways that are drawn per destination and switch: none that costs more, and those that may for a while; and most in all.
const DRAWS_A_WAY: u64 = 16;
const WARM_DRAWS_A_WAY: u64 = 48;
const MOST_DRAWS: u64 = 1 << 21;

/// Channels of which the fullest is taken.
const CHANNELS_A_DRAW: usize = 4;

/// What a link more costs, where a channel as full as the fullest costs 1.
const COST_OF_LINK: f64 = 0.01;

/// What a way more costs that is borne at first, in the mean.
const HEAT: f64 = 0.02;

/// Draws between two looks at whether to go on.
const DRAWS_AT_ONCE: u64 = 1 << 12;

impl Search<'_> {
    /// Lets single switches send another way, they and all behind them, and keeps what comes of it if the largest load is
    /// less.
    ///
    /// Routes get no longer than their target has them, but where routes may have any length, as they may on one lane.
    pub(super) fn descend(&self, found: &mut Found<'_>) {
        let before = found.forest.clone();
        let is_on_one_lane = found.ground.orders.lane_count() == 1 && found.levels.is_none();
        let is_of_any_length = found.detours.is_some() || found.is_negotiated || is_on_one_lane;
        let mut descent = Descent::new(&mut found.forest, &found.ground, is_of_any_length);
        if is_on_one_lane {
            descent.turns = descent.turns_in_use();
        }
        let mut random = stream(self.effort.seed, "single ways", 0);
        let ways = before.exits.len() as u64;
        let cold = ways.saturating_mul(DRAWS_A_WAY).min(MOST_DRAWS);
        let warm = ways.saturating_mul(WARM_DRAWS_A_WAY);
        descent.run(self, cold, 0.0, &mut random);
        let reached = (descent.forest.clone(), descent.ranks());
        descent.run(self, warm.min(MOST_DRAWS - cold), HEAT, &mut random);
        let mut ranks = descent.ranks();
        if reached.0.figure() <= found.figure() {
            (found.forest, ranks) = reached;
        }
        if found.figure() >= before.figure() {
            (found.forest, ranks) = (before, None);
        }
        if let Some(ranks) = ranks {
            found.ground.orders = LaneOrders::new(self.space, vec![ranks]);
        }
        if is_of_any_length {
            found.ground.part_targets();
            for destination in 0..found.ground.target_of.len() {
                let switch = found.ground.target(destination).switch;
                let exits = found.forest.exits(destination).to_vec();
                let target = Target::new(self.space, switch, exits, |_| 1.0);
                found.ground.set_target(destination, target);
            }
        }
    }
}

/// Trees, and what is known of every way in them.
struct Descent<'d, 'f> {
    space: &'d PathSpace,
    ground: &'d Ground,
    forest: &'d mut Forest<'f>,
    /// Per target and edge: whether trees may take it; none where they may take any.
    may_take: Vec<bool>,
    /// Per destination and switch: what passes, and lanes whose order its path ascends.
    flows: Vec<u64>,
    lanes: Vec<LaneSet>,
    /// On one lane: what its packets wait for, whatever the order was.
    turns: Option<TurnsInUse>,
    /// The load that costs 1.
    unit: f64,
    /// What a way may cost more, in the mean.
    heat: f64,
    /// Per edge: what it costs.
    costs: Vec<f64>,
    /// The way of the switch that is drawn, and another, up to where they meet.
    path: Vec<u32>,
    detour: Vec<u32>,
    /// The switches that send by another way then, with their lanes.
    led: Vec<(u32, LaneSet)>,
}

impl<'d, 'f> Descent<'d, 'f> {
    fn new(forest: &'d mut Forest<'f>, ground: &'d Ground, is_of_any_length: bool) -> Self {
        let space = forest.space;
        let (switches, edges) = (space.switch_count(), space.edge_count());
        let mut may_take = Vec::new();
        if !is_of_any_length {
            may_take = vec![false; ground.targets.len() * edges];
            for (place, target) in ground.targets.iter().enumerate() {
                for way in target.nearer().flat_map(|(_, ways)| ways) {
                    may_take[place * edges + way.edge as usize] = true;
                }
            }
        }
        let mut descent = Self {
            flows: vec![0; forest.exits.len()],
            lanes: Vec::with_capacity(forest.exits.len()),
            turns: None,
            unit: 1.0,
            heat: 0.0,
            costs: vec![0.0; edges],
            path: Vec::new(),
            detour: Vec::new(),
            led: Vec::new(),
            space,
            ground,
            forest,
            may_take,
        };
        let mut tree = Tree::new(switches);
        for destination in 0..ground.target_of.len() {
            let to = ground.target(destination).switch;
            let exits = descent.forest.exits(destination);
            tree.follow(space, &ground.orders, to, exits);
            descent.lanes.extend(&tree.lanes);
            let flows = &mut descent.flows[destination * switches..][..switches];
            for from in (0..).take(switches) {
                let sent = descent.forest.patterns.sent(from, destination);
                let mut at = from;
                while at != to && exits[at as usize] != NO_EXIT {
                    flows[at as usize] += sent;
                    at = space.edge(edge_by(space, at, exits[at as usize])).to;
                }
            }
        }
        descent
    }

    /// Draws so many ways, unless no tables are better or the search is over; from a heat that falls to 0.
    fn run(&mut self, search: &Search<'_>, draws: u64, heat: f64, random: &mut Pcg64Mcg) {
        let mut left = draws;
        while left > 0 && !(search.is_over)() {
            if search.patterns.is_least_of_all(self.forest.figure()) {
                break;
            }
            self.heat = heat * left as f64 / draws as f64;
            self.measure();
            for _ in 0..left.min(DRAWS_AT_ONCE) {
                self.draw(random);
            }
            left = left.saturating_sub(DRAWS_AT_ONCE);
        }
    }

    /// Lets the fullest channel cost 1.
    fn measure(&mut self) {
        self.unit = largest(&self.forest.loads[ALL]).max(1) as f64;
        for edge in 0..self.costs.len() {
            self.costs[edge] = self.cost(self.forest.loads[ALL][edge]);
        }
    }

    fn cost(&self, load: u64) -> f64 {
        cost(load, self.unit)
    }

    /// Draws a channel, rather a full one, a destination whose tree leads over it, a switch that sends over it and another
    /// way of that, and takes it if all together cost less then, or little more while that is borne.
    fn draw(&mut self, random: &mut Pcg64Mcg) {
        let space = self.space;
        let edges: u32 = narrow(self.costs.len(), "edges have numbers of 32 bits");
        let load = |edge: &u32| self.forest.loads[ALL][*edge as usize];
        let mut full = random.random_range(0..edges);
        for _ in 1..CHANNELS_A_DRAW {
            let other = random.random_range(0..edges);
            full = std::cmp::max_by_key(other, full, load);
        }
        let destination = random.random_range(0..self.ground.target_of.len());
        let to = self.ground.target(destination).switch;
        let mut at = space.tail(full);
        if at == to || self.way(destination, at) != Some(full) {
            return;
        }
        // As often itself as one behind it.
        while random.random::<bool>() {
            let mut behind = self.behind(destination, at);
            let count = behind.clone().count();
            if count == 0 {
                break;
            }
            let drawn = behind.nth(random.random_range(0..count));
            at = drawn.map_or(at, |edge| space.tail(edge));
        }
        let exits = space.edge_ids(at);
        let other = random.random_range(exits);
        let borne = if self.heat > 0.0 {
            -self.heat * libm::log(1.0 - random.random::<f64>())
        } else {
            0.0
        };
        self.try_way(destination, at, other, borne);
    }

    fn place(&self, destination: usize, at: u32) -> usize {
        destination * self.space.switch_count() + at as usize
    }

    fn way(&self, destination: usize, at: u32) -> Option<u32> {
        let exit = self.forest.exits[self.place(destination, at)];
        (exit != NO_EXIT).then(|| edge_by(self.space, at, exit))
    }

    /// The ways that lead to a switch.
    fn behind(&self, destination: usize, at: u32) -> impl Iterator<Item = u32> + Clone {
        let edges = self.space.edges_of(at).iter();
        let leads_here = move |edge: &u32| {
            let from = self.space.tail(*edge);
            self.way(destination, from) == Some(*edge)
        };
        edges.map(|back| back.reverse).filter(leads_here)
    }
}

/// What a channel costs that carries so many units.
fn cost(load: u64, unit: f64) -> f64 {
    (load as f64 / unit).powi(POWER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::best::patterns::Patterns;
    use crate::algorithms::best::search::Effort;
    use crate::form::{Endpoints, PairGranularity};
    use crate::load::Demand;
    use crate::orient::routed_part;
    use crate::paths::TurnRule;
    use crate::progress::Progress;
    use proptest::prelude::*;
    use weft_fabric::Fabric;
    use weft_fabric::generate::{IrregularLinks, IrregularParameters, irregular};

    /// An irregular network of so many switches with links of a degree, two hosts each.
    fn network(switches: u32, degree: u32, seed: u64) -> Fabric {
        let parameters = IrregularParameters {
            switches,
            hosts_per_switch: 2,
            ports_per_switch: 2 + degree.min(switches - 1),
            links: IrregularLinks::RandomCount,
            seed,
        };
        irregular(&parameters).unwrap()
    }

    /// Shows what was found on so many lanes, and the search that finds it.
    fn with_found(
        fabric: &Fabric,
        [lanes, seed]: [u64; 2],
        is_negotiated: bool,
        show: impl FnOnce(&Search<'_>, Found<'_>),
    ) {
        let part = routed_part(fabric).unwrap();
        let space = PathSpace::new(fabric, None, TurnRule::Free);
        let endpoints = Endpoints::new(fabric, PairGranularity::Host);
        let hosts = endpoints.hosts_per_switch(space.switch_count());
        let patterns = Patterns::one(&space, &part, &endpoints, Demand::PerHost(&hosts));
        let lanes = narrow(lanes, "there are 15 lanes at most");
        let search = Search {
            fabric,
            space: &space,
            part: &part,
            endpoints: &endpoints,
            hosts: &hosts,
            patterns: &patterns,
            effort: Effort {
                lanes,
                is_thorough: true,
                is_grid: false,
                is_exhaustive: true,
                descends_on_one_lane: true,
                is_automatic: false,
                are_told: true,
                takes_first: false,
                takes_near: false,
                rounds: 3,
                starts: 1,
                is_at_once: false,
                reliefs: 1,
                agreements: 0,
                seed,
            },
            progress: &Progress::default(),
            is_over: &|| false,
        };
        let mut found = search.begin(lanes, 0, None).unwrap();
        found.is_negotiated = is_negotiated;
        show(&search, found);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

        /// The fullest channel never gets fuller, loads stay what the trees carry, and every way ascends the order of a lane; with
        /// shortest ways and with any.
        #[test]
        fn what_is_sent_another_way_is_counted_and_has_a_lane(
            switches in 5_u32..24, degree in 3_u32..6, lanes in 1_u64..4, is_negotiated in any::<bool>(), seed in any::<u64>(),
        ) {
            let fabric = network(switches, degree, seed);
            with_found(&fabric, [lanes, seed], is_negotiated, |search, mut found| {
                let before = found.figure();
                search.descend(&mut found);
                assert!(found.figure() <= before);
                let mut counted = Forest::new(search.space, search.patterns);
                let mut tree = Tree::new(search.space.switch_count());
                for destination in 0..search.endpoints.count() {
                    let target = found.ground.target(destination);
                    let exits = found.forest.exits(destination);
                    counted.plant(destination, target, exits, |_, _| ());
                    tree.follow(search.space, &found.ground.orders, target.switch, exits);
                    assert!(!tree.lacks_lane(exits));
                }
                assert_eq!(&counted.loads[ALL], &found.forest.loads[ALL]);
            });
        }
    }

    /// What keeps to the order has a lane by it; on two lanes all routes do.
    #[test]
    fn on_one_lane_routes_leave_the_order_that_they_were_found_by() {
        for lanes in [1, 2] {
            with_found(&network(20, 4, 7), [lanes, 1], true, |search, mut found| {
                let (order, before) = (found.ground.orders.clone(), found.figure());
                search.descend(&mut found);
                assert!(found.figure() < before);
                let mut tree = Tree::new(search.space.switch_count());
                let leaves_it = (0..search.endpoints.count()).any(|destination| {
                    let to = search.endpoints.switch(destination);
                    let exits = found.forest.exits(destination);
                    tree.follow(search.space, &order, to, exits);
                    tree.lacks_lane(exits)
                });
                assert_eq!(leaves_it, lanes == 1, "{lanes} lanes");
            });
        }
    }
}
