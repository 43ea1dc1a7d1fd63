//! Tables by destination alone: worked examples, distances, balance.

use weft_fabric::generate::{k_ary_n_tree, mesh, rhinet_a_surrogate, torus};
use weft_fabric::{Fabric, SwitchId};
use weft_routing::algorithms::route_spec;
use weft_routing::{Routes, Routing};
use weft_testing::{
    fabric_of, figures_of, host_pairs, irregular_of, loads, switches_on_routes, walk,
};

/// The switches of the route between the first hosts of two switches.
fn switches(fabric: &Fabric, routing: &Routing, from: u32, to: u32) -> Vec<u32> {
    let [source, destination] = [from, to].map(|s| fabric.hosts_of(SwitchId::new(s))[0]);
    walk(fabric, routing, source, destination).numbers()
}

/// Root 0 above 1 to 4, which are joined in a row.
fn row_below_a_root() -> Fabric {
    let links = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4)];
    fabric_of(&[1; 5], &links)
}

#[test]
fn a_way_down_is_taken_though_one_over_the_root_is_shorter() {
    let fabric = row_below_a_root();
    for per in ["switch", "host"] {
        let spec = format!("down_preferred:root=0,selection=first,per={per}");
        let routing = route_spec(&fabric, &spec).unwrap();
        assert!(matches!(routing.routes, Routes::Tables(_)));
        for (expected, from, to) in [
            // 1, 0, 4 is legal and shorter; but 0 may have sent to 1, which must not send back.
            (vec![1, 2, 3, 4], 1, 4),
            (vec![1, 2, 3], 1, 3),
            // No way leads down from 3 to 1; of two ways of equal length the lower port's.
            (vec![3, 0, 1], 3, 1),
            (vec![4, 0, 1], 4, 1),
            (vec![4, 3], 4, 3),
            (vec![0, 4], 0, 4),
        ] {
            assert_eq!(switches(&fabric, &routing, from, to), expected, "{per}");
        }
    }
}

#[test]
fn prefix_routes_go_up_across_once_and_down() {
    let fabric = row_below_a_root();
    let routing = route_spec(&fabric, "prefix:root=0").unwrap();
    assert_eq!(switches(&fabric, &routing, 1, 4), [1, 0, 4]);
    assert_eq!(switches(&fabric, &routing, 1, 2), [1, 2]);
    assert_eq!(switches(&fabric, &routing, 2, 1), [2, 1]);

    // Branches 1-3 and 2-4 below root 0, and a link across from 3 to 2.
    let fabric = fabric_of(&[1; 5], &[(0, 1), (0, 2), (1, 3), (2, 4), (3, 2)]);
    let routing = route_spec(&fabric, "prefix:root=0").unwrap();
    assert_eq!(switches(&fabric, &routing, 3, 4), [3, 2, 4]);
    assert_eq!(switches(&fabric, &routing, 4, 3), [4, 2, 3]);
    // 3 stands below 1, but is not above 4: the way across is not known to 1.
    assert_eq!(switches(&fabric, &routing, 1, 4), [1, 0, 2, 4]);
    // Depth first the same switches form a chain 0-1-3-2-4, with a shortcut from 0 to 2.
    let routing = route_spec(&fabric, "prefix:root=0,tree=depth_first").unwrap();
    assert_eq!(switches(&fabric, &routing, 0, 4), [0, 2, 4]);
    assert_eq!(switches(&fabric, &routing, 4, 1), [4, 2, 0, 1]);
    assert_eq!(switches(&fabric, &routing, 3, 0), [3, 1, 0]);
}

/// Published for prefix routing on topology A: 4.89 switches on average, 11 at most. The figures of
/// mesh and torus were computed independently, for this tree and this order of ports.
#[test]
fn prefix_routes_have_the_known_lengths() {
    for (fabric, mean, most) in [
        (rhinet_a_surrogate(1).unwrap(), 4.89, 11),
        (mesh(4, 4, 1).unwrap(), 4.16, 10),
        (torus(4, 4, 1).unwrap(), 3.38, 7),
    ] {
        let found = switches_on_routes(&fabric, "prefix:root=0");
        assert!(
            (found.0 - mean).abs() <= 5.001e-3,
            "{}: {found:?}",
            fabric.name()
        );
        assert_eq!(found.1, most, "{}", fabric.name());
    }
}

/// Computed independently: 0.1 to 0.3 % above the shortest legal routes, on average.
#[test]
fn without_knowing_the_input_port_routes_are_hardly_longer() {
    for switches in [16, 32, 64] {
        let (mut tables, mut legal) = (0.0, 0.0);
        for seed in 1..=50 {
            let fabric = irregular_of(switches, seed);
            tables += figures_of(&fabric, "down_preferred:per=switch").mean_distance_links;
            legal += figures_of(&fabric, "updown:per=switch").mean_distance_links;
        }
        let ratio = tables / legal;
        assert!((1.0005..1.0035).contains(&ratio), "{switches}: {ratio}");
    }
}

/// In a tree that is whole, no channel between switches need carry more than one to a host.
#[test]
fn loads_are_balanced_over_destinations() {
    for (arity, hosts) in [(4, 64), (8, 512)] {
        let fabric = k_ary_n_tree(arity, 3).unwrap();
        let most = |selection: &str| {
            let spec = format!("down_preferred:root=tops,per=host,selection={selection}");
            figures_of(&fabric, &spec).max_routes_per_channel
        };
        assert_eq!(most("least_loaded"), hosts - 1);
        assert!(most("random") > hosts - 1);
        assert!(most("first") > most("random"));
    }
    for seed in 1..=5 {
        let fabric = irregular_of(64, seed);
        let [first, least_loaded] = ["first", "least_loaded"].map(|selection| {
            let spec = format!("down_preferred:selection={selection}");
            figures_of(&fabric, &spec).max_routes_per_channel
        });
        assert!(least_loaded < first, "{least_loaded} of {first}");
    }
}

/// Tables have an entry for each host, as those of subnet managers, on clusters of more than a thousand too.
#[test]
fn hosts_have_entries_of_their_own_on_large_clusters() {
    let fabric = k_ary_n_tree(11, 3).unwrap();
    let routing = route_spec(&fabric, "down_preferred:root=tops").unwrap();
    assert_eq!(fabric.host_count(), 1331);
    assert_eq!(routing.parameters["per"], "host");
    assert_eq!(loads(&fabric, &routing).1, 1331 - 11);
}

/// Hosts on leaves, in the middle and at the top of a tree: with one root they all reach each other.
#[test]
fn hosts_on_spines_are_reached() {
    let links = [0, 1, 2]
        .map(|leaf| [3, 4].map(|spine| (leaf, spine)))
        .concat();
    let fabric = fabric_of(&[2, 2, 1, 1, 1], &links);
    for spec in ["down_preferred", "down_preferred:root=3", "prefix"] {
        let routing = route_spec(&fabric, spec).unwrap();
        for (source, destination) in host_pairs(&fabric) {
            let found = walk(&fabric, &routing, source, destination);
            assert_eq!(
                found.switches.last(),
                Some(&fabric.host_switch(destination))
            );
        }
        // Spine to spine leads over a leaf.
        assert_eq!(switches(&fabric, &routing, 3, 4).len(), 3, "{spec}");
    }
}

#[test]
fn several_roots_do_not_go_with_a_depth_first_search() {
    let fabric = row_below_a_root();
    let refused = route_spec(&fabric, "down_preferred:orientation=depth_first,root=0+1");
    let text = refused.unwrap_err().to_string();
    assert!(
        text.starts_with(
            "found “0+1” for parameter root of routing down_preferred, expected one root for \
             orientation=depth_first: min_average"
        ),
        "{text}"
    );
}
