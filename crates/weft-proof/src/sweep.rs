//! What all routes come to where nothing is wrong with them, on all cores.
//!
//! Tables are followed 64 addresses at a time: a switch leads to each one way, whoever sent there, and that is
//! looked at once, for all that leave by the same port. So it is with source routes that a rule gives, line by line where it may; others are followed one by one, source by
//! source, and those on one lane without stops step by step in least time. As soon as
//! a route does not arrive, or meets a switch twice, it is given up, and `walk` tells what is wrong.

use crate::dependency_graph::DependencyGraph;
use crate::host_ends::{HostEnds, without_itself};
use crate::plain_steps::PlainSteps;
use crate::sweep_lines::sweep_lines;
use crate::walk::Walked;
use crate::wiring::Wiring;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{
    FollowsWays, ForwardingTables, Lane, PairGranularity, Routes, RoutesFrom, SharedRoute,
    SharedRoutes, Steps, WaysTogether,
};

/// Follows all routes; `None` where something is wrong, or lane tables part packets to one address.
pub(crate) fn sweep<'a>(
    fabric: &'a Fabric,
    wiring: &'a Wiring,
    routes: &'a Routes,
) -> Option<Walked<'a>> {
    if routes.lane_tables().is_some() {
        return None;
    }
    let states = state_count(routes);
    if let Routes::Source(listed) = routes
        && states.is_some()
        && let Some(lines) = listed.lines(fabric)
    {
        return sweep_lines(fabric, wiring, routes, listed, &lines);
    }
    let shared = routes.by_groups(fabric);
    let addresses = match routes {
        Routes::Source(_) => Vec::new(),
        Routes::Tables(tables) => addresses(fabric, wiring, tables, &shared)?,
    };
    let blocks = match routes {
        Routes::Source(listed) if states.is_none() => listed.blocks(),
        _ => Vec::new(),
    };
    let mut group_of = vec![None; routes.endpoint_count()];
    for (number, group) in shared.sources().iter().enumerate() {
        group_of[group.endpoint] = Some(number);
    }
    let parts = match routes {
        Routes::Source(_) if states.is_some() => shared.destinations().len(),
        Routes::Source(_) => blocks.len(),
        Routes::Tables(_) => addresses
            .len()
            .div_ceil(WaysTogether::share(addresses.len())),
    };
    // Every core takes the next part there is; what all come to does not depend on who took which.
    let next = AtomicUsize::new(0);
    let some = || {
        let mut sweep = Sweep::new(fabric, wiring, routes);
        let mut ways = match routes {
            Routes::Source(_) => None,
            Routes::Tables(tables) => Some(WaysTogether::new(
                tables,
                fabric.switch_count(),
                routes.lane_count(),
            )),
        };
        loop {
            let part = next.fetch_add(1, Relaxed);
            if part >= parts {
                sweep.end();
                return Some(sweep);
            }
            let is_good = match routes {
                Routes::Source(listed) if states.is_some() => {
                    let before = sweep.walks;
                    let mut routes = shared.to(part);
                    routes.all(|route| {
                        let [from, to] = route.endpoints;
                        let steps = listed.steps_between(from, to);
                        sweep.follow(steps, &route, Some(before))
                    })
                }
                Routes::Source(listed) => listed.visit(&blocks[part], |from| {
                    let number = group_of[from.source()];
                    number.is_none_or(|number| sweep.follow_from(from, &shared, number))
                }),
                Routes::Tables(tables) => {
                    let part = addresses
                        .chunks(WaysTogether::share(addresses.len()))
                        .nth(part);
                    let known_by = |address: &Address| {
                        (shared.destinations()[address.to].switch, address.number)
                    };
                    ways.as_mut().zip(part).is_none_or(|(ways, part)| {
                        ways.all_of(part, known_by, |ways, some| {
                            sweep.look_up(tables, &shared, ways, some)
                        })
                    })
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

/// An address, and the group of destinations that it is of.
#[derive(Clone, Copy, Debug)]
struct Address {
    number: usize,
    to: usize,
}

/// The addresses of all destinations, those together that the first source's packets go the same way to; `None`
/// where somebody sends to one that has none.
fn addresses(
    fabric: &Fabric,
    wiring: &Wiring,
    tables: &ForwardingTables,
    shared: &SharedRoutes<'_>,
) -> Option<Vec<Address>> {
    let mut all = Vec::new();
    for (to, group) in shared.destinations().iter().enumerate() {
        let own = tables.addresses(group.endpoint);
        if own.is_empty() && shared.to(to).next().is_some() {
            return None;
        }
        all.extend(own.map(|number| Address { number, to }));
    }
    let behind = |at, port| wiring.exit(at, port).behind?.switch();
    if let Some(first) = fabric.switches_with_hosts().next() {
        all.par_sort_by_cached_key(|address| tables.first_ports(first, address.number, behind));
    }
    Some(all)
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
    ends: HostEnds<'a>,
    plain: Option<PlainSteps>,
    /// Per switch and state of a packet there: the number of the walk that met it last.
    met: Vec<u64>,
    states: usize,
    /// Walks so far; in-transit stops part a route into several.
    walks: u64,
}

/// What the ways by tables to a few addresses come to.
struct Told<'s, 'a> {
    wiring: &'a Wiring,
    graph: &'s mut DependencyGraph<'a>,
    ends: &'s mut HostEnds<'a>,
    /// The hosts that the ways start from.
    sources: &'a [HostId],
    /// Per address: the hosts that they lead to.
    destinations: &'s [&'a [HostId]],
}

impl FollowsWays for Told<'_, '_> {
    type Channel = ChannelId;

    #[inline]
    fn behind(&self, at: SwitchId, port: PortNumber) -> Option<(ChannelId, SwitchId)> {
        let exit = self.wiring.exit(at, port);
        Some((exit.channel, exit.behind?.switch()?))
    }

    #[inline]
    fn start(&mut self, at: SwitchId, port: PortNumber, lane: Lane) {
        self.ends
            .start(self.graph, self.sources, (at, port), [lane; 2]);
    }

    #[inline]
    fn pass(&mut self, held: ChannelId, port: PortNumber, lane: Lane) {
        self.graph.add((held, lane), port, lane);
    }

    #[inline]
    fn end(&mut self, held: ChannelId, place: usize, lane: Lane) {
        let hosts = self.destinations[place];
        self.ends.end(self.graph, hosts, (held, lane), lane);
    }
}

impl<'a> Sweep<'a> {
    fn new(fabric: &'a Fabric, wiring: &'a Wiring, routes: &'a Routes) -> Self {
        let states = state_count(routes).unwrap_or(1);
        Self {
            fabric,
            wiring,
            routes,
            found: Walked::nothing(fabric, wiring, routes),
            ends: HostEnds::new(fabric, wiring, routes.lane_count()),
            plain: None,
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
        self.ends.take_in(other.ends);
        self
    }

    /// Follows the routes to some addresses by tables.
    fn look_up(
        &mut self,
        tables: &ForwardingTables,
        shared: &SharedRoutes<'a>,
        ways: &mut WaysTogether<'_>,
        addresses: &[Address],
    ) -> bool {
        let group = |address: &Address| shared.destinations()[address.to];
        let destinations: Vec<&[HostId]> = addresses.iter().map(|one| group(one).hosts).collect();
        let is_for_hosts = self.routes.granularity() == PairGranularity::Host;
        // Addresses that their own switch hands out as it should, and those that all send to.
        let (mut are_entered, mut are_first) = (0_u64, 0_u64);
        for (place, address) in addresses.iter().enumerate() {
            let to = group(address);
            let port = tables.next_port(to.switch, address.number);
            let is_entered = !is_for_hosts || port == Some(self.fabric.host_port(to.hosts[0]));
            let is_first = tables.addresses(to.endpoint).start == address.number;
            are_entered |= u64::from(is_entered) << place;
            are_first |= u64::from(is_first) << place;
        }
        let hosts_at = |some: u64| -> usize {
            let hosts = destinations.iter().enumerate();
            hosts
                .filter(|(place, _)| some >> place & 1 == 1)
                .map(|(_, hosts)| hosts.len())
                .sum()
        };
        let hosts_at_first = hosts_at(are_first);
        // Whether it is known without a look at the pair where a packet is sent, and on which lane.
        let are_plain = tables.sends_to_first_addresses() && self.routes.lane_count() == 1;
        let mut sent = vec![0_u64; self.routes.lane_count().into()];
        for (number, source) in shared.sources().iter().enumerate() {
            sent.fill(0);
            let here = ways.ending_at(source.switch);
            let looked_at = if are_plain { here } else { u64::MAX };
            if are_plain {
                sent[0] = are_first & !here;
                let hosts = hosts_at_first
                    - if here == 0 {
                        0
                    } else {
                        hosts_at(are_first & here)
                    };
                self.found.routes += u64::from(sent[0].count_ones());
                self.found.host_pairs += (source.hosts.len() * hosts) as u64;
            }
            let pairs = addresses.iter().enumerate();
            for (place, address) in pairs.filter(|(place, _)| looked_at >> place & 1 == 1) {
                let own = tables.addresses(group(address).endpoint);
                for route in shared.between(number, address.to) {
                    let (sent_to, lane) = self.routes.start_of(&route);
                    if sent_to == Some(address.number) {
                        self.found.count(&route);
                        sent[lane.index()] |= 1 << place;
                        if here >> place & 1 == 1 {
                            let (_, route) = without_itself(route);
                            let hosts = [route.sources, route.destinations];
                            self.ends.join(&mut self.found.graph, hosts, [lane; 2]);
                        }
                    } else if sent_to.is_none_or(|sent_to| !own.contains(&sent_to)) {
                        return false;
                    }
                }
            }
            let mut told = Told {
                wiring: self.wiring,
                graph: &mut self.found.graph,
                ends: &mut self.ends,
                sources: source.hosts,
                destinations: &destinations,
            };
            for (&sent, lane) in sent.iter().zip((0..).map(Lane::new)) {
                let is_good = sent & !are_entered == 0
                    && ways.follow(source.switch, lane, sent & !here, &mut told);
                if !is_good {
                    return false;
                }
            }
        }
        true
    }

    /// Follows the routes from a group of hosts.
    fn follow_from(
        &mut self,
        routes: RoutesFrom<'_>,
        shared: &SharedRoutes<'a>,
        number: usize,
    ) -> bool {
        let source = shared.sources()[number];
        let are_plain = self.routes.lane_count() == 1 && routes.are_held_on_one_lane();
        for (place, to) in shared.destinations().iter().enumerate() {
            let ends = [source.switch, to.switch];
            if are_plain && ends[0] != ends[1] {
                let plain = self
                    .plain
                    .get_or_insert_with(|| PlainSteps::new(self.fabric));
                if let Some(last) = plain.follow(routes, to.endpoint, ends) {
                    let held = (plain.channel(last), Lane::ZERO);
                    self.found.routes += 1;
                    self.found.host_pairs += (source.hosts.len() * to.hosts.len()) as u64;
                    let graph = &mut self.found.graph;
                    self.ends.end(graph, to.hosts, held, Lane::ZERO);
                    continue;
                }
            }
            let mut between = shared.between(number, place);
            if !between.all(|route| self.follow(routes.steps_to(to.endpoint), &route, None)) {
                return false;
            }
        }
        let plain = self.plain.as_mut();
        for port in plain.map_or_else(Vec::new, PlainSteps::take_first_ports) {
            let (graph, exit) = (&mut self.found.graph, (source.switch, port));
            self.ends.start(graph, source.hosts, exit, [Lane::ZERO; 2]);
        }
        true
    }

    /// Follows a source route; where a rule gives it, up to where that is known since so many walks, all to
    /// the same destination.
    fn follow(
        &mut self,
        mut steps: Steps<'_>,
        route: &SharedRoute<'a>,
        known_after: Option<u64>,
    ) -> bool {
        self.found.count(route);
        let (destination, route) = &without_itself(*route);
        let end = self.fabric.host_switch(*destination);
        let shift = self.routes.lane_shift(route.turn);
        let mut at = self.fabric.host_switch(route.sources[0]);
        let (mut held, mut is_injected): (Option<(ChannelId, Lane)>, bool) = (None, false);
        self.walks += 1;
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
                None => {
                    let graph = &mut self.found.graph;
                    self.ends.start(graph, route.sources, (at, port), [lane; 2]);
                }
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
        let graph = &mut self.found.graph;
        if let Some(held) = held {
            self.ends.end(graph, route.destinations, held, held.1);
        } else {
            let hosts = [route.sources, route.destinations];
            self.ends.join(graph, hosts, [Lane::new(shift); 2]);
        }
        true
    }

    /// Adds what was noted on the way.
    fn end(&mut self) {
        if let Some(plain) = self.plain.take() {
            plain.add_to(&mut self.found.graph);
        }
    }

    /// Adds the dependencies of hosts that share routes.
    fn finish(mut self) -> Walked<'a> {
        self.ends.finish(&mut self.found.graph);
        self.found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

    use super::sweep;
    use crate::walk::walk_all;
    use crate::wiring::Wiring;
    use proptest::prelude::*;
    use std::num::NonZeroU8;
    use weft_fabric::generate::{k_ary_n_tree, mesh_of, torus_of};
    use weft_fabric::{Fabric, PortNumber, SwitchId};
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

        /// 125 hosts, more than are followed together, and what is wrong is seen.
        #[test]
        fn tables_with_some_entries_changed_come_to_the_same(
            entries in proptest::collection::vec((0_usize..75, 0_usize..125, 0_u8..14), 0..3),
        ) {
            let fabric = k_ary_n_tree(5, 3).unwrap();
            let Routes::Tables(mut tables) = route_spec(&fabric, "d_mod_k").unwrap().routes else {
                panic!("by tables");
            };
            for (switch, address, port) in entries {
                tables.set_next_port(SwitchId::from_index(switch), address, PortNumber::new(port));
            }
            assert_told_alike(&fabric, &tables.into());
        }
    }

    #[test]
    fn routes_of_regular_fabrics_come_to_the_same_at_once_as_one_by_one() {
        all_are_told_alike(&torus_of(&[4, 3], 2).unwrap());
        all_are_told_alike(&mesh_of(&[3, 2, 2], 1).unwrap());
        all_are_told_alike(&k_ary_n_tree(2, 3).unwrap());
    }
}
