//! Nue: worked out by hand, proved on any number of lanes, and beside published figures.

use super::proved::proved;
use proptest::prelude::*;
use weft_fabric::HostId;
use weft_fabric::generate::{k_ary_n_tree, ring, torus};
use weft_routing::Routes;
use weft_testing::{
    assert_near, cases, fabrics, figures_of, irregular_of, largest, loads, route_spec, walk,
};

/// Escape ways are 1 – 0 – 3 and 2 below 1. By this seed trees come for 0, 1, 3, 2. To 0, switch 2 goes by 3, the
/// lower port; to 1, switch 3 goes by 2, whose channels carry nothing yet. Switch 1 would go to 3 by 2,
/// the lower port of equals, but 1 → 2 → 3 closes the circle 2 → 3 → 0 → 1 → 2, so it goes by 0; and
/// switch 0 goes to 2 by 1, whose channels carry less.
#[test]
fn a_ring_on_one_lane_turns_everywhere_but_once_each_way() {
    let ring = ring(4, 1).unwrap();
    let routing = proved(&ring, "nue:seed=47");
    let ways = [[2, 3, 0], [3, 2, 1], [1, 0, 3], [0, 1, 2]];
    for way in ways {
        let [from, to] = [way[0], way[2]].map(HostId::new);
        assert_eq!(walk(&ring, &routing, from, to).numbers(), way);
    }
    assert_eq!(routing.parameters["lanes"], "1");
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_number_of_lanes_joins_all_pairs_free_of_deadlock(
        fabric in fabrics(0), lanes in 1_u8..=15,
    ) {
        let routing = proved(&fabric, &format!("nue:lanes={lanes}"));
        let Routes::Tables(tables) = &routing.routes else {
            panic!("tables by destination");
        };
        prop_assert!(tables.lane_count() <= lanes);
        // The destination alone decides the lane.
        for to in 0..fabric.host_count() {
            for from in 0..fabric.host_count() {
                prop_assert_eq!(tables.lane(from, to), tables.lane(0, to));
            }
        }
    }
}

/// On whole trees up-down turns close no cycle, so that nothing is ever blocked: routes are the shortest,
/// and the channels carry no more than by `OpenSM`'s engine, 88 and 832 at most, within a twentieth.
#[test]
fn whole_trees_are_routed_by_shortest_paths_and_evenly() {
    for (k, published) in [(4, 88), (8, 832)] {
        let tree = k_ary_n_tree(k, 3).unwrap();
        let (found, largest) = loads(&tree, &route_spec(&tree, "nue").unwrap());
        assert!(20 * largest <= 21 * published);
        assert_near(found.minimal_share, 1.0, 1e-12);
    }
}

/// Were trees grown for one switch after the other, outward from the first, the fullest channel of the
/// torus would carry 1.8 times what no routing stays below.
#[test]
fn trees_in_random_order_are_even() {
    let torus = torus(8, 8, 8).unwrap();
    assert!(10 * largest(&torus, "nue:lanes=4") < 13 * 4096);
}

/// `OpenSM`'s engine has routes of 3.71 links on a random network of 64 switches on one lane and 4.70
/// on the 8×8 torus; up*/down* has 3.90 and 4.57 links there.
#[test]
fn one_lane_has_routes_between_the_shortest_and_those_of_up_down() {
    let mut sums = [0.0; 4];
    for seed in 1..=10 {
        let fabric = irregular_of(64, seed);
        for (sum, spec) in sums.iter_mut().zip([
            "minimal:per=switch",
            "nue:lanes=8",
            "nue",
            "updown:per=switch",
        ]) {
            *sum += figures_of(&fabric, spec).mean_distance_links / 10.0;
        }
    }
    assert!(sums.is_sorted(), "{sums:?}");
    assert!(sums[1] < 1.02 * sums[0] && sums[2] < 3.78, "{sums:?}");
    let torus = torus(8, 8, 1).unwrap();
    assert!(figures_of(&torus, "nue").mean_distance_links < 4.7);
    assert!(figures_of(&torus, "nue:lanes=8").mean_distance_links < 4.1);
}
