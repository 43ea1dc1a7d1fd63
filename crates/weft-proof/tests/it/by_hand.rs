//! Verdicts on routes made by hand.

use super::proved::{assert_not_ascending, certificate_of, cycle_of, loop_of, unreached_of};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_proof::{
    CertificateError, ProofError, UnreachedReason, Verdict, check_certificate, verify,
};
use weft_routing::algorithms::route_spec;
use weft_routing::{DeadEnd, PairGranularity, Routes, SourceRoutes};
use weft_testing::{fabric_of, plain_steps, ring_of};

/// Routes from a rule that gives the ports between two endpoints.
fn routes(
    fabric: &Fabric,
    granularity: PairGranularity,
    ports: impl Fn(usize, usize) -> Vec<u8>,
) -> Routes {
    let count = granularity.endpoint_count(fabric);
    let route = |from, to| ports(from, to).into_iter().map(PortNumber::new);
    let row = |from| (0..count).map(|to| route(from, to)).collect();
    let rows = (0..count).map(row).collect();
    SourceRoutes::from_rows(granularity, rows).into()
}

/// Routes between switches or hosts as listed; all others have no step.
fn listed(fabric: &Fabric, granularity: PairGranularity, list: &[(usize, usize, &[u8])]) -> Routes {
    routes(fabric, granularity, |source, destination| {
        let mut entries = list.iter();
        let entry = entries.find(|entry| (entry.0, entry.1) == (source, destination));
        entry.map_or_else(Vec::new, |(_, _, ports)| ports.to_vec())
    })
}

fn onward(fabric: &Fabric, switch: usize) -> (u8, ChannelId) {
    let next = SwitchId::from_index((switch + 1) % fabric.switch_count());
    let hops = fabric.hops(SwitchId::from_index(switch));
    let hop = hops.iter().find(|hop| hop.switch == next).unwrap();
    (hop.port.number(), hop.channel)
}

fn clockwise(fabric: &Fabric, from: usize, to: usize) -> Vec<u8> {
    let count = fabric.switch_count();
    let links = (to + count - from) % count;
    (0..links)
        .map(|i| onward(fabric, (from + i) % count).0)
        .collect()
}

#[test]
fn a_ring_that_is_walked_one_way_gives_exactly_its_cycle() {
    for switches in [3, 5, 8] {
        let fabric = ring_of(switches);
        for granularity in [PairGranularity::Switch, PairGranularity::Host] {
            let around = routes(&fabric, granularity, |s, d| clockwise(&fabric, s, d));
            let proof = verify(&fabric, &around).unwrap();
            let cycle = cycle_of(&fabric, &proof);
            let expected: Vec<ChannelId> = (0..switches).map(|s| onward(&fabric, s).1).collect();
            let held: Vec<ChannelId> = cycle.dependencies.iter().map(|d| d.held).collect();
            assert_eq!(held, expected);
            for (dependency, following) in cycle.dependencies.iter().zip(&expected[1..]) {
                assert_eq!(dependency.wanted, *following);
            }
            assert_eq!(cycle.dependencies[switches - 1].wanted, expected[0]);
            // The first pair that goes on from a channel comes from host 0, or from the channel's
            // own switch where host 0 would have arrived.
            let first = &cycle.dependencies[0];
            assert_eq!(
                (first.source, first.destination),
                (HostId::new(0), HostId::new(2))
            );
            assert_eq!(
                first.nodes,
                [0, 1, 2].map(|s| Node::Switch(SwitchId::new(s)))
            );
            assert_eq!(proof.host_pairs, (switches * (switches - 1)) as u64);
            assert!(!proof.is_deadlock_free());
            assert_eq!(proof.verdict.word(), "deadlock");
        }
    }
}

#[test]
fn a_cycle_is_described_by_switches_ports_and_routes() {
    let fabric = ring_of(3);
    let around = routes(&fabric, PairGranularity::Host, |s, d| {
        clockwise(&fabric, s, d)
    });
    let proof = verify(&fabric, &around).unwrap();
    assert_eq!(
        proof.describe(&fabric),
        "not deadlock-free: of 6 host pairs over 6 routes, some can wait for one another\n\
         shortest cycle, 3 channels, each held by a packet that wants the next, the last by one \
         that wants the first:\n\
         \x20 sw0[1] → sw1[1]  by host0-3 → host2-3 (by way of sw0, sw1, sw2)\n\
         \x20 sw1[2] → sw2[1]  by host1-3 → host0-3 (by way of sw1, sw2, sw0)\n\
         \x20 sw2[2] → sw0[2]  by host2-3 → host1-3 (by way of sw2, sw0, sw1)"
    );
}

#[test]
fn a_stop_in_transit_opens_the_ring() {
    let fabric = ring_of(5);
    // Every route that passes switch 0 stops at its host, on port 3.
    let cut = routes(&fabric, PairGranularity::Host, |from, to| {
        let mut ports = Vec::new();
        for (nth, port) in clockwise(&fabric, from, to).into_iter().enumerate() {
            if nth > 0 && (from + nth) % 5 == 0 {
                ports.push(3);
            }
            ports.push(port);
        }
        ports
    });
    let proof = verify(&fabric, &cut).unwrap();
    let certificate = certificate_of(&fabric, &proof);
    assert_eq!(proof.in_transit_stops, 6);
    // From each host to its link: 5; from each link to the next switch's host: 5; from link to
    // link at all switches but 0: 4.
    assert_eq!(proof.dependencies, 14);
    assert_eq!(check_certificate(&fabric, &cut, certificate), Ok(()));
    assert_eq!(
        proof.describe(&fabric),
        "deadlock-free: 20 host pairs over 20 routes all lead to their destination without a loop, \
         and their 14 dependencies ascend one order of the 20 channels between 6 in-transit stops"
    );
    // The same order does not hold for the routes that do not stop.
    let around = routes(&fabric, PairGranularity::Host, |s, d| {
        clockwise(&fabric, s, d)
    });
    assert_not_ascending(&check_certificate(&fabric, &around, certificate));
}

#[test]
fn a_route_that_meets_a_switch_twice_is_a_loop() {
    let fabric = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2), (0, 1)]);
    // From 2 to 1 by way of 0, there and back over different links.
    let list: [(usize, usize, &[u8]); 6] = [
        (0, 1, &[1]),
        (0, 2, &[1, 2]),
        (1, 0, &[1]),
        (1, 2, &[2]),
        (2, 0, &[1, 1]),
        (2, 1, &[1, 1, 2]),
    ];
    let proof = verify(&fabric, &listed(&fabric, PairGranularity::Host, &list)).unwrap();
    let found = loop_of(&fabric, &proof);
    assert_eq!(
        (found.source, found.destination),
        (HostId::new(2), HostId::new(1))
    );
    assert_eq!(found.switch, SwitchId::new(1));
    assert_eq!(
        proof.describe(&fabric),
        "loops: of 6 host pairs over 6 routes, one meets a switch twice\n\
         \x20 host2-2 → host1-4 (by way of sw2, sw1, sw0, sw1) meets sw1 again without a stop in \
         between"
    );
}

#[test]
fn a_switch_may_be_met_again_after_a_stop() {
    let fabric = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    // 0 → 2 goes to 1, on to 2, stops at the host of 2, back to 1, and to 2 again.
    let list: [(usize, usize, &[u8]); 6] = [
        (0, 1, &[1]),
        (0, 2, &[1, 2, 2, 1, 3, 2]),
        (1, 0, &[1]),
        (1, 2, &[2]),
        (2, 0, &[1, 1]),
        (2, 1, &[1]),
    ];
    let odd = listed(&fabric, PairGranularity::Host, &list);
    let proof = verify(&fabric, &odd).unwrap();
    assert!(proof.is_deadlock_free(), "{}", proof.describe(&fabric));
    assert_eq!(proof.in_transit_stops, 2);
}

#[test]
fn ports_without_a_cable_and_wrong_ends_are_named() {
    let fabric = fabric_of(&[1, 1, 2], &[(0, 1), (1, 2)]);
    let list: [(usize, usize, &[u8]); 6] = [
        (0, 1, &[9]),
        (0, 2, &[1]),
        (1, 0, &[1]),
        (1, 2, &[2]),
        (2, 0, &[1, 1]),
        (2, 1, &[255]),
    ];
    let wrong = listed(&fabric, PairGranularity::Switch, &list);
    let proof = verify(&fabric, &wrong).unwrap();
    let pairs = unreached_of(&fabric, &proof).iter();
    let reasons: Vec<UnreachedReason> = pairs.map(|pair| pair.reason).collect();
    let unwired = |switch, port| UnreachedReason::DeadEnd {
        switch: SwitchId::new(switch),
        port: PortNumber::new(port),
        dead_end: DeadEnd::NoCable,
    };
    let expected = [
        unwired(0, 9),
        UnreachedReason::EndsAt(SwitchId::new(1)),
        unwired(2, 255),
    ];
    assert_eq!(reasons, expected);
    assert_eq!(
        proof.describe(&fabric),
        "not all reached: of 12 host pairs over 7 routes, 3 routes do not lead to their \
         destination\n\
         \x20 host0-2 → host1-3: takes port 9 of sw0, where no cable is\n\
         \x20 host0-2 → host2-2: ends at sw1, expected sw2\n\
         \x20 host2-2 → host1-3: takes port 255 of sw2, where no cable is"
    );
}

#[test]
fn many_pairs_not_reached_are_counted_and_ten_are_named() {
    let fabric = ring_of(6);
    let nowhere = routes(&fabric, PairGranularity::Host, |_, _| vec![]);
    let text = verify(&fabric, &nowhere).unwrap().describe(&fabric);
    assert!(text.starts_with("not all reached: of 30 host pairs over 30 routes, 30 routes do not"));
    assert_eq!(text.lines().count(), 12);
    assert!(text.ends_with("\n  and 20 more"));
}

#[test]
fn a_cable_back_to_the_same_switch_is_a_loop() {
    let fabric = fabric_of(&[1, 1], &[(0, 1), (0, 0)]);
    let list: [(usize, usize, &[u8]); 2] = [(0, 1, &[2, 1]), (1, 0, &[1])];
    let over_cable = listed(&fabric, PairGranularity::Host, &list);
    let proof = verify(&fabric, &over_cable).unwrap();
    assert!(matches!(&proof.verdict, Verdict::Loop(route) if route.switch == SwitchId::new(0)));
}

#[test]
fn hosts_of_one_switch_and_single_hosts_are_verified() {
    for (hosts, pairs) in [(1, 0), (2, 2), (5, 20)] {
        let fabric = fabric_of(&[hosts], &[]);
        for per in ["host", "switch"] {
            let routes = route_spec(&fabric, &format!("updown:per={per}"))
                .unwrap()
                .routes;
            let proof = verify(&fabric, &routes).unwrap();
            assert_eq!((proof.host_pairs, proof.dependencies), (pairs, pairs));
            let certificate = certificate_of(&fabric, &proof);
            assert_eq!(check_certificate(&fabric, &routes, certificate), Ok(()));
        }
    }
}

#[test]
fn routes_of_another_fabric_are_refused() {
    let (small, large) = (ring_of(3), ring_of(4));
    for (per, what) in [("host", "hosts"), ("switch", "switches")] {
        let routes = route_spec(&small, &format!("updown:per={per}"))
            .unwrap()
            .routes;
        let expected = ProofError::AnotherFabric {
            fabric: "test".to_owned(),
            what,
            found: 3,
            expected: 4,
        };
        assert_eq!(verify(&large, &routes).unwrap_err(), expected);
        let mut certificate = certificate_of(&small, &verify(&small, &routes).unwrap()).clone();
        let error = check_certificate(&large, &routes, &certificate).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the certificate has 12 ranks, 1 to a channel, but fabric “test” has 16 channels"
        );
        certificate.rank.resize(16, 0);
        let error = check_certificate(&large, &routes, &certificate).unwrap_err();
        assert_eq!(error, CertificateError::Routes(expected));
    }
}

#[test]
fn the_checker_refuses_routes_that_do_not_arrive() {
    let fabric = ring_of(4);
    let good = route_spec(&fabric, "updown").unwrap().routes;
    let certificate = certificate_of(&fabric, &verify(&fabric, &good).unwrap()).clone();
    for ports in [vec![], vec![77]] {
        let bad = routes(&fabric, PairGranularity::Host, |source, destination| {
            if (source, destination) == (0, 1) {
                return ports.clone();
            }
            let hosts = [source, destination].map(HostId::from_index);
            plain_steps(&fabric, &good, hosts[0], hosts[1])
                .iter()
                .map(|(port, _)| port.number())
                .collect()
        });
        let error = check_certificate(&fabric, &bad, &certificate).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the route host0-3 → host1-3 does not lead to its destination"
        );
    }
}
