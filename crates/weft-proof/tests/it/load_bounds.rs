//! Bounds of loads, looked at by a program that did not find them.

use proptest::prelude::*;
use weft_fabric::{Fabric, SwitchId};
use weft_proof::{LoadBoundError, check_load_bound};
use weft_routing::{BoundEffort, BoundedRoutes, LoadBound, load_bound, one_lane_bound};
use weft_testing::{cases, fabric_of, fabrics, largest};

const ALL: [BoundedRoutes; 3] = [
    BoundedRoutes::Any,
    BoundedRoutes::Shortest,
    BoundedRoutes::Tables,
];

fn found(fabric: &Fabric, routes: BoundedRoutes) -> LoadBound {
    load_bound(fabric, routes, BoundEffort::Quick).unwrap()
}

/// Four hosts at each of two switches, joined by a link (0) and by a way over a third (1, 2): 16 routes each way.
/// Weights of 1 on the link, and on one channel of the way round, show 8; of the link alone 0 for any routes, and
/// 16 for shortest ones.
#[test]
fn weights_show_what_a_hand_finds() {
    let fabric = fabric_of(&[4, 4, 0], &[(0, 1), (0, 2), (2, 1)]);
    let from = |channel| fabric.switches_of(channel).map(SwitchId::index);
    let bound = |ends: &[[usize; 2]], routes, least_load| LoadBound {
        routes,
        weights: fabric
            .channel_ids()
            .map(|channel| {
                let is_there = fabric.is_switch_channel(channel) && ends.contains(&from(channel));
                u32::from(is_there)
            })
            .collect(),
        least_load,
        mean_load: 0.0,
        split_load: 0.0,
        one_lane: None,
    };
    let [cut, link] = [&[[0, 1], [0, 2]][..], &[[0, 1]]];
    for (ends, routes, shown) in [
        (cut, BoundedRoutes::Any, 8),
        (cut, BoundedRoutes::Shortest, 8),
        (link, BoundedRoutes::Any, 0),
        (link, BoundedRoutes::Shortest, 16),
    ] {
        assert_eq!(
            check_load_bound(&fabric, &bound(ends, routes, shown)),
            Ok(())
        );
        let claimed = shown + 1;
        let shown = u128::from(shown);
        let refused = check_load_bound(&fabric, &bound(ends, routes, claimed));
        assert_eq!(refused, Err(LoadBoundError::ShowsLess { shown, claimed }));
    }
}

/// Of four hosts at each of two switches, joined by three cables, each reaches four others: two of these by one cable, which
/// carries eight routes. By five cables, one of them unweighted, nothing is shown of that, but that loads are multiples of
/// four; nor by weights at both ends.
#[test]
fn hosts_of_a_switch_take_one_port_to_a_host() {
    let shown = |cables: usize, is_weighted: &dyn Fn(usize, usize) -> bool| {
        let fabric = fabric_of(&[4, 4], &vec![(0, 1); cables]);
        let weight = |(place, channel)| {
            let [from, _] = fabric.switches_of(channel);
            u32::from(is_weighted(from.index(), place / 2))
        };
        let mut weights = vec![0; fabric.channel_count()];
        for (place, channel) in fabric.switch_channels().enumerate() {
            weights[channel.index()] = weight((place, channel));
        }
        let shown = |least_load| {
            let bound = LoadBound {
                routes: BoundedRoutes::Tables,
                weights: weights.clone(),
                least_load,
                mean_load: 0.0,
                split_load: 0.0,
                one_lane: None,
            };
            check_load_bound(&fabric, &bound).is_ok()
        };
        (0..40).take_while(|&load| shown(load)).last()
    };
    assert_eq!(shown(3, &|from, _| from == 0), Some(8));
    assert_eq!(shown(5, &|from, _| from == 0), Some(4));
    assert_eq!(shown(3, &|_, _| true), Some(8));
    // 16 routes over two of three cables may all take the third.
    assert_eq!(shown(3, &|from, cable| from == 0 && cable > 0), Some(0));
}

#[test]
fn bounds_of_other_fabrics_and_of_host_channels_are_refused() {
    let fabric = fabric_of(&[2, 2], &[(0, 1)]);
    let mut bound = found(&fabric, BoundedRoutes::Any);
    let host = weft_fabric::HostId::from_index(0);
    bound.weights[fabric.injection_channel(host).index()] = 3;
    let refused = check_load_bound(&fabric, &bound).unwrap_err().to_string();
    assert!(
        refused.ends_with("of a host has weight 3; expected 0, as every routing loads it alike"),
        "{refused}"
    );
    bound.weights.push(0);
    let refused = check_load_bound(&fabric, &bound).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the bound has 11 weights, but fabric “test” has 10 channels"
    );
    bound.weights.truncate(9);
    let refused = check_load_bound(&fabric, &bound).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the bound has 9 weights, but fabric “test” has 10 channels"
    );
}

/// Of four hosts at each of two switches one is a service end: 3 · 4 routes each way share the link.
#[test]
fn ends_of_service_send_nothing() {
    let fabric = fabric_of(&[4, 4], &[(0, 1)]);
    let compute: Vec<_> = fabric.host_ids().skip(1).collect();
    let fabric = fabric.with_compute(&compute);
    let mut bound = found(&fabric, BoundedRoutes::Any);
    assert_eq!(bound.least_load, 12);
    assert_eq!(found(&fabric, BoundedRoutes::Tables).least_load, 12);
    assert_eq!(check_load_bound(&fabric, &bound), Ok(()));
    bound.least_load = 16;
    let refused = check_load_bound(&fabric, &bound);
    let (shown, claimed) = (12, 16);
    assert_eq!(refused, Err(LoadBoundError::ShowsLess { shown, claimed }));
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn what_is_found_holds_and_no_more(fabric in fabrics(2)) {
        for routes in ALL {
            let mut bound = found(&fabric, routes);
            prop_assert_eq!(check_load_bound(&fabric, &bound), Ok(()));
            let shown = u128::from(bound.least_load);
            bound.least_load += 1;
            let claimed = bound.least_load;
            let refused = check_load_bound(&fabric, &bound);
            prop_assert_eq!(refused, Err(LoadBoundError::ShowsLess { shown, claimed }));
        }
    }

    /// On one lane, too; and no routes there are below, nor do stops make less of them than their price says.
    #[test]
    fn what_is_found_of_one_lane_holds_and_no_more(fabric in fabrics(2)) {
        for routes in ALL {
            for stop_cost in [None, Some(0), Some(3)] {
                let effort = BoundEffort::Quick;
                let mut bound = one_lane_bound(&fabric, routes, stop_cost, effort).unwrap();
                prop_assert_eq!(check_load_bound(&fabric, &bound), Ok(()));
                if stop_cost.is_none() && routes != BoundedRoutes::Shortest {
                    prop_assert!(bound.least_load <= largest(&fabric, "best:lanes=1,starts=1"));
                }
                let shown = u128::from(bound.least_load);
                bound.least_load += 1;
                let claimed = bound.least_load;
                let refused = check_load_bound(&fabric, &bound);
                prop_assert_eq!(refused, Err(LoadBoundError::ShowsLess { shown, claimed }));
            }
        }
    }
}
