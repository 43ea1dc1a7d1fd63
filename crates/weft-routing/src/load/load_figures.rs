//! How routes load the channels.

use crate::form::{ForwardingTables, RouteHop, Routes, Routing, SharedRoute, check_routes};
use crate::load::PARTS;
use crate::load::loads_by_state::{add, loads_by_state};
use crate::paths::{Distances, PathSpace, ShortestPaths, TurnRule};
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, Node, SwitchId, narrow};

/// How the routes of a routing load the channels.
///
/// Loads count every ordered pair of distinct compute ends once, also where hosts share a route, and those
/// of service ends never; where sources may send to any address of a destination, a pair counts in equal
/// parts by the routes to all of them. Means *over switch pairs* are over ordered pairs of distinct switches
/// that have compute ends, each pair of switches counting the same; where hosts have routes of their own, a
/// pair of switches counts by the mean of its hosts' routes.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadFigures {
    /// Per channel: routes of host pairs over it, parts added up and rounded. A stop in transit counts at
    /// the ejection and the injection channel of its host.
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

/// Routes of so many sources are told one after the other by a core before they are summed.
const SOURCES_AT_ONCE: usize = 4;

/// Counts what every route of a routing passes, on all cores.
///
/// # Panics
/// When the routing was made for a fabric with other switches, hosts or links.
pub fn figures(fabric: &Fabric, routing: &Routing) -> LoadFigures {
    let routes = &routing.routes;
    let space = PathSpace::new(fabric, None, TurnRule::Free);
    let by_state = loads_by_state(fabric, routes);
    if let Routes::Source(listed) = routes {
        listed.find_all();
    }
    let shared = routes.by_groups(fabric);
    let plain = PlainTables::of(fabric, routes);
    let hosts: Vec<u64> = fabric
        .switch_ids()
        .map(|switch| fabric.compute_hosts_of(switch) as u64)
        .collect();
    let none = Told::nothing(fabric, &hosts, plain.as_ref());
    let mut told = vec![none; rayon::current_num_threads()];
    let mut tally = Tally::default();
    let mut first = 0;
    // Sums of fractions depend on their order, which is that of the sources, whoever told of them; those of whole
    // numbers do not.
    while first < shared.sources().len() {
        let each = told.par_iter_mut().enumerate();
        each.for_each(|(core, told)| {
            let start = first + core * SOURCES_AT_ONCE;
            let end = shared.sources().len().min(start + SOURCES_AT_ONCE);
            for from in start..end {
                told.tell(
                    fabric,
                    routes,
                    &space,
                    shared.from(from),
                    by_state.is_none(),
                );
            }
        });
        first += told.len() * SOURCES_AT_ONCE;
        for route in told.iter_mut().flat_map(|told| told.routes.drain(..)) {
            tally.add(&route);
        }
    }
    tally.routes_per_channel = by_state.unwrap_or_else(|| vec![0; fabric.channel_count()]);
    let mut all = vec![0; fabric.channel_count()];
    for told in told {
        add(&mut all, &told.routes_per_channel);
        tally.join(&told.whole);
    }
    for parts in &mut all {
        *parts = (*parts + PARTS / 2) / PARTS;
    }
    add(&mut tally.routes_per_channel, &all);
    tally.figures(fabric)
}

/// The pairs of hosts that use a route, in parts: where they spread over several, those of this one.
fn parts(route: &SharedRoute<'_>) -> u64 {
    route.compute_pairs * PARTS / u64::from(route.choices)
}

/// What a core found.
#[derive(Clone)]
struct Told<'a> {
    /// Per switch: its compute ends.
    hosts: &'a [u64],
    plain: Option<&'a PlainTables<'a>>,
    /// In parts.
    routes_per_channel: Vec<u64>,
    /// Those that are a fraction of a pair of switches, by ascending source and destination.
    routes: Vec<ToldRoute>,
    /// All others.
    whole: Tally,
    /// The shortest paths from the switch that routes started from last.
    minimal: Option<(SwitchId, Distances)>,
}

#[derive(Clone, Copy)]
struct ToldRoute {
    /// In parts.
    host_pairs: u64,
    /// Its part in a pair of distinct switches, if it is one of one.
    part: Option<f64>,
    links: u32,
    stops: u32,
    is_minimal: bool,
}

impl<'t> Told<'t> {
    fn nothing(fabric: &Fabric, hosts: &'t [u64], plain: Option<&'t PlainTables<'t>>) -> Self {
        Self {
            hosts,
            plain,
            routes_per_channel: vec![0; fabric.channel_count()],
            routes: Vec::new(),
            whole: Tally::default(),
            minimal: None,
        }
    }

    /// Takes in the routes of a source, and what they load unless that is known.
    fn tell<'a>(
        &mut self,
        fabric: &Fabric,
        routes: &Routes,
        space: &PathSpace,
        shared: impl Iterator<Item = SharedRoute<'a>>,
        is_load_wanted: bool,
    ) {
        let hosts = self.hosts;
        for route in shared.filter(|route| route.turn == 0) {
            let ends = [route.sources[0], route.destinations[0]];
            let [from, to] = ends.map(|host| fabric.host_switch(host));
            let [links, stops] = match routes {
                // Where loads are known by states, no route stops.
                Routes::Source(listed) if !is_load_wanted => {
                    let [source, destination] = route.endpoints;
                    let steps = listed.steps_between(source, destination).len();
                    [narrow(steps, "a way is shorter than 2^32 links"), 0]
                }
                _ => match self.plain {
                    Some(plain) => [self.look_up(plain, routes, &route, [from, to]), 0],
                    None => self.pass(fabric, routes, &route),
                },
            };
            let known = self.minimal.take().filter(|known| known.0 == from);
            let (_, distances) = self.minimal.insert(known.unwrap_or_else(|| {
                let paths = ShortestPaths::from(space, from.number());
                (from, paths.into_distances())
            }));
            let pairs = route.compute_pairs as f64 / f64::from(route.choices);
            let shortest = distances.links_to(space, to.number()).map(u32::from);
            let told = ToldRoute {
                host_pairs: parts(&route),
                part: (from != to && route.compute_pairs > 0)
                    .then(|| pairs / (hosts[from.index()] * hosts[to.index()]) as f64),
                links,
                stops,
                is_minimal: shortest == Some(links),
            };
            match told.part {
                Some(part) if part < 1.0 => self.routes.push(told),
                _ => self.whole.add(&told),
            }
        }
    }

    /// Follows a route by plain tables, and counts its links.
    fn look_up(
        &mut self,
        plain: &PlainTables<'_>,
        routes: &Routes,
        route: &SharedRoute<'_>,
        [mut at, end]: [SwitchId; 2],
    ) -> u32 {
        let (pairs, mut links) = (parts(route), 0);
        let (Some(address), _) = routes.start_of(route) else {
            return links;
        };
        while at != end {
            let Some((channel, next)) = plain.behind(at, address) else {
                break;
            };
            links += 1;
            self.routes_per_channel[channel.index()] += pairs;
            at = next;
        }
        links
    }

    /// Walks a route, and counts its links and stops.
    fn pass(&mut self, fabric: &Fabric, routes: &Routes, route: &SharedRoute<'_>) -> [u32; 2] {
        let (mut links, mut stops) = (0, 0);
        let pairs = parts(route);
        for step in routes.walk_shared(fabric, route) {
            match step.hop {
                Ok(RouteHop::Channel(channel)) => {
                    links += 1;
                    self.routes_per_channel[channel.index()] += pairs;
                }
                Ok(RouteHop::InTransit(host)) => {
                    stops += 1;
                    let injection = fabric.injection_channel(host);
                    self.routes_per_channel[injection.index()] += pairs;
                    self.routes_per_channel[injection.reverse().index()] += pairs;
                }
                Err(_) => {}
            }
        }
        [links, stops]
    }
}

/// Tables by which all ways arrive, and where ports lead.
struct PlainTables<'a> {
    tables: &'a ForwardingTables,
    /// Per switch and port: the channel there, and the switch it leads to.
    channels: Vec<Option<(ChannelId, SwitchId)>>,
    /// Ports of a switch, as far as any is used.
    ports: usize,
}

impl<'a> PlainTables<'a> {
    /// Those of routes; `None` of other routes.
    fn of(fabric: &Fabric, routes: &'a Routes) -> Option<Self> {
        let Routes::Tables(tables) = routes else {
            return None;
        };
        if tables.lane_tables().is_some() || check_routes(fabric, routes).is_err() {
            return None;
        }
        let port = |channel: ChannelId| fabric.source(channel).port.index();
        let ports = fabric.switch_channels().map(port).max();
        let ports = ports.map_or(0, |highest| highest + 1);
        let mut channels = vec![None; fabric.switch_count() * ports];
        for channel in fabric.switch_channels() {
            let [from, to] = [fabric.source(channel), fabric.target(channel)];
            if let (Node::Switch(from), Node::Switch(to)) = (from.node, to.node) {
                channels[from.index() * ports + port(channel)] = Some((channel, to));
            }
        }
        Some(Self {
            tables,
            channels,
            ports,
        })
    }

    /// The channel by which packets to an address leave a switch, and the switch it leads to.
    #[inline]
    fn behind(&self, at: SwitchId, address: usize) -> Option<(ChannelId, SwitchId)> {
        let port = self.tables.next_port(at, address)?.index();
        self.channels[at.index() * self.ports..][..self.ports]
            .get(port)
            .copied()?
    }
}

/// Sums over the routes.
#[derive(Clone, Default)]
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
    fn add(&mut self, route: &ToldRoute) {
        let &ToldRoute { links, stops, .. } = route;
        self.host_pairs += route.host_pairs;
        self.host_pair_links += route.host_pairs * u64::from(links);
        self.max_links = self.max_links.max(links);
        self.max_stops = self.max_stops.max(stops);
        if let Some(part) = route.part {
            self.switch_pairs += part;
            self.switch_pair_links += part * f64::from(links);
            self.switch_pair_stops += part * f64::from(stops);
            self.minimal += if route.is_minimal { part } else { 0.0 };
        }
    }

    /// Adds other routes, but not what they load.
    fn join(&mut self, other: &Self) {
        self.host_pairs += other.host_pairs;
        self.host_pair_links += other.host_pair_links;
        self.switch_pairs += other.switch_pairs;
        self.switch_pair_links += other.switch_pair_links;
        self.switch_pair_stops += other.switch_pair_stops;
        self.minimal += other.minimal;
        self.max_links = self.max_links.max(other.max_links);
        self.max_stops = self.max_stops.max(other.max_stops);
    }

    fn figures(mut self, fabric: &Fabric) -> LoadFigures {
        let others = (fabric.compute_hosts().count() as u64).saturating_sub(1);
        for host in fabric.compute_hosts() {
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
