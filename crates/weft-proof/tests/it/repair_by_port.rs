//! Tables repaired where switches choose lanes by ports.

use super::mixtures::{Order, mixed};
use super::proved::assert_proved;
use super::repair::check_little_changed;
use super::torus_2qos::without;
use petgraph::algo::is_cyclic_directed;
use proptest::prelude::*;
use weft_fabric::generate::torus_of;
use weft_fabric::{Fabric, Node};
use weft_routing::{ForwardingTables, LaneKey, LaneTables, RepairError, StandingTables, repair};
use weft_testing::{cases, tables_of};

/// Tori, some without a switch: there packets that turn back have lanes of their own.
fn tori() -> impl Strategy<Value = Fabric> {
    let extents = vec![vec![4, 4], vec![5, 3], vec![6, 2], vec![3, 3, 3], vec![7]];
    let gap = prop::option::of(0_u32..7);
    (prop::sample::select(extents), 1_u32..3, gap).prop_map(|(extents, hosts, gap)| {
        let torus = torus_of(&extents, hosts).unwrap();
        match gap {
            Some(gap) if extents.len() == 2 => without(&torus, &[gap], &[]),
            _ => torus,
        }
    })
}

/// The switches of each link between two.
fn links(fabric: &Fabric) -> Vec<(u32, u32)> {
    let links = fabric.link_ids().map(|link| fabric.link(link).ends);
    let between = links.filter_map(|ends| match ends.map(|end| end.node) {
        [Node::Switch(a), Node::Switch(b)] => Some((a.number(), b.number())),
        _ => None,
    });
    between.collect()
}

proptest! {
    #![proptest_config(cases(100))]

    /// Proved by the checker, on lanes as they were, and no mixture of old and new entries closes a cycle of lanes that
    /// the switches choose.
    #[test]
    fn repaired_tables_are_proved_and_so_is_the_way_there(
        before in tori(),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
    ) {
        let all = links(&before);
        let failed: Vec<(u32, u32)> = failed.iter().map(|index| all[index.index(all.len())]).collect();
        let after = without(&before, &[], &failed);
        let Ok(old) = weft_testing::route_spec(&before, "torus_2qos") else { return Ok(()) };
        let weft_routing::Routes::Tables(old) = old.routes else { panic!("they are tables") };
        let made = match repair(&before, &old, &after) {
            Ok(made) => made,
            Err(RepairError::Routing(_) | RepairError::NoWay { .. }) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        assert_proved(&after, &made.tables.clone().into());
        prop_assert_eq!(made.tables.lane_tables(), old.lane_tables());
        check_little_changed(&after, &old, &made)?;
        let graph = mixed([&before, &after], [&old, &made.tables], Order::of(&made));
        prop_assert!(!is_cyclic_directed(&graph));
    }
}

/// Every cable of a torus may fail: there is a repair, which changes a small part of the 600 entries.
#[test]
fn each_cable_of_a_torus_has_a_repair() {
    let before = torus_of(&[5, 5], 1).unwrap();
    let old = tables_of(&before, "torus_2qos");
    for (place, link) in links(&before).into_iter().enumerate() {
        let after = without(&before, &[], &[link]);
        let made = repair(&before, &old, &after).unwrap();
        assert!(made.changed_entries <= 60, "{link:?}: {made:?}");
        assert_eq!(made.tables.lane_count(), 2);
        if place % 10 == 0 {
            assert_proved(&after, &made.tables.into());
        }
    }
}

/// Tables that say what is so without them are repaired as without them.
#[test]
fn lanes_of_the_number_of_the_level_are_those_of_plain_tables() {
    let before = torus_of(&[4, 4], 2).unwrap();
    let plain = tables_of(&before, "best:lanes=4,starts=1");
    for key in [LaneKey::ServiceLevel, LaneKey::IncomingLane] {
        let mut told = plain.clone();
        told.set_lane_tables(LaneTables::new(&before, key));
        for link in links(&before).into_iter().step_by(5) {
            let after = without(&before, &[], &[link]);
            let [one, other] = [&plain, &told].map(|tables| repair(&before, tables, &after));
            match (one, other) {
                (Ok(one), Ok(mut other)) => {
                    let lanes = other.tables.lane_tables().cloned();
                    assert_eq!(lanes, Some(LaneTables::new(&after, key)));
                    assert_proved(&after, &other.tables.clone().into());
                    other.tables = one.tables.clone();
                    // Where switches choose, what they send themselves does not count.
                    assert!(one.counts_management && !other.counts_management);
                    other.counts_management = true;
                    assert_eq!(one, other);
                }
                (one, other) => assert_eq!(one, other),
            }
        }
    }
}

/// Lanes that a switch makes of one level by every pair of ports are more than are kept: 16 levels on 16 lanes.
#[test]
fn more_levels_on_lanes_than_are_kept_are_refused() {
    let fabric = torus_of(&[3, 3], 1).unwrap();
    let mut tables: ForwardingTables = tables_of(&fabric, "torus_2qos");
    assert!(StandingTables::new(fabric.clone().into(), &tables).is_ok());
    let mut lanes = LaneTables::new(&fabric, LaneKey::IncomingLane);
    lanes.set_level(0, weft_routing::Lane::ZERO);
    tables.set_lane_tables(lanes);
    let mut levels = vec![weft_routing::Lane::ZERO; 81];
    levels[1] = weft_routing::Lane::new(15);
    tables.set_lanes(levels);
    let refused = StandingTables::new(fabric.into(), &tables);
    assert_eq!(refused.err(), Some(RepairError::Form));
}
