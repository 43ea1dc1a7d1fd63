//! A bound of routes whose packets never deadlock on one lane, in-transit stops among what they may do.

use super::of_tables::of_tables;
use super::search::{Found, Search};
use super::toll::{Circle, toll};
use super::{BoundEffort, BoundedRoutes, LoadBound, by_channel, channel_of};
use crate::error::RoutingError;
use crate::form::{Endpoints, PairGranularity};
use crate::load::Demand;
use crate::load::bounds::between;
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule};
use weft_fabric::{ChannelId, Fabric, narrow};

/// Switches times channels up to which circles are priced: of more they show next to nothing.
const MOST_WORK: usize = 1 << 20;

/// Looks at turns in the search for circles.
const MOST_LOOKS_AT_TURNS: u64 = 1 << 27;

/// What the mean weight is scaled to, at least, where weights are mixed: prices are shared out in whole numbers.
const MEAN_WEIGHT: u64 = 1 << 12;

/// What shows more of one lane than the weights of a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneLane {
    /// What an in-transit stop counts as, in channels passed; `None` where no route stops.
    pub stop_cost: Option<u32>,
    /// Circles that routes have to break.
    pub circles: Vec<PricedCircle>,
}

/// Channels that would wait for one another in a circle, and what it costs all routes together, in weights, that they
/// do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PricedCircle {
    /// Each leads to where the next comes from, the last to where the first does.
    pub channels: Vec<ChannelId>,
    /// In weights, times what is sent.
    pub price: u64,
}

/// Finds a bound of routes whose packets never deadlock on one lane.
///
/// With a `stop_cost` routes may stop in transit, and the bound is one of the largest load and of so much for each stop
/// over the number of channels between switches: as if a stop passed so many channels more, and they were shared by all.
/// Without, it is one of the largest load of routes that never stop.
///
/// Of every circle of channels routes leave out some turn, or stop at it. What that costs those that have no other
/// shortest way is added to what [`load_bound`](super::load_bound) shows. It knows nothing of circles that one turn breaks together
/// beyond that its price is shared by them, and little of pairs with several shortest ways: so it is far below what any routes
/// reach on large networks, and not looked for where switches times channels are more than 2²⁰.
///
/// # Errors
/// As [`load_bound`](super::load_bound).
///
/// # Complexity
/// Time that of [`load_bound`](super::load_bound), O(S·E log E) and a bounded number of looks at turns, for S switches and E links.
pub fn one_lane_bound(
    fabric: &Fabric,
    routes: BoundedRoutes,
    stop_cost: Option<u32>,
    effort: BoundEffort,
) -> Result<LoadBound, RoutingError> {
    let part = fabric.compute_part();
    let switches = routed_part(&part)?;
    let space = PathSpace::new(&part, None, TurnRule::Free);
    let endpoints = Endpoints::new(&part, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let demand = Demand::PerHost(&hosts);
    let between = between(&space, &endpoints, demand);
    let found = Search::new(&space, &between, routes).run(effort.most_looks());
    let mut least_load = u128::from(found.least_load);
    let (mut circles, mut weights) = (Vec::<Circle>::new(), found.weights.clone());
    let is_priced = space.switch_count() * space.edge_count() <= MOST_WORK;
    for mixture in mixtures(&found.weights).into_iter().filter(|_| is_priced) {
        let by_stop = stop_cost.map(|cost| weight_of_stop(cost, &mixture));
        let (pairs, looks) = (&between, MOST_LOOKS_AT_TURNS);
        let made = toll(&space, pairs, routes, &mixture, by_stop, looks);
        let room = room(&mixture).max(1);
        let least = match stop_cost {
            // Stops come in parts of a load, without which it is whole.
            Some(_) => (made.sum / room).max(made.lengths.div_ceil(room)),
            None => made.sum.div_ceil(room),
        };
        if least > least_load {
            (least_load, circles, weights) = (least, made.circles, mixture);
        }
    }
    let mut shown = Found {
        weights,
        least_load: narrow(
            least_load,
            "what all send, over all ways, is counted in 64 bits",
        ),
        mean_load: found.mean_load,
        split_load: found.split_load,
    };
    if routes == BoundedRoutes::Tables && stop_cost.is_none() {
        let before = shown.weights.clone();
        shown = of_tables(&space, &switches, demand, shown);
        if shown.weights != before {
            // The ports of one switch show more, by themselves.
            circles.clear();
        }
    }
    let circle = |(edges, price): (Vec<u32>, u64)| PricedCircle {
        channels: edges
            .into_iter()
            .filter_map(|edge| channel_of(fabric, &space, edge))
            .collect(),
        price,
    };
    Ok(LoadBound {
        routes,
        weights: by_channel(fabric, &space, &shown.weights),
        least_load: shown.least_load,
        mean_load: shown.mean_load,
        split_load: shown.split_load,
        one_lane: Some(OneLane {
            stop_cost,
            circles: circles.into_iter().map(circle).collect(),
        }),
    })
}

/// The weights as they are, mixed with the same for all channels, and the same for all: what circles cost is seen best where
/// other ways are much longer.
fn mixtures(weights: &[u32]) -> [Vec<u32>; 4] {
    let edges = weights.len().max(1) as u64;
    let sum: u64 = weights.iter().copied().map(u64::from).sum();
    let mixed = |own: u64, same: u64| -> Vec<u32> {
        let weight = |&weight: &u32| {
            let scaled = u64::from(weight) * MEAN_WEIGHT * edges / sum.max(1);
            let mixed = scaled * own + same * MEAN_WEIGHT;
            narrow(mixed.min(u32::MAX.into()), "a weight has 32 bits")
        };
        weights.iter().map(weight).collect()
    };
    [weights.to_vec(), mixed(3, 1), mixed(1, 3), mixed(0, 1)]
}

fn room(weights: &[u32]) -> u128 {
    weights.iter().map(|&weight| u128::from(weight)).sum()
}

/// A stop in weights, where it counts as so many channels of mean weight, or a little less.
fn weight_of_stop(cost: u32, weights: &[u32]) -> u64 {
    let channels = weights.len().max(1) as u128;
    narrow(
        u128::from(cost) * room(weights) / channels,
        "a stop costs 32 bits of weights",
    )
}
