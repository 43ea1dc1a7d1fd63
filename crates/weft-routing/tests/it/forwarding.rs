//! Hop by hop, packets go the way that walks and proofs see, on the same lanes.

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use weft_fabric::generate::{mesh_of, torus_of};
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::algorithms::ALGORITHMS;
use weft_routing::{
    AnyForwarding, CheckedRoutes, Entry, Forwarding, ForwardingError, ForwardingTables, Lane,
    LaneKey, LaneTables, PairGranularity, RouteRow, Routes, SourceRoutes, StopCounts, to_tables,
};
use weft_testing::{fabric_of, fabrics, host_pairs, route_or_refusal, route_spec};

/// What tells packets of checked routes their way.
fn told<'a>(fabric: &Fabric, checked: &'a CheckedRoutes<&Routes>) -> Forwarding<'a> {
    match checked.forwarding(fabric).unwrap() {
        AnyForwarding::Fixed(forwarding) => forwarding,
        AnyForwarding::Adaptive(_) => unreachable!("each pair has one way"),
    }
}

/// Ports and lanes of a packet's channels, from its source's to its destination's.
fn way(
    fabric: &Fabric,
    forwarding: &mut Forwarding<'_>,
    (source, destination): (HostId, HostId),
) -> Vec<(u8, u8)> {
    let (header, mut ahead, lane) = forwarding.header(source, destination);
    let end = fabric.target(fabric.injection_channel(source));
    let mut way = vec![(0, lane.number())];
    let (mut node, mut port, mut lane) = (end.node, end.port, lane);
    while let Node::Switch(switch) = node {
        let entry = Entry { switch, port, lane };
        let (output, next_lane) = forwarding.next(&header, &mut ahead, entry, way.len() - 1);
        way.push((output.number(), next_lane.number()));
        let channel = fabric.outgoing_at(switch, output).unwrap();
        let end = fabric.target(channel);
        (node, port, lane) = (end.node, end.port, next_lane);
        assert!(way.len() < 1000, "the packet goes in a circle");
    }
    assert_eq!(node, Node::Host(destination));
    way
}

/// The same by the walk that proofs take.
fn walked(
    fabric: &Fabric,
    routes: &Routes,
    (source, destination): (HostId, HostId),
) -> Vec<(u8, u8)> {
    let mut walk = routes.walk_hosts(fabric, source, destination);
    let mut way = vec![(0, walk.lane().unwrap().number())];
    way.extend(
        walk.by_ref()
            .map(|step| (step.port.number(), step.lane.number())),
    );
    let port = fabric.host_port(destination);
    way.push((port.number(), walk.ejection_lane(port).unwrap().number()));
    way
}

proptest! {
    #[test]
    fn packets_go_as_every_algorithm_says(fabric in fabrics(0), seed in 0..1000_u64) {
        for algorithm in ALGORITHMS {
            let seeded = algorithm.parameters.iter().any(|spec| spec.name == "seed");
            let parameters: BTreeMap<_, _> =
                seeded.then(|| ("seed".to_owned(), seed.to_string())).into_iter().collect();
            let Some(routing) = route_or_refusal(&fabric, algorithm.name, &parameters) else {
                continue;
            };
            match CheckedRoutes::new(&fabric, &routing.routes) {
                Ok(checked) => {
                    let mut forwarding = told(&fabric, &checked);
                    for pair in host_pairs(&fabric) {
                        let expected = walked(&fabric, &routing.routes, pair);
                        prop_assert_eq!(way(&fabric, &mut forwarding, pair), expected);
                    }
                }
                Err(ForwardingError::Stop { .. }) => {
                    prop_assert!(algorithm.name.contains("itb") || algorithm.name == "smart");
                }
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            }
        }
    }

    #[test]
    fn packets_of_a_pair_take_their_lanes_in_turn(fabric in fabrics(1), seed in 0..1000_u64) {
        let spec = format!("multi_tree:trees=2,per=switch,seed={seed}");
        prop_assume!(fabric.switch_count() > 1);
        let Ok(routing) = route_spec(&fabric, &spec) else { return Ok(()) };
        let mut routes = routing.routes.clone();
        routes.alternate(NonZeroU8::new(3).unwrap()).unwrap();
        let own = routing.routes.lane_count();
        prop_assert_eq!(routes.lane_count(), 3 * own);
        let checked = CheckedRoutes::new(&fabric, &routes).unwrap();
        let mut forwarding = told(&fabric, &checked);
        for pair in host_pairs(&fabric) {
            let first = walked(&fabric, &routing.routes, pair);
            // Hosts of two switches share their turns: the first way tells which it is.
            let turn = way(&fabric, &mut forwarding, pair)[0].1 / own;
            for later in 1..=4 {
                let shift = own * ((turn + later) % 3);
                let expected: Vec<_> =
                    first.iter().map(|&(port, lane)| (port, lane + shift)).collect();
                prop_assert_eq!(way(&fabric, &mut forwarding, pair), expected);
            }
        }
        // One walk a turn, each on its own lanes.
        let walks = routes.shared(&fabric).count();
        prop_assert_eq!(walks, 3 * routing.routes.shared(&fabric).count());
    }
}

/// Steps that a rule gives are carried leg by leg where the grid is small: legs of eight steps and more, ways
/// round that are as short, and lanes in turn.
#[test]
fn packets_carry_the_steps_of_grids_leg_by_leg() {
    let grids = [
        torus_of(&[4, 4], 1).unwrap(),
        torus_of(&[20, 2, 3], 1).unwrap(),
        torus_of(&[16, 4], 2).unwrap(),
        mesh_of(&[11, 3], 1).unwrap(),
        mesh_of(&[3, 2, 9], 1).unwrap(),
    ];
    for fabric in &grids {
        let mut routes = route_spec(fabric, "dimension_order").unwrap().routes;
        let own = routes.lane_count();
        let pairs = host_pairs(fabric);
        let ways = |routes| pairs.iter().map(move |&pair| walked(fabric, routes, pair));
        let expected: Vec<_> = ways(&routes).collect();
        {
            let checked = CheckedRoutes::new(fabric, &routes).unwrap();
            let mut forwarding = told(fabric, &checked);
            for (&pair, expected) in pairs.iter().zip(&expected) {
                assert_eq!(way(fabric, &mut forwarding, pair), *expected);
            }
        }
        routes.alternate(NonZeroU8::new(2).unwrap()).unwrap();
        let checked = CheckedRoutes::new(fabric, &routes).unwrap();
        let mut forwarding = told(fabric, &checked);
        let mut shifts = [0; 2];
        for (&pair, expected) in pairs.iter().zip(&expected).cycle().take(2 * pairs.len()) {
            let taken = way(fabric, &mut forwarding, pair);
            let turn = taken[0].1 / own;
            let raised = expected
                .iter()
                .map(|&(port, lane)| (port, lane + turn * own));
            assert_eq!(taken, raised.collect::<Vec<_>>());
            shifts[usize::from(turn)] += 1;
        }
        assert_eq!(shifts, [pairs.len(); 2], "each pair takes both");
    }
}

/// Two switches with two hosts each on ports 2 and 3, joined at port 1.
fn two() -> Fabric {
    fabric_of(&[2, 2], &[(0, 1)])
}

fn tables(fabric: &Fabric) -> ForwardingTables {
    let routing = route_spec(fabric, "updown:per=host").unwrap();
    to_tables(fabric, &routing.routes, 0).unwrap()
}

fn row(lanes: &[u8]) -> [Option<Lane>; 16] {
    let mut row = [None; 16];
    for (place, &lane) in row.iter_mut().zip(lanes) {
        *place = Some(Lane::new(lane));
    }
    row
}

fn pair(source: u32, destination: u32) -> (HostId, HostId) {
    (HostId::new(source), HostId::new(destination))
}

const SWITCHES: [SwitchId; 2] = [SwitchId::new(0), SwitchId::new(1)];

fn ports(input: u8, output: u8) -> [PortNumber; 2] {
    [input, output].map(PortNumber::new)
}

#[test]
fn service_levels_become_lanes_by_input_and_output_port() {
    let fabric = two();
    let mut tables = tables(&fabric);
    tables.set_lanes(vec![Lane::new(1); 16]);
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    lanes.set_host(row(&[7, 3]));
    lanes.set(&fabric, SWITCHES[0], ports(2, 1), row(&[0, 5]));
    lanes.set(&fabric, SWITCHES[0], ports(3, 1), row(&[0, 6]));
    lanes.set_switch(SWITCHES[1], row(&[0, 2]));
    tables.set_lane_tables(lanes);
    let routes = Routes::from(tables);
    assert_eq!(
        routes.lane_count(),
        16,
        "the other rows name lanes up to 15"
    );
    let checked = CheckedRoutes::new(&fabric, &routes).unwrap();
    let mut forwarding = told(&fabric, &checked);
    // Hosts 0 and 1 hang on ports 2 and 3 of switch 0, hosts 2 and 3 on those of switch 1.
    for (pair, expected) in [
        (pair(0, 2), [(0, 3), (1, 5), (2, 2)].as_slice()),
        (pair(1, 3), &[(0, 3), (1, 6), (3, 2)]),
        (pair(2, 0), &[(0, 3), (1, 2), (2, 1)]),
        (pair(0, 1), &[(0, 3), (3, 1)]),
    ] {
        assert_eq!(way(&fabric, &mut forwarding, pair), expected);
    }
}

#[test]
fn lanes_change_by_input_and_output_port() {
    let fabric = two();
    let mut tables = tables(&fabric);
    tables.set_lanes(vec![Lane::new(1); 16]);
    let mut lanes = LaneTables::new(&fabric, LaneKey::IncomingLane);
    lanes.set(&fabric, SWITCHES[0], ports(2, 1), row(&[0, 2]));
    lanes.set_switch(SWITCHES[1], row(&[0, 1, 3]));
    tables.set_lane_tables(lanes);
    let routes = Routes::from(tables);
    let checked = CheckedRoutes::new(&fabric, &routes).unwrap();
    let mut forwarding = told(&fabric, &checked);
    for (pair, expected) in [
        (pair(0, 2), [(0, 1), (1, 2), (2, 3)]),
        (pair(1, 2), [(0, 1), (1, 1), (2, 1)]),
        (pair(2, 0), [(0, 1), (1, 1), (2, 1)]),
    ] {
        assert_eq!(way(&fabric, &mut forwarding, pair), expected);
    }
}

#[test]
fn routes_that_cannot_carry_packets_are_refused_by_name() {
    let fabric = two();
    let message = |routes: &Routes| CheckedRoutes::new(&fabric, routes).unwrap_err().to_string();

    let other = route_spec(&fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]), "updown").unwrap();
    assert_eq!(
        message(&other.routes),
        "the routes join 3 hosts, but the fabric has 4; route this fabric"
    );

    let mut without_level = tables(&fabric);
    without_level.set_lanes(vec![Lane::new(2); 16]);
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    lanes.set(&fabric, SWITCHES[1], ports(1, 3), row(&[0, 1]));
    without_level.set_lane_tables(lanes);
    assert_eq!(
        message(&without_level.clone().into()),
        "service level 2 has no lane at “sw1” for packets from “host0-2” to “host1-3”; give it one in \
         the SL-to-VL tables, or choose another service level"
    );
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    lanes.set_host(row(&[0, 1]));
    without_level.set_lane_tables(lanes);
    assert!(
        message(&without_level.into()).starts_with("service level 2 has no lane at “host0-2” for")
    );

    let mut broken = tables(&fabric);
    let address = broken.addresses(3).start;
    broken.set_next_port(SWITCHES[0], address, PortNumber::new(9));
    assert_eq!(
        message(&broken.into()),
        "the route from “host0-2” to “host1-3” does not lead there; prove the routes to see where it \
         ends"
    );

    let stops = ForwardingTables::new(PairGranularity::Host, 2, &[1; 4]);
    assert!(matches!(
        CheckedRoutes::new(&fabric, Routes::from(stops)),
        Err(ForwardingError::BrokenRoute { .. })
    ));
}

/// Where the table of the destination's switch leads back to it, round and round, nothing arrives.
#[test]
fn tables_that_lead_in_a_circle_at_the_end_are_refused() {
    let fabric = fabric_of(&[2], &[(0, 0)]);
    let mut tables = ForwardingTables::with_one_address(&fabric, PairGranularity::Host);
    for host in fabric.host_ids() {
        tables.set_next_port(SWITCHES[0], host.index(), fabric.host_port(host));
    }
    assert!(CheckedRoutes::new(&fabric, Routes::from(tables.clone())).is_ok());
    for address in 0..2 {
        let mut circling = tables.clone();
        circling.set_next_port(SWITCHES[0], address, PortNumber::new(1));
        assert!(CheckedRoutes::new(&fabric, Routes::from(circling)).is_err());
    }
}

/// By switch, the hosts of one switch have a route too: from it to itself.
#[test]
fn a_route_that_leaves_the_switch_of_both_hosts_is_refused() {
    let found = |hosts: &[usize]| {
        let fabric = fabric_of(hosts, &[(0, 1)]);
        let mut rows = vec![RouteRow::default(), RouteRow::default()];
        for (row, steps) in rows.iter_mut().zip([[1, 1], [1, 0]]) {
            let route = |&steps: &usize| ports(1, 1)[..steps].to_vec();
            steps.iter().map(route).for_each(|steps| row.push(steps));
        }
        let routes = SourceRoutes::from_rows(PairGranularity::Switch, rows);
        let counted = StopCounts::of(&fabric, &routes).map(drop);
        let checked = CheckedRoutes::new(&fabric, Routes::from(routes)).map(drop);
        [counted, checked].map(|found| found.is_ok())
    };
    assert_eq!(found(&[2, 1]), [false; 2]);
    assert_eq!(found(&[1, 1]), [true; 2]);
}

#[test]
fn checked_routes_are_those_of_their_fabric() {
    let fabric = two();
    let routes = Routes::from(tables(&fabric));
    let checked = CheckedRoutes::new(&fabric, &routes).unwrap();
    let other = fabric_of(&[2, 2], &[(0, 1), (0, 1)]);
    assert_eq!(
        checked.forwarding(&other).unwrap_err().to_string(),
        "the routes join 10 channels, but the fabric has 12; route this fabric"
    );
}

/// What tables say of many pairs at once is what walks find out pair by pair: an entry turned anywhere,
/// to any port, is refused if some packet meets it, and else is not.
#[test]
fn an_entry_that_leads_astray_is_found_where_packets_meet_it() {
    let fabric = fabric_of(&[1, 2, 1, 0], &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]);
    for spec in ["updown:per=host", "updown:per=switch"] {
        let routing = route_spec(&fabric, spec).unwrap();
        let good = to_tables(&fabric, &routing.routes, 0).unwrap();
        let mut refused = 0;
        for switch in fabric.switch_ids() {
            for address in 0..good.address_count() {
                for port in 0..6 {
                    let mut tables = good.clone();
                    tables.set_next_port(switch, address, PortNumber::new(port));
                    let routes = Routes::from(tables);
                    let arrives = |(source, destination)| {
                        let mut walk = routes.walk_hosts(&fabric, source, destination);
                        walk.by_ref().all(|step| step.hop.is_ok())
                            && walk.switch() == fabric.host_switch(destination)
                    };
                    let expected = host_pairs(&fabric).into_iter().all(arrives);
                    let found = CheckedRoutes::new(&fabric, &routes);
                    assert_eq!(found.is_ok(), expected, "{spec}: {switch} {address} {port}");
                    refused += u32::from(!expected);
                }
            }
        }
        assert!(refused > 20, "{refused}");
    }
}

#[test]
fn more_lanes_than_can_be_numbered_are_refused() {
    let mut tables = tables(&two());
    tables.set_lanes(vec![Lane::new(99); 16]);
    let error = tables.alternate(NonZeroU8::new(3).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "100 lanes in 3 turns are 300 lanes; at most 255 can be numbered"
    );
}
