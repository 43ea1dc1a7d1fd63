//! Random routes: those of the project's algorithms, and others built here: legal by an
//! orientation, minimal, minimal with in-transit stops where the orientation is broken, minimal with
//! stops anywhere, random walks. Some can deadlock, which engine and oracle must do alike.

use super::algorithms;
use super::case::DrawnRouting;
use super::fabrics::{self, DrawnFabric};
use super::failures;
use super::random::Draws;
use weft_engine::wormhole::ListedRoutes;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId, metrics};
use weft_routing::algorithms::{ALGORITHMS, Algorithm, Deadlock};
use weft_routing::{PairGranularity, RouteRow, SourceRoutes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Shortest up*/down*; cannot deadlock.
    Legal,
    /// Shortest; can deadlock.
    Minimal,
    /// Shortest, with in-transit stops at down→up transitions; legal where a switch for a stop has
    /// no host; cannot deadlock.
    MinimalWithNeededStops,
    /// Shortest, with in-transit stops at random switches; can deadlock.
    MinimalWithRandomStops,
    /// A random walk with random stops that ends in a shortest route; can deadlock.
    Walk,
}

/// The routes of one random kind, with their fabric and what that is.
pub(crate) fn draw(draws: &mut Draws) -> (DrawnFabric, DrawnRouting<SourceRoutes>) {
    let by_algorithm = if draws.between(1, 5) < 3 {
        let algorithm = draws.choose(ALGORITHMS);
        let route =
            |draws: &mut Draws, drawn: &mut DrawnFabric| by_algorithm(draws, drawn, algorithm);
        fabrics::draw_for(draws, algorithm, route)
    } else {
        None
    };
    by_algorithm.unwrap_or_else(|| {
        let fabric = fabrics::draw(draws);
        let drawn = built_here(draws, &fabric.fabric);
        (fabric, drawn)
    })
}

/// The routes of one of the project's algorithms; `None` when it cannot route the fabric, or only on
/// several lanes.
fn by_algorithm(
    draws: &mut Draws,
    drawn: &mut DrawnFabric,
    algorithm: &Algorithm,
) -> Option<DrawnRouting<SourceRoutes>> {
    let fabric = &mut drawn.fabric;
    let (routing, mut description) = algorithms::route(draws, fabric, algorithm, false)?;
    let mut routes = routing.fixed("a host's way").ok()?.routes.clone();
    if routes.lane_count() > 1 {
        return None;
    }
    let mut is_deadlock_free = algorithm.deadlock == Deadlock::Free;
    let are_refused = draws.once_in(8) && {
        let listed = routes.to_source_routes(fabric).into_owned().into();
        let changed = failures::with_a_change(draws, fabric, &listed);
        let found = ListedRoutes::new(fabric, changed.to_source_routes(fabric)).map(drop);
        let found = found.map_err(|error| error.to_string());
        failures::refuses(fabric, &changed, true, &found)
    };
    let repaired = if draws.once_in(4) {
        failures::repaired(draws, fabric, &routes)
    } else {
        None
    };
    let is_repaired = repaired.is_some();
    if let Some(repaired) = repaired {
        (*fabric, routes) = repaired;
        description.push_str(", repaired");
        // What can deadlock is not repaired.
        is_deadlock_free = true;
    }
    (routes.lane_count() == 1).then(|| DrawnRouting {
        routes: routes.to_source_routes(fabric).into_owned(),
        kind: algorithm.name.to_owned(),
        description: format!("routes of {description}"),
        is_deadlock_free,
        is_repaired,
        are_refused,
    })
}

fn built_here(draws: &mut Draws, fabric: &Fabric) -> DrawnRouting<SourceRoutes> {
    let kind = *draws.choose(&[
        Kind::Legal,
        Kind::Minimal,
        Kind::MinimalWithNeededStops,
        Kind::MinimalWithNeededStops,
        Kind::MinimalWithRandomStops,
        Kind::MinimalWithRandomStops,
        Kind::MinimalWithRandomStops,
        Kind::Walk,
    ]);
    let granularity = *draws.choose(&[
        PairGranularity::Switch,
        PairGranularity::Host,
        PairGranularity::Host,
    ]);
    let planner = Planner::new(fabric, draws);
    let endpoints: Vec<SwitchId> = match granularity {
        PairGranularity::Switch => fabric.switch_ids().collect(),
        PairGranularity::Host => fabric
            .host_ids()
            .map(|host| fabric.host_switch(host))
            .collect(),
    };
    let mut rows = Vec::new();
    for &source in &endpoints {
        let mut row = RouteRow::default();
        for &destination in &endpoints {
            row.push(planner.route(draws, kind, source, destination));
        }
        rows.push(row);
    }
    DrawnRouting {
        routes: SourceRoutes::from_rows(granularity, rows),
        kind: format!("{kind:?}"),
        description: format!("{kind:?} routes per {granularity:?} pair"),
        is_deadlock_free: matches!(kind, Kind::Legal | Kind::MinimalWithNeededStops),
        is_repaired: false,
        are_refused: false,
    }
}

const UNREACHABLE: u32 = u32::MAX;

/// Distances to every destination.
pub(crate) struct Planner<'a> {
    fabric: &'a Fabric,
    /// Per switch: its place in the orientation; an up hop leads to a lower place.
    places: Vec<(u32, usize)>,
    /// Per destination and switch: links to go.
    minimal: Vec<Vec<u32>>,
    /// Per destination and switch: legal links to go, with up hops still allowed, and without.
    legal: Vec<Vec<[u32; 2]>>,
}

impl<'a> Planner<'a> {
    pub(crate) fn new(fabric: &'a Fabric, draws: &mut Draws) -> Self {
        let minimal: Vec<_> = fabric
            .switch_ids()
            .map(|to| metrics::distances_from(fabric, to))
            .collect();
        let levels = &minimal[draws.index(fabric.switch_count())];
        let places = levels
            .iter()
            .enumerate()
            .map(|(switch, &level)| (level, switch))
            .collect();
        let mut planner = Self {
            fabric,
            places,
            minimal,
            legal: Vec::new(),
        };
        planner.legal = fabric
            .switch_ids()
            .map(|d| planner.legal_distances(d))
            .collect();
        planner
    }

    fn is_up(&self, from: SwitchId, to: SwitchId) -> bool {
        self.places[to.index()] < self.places[from.index()]
    }

    fn legal_distances(&self, destination: SwitchId) -> Vec<[u32; 2]> {
        let mut distances = vec![[UNREACHABLE; 2]; self.fabric.switch_count()];
        distances[destination.index()] = [0; 2];
        loop {
            let before = distances.clone();
            for switch in self.fabric.switch_ids() {
                for hop in self.fabric.hops(switch) {
                    let [if_up_allowed, if_down_only] = distances[hop.switch.index()];
                    let is_up = self.is_up(switch, hop.switch);
                    let there = if is_up { if_up_allowed } else { if_down_only };
                    let here = &mut distances[switch.index()];
                    here[0] = here[0].min(there.saturating_add(1));
                    if !is_up {
                        here[1] = here[1].min(there.saturating_add(1));
                    }
                }
            }
            if distances == before {
                return distances;
            }
        }
    }

    /// A random shortest route, as channels.
    fn minimal(&self, draws: &mut Draws, source: SwitchId, to: SwitchId) -> Vec<ChannelId> {
        let distances = &self.minimal[to.index()];
        let mut here = source;
        let mut channels = Vec::new();
        while here != to {
            let nearer =
                |hop: &&weft_fabric::Hop| distances[hop.switch.index()] < distances[here.index()];
            let hops: Vec<_> = self.fabric.hops(here).iter().filter(nearer).collect();
            let hop = draws.choose(&hops);
            channels.push(hop.channel);
            here = hop.switch;
        }
        channels
    }

    /// A random shortest legal route, as channels.
    fn legal(&self, draws: &mut Draws, source: SwitchId, to: SwitchId) -> Vec<ChannelId> {
        let distances = &self.legal[to.index()];
        let (mut here, mut phase) = (source, 0);
        let mut channels = Vec::new();
        while here != to {
            let mut hops = Vec::new();
            for hop in self.fabric.hops(here) {
                let next_phase = usize::from(!self.is_up(here, hop.switch));
                let is_allowed = phase == 0 || next_phase == 1;
                let there = distances[hop.switch.index()][next_phase];
                if is_allowed && there < distances[here.index()][phase] {
                    hops.push((hop, next_phase));
                }
            }
            let &(hop, next_phase) = draws.choose(&hops);
            channels.push(hop.channel);
            (here, phase) = (hop.switch, next_phase);
        }
        channels
    }

    fn route(
        &self,
        draws: &mut Draws,
        kind: Kind,
        source: SwitchId,
        destination: SwitchId,
    ) -> Vec<PortNumber> {
        match kind {
            Kind::Legal => self.ports(&self.legal(draws, source, destination)),
            Kind::Minimal => self.ports(&self.minimal(draws, source, destination)),
            Kind::MinimalWithNeededStops => {
                let channels = self.minimal(draws, source, destination);
                self.with_needed_stops(draws, &channels)
                    .unwrap_or_else(|| self.ports(&self.legal(draws, source, destination)))
            }
            Kind::MinimalWithRandomStops => {
                let channels = self.minimal(draws, source, destination);
                self.with_random_stops(draws, source, &channels)
            }
            Kind::Walk => {
                let channels = self.walk(draws, source, destination);
                self.with_random_stops(draws, source, &channels)
            }
        }
    }

    /// The channels of a route without stops.
    pub(crate) fn channels(
        &self,
        draws: &mut Draws,
        kind: Kind,
        source: SwitchId,
        destination: SwitchId,
    ) -> Vec<ChannelId> {
        match kind {
            Kind::Legal => self.legal(draws, source, destination),
            Kind::Walk => self.walk(draws, source, destination),
            _ => self.minimal(draws, source, destination),
        }
    }

    /// A random walk that ends in a shortest route.
    fn walk(&self, draws: &mut Draws, source: SwitchId, destination: SwitchId) -> Vec<ChannelId> {
        let mut here = source;
        let mut channels = Vec::new();
        for _ in 0..draws.index(4) {
            // All channels to switches, cables back to the same switch included.
            let fabric = self.fabric;
            let outgoing = fabric.outgoing(here).iter();
            let ways: Vec<_> = outgoing.filter(|&&c| fabric.is_switch_channel(c)).collect();
            if ways.is_empty() {
                break;
            }
            let &&channel = draws.choose(&ways);
            channels.push(channel);
            here = self.end(channel);
        }
        channels.extend(self.minimal(draws, here, destination));
        channels
    }

    fn end(&self, channel: ChannelId) -> SwitchId {
        match self.fabric.target(channel).node {
            Node::Switch(switch) => switch,
            Node::Host(_) => unreachable!("routes here are made of channels between switches"),
        }
    }

    fn start(&self, channel: ChannelId) -> SwitchId {
        self.end(channel.reverse())
    }

    fn ports(&self, channels: &[ChannelId]) -> Vec<PortNumber> {
        channels
            .iter()
            .map(|&channel| self.fabric.source(channel).port)
            .collect()
    }

    fn stop_at(&self, draws: &mut Draws, switch: SwitchId) -> Option<PortNumber> {
        let hosts: &[HostId] = self.fabric.hosts_of(switch);
        (!hosts.is_empty()).then(|| self.fabric.host_port(*draws.choose(hosts)))
    }

    /// The route with a stop before every up hop that follows a down hop; `None` where a switch
    /// without hosts would need one.
    fn with_needed_stops(
        &self,
        draws: &mut Draws,
        channels: &[ChannelId],
    ) -> Option<Vec<PortNumber>> {
        let mut steps = Vec::new();
        let mut went_down = false;
        for &channel in channels {
            let is_up = self.is_up(self.start(channel), self.end(channel));
            if went_down && is_up {
                steps.push(self.stop_at(draws, self.start(channel))?);
            }
            went_down = !is_up;
            steps.push(self.fabric.source(channel).port);
        }
        Some(steps)
    }

    /// The route with stops at random switches, now and then two in a row.
    fn with_random_stops(
        &self,
        draws: &mut Draws,
        source: SwitchId,
        channels: &[ChannelId],
    ) -> Vec<PortNumber> {
        let mut steps = Vec::new();
        let mut here = source;
        for &channel in channels {
            while draws.once_in(3) {
                steps.extend(self.stop_at(draws, here));
            }
            steps.push(self.fabric.source(channel).port);
            here = self.end(channel);
        }
        if draws.once_in(4) {
            steps.extend(self.stop_at(draws, here));
        }
        steps
    }
}
