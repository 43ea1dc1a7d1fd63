//! Path lengths as RHINET publishes them (Koibuchi, Watanabe, Otsuka, Amano, "Performance evaluation
//! of deterministic routings, multicasts, and topologies on RHiNET-2 cluster"): tables I and III.
//!
//! The paper counts the switches on a path, over all ordered pairs of switches, a switch with itself
//! among them. Its topologies A and B are lost; surrogates stand for them that agree with every
//! number the paper gives of paths of its other routings.

use std::collections::BTreeMap;
use weft_fabric::Fabric;
use weft_fabric::generate::generate;
use weft_routing::algorithms::route_spec;
use weft_routing::load::figures;

fn made(topology: &str, parameters: &[(&str, &str)]) -> Fabric {
    let parameters: BTreeMap<String, String> = parameters
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    generate(topology, &parameters).unwrap()
}

/// Mean and largest number of switches on a path, over pairs of switches with hosts.
fn switches_on_paths(fabric: &Fabric, spec: &str) -> (f64, u32) {
    let with_hosts = fabric.switches_with_hosts().count() as f64;
    let routing = route_spec(fabric, &format!("{spec},per=switch")).unwrap();
    let found = figures(fabric, &routing);
    let mean = 1.0 + found.mean_distance_links * (with_hosts - 1.0) / with_hosts;
    (mean, 1 + found.max_hops_links)
}

/// The paper gives means to the hundredth.
#[track_caller]
fn assert_paths(fabric: &Fabric, spec: &str, (mean, most): (f64, u32)) {
    let found = switches_on_paths(fabric, spec);
    assert!(
        (found.0 - mean).abs() <= 0.005 + 1e-9 && found.1 == most,
        "{spec} on {}: found {found:?}, expected {:?}",
        fabric.name(),
        (mean, most)
    );
}

fn table_1_topologies() -> [Fabric; 4] {
    let grid = [("extents", "4x4"), ("hosts_per_switch", "4")];
    [
        made("rhinet_a_surrogate", &[]),
        made("rhinet_b_surrogate", &[]),
        made("mesh", &grid),
        made("torus", &grid),
    ]
}

/// A row of table I: topologies A and B, the 4×4 mesh, the 4×4 torus.
#[track_caller]
fn assert_row(specs: [&str; 4], expected: [(f64, u32); 4]) {
    for ((fabric, spec), expected) in table_1_topologies().iter().zip(specs).zip(expected) {
        assert_paths(fabric, spec, expected);
    }
}

#[test]
fn table_1_topological() {
    assert_row(
        ["minimal:seed=1"; 4],
        [(4.09, 7), (3.63, 7), (3.50, 7), (3.00, 5)],
    );
}

/// Structured pools and descending layers take shortest paths on all four.
#[test]
fn table_1_structured_pools_and_descending_layers() {
    for spec in [
        "structured_pools:lanes=6",
        "descending_layers:root=0,lanes=2",
    ] {
        let expected = [(4.09, 7), (3.63, 7), (3.50, 7), (3.00, 5)];
        assert_row([spec; 4], expected);
    }
}

#[test]
fn table_1_up_down_by_breadth_first_search() {
    assert_row(
        ["updown:root=0"; 4],
        [(4.56, 11), (3.83, 8), (3.50, 7), (3.00, 5)],
    );
}

/// The paper does not say where its depth-first search begins; these roots give its numbers.
#[test]
fn table_1_up_down_by_depth_first_search() {
    for root in [3, 6, 9, 12] {
        let a = format!("dfs:root={root}");
        let b = "dfs:root=15";
        assert_row(
            [&a, b, &a, &a],
            [(4.58, 11), (3.75, 7), (3.50, 7), (3.00, 5)],
        );
    }
}

#[test]
fn table_3() {
    let rows = [
        (made("ring", &[("switches", "8")]), (3.00, 5)),
        (made("mesh", &[("extents", "4x2")]), (2.75, 5)),
        (made("torus", &[("extents", "4x2")]), (2.50, 4)),
        (
            made("myrinet_clos", &[("reading", "both_sides")]),
            (2.25, 3),
        ),
        (
            made(
                "rhinet_tree",
                &[("parents", "2"), ("children", "4"), ("levels", "2")],
            ),
            (3.75, 5),
        ),
    ];
    for (fabric, expected) in &rows {
        assert_paths(fabric, "minimal:seed=1", *expected);
    }
    // Up*/down* on the ring leaves minimal paths: computed independently.
    assert_paths(&rows[0].0, "updown:root=0", (3.25, 7));
}
