//! From old tables to new where switches choose lanes by ports: old lane tables and new are met too.

use super::torus_2qos::without;
use super::transition::{RING, checked, ring_by_way_of};
use proptest::prelude::*;
use std::collections::BTreeSet;
use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::generate::torus_of;
use weft_fabric::{Fabric, HostId, SwitchId};
use weft_proof::{ObstructionError, TransitionCheckError, check_obstructions, check_transition};
use weft_routing::{
    ForwardingTables, Lane, LaneKey, LaneRow, LaneTables, Progress, Routes, Step, TransitionError,
    TransitionPlan, obstructions, plan_direct_transition, plan_transition, repair,
};
use weft_testing::{cases, fabric_of, port_to, tables_of};

/// A ring whose packets take lane 1 where they close it on their way, and lane 0 else; `is_swapped`: the other way round,
/// by the same service levels.
fn ring(is_swapped: bool) -> (Fabric, ForwardingTables) {
    let fabric = torus_of(&[5], 1).unwrap();
    let mut tables = tables_of(&fabric, "torus_2qos");
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    let mut row: LaneRow = [None; LaneTables::KEYS];
    row[0] = Some(Lane::new(u8::from(is_swapped)));
    row[1] = Some(Lane::new(u8::from(!is_swapped)));
    lanes.set_host(row);
    for switch in fabric.switch_ids() {
        lanes.set_switch(switch, row);
    }
    tables.set_lane_tables(lanes);
    (fabric, tables)
}

fn relaned(plan: &TransitionPlan) -> Vec<SwitchId> {
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let written = steps.filter_map(|step| match step {
        Step::WriteLanes(switches) => Some(switches.clone()),
        _ => None,
    });
    written.flatten().collect()
}

/// Neither tables can deadlock, but packets that begin on one lane and go on by the other: some are drained first.
#[test]
fn lanes_that_change_places_are_written_once_some_are_drained() {
    let (fabric, old) = ring(false);
    let (_, new) = ring(true);
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    assert!(plan.drained_count() > 0 && plan.drained_count() < 5);
    assert_eq!(relaned(&plan).len(), 5);
    // No entry changes, so none has to be before another.
    assert_eq!(obstructions([&fabric; 2], [&old, &new]), Ok(Vec::new()));
    let place = plan.phases.iter().position(|phase| {
        let mut steps = phase.steps.iter();
        steps.any(|step| matches!(step, Step::WriteLanes(_)))
    });
    let place = place.unwrap();
    assert!(place > 0);

    // Planted: written while those are on their way that are drained, by any order there is.
    for order in plan.phases.iter().map(|phase| phase.order.clone()) {
        let mut early = plan.clone();
        let written = early.phases.remove(place);
        early.phases[0].steps.extend(written.steps);
        early.phases[0].order = order;
        let refused = check_transition([&fabric; 2], [&old, &new], &early);
        assert!(
            matches!(refused, Err(TransitionCheckError::NotAscending { .. })),
            "{refused:?}"
        );
    }
    // Planted: not written, or at four switches of five.
    let mut unfinished = plan.clone();
    let steps = &mut unfinished.phases[place].steps;
    for step in steps.iter_mut() {
        if let Step::WriteLanes(switches) = step {
            switches.pop();
        }
    }
    let refused = check_transition([&fabric; 2], [&old, &new], &unfinished);
    assert_eq!(
        refused,
        Err(TransitionCheckError::LanesUnfinished {
            switch: "sw4".to_owned()
        })
    );
    // Planted: a switch that is none.
    let mut unknown = plan;
    unknown.phases[place]
        .steps
        .push(Step::WriteLanes(vec![SwitchId::new(5)]));
    let refused = check_transition([&fabric; 2], [&old, &new], &unknown);
    assert_eq!(
        refused,
        Err(TransitionCheckError::Write {
            phase: place,
            switch: 5
        })
    );
}

/// A ring of which each of two destinations has to go before the other, whose switches give each level the lane of its
/// number, by rows: what is shown impossible is what is without rows. Where some switch has another row to come, no
/// lane behind it is certain, and nothing is shown of what passes there.
#[test]
fn what_is_shown_impossible_passes_switches_whose_lanes_are_certain() {
    let fabric = fabric_of(&[2, 1, 2, 1], &RING);
    let plain = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let [old, new] = &plain;
    let expected = obstructions([&fabric; 2], [old, new]).unwrap();
    assert_eq!(expected.len(), 1);
    let mut row: LaneRow = [None; LaneTables::KEYS];
    row[0] = Some(Lane::ZERO);
    let mut lanes = LaneTables::new(&fabric, LaneKey::ServiceLevel);
    lanes.set_host(row);
    for switch in fabric.switch_ids() {
        lanes.set_switch(switch, row);
    }
    let with_rows = plain.clone().map(|mut tables| {
        tables.set_lane_tables(lanes.clone());
        tables
    });
    let [old, new] = &with_rows;
    let (plan, _) = checked([&fabric; 2], [old, new]);
    let found = obstructions([&fabric; 2], [old, new]).unwrap();
    assert_eq!(found, expected);
    let check = |new, found| check_obstructions([&fabric; 2], [old, new], &plan, found);
    assert_eq!(check(new, &found).unwrap().len(), 1);
    // Every switch is to have other rows.
    let mut new = new.clone();
    row[0] = Some(Lane::new(1));
    for switch in fabric.switch_ids() {
        lanes.set_switch(switch, row);
    }
    new.set_lane_tables(lanes);
    let refused = check(&new, &found);
    assert!(
        matches!(refused, Err(ObstructionError::Wait { .. })),
        "{refused:?}"
    );
    assert_eq!(obstructions([&fabric; 2], [old, &new]), Ok(Vec::new()));
}

/// A repair leaves lane tables as they are: then none is written, nobody is drained, and hosts keep what they know.
#[test]
fn the_way_to_a_repair_writes_no_lane_tables() {
    let before = torus_of(&[4, 4], 1).unwrap();
    let old = tables_of(&before, "torus_2qos");
    for link in [(0, 1), (5, 6), (0, 3), (2, 14)] {
        let after = without(&before, &[], &[link]);
        let made = repair(&before, &old, &after).unwrap();
        let (plan, found) = checked([&before, &after], [&old, &made.tables]);
        assert!(plan.is_free_throughout() && found.dropped.is_empty());
        assert_eq!(
            (relaned(&plan).len(), plan.drained_count()),
            (0, 0),
            "{link:?}"
        );
        assert_eq!(plan.write_count(), made.changed_entries);
    }
}

/// New tables that have no lane for some packets lead them nowhere.
#[test]
fn new_tables_without_a_lane_are_refused() {
    let (fabric, old) = ring(false);
    let mut new = old.clone();
    let mut lanes = old.lane_tables().unwrap().clone();
    let mut row = *lanes.host();
    row[1] = None;
    lanes.set_switch(SwitchId::new(0), row);
    new.set_lane_tables(lanes);
    let refused = plan_transition([&fabric; 2], [&old, &new], &Progress::default());
    assert!(
        matches!(refused, Err(TransitionError::NotReached { .. })),
        "{refused:?}"
    );
}

/// What comes of a way back: destinations that are drained, those that are shown to have to be, and whether hosts have to
/// let go of service levels.
fn way_back(
    left: &Fabric,
    old: &ForwardingTables,
    whole: &Fabric,
    new: &ForwardingTables,
) -> (usize, usize, bool) {
    let (plan, found) = checked([left, whole], [old, new]);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    let drained = plan.drained_count();
    if drained == 0 {
        return (0, 0, plan.renews());
    }
    let shown = obstructions([left, whole], [old, new]).unwrap();
    let least = check_obstructions([left, whole], [old, new], &plan, &shown).unwrap();
    (drained, least.len(), plan.renews())
}

/// Once any one link or switch of a torus is back, and once any two are, from tables made anew and from repaired ones:
/// no way back drains a destination where none is shown to have to be, and all but a few no more than are. Of those few
/// another plan drains one destination alone where two are drained here, but for no shorter than these together.
#[test]
fn a_way_back_is_found_or_shown_impossible() {
    let (mut all, mut neither, mut more) = (0, 0, 0);
    let (mut draining, mut letting_go, mut shown) = (0, 0, 0);
    for extents in [[5, 3], [3, 3], [6, 2]] {
        let whole = torus_of(&extents, 1).unwrap();
        let new = tables_of(&whole, "torus_2qos");
        let count = extents[0] * extents[1];
        let ends = whole.switch_channels().step_by(2);
        let ends = ends.map(|channel| [whole.source(channel), whole.target(channel)]);
        let links: Vec<(u32, u32)> = ends
            .map(|ends| ends.map(|end| end.node.switch().unwrap().number()))
            .map(|[one, other]| (one, other))
            .collect();
        let single = links.iter().map(|&link| (vec![], vec![link]));
        let switches = (0..count).map(|at| (vec![at], vec![]));
        // Each link with one some way off, and with a switch.
        let apart = |place: usize| links[(place * 7 + 3) % links.len()];
        let both = (0..links.len()).map(|place| (vec![], vec![links[place], apart(place)]));
        let mixed = (0..links.len()).map(|place| {
            let at = u32::try_from(place * 5 + 2).unwrap() % count;
            (vec![at], vec![links[place]])
        });
        for (switches, gone) in single.chain(switches).chain(both).chain(mixed) {
            let left = without(&whole, &switches, &gone);
            let anew = weft_testing::route_spec(&left, "torus_2qos").ok();
            let anew = anew.map(|made| {
                let Routes::Tables(tables) = made.routes else {
                    panic!("they are tables")
                };
                tables
            });
            let repaired = repair(&whole, &new, &left).ok().map(|made| made.tables);
            for old in [anew, repaired].into_iter().flatten() {
                let (drained, least, lets_go) = way_back(&left, &old, &whole, &new);
                neither += usize::from(drained > 0 && least == 0);
                more += usize::from(drained > least);
                shown += least;
                all += 1;
                draining += usize::from(drained > 0);
                letting_go += usize::from(lets_go);
            }
        }
    }
    assert_eq!((all, neither, draining, letting_go), (421, 0, 8, 11));
    assert_eq!((shown, more), (12, 3));
}

/// A switch and a link of a torus are back, from repaired tables: every order that takes destination by destination drains one. Service levels
/// of a destination have to change when some of its entries are written, and others are not.
#[test]
fn single_changes_go_where_whole_destinations_cannot() {
    let whole = torus_of(&[6, 2], 1).unwrap();
    let new = tables_of(&whole, "torus_2qos");
    let left = without(&whole, &[10], &[(2, 3)]);
    let old = repair(&whole, &new, &left).unwrap().tables;
    let (plan, found) = checked([&left, &whole], [&old, &new]);
    assert_eq!((plan.drained_count(), found.dropped), (0, Vec::new()));
    assert!(plan.is_free_throughout() && plan.renews());
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let steps: Vec<&Step> = steps.collect();
    let is_between = |(place, step): (usize, &&Step)| {
        let Step::RenewEach(renewals) = step else {
            return false;
        };
        let addresses: BTreeSet<u32> = renewals.iter().map(|one| one.address).collect();
        let writes = |step: &&Step| {
            let Step::Write(writes) = step else {
                return false;
            };
            writes
                .iter()
                .any(|write| addresses.contains(&write.address))
        };
        steps[..place].iter().any(writes) && steps[place..].iter().any(writes)
    };
    assert!(steps.iter().enumerate().any(is_between));
}

/// A switch alone whose hosts know a lane for one level only is told the others before anybody sends by them.
#[test]
fn hosts_learn_lanes_of_levels_they_had_none_for() {
    let whole = torus_of(&[6, 2], 1).unwrap();
    let new = tables_of(&whole, "torus_2qos");
    let failures = Failures {
        switches: Chosen {
            names: (0..12)
                .filter(|&at| at != 1)
                .map(|at| format!("sw{at}"))
                .collect(),
            share: None,
        },
        keep: Keep::LargestPart,
        ..Failures::default()
    };
    let left = degrade(&whole, &failures).unwrap().fabric;
    let old = tables_of(&left, "torus_2qos");
    let (plan, found) = checked([&left, &whole], [&old, &new]);
    assert_eq!((plan.drained_count(), found.dropped), (0, Vec::new()));
    assert_eq!(relaned(&plan).len(), 1);
}

/// A fabric without one of its hosts.
fn without_host(whole: &Fabric, host: &str) -> Fabric {
    let failures = Failures {
        hosts: Chosen {
            names: vec![host.to_owned()],
            share: None,
        },
        ..Failures::default()
    };
    degrade(whole, &failures).unwrap().fabric
}

/// The destinations that hosts are told of.
fn told_of(plan: &TransitionPlan) -> BTreeSet<&str> {
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let told = steps.flat_map(|step| match step {
        Step::Answer(addresses) | Step::Renew(addresses) => addresses.clone(),
        Step::RenewEach(renewals) | Step::RenewForTrees(renewals) => {
            renewals.iter().map(|one| one.address).collect()
        }
        Step::Write(_) | Step::WriteLanes(_) => Vec::new(),
    });
    let name = |address: u32| &*plan.addresses[address as usize].destination;
    told.map(name).collect()
}

/// A host that is back sends from a port of its own, by levels that others of its switch send by: hosts are told of
/// itself alone, and only the entries for itself are written.
#[test]
fn nobody_is_told_levels_when_a_host_is_back_beside_others() {
    let whole = torus_of(&[4, 3], 2).unwrap();
    let left = without_host(&whole, "host5");
    let [old, new] = [&left, &whole].map(|fabric| tables_of(fabric, "torus_2qos"));
    let (plan, found) = checked([&left, &whole], [&old, &new]);
    let told = BTreeSet::from(["host5"]);
    assert_eq!((told_of(&plan), plan.renews()), (told, false));
    assert_eq!((plan.drained_count(), found.dropped), (0, Vec::new()));
    assert_eq!(plan.write_count(), 12);
}

/// Hosts are told of nobody else, but the packets of a host that is back are on their way from the beginning, on a lane
/// that its port is given alone.
#[test]
fn packets_of_a_host_that_is_back_count_from_the_beginning() {
    let whole = torus_of(&[5], 2).unwrap();
    let left = without_host(&whole, "host0");
    let [mut old, mut new] = [&left, &whole].map(|fabric| tables_of(fabric, "torus_2qos"));
    let at = SwitchId::new(0);
    let (back, output) = (
        whole.host_port(HostId::from_index(0)),
        port_to(&whole, 0, 1),
    );
    // Levels take their own lanes, but for the one host, whose first channel is on a third.
    for (fabric, tables) in [(&left, &mut old), (&whole, &mut new)] {
        let mut lanes = LaneTables::new(fabric, LaneKey::ServiceLevel);
        let mut row: LaneRow = [None; LaneTables::KEYS];
        (row[0], row[1]) = (Some(Lane::ZERO), Some(Lane::new(1)));
        lanes.set_host(row);
        for switch in fabric.switch_ids() {
            lanes.set_switch(switch, row);
        }
        row[..2].fill(Some(Lane::new(2)));
        lanes.set(fabric, at, [back, output], row);
        tables.set_lane_tables(lanes);
    }
    let (plan, _) = checked([&left, &whole], [&old, &new]);
    assert_eq!(told_of(&plan), BTreeSet::from(["host0"]));
    let mut against = plan;
    let channel = whole.outgoing_at(at, output).unwrap();
    let place = channel.index() * usize::from(against.lane_count) + 2;
    against.phases[0].order.as_mut().unwrap()[place] = u32::MAX;
    let refused = check_transition([&left, &whole], [&old, &new], &against);
    assert!(
        matches!(
            refused,
            Err(TransitionCheckError::NotAscending { held_lane, held_rank: u32::MAX, .. })
                if held_lane == Lane::new(2)
        ),
        "{refused:?}"
    );
}

/// What is not there before, or afterwards.
#[derive(Clone, Copy, Debug)]
enum Lost {
    Switch,
    Link,
    Host,
}

proptest! {
    #![proptest_config(cases(150))]

    /// Tori with all their switches, links and hosts and without one of them, either way, from and to tables with lanes by port
    /// and such without.
    #[test]
    fn every_transition_is_proved_at_every_moment(
        extents in prop::sample::select(vec![[4, 4], [5, 3], [3, 3], [6, 2]]),
        hosts in 1_u32..3,
        names in prop::sample::select(vec![
            ["torus_2qos"; 2],
            ["torus_2qos", "best:lanes=2,starts=1"],
            ["dfsssp:lanes=8", "torus_2qos"],
            ["torus_2qos", "down_preferred:per=host"],
            ["best:lanes=1,starts=1", "torus_2qos"],
        ]),
        gap in 0_u32..9,
        lost in prop::sample::select(vec![Lost::Switch, Lost::Link, Lost::Host]),
        comes_back in any::<bool>(),
    ) {
        let whole = torus_of(&extents, hosts).unwrap();
        let part = match lost {
            Lost::Switch => without(&whole, &[gap], &[]),
            Lost::Link => {
                without(&whole, &[], &[(gap / extents[1] * extents[1], gap / extents[1] * extents[1] + 1)])
            }
            Lost::Host => without_host(&whole, &format!("host{gap}")),
        };
        let fabrics = if comes_back { [&part, &whole] } else { [&whole, &part] };
        let made = [0, 1].map(|side| weft_testing::route_spec(fabrics[side], names[side]));
        let [Ok(old), Ok(new)] = made else { return Ok(()) };
        let tables = [old.routes, new.routes].map(|routes| {
            let Routes::Tables(tables) = routes else { panic!("they are tables") };
            tables
        });
        let [old, new] = &tables;
        let plan = plan_direct_transition(fabrics, [old, new]).unwrap();
        let found = check_transition(fabrics, [old, new], &plan).unwrap();
        prop_assert_eq!(&found.dropped, &Vec::<u32>::new());
        prop_assert!(plan.is_free_throughout());
        let shown = obstructions(fabrics, [old, new]).unwrap();
        let least = check_obstructions(fabrics, [old, new], &plan, &shown).unwrap();
        prop_assert!(least.len() <= plan.drained_count());
        let again = plan_transition([fabrics[1]; 2], [new, new], &Progress::default()).unwrap();
        prop_assert!(again.phases.is_empty());
    }
}
