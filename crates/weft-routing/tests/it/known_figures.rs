//! Figures that are published or were computed independently.

use weft_fabric::Fabric;
use weft_fabric::generate::{CplantReading, cplant, express_torus, mesh, torus, xgft};
use weft_routing::algorithms::route_spec;
use weft_testing::{assert_near, figures_of, host_pairs, irregular_of, switches_on_routes, walk};

#[test]
fn the_8x8_torus_with_root_0_has_the_known_distances() {
    let fabric = torus(8, 8, 8).unwrap();
    for spec in ["updown:root=0", "updown:root=0,per=switch,selection=first"] {
        let legal = figures_of(&fabric, spec);
        assert_near(legal.mean_distance_links, 4.5714, 5e-5);
        assert_near(legal.minimal_share, 0.818, 5e-4);
    }
    let minimal = figures_of(&fabric, "minimal");
    assert_near(minimal.mean_distance_links, 4.0635, 5e-5);
    assert_near(minimal.minimal_share, 1.0, 0.0);
}

/// In-transit buffers help CPLANT by balance alone, the paper remarks: its routes are short already.
#[test]
fn cplant_with_root_0_has_minimal_routes_by_both_readings() {
    for (reading, mean) in [
        (CplantReading::CubeOfHypercubes, 2.489),
        (CplantReading::AllGroups, 2.450),
    ] {
        let legal = figures_of(&cplant(reading, 8).unwrap(), "updown:root=0");
        assert_near(legal.minimal_share, 1.0, 0.0);
        assert_near(legal.mean_distance_links, mean, 5e-4);
    }
}

#[test]
fn simple_routes_keeps_the_published_mean_on_the_8x8_torus() {
    let fabric = torus(8, 8, 8).unwrap();
    for spec in ["simple_routes:root=0", "simple_routes:root=0,per=switch"] {
        let balanced = figures_of(&fabric, spec);
        assert_near(balanced.mean_distance_links, 4.57, 5e-3);
        assert_near(balanced.minimal_share, 0.80, 0.02);
        let first = figures_of(&fabric, "updown:root=0,selection=first");
        assert!(balanced.max_routes_per_channel < first.max_routes_per_channel);
    }
}

#[test]
fn the_express_torus_with_root_0_has_the_known_share_of_minimal_routes() {
    let fabric = express_torus(8, 8, 8).unwrap();
    let legal = figures_of(&fabric, "updown:root=0");
    assert_near(legal.minimal_share, 0.9375, 5e-5);
    let balanced = figures_of(&fabric, "simple_routes:root=0");
    assert_near(balanced.minimal_share, 0.94, 5e-3);
}

#[test]
fn on_the_8x8_torus_732_of_4032_pairs_need_a_stop() {
    let fabric = torus(8, 8, 1).unwrap();
    let routing = route_spec(&fabric, "ud_mitb:root=0").unwrap();
    let stops = |&(from, to): &_| !walk(&fabric, &routing, from, to).stops.is_empty();
    assert_eq!(host_pairs(&fabric).into_iter().filter(stops).count(), 732);
    let legal = figures_of(&fabric, "updown:root=0");
    assert_near((1.0 - legal.minimal_share) * 4032.0, 732.0, 1e-6);
}

/// Per size of the network: minimal mean, legal mean, share of legal routes that are minimal.
const IRREGULAR: [(u32, f64, f64, f64); 4] = [
    (8, 1.43, 1.44, 0.993),
    (16, 1.97, 2.14, 0.856),
    (32, 2.54, 2.97, 0.728),
    (64, 3.16, 3.90, 0.600),
];

/// Ten networks differ from ten others: the means by 2 %, the shares by 0.02.
#[test]
fn irregular_networks_have_the_known_distances() {
    for (switches, minimal_mean, legal_mean, minimal_share) in IRREGULAR {
        let mut sums = [0.0; 3];
        for fabric in ten_irregular(switches) {
            let legal = figures_of(&fabric, "updown:per=switch");
            let minimal = figures_of(&fabric, "minimal:per=switch");
            sums[0] += minimal.mean_distance_links;
            sums[1] += legal.mean_distance_links;
            sums[2] += legal.minimal_share;
        }
        assert_near(sums[0] / 10.0, minimal_mean, 0.02 * minimal_mean);
        assert_near(sums[1] / 10.0, legal_mean, 0.02 * legal_mean);
        assert_near(sums[2] / 10.0, minimal_share, 0.02);
    }
}

/// Per size of the network: mean in-transit stops of `ud_itb` and of `ud_mitb`, and share of pairs
/// without a minimal legal route.
const STOPS: [(u32, f64, f64, f64); 3] = [
    (16, 0.26, 0.14, 0.14),
    (32, 0.40, 0.27, 0.27),
    (64, 0.56, 0.41, 0.40),
];

#[test]
fn irregular_networks_have_the_known_in_transit_stops() {
    for (switches, any_minimal, fewest, share) in STOPS {
        let mut sums = [0.0; 3];
        for fabric in ten_irregular(switches) {
            sums[0] += figures_of(&fabric, "ud_itb").mean_in_transit_stops;
            let figures = figures_of(&fabric, "ud_mitb");
            sums[1] += figures.mean_in_transit_stops;
            assert!(figures.max_in_transit_stops <= 2);
            sums[2] += 1.0 - figures_of(&fabric, "updown:per=switch").minimal_share;
        }
        assert_near(sums[0] / 10.0, any_minimal, 0.02);
        assert_near(sums[1] / 10.0, fewest, 0.02);
        assert_near(sums[2] / 10.0, share, 0.02);
    }
}

/// Per size of the network: mean of the depth-first legal routes and share of them that are minimal.
const DEPTH_FIRST: [(u32, f64, f64); 3] = [(16, 2.08, 0.902), (32, 2.82, 0.792), (64, 3.71, 0.681)];

#[test]
fn irregular_networks_have_the_known_depth_first_distances() {
    for (switches, mean, share) in DEPTH_FIRST {
        let mut sums = [0.0; 3];
        for fabric in ten_irregular(switches) {
            let depth_first = figures_of(&fabric, "dfs:per=switch");
            sums[0] += depth_first.mean_distance_links;
            sums[1] += depth_first.minimal_share;
            sums[2] += figures_of(&fabric, "updown:per=switch").mean_distance_links;
        }
        assert_near(sums[0] / 10.0, mean, 0.02 * mean);
        assert_near(sums[1] / 10.0, share, 0.02);
        assert!(sums[0] < sums[2], "shorter than by levels");
    }
}

#[test]
fn depth_first_routes_have_the_published_lengths_from_every_root() {
    let fabrics = [
        (mesh(4, 4, 1).unwrap(), 3.50, 7),
        (torus(4, 4, 1).unwrap(), 3.00, 5),
    ];
    for (fabric, mean, most) in &fabrics {
        for root in 0..16 {
            let found = switches_on_routes(fabric, &format!("dfs:root={root},per=switch"));
            assert_near(found.0, *mean, 1e-9);
            assert_eq!(found.1, *most, "root {root}");
        }
    }
}

#[test]
fn depth_first_routes_on_the_8x8_torus_are_shorter_than_by_levels() {
    let fabric = torus(8, 8, 1).unwrap();
    let (mean, most) = switches_on_routes(&fabric, "dfs:per=switch");
    assert_near(mean, 5.28, 5e-3);
    assert_eq!(most, 11);
    let (mean, most) = switches_on_routes(&fabric, "updown:root=0,per=switch");
    assert_near(mean, 5.50, 5e-3);
    assert_eq!(most, 13);
}

/// Per size of the network: share of pairs whose minimal routes all turn up twice or more.
const TWO_TRANSITIONS: [(u32, f64, f64); 3] =
    [(16, 0.0, 0.0), (32, 0.001, 0.002), (64, 0.012, 0.006)];

#[test]
fn two_descending_layers_leave_out_the_known_share_of_minimal_routes() {
    for (switches, share, tolerance) in TWO_TRANSITIONS {
        let mut left_out = 0.0;
        for fabric in ten_irregular(switches) {
            left_out += 1.0 - figures_of(&fabric, "descending_layers:per=switch").minimal_share;
            let three = figures_of(&fabric, "descending_layers:lanes=3,per=switch");
            assert_near(three.minimal_share, 1.0, 0.0);
        }
        assert_near(left_out / 10.0, share, tolerance);
    }
}

#[test]
fn every_further_tree_shortens_the_routes_of_irregular_networks() {
    for switches in [16, 32, 64] {
        let mut means = [0.0; 3];
        for fabric in ten_irregular(switches) {
            for (mean, trees) in means.iter_mut().zip(1..) {
                let spec = format!("multi_tree:trees={trees},per=switch");
                *mean += figures_of(&fabric, &spec).mean_distance_links;
            }
        }
        assert!(
            means[1] < means[0] && means[2] < means[1],
            "{switches}: {means:?}"
        );
    }
}

/// A pod of 16 hosts sends 80 others 1,280 routes over eight links up.
#[test]
fn best_itb_is_as_even_on_a_tapered_tree_as_can_be_and_never_stops() {
    let figures = figures_of(&xgft(&[4, 4, 6], &[1, 4, 2]).unwrap(), "best_itb");
    assert_eq!(figures.max_routes_per_channel, 160);
    assert_eq!(figures.max_in_transit_stops, 0);
    assert_near(figures.minimal_share, 1.0, 0.0);
}

/// Published mean factors of throughput over one tree: of two trees, of three (Flich, López, Sancho,
/// Robles, Duato, "Improving `InfiniBand` routing through multiple virtual networks", ISHPC 2002,
/// tables 1 and 4).
const FACTORS_OVER_ONE_TREE: [(u32, [f64; 2]); 2] = [(32, [2.18, 2.58]), (64, [2.14, 3.22])];

/// The load at which the busiest channel is full bounds throughput. Simulated throughput of other
/// random networks may differ by what the networks differ.
#[test]
fn further_trees_raise_the_bound_on_throughput_by_the_published_factors() {
    for (switches, published) in FACTORS_OVER_ONE_TREE {
        let bound = |trees: u32| -> f64 {
            let spec = format!("multi_tree:trees={trees},per=switch");
            ten_irregular(switches)
                .map(|fabric| figures_of(&fabric, &spec).saturation_bound)
                .sum()
        };
        let one = bound(1);
        for (factor, trees) in published.into_iter().zip(2..) {
            assert_near(bound(trees) / one, factor, 0.1 * factor);
        }
    }
}

fn ten_irregular(switches: u32) -> impl Iterator<Item = Fabric> {
    (1..=10).map(move |seed| irregular_of(switches, seed))
}
