//! Checks of certificates on small networks, chosen for what a check could pass over: proved, and then
//! each dependency in turn is turned round, which must be found.

use super::adaptive::{plain_graph, plain_phases};
use super::group_verdicts::group_arcs;
use super::properties::{Place, assert_each_is_needed, check_against_plain_walk};
use super::proved::certificate_of;
use std::collections::BTreeSet;
use std::num::NonZeroU8;
use weft_fabric::generate::{mesh, ring, torus, xgft};
use weft_fabric::{Fabric, PortNumber, SwitchId};
use weft_proof::{
    CertificateError, check_adaptive_certificate, check_certificate, verify, verify_adaptive,
};
use weft_routing::algorithms::route_adaptive_spec;
use weft_routing::{
    AdaptiveRoutes, ForwardingTables, Lane, PairGranularity, RouteRow, Routes, SourceRoutes,
};
use weft_testing::{fabric_of, route_spec, tables_of};

/// Routes by lists of ports and lanes.
fn listed(
    granularity: PairGranularity,
    count: usize,
    steps: impl Fn(usize, usize) -> Vec<(u8, u8)>,
) -> Routes {
    let on_lane = |(port, lane)| (PortNumber::new(port), Lane::new(lane));
    let route = |from, to| steps(from, to).into_iter().map(on_lane);
    let row = |from| RouteRow::on_lanes((0..count).map(|to| route(from, to)));
    SourceRoutes::from_rows(granularity, (0..count).map(row).collect()).into()
}

#[track_caller]
fn assert_checked(fabric: &Fabric, routes: &Routes) {
    let proof = verify(fabric, routes).unwrap();
    assert!(proof.is_deadlock_free(), "{}", proof.describe(fabric));
    check_against_plain_walk(fabric, routes).unwrap();
}

/// A row of three switches with two hosts each, ports 1 and 2 along it, hosts from 2 or 3 on.
fn row_of_three() -> Fabric {
    fabric_of(&[2, 2, 2], &[(0, 1), (1, 2)])
}

/// The ports along the row from one switch to another.
fn along(from: usize, to: usize) -> Vec<u8> {
    if from < to {
        (from..to).map(|at| if at == 0 { 1 } else { 2 }).collect()
    } else {
        (to..from).map(|_| 1).collect()
    }
}

/// Packets change from lane 0 to lane 1 where they stop, at the middle switch; those to its own hosts may
/// stop there last.
#[test]
fn a_host_that_sends_on_holds_its_channel_on_the_lane_of_the_next_step() {
    let fabric = row_of_three();
    let switch_of = |host: usize| host / 2;
    let routes = listed(PairGranularity::Host, 6, |from, to| {
        let ends = [from, to].map(switch_of);
        match ends {
            // Port 3 of the middle switch is its first host's.
            [0, 2] => vec![(1, 0), (3, 0), (2, 1)],
            [0, 1] if to == 3 => vec![(1, 0), (3, 0)],
            _ => {
                let ports = along(ends[0], ends[1]).into_iter();
                ports.map(|port| (port, 0)).collect()
            }
        }
    });
    assert_checked(&fabric, &routes);
    // Of what is beyond the stop a channel of lane 1 ranks above all of lane 0: it is the third there.
    let fabric = fabric_of(&[1; 4], &[(0, 1), (1, 2), (2, 3)]);
    let routes = listed(PairGranularity::Host, 4, |from, to| match [from, to] {
        [1, 3] => vec![(2, 0), (3, 0), (2, 1)],
        // The host of the stop itself sends on the other lane there.
        [2, 3] => vec![(2, 0)],
        [2, to] if to < 2 => (to..2).map(|_| (1, 0)).collect(),
        [from, to] if from < to => {
            let onward = (from..to).map(|at| (if at == 0 { 1 } else { 2 }, 1));
            onward.collect()
        }
        _ => (to..from).map(|_| (1, 1)).collect(),
    });
    assert_checked(&fabric, &routes);
}

#[test]
fn hosts_of_a_switch_share_routes_and_none_of_their_channels_is_passed_over() {
    let fabric = row_of_three();
    for lane in [0, 1] {
        let routes = listed(PairGranularity::Switch, 3, |from, to| {
            let ports = along(from, to).into_iter().enumerate();
            ports
                .map(|(place, port)| (port, lane * u8::from(place > 0)))
                .collect()
        });
        assert_eq!(routes.lane_count(), lane + 1);
        assert_checked(&fabric, &routes);
    }
    for fabric in [fabric, fabric_of(&[3], &[])] {
        for spec in [
            "down_preferred:per=switch",
            "down_preferred:per=host",
            "updown:per=switch",
        ] {
            let routing = route_spec(&fabric, spec).unwrap();
            assert_checked(&fabric, &routing.routes);
        }
    }
}

/// Two lanes by pairs, on tables and on lists; each lane has an order of its own.
#[test]
fn what_holds_on_one_lane_is_looked_at_on_the_other() {
    let fabric = row_of_three();
    let mut tables = tables_of(&fabric, "down_preferred:per=host");
    // By the source alone, so that to every destination lane 0 is first; or by both.
    for lane in [
        |place: usize| place / 6 % 2,
        |place: usize| (place / 6 + place) % 2,
    ] {
        let lane = |place| Lane::new(u8::from(lane(place) == 1));
        tables.set_lanes((0..36).map(lane).collect());
        assert_checked(&fabric, &tables.clone().into());
    }
    for spec in ["dimension_order", "dimension_order:per=host"] {
        if let Ok(routing) = route_spec(&torus(3, 3, 1).unwrap(), spec) {
            assert_checked(&torus(3, 3, 1).unwrap(), &routing.routes);
        }
    }
}

/// Packets of a pair that take lanes in turn depend on one another on each of them.
#[test]
fn each_turn_is_looked_at_on_its_own_lanes() {
    let fabric = mesh(3, 2, 2).unwrap();
    for spec in [
        "updown:per=switch",
        "updown:per=host",
        "down_preferred:per=host",
    ] {
        let once = route_spec(&fabric, spec).unwrap().routes;
        let mut twice = once.clone();
        twice
            .alternate(const { NonZeroU8::new(2).unwrap() })
            .unwrap();
        let proof = verify(&fabric, &twice).unwrap();
        let certificate = certificate_of(&fabric, &proof);
        assert_eq!(check_certificate(&fabric, &twice, certificate), Ok(()));
        // The dependencies of the first turn, which are those of routes that take none.
        let one_proof = verify(&fabric, &once).unwrap();
        assert_eq!(proof.dependencies, 2 * one_proof.dependencies, "{spec}");
        let one = certificate_of(&fabric, &one_proof);
        for lane in [0, 1] {
            // Flat on one lane alone.
            let mut wrong = certificate.clone();
            for rank in wrong.rank.iter_mut().skip(lane).step_by(2) {
                *rank = 0;
            }
            let checked = check_certificate(&fabric, &twice, &wrong);
            let is_found = matches!(checked, Err(CertificateError::NotAscending { .. }));
            assert!(is_found, "{spec} on lane {lane}");
        }
        // A certificate of fewer lanes says nothing of the second turn.
        assert_eq!(
            check_certificate(&fabric, &twice, one),
            Err(CertificateError::TooFewLanes {
                found: 1,
                expected: 2
            })
        );
    }
}

/// The last switch of a route between hosts may lead to the wrong one of its hosts.
#[test]
fn tables_that_lead_to_another_host_of_the_last_switch_are_refused() {
    let fabric = row_of_three();
    let right = tables_of(&fabric, "down_preferred:per=host");
    let proof = verify(&fabric, &right.clone().into()).unwrap();
    let certificate = certificate_of(&fabric, &proof);
    let mut wrong = right;
    let port = wrong.next_port(SwitchId::new(2), 4).unwrap();
    wrong.set_next_port(SwitchId::new(2), 5, port);
    let wrong = Routes::from(wrong);
    assert!(!verify(&fabric, &wrong).unwrap().is_deadlock_free());
    let checked = check_certificate(&fabric, &wrong, certificate);
    assert!(
        matches!(checked, Err(CertificateError::NotReached { .. })),
        "{checked:?}"
    );
}

/// A channel with more than 64 ports and lanes behind it.
#[test]
fn many_lanes_and_ports_have_each_their_place() {
    let fabric = fabric_of(&[20, 2], &[(0, 1)]);
    let mut tables = ForwardingTables::with_one_address(&fabric, PairGranularity::Host);
    for host in fabric.host_ids() {
        for at in fabric.switch_ids() {
            let is_there = fabric.host_switch(host) == at;
            let port = if is_there {
                fabric.host_port(host)
            } else {
                PortNumber::new(1)
            };
            tables.set_next_port(at, host.index(), port);
        }
    }
    let lane = |place: usize| Lane::new(u8::try_from(place % 4).unwrap());
    tables.set_lanes((0..22 * 22).map(lane).collect());
    let routes = Routes::from(tables);
    let proof = verify(&fabric, &routes).unwrap();
    let certificate = certificate_of(&fabric, &proof);
    assert_eq!(check_certificate(&fabric, &routes, certificate), Ok(()));
    // Each host sends by as many lanes as there are to the other switch and to each other host: to the
    // link on the lanes of the two or 20 hosts there, and from the link to these.
    let arcs: BTreeSet<_> = fabric
        .host_ids()
        .flat_map(|from| fabric.host_ids().map(move |to| (from, to)))
        .filter(|(from, to)| from != to)
        .flat_map(|(from, to)| {
            let lane = (from.index() * 22 + to.index()) % 4;
            let [start, end] = [from, to].map(|host| fabric.host_switch(host));
            if start == end {
                vec![(0, from.index(), to.index(), lane)]
            } else {
                vec![
                    (1, from.index(), start.index(), lane),
                    (2, start.index(), to.index(), lane),
                ]
            }
        })
        .collect();
    assert_eq!(proof.dependencies, arcs.len() as u64);
}

#[track_caller]
fn assert_adaptive_checked(fabric: &Fabric, routes: &AdaptiveRoutes) {
    let proof = verify_adaptive(fabric, routes).unwrap();
    let certificate = certificate_of(fabric, &proof);
    assert_eq!(
        check_adaptive_certificate(fabric, routes, certificate),
        Ok(proof.rests_on)
    );
    let arcs: BTreeSet<(Place, Place)> = match routes {
        AdaptiveRoutes::Tables(tables) => plain_graph(fabric, tables),
        AdaptiveRoutes::Groups(tables) => group_arcs(fabric, tables),
        AdaptiveRoutes::TwoPhase(routes) => plain_phases(fabric, routes),
    };
    assert_eq!(proof.dependencies, arcs.len() as u64);
    assert_each_is_needed(&arcs, certificate, |wrong| {
        check_adaptive_certificate(fabric, routes, wrong).map(drop)
    });
}

#[test]
fn of_packets_that_choose_every_dependency_is_looked_at() {
    for (fabric, spec) in [
        (ring(4, 2).unwrap(), "valiant"),
        (mesh(3, 2, 1).unwrap(), "ugal"),
        (ring(5, 2).unwrap(), "minimal_adaptive:lanes=2"),
        (mesh(3, 2, 2).unwrap(), "minimal_adaptive:lanes=3"),
        (fabric_of(&[3], &[]), "valiant"),
        (fabric_of(&[3], &[]), "minimal_adaptive:lanes=2"),
        (xgft(&[2, 2], &[1, 2]).unwrap(), "ar_ftree:lids=hbf"),
        (
            xgft(&[2, 2, 2], &[1, 2, 2]).unwrap(),
            "ar_updn:root=tops,lids=hbf",
        ),
        (fabric_of(&[3], &[]), "ar_updn:root=0"),
    ] {
        let routing = route_adaptive_spec(&fabric, spec).unwrap();
        assert_adaptive_checked(&fabric, &routing.routes);
    }
}
