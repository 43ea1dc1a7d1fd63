//! Verdicts on random fabrics and routes, beside those of a plain walk and petgraph's Tarjan.

use super::proved::assert_not_ascending;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_proof::{Certificate, CertificateError, Verdict, check_certificate, verify};
use weft_registry::RegistryError;
use weft_routing::RoutingError;
use weft_routing::algorithms::{ALGORITHMS, Deadlock};
use weft_routing::{ForwardingTables, Lane, PairGranularity, RouteRow, Routes, SourceRoutes};
use weft_testing::{
    cases, fabrics, host_pairs, plain_end_lanes, plain_steps, route_or_refusal, route_spec,
};

/// A channel and its lane.
pub(crate) type Place = (ChannelId, Lane);

/// What a plain walk over all pairs of hosts finds.
#[derive(Default)]
struct Plain {
    arcs: BTreeSet<(Place, Place)>,
    unreached: BTreeSet<(HostId, HostId)>,
    looping: BTreeSet<(HostId, HostId)>,
}

fn walk_plainly(fabric: &Fabric, routes: &Routes) -> Plain {
    let mut plain = Plain::default();
    for (source, destination) in host_pairs(fabric) {
        let steps = plain_steps(fabric, routes, source, destination);
        let [first_lane, last_lane] = plain_end_lanes(fabric, routes, source, destination);
        let mut held = (fabric.injection_channel(source), first_lane);
        let mut met = BTreeSet::from([fabric.target(held.0).node]);
        let (mut arrives, mut circles) = (true, false);
        for (place, &(port, lane)) in steps.iter().enumerate() {
            let here = fabric.target(held.0).node.switch().unwrap();
            let Some(wanted) = fabric.outgoing_at(here, port) else {
                arrives = false;
                break;
            };
            if let (Node::Host(_), Routes::Tables(_)) = (fabric.target(wanted).node, routes) {
                arrives = false;
                break;
            }
            plain.arcs.insert((held, (wanted, lane)));
            held = (wanted, lane);
            if let Node::Host(host) = fabric.target(wanted).node {
                let next_lane = steps.get(place + 1).map_or(lane, |step| step.1);
                held = (fabric.injection_channel(host), next_lane);
                met.clear();
            }
            if !met.insert(fabric.target(held.0).node) {
                plain.looping.insert((source, destination));
                circles = true;
            }
        }
        let end = Node::Switch(fabric.host_switch(destination));
        if arrives && fabric.target(held.0).node == end {
            plain
                .arcs
                .insert((held, (fabric.ejection_channel(destination), last_lane)));
        } else if !(circles && arrives && matches!(routes, Routes::Tables(_))) {
            plain.unreached.insert((source, destination));
        }
    }
    plain
}

/// Length of the shortest cycle, by a search from every vertex; `None` without one.
fn shortest_cycle(arcs: &BTreeSet<(Place, Place)>) -> Option<usize> {
    let graph = DiGraphMap::<Place, ()>::from_edges(arcs);
    let back_to = |start: Place| {
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
fn has_cycle(arcs: &BTreeSet<(Place, Place)>) -> bool {
    let graph = DiGraphMap::<Place, ()>::from_edges(arcs);
    tarjan_scc(&graph).iter().any(|part| part.len() > 1) || arcs.iter().any(|(a, b)| a == b)
}

pub(crate) fn check_against_plain_walk(
    fabric: &Fabric,
    routes: &Routes,
) -> Result<(), TestCaseError> {
    let plain = walk_plainly(fabric, routes);
    let proof = verify(fabric, routes).unwrap();
    prop_assert_eq!(proof.host_pairs, host_pairs(fabric).len() as u64);
    match &proof.verdict {
        Verdict::Unreachable(pairs) => {
            prop_assert!(!plain.unreached.is_empty());
            for pair in pairs {
                prop_assert!(plain.unreached.contains(&(pair.source, pair.destination)));
            }
            // Hosts of one switch share what tables hold.
            if routes.granularity() == PairGranularity::Host && matches!(routes, Routes::Source(_))
            {
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
                let next = following.next().unwrap();
                let held = (dependency.held, dependency.held_lane);
                let wanted = (dependency.wanted, dependency.wanted_lane);
                prop_assert_eq!(wanted, (next.held, next.held_lane));
                let one_route =
                    only_route(fabric, routes, dependency.source, dependency.destination);
                prop_assert!(one_route.contains(&(held, wanted)));
            }
            prop_assert_eq!(proof.dependencies, plain.arcs.len() as u64);
        }
        Verdict::DeadlockFree(certificate) => {
            prop_assert!(plain.unreached.is_empty() && plain.looping.is_empty());
            prop_assert!(!has_cycle(&plain.arcs));
            prop_assert_eq!(proof.dependencies, plain.arcs.len() as u64);
            prop_assert_eq!(check_certificate(fabric, routes, certificate), Ok(()));
            assert_each_is_needed(&plain.arcs, certificate, |wrong| {
                check_certificate(fabric, routes, wrong)
            });
        }
    }
    Ok(())
}

/// Each single dependency that is turned round must be found.
pub(crate) fn assert_each_is_needed(
    arcs: &BTreeSet<(Place, Place)>,
    certificate: &Certificate,
    check: impl Fn(&Certificate) -> Result<(), CertificateError>,
) {
    let lanes = usize::from(certificate.lane_count);
    let place = |(channel, lane): Place| channel.index() * lanes + lane.index();
    for arc in arcs {
        let [held, wanted] = [arc.0, arc.1].map(place);
        // Both as high as the other.
        for (raised, to) in [(held, wanted), (wanted, held)] {
            let mut wrong = certificate.clone();
            wrong.rank[raised] = certificate.rank[to];
            assert_not_ascending(&check(&wrong));
        }
    }
}

/// The dependencies of a single route.
fn only_route(
    fabric: &Fabric,
    routes: &Routes,
    source: HostId,
    destination: HostId,
) -> BTreeSet<(Place, Place)> {
    let mut arcs = BTreeSet::new();
    let mut held: Option<Place> = None;
    let mut here = fabric.host_switch(source);
    for (port, lane) in plain_steps(fabric, routes, source, destination) {
        let wanted = fabric.outgoing_at(here, port).unwrap();
        arcs.extend(held.map(|held| (held, (wanted, lane))));
        held = None;
        if let Node::Switch(next) = fabric.target(wanted).node {
            held = Some((wanted, lane));
            here = next;
        }
    }
    arcs
}

/// Routes that wander: most by way of a random switch, some with stops, a few broken.
fn wander(
    fabric: &Fabric,
    granularity: PairGranularity,
    draws: &[(prop::sample::Index, u8)],
    lanes: u8,
) -> Routes {
    let count = granularity.endpoint_count(fabric);
    let minimal = route_spec(fabric, "minimal:per=switch,seed=7")
        .unwrap()
        .routes
        .to_source_routes(fabric)
        .into_owned();
    let switch_of = |index: usize| granularity.endpoint_switch(fabric, index).index();
    let with_hosts: Vec<usize> = fabric.switches_with_hosts().map(SwitchId::index).collect();
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
            // Lanes that change now and then, or never where there is one.
            let lane = |place: usize| Lane::new((kind / 3 + u8::from(place > 1)) % lanes);
            let steps = ports.iter().enumerate();
            row.push_on_lanes(steps.map(|(place, &port)| (port, lane(place))));
        }
    }
    SourceRoutes::from_rows(granularity, rows).into()
}

/// Tables whose entries lead any way, most of them nearer to the destination; some are missing.
fn stray(
    fabric: &Fabric,
    granularity: PairGranularity,
    draws: &[(prop::sample::Index, u8)],
    lanes: u8,
) -> Routes {
    let count = granularity.endpoint_count(fabric);
    let mut tables = ForwardingTables::new(granularity, fabric.switch_count(), &vec![2; count]);
    let mut draw = draws.iter().cycle();
    for endpoint in 0..count {
        let to = granularity.endpoint_switch(fabric, endpoint);
        let distances = weft_fabric::metrics::distances_from(fabric, to);
        for address in tables.addresses(endpoint) {
            for switch in fabric.switch_ids() {
                let (index, kind) = draw.next().unwrap();
                let hops: Vec<_> = fabric
                    .hops(switch)
                    .iter()
                    .filter(|hop| {
                        *kind == 0 || distances[hop.switch.index()] < distances[switch.index()]
                    })
                    .collect();
                if switch == to && *kind > 0 {
                    if granularity == PairGranularity::Host {
                        let port = fabric.host_port(HostId::from_index(endpoint));
                        tables.set_next_port(switch, address, port);
                    }
                } else if *kind == 1 {
                    let any = index.get(fabric.outgoing(switch));
                    tables.set_next_port(switch, address, fabric.source(*any).port);
                } else if !hops.is_empty() && *kind != 2 {
                    tables.set_next_port(switch, address, index.get(&hops).port);
                }
            }
        }
    }
    let mut of_pairs = || {
        (0..count * count)
            .map(|_| draw.next().unwrap().1)
            .collect::<Vec<u8>>()
    };
    let aliases = of_pairs().iter().map(|kind| kind % 2).collect();
    let service = of_pairs();
    if lanes > 0 {
        tables.set_aliases(aliases);
        tables.set_lanes(service.iter().map(|kind| Lane::new(kind % lanes)).collect());
    }
    tables.into()
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn algorithms_that_promise_it_are_deadlock_free(
        fabric in fabrics(0), seed in any::<u64>(), per in prop::sample::select(vec!["host", "switch"]),
    ) {
        for algorithm in ALGORITHMS {
            let has_per = algorithm.parameters.iter().any(|spec| spec.name == "per");
            let mut given = BTreeMap::from([("seed".to_owned(), seed.to_string())]);
            given.extend(has_per.then(|| ("per".to_owned(), per.to_owned())));
            if algorithm.parameters.iter().all(|spec| spec.name != "seed") {
                given.remove("seed");
            }
            let Some(routing) = route_or_refusal(&fabric, algorithm.name, &given) else {
                continue;
            };
            let routes = routing.routes;
            check_against_plain_walk(&fabric, &routes)?;
            let proof = verify(&fabric, &routes).unwrap();
            let (name, promise) = (algorithm.name, algorithm.deadlock);
            let holds = match promise {
                Deadlock::Free => proof.is_deadlock_free(),
                Deadlock::PerFabric => matches!(proof.verdict.word(), "deadlock" | "deadlock-free"),
            };
            let found = proof.describe(&fabric);
            prop_assert!(holds, "{name} has deadlock: {promise:?}, but {found}");
        }
    }

    #[test]
    fn what_simple_routes_leads_around_cycles_is_free_of_deadlock_or_refused(
        fabric in fabrics(0), seed in any::<u64>(),
    ) {
        let spec = format!("simple_routes:shortest_path=yes,remove_deadlocks=yes,seed={seed}");
        match route_spec(&fabric, &spec) {
            Ok(routing) => {
                let proof = verify(&fabric, &routing.routes).unwrap();
                prop_assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
            }
            Err(RoutingError::NoWayAround { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
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
                Err(RoutingError::Parameters(RegistryError::InvalidValue { .. })) => {
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
        lanes in 1_u8..4,
    ) {
        let granularity =
            if per_switch { PairGranularity::Switch } else { PairGranularity::Host };
        check_against_plain_walk(&fabric, &wander(&fabric, granularity, &draws, lanes))?;
    }

    #[test]
    fn verdicts_on_stray_tables_agree_with_a_plain_walk(
        fabric in fabrics(0),
        draws in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..=60), 60..300),
        per_switch in any::<bool>(),
        lanes in 0_u8..4,
    ) {
        let granularity =
            if per_switch { PairGranularity::Switch } else { PairGranularity::Host };
        check_against_plain_walk(&fabric, &stray(&fabric, granularity, &draws, lanes))?;
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
