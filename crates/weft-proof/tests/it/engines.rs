//! Routings as subnet managers know them: by hand, and against one another.

use weft_fabric::generate::{k_ary_n_tree, ring, torus};
use weft_proof::verify;
use weft_routing::{Routes, RoutingError};
use weft_testing::{assert_near, fabric_of, largest, loads, route_spec};

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

/// Around a ring of five with root 0, switches 1 and 4 are below it, 2 and 3 below these, and of the last
/// two that with the lower number is up. Between 2 and 4 the way over 3 goes down and up again, so both take
/// the three links over the root: 10 pairs have one link, 8 two and 2 three.
#[test]
fn updn_goes_up_and_then_down() {
    let ring = ring(5, 1).unwrap();
    let routing = route_spec(&ring, "updn:root=0").unwrap();
    assert_near(loads(&ring, &routing).0.mean_hops_links, 1.6, 1e-12);
    assert!(verify(&ring, &routing.routes).unwrap().is_deadlock_free());
    let refused = route_spec(&ring, "updn").unwrap_err();
    assert!(
        matches!(refused, RoutingError::NoRootFound { .. }),
        "{refused}"
    );
}

/// Over four leaves a spine with a host is joined to all leaves; two such spines are not to one another, as the
/// way goes down and up again.
#[test]
fn updn_tells_of_hosts_that_it_leaves_apart() {
    let links = [0, 1, 2, 3].map(|leaf| [(leaf, 4), (leaf, 5), (leaf, 6)]);
    let one = fabric_of(&[2, 2, 2, 2, 0, 0, 1], links.as_flattened());
    assert!(route_spec(&one, "updn:root=4+5+6").is_ok());
    let two = fabric_of(&[2, 2, 2, 2, 0, 1, 1], links.as_flattened());
    let refused = route_spec(&two, "updn:root=4+5+6").unwrap_err();
    assert!(
        matches!(refused, RoutingError::RootsUnjoined { .. }),
        "{refused}"
    );
}
