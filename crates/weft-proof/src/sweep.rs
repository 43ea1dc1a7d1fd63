//! What all routes come to where nothing is wrong with them, on all cores.
//!
//! Tables are followed address by address: a switch leads to each one way, whoever sent there, and that is
//! looked at once. So it is with source routes that a rule gives; others are followed one by one. As soon as
//! a route does not arrive, or meets a switch twice, it is given up, and `walk` tells what is wrong.

use crate::dependency_graph::DependencyGraph;
use crate::walk::Walked;
use crate::wiring::Wiring;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{
    ForwardingTables, Lane, PairGranularity, Routes, SharedRoute, SharedRoutes, SourceRoutes,
};

/// Destinations whose entries are looked at together: those of a switch for so many lie in a line of a
/// cache.
const TOGETHER: usize = 64;

/// Follows all routes; `None` where something is wrong, or lane tables part packets to one address.
pub(crate) fn sweep<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &'a Routes,
) -> Option<Walked<'a>> {
    if routes.lane_tables().is_some() {
        return None;
    }
    let shared = routes.by_groups(fabric);
    let states = state_count(routes);
    let parts = match routes {
        Routes::Source(_) if states.is_some() => shared.destination_count(),
        Routes::Source(_) => shared.source_count(),
        Routes::Tables(_) => shared.destination_count().div_ceil(TOGETHER),
    };
    // Every core takes the next part there is; what all come to does not depend on who took which.
    let next = AtomicUsize::new(0);
    let some = || {
        let mut sweep = Sweep::new(fabric, wiring, routes);
        loop {
            let part = next.fetch_add(1, Relaxed);
            if part >= parts {
                return Some(sweep);
            }
            let is_good = match routes {
                Routes::Source(listed) if states.is_some() => {
                    let before = sweep.walks;
                    let mut routes = shared.to(part);
                    routes.all(|route| sweep.follow(listed, &route, Some(before)))
                }
                Routes::Source(listed) => {
                    let mut routes = shared.from(part);
                    routes.all(|route| sweep.follow(listed, &route, None))
                }
                Routes::Tables(tables) => {
                    let end = shared.destination_count().min((part + 1) * TOGETHER);
                    sweep.look_up(tables, &shared, part * TOGETHER..end)
                }
            };
            if !is_good {
                next.store(parts, Relaxed);
                return None;
            }
        }
    };
    let cores = rayon::current_num_threads().min(parts.max(1));
    let found: Vec<Option<Sweep<'a>>> = (0..cores).into_par_iter().map(|_| some()).collect();
    let found: Option<Vec<Sweep<'a>>> = found.into_iter().collect();
    Some(found?.into_iter().reduce(Sweep::with)?.finish())
}

/// Counts the states that tell, with the switch, how packets to a destination go on; each turn has lanes of
/// its own.
fn state_count(routes: &Routes) -> Option<usize> {
    match routes {
        Routes::Source(listed) if routes.turns() == 1 => listed.state_count(),
        _ => None,
    }
}

/// What some of the routes come to.
struct Sweep<'a> {
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &'a Routes,
    found: Walked<'a>,
    lanes: usize,
    /// Per port of a switch and lane: whether a route shared by the switch's hosts starts there.
    starts: Vec<bool>,
    /// Per channel and lane: whether a route shared by the hosts of the switch it leads to ends there.
    ends: Vec<bool>,
    /// Per switch, and lane or state of a packet there: the number of the walk that met it last.
    met: Vec<u64>,
    /// Lanes, or states.
    states: usize,
    /// Walks so far; in-transit stops part a route into several.
    walks: u64,
}

/// The entries of all switches for some addresses.
struct Entries<'e> {
    ports: &'e [PortNumber],
    width: usize,
    place: usize,
}

impl Entries<'_> {
    fn port(&self, switch: SwitchId) -> PortNumber {
        self.ports[switch.index() * self.width + self.place]
    }
}

impl<'a> Sweep<'a> {
    fn new(fabric: &'a Fabric, wiring: &'a Wiring, routes: &'a Routes) -> Self {
        let lanes = usize::from(routes.lane_count());
        let states = match routes {
            Routes::Source(_) => state_count(routes).unwrap_or(1),
            Routes::Tables(_) => lanes,
        };
        Self {
            fabric,
            wiring,
            routes,
            found: Walked {
                graph: DependencyGraph::new(fabric, wiring, routes.lane_count()),
                unreached: Vec::new(),
                shortest_loop: None,
                host_pairs: 0,
                routes: 0,
                in_transit_stops: 0,
            },
            lanes,
            starts: vec![false; wiring.place_count() * lanes],
            ends: vec![false; fabric.channel_count() * lanes],
            met: vec![0; fabric.switch_count() * states],
            states,
            walks: 0,
        }
    }

    /// Takes in what other routes come to.
    fn with(mut self, other: Self) -> Self {
        self.found.graph.join(&other.found.graph);
        self.found.host_pairs += other.found.host_pairs;
        self.found.routes += other.found.routes;
        self.found.in_transit_stops += other.found.in_transit_stops;
        let flags = [
            (&mut self.starts, other.starts),
            (&mut self.ends, other.ends),
        ];
        for (own, others) in flags {
            for (own, other) in own.iter_mut().zip(others) {
                *own |= other;
            }
        }
        self
    }

    fn count(&mut self, route: &SharedRoute<'_>) {
        if !route.is_further() {
            self.found.host_pairs += route.host_pairs;
        }
        self.found.routes += 1;
    }

    /// Follows the routes to some destinations by tables.
    fn look_up(
        &mut self,
        tables: &ForwardingTables,
        shared: &SharedRoutes<'a>,
        destinations: std::ops::Range<usize>,
    ) -> bool {
        let endpoints = destinations
            .clone()
            .map(|to| shared.destination_endpoint(to));
        let addresses = tables.addresses_of(endpoints);
        let mut ports = Vec::new();
        tables.gather(addresses.clone(), &mut ports);
        for to in destinations {
            let own = tables.addresses(shared.destination_endpoint(to));
            if own.is_empty() && shared.to(to).next().is_some() {
                return false;
            }
            for address in own.clone() {
                let entries = Entries {
                    ports: &ports,
                    width: addresses.len(),
                    place: address - addresses.start,
                };
                let before = self.walks;
                let is_good = shared.to(to).all(|route| {
                    let (sent_to, lane) = self.routes.start_of(&route);
                    if sent_to != Some(address) {
                        return sent_to.is_some_and(|sent_to| own.contains(&sent_to));
                    }
                    self.arrives(&entries, &route, lane, before)
                });
                if !is_good {
                    return false;
                }
            }
        }
        true
    }

    /// Follows the way of a route by the entries for its address, up to where it is known since so many
    /// walks.
    fn arrives(
        &mut self,
        entries: &Entries<'_>,
        route: &SharedRoute<'a>,
        lane: Lane,
        before: u64,
    ) -> bool {
        self.count(route);
        let (destination, route) = without_itself(*route);
        let end = self.fabric.host_switch(destination);
        let is_for_hosts = self.routes.granularity() == PairGranularity::Host;
        if is_for_hosts && entries.port(end) != self.fabric.host_port(destination) {
            return false;
        }
        let mut at = self.fabric.host_switch(route.sources[0]);
        if at == end {
            self.join_hosts(&route, lane);
            return true;
        }
        self.walks += 1;
        let mut held = None;
        while at != end {
            let port = entries.port(at);
            let exit = self.wiring.exit(at, port);
            let Some(Node::Switch(next)) = exit.behind else {
                return false;
            };
            match held {
                None => self.start(&route, at, port, lane),
                Some(held) => self.found.graph.add((held, lane), port, lane),
            }
            let met = &mut self.met[at.index() * self.states + lane.index()];
            if *met > before {
                return *met != self.walks;
            }
            *met = self.walks;
            held = Some(exit.channel);
            at = next;
        }
        if let Some(held) = held {
            self.end(&route, (held, lane));
        }
        true
    }

    /// Follows a source route; where a rule gives it, up to where that is known since so many walks, all to
    /// the same destination.
    fn follow(
        &mut self,
        listed: &SourceRoutes,
        route: &SharedRoute<'a>,
        known_after: Option<u64>,
    ) -> bool {
        self.count(route);
        let (destination, route) = &without_itself(*route);
        let end = self.fabric.host_switch(*destination);
        let [from, to] = route.endpoints;
        let shift = self.routes.lane_shift(route.turn);
        let mut at = self.fabric.host_switch(route.sources[0]);
        let (mut held, mut is_injected): (Option<(ChannelId, Lane)>, bool) = (None, false);
        self.walks += 1;
        let mut steps = listed.steps_between(from, to);
        while let Some((port, lane)) = steps.next_on_lane() {
            let lane = Lane::new(lane.number() + shift);
            let exit = self.wiring.exit(at, port);
            match held {
                _ if exit.behind.is_none() => return false,
                // A host's channel has the lane of the next.
                Some((channel, _)) if is_injected => {
                    self.found.graph.add((channel, lane), port, lane);
                }
                Some(held) => self.found.graph.add(held, port, lane),
                None => self.start(route, at, port, lane),
            }
            is_injected = matches!(exit.behind, Some(Node::Host(_)));
            let state = known_after.map_or(0, |_| steps.state());
            let met = &mut self.met[at.index() * self.states + state];
            if *met > known_after.unwrap_or(self.walks - 1) {
                return *met != self.walks;
            }
            *met = self.walks;
            match exit.behind {
                Some(Node::Host(host)) => {
                    self.found.in_transit_stops += 1;
                    held = Some((self.fabric.injection_channel(host), lane));
                    self.walks += 1;
                }
                Some(Node::Switch(next)) => {
                    held = Some((exit.channel, lane));
                    at = next;
                }
                None => return false,
            }
        }
        let met = &self.met[end.index() * self.states..][..self.states];
        if at != end || met.contains(&self.walks) {
            return false;
        }
        match held {
            Some(held) => self.end(route, held),
            None => self.join_hosts(route, Lane::new(shift)),
        }
        true
    }

    /// A way begins by a port.
    fn start(&mut self, route: &SharedRoute<'_>, at: SwitchId, port: PortNumber, lane: Lane) {
        if let [source] = route.sources {
            let injection = self.fabric.injection_channel(*source);
            self.found.graph.add((injection, lane), port, lane);
        } else {
            let place = self.wiring.place(at, port);
            self.starts[place * self.lanes + lane.index()] = true;
        }
    }

    /// A way ends at the destination's switch.
    fn end(&mut self, route: &SharedRoute<'_>, (channel, lane): (ChannelId, Lane)) {
        if let [destination] = route.destinations {
            let port = self.fabric.host_port(*destination);
            self.found.graph.add((channel, lane), port, lane);
        } else {
            self.ends[channel.index() * self.lanes + lane.index()] = true;
        }
    }

    /// Hosts of one switch send to each other.
    fn join_hosts(&mut self, route: &SharedRoute<'_>, lane: Lane) {
        for &source in route.sources {
            for &destination in route.destinations.iter().filter(|&&host| host != source) {
                let injection = self.fabric.injection_channel(source);
                let port = self.fabric.host_port(destination);
                self.found.graph.add((injection, lane), port, lane);
            }
        }
    }

    /// Adds the dependencies of hosts that share routes.
    fn finish(mut self) -> Walked<'a> {
        let graph = &mut self.found.graph;
        graph.add_hosts(self.fabric, &self.starts, &self.ends);
        self.found
    }
}

/// A destination that is not the first source, and the route without sources that send to nobody else.
fn without_itself(route: SharedRoute<'_>) -> (HostId, SharedRoute<'_>) {
    let first = route.sources[0];
    let mut others = route.destinations.iter().filter(|&&host| host != first);
    if let Some(&destination) = others.next() {
        return (destination, route);
    }
    let sources = &route.sources[1..];
    (first, SharedRoute { sources, ..route })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

    use super::sweep;
    use crate::walk::walk_all;
    use crate::wiring::Wiring;
    use proptest::prelude::*;
    use std::num::NonZeroU8;
    use weft_fabric::Fabric;
    use weft_fabric::generate::{k_ary_n_tree, mesh_of, torus_of};
    use weft_routing::{ALGORITHMS, Routes, to_tables};
    use weft_testing::{cases, fabrics, route_spec};

    /// All at once must come to the same as one after the other, where nothing is wrong.
    fn assert_told_alike(fabric: &Fabric, routes: &Routes) {
        let wiring = Wiring::new(fabric);
        let expected = walk_all(fabric, &wiring, routes);
        let is_good = expected.unreached.is_empty() && expected.shortest_loop.is_none();
        let found = sweep(fabric, &wiring, routes);
        assert_eq!(found.is_some(), is_good && routes.lane_tables().is_none());
        let Some(found) = found else {
            return;
        };
        assert_eq!(found.host_pairs, expected.host_pairs);
        assert_eq!(found.routes, expected.routes);
        assert_eq!(found.in_transit_stops, expected.in_transit_stops);
        assert!(found.graph.vertices().all(|held| {
            let wanted = found.graph.wanted(held);
            wanted.eq(expected.graph.wanted(held))
        }));
    }

    fn all_are_told_alike(fabric: &Fabric) {
        for algorithm in ALGORITHMS {
            for per in ["", ":per=switch"] {
                let Ok(routing) = route_spec(fabric, &format!("{}{per}", algorithm.name)) else {
                    continue;
                };
                let mut routes = routing.routes;
                if let Ok(tables) = to_tables(fabric, &routes, 3) {
                    let mut any = tables.clone();
                    any.send_to_any_address();
                    for tables in [tables, any] {
                        assert_told_alike(fabric, &tables.into());
                    }
                }
                assert_told_alike(fabric, &routes);
                if routes
                    .alternate(const { NonZeroU8::new(2).unwrap() })
                    .is_ok()
                {
                    assert_told_alike(fabric, &routes);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(cases(12))]

        #[test]
        fn routes_of_random_fabrics_come_to_the_same_at_once_as_one_by_one(fabric in fabrics(2)) {
            all_are_told_alike(&fabric);
        }
    }

    #[test]
    fn routes_of_regular_fabrics_come_to_the_same_at_once_as_one_by_one() {
        all_are_told_alike(&torus_of(&[4, 3], 2).unwrap());
        all_are_told_alike(&mesh_of(&[3, 2, 2], 1).unwrap());
        all_are_told_alike(&k_ary_n_tree(2, 3).unwrap());
    }
}
