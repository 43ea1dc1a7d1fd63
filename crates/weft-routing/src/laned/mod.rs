//! Trees towards all destinations on a given number of lanes, balanced and free of deadlock.
//!
//! ```text
//! orders of the switches ─► Growth ─► order of the channels per lane ─► guides ─► Forest ─► tables
//! ```
//!
//! A lane is a total order of the channels, and a route may use it that ascends the order: whatever
//! routes do, no packets on the lane wait in a circle. So once the orders are found, deadlock is no
//! concern any more: every tree may be grown anew at any time, as long as each of its paths ascends
//! the order of *some* lane. A turn knows the lanes where it ascends as a set of bits, and a path
//! those of all its turns.
//!
//! The orders are made for the paths there are: lanes are filled with the turns of one shortest
//! path after the other, each ranked anew where a turn needs it (Pearce, Kelly), and what all the
//! turns left to the orders permit comes on top.

mod balance;
mod bound;
mod growth;
mod guides;
mod orders;
mod shortest_forest;
mod starts;
mod target;
mod tree;

pub use bound::load_bound;
pub(crate) use growth::Growth;
pub(crate) use shortest_forest::ShortestForest;

use crate::endpoints::Endpoints;
use crate::error::RoutingError;
use crate::lane::Lane;
use crate::orientation::routed_part;
use crate::path_space::{PathSpace, TurnRule};
use crate::routes::PairGranularity;
use crate::tables::ForwardingTables;
use balance::{Demand, Forest};
use orders::LaneOrders;
use rayon::prelude::*;
use target::{Target, edge_by};
use tree::{NO_EXIT, Tree};
use weft_fabric::{Fabric, SwitchId, metrics};

/// What a search may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Lanes.
    pub(crate) lanes: u8,
    /// Rounds in which every tree is grown anew.
    pub(crate) rounds: u32,
    /// Starts of which the best is followed.
    pub(crate) starts: u64,
    /// What is drawn.
    pub(crate) seed: u64,
}

/// Trees grown once or twice over less loaded channels, by ascending exponents: cost is what a channel
/// carries first, then ever more the load of the fullest alone.
const EXPONENTS: [i32; 6] = [1, 1, 4, 16, 64, 64];

/// Rounds after which starts are compared.
const TRIAL_ROUNDS: usize = 3;

/// Orders of the channels and trees that keep to them.
struct Found<'a> {
    orders: LaneOrders,
    targets: Vec<Target>,
    forest: Forest<'a>,
}

/// This makes tables, one tree per host, whose packets never deadlock on the lanes allowed.
///
/// Shapes: `demand`, per switch and host what the hosts of the one send to the other; without it, one
/// per host.
///
/// # Errors
/// As [`routed_part`].
///
/// # Complexity
/// Time O(r·h·C) for r rounds, h hosts and C channels between switches, and the ranking of the orders.
pub(crate) fn laned_tables(
    fabric: &Fabric,
    demand: Option<&[u64]>,
    effort: Effort,
) -> Result<ForwardingTables, RoutingError> {
    let part = routed_part(fabric)?;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let endpoints = Endpoints::new(fabric, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let demand = demand.map_or(Demand::PerHost(&hosts), Demand::PerPair);
    let search = Search {
        fabric,
        space: &space,
        part: &part,
        endpoints: &endpoints,
        hosts: &hosts,
        demand,
        effort,
    };
    let bound = bound::least_largest_load(&space, &part, &endpoints, demand);
    let mut best: Option<Found<'_>> = None;
    for first in (0..effort.starts.max(1)).step_by(STARTS_AT_ONCE) {
        let last = (first + STARTS_AT_ONCE as u64).min(effort.starts.max(1));
        let tried: Vec<Found<'_>> = (first..last)
            .into_par_iter()
            .map(|number| search.begin(number))
            .collect();
        let figure = |found: &Found<'_>| found.forest.largest_and_sum();
        best = best.into_iter().chain(tried).min_by_key(figure);
        if best.as_ref().is_some_and(|found| figure(found).0 <= bound) {
            break;
        }
    }
    // Invariant: there was one start at least.
    let Some(found) = best else {
        return Err(RoutingError::NoHost {
            fabric: fabric.name().to_owned(),
        });
    };
    let found = search.improve(found, bound);
    Ok(search.tables(&found))
}

/// Starts tried at once, whatever the number of cores, so that it decides nothing.
const STARTS_AT_ONCE: usize = 8;

struct Search<'a> {
    fabric: &'a Fabric,
    space: &'a PathSpace,
    part: &'a [SwitchId],
    endpoints: &'a Endpoints,
    hosts: &'a [u64],
    demand: Demand<'a>,
    effort: Effort,
}

impl<'a> Search<'a> {
    /// This finds orders from a start, and trees that are balanced a little.
    fn begin(&self, number: u64) -> Found<'a> {
        let Effort { lanes, seed, .. } = self.effort;
        let start = starts::start(self.fabric, self.space, self.part, lanes, [number, seed]);
        let mut growth = Growth::new(self.space, start.ranks);
        let with_hosts = self.endpoints.source_switches();
        for &one in &with_hosts {
            for &other in &with_hosts {
                let path = start.tree.path(self.space, one.number(), other.number());
                let is_held = growth.hold(0, &path);
                debug_assert!(is_held, "the turns of a tree close no cycle");
            }
        }
        let trees: Vec<_> = with_hosts
            .iter()
            .map(|&switch| {
                let links = metrics::distances_from(self.fabric, switch);
                growth.lead_to(switch.number(), &links, self.hosts)
            })
            .collect();
        let orders = LaneOrders::new(self.space, growth.into_ranks());
        let targets = with_hosts
            .par_iter()
            .zip(trees)
            .map(|(&switch, tree)| {
                let guide = guides::complete(self.space, &orders, switch.number(), &tree);
                Target::new(self.space, switch.number(), guide)
            })
            .collect();
        let mut found = Found {
            orders,
            targets,
            forest: Forest::new(self.space, self.demand, self.endpoints.count()),
        };
        for exponent in &EXPONENTS[..TRIAL_ROUNDS] {
            self.grow(&mut found, *exponent);
        }
        found
    }

    fn grow(&self, found: &mut Found<'a>, exponent: i32) {
        let target_of = self.target_of();
        let order: Vec<usize> = (0..target_of.len()).collect();
        let Found {
            orders,
            targets,
            forest,
        } = found;
        forest.grow(orders, targets, &target_of, &order, exponent);
    }

    /// This is, per destination, the place of its switch among those with hosts.
    fn target_of(&self) -> Vec<u32> {
        let mut places = vec![0; self.space.switch_count()];
        for (place, switch) in (0..).zip(self.endpoints.source_switches()) {
            places[switch.index()] = place;
        }
        let place = |endpoint| places[self.endpoints.switch(endpoint) as usize];
        (0..self.endpoints.count()).map(place).collect()
    }

    /// This grows all trees anew round by round and keeps the best forest there was.
    fn improve(&self, mut found: Found<'a>, bound: u64) -> Found<'a> {
        let mut best = found.forest.clone();
        for round in TRIAL_ROUNDS..self.effort.rounds as usize {
            if best.largest_and_sum().0 <= bound {
                break;
            }
            self.grow(&mut found, EXPONENTS[round.min(EXPONENTS.len() - 1)]);
            if found.forest.largest_and_sum() < best.largest_and_sum() {
                best.clone_from(&found.forest);
            }
        }
        found.forest = best;
        found
    }

    /// These are the trees as tables; a pair's lane is that of those its path may use that has
    /// carried least so far.
    fn tables(&self, found: &Found<'_>) -> ForwardingTables {
        let (switches, count) = (self.space.switch_count(), self.endpoints.count());
        let addresses = vec![1; count];
        let mut tables = ForwardingTables::new(PairGranularity::Host, switches, &addresses);
        let mut lanes = vec![Lane::ZERO; switches * count];
        let mut carried = vec![0_u64; usize::from(found.orders.lane_count())];
        let mut tree = Tree::new(switches);
        for destination in 0..count {
            let (to, exits) = (
                self.endpoints.switch(destination),
                found.forest.exits(destination),
            );
            tree.follow(self.space, &found.orders, to, exits);
            for at in (0..).take(switches) {
                if exits[at as usize] == NO_EXIT {
                    continue;
                }
                let port = self
                    .space
                    .edge(edge_by(self.space, at, exits[at as usize]))
                    .port;
                tables.set_next_port(SwitchId::new(at), destination, port);
                let flow = self.demand.of(at as usize, destination, count);
                let permitted = |lane: &usize| tree.lanes[at as usize] >> lane & 1 == 1;
                let least = (0..carried.len())
                    .filter(permitted)
                    .min_by_key(|&lane| carried[lane]);
                let lane = least.unwrap_or(0);
                carried[lane] += flow;
                // Lanes are 16 at most.
                lanes[at as usize * count + destination] =
                    Lane::new(u8::try_from(lane).unwrap_or(0));
            }
            let host = weft_fabric::HostId::from_index(destination);
            tables.set_next_port(SwitchId::new(to), destination, self.fabric.host_port(host));
        }
        let source_switches = (0..count)
            .map(|source| self.endpoints.switch(source))
            .collect();
        tables.set_lanes_by_switch(source_switches, lanes);
        tables
    }
}
