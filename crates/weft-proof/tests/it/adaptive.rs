//! Verdicts where packets choose on their way: by hand, and beside petgraph's Tarjan.

use super::properties::Place;
use super::proved::{
    assert_not_ascending, certificate_of, cycle_of, dead_end_of, loop_of, unreached_of,
};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::num::NonZeroU8;
use weft_fabric::generate::{mesh, ring, torus};
use weft_fabric::{ChannelId, Fabric, Node, SwitchId, metrics};
use weft_proof::{
    Certificate, CertificateError, RestsOn, Verdict, check_adaptive_certificate, verify_adaptive,
};
use weft_routing::algorithms::{ADAPTIVE, Deadlock, route_adaptive_spec};
use weft_routing::{
    AdaptiveRoutes, AdaptiveTables, DeadEnd, Detour, ForwardingTables, Lane, PairGranularity,
    Routes, RoutingError, TwoPhaseRoutes,
};
use weft_testing::{assert_has, fabric_of, fabrics, port_to, route_spec, tables_of};

const ONE: NonZeroU8 = NonZeroU8::MIN;

/// Ports to all neighbours that are nearer to the destination, on one lane.
fn any_nearer(fabric: &Fabric) -> AdaptiveTables {
    let links = |to| metrics::distances_from(fabric, to);
    let distances: Vec<Vec<u32>> = fabric.switch_ids().map(links).collect();
    AdaptiveTables::new(fabric.switch_count(), ONE, |here, to| {
        let links = &distances[to.index()];
        let hops = fabric.hops(here).iter();
        let nearer = hops.filter(move |hop| links[hop.switch.index()] < links[here.index()]);
        nearer.map(|hop| hop.port).collect::<Vec<_>>()
    })
}

/// Tables that name the next switch for each switch and destination; none where it is the same.
fn tables(fabric: &Fabric, next: impl Fn(usize, usize) -> usize) -> ForwardingTables {
    let count = fabric.switch_count();
    let mut tables = ForwardingTables::new(PairGranularity::Switch, count, &vec![1; count]);
    for from in 0..count {
        for to in (0..count).filter(|&to| to != from && next(from, to) != from) {
            let port = port_to(fabric, from, next(from, to));
            tables.set_next_port(SwitchId::from_index(from), to, port);
        }
    }
    tables
}

/// Tables by the first port of a shortest way, whose channels may form a cycle, or by an algorithm.
fn escape_of(fabric: &Fabric, name: &str) -> ForwardingTables {
    if name != "shortest" {
        return tables_of(fabric, name);
    }
    let nearer = any_nearer(fabric);
    let count = fabric.switch_count();
    let mut tables = ForwardingTables::new(PairGranularity::Switch, count, &vec![1; count]);
    for from in fabric.switch_ids() {
        for to in fabric.switch_ids() {
            if let Some(&port) = nearer.ports(from, to).first() {
                tables.set_next_port(from, to.index(), port);
            }
        }
    }
    tables
}

/// The wait-for graph by a plain search of all that packets of each pair of switches may do.
pub(crate) fn plain_graph(fabric: &Fabric, tables: &AdaptiveTables) -> BTreeSet<(Place, Place)> {
    let mut arcs = BTreeSet::new();
    let to_switches = fabric.switches_with_hosts();
    for to in to_switches {
        let mut seen = BTreeSet::new();
        let mut open: Vec<(ChannelId, Lane, bool)> = Vec::new();
        for host in fabric.host_ids() {
            let lanes = (0..tables.lane_count()).map(Lane::new);
            open.extend(lanes.map(|lane| (fabric.injection_channel(host), lane, false)));
        }
        while let Some((channel, lane, on_escape)) = open.pop() {
            let here = fabric.target(channel).node.switch().unwrap();
            if !seen.insert((channel, lane)) {
                continue;
            }
            if here == to {
                for &host in fabric.hosts_of(to) {
                    let ejection = fabric.ejection_channel(host);
                    if ejection.reverse() != channel {
                        arcs.insert(((channel, lane), (ejection, lane)));
                    }
                }
                continue;
            }
            let leave = |port| fabric.outgoing_at(here, port).unwrap();
            if let Some(port) = tables.escape_port(here, to) {
                arcs.insert(((channel, lane), (leave(port), Lane::ZERO)));
                open.push((leave(port), Lane::ZERO, true));
            }
            for &port in tables.ports(here, to).iter().filter(|_| !on_escape) {
                for next in tables.adaptive_lanes().map(Lane::new) {
                    if !tables.has_escape() {
                        arcs.insert(((channel, lane), (leave(port), next)));
                    }
                    open.push((leave(port), next, false));
                }
            }
        }
    }
    arcs
}

/// The same where packets go by way of a switch: every route in both phases, and at its end in the first
/// every beginning in the second.
pub(crate) fn plain_phases(fabric: &Fabric, routes: &TwoPhaseRoutes) -> BTreeSet<(Place, Place)> {
    let mut arcs = BTreeSet::new();
    let lanes = || (0..routes.lane_count()).map(Lane::new);
    let places = |[from, to]: [SwitchId; 2], phase| -> Vec<Place> {
        let mut here = from;
        (0..routes.links([from, to]))
            .map(|step| {
                let (port, lane) = routes.step([from, to], phase, step).unwrap();
                let channel = fabric.outgoing_at(here, port).unwrap();
                here = fabric.target(channel).node.switch().unwrap();
                (channel, lane)
            })
            .collect()
    };
    let with_hosts: Vec<SwitchId> = fabric.switches_with_hosts().collect();
    for &from in &with_hosts {
        for &host in fabric.hosts_of(from) {
            let others = fabric.hosts_of(from).iter().filter(|&&other| other != host);
            for &other in others {
                let ends = [
                    fabric.injection_channel(host),
                    fabric.ejection_channel(other),
                ];
                arcs.extend(lanes().map(|lane| ((ends[0], lane), (ends[1], lane))));
            }
        }
        for &to in with_hosts.iter().filter(|&&to| to != from) {
            for phase in [0, 1] {
                let way = places([from, to], phase);
                arcs.extend(way.windows(2).map(|two| (two[0], two[1])));
                for &host in fabric.hosts_of(from) {
                    let held = lanes().map(|lane| (fabric.injection_channel(host), lane));
                    arcs.extend(held.map(|held| (held, way[0])));
                }
                let last = way[way.len() - 1];
                if phase == 0 {
                    let on = with_hosts.iter().filter(|&&end| end != to);
                    arcs.extend(on.map(|&end| (last, places([to, end], 1)[0])));
                } else {
                    let hosts = fabric.hosts_of(to).iter();
                    arcs.extend(hosts.map(|&host| (last, (fabric.ejection_channel(host), last.1))));
                }
            }
        }
    }
    arcs
}

fn assert_certified(fabric: &Fabric, routes: &AdaptiveRoutes) {
    let proof = verify_adaptive(fabric, routes).unwrap();
    let certificate = certificate_of(fabric, &proof);
    check_adaptive_certificate(fabric, routes, certificate).unwrap();
    // A rank that is needed: without it the certificate does not hold.
    let highest = *certificate.rank.iter().max().unwrap();
    let mut flat = certificate.clone();
    flat.rank.fill(highest);
    assert_not_ascending(&check_adaptive_certificate(fabric, routes, &flat));
}

/// Around a ring shortest ways close a cycle one way round, of as many channels as switches.
#[test]
fn any_shortest_way_around_a_ring_without_an_escape_is_refused_with_its_cycle() {
    let ring = ring(5, 1).unwrap();
    let routes = AdaptiveRoutes::Tables(any_nearer(&ring));
    let proof = verify_adaptive(&ring, &routes).unwrap();
    let cycle = cycle_of(&ring, &proof);
    assert_eq!(cycle.dependencies.len(), 5);
    let nexts = cycle.dependencies.iter().cycle().skip(1);
    for (dependency, next) in cycle.dependencies.iter().zip(nexts) {
        assert_eq!(
            (dependency.wanted, dependency.wanted_lane),
            (next.held, next.held_lane)
        );
        // Two links from the source's switch: that which is held, and that which is wanted.
        assert_eq!(dependency.nodes.len(), 3);
    }
    let text = proof.describe(&ring);
    assert!(
        text.starts_with("not proved deadlock-free: packets of 20 host pairs"),
        "{text}"
    );
    assert_has(
        &text,
        "  sw0[2] → sw1[3]  by host0 → host2 (by way of sw0, sw1, sw2)",
    );
}

#[test]
fn the_same_ways_with_tables_that_do_not_close_the_ring_as_an_escape_are_proved() {
    let ring = ring(5, 1).unwrap();
    // Along the line 0, 1, 2, 3, 4, never by the link that closes it.
    let line = tables(
        &ring,
        |from, to| if to > from { from + 1 } else { from - 1 },
    );
    let routes = AdaptiveRoutes::Tables(any_nearer(&ring).with_escape(line));
    assert_certified(&ring, &routes);
}

#[test]
fn an_escape_that_goes_round_is_refused_with_the_cycle_on_its_lane() {
    let ring = ring(5, 1).unwrap();
    let round = tables(&ring, |from, _| (from + 1) % 5);
    let routes = AdaptiveRoutes::Tables(any_nearer(&ring).with_escape(round));
    let proof = verify_adaptive(&ring, &routes).unwrap();
    let cycle = cycle_of(&ring, &proof);
    assert_eq!(cycle.dependencies.len(), 5);
    for dependency in &cycle.dependencies {
        assert_eq!(dependency.held_lane, AdaptiveTables::ESCAPE_LANE);
    }
}

/// Asserts that packets to switch 2 of a line of three are told to end at a switch whose escape has no
/// entry for it.
fn assert_packets_end_without_an_escape_from(end: usize, line: &Fabric) {
    let next = |from: usize, to: usize| match (from, to) {
        (from, 2) if from == end => from,
        _ if to > from => from + 1,
        _ => from - 1,
    };
    let routes = AdaptiveRoutes::Tables(any_nearer(line).with_escape(tables(line, next)));
    let proof = verify_adaptive(line, &routes).unwrap();
    let pairs = unreached_of(line, &proof);
    assert_eq!(pairs.len(), 1);
    assert_eq!(dead_end_of(&pairs[0]), (end, DeadEnd::NoEntry));
}

#[test]
fn an_escape_without_an_entry_and_ports_that_lead_elsewhere_are_told() {
    let line = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    assert_packets_end_without_an_escape_from(1, &line);

    let host_port = line.host_port(weft_fabric::HostId::from_index(1));
    let astray = AdaptiveTables::new(3, ONE, |here, to| {
        let index = |switch: SwitchId| switch.index();
        match (index(here), index(to)) {
            (1, 2) => vec![host_port],
            (from, to) if to > from => vec![port_to(&line, from, from + 1)],
            (from, to) if to < from => vec![port_to(&line, from, from - 1)],
            _ => vec![],
        }
    });
    let routes = AdaptiveRoutes::Tables(astray);
    let proof = verify_adaptive(&line, &routes).unwrap();
    let (_, dead_end) = dead_end_of(&unreached_of(&line, &proof)[0]);
    assert!(matches!(dead_end, DeadEnd::OtherHost(_)));
}

/// Packets for switch 2 may go to and fro between switches 0 and 1 as long as they choose to.
#[test]
fn ways_without_an_end_are_told() {
    let triangle = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]);
    let all = AdaptiveTables::new(3, ONE, |here, to| {
        let others = (0..3).filter(|&next| next != here.index() && here != to);
        let ports = others.map(|next| port_to(&triangle, here.index(), next));
        ports.collect::<Vec<_>>()
    });
    let direct = tables(&triangle, |_, to| to);
    let routes = AdaptiveRoutes::Tables(all.with_escape(direct));
    let proof = verify_adaptive(&triangle, &routes).unwrap();
    let found = loop_of(&triangle, &proof);
    assert_eq!(found.nodes.last(), Some(&Node::Switch(found.switch)));
    let visits = found
        .nodes
        .iter()
        .filter(|&&node| node == Node::Switch(found.switch));
    assert_eq!(visits.count(), 2);
}

/// The same, checked against ranks that all of it ascends: hosts' channels, adaptive lane, escape, hosts.
#[test]
fn ways_without_an_end_are_refused_whatever_their_ranks() {
    let triangle = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2), (2, 0)]);
    let any = |may_wander: bool| {
        let ports = |here: SwitchId, to: SwitchId| {
            let others = (0..3).filter(|&next| next != here.index());
            let others = others.filter(|&next| {
                if may_wander {
                    next != to.index()
                } else {
                    next == to.index()
                }
            });
            let ports = others.map(|next| port_to(&triangle, here.index(), next));
            ports.collect::<Vec<_>>()
        };
        let direct = tables(&triangle, |_, to| to);
        AdaptiveRoutes::Tables(AdaptiveTables::new(3, ONE, ports).with_escape(direct))
    };
    let lane_count = any(true).lane_count();
    let rank = triangle.channel_ids().flat_map(|channel| {
        let lanes = (0..lane_count).map(Lane::new);
        let triangle = &triangle;
        lanes.map(move |lane| {
            let ends = [triangle.source(channel).node, triangle.target(channel).node];
            match ends {
                [Node::Host(_), _] => 0,
                [_, Node::Host(_)] => 3,
                _ => 1 + u32::from(lane == AdaptiveTables::ESCAPE_LANE),
            }
        })
    });
    let certificate = Certificate {
        lane_count,
        rank: rank.collect(),
    };
    let check =
        |routes: &AdaptiveRoutes| check_adaptive_certificate(&triangle, routes, &certificate);
    assert_eq!(check(&any(false)), Ok(RestsOn::OneWay));
    let checked = check(&any(true));
    assert!(
        matches!(checked, Err(CertificateError::NotReached { .. })),
        "{checked:?}"
    );
}

/// From switch 0 packets to 2 may go on by 1, which leads on; but where they cannot, nothing is left.
#[test]
fn packets_that_have_a_way_but_no_escape_are_told() {
    let line = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    assert_packets_end_without_an_escape_from(0, &line);
}

#[test]
fn two_phases_are_as_safe_as_the_routes_they_take() {
    let torus = torus(4, 4, 2).unwrap();
    for (spec, lanes) in [("valiant", 4), ("ugal", 4), ("valiant:minimal=lash", 2)] {
        let routing = route_adaptive_spec(&torus, spec).unwrap();
        assert_certified(&torus, &routing.routes);
        assert_eq!(routing.routes.lane_count(), lanes, "{spec}");
    }
    let mesh = mesh(4, 3, 1).unwrap();
    let routing = route_adaptive_spec(&mesh, "valiant").unwrap();
    assert_eq!(routing.routes.lane_count(), 2);
    assert_certified(&mesh, &routing.routes);

    let Routes::Source(minimal) = route_spec(&torus, "minimal:per=switch").unwrap().routes else {
        panic!("its routes are lists");
    };
    let routes = TwoPhaseRoutes::new(&torus, minimal, Detour::Always, 1).unwrap();
    let proof = verify_adaptive(&torus, &AdaptiveRoutes::TwoPhase(routes)).unwrap();
    let cycle = cycle_of(&torus, &proof);
    assert_eq!(cycle.dependencies.len(), 4);
    let lanes: BTreeSet<Lane> = cycle.dependencies.iter().map(|d| d.held_lane).collect();
    assert_eq!(lanes.len(), 1, "a cycle stays in its phase");
}

#[test]
fn routes_of_another_fabric_are_refused() {
    let routing = route_adaptive_spec(&ring(5, 1).unwrap(), "minimal_adaptive").unwrap();
    let other = ring(6, 1).unwrap();
    let error = verify_adaptive(&other, &routing.routes)
        .unwrap_err()
        .to_string();
    assert_has(&error, "between 5 switches");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn adaptive_algorithms_are_deadlock_free(fabric in fabrics(0), seed in any::<u64>(), lanes in 2_u8..5) {
        for algorithm in ADAPTIVE {
            let spec = match algorithm.name {
                "minimal_adaptive" => format!("minimal_adaptive:seed={seed},lanes={lanes}"),
                "ar_updn" => format!("ar_updn:seed={seed},root=min_average"),
                "ar_ftree" | "omniwar" | "dfp" => algorithm.name.to_owned(),
                "adaptive" => format!("adaptive:of=best:lanes={lanes},seed={seed}"),
                name => format!("{name}:seed={seed}"),
            };
            let routing = match route_adaptive_spec(&fabric, &spec) {
                Err(
                    RoutingError::TooFewLanes { .. }
                    | RoutingError::NoFatTree { .. }
                    | RoutingError::NoJoinedLines { .. }
                    | RoutingError::NoJoinedGroups { .. },
                ) => continue,
                routing => routing.unwrap(),
            };
            if algorithm.deadlock == Deadlock::PerFabric {
                verify_adaptive(&fabric, &routing.routes).unwrap();
                continue;
            }
            let proof = verify_adaptive(&fabric, &routing.routes).unwrap();
            let certificate = certificate_of(&fabric, &proof);
            let checked = check_adaptive_certificate(&fabric, &routing.routes, certificate);
            prop_assert!(checked.is_ok(), "{checked:?}");
            if let AdaptiveRoutes::Tables(tables) = &routing.routes {
                prop_assert_eq!(tables.lane_count(), lanes);
                prop_assert_eq!(proof.dependencies, plain_graph(&fabric, tables).len() as u64);
            }
        }
    }

    /// Escapes by tables of any algorithm, or none: the verdict is that of the plain graph's cycles.
    #[test]
    fn verdicts_on_any_escape_agree_with_tarjan(
        fabric in fabrics(0), escape in prop::sample::select(vec!["shortest", "down_preferred:per=switch", ""]),
    ) {
        let mut tables = any_nearer(&fabric);
        if !escape.is_empty() {
            tables = tables.with_escape(escape_of(&fabric, escape));
        }
        let graph: DiGraphMap<(ChannelId, Lane), ()> =
            DiGraphMap::from_edges(plain_graph(&fabric, &tables));
        let is_acyclic = tarjan_scc(&graph).iter().all(|component| component.len() == 1);
        let routes = AdaptiveRoutes::Tables(tables);
        let proof = verify_adaptive(&fabric, &routes).unwrap();
        prop_assert_eq!(proof.dependencies, graph.edge_count() as u64);
        prop_assert_eq!(proof.is_deadlock_free(), is_acyclic, "{}", proof.describe(&fabric));
        if let Verdict::Deadlock(cycle) = &proof.verdict {
            for dependency in &cycle.dependencies {
                let held = (dependency.held, dependency.held_lane);
                let wanted = (dependency.wanted, dependency.wanted_lane);
                prop_assert!(graph.contains_edge(held, wanted));
            }
        }
    }
}
