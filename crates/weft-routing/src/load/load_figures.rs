//! How routes load the channels.

use crate::form::{RouteHop, Routing};
use crate::paths::{Distances, PathSpace, ShortestPaths, TurnRule};
use weft_fabric::{Fabric, SwitchId};

/// How the routes of a routing load the channels.
///
/// Loads count every ordered pair of distinct hosts once, also where hosts share a route. Means
/// *over switch pairs* are over ordered pairs of distinct switches that have hosts, each pair of
/// switches counting the same; where hosts have routes of their own, a pair of switches counts by
/// the mean of its hosts' routes.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadFigures {
    /// Per channel: routes of host pairs over it. A stop in transit counts at the ejection and the
    /// injection channel of its host.
    pub routes_per_channel: Vec<u64>,
    /// Most routes over one channel, injection and ejection channels included.
    pub max_routes_per_channel: u64,
    /// Mean over the channels between switches; 0 without any.
    pub mean_routes_per_channel: f64,
    /// Mean links between switches of a route, over switch pairs.
    pub mean_distance_links: f64,
    /// Mean links between switches of a route, over pairs of distinct hosts.
    pub mean_hops_links: f64,
    /// Most links between switches of a route.
    pub max_hops_links: u32,
    /// Share of the routes that are as short as the fabric allows, over switch pairs; 1 without
    /// any pair.
    pub minimal_share: f64,
    /// Mean in-transit stops of a route, over switch pairs.
    pub mean_in_transit_stops: f64,
    /// Most in-transit stops of a route.
    pub max_in_transit_stops: u32,
    /// Largest load that no channel's routes forbid when every host sends to all others alike: as
    /// a fraction of the link rate, the same for all links; at most 1.
    pub saturation_bound: f64,
}

/// Counts what every route of a routing passes.
///
/// # Panics
/// When the routing was made for a fabric with other switches, hosts or links.
pub fn figures(fabric: &Fabric, routing: &Routing) -> LoadFigures {
    let routes = &routing.routes;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    // The shortest paths from the switch that routes start from at the time.
    let mut minimal: Option<(SwitchId, Distances)> = None;
    let mut tally = Tally {
        routes_per_channel: vec![0; fabric.channel_count()],
        ..Tally::default()
    };
    let hosts = |switch: SwitchId| fabric.hosts_of(switch).len() as u64;
    for route in routes.shared(fabric).filter(|route| !route.is_further()) {
        let [from, to] = [route.sources[0], route.destinations[0]].map(|h| fabric.host_switch(h));
        let shared = route.host_pairs;
        let (mut links, mut stops) = (0, 0);
        for step in routes.walk(fabric, route.endpoints[0], route.endpoints[1]) {
            match step.hop {
                Ok(RouteHop::Channel(channel)) => {
                    links += 1;
                    tally.routes_per_channel[channel.index()] += shared;
                }
                Ok(RouteHop::InTransit(host)) => {
                    stops += 1;
                    let injection = fabric.injection_channel(host);
                    tally.routes_per_channel[injection.index()] += shared;
                    tally.routes_per_channel[injection.reverse().index()] += shared;
                }
                Err(_) => {}
            }
        }
        tally.host_pairs += shared;
        tally.host_pair_links += shared * u64::from(links);
        tally.max_links = tally.max_links.max(links);
        tally.max_stops = tally.max_stops.max(stops);
        if from != to {
            // Its part in the pair of switches.
            let part = shared as f64 / (hosts(from) * hosts(to)) as f64;
            let (_, distances) = match minimal.take() {
                Some(known) if known.0 == from => minimal.insert(known),
                _ => minimal.insert((
                    from,
                    ShortestPaths::from(&space, from.number()).into_distances(),
                )),
            };
            let shortest = distances.links_to(&space, to.number()).map(u32::from);
            tally.switch_pairs += part;
            tally.switch_pair_links += part * f64::from(links);
            tally.switch_pair_stops += part * f64::from(stops);
            tally.minimal += if shortest == Some(links) { part } else { 0.0 };
        }
    }
    tally.figures(fabric)
}

/// Sums over the routes.
#[derive(Default)]
struct Tally {
    routes_per_channel: Vec<u64>,
    host_pairs: u64,
    host_pair_links: u64,
    /// Pairs of distinct switches, each in as many parts as it has routes.
    switch_pairs: f64,
    switch_pair_links: f64,
    switch_pair_stops: f64,
    minimal: f64,
    max_links: u32,
    max_stops: u32,
}

impl Tally {
    fn figures(mut self, fabric: &Fabric) -> LoadFigures {
        let others = (fabric.host_count() as u64).saturating_sub(1);
        for host in fabric.host_ids() {
            self.routes_per_channel[fabric.injection_channel(host).index()] += others;
            self.routes_per_channel[fabric.ejection_channel(host).index()] += others;
        }
        let most = self.routes_per_channel.iter().copied().max().unwrap_or(0);
        let (mut switch_channels, mut routes) = (0_u64, 0_u64);
        for channel in fabric.switch_channels() {
            switch_channels += 1;
            routes += self.routes_per_channel[channel.index()];
        }
        let mean = |sum: f64, count: f64| if count > 0.0 { sum / count } else { 0.0 };
        LoadFigures {
            max_routes_per_channel: most,
            mean_routes_per_channel: mean(routes as f64, switch_channels as f64),
            mean_distance_links: mean(self.switch_pair_links, self.switch_pairs),
            mean_hops_links: mean(self.host_pair_links as f64, self.host_pairs as f64),
            max_hops_links: self.max_links,
            minimal_share: if self.switch_pairs > 0.0 {
                self.minimal / self.switch_pairs
            } else {
                1.0
            },
            mean_in_transit_stops: mean(self.switch_pair_stops, self.switch_pairs),
            max_in_transit_stops: self.max_stops,
            saturation_bound: if most > others {
                others as f64 / most as f64
            } else {
                1.0
            },
            routes_per_channel: self.routes_per_channel,
        }
    }
}
