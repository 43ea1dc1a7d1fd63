//! From old tables to new by way of spanning trees, where old entries and new ones alone have no order.

use super::transition::{checked, networks, ring_by_way_of};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::generate::{IrregularParameters, irregular, torus};
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_proof::{TransitionCheckError, check_transition};
use weft_routing::{
    ByTrees, ForwardingTables, LevelChange, Progress, Step, TransitionPlan, plan_transition,
};
use weft_testing::{cases, fabric_of, tables_of};

/// Plans by whatever entries, and checks what is planned.
#[track_caller]
fn checked_by_any(fabric: &Fabric, tables: [&ForwardingTables; 2]) -> TransitionPlan {
    let progress = Progress::default();
    let plan = plan_transition([fabric; 2], tables, &progress).unwrap();
    let found = check_transition([fabric; 2], tables, &plan).unwrap();
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    // The way from tree to tree was told, to its end.
    assert!(plan.by_trees.is_none() || progress.share() == Some(1.0));
    plan
}

/// The entries for each address phase by phase, from the old ones on.
fn entries(
    fabric: &Fabric,
    old: &ForwardingTables,
    plan: &TransitionPlan,
) -> Vec<BTreeMap<(SwitchId, u32), PortNumber>> {
    let hosts: BTreeMap<&str, HostId> = fabric
        .host_ids()
        .map(|host| (fabric.host(host).name.as_str(), host))
        .collect();
    let mut now = BTreeMap::new();
    for (number, address) in (0..).zip(&plan.addresses) {
        let held = old.addresses(hosts[&*address.destination].index()).start;
        for at in fabric.switch_ids() {
            if let Some(port) = old.next_port(at, held) {
                now.insert((at, number), port);
            }
        }
    }
    let mut all = vec![now.clone()];
    for phase in &plan.phases {
        for step in &phase.steps {
            let Step::Write(writes) = step else { continue };
            for write in writes {
                now.insert((write.switch, write.address), write.port.unwrap());
            }
        }
        all.push(now.clone());
    }
    all
}

/// Cables that entries lead over, each by one of its ends.
fn cables(
    fabric: &Fabric,
    entries: &BTreeMap<(SwitchId, u32), PortNumber>,
) -> BTreeSet<(SwitchId, PortNumber)> {
    let mut cables = BTreeSet::new();
    for (&(at, _), &port) in entries {
        let channel = fabric.outgoing_at(at, port).unwrap();
        let other = fabric.target(channel);
        if let Some(to) = other.node.switch() {
            cables.insert((at, port).min((to, other.port)));
        }
    }
    cables
}

/// A ring of six, led by trees that are grown from 4 and then from 1: two destinations were drained, and one has to be by
/// old and new entries alone. By a tree, which is a line here of which five links are left, nobody is.
#[test]
fn nobody_is_drained_where_old_and_new_entries_have_no_order() {
    let ring: Vec<_> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let fabric = fabric_of(&[1; 6], &ring);
    let [old, new] = [4, 1].map(|root| {
        let spec = format!("down_preferred:per=host,orientation=depth_first,root={root}");
        tables_of(&fabric, &spec)
    });
    let (direct, _) = checked([&fabric; 2], [&old, &new]);
    assert_eq!((direct.drained_count(), direct.by_trees), (2, None));
    let plan = checked_by_any(&fabric, [&old, &new]);
    assert_eq!(plan.drained_count(), 0);
    let by = plan.by_trees.unwrap();
    // Three hosts on either side of the middle of the line.
    assert_eq!(by.most_pairs, 9);
    let states = entries(&fabric, &old, &plan);
    let lines = states.iter().filter(|now| cables(&fabric, now).len() == 5);
    assert!(lines.count() >= by.count);
    let ended = states.last().unwrap();
    for (&(at, number), &port) in ended {
        let name = &plan.addresses[number as usize].destination;
        let mut hosts = fabric.host_ids();
        let host = hosts.find(|&host| fabric.host(host).name == *name).unwrap();
        assert_eq!(new.next_port(at, host.index()), Some(port));
    }
    // What the trees are for: without one of the phases packets may wait in a circle, or an entry is not there.
    for place in 0..plan.phases.len() {
        let mut less = plan.clone();
        less.phases.remove(place);
        let refused = check_transition([&fabric; 2], [&old, &new], &less);
        let is_known = matches!(
            refused,
            Err(TransitionCheckError::NotAscending { .. } | TransitionCheckError::Unfinished { .. })
        );
        assert!(is_known, "without phase {place}: {refused:?}");
    }
}

/// Tori and irregular networks on one lane, most of whose destinations were drained: nobody is.
#[test]
fn one_lane_gives_way_to_another_order_without_draining() {
    let parameters = IrregularParameters {
        switches: 16,
        hosts_per_switch: 1,
        ports_per_switch: 5,
        seed: 3,
        ..IrregularParameters::default()
    };
    let fabrics = [torus(4, 4, 1).unwrap(), irregular(&parameters).unwrap()];
    let specs = [
        "down_preferred:per=host,root=0",
        "down_preferred:per=host,root=10",
        "nue:lanes=1",
        "best:lanes=1,starts=1",
    ];
    let mut by_trees = 0;
    for fabric in &fabrics {
        let all = specs.map(|spec| tables_of(fabric, spec));
        for (place, old) in all.iter().enumerate() {
            for new in &all[place + 1..] {
                for tables in [[old, new], [new, old]] {
                    let plan = checked_by_any(fabric, tables);
                    assert_eq!(plan.drained_count(), 0);
                    by_trees += usize::from(plan.by_trees.is_some());
                }
            }
        }
    }
    assert!(by_trees > 3, "{by_trees}");
}

/// Where old and new entries do, packets go by no tree.
#[test]
fn no_tree_is_taken_without_need() {
    let fabric = fabric_of(&[1; 4], &[(0, 1), (1, 2), (2, 3), (3, 0)]);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let plan = checked_by_any(&fabric, [&old, &new]);
    assert_eq!(plan, checked([&fabric; 2], [&old, &new]).0);
    assert_eq!(plan.by_trees, None);
}

/// Hosts send by one service level while packets go by trees, whatever theirs was and will be.
#[test]
fn hosts_send_by_one_level_while_packets_go_by_trees() {
    let fabric = torus(3, 3, 2).unwrap();
    let specs = ["dfsssp:lanes=2", "down_preferred:per=host,root=2"];
    let [two_lanes, one_lane] = specs.map(|spec| tables_of(&fabric, spec));
    for ([old, new], followed) in [
        ([&two_lanes, &one_lane], 1_535),
        ([&one_lane, &two_lanes], 1_488),
    ] {
        let (direct, _) = checked([&fabric; 2], [old, new]);
        assert!(direct.drained_count() > 0);
        let plan = checked_by_any(&fabric, [old, new]);
        // What they send by it is followed: 570 and 764 of these are theirs.
        let found = check_transition([&fabric; 2], [old, new], &plan).unwrap();
        assert_eq!(found.dependencies, followed);
        assert_eq!(
            (plan.drained_count(), plan.levels),
            (0, LevelChange::InTurn)
        );
        let by = plan.by_trees.unwrap();
        // Six hosts of three switches on one side, twelve on the other; fewer are sent to by level 1.
        assert_eq!((by.most_pairs, by.level), (72, 1));
        // Hosts that go on by old levels, or by that of the trees, are found out.
        let is_for_trees = |step: &Step| matches!(step, Step::RenewForTrees(_));
        let is_new =
            |step: &Step| matches!(step, Step::Answer(_) | Step::Renew(_) | Step::RenewEach(_));
        let told: [&dyn Fn(&Step) -> bool; 2] = [&is_for_trees, &is_new];
        for is_left_out in told {
            let mut untold = plan.clone();
            for phase in &mut untold.phases {
                phase.steps.retain(|step| !is_left_out(step));
            }
            assert_ne!(untold, plan);
            let refused = check_transition([&fabric; 2], [old, new], &untold);
            assert!(refused.is_err());
        }
        // As is a plan that names no level for them, or one without a lane.
        let of_level = |level| TransitionPlan {
            by_trees: Some(ByTrees { level, ..by }),
            ..plan.clone()
        };
        let none = TransitionPlan {
            by_trees: None,
            ..plan.clone()
        };
        let lanes = plan.lane_count;
        for (wrong, found) in [(of_level(lanes), Some(lanes)), (none, None)] {
            assert_eq!(
                check_transition([&fabric; 2], [old, new], &wrong),
                Err(TransitionCheckError::TreeLevel { found, lanes })
            );
        }
        // Nobody goes back to a tree.
        let mut late = plan.clone();
        let mut steps = plan.phases.iter().flat_map(|phase| &phase.steps);
        let again = steps.find(|step| is_for_trees(step)).cloned();
        late.phases.last_mut().unwrap().steps.extend(again);
        let refused = check_transition([&fabric; 2], [old, new], &late);
        let is_late = matches!(refused, Err(TransitionCheckError::TreesLate { .. }));
        assert!(is_late, "{refused:?}");
        // By another level packets wait in a circle.
        let other = of_level(1 - by.level);
        assert!(check_transition([&fabric; 2], [old, new], &other).is_err());
    }
}

/// Lanes that are full by old tables or by new ones: most of the destinations were drained.
#[test]
fn several_lanes_give_way_to_others_without_draining() {
    let fabric = torus(6, 6, 1).unwrap();
    let [four, two] = ["lash", "nue:lanes=2"].map(|spec| tables_of(&fabric, spec));
    for tables in [[&four, &two], [&two, &four]] {
        let plan = checked_by_any(&fabric, tables);
        assert_eq!(plan.drained_count(), 0);
        assert!(plan.by_trees.is_some());
    }
}

proptest! {
    #![proptest_config(cases(60))]

    /// Up*/down* around one switch gives way to that around another on any network, and nobody is drained.
    #[test]
    fn up_down_routes_change_their_root_without_draining(
        (hosts, links) in networks(4..14),
        roots in [0_usize..4, 0..4],
    ) {
        let fabric = fabric_of(&hosts, &links);
        let [old, new] = roots.map(|root| tables_of(&fabric, &format!("down_preferred:per=host,root={root}")));
        let plan = checked_by_any(&fabric, [&old, &new]);
        prop_assert_eq!(plan.drained_count(), 0);
    }
}
