//! Routings as subnet managers know them: by hand, and against one another.

use weft_fabric::generate::{k_ary_n_tree, ring, torus};
use weft_proof::verify;
use weft_routing::{Routes, RoutingError};
use weft_testing::{fabric_of, largest, route_spec};

/// Two switches of two hosts with two links: each link leads to one of the hosts beyond, for both
/// hosts here.
#[test]
fn parallel_links_are_shared_alike() {
    let pair = fabric_of(&[2, 2], &[(0, 1), (0, 1)]);
    for name in ["min_hop", "sssp", "dfsssp", "best"] {
        assert_eq!(largest(&pair, name), 2, "{name}");
    }
}

#[test]
fn weights_of_whole_paths_are_more_even_than_counts_per_port() {
    let torus = torus(8, 8, 8).unwrap();
    assert!(largest(&torus, "sssp") < largest(&torus, "min_hop"));
    let tree = k_ary_n_tree(4, 3).unwrap();
    assert!(largest(&tree, "sssp") < largest(&tree, "min_hop"));
}

/// Around a ring of five switches shortest paths turn everywhere, both ways round: one lane has a
/// cycle each way, two have none.
#[test]
fn dfsssp_lays_a_ring_on_two_lanes() {
    let ring = ring(5, 1).unwrap();
    for (name, word) in [("min_hop", "deadlock"), ("sssp", "deadlock")] {
        let routing = route_spec(&ring, name).unwrap();
        assert_eq!(verify(&ring, &routing.routes).unwrap().verdict.word(), word);
    }
    let routing = route_spec(&ring, "dfsssp:lanes=2").unwrap();
    assert!(verify(&ring, &routing.routes).unwrap().is_deadlock_free());
    assert_eq!(routing.routes.lane_count(), 2);
    let refused = route_spec(&ring, "dfsssp:lanes=1").unwrap_err();
    assert!(
        matches!(
            refused,
            RoutingError::TooFewLanes {
                lanes: 1,
                needed: 2,
                ..
            }
        ),
        "{refused}"
    );
}

/// A tree closes no cycle, so its one layer takes all lanes there are, in turn.
#[test]
fn lanes_to_spare_share_the_paths() {
    let tree = k_ary_n_tree(2, 3).unwrap();
    let routing = route_spec(&tree, "dfsssp:lanes=4").unwrap();
    let Routes::Tables(tables) = &routing.routes else {
        panic!("tables by destination");
    };
    assert_eq!(tables.lane_count(), 4);
    let mut paths = [0; 4];
    for source in (0..8).step_by(2) {
        for destination in 0..8 {
            paths[tables.lane(source, destination).index()] += 1;
        }
    }
    assert_eq!(paths, [8; 4]);
    assert!(verify(&tree, &routing.routes).unwrap().is_deadlock_free());
}
