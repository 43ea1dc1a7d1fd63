//! Dimension order on meshes and tori, by layout and by links alone, and what it refuses.

use proptest::prelude::*;
use weft_fabric::generate::{
    IrregularParameters, express_torus, irregular, mesh_of, rhinet_a_surrogate, torus_of,
};
use weft_fabric::{Fabric, HostId, metrics};
use weft_routing::algorithms::route_spec;
use weft_routing::{Routing, RoutingError};
use weft_testing::{cases, fabric_of, host_pairs, plain_steps, walk};

/// Ports and lanes of a route between the first hosts of two switches; for one host to a switch.
fn steps(fabric: &Fabric, routing: &Routing, from: usize, to: usize) -> Vec<(u8, u8)> {
    let [from, to] = [from, to].map(HostId::from_index);
    let steps = plain_steps(fabric, &routing.routes, from, to);
    steps
        .iter()
        .map(|(port, lane)| (port.number(), lane.number()))
        .collect()
}

fn numbers(fabric: &Fabric, routing: &Routing, from: usize, to: usize) -> Vec<u32> {
    let [from, to] = [from, to].map(HostId::from_index);
    walk(fabric, routing, from, to).numbers()
}

/// Links of a grid between the given places of its switches, each line of it doubled or not.
fn links(
    extents: &[usize],
    closed: bool,
    doubled: bool,
    place: impl Fn(usize) -> usize,
) -> Vec<(usize, usize)> {
    let count: usize = extents.iter().product();
    let mut links = Vec::new();
    let mut below = 1;
    for &extent in extents {
        for here in 0..count {
            let position = here / below % extent;
            let next = if position + 1 < extent {
                here + below
            } else if closed && extent > 2 {
                here + below - extent * below
            } else {
                continue;
            };
            let ends = (place(here), place(next));
            links.extend([ends, ends].into_iter().take(1 + usize::from(doubled)));
        }
        below *= extent;
    }
    links
}

proptest! {
    #![proptest_config(cases(120))]

    /// Switches of files come in any order, and their links tell the grid.
    #[test]
    fn grids_are_found_in_their_links_and_routed_minimally(
        extents in prop::collection::vec(1_usize..=5, 1..=3), closed in any::<bool>(),
        doubled in any::<bool>(), seed in any::<u64>(),
        tie in prop::sample::select(vec!["alternate", "positive", "random"]),
    ) {
        let count: usize = extents.iter().product();
        // An order that depends on the seed: numbers times an odd number, modulo a prime.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&at| (at as u64 + 1).wrapping_mul(seed | 1) % 1_000_003);
        let fabric = fabric_of(&vec![1; count], &links(&extents, closed, doubled, |at| order[at]));
        let routing = route_spec(&fabric, &format!("dimension_order:tie={tie},seed={seed}")).unwrap();
        let most = if closed { 2 } else { 1 };
        prop_assert!(routing.routes.lane_count() <= most);
        for (from, to) in host_pairs(&fabric) {
            let ends = [from, to].map(|host| fabric.host_switch(host));
            let distance = metrics::distances_from(&fabric, ends[0])[ends[1].index()];
            prop_assert_eq!(walk(&fabric, &routing, from, to).links(), distance as usize);
        }
    }
}

#[test]
fn x_comes_before_y_and_a_mesh_has_one_lane() {
    let fabric = mesh_of(&[4, 3, 2], 1).unwrap();
    let routing = route_spec(&fabric, "dimension_order").unwrap();
    assert_eq!(numbers(&fabric, &routing, 0, 23), [0, 1, 2, 3, 7, 11, 23]);
    assert_eq!(
        numbers(&fabric, &routing, 23, 0),
        [23, 22, 21, 20, 16, 12, 0]
    );
    assert_eq!(routing.routes.lane_count(), 1);
}

/// Ports of the torus: host 1, then towards larger x 2, smaller x 3, larger y 4, smaller y 5.
#[test]
fn a_torus_takes_lane_0_from_the_link_that_closes_a_ring() {
    let fabric = torus_of(&[5, 5], 1).unwrap();
    let routing = route_spec(&fabric, "dimension_order").unwrap();
    // x: 3 → 4 → 0, over the closing link; y: 1 → 2, on lane 1 again.
    assert_eq!(numbers(&fabric, &routing, 8, 10), [8, 9, 5, 10]);
    assert_eq!(steps(&fabric, &routing, 8, 10), [(2, 1), (2, 0), (4, 1)]);
    // x: 1 → 0 → 4, the other way, and y: 0 → 4 at once.
    assert_eq!(numbers(&fabric, &routing, 1, 24), [1, 0, 4, 24]);
    assert_eq!(steps(&fabric, &routing, 1, 24), [(3, 1), (3, 0), (5, 0)]);
    assert_eq!(routing.routes.lane_count(), 2);
}

/// Whatever the ties and parallel links: where a packet goes depends on its switch and destination alone.
#[test]
fn one_address_for_each_destination_is_enough() {
    for extents in [[4, 4].as_slice(), &[6, 4, 2], &[2, 2], &[8]] {
        let fabric = torus_of(extents, 2).unwrap();
        for per in ["switch", "host"] {
            let spec = format!("dimension_order:per={per}");
            let routing = route_spec(&fabric, &spec).unwrap();
            let tables = weft_routing::to_tables(&fabric, &routing.routes, 0);
            assert!(tables.is_ok(), "{extents:?} {per}: {tables:?}");
        }
    }
    // On a 4×4 torus from (1, 0) to (2, 2): at (2, 0), which is even, to larger y.
    let fabric = torus_of(&[4, 4], 1).unwrap();
    let routing = route_spec(&fabric, "dimension_order").unwrap();
    assert_eq!(numbers(&fabric, &routing, 1, 10), [1, 2, 6, 10]);
}

#[test]
fn ties_half_way_round_alternate_or_are_positive() {
    let fabric = torus_of(&[4, 4], 1).unwrap();
    let alternate = route_spec(&fabric, "dimension_order").unwrap();
    assert_eq!(numbers(&fabric, &alternate, 0, 2), [0, 1, 2]);
    assert_eq!(numbers(&fabric, &alternate, 1, 3), [1, 0, 3]);
    assert_eq!(numbers(&fabric, &alternate, 4, 6), [4, 7, 6]);
    let positive = route_spec(&fabric, "dimension_order:tie=positive").unwrap();
    assert_eq!(numbers(&fabric, &positive, 1, 3), [1, 2, 3]);
    assert_eq!(numbers(&fabric, &positive, 4, 6), [4, 5, 6]);
    let drawn = |seed: u64| {
        let spec = format!("dimension_order:tie=random,seed={seed}");
        route_spec(&fabric, &spec).unwrap().routes
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}

#[test]
fn parallel_links_share_the_pairs() {
    // Two switches with two links: ports 1 and 2; from the hosts of switch 0 to those of switch 1.
    let fabric = fabric_of(&[2, 2], &[(0, 1), (0, 1)]);
    let routing = route_spec(&fabric, "dimension_order:per=host").unwrap();
    let mut taken = [0; 2];
    for from in 0..2 {
        for to in 2..4 {
            taken[usize::from(steps(&fabric, &routing, from, to)[0].0) - 1] += 1;
        }
    }
    assert_eq!(taken, [2, 2]);
}

#[test]
fn a_grid_is_found_beside_switches_that_no_link_joins_to_it() {
    // A mesh of 2×3, and two switches without hosts that lead to each other alone.
    let mesh = [(0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5)];
    let with_others: Vec<_> = mesh.into_iter().chain([(6, 7)]).collect();
    let alone = fabric_of(&[1; 6], &mesh);
    let beside = fabric_of(&[1, 1, 1, 1, 1, 1, 0, 0], &with_others);
    let [alone_routes, routes] =
        [&alone, &beside].map(|fabric| route_spec(fabric, "dimension_order").unwrap());
    for (from, to) in [(0, 5), (5, 0), (2, 3)] {
        let found = numbers(&beside, &routes, from, to);
        assert_eq!(found, numbers(&alone, &alone_routes, from, to));
        assert_eq!(found.len(), 4);
    }
}

#[test]
fn what_is_no_full_grid_is_refused_with_the_reason() {
    let refused = |fabric: &Fabric| {
        let error = route_spec(fabric, "dimension_order").unwrap_err();
        assert!(matches!(error, RoutingError::NoGrid { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(&express_torus(8, 8, 1).unwrap()),
        "fabric “express-torus-8x8” is no full mesh or torus: a link joins “sw0” and “sw2”, which are \
         no neighbours on a line; dimension-order routes exist on these alone, so choose another \
         routing"
    );
    assert!(
        refused(&rhinet_a_surrogate(1).unwrap())
            .contains("no link leads from “sw5” on along dimension 1")
    );
    // A star, and a square with a tail.
    assert!(
        refused(&fabric_of(&[1; 4], &[(0, 1), (0, 2), (0, 3)]))
            .contains("neither a path nor a ring")
    );
    let tail = fabric_of(&[1; 5], &[(0, 1), (1, 2), (2, 3), (3, 0), (0, 4)]);
    assert!(refused(&tail).contains("no full mesh or torus"));
    assert!(
        refused(&irregular(&IrregularParameters::default()).unwrap())
            .contains("no full mesh or torus")
    );
}
