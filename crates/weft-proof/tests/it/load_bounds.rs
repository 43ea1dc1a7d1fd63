//! Bounds of loads, looked at by a program that did not find them.

use proptest::prelude::*;
use weft_fabric::{Fabric, SwitchId};
use weft_proof::{LoadBoundError, check_load_bound};
use weft_routing::{BoundEffort, BoundedRoutes, LoadBound, load_bound};
use weft_testing::{cases, fabric_of, fabrics};

const BOTH: [BoundedRoutes; 2] = [BoundedRoutes::Any, BoundedRoutes::Shortest];

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
        split_load: 0.0,
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
        for routes in BOTH {
            let mut bound = found(&fabric, routes);
            prop_assert_eq!(check_load_bound(&fabric, &bound), Ok(()));
            let shown = u128::from(bound.least_load);
            bound.least_load += 1;
            let claimed = bound.least_load;
            let refused = check_load_bound(&fabric, &bound);
            prop_assert_eq!(refused, Err(LoadBoundError::ShowsLess { shown, claimed }));
        }
    }
}
