//! Old entries that new tables lack: when a transition removes them, and what switches without hosts send by them.

use super::management::ring_of_six;
use super::transition::checked;
use std::collections::BTreeSet;
use weft_fabric::{Fabric, SwitchId};
use weft_proof::{TransitionCheckError, check_transition};
use weft_routing::{ForwardingTables, PairGranularity, Step, TransitionPlan, Write};
use weft_testing::{fabric_of, port_to, tables_of};

/// A ring of six where packets from the other side to each host go clockwise or not, or have no entry.
fn ring(far: [Option<bool>; 3]) -> (Fabric, ForwardingTables) {
    ring_of_six(|at| far[(at + 3) % 6 / 2])
}

/// The writes of each phase.
fn writes(plan: &TransitionPlan) -> Vec<Vec<Write>> {
    let phases = plan.phases.iter().map(|phase| {
        let steps = phase.steps.iter().flat_map(|step| match step {
            Step::Write(writes) => writes.clone(),
            step => panic!("{step:?}"),
        });
        steps.collect()
    });
    phases.collect()
}

/// Clockwise the packets of 1 to the host of 4, of 3 to that of 0 and of 5 to that of 2 close the ring, two of them do
/// not. Old tables lead 1 the other way, new ones clockwise, but have no entry for 3: so that goes first, and 1 is
/// written once nobody is on the way from 3.
#[test]
fn what_closes_a_circle_beside_an_old_entry_waits_until_that_is_removed() {
    let (fabric, old) = ring([Some(true), Some(true), Some(false)]);
    let (_, new) = ring([None, Some(true), Some(true)]);
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(found.dropped.is_empty() && plan.is_free_throughout());
    assert_eq!((plan.phases.len(), plan.drained_count()), (2, 0));
    let removed = Write {
        switch: SwitchId::new(3),
        address: 0,
        port: None,
    };
    let written = Write {
        switch: SwitchId::new(1),
        address: 2,
        port: Some(port_to(&fabric, 1, 2)),
    };
    assert_eq!(writes(&plan), [[removed], [written]]);
    // In one phase the packets of all three may be on the way.
    let mut at_once = plan.clone();
    let second = at_once.phases.remove(1);
    at_once.phases[0].steps.extend(second.steps);
    let refused = check_transition([&fabric; 2], [&old, &new], &at_once);
    assert!(matches!(
        refused,
        Err(TransitionCheckError::NotAscending { .. })
    ));
}

/// Where hosts' packets come by an old entry, it stays until these are gone: those of 0 to the host of 3 by way of 1
/// and 2, to which new tables lead nobody.
#[test]
fn an_old_entry_is_removed_once_nobody_comes_by_it() {
    let fabric = fabric_of(&[1, 0, 0, 1], &[(0, 1), (1, 2), (2, 3), (0, 3)]);
    let mut old = ForwardingTables::with_one_address(&fabric, PairGranularity::Host);
    let mut new = old.clone();
    for (at, next) in [(0, 1), (1, 2), (2, 3)] {
        old.set_next_port(SwitchId::new(at), 1, port_to(&fabric, at as usize, next));
    }
    new.set_next_port(SwitchId::new(0), 1, port_to(&fabric, 0, 3));
    for tables in [&mut old, &mut new] {
        tables.set_next_port(SwitchId::new(3), 0, port_to(&fabric, 3, 0));
    }
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(found.dropped.is_empty());
    let places = writes(&plan).into_iter().map(|writes| {
        let places = writes
            .iter()
            .map(|write| (write.switch.index(), write.port.is_some()));
        places.collect::<BTreeSet<_>>()
    });
    let expected = [
        BTreeSet::from([(0, true)]),
        BTreeSet::from([(1, false), (2, false)]),
    ];
    assert!(places.eq(expected));
}

/// With what old tables have for 6, the only one without hosts, new entries close a circle of its packets.
#[test]
fn switches_without_hosts_count_whatever_old_entries_there_are() {
    let ring = (0..8).map(|at| (at, (at + 1) % 8));
    let links: Vec<(usize, usize)> = ring.chain([(5, 4), (3, 5), (7, 3), (5, 2)]).collect();
    let fabric = fabric_of(&[1, 1, 2, 1, 2, 2, 0, 2], &links);
    let specs = ["down_preferred:per=host,root=0", "best:starts=1,lanes=1"];
    let [old, new] = specs.map(|spec| tables_of(&fabric, spec));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(found.dropped.is_empty() && plan.is_free_throughout());
}
