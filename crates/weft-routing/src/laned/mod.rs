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
//!
//! Growing whole trees evens most loads out; what is left full then is relieved switch by switch.

mod balance;
mod bound;
mod even_orders;
mod growth;
mod guides;
mod orders;
mod relief;
mod shortest_forest;
mod starts;
mod target;
mod tree;

pub(crate) use balance::demand_by_weights;
pub use bound::{load_bound, load_bound_for_weights};
pub(crate) use growth::Growth;
pub(crate) use orders::up_down_ranks;
pub(crate) use shortest_forest::ShortestForest;

use crate::endpoints::Endpoints;
use crate::error::RoutingError;
use crate::lane::Lane;
use crate::orientation::routed_part;
use crate::path_space::{PathSpace, TurnRule};
use crate::routes::PairGranularity;
use crate::tables::ForwardingTables;
use balance::{Demand, Forest};
use bound::least_load;
use orders::LaneOrders;
use rayon::prelude::*;
use target::{Target, edge_by, exit_by};
use tree::{Exit, NO_EXIT, Tree};
use weft_fabric::{Fabric, SwitchId, metrics};

/// What a search may do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Lanes.
    pub(crate) lanes: u8,
    /// Whether fewer lanes are searched with as well, each number apart.
    pub(crate) is_thorough: bool,
    /// Rounds in which every tree is grown anew.
    pub(crate) rounds: u32,
    /// Starts with one lane, of which the best is followed; with several, as many fewer, but two.
    pub(crate) starts: u64,
    /// Most times that all full channels are relieved in a row.
    pub(crate) reliefs: u64,
    /// What is drawn.
    pub(crate) seed: u64,
}

/// Lanes that are searched with besides one: those that ports of `InfiniBand` have.
///
/// A thorough search tries each number apart and takes the best of those that fit: so more lanes are
/// never worse. Else only the most that fit are tried, as every number costs as much time again.
const MORE_LANES: [u8; 4] = [2, 4, 8, 15];

/// Trees grown once or twice over less loaded channels, by ascending exponents: cost is what a channel
/// carries first, then ever more the load of the fullest alone.
const EXPONENTS: [i32; 6] = [1, 1, 4, 16, 64, 64];

/// Rounds after which starts are compared.
const TRIAL_ROUNDS: usize = 3;

/// Tables that are free of deadlock on one lane, to start from.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// The tables, by host.
    pub(crate) tables: ForwardingTables,
    /// Per switch: its place in an order that every route goes up first and down then.
    pub(crate) places: Vec<u32>,
}

/// Orders of the channels and trees that keep to them.
struct Found<'a> {
    orders: LaneOrders,
    targets: Vec<Target>,
    forest: Forest<'a>,
}

impl Found<'_> {
    /// This is less for the better: the largest load, and the sum of all.
    fn figure(&self) -> (u64, u64) {
        self.forest.largest_and_sum()
    }
}

/// This makes tables, one tree per host, whose packets never deadlock on the lanes allowed, no worse
/// than any of those known.
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
    known: &[Known],
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
        least: least_load(&space, &part, &bound::between(&space, &endpoints, demand)),
    };
    let known: Vec<Found<'_>> = known.iter().map(|known| search.follow(known)).collect();
    let mut best = if search.tries_one_lane() {
        search.with_lanes(1, known)
    } else {
        known.into_iter().min_by_key(Found::figure)
    };
    if best
        .as_ref()
        .is_none_or(|best| best.figure() > search.least)
    {
        let more: Vec<Option<Found<'_>>> = search
            .more_lanes()
            .par_iter()
            .map(|&lanes| search.with_lanes(lanes, Vec::new()))
            .collect();
        let all = best.into_iter().chain(more.into_iter().flatten());
        best = all.min_by_key(Found::figure);
    }
    // Invariant: there was one start at least.
    let Some(found) = best else {
        return Err(RoutingError::NoHost {
            fabric: fabric.name().to_owned(),
        });
    };
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
    /// Largest load and sum of loads that no tables are below.
    least: (u64, u64),
}

impl<'a> Search<'a> {
    /// This tells whether one lane is searched with: it is enough for trees, and elsewhere more lanes
    /// do better.
    fn tries_one_lane(&self) -> bool {
        let Effort {
            lanes, is_thorough, ..
        } = self.effort;
        is_thorough || lanes == 1 || starts::has_leaves(self.fabric, self.part)
    }

    /// These are the numbers of lanes besides one that are searched with.
    fn more_lanes(&self) -> &'static [u8] {
        let fit = MORE_LANES.partition_point(|&lanes| lanes <= self.effort.lanes);
        let first = if self.effort.is_thorough {
            0
        } else {
            fit.saturating_sub(1)
        };
        &MORE_LANES[first..fit]
    }

    /// This follows the best of several starts with so many lanes, and of others that come on top.
    fn with_lanes(&self, lanes: u8, others: Vec<Found<'a>>) -> Option<Found<'a>> {
        let mut best = others.into_iter().min_by_key(Found::figure);
        // The fewer the lanes, the more starts differ.
        let starts = self.effort.starts / u64::from(lanes);
        let starts = starts.max(self.effort.starts.clamp(1, 2));
        for first in (0..starts).step_by(STARTS_AT_ONCE) {
            let last = (first + STARTS_AT_ONCE as u64).min(starts);
            let tried: Vec<Found<'_>> = (first..last)
                .into_par_iter()
                .map(|number| self.begin(lanes, number))
                .collect();
            best = best.into_iter().chain(tried).min_by_key(Found::figure);
            if best.as_ref().is_some_and(|best| self.is_even(best)) {
                break;
            }
        }
        best.map(|found| self.improve(found))
    }

    /// This tells whether no tables have a lower largest load.
    fn is_even(&self, found: &Found<'_>) -> bool {
        found.figure().0 <= self.least.0
    }

    /// This finds orders from a start, and trees that are balanced a little.
    fn begin(&self, lanes: u8, number: u64) -> Found<'a> {
        let random = [number, self.effort.seed];
        let start = starts::start(self.fabric, self.space, self.part, lanes, random);
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
                growth.lead_to(switch.number(), &links, self.hosts, start.may_reorder)
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
        self.relieve(&mut found);
        found
    }

    /// This takes tables as they are, and relieves their fullest channels where one lane is searched
    /// with.
    fn follow(&self, known: &Known) -> Found<'a> {
        let ranks = vec![up_down_ranks(self.space, &known.places)];
        let mut forest = Forest::new(self.space, self.demand, self.endpoints.count());
        let mut targets: Vec<Option<Target>> = vec![None; self.space.switch_count()];
        for destination in 0..self.endpoints.count() {
            let to = self.endpoints.switch(destination);
            let exit = |at: u32| {
                let port = known.tables.next_port(SwitchId::new(at), destination);
                match port {
                    Some(port) if at != to => exit_by(self.space, self.space.edge_at(at, port)),
                    _ => NO_EXIT,
                }
            };
            let exits: Vec<Exit> = (0..).take(self.space.switch_count()).map(exit).collect();
            forest.plant(destination, &exits);
            // Ways to all hosts of a switch have as many links.
            targets[to as usize].get_or_insert_with(|| Target::new(self.space, to, exits));
        }
        let mut found = Found {
            orders: LaneOrders::new(self.space, ranks),
            targets: targets.into_iter().flatten().collect(),
            forest,
        };
        if self.tries_one_lane() {
            self.relieve(&mut found);
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

    /// This relieves channels whose load is near the largest, again and again while that falls.
    fn relieve(&self, found: &mut Found<'a>) {
        let target_of = self.target_of();
        for _ in 0..self.effort.reliefs {
            let (largest, _) = found.figure();
            let full = largest - largest.saturating_sub(self.least.0) * 3 / 10;
            let Found {
                orders,
                targets,
                forest,
            } = found;
            let is_changed = forest.relieve(orders, targets, &target_of, full);
            if !is_changed || self.is_even(found) {
                break;
            }
        }
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
    fn improve(&self, mut found: Found<'a>) -> Found<'a> {
        let mut best = found.forest.clone();
        for round in TRIAL_ROUNDS..self.effort.rounds as usize {
            if best.largest_and_sum().0 <= self.least.0 {
                break;
            }
            self.grow(&mut found, EXPONENTS[round.min(EXPONENTS.len() - 1)]);
            self.relieve(&mut found);
            if found.figure() < best.largest_and_sum() {
                best.clone_from(&found.forest);
            }
        }
        found.forest = best;
        found
    }

    /// These are the trees as tables; a pair's lane is that of those its path may use that has
    /// carried least so far. Where twice as many lanes are allowed as have orders, or more, several have
    /// the same: packets that wait then hold up fewer others.
    fn tables(&self, found: &Found<'_>) -> ForwardingTables {
        let (switches, count) = (self.space.switch_count(), self.endpoints.count());
        let addresses = vec![1; count];
        let mut tables = ForwardingTables::new(PairGranularity::Host, switches, &addresses);
        let mut lanes = vec![Lane::ZERO; switches * count];
        let ordered = usize::from(found.orders.lane_count());
        let copies = usize::from(self.effort.lanes) / ordered;
        let mut carried = vec![0_u64; ordered * copies.max(1)];
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
                let permitted = |lane: &usize| tree.lanes[at as usize] >> (lane % ordered) & 1 == 1;
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
