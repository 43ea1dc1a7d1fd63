//! LASH and LASH-TOR: every lane by itself is free of cycles, on random fabrics and on known ones.

use proptest::prelude::*;
use std::collections::BTreeSet;
use weft_fabric::generate::{mesh, ring, torus};
use weft_fabric::{ChannelId, Fabric, HostId, metrics};
use weft_routing::algorithms::route_spec;
use weft_routing::{Routes, Routing, RoutingError};
use weft_testing::{cases, fabric_of, fabrics, host_pairs, irregular_of, plain_steps, walk};

/// Channels and lanes of a route.
fn places(
    fabric: &Fabric,
    routing: &Routing,
    source: HostId,
    destination: HostId,
) -> Vec<(ChannelId, u8)> {
    let switches = walk(fabric, routing, source, destination).switches;
    let steps = plain_steps(fabric, &routing.routes, source, destination);
    let steps = switches.iter().zip(steps);
    steps
        .map(|(&at, (port, lane))| (fabric.outgoing_at(at, port).unwrap(), lane.number()))
        .collect()
}

/// Whether the dependencies between channels on one lane form a cycle: peels off channels that no
/// other wants until none is left.
fn has_cycle(mut arcs: BTreeSet<(ChannelId, ChannelId)>) -> bool {
    loop {
        let wanted: BTreeSet<ChannelId> = arcs.iter().map(|arc| arc.1).collect();
        let before = arcs.len();
        arcs.retain(|arc| wanted.contains(&arc.0));
        if arcs.is_empty() || arcs.len() == before {
            return !arcs.is_empty();
        }
    }
}

/// The dependencies on each lane; asserts that routes rise if they change lanes at all.
fn arcs_of_lanes(fabric: &Fabric, routing: &Routing) -> Vec<BTreeSet<(ChannelId, ChannelId)>> {
    let mut lanes = vec![BTreeSet::new(); usize::from(routing.routes.lane_count())];
    for (from, to) in host_pairs(fabric) {
        for two in places(fabric, routing, from, to).windows(2) {
            assert!(two[0].1 <= two[1].1, "lanes rise");
            if two[0].1 == two[1].1 {
                lanes[usize::from(two[0].1)].insert((two[0].0, two[1].0));
            }
        }
    }
    lanes
}

/// Pairs of hosts of distinct switches on each lane.
fn pairs_on_lanes(fabric: &Fabric, routing: &Routing) -> Vec<usize> {
    let mut pairs = vec![0; usize::from(routing.routes.lane_count())];
    for (from, to) in host_pairs(fabric) {
        let there = places(fabric, routing, from, to);
        let back = places(fabric, routing, to, from);
        if let Some(&(_, lane)) = there.first() {
            assert!(there.iter().chain(&back).all(|place| place.1 == lane));
            pairs[usize::from(lane)] += 1;
        }
    }
    pairs
}

fn lanes_needed(fabric: &Fabric, parameters: &str) -> u8 {
    let routing = route_spec(fabric, &format!("lash:{parameters}")).unwrap();
    routing.routes.lane_count()
}

fn random_fabrics(switches: u32, count: u64) -> Vec<Fabric> {
    let fabric = |seed| irregular_of(switches, seed);
    (1..=count).map(fabric).collect()
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn every_lane_is_free_of_cycles_and_every_path_minimal(
        fabric in fabrics(0), seed in any::<u64>(), order in prop::sample::select(vec!["id", "random"]),
        balance in prop::sample::select(vec!["yes", "no"]),
        selection in prop::sample::select(vec!["tree", "first", "random", "least_loaded", "balanced"]),
        limit in 1_usize..4,
    ) {
        let spec = |lanes: usize| {
            format!("lash:seed={seed},order={order},balance={balance},selection={selection},lanes={lanes}")
        };
        let routing = route_spec(&fabric, &spec(255)).unwrap();
        let is_tables = matches!(routing.routes, Routes::Tables(_));
        prop_assert_eq!(is_tables, selection == "tree");
        for (from, to) in host_pairs(&fabric) {
            let places = places(&fabric, &routing, from, to);
            let ends = [from, to].map(|host| fabric.host_switch(host));
            let distance = metrics::distances_from(&fabric, ends[0])[ends[1].index()];
            prop_assert_eq!(places.len(), distance as usize);
            prop_assert!(places.windows(2).all(|two| two[0].1 == two[1].1));
        }
        for arcs in arcs_of_lanes(&fabric, &routing) {
            prop_assert!(!has_cycle(arcs));
        }
        let needed = usize::from(routing.routes.lane_count());
        match route_spec(&fabric, &spec(limit)) {
            Ok(within) => {
                prop_assert!(needed <= limit);
                prop_assert_eq!(within.routes, routing.routes);
            }
            Err(RoutingError::TooFewLanes { needed: said, .. }) => {
                prop_assert!(said > limit);
                prop_assert_eq!(said, needed);
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }

    #[test]
    fn transitions_rise_and_leave_every_lane_free_of_cycles(
        fabric in fabrics(0), seed in any::<u64>(), lanes in 1_u8..4,
        selection in prop::sample::select(vec!["first", "random", "least_loaded", "balanced"]),
    ) {
        let spec = format!("lash_tor:seed={seed},selection={selection},lanes={lanes}");
        match route_spec(&fabric, &spec) {
            Ok(routing) => {
                prop_assert!(routing.routes.lane_count() <= lanes);
                for arcs in arcs_of_lanes(&fabric, &routing) {
                    prop_assert!(!has_cycle(arcs));
                }
                for (from, to) in host_pairs(&fabric) {
                    let ends = [from, to].map(|host| fabric.host_switch(host));
                    let distance = metrics::distances_from(&fabric, ends[0])[ends[1].index()];
                    prop_assert_eq!(places(&fabric, &routing, from, to).len(), distance as usize);
                }
            }
            Err(RoutingError::NoLegalFinish { lanes: found, .. }) => {
                prop_assert_eq!(found, usize::from(lanes));
            }
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn trees_visit_low_numbers_first_and_take_parallel_links_in_turn() {
    // A square, 0 and 3 opposite: both take 1, visited before 2.
    let square = fabric_of(&[1; 4], &[(0, 1), (0, 2), (1, 3), (2, 3)]);
    let routing = route_spec(&square, "lash").unwrap();
    for (from, to) in [(0, 3), (3, 0)] {
        let [from, to] = [from, to].map(HostId::from_index);
        let switches = walk(&square, &routing, from, to).switches;
        assert_eq!(switches[1].number(), 1);
    }
    // Two links from 0 to 1, at ports 1 and 2 of both, and one on to 2.
    let double = fabric_of(&[1; 3], &[(0, 1), (0, 1), (1, 2)]);
    let routing = route_spec(&double, "lash").unwrap();
    for (from, to, ports) in [(0, 1, vec![2]), (0, 2, vec![1, 3]), (1, 0, vec![1])] {
        let [from, to] = [from, to].map(HostId::from_index);
        assert_eq!(walk(&double, &routing, from, to).ports, ports);
    }
}

#[test]
fn breadth_first_trees_need_the_known_number_of_lanes() {
    assert_eq!(lanes_needed(&mesh(4, 4, 1).unwrap(), ""), 1);
    assert_eq!(lanes_needed(&torus(4, 4, 1).unwrap(), ""), 1);
    assert_eq!(lanes_needed(&torus(8, 8, 1).unwrap(), ""), 4);
    assert_eq!(lanes_needed(&ring(8, 1).unwrap(), ""), 2);
}

/// Networks other than those of the known numbers may need one lane more or fewer.
#[test]
fn irregular_networks_need_about_the_known_number_of_lanes() {
    for (switches, known) in [(16, 2..=3), (32, 3..=5), (64, 6..=8)] {
        for fabric in random_fabrics(switches, 10) {
            let found = lanes_needed(&fabric, "balance=no");
            assert!(known.contains(&found), "{switches} switches: {found}");
        }
    }
}

#[test]
fn balance_evens_out_the_lanes_and_adds_none() {
    for fabric in random_fabrics(16, 3) {
        let spread = |spec: &str| {
            let pairs = pairs_on_lanes(&fabric, &route_spec(&fabric, spec).unwrap());
            (
                pairs.len(),
                pairs.iter().max().unwrap() - pairs.iter().min().unwrap(),
            )
        };
        let (filled, balanced) = (spread("lash:balance=no"), spread("lash"));
        assert_eq!(filled.0, balanced.0);
        assert!(balanced.1 < filled.1 / 2, "{balanced:?} of {filled:?}");
    }
}

#[test]
fn transitions_keep_to_the_published_numbers_of_lanes() {
    for fabric in [
        mesh(8, 8, 1).unwrap(),
        torus(4, 4, 1).unwrap(),
        torus(8, 8, 1).unwrap(),
    ] {
        let routing = route_spec(&fabric, "lash_tor:lanes=2").unwrap();
        assert!(routing.routes.lane_count() <= 2);
    }
    for switches in [16, 32, 64, 128] {
        for fabric in random_fabrics(switches, 2) {
            route_spec(&fabric, "lash_tor:lanes=3").unwrap();
        }
    }
}

#[test]
fn what_does_not_fit_names_the_pair() {
    let error = route_spec(&ring(8, 1).unwrap(), "lash_tor:lanes=1,root=0").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no minimal route looked at from “sw2” to “sw5” fits the 1 lanes, on the last of which its \
         turns must be legal; give more lanes, or choose another routing"
    );
}
