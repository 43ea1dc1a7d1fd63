//! Segment-based routing: worked out by hand, shortest by the turns left, and beside up*/down*.

use super::proved::proved;
use proptest::prelude::*;
use weft_fabric::HostId;
use weft_fabric::generate::{mesh, ring, torus};
use weft_testing::{
    assert_near, cases, fabrics, figures_of, host_pairs, irregular_of, largest, route_spec, walk,
};

/// The one segment, 0 – 1 – 2 – 3 – 4 – 0, forbids 1 – 2 – 3 and 3 – 2 – 1: from 1 to 3 leads 1 – 0 – 4 – 3.
#[test]
fn a_ring_is_left_by_one_turn_alone() {
    let ring = ring(5, 1).unwrap();
    let routing = route_spec(&ring, "segment_based").unwrap();
    for (from, to) in host_pairs(&ring) {
        let numbers = walk(&ring, &routing, from, to).numbers();
        match [from, to].map(HostId::number) {
            [1, 3] => assert_eq!(numbers, [1, 0, 4, 3]),
            [3, 1] => assert_eq!(numbers, [3, 4, 0, 1]),
            _ => assert!(numbers.len() <= 3, "{numbers:?}"),
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn all_pairs_are_joined_on_one_lane_free_of_deadlock(fabric in fabrics(0), seed in any::<u64>()) {
        for per in ["host", "switch"] {
            let spec = format!("segment_based:per={per},seed={seed}");
            prop_assert_eq!(proved(&fabric, &spec).routes.lane_count(), 1);
        }
    }
}

/// What the segments of a mesh forbid, some shortest route always does without.
#[test]
fn a_mesh_is_routed_minimally() {
    for (width, height) in [(3, 3), (5, 4), (8, 8)] {
        let mesh = mesh(width, height, 1).unwrap();
        assert_near(figures_of(&mesh, "segment_based").minimal_share, 1.0, 1e-12);
    }
}

/// No root gathers the traffic, so the fullest channel carries less than by up*/down* from its best root
/// and with the same care for balance.
#[test]
fn the_fullest_channel_carries_less_than_by_up_down() {
    let mut fabrics = vec![torus(6, 6, 2).unwrap(), mesh(6, 6, 2).unwrap()];
    fabrics.extend((1..=4).map(|seed| irregular_of(32, seed)));
    for fabric in &fabrics {
        let [segments, levels] =
            ["segment_based", "updown:selection=least_loaded"].map(|spec| largest(fabric, spec));
        assert!(
            segments < levels,
            "{}: {segments} and {levels}",
            fabric.name()
        );
    }
}
