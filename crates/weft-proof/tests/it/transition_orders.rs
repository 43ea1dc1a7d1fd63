//! Orders of single changes: found where plans by destinations drain some, or shown to be none by dead ends.

use super::transition::checked;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::generate::{dragonfly, hypercube, torus_of};
use weft_fabric::{Fabric, SwitchId};
use weft_proof::{ObstructionError, TransitionCheckError, check_obstructions, check_transition};
use weft_routing::{
    BlockedChange, ForwardingTables, Lane, MetChange, Obstruction, Routes, Step, TransitionPlan,
    obstructions, to_tables,
};
use weft_testing::{fabric_of, route_spec, tables_of};

/// The tables of a routing, of one address each.
fn plain_tables(fabric: &Fabric, spec: &str) -> ForwardingTables {
    match route_spec(fabric, spec).unwrap().routes {
        Routes::Tables(tables) => tables,
        routes @ Routes::Source(_) => to_tables(fabric, &routes, 0).unwrap(),
    }
}

/// What a plan drains and what is shown, each checked.
fn drained_and_shown(
    fabric: &Fabric,
    [old, new]: [&ForwardingTables; 2],
) -> (TransitionPlan, Vec<Obstruction>) {
    let (plan, found) = checked([fabric; 2], [old, new]);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    let shown = obstructions([fabric; 2], [old, new]).unwrap();
    let least = check_obstructions([fabric; 2], [old, new], &plan, &shown).unwrap();
    assert!(least.len() <= plan.drained_count());
    (plan, shown)
}

/// Going through the destinations drained two of these twelve: from the new tables back no change stands in the way of
/// another, and the order is that of these the other way round.
#[test]
fn an_order_is_found_from_the_new_tables_back() {
    let fabric = torus_of(&[3, 4], 1).unwrap();
    let [old, new] = ["dimension_order", "dfsssp:lanes=2"].map(|spec| plain_tables(&fabric, spec));
    let (plan, shown) = drained_and_shown(&fabric, [&old, &new]);
    assert_eq!((plan.drained_count(), shown.len()), (0, 0));
}

/// Between any two of these routings of a torus no destination is drained.
#[test]
fn routings_of_a_torus_follow_one_another_without_draining() {
    let fabric = torus_of(&[3, 4], 1).unwrap();
    let specs = [
        "dimension_order",
        "torus_2qos",
        "down_preferred:per=host,root=0",
        "down_preferred:per=host,root=5",
        "nue:lanes=1",
        "nue:lanes=2",
        "dfsssp:lanes=2",
        "best:starts=1,lanes=2",
    ];
    let all = specs.map(|spec| plain_tables(&fabric, spec));
    for (old, from) in all.iter().zip(specs) {
        for (new, to) in all.iter().zip(specs) {
            let (plan, found) = checked([&fabric; 2], [old, new]);
            assert!(plan.is_free_throughout() && found.dropped.is_empty());
            assert_eq!(plan.drained_count(), 0, "{from} to {to}");
        }
    }
}

/// Two thousand changes, too: by destinations 38 of 128 were drained, and the order one change after the other takes more
/// than a hundred phases.
#[test]
fn many_changes_go_in_few_phases() {
    let fabric = hypercube(5, 4).unwrap();
    let [old, new] = ["lash", "nue:lanes=2"].map(|spec| plain_tables(&fabric, spec));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    assert_eq!(plan.drained_count(), 0);
    assert!(plan.phases.len() <= 25, "{} phases", plan.phases.len());
}

/// Of the destinations that stand in the way of others one alone is drained, as is shown to have to be.
#[test]
fn one_is_drained_where_one_has_to_be() {
    let fabric = torus_of(&[3, 3], 2).unwrap();
    let specs = ["dfsssp:lanes=2", "down_preferred:root=2"];
    let [old, new] = specs.map(|spec| plain_tables(&fabric, spec));
    let (plan, shown) = drained_and_shown(&fabric, [&old, &new]);
    assert_eq!((plan.drained_count(), shown.len()), (1, 1));
}

/// A ring of six, led by trees that are grown from 4 and then from 1: some change can always be the first, and some the
/// last. But once it is, none of the others ever is.
#[test]
fn what_leads_to_a_dead_end_is_shown_impossible() {
    let ring: Vec<_> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let fabric = fabric_of(&[1; 6], &ring);
    let [old, new] = [4, 1].map(|root| {
        let spec = format!("down_preferred:per=host,orientation=depth_first,root={root}");
        tables_of(&fabric, &spec)
    });
    let (plan, shown) = drained_and_shown(&fabric, [&old, &new]);
    assert_eq!((plan.drained_count(), shown.len()), (2, 1));
    assert_eq!(shown[0].dead_ends.len(), 1);
    let changed = |change: &dyn Fn(&mut Obstruction)| {
        let mut one = shown[0].clone();
        change(&mut one);
        check_obstructions([&fabric; 2], [&old, &new], &plan, &[one]).unwrap_err()
    };
    let is_dead_end = |refused| matches!(refused, ObstructionError::DeadEnd { .. });
    let is_wait = |refused| matches!(refused, ObstructionError::Wait { .. });
    assert!(is_dead_end(changed(&|one| one.dead_ends.clear())));
    let leads = shown[0]
        .writes
        .iter()
        .position(|write| write.dead_end.is_some());
    let leads = leads.unwrap();
    assert!(is_dead_end(changed(
        &|one| one.writes[leads].dead_end = Some(1)
    )));
    assert!(is_wait(changed(&|one| one.writes[leads].dead_end = None)));
    // A dead end does not lead to itself.
    assert!(is_dead_end(changed(&|one| {
        one.dead_ends[0].writes[0].dead_end = Some(0);
    })));
    // What the dead end takes to be met has to be met, and what it leaves over is left over.
    assert!(is_wait(changed(&|one| one.dead_ends[0].met.clear())));
    for place in 0..shown[0].dead_ends[0].writes.len() {
        assert!(is_wait(changed(&|one| {
            drop(one.dead_ends[0].writes.remove(place));
        })));
        assert!(is_wait(changed(&|one| {
            one.dead_ends[0].writes[place].cycle.clear();
        })));
    }
    let other = (0..shown[0].writes.len())
        .find(|&place| place != leads)
        .unwrap();
    let beside = changed(&|one| {
        let write = one.writes.remove(other);
        one.writes[0].dead_end = Some(0);
        drop(write);
    });
    assert!(is_dead_end(beside));
    // Whatever else was to be met on the way there, the change that leads there comes without.
    let dead_end = &shown[0].dead_ends[0];
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let written = steps.flat_map(|step| match step {
        Step::Write(writes) => writes.clone(),
        _ => Vec::new(),
    });
    let mut others = written.filter(|write| {
        let place = (write.address, write.switch);
        let left = dead_end.writes.iter().map(|of| (of.address, of.switch));
        let met = dead_end.met.iter().map(|of| (of.address, of.switch));
        let is_drained = plan.addresses[write.address as usize].is_drained;
        !is_drained && left.chain(met).all(|known| known != place)
    });
    let other = others.next().unwrap();
    assert!(is_dead_end(changed(&|one| {
        one.dead_ends[0].met.push(MetChange {
            change: BlockedChange::Entry,
            switch: other.switch,
            address: other.address,
        });
    })));
    let twice = changed(&|one| {
        let met = one.dead_ends[0].met[0];
        one.dead_ends[0].met.push(met);
    });
    assert!(matches!(twice, ObstructionError::Write { .. }));
}

/// Nothing but service levels changes on the torus: those of all hosts for a destination at a time had no order for five
/// of them, those of the hosts of a switch have one.
#[test]
fn levels_of_one_switch_after_another_go_where_those_of_all_do_not() {
    let fabric = torus_of(&[4, 4], 2).unwrap();
    let [old, new] = [3, 4].map(|lanes| tables_of(&fabric, &format!("dfsssp:lanes={lanes}")));
    let (plan, shown) = drained_and_shown(&fabric, [&old, &new]);
    assert_eq!((plan.drained_count(), shown.len()), (0, 0));
    let phases = plan.phases.iter().map(|phase| {
        let each = phase.steps.iter().filter_map(|step| match step {
            Step::RenewEach(renewals) => Some(renewals),
            _ => None,
        });
        let each = each.flatten().map(|one| one.address);
        each.collect::<BTreeSet<u32>>()
    });
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for address in phases.flatten() {
        *counts.entry(address).or_default() += 1;
    }
    assert!(counts.values().any(|&phases| phases > 1));
    // Without one of them somebody is not told; told in the phase before, packets may wait in a circle.
    let (mut untold, mut early) = (plan.clone(), plan.clone());
    let renewals = |plan: &mut TransitionPlan, phase: usize| {
        let mut steps = plan.phases[phase].steps.iter_mut();
        steps.find_map(|step| match step {
            Step::RenewEach(renewals) => Some(std::mem::take(renewals)),
            _ => None,
        })
    };
    let mut first = renewals(&mut untold, 0).unwrap();
    first.pop();
    untold.phases[0].steps = vec![Step::RenewEach(first)];
    let refused = check_transition([&fabric; 2], [&old, &new], &untold);
    assert!(matches!(refused, Err(TransitionCheckError::Untold { .. })));
    let last = early.phases.len() - 1;
    let moved = renewals(&mut early, last).unwrap();
    early.phases[0].steps.push(Step::RenewEach(moved));
    let refused = check_transition([&fabric; 2], [&old, &new], &early);
    assert!(matches!(
        refused,
        Err(TransitionCheckError::NotAscending { .. })
    ));
}

/// Nothing but service levels changes on a ring of six: some switch's hosts can always be the first, and some the last, but
/// any order of theirs comes to a dead end.
#[test]
fn levels_of_hosts_are_shown_to_have_no_order() {
    let ring: Vec<_> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let fabric = fabric_of(&[1; 6], &ring);
    // Per source: the levels by destination.
    let sides = [
        "000010 000100 001100 110110 110111 000000",
        "011110 011010 010010 010010 000101 111010",
    ];
    let [old, new] = sides.map(|levels| {
        let levels = levels.chars().filter_map(|digit| digit.to_digit(2));
        let lanes = levels.map(|level| Lane::new(u8::from(level == 1)));
        let mut tables = plain_tables(&fabric, "min_hop");
        tables.set_lanes(lanes.collect());
        tables
    });
    let (plan, shown) = drained_and_shown(&fabric, [&old, &new]);
    assert_eq!((shown.len(), shown[0].dead_ends.len()), (1, 2));
    let of_dead_ends = shown[0].dead_ends.iter().flat_map(|of| &of.writes);
    let mut writes = of_dead_ends.chain(&shown[0].writes);
    assert!(writes.all(|write| write.change == BlockedChange::Levels));
    let mut elsewhere = shown.clone();
    let at = &mut elsewhere[0].writes[0].switch;
    *at = SwitchId::new((at.number() + 1) % 6);
    let refused = check_obstructions([&fabric; 2], [&old, &new], &plan, &elsewhere);
    assert!(refused.is_err());
}

/// Four fifths of the destinations were drained between these routings of a dragonfly, and nobody is.
#[test]
fn a_dragonfly_changes_lanes_without_draining() {
    let fabric = dragonfly(2, 4, 2).unwrap();
    let [old, new] = ["lash", "nue:lanes=2"].map(|spec| plain_tables(&fabric, spec));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    assert_eq!(plan.drained_count(), 0);
}
