//! Verdicts on random fabrics and routes, beside those of a plain walk and petgraph's Tarjan.

#![allow(clippy::unwrap_used, reason = "a test may stop at what cannot happen")]

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use support::{fabrics, host_pairs};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_proof::{Certificate, CertificateError, Verdict, check_certificate, verify};
use weft_routing::RoutingError;
use weft_routing::algorithms::{ALGORITHMS, route_spec};
use weft_routing::{PairGranularity, RouteRow, SourceRoutes};

#[path = "../../weft-routing/tests/support/mod.rs"]
mod support;

/// What a plain walk over all pairs of hosts finds.
#[derive(Default)]
struct Plain {
    arcs: BTreeSet<(ChannelId, ChannelId)>,
    unreached: BTreeSet<(HostId, HostId)>,
    looping: BTreeSet<(HostId, HostId)>,
}

fn walk_plainly(fabric: &Fabric, routes: &SourceRoutes) -> Plain {
    let mut plain = Plain::default();
    for (source, destination) in host_pairs(fabric) {
        let mut held = fabric.injection_channel(source);
        let mut met = BTreeSet::from([fabric.target(held).node]);
        let mut arrives = true;
        for &port in routes.steps(fabric, source, destination) {
            let Node::Switch(here) = fabric.target(held).node else {
                unreachable!()
            };
            let Some(wanted) = fabric.outgoing_at(here, port) else {
                arrives = false;
                break;
            };
            plain.arcs.insert((held, wanted));
            held = wanted;
            if let Node::Host(host) = fabric.target(wanted).node {
                held = fabric.injection_channel(host);
                met.clear();
            }
            if !met.insert(fabric.target(held).node) {
                plain.looping.insert((source, destination));
            }
        }
        if arrives && fabric.target(held).node == Node::Switch(fabric.host_switch(destination)) {
            plain
                .arcs
                .insert((held, fabric.ejection_channel(destination)));
        } else {
            plain.unreached.insert((source, destination));
        }
    }
    plain
}

/// Length of the shortest cycle, by a search from every vertex; `None` without one.
fn shortest_cycle(arcs: &BTreeSet<(ChannelId, ChannelId)>) -> Option<usize> {
    let graph = DiGraphMap::<ChannelId, ()>::from_edges(arcs);
    let back_to = |start: ChannelId| {
        let mut depth = BTreeMap::from([(start, 0)]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for next in graph.neighbors(at) {
                if next == start {
                    return Some(depth[&at] + 1);
                }
                if !depth.contains_key(&next) {
                    depth.insert(next, depth[&at] + 1);
                    queue.push_back(next);
                }
            }
        }
        None
    };
    graph.nodes().filter_map(back_to).min()
}

/// Whether some channels lie on a cycle, by petgraph.
fn has_cycle(arcs: &BTreeSet<(ChannelId, ChannelId)>) -> bool {
    let graph = DiGraphMap::<ChannelId, ()>::from_edges(arcs);
    tarjan_scc(&graph).iter().any(|part| part.len() > 1) || arcs.iter().any(|(a, b)| a == b)
}

fn check_against_plain_walk(fabric: &Fabric, routes: &SourceRoutes) -> Result<(), TestCaseError> {
    let plain = walk_plainly(fabric, routes);
    let proof = verify(fabric, routes).unwrap();
    prop_assert_eq!(proof.host_pairs, host_pairs(fabric).len() as u64);
    match &proof.verdict {
        Verdict::Unreachable(pairs) => {
            prop_assert!(!plain.unreached.is_empty());
            for pair in pairs {
                prop_assert!(plain.unreached.contains(&(pair.source, pair.destination)));
            }
            if routes.granularity() == PairGranularity::Host {
                prop_assert_eq!(pairs.len(), plain.unreached.len());
            }
        }
        Verdict::Loop(route) => {
            prop_assert!(plain.unreached.is_empty());
            prop_assert!(plain.looping.contains(&(route.source, route.destination)));
        }
        Verdict::Deadlock(cycle) => {
            prop_assert!(plain.unreached.is_empty() && plain.looping.is_empty());
            prop_assert!(has_cycle(&plain.arcs));
            prop_assert_eq!(Some(cycle.dependencies.len()), shortest_cycle(&plain.arcs));
            let mut following = cycle.dependencies.iter().cycle().skip(1);
            for dependency in &cycle.dependencies {
                prop_assert_eq!(dependency.wanted, following.next().unwrap().held);
                let one_route =
                    only_route(fabric, routes, dependency.source, dependency.destination);
                prop_assert!(one_route.contains(&(dependency.held, dependency.wanted)));
            }
            prop_assert_eq!(proof.dependencies, plain.arcs.len() as u64);
        }
        Verdict::DeadlockFree(certificate) => {
            prop_assert!(plain.unreached.is_empty() && plain.looping.is_empty());
            prop_assert!(!has_cycle(&plain.arcs));
            prop_assert_eq!(proof.dependencies, plain.arcs.len() as u64);
            prop_assert_eq!(check_certificate(fabric, routes, certificate), Ok(()));
            corrupt(fabric, routes, certificate, &plain)?;
        }
    }
    Ok(())
}

/// Each single dependency that is turned round must be found.
fn corrupt(
    fabric: &Fabric,
    routes: &SourceRoutes,
    certificate: &Certificate,
    plain: &Plain,
) -> Result<(), TestCaseError> {
    for &(held, wanted) in &plain.arcs {
        for rank in [certificate.rank[wanted.index()], u32::MAX] {
            let mut wrong = certificate.clone();
            wrong.rank[held.index()] = rank;
            let refused = check_certificate(fabric, routes, &wrong);
            prop_assert!(
                matches!(refused, Err(CertificateError::NotAscending { .. })),
                "{:?}",
                refused
            );
        }
    }
    Ok(())
}

/// The dependencies of a single route.
fn only_route(
    fabric: &Fabric,
    routes: &SourceRoutes,
    source: HostId,
    destination: HostId,
) -> BTreeSet<(ChannelId, ChannelId)> {
    let mut arcs = BTreeSet::new();
    let mut held = fabric.injection_channel(source);
    for &port in routes.steps(fabric, source, destination) {
        let Node::Switch(here) = fabric.target(held).node else {
            unreachable!()
        };
        let wanted = fabric.outgoing_at(here, port).unwrap();
        arcs.insert((held, wanted));
        held = match fabric.target(wanted).node {
            Node::Host(host) => fabric.injection_channel(host),
            Node::Switch(_) => wanted,
        };
    }
    arcs
}

/// Routes that wander: most by way of a random switch, some with stops, a few broken.
fn wander(
    fabric: &Fabric,
    granularity: PairGranularity,
    draws: &[(prop::sample::Index, u8)],
) -> SourceRoutes {
    let count = match granularity {
        PairGranularity::Switch => fabric.switch_count(),
        PairGranularity::Host => fabric.host_count(),
    };
    let minimal = route_spec(fabric, "minimal:per=switch,seed=7")
        .unwrap()
        .routes;
    let switch_of = |index: usize| match granularity {
        PairGranularity::Switch => index,
        PairGranularity::Host => fabric.host_switch(HostId::from_index(index)).index(),
    };
    let with_hosts: Vec<usize> = fabric
        .switch_ids()
        .filter(|&switch| !fabric.hosts_of(switch).is_empty())
        .map(SwitchId::index)
        .collect();
    let mut rows = vec![RouteRow::default(); count];
    let mut draw = draws.iter().cycle();
    for (source, row) in rows.iter_mut().enumerate() {
        for destination in 0..count {
            let [from, to] = [source, destination].map(switch_of);
            let (via, kind) = draw.next().unwrap();
            let via = with_hosts[via.index(with_hosts.len())];
            let mut ports: Vec<PortNumber> = Vec::new();
            let usable = [from, to].iter().all(|switch| with_hosts.contains(switch));
            if usable && from != to {
                match kind {
                    0..=1 => {
                        ports.extend(minimal.steps_between(from, via));
                        if *kind == 0 {
                            let host = fabric.hosts_of(SwitchId::from_index(via))[0];
                            ports.push(fabric.host_port(host));
                        }
                        ports.extend(minimal.steps_between(via, to));
                    }
                    2..=29 => ports.extend(minimal.steps_between(from, to)),
                    _ => ports.push(PortNumber::new(200)),
                }
            }
            row.push(ports);
        }
    }
    SourceRoutes::from_rows(granularity, &rows).unwrap()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn algorithms_that_promise_it_are_deadlock_free(
        fabric in fabrics(0), seed in any::<u64>(), per in prop::sample::select(vec!["host", "switch"]),
    ) {
        for algorithm in ALGORITHMS {
            let spec = format!("{}:seed={seed},per={per}", algorithm.name);
            let routes = route_spec(&fabric, &spec).unwrap().routes;
            check_against_plain_walk(&fabric, &routes)?;
            let proof = verify(&fabric, &routes).unwrap();
            if algorithm.name == "minimal" {
                prop_assert!(matches!(proof.verdict.word(), "deadlock" | "deadlock-free"));
            } else {
                prop_assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
            }
        }
    }

    #[test]
    fn several_roots_found_join_all_hosts_free_of_deadlock_or_are_refused(
        fabric in fabrics(0), rule in prop::sample::select(vec!["tops", "opensm", "0+1"]),
    ) {
        for name in ["updown", "simple_routes", "ud_itb"] {
            match route_spec(&fabric, &format!("{name}:root={rule}")) {
                Ok(routing) => {
                    let proof = verify(&fabric, &routing.routes).unwrap();
                    prop_assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
                    let hosts = fabric.host_count() as u64;
                    prop_assert_eq!(proof.host_pairs, hosts * (hosts - 1));
                }
                Err(RoutingError::NoRootFound { .. }) => prop_assert_ne!(rule, "0+1"),
                Err(RoutingError::RootsUnjoined { .. }) => prop_assert_eq!(rule, "0+1"),
                Err(RoutingError::InvalidValue { .. }) => {
                    prop_assert!(rule == "0+1" && fabric.switch_count() == 1);
                }
                Err(other) => prop_assert!(false, "{other}"),
            }
        }
    }

    #[test]
    fn verdicts_on_wandering_routes_agree_with_a_plain_walk(
        fabric in fabrics(0),
        draws in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..=30), 1..60),
        per_switch in any::<bool>(),
    ) {
        let granularity =
            if per_switch { PairGranularity::Switch } else { PairGranularity::Host };
        check_against_plain_walk(&fabric, &wander(&fabric, granularity, &draws))?;
    }

    #[test]
    fn shared_routes_get_the_verdict_of_separate_ones(fabric in fabrics(0)) {
        for name in ["minimal", "updown"] {
            let [shared, separate] = ["switch", "host"].map(|per| {
                let spec = format!("{name}:selection=first,per={per}");
                verify(&fabric, &route_spec(&fabric, &spec).unwrap().routes).unwrap()
            });
            prop_assert_eq!(shared.verdict.word(), separate.verdict.word());
            prop_assert_eq!(shared.dependencies, separate.dependencies);
            prop_assert_eq!(shared.host_pairs, separate.host_pairs);
        }
    }
}
