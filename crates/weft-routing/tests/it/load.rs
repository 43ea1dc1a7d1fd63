//! Load figures worked out by hand.

#![expect(clippy::float_cmp, reason = "shares of halves and quarters are exact")]

use proptest::prelude::*;
use weft_fabric::generate::{mesh_of, torus_of};
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_routing::load::{channel_loads, figures};
use weft_routing::{
    AddressUse, ForwardingTables, PairGranularity, Rounds, Routing, congestion,
    congestion_by_address, demand_by_address, demand_figures, hottest_channels,
};
use weft_testing::{cases, fabric_of, fabrics, figures_of, route_spec};

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    weft_testing::assert_near(found, expected, 1e-12);
}

/// Two switches with three and two hosts, one link: 3 · 2 = 6 routes each way. Four other hosts
/// each; so a host that sends at the link rate puts a quarter of it on each route, and six routes
/// exceed the link from a load of 4/6 on.
#[test]
fn two_switches_saturate_at_their_link() {
    let fabric = fabric_of(&[3, 2], &[(0, 1)]);
    for spec in [
        "updown:per=host",
        "updown:per=switch",
        "simple_routes",
        "ud_itb:per=switch",
    ] {
        let figures = figures_of(&fabric, spec);
        for channel in fabric.channel_ids() {
            let expected = if fabric.is_switch_channel(channel) {
                6
            } else {
                4
            };
            assert_eq!(
                figures.routes_per_channel[channel.index()],
                expected,
                "{spec}"
            );
        }
        assert_eq!(figures.max_routes_per_channel, 6);
        assert_near(figures.mean_routes_per_channel, 6.0);
        assert_near(figures.saturation_bound, 4.0 / 6.0);
        assert_near(figures.mean_distance_links, 1.0);
        // 12 of the 20 pairs cross.
        assert_near(figures.mean_hops_links, 12.0 / 20.0);
        assert_eq!(figures.max_hops_links, 1);
        assert_near(figures.minimal_share, 1.0);
        assert_near(figures.mean_in_transit_stops, 0.0);
    }
}

#[test]
fn one_switch_saturates_at_its_hosts() {
    for hosts in [1, 2, 5] {
        let figures = figures_of(&fabric_of(&[hosts], &[]), "updown");
        assert_near(figures.saturation_bound, 1.0);
        assert_eq!(figures.max_routes_per_channel, hosts as u64 - 1);
        assert_near(figures.mean_routes_per_channel, 0.0);
        assert_near(figures.mean_hops_links, 0.0);
        assert_near(figures.minimal_share, 1.0);
    }
}

/// A ring of five with root 0: between 2 and 3 the direct link; from 1 to 3 the shortest way turns
/// 1-2-3 (down, up or down by the ids), so each pair can be told by hand. Levels: 0; 1, 4: 1;
/// 2, 3: 2. Minimal routes: 1→3 over 2: 1→2 down, 2→3 down (3 > 2): legal. 3→1: up, up: legal.
/// 2→4 over 3: 2→3 down, 3→4 up: a stop at 3. 4→2 over 3: 4→3 down, 3→2 up: a stop at 3.
/// 1↔4 over 0: up, down: legal. All others are neighbours or lie on a branch.
#[test]
fn stops_count_at_their_host() {
    let links = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
    let fabric = fabric_of(&[1, 1, 1, 2, 1], &links);
    for per in ["host", "switch"] {
        let spec = format!("ud_mitb:root=0,stop_host=round_robin,per={per}");
        let figures = figures_of(&fabric, &spec);
        assert_near(figures.mean_in_transit_stops, 2.0 / 20.0);
        assert_eq!(figures.max_in_transit_stops, 1);
        assert_near(figures.minimal_share, 1.0);
        assert_near(figures.mean_distance_links, 1.5);
        for host in fabric.host_ids() {
            // Five other hosts; the two stops, 2→4 and 4→2, fall to the two hosts of 3 in turn.
            let stops = u64::from(fabric.host_switch(host) == SwitchId::new(3));
            let injection = fabric.injection_channel(host);
            assert_eq!(figures.routes_per_channel[injection.index()], 5 + stops);
            assert_eq!(
                figures.routes_per_channel[injection.reverse().index()],
                5 + stops
            );
        }
        let legal = figures_of(&fabric, &format!("updown:root=0,per={per}"));
        assert_near(legal.minimal_share, 18.0 / 20.0);
        assert_near(
            legal.mean_distance_links,
            (18.0 * 1.5 + 2.0 * 1.5 + 2.0) / 20.0,
        );
        assert_eq!(legal.max_hops_links, 3);
    }
}

#[test]
fn shared_routes_count_for_every_pair_of_hosts() {
    let fabric = fabric_of(&[2, 0, 3, 1], &[(0, 1), (1, 2), (2, 3), (3, 0), (2, 2)]);
    let per_host = figures_of(&fabric, "updown:selection=first,per=host");
    let per_switch = figures_of(&fabric, "updown:selection=first,per=switch");
    assert_eq!(per_host.routes_per_channel, per_switch.routes_per_channel);
    assert_eq!(per_host.max_hops_links, per_switch.max_hops_links);
    assert_near(per_host.mean_hops_links, per_switch.mean_hops_links);
    assert_near(per_host.mean_distance_links, per_switch.mean_distance_links);
}

/// What is gathered where routes run together, on several cores, is what each pair of hosts adds.
fn assert_loads_are_those_of_all_pairs(fabric: &Fabric, name: &str) {
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    for per in ["", ":per=switch"] {
        let Ok(routing) = route_spec(fabric, &format!("{name}{per}")) else {
            continue;
        };
        let found = figures(fabric, &routing).routes_per_channel;
        let expected = channel_loads(fabric, &routing.routes, &hosts);
        assert_eq!(found, expected, "{name}{per}");
    }
}

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn loads_on_random_fabrics_are_those_of_all_pairs(fabric in fabrics(2)) {
        for algorithm in ["updown", "ud_itb", "lash", "minimal", "down_preferred", "multi_tree"] {
            assert_loads_are_those_of_all_pairs(&fabric, algorithm);
        }
    }
}

#[test]
fn loads_of_a_rule_are_those_of_all_pairs() {
    let grids = [
        torus_of(&[4, 3], 2),
        torus_of(&[6, 2, 3], 1),
        mesh_of(&[3, 2, 2], 1),
    ];
    for grid in grids {
        assert_loads_are_those_of_all_pairs(&grid.unwrap(), "dimension_order");
    }
}

/// Two switches with two hosts each, joined by two cables, over which the two addresses of every host part:
/// by the first alone one cable carries all four pairs, where sources may send to either each carries two.
#[test]
fn pairs_spread_evenly_over_the_addresses_they_may_send_to() {
    let fabric = fabric_of(&[2, 2], &[(0, 1), (0, 1)]);
    let mut tables = ForwardingTables::new(PairGranularity::Switch, 2, &[2, 2]);
    for (from, to) in [(0, 1), (1, 0)] {
        for (alias, address) in (1..).zip(tables.addresses(to)) {
            tables.set_next_port(SwitchId::from_index(from), address, PortNumber::new(alias));
        }
    }
    let first = Routing {
        routes: tables.clone().into(),
        ..route_spec(&fabric, "updown:per=switch").unwrap()
    };
    tables.send_to_any_address();
    let either = Routing {
        routes: tables.into(),
        ..first.clone()
    };
    let cables = |port| {
        fabric
            .outgoing_at(SwitchId::new(0), PortNumber::new(port))
            .unwrap()
    };
    let cables = [1, 2].map(|port| cables(port).index());
    let hosts: Vec<HostId> = fabric.host_ids().collect();
    for (routing, loads) in [(&first, [4, 0]), (&either, [2, 2])] {
        let found = figures(&fabric, routing);
        assert_eq!(cables.map(|cable| found.routes_per_channel[cable]), loads);
        assert_near(found.mean_hops_links, 8.0 / 12.0);
        assert_near(found.minimal_share, 1.0);
        let found = channel_loads(&fabric, &routing.routes, &hosts);
        assert_eq!(cables.map(|cable| found[cable]), loads);
        // Each host to the second after it: two pairs each way.
        let across = |host: HostId| {
            let to = HostId::from_index((host.index() + 2) % 4);
            vec![(to, 1.0)]
        };
        let found = demand_figures(&fabric, routing, across);
        for (cable, load) in cables.into_iter().zip(loads) {
            assert_near(found.load_per_channel[cable], load as f64 / 2.0);
        }
        let rounds = congestion(&fabric, &routing.routes, &hosts, Rounds::Shifts);
        let share = 2.0 / loads[0] as f64;
        assert_eq!(
            (rounds[1].mean_share, rounds[1].least_share),
            (share, share)
        );
        let hottest = hottest_channels(&fabric, &routing.routes, &hosts, 1, 9);
        assert_eq!(hottest[0].pairs, loads[0]);
    }

    // By first addresses alone, where either could be used; by a hash of one flow both pairs of a switch take one cable
    // in half of all draws, and many flows are nearly even.
    let rounds = |how| {
        let found = congestion_by_address(&fabric, &either.routes, &hosts, Rounds::Shifts, how);
        found[1].mean_share
    };
    let hashed = |flows, draw| AddressUse::Hashed {
        flows,
        seed: 1,
        draw,
    };
    assert_eq!(
        [AddressUse::Even, AddressUse::First].map(rounds),
        [1.0, 0.5]
    );
    let draws: Vec<f64> = (0..400).map(|draw| rounds(hashed(1, draw))).collect();
    assert!(draws.iter().all(|share| [0.5, 0.75, 1.0].contains(share)));
    let mean = draws.iter().sum::<f64>() / 400.0;
    assert!((mean - 0.75).abs() < 0.03, "{mean}");
    assert!(rounds(hashed(1000, 0)) > 0.9);
    let across = |host: HostId| vec![(HostId::from_index((host.index() + 2) % 4), 1.0)];
    let demand = |how| {
        let found = demand_by_address(&fabric, &either.routes, how, across);
        cables.map(|cable| found[cable])
    };
    assert_eq!(demand(AddressUse::Even), [1.0, 1.0]);
    assert_eq!(demand(AddressUse::First), [2.0, 0.0]);
    assert_near(demand(hashed(1024, 0)).iter().sum(), 2.0);
    for draw in 0..8 {
        let [one, other] = demand(hashed(1, draw));
        assert_near(one + other, 2.0);
        // Both pairs of the switch by one cable, and so both of them at half of the rate.
        let rest = congestion_by_address(
            &fabric,
            &either.routes,
            &[hosts[0], hosts[2]],
            Rounds::Shifts,
            hashed(1, draw),
        );
        assert_eq!(rest[0].mean_share, 1.0);
        assert!(one != 1.0 || rounds(hashed(1, draw)) >= 0.75);
    }
}
