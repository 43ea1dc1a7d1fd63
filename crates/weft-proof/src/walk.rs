//! Walks every route and notes what it meets.

use crate::dependency_graph::{DependencyGraph, Witness};
use crate::verdict::{UnreachedPair, UnreachedReason};
use crate::wiring::{Behind, Wiring};
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{PairGranularity, SourceRoutes};

/// What all routes together come to.
#[derive(Debug)]
pub(crate) struct Walked<'a> {
    pub(crate) graph: DependencyGraph<'a>,
    pub(crate) unreached: Vec<UnreachedPair>,
    /// The first route that meets a switch twice within a segment, and that switch.
    pub(crate) first_loop: Option<(Witness, SwitchId)>,
    pub(crate) host_pairs: u64,
    pub(crate) routes: u64,
    pub(crate) in_transit_stops: u64,
}

/// This walks the routes of all pairs of distinct hosts in ascending order.
pub(crate) fn walk_all<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &SourceRoutes,
) -> Walked<'a> {
    let mut walker = Walker {
        fabric,
        wiring,
        found: Walked {
            graph: DependencyGraph::new(fabric, wiring),
            unreached: Vec::new(),
            first_loop: None,
            host_pairs: 0,
            routes: 0,
            in_transit_stops: 0,
        },
        first_ports: vec![None; wiring.place_count()],
        last_channels: vec![None; fabric.channel_count()],
        visits: vec![0; fabric.switch_count()],
        segment: 0,
    };
    let count = routes.endpoint_count();
    for source in 0..count {
        for destination in 0..count {
            let steps = routes.steps_between(source, destination);
            let [from, to] = [source, destination];
            match routes.granularity() {
                PairGranularity::Host if from == to => {}
                PairGranularity::Host => {
                    let pair = [from, to].map(HostId::from_index);
                    walker.walk([&pair[..1], &pair[1..]], steps);
                }
                PairGranularity::Switch => {
                    let hosts =
                        [from, to].map(|index| fabric.hosts_of(SwitchId::from_index(index)));
                    walker.walk(hosts, steps);
                }
            }
        }
    }
    walker.finish()
}

struct Walker<'a> {
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    found: Walked<'a>,
    /// Per port of a switch: a route shared by the switch's hosts that starts there.
    first_ports: Vec<Option<Witness>>,
    /// Per channel: a route shared by the hosts of the switch it leads to that ends there.
    last_channels: Vec<Option<Witness>>,
    /// Per switch: the last segment that met it.
    visits: Vec<u64>,
    /// Segments walked so far; in-transit stops part a route into segments.
    segment: u64,
}

impl<'a> Walker<'a> {
    /// This walks the route that all pairs of the given sources and destinations share.
    fn walk(&mut self, [sources, destinations]: [&[HostId]; 2], steps: &[PortNumber]) {
        // The first pair stands for all.
        let Some(&source) = sources.first() else {
            return;
        };
        let Some(&destination) = destinations.iter().find(|&&host| host != source) else {
            return;
        };
        let same_switch = self.fabric.host_switch(source) == self.fabric.host_switch(destination);
        let others = destinations.len() - usize::from(same_switch && destinations.len() > 1);
        let pairs = sources.len() as u64 * others as u64;
        self.found.host_pairs += pairs;
        self.found.routes += 1;
        let witness = (source, destination);
        let mut here = self.fabric.host_switch(source);
        self.enter_segment(here);
        // `None` while the packet is on the channel of its source.
        let mut held: Option<ChannelId> = None;
        for &port in steps {
            let exit = self.wiring.exit(here, port);
            if exit.behind == Behind::Nothing {
                let reason = UnreachedReason::UnwiredPort { switch: here, port };
                return self.not_reached(witness, reason);
            }
            match held {
                Some(held) => self.found.graph.add(held, port, witness),
                None if sources.len() == 1 => {
                    let injection = self.fabric.injection_channel(source);
                    self.found.graph.add(injection, port, witness);
                }
                None => {
                    let place = self.wiring.place(here, port);
                    self.first_ports[place].get_or_insert(witness);
                }
            }
            match exit.behind {
                Behind::Switch(next) => {
                    held = Some(exit.channel);
                    here = next;
                    if self.visits[here.index()] == self.segment {
                        self.found.first_loop.get_or_insert((witness, here));
                    }
                    self.visits[here.index()] = self.segment;
                }
                Behind::Host(host) => {
                    self.found.in_transit_stops += 1;
                    held = Some(self.fabric.injection_channel(host));
                    self.enter_segment(here);
                }
                Behind::Nothing => {}
            }
        }
        if here != self.fabric.host_switch(destination) {
            return self.not_reached(witness, UnreachedReason::EndsAt(here));
        }
        match (held, destinations) {
            (Some(held), [destination]) => {
                self.found
                    .graph
                    .add(held, self.fabric.host_port(*destination), witness);
            }
            (Some(held), _) => {
                self.last_channels[held.index()].get_or_insert(witness);
            }
            (None, _) => {
                for &source in sources {
                    for &destination in destinations.iter().filter(|&&host| host != source) {
                        let injection = self.fabric.injection_channel(source);
                        let port = self.fabric.host_port(destination);
                        self.found.graph.add(injection, port, (source, destination));
                    }
                }
            }
        }
    }

    /// This adds the dependencies of hosts that share routes.
    fn finish(mut self) -> Walked<'a> {
        for switch in self.fabric.switch_ids() {
            for &host in self.fabric.hosts_of(switch) {
                let injection = self.fabric.injection_channel(host);
                for exit in self.wiring.exits(switch) {
                    if exit.behind == Behind::Nothing {
                        continue;
                    }
                    let port = self.fabric.source(exit.channel).port;
                    let place = self.wiring.place(switch, port);
                    if let Some((source, destination)) = self.first_ports[place] {
                        let to = if destination == host {
                            source
                        } else {
                            destination
                        };
                        self.found.graph.add(injection, port, (host, to));
                    }
                }
            }
        }
        for channel in self.fabric.channel_ids() {
            let Some((source, destination)) = self.last_channels[channel.index()] else {
                continue;
            };
            for &host in self.fabric.hosts_of(self.fabric.host_switch(destination)) {
                let port = self.fabric.host_port(host);
                let from = if source == host { destination } else { source };
                self.found.graph.add(channel, port, (from, host));
            }
        }
        self.found
    }

    fn enter_segment(&mut self, at: SwitchId) {
        self.segment += 1;
        self.visits[at.index()] = self.segment;
    }

    fn not_reached(&mut self, (source, destination): Witness, reason: UnreachedReason) {
        self.found.unreached.push(UnreachedPair {
            source,
            destination,
            reason,
        });
    }
}
