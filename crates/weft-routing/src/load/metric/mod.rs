//! Metrics of the channels: each shows a load that the fullest channel of no routes is below.
//!
//! Give every channel a weight, and let a route be as long as the weights of its channels. Whatever the routes are,
//! those of all pairs are together at least as long as the shortest ways by that measure; what they sum up to is
//! carried by the channels, each its load times its weight; so some channel carries at least
//!
//! ```text
//!              Σ over pairs: what is sent × shortest length
//! largest load ≥ ────────────────────────────────────────────
//!                         Σ over channels: weight
//! ```
//!
//! Where traffic may split over all paths the best metric meets this (maximum concurrent flow; Shahrokhi, Matula,
//! "The maximum concurrent flow problem", J. ACM 37(2), 1990), so how far a search for it is off is known, too.

mod detours;
mod of_tables;
mod on_one_lane;
mod search;
mod toll;
mod two_shortest;
mod ways_by_weight;

use crate::error::RoutingError;
use crate::form::{Endpoints, PairGranularity};
use crate::load::bounds::between;
use crate::load::{Demand, demand_by_weights, whole};
use crate::orient::routed_part;
use crate::paths::{PathSpace, TurnRule};
pub(crate) use detours::Detours;
use of_tables::of_tables;
pub use on_one_lane::{OneLane, PricedCircle, one_lane_bound};
use search::{Search, State};
use weft_fabric::{ChannelId, Fabric, HostId, SwitchId};

/// The routes that a bound is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundedRoutes {
    /// Routes of any length.
    Any,
    /// Routes with as few links as the fabric allows.
    Shortest,
    /// Tables by destination, in which the hosts of a switch take one way to a host.
    Tables,
}

/// How long a metric is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundEffort {
    /// A second or two on fabrics of 1,024 switches.
    Quick,
    /// Until the bound is within 0.1 % of what split traffic reaches; a minute on fabrics of 1,024 switches.
    Tight,
}

impl BoundEffort {
    /// Most ways out of switches that are looked at, from all sources together.
    fn most_looks(self) -> u64 {
        match self {
            Self::Quick => 1 << 27,
            Self::Tight => 1 << 32,
        }
    }
}

/// A load that the fullest channel of no routes is below, with the metric that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadBound {
    /// The routes that it is for.
    pub routes: BoundedRoutes,
    /// Per channel: its weight; 0 of the channels of hosts.
    pub weights: Vec<u32>,
    /// What the fullest channel between switches carries at least, in routes of pairs of hosts or in what their
    /// weights add up to.
    pub least_load: u64,
    /// What channels carry in the mean by a metric of any number of lanes, not rounded up to whole routes: what the fullest
    /// carries at least where pairs spread over several routes.
    pub mean_load: f64,
    /// What it carries where traffic splits over paths in the best way that was found: no metric shows
    /// more.
    pub split_load: f64,
    /// What is shown beyond by routes whose packets never deadlock on one lane; `None` of any number of lanes.
    pub one_lane: Option<OneLane>,
}

impl LoadBound {
    /// The same where pairs have several routes, among which they spread: rounded to whole routes as
    /// [loads](crate::LoadFigures) are, not up to these.
    #[must_use]
    pub fn of_several_routes(&self) -> Self {
        Self {
            least_load: whole((self.mean_load + 0.5).floor()),
            ..self.clone()
        }
    }
}

/// Finds a metric of the channels by which the fullest channel between switches carries as much as can be shown,
/// when each host has one route to every other.
///
/// # Errors
/// As [`routed_part`].
///
/// # Complexity
/// Time O(S·(E log S)) a round for S switches and E links, and so many rounds as `effort` allows, some hundred.
/// Space O(S² + E).
pub fn load_bound(
    fabric: &Fabric,
    routes: BoundedRoutes,
    effort: BoundEffort,
) -> Result<LoadBound, RoutingError> {
    bound_of(fabric, &fabric.compute_part(), None, routes, effort)
}

/// The same for the sum of weights over a channel, where `weight(source, destination)` is what
/// one host sends to another.
///
/// # Errors
/// As [`load_bound`].
pub fn load_bound_for_weights(
    fabric: &Fabric,
    weight: impl Fn(HostId, HostId) -> u16,
    routes: BoundedRoutes,
    effort: BoundEffort,
) -> Result<LoadBound, RoutingError> {
    let demand = demand_by_weights(fabric, weight);
    bound_of(fabric, fabric, Some(&demand), routes, effort)
}

/// A load that the largest of no routing is below, where switches send one another so much, from a search that looks at so
/// many ways out of switches.
pub(crate) fn least_by_metric(space: &PathSpace, between: &[u64], most_looks: u64) -> Shown {
    let search = Search::new(space, between, BoundedRoutes::Any);
    let (found, begun) = search.run_on(most_looks);
    Shown {
        least_load: found.least_load,
        begun,
    }
}

/// What a search for a metric of any routes has shown.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// A load that the largest of no routing is below.
    pub(crate) least_load: u64,
    /// Where the search came to, if it showed more than few channels do.
    begun: Option<State>,
}

/// Finds a metric for what the hosts of `part` send, a fabric with the switches and the links between them of
/// `fabric`.
fn bound_of(
    fabric: &Fabric,
    part: &Fabric,
    demand: Option<&[u64]>,
    routes: BoundedRoutes,
    effort: BoundEffort,
) -> Result<LoadBound, RoutingError> {
    let switches = routed_part(part)?;
    let space = PathSpace::new(part, None, TurnRule::Free);
    let endpoints = Endpoints::new(part, PairGranularity::Host);
    let hosts = endpoints.hosts_per_switch(space.switch_count());
    let demand = demand.map_or(Demand::PerHost(&hosts), Demand::PerPair);
    let between = between(&space, &endpoints, demand);
    let found = Search::new(&space, &between, routes).run(effort.most_looks());
    let found = match routes {
        BoundedRoutes::Tables => of_tables(&space, &switches, demand, found),
        BoundedRoutes::Any | BoundedRoutes::Shortest => found,
    };
    Ok(LoadBound {
        routes,
        weights: by_channel(fabric, &space, &found.weights),
        least_load: found.least_load,
        mean_load: found.mean_load,
        split_load: found.split_load,
        one_lane: None,
    })
}

/// Weights of channels by those of edges.
fn by_channel(fabric: &Fabric, space: &PathSpace, by_edge: &[u32]) -> Vec<u32> {
    let mut weights = vec![0; fabric.channel_count()];
    for edge in (0..).take(space.edge_count()) {
        if let Some(channel) = channel_of(fabric, space, edge) {
            weights[channel.index()] = by_edge[edge as usize];
        }
    }
    weights
}

fn channel_of(fabric: &Fabric, space: &PathSpace, edge: u32) -> Option<ChannelId> {
    let tail = SwitchId::new(space.tail(edge));
    fabric.outgoing_at(tail, space.edge(edge).port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use weft_fabric::generate::ring;
    use weft_fabric::{Cable, FabricBuilder};

    /// Three switches that send one another 10, with a slow link of a quarter of the rate: 4 of its 10 stay on it, and the
    /// rest goes around, which fills both others with 16.
    #[test]
    fn a_slow_channel_counts_as_fuller() {
        let whole = ring(3, 1).unwrap();
        let mut builder = FabricBuilder::new("a slow link");
        for switch in whole.switch_ids() {
            builder.add_switch(whole.switch(switch).clone()).unwrap();
        }
        for host in whole.host_ids() {
            builder.add_host(whole.host(host).clone()).unwrap();
        }
        for id in whole.link_ids() {
            let ends = whole.link(id).ends;
            let switches = ends.map(|end| end.node.switch().map(SwitchId::number));
            let is_slow = switches == [Some(0), Some(1)] || switches == [Some(1), Some(0)];
            let rate = if is_slow { "1xHDR" } else { "4xHDR" };
            let cable = Cable {
                rate: Some(rate.parse().unwrap()),
                ..Cable::default()
            };
            builder.add_link(ends[0], ends[1], cable).unwrap();
        }
        let fabric = builder.build().unwrap();
        let space = PathSpace::new(&fabric, None, TurnRule::Free).with_rates(&fabric);
        let shown = least_by_metric(&space, &[10; 9], 1 << 20);
        assert_eq!(shown.least_load, 16);
    }
}
