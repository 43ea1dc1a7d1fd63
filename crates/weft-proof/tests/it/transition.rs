//! From old tables to new: no packets wait for one another in a circle, whatever is written when.

use super::every_order::{a_way_without_draining, all_moments, differing_entries};
use proptest::prelude::*;
use std::collections::BTreeSet;
use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::{Fabric, HostId};
use weft_proof::{CheckedTransition, TransitionCheckError, check_obstructions, check_transition};
use weft_routing::{
    ForwardingTables, Lane, LevelChange, PairGranularity, Phase, Progress, Step, TransitionError,
    TransitionPlan, classics, obstructions, plan_direct_transition, plan_transition,
};
use weft_testing::{cases, fabric_of, port_to, tables_of, with_links_cut};

/// Plans by old entries and new ones alone, and checks what is planned.
#[track_caller]
pub(crate) fn checked(
    fabrics: [&Fabric; 2],
    tables: [&ForwardingTables; 2],
) -> (TransitionPlan, CheckedTransition) {
    let plan = plan_direct_transition(fabrics, tables).unwrap();
    let found = check_transition(fabrics, tables, &plan).unwrap();
    (plan, found)
}

/// Tables of all hosts, by a rule that names the next switch for each switch and host.
pub(crate) fn tables_by(
    fabric: &Fabric,
    next: impl Fn(usize, HostId) -> usize,
) -> ForwardingTables {
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    for host in fabric.host_ids() {
        for at in fabric
            .switch_ids()
            .filter(|&at| at != fabric.host_switch(host))
        {
            let port = port_to(fabric, at.index(), next(at.index(), host));
            tables.set_next_port(at, host.index(), port);
        }
    }
    tables
}

/// A ring of four with two hosts each, the first of which is reached clockwise from the other side and the second
/// the other way, but from 1 to 3 and back by way of `apex` alone.
pub(crate) fn ring_by_way_of(fabric: &Fabric, apex: usize) -> ForwardingTables {
    tables_by(fabric, |at, host| {
        let to = fabric.host_switch(host).index();
        let number = fabric
            .hosts_of(fabric.host_switch(host))
            .iter()
            .position(|&of| of == host);
        match (at, to) {
            (1, 3) | (3, 1) => apex,
            (0, 2) | (2, 0) if number == Some(0) => (at + 1) % 4,
            (0, 2) | (2, 0) => (at + 3) % 4,
            _ => to,
        }
    })
}

pub(crate) const RING: [(usize, usize); 4] = [(0, 1), (1, 2), (2, 3), (3, 0)];

/// Old ways from 1 to 3 and back pass 0, new ones 2; all else goes clockwise from 0 to 2 and back, for ever. The new
/// way to 3 by 1, 2 and 3 and the old way to 1 by 3, 0 and 1 close the ring: so that goes first, and 3 once nobody is
/// on it any more.
#[test]
fn where_mixtures_close_a_ring_one_destination_waits_for_the_other() {
    let fabric = fabric_of(&[1; 4], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert_eq!((plan.phases.len(), plan.drained_count()), (2, 0));
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    let written = |phase: &Phase| {
        let mut found = BTreeSet::new();
        for step in &phase.steps {
            let Step::Write(writes) = step else {
                panic!("{step:?}")
            };
            found.extend(
                writes
                    .iter()
                    .map(|write| (write.address, write.switch.index())),
            );
        }
        found
    };
    let all: Vec<_> = plan.phases.iter().map(written).collect();
    assert_eq!(all, [BTreeSet::from([(1, 3)]), BTreeSet::from([(3, 1)])]);
    // At once they may deadlock, though neither tables do.
    let mut at_once = plan.clone();
    let second = at_once.phases.remove(1);
    at_once.phases[0].steps.extend(second.steps);
    for order in [plan.phases[0].order.clone(), second.order] {
        at_once.phases[0].order = order;
        let refused = check_transition([&fabric; 2], [&old, &new], &at_once);
        assert!(matches!(
            refused,
            Err(TransitionCheckError::NotAscending { .. })
        ));
    }
    assert!(!all_moments([&fabric; 2], [&old, &new], &at_once).are_free());
}

/// With a second host on 0 and 2, which is reached the other way round, each of the two has to go before the other:
/// one of them is drained.
#[test]
fn where_each_has_to_go_before_the_other_one_is_drained() {
    let fabric = fabric_of(&[2, 1, 2, 1], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert_eq!(plan.drained_count(), 1);
    assert!(plan.is_free_throughout() && found.dropped.is_empty());
    assert!(!a_way_without_draining([&fabric; 2], [&old, &new]));
}

pub(crate) fn networks(
    switches: std::ops::Range<usize>,
) -> impl Strategy<Value = (Vec<usize>, Vec<(usize, usize)>)> {
    switches.prop_flat_map(|switches| {
        let hosts = prop::collection::vec(0_usize..3, switches);
        let further = prop::collection::vec((0..switches, 0..switches), 1..2 * switches);
        (hosts, further).prop_map(move |(mut hosts, further)| {
            hosts[0] = hosts[0].max(1);
            hosts[1] = hosts[1].max(1);
            let ring = (0..switches).map(|at| (at, (at + 1) % switches));
            let chords = further.into_iter().filter(|(a, b)| a != b);
            (hosts, ring.chain(chords).collect())
        })
    })
}

pub(crate) fn spec(name: &str, lanes: u8, root: usize) -> String {
    match name {
        "best" => format!("best:starts=1,lanes={lanes}"),
        "dfsssp" => "dfsssp:lanes=15".to_owned(),
        "min_hop" => "min_hop".to_owned(),
        "by_switch" => format!("down_preferred:per=switch,root={root}"),
        _ => format!("down_preferred:per=host,root={root}"),
    }
}

pub(crate) fn names() -> impl Strategy<Value = [&'static str; 2]> {
    let old = vec!["best", "dfsssp", "down_preferred", "by_switch", "min_hop"];
    let new = vec!["best", "dfsssp", "down_preferred", "by_switch"];
    (prop::sample::select(old), prop::sample::select(new)).prop_map(|(old, new)| [old, new])
}

/// What the known methods come to on the ring: at once the two tables may deadlock, and stopping all traffic is safe.
#[test]
fn known_methods_are_told_beside_the_plan() {
    let fabric = fabric_of(&[1; 4], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let found = classics([&fabric; 2], [&old, &new]).unwrap();
    let told = found.iter().map(|one| {
        (
            one.method.name(),
            one.rounds,
            one.waits,
            one.drained,
            one.lanes,
            one.is_free,
        )
    });
    // The longest old chain is clockwise by 2, 3, 0, 1 and 2.
    let expected = [
        ("static", 1, 1, 4, 1, true),
        ("double_scheme", 1, 1, 0, 2, true),
        ("overlapping", 4, 0, 0, 1, true),
        ("opensm", 1, 0, 0, 1, false),
    ];
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert!(found.iter().all(|one| one.lost == 0));
}

/// Every second pair of switches beside each other is on lane 1 by the new tables, whose ways are the old ones: hosts may
/// be told at any time, and nothing is written.
#[test]
fn new_levels_alone_may_be_told_at_any_time() {
    let fabric = fabric_of(&[1; 4], &RING);
    let old = ring_by_way_of(&fabric, 0);
    let mut new = old.clone();
    new.set_lanes(
        (0..16)
            .map(|pair| Lane::new(u8::from(pair % 3 == 1)))
            .collect(),
    );
    let (plan, _) = checked([&fabric; 2], [&old, &new]);
    assert_eq!(
        (plan.levels, plan.write_count()),
        (LevelChange::AtAnyTime, 0)
    );
    let [Phase { steps, .. }] = plan.phases.as_slice() else {
        panic!("{plan:?}");
    };
    assert!(matches!(steps.as_slice(), [Step::Answer(_)]));
    let mut untold = plan.clone();
    untold.phases.clear();
    let refused = check_transition([&fabric; 2], [&old, &new], &untold);
    assert!(matches!(refused, Err(TransitionCheckError::Untold { .. })));
}

/// Tables that can deadlock go round the ring one way: packets of some have to be dropped before there is any order.
#[test]
fn what_can_deadlock_today_is_cleared_first() {
    let fabric = fabric_of(&[1; 4], &RING);
    let old = tables_by(&fabric, |at, _| (at + 1) % 4);
    let new = ring_by_way_of(&fabric, 0);
    let (plan, found) = checked([&fabric; 2], [&old, &new]);
    assert!(plan.phases[0].order.is_none() && !plan.is_free_throughout());
    assert_eq!(found.proved_phases, plan.phases.len() - 1);
    assert!(plan.drained_count() > 0 && plan.drained_count() < 4);
    // The other way round there is nothing to plan.
    let refused = plan_transition([&fabric; 2], [&new, &old], &Progress::default());
    assert_eq!(refused, Err(TransitionError::Deadlock));
    // To do more than to clear, an order is wanted.
    let mut unproved = plan.clone();
    for phase in &mut unproved.phases {
        phase.order = None;
    }
    let refused = check_transition([&fabric; 2], [&old, &new], &unproved);
    assert_eq!(refused, Err(TransitionCheckError::Unproved { phase: 1 }));
}

/// Packets for 2 go by way of 1, whose link there fails: it leads them to 0, which has led them to 1, so 0 is first.
#[test]
fn who_leads_packets_back_is_written_first() {
    let before = fabric_of(&[1; 3], &[(0, 1), (0, 2), (1, 2)]);
    let old = tables_by(&before, |at, host| {
        match (at, before.host_switch(host).index()) {
            (0, 2) => 1,
            (_, to) => to,
        }
    });
    let failures = Failures {
        links: Chosen {
            names: vec!["sw1:2".to_owned()],
            share: None,
        },
        ..Failures::default()
    };
    let after = degrade(&before, &failures).unwrap().fabric;
    let new = tables_by(&after, |at, host| {
        match (at, after.host_switch(host).index()) {
            (1, 2) | (2, 1) => 0,
            (_, to) => to,
        }
    });
    let (plan, found) = checked([&before, &after], [&old, &new]);
    assert_eq!(
        (plan.round_count(), plan.phases.len(), found.dropped.len()),
        (2, 1, 0)
    );
    let rounds: Vec<Vec<(usize, u32)>> = plan.phases[0]
        .steps
        .iter()
        .map(|step| match step {
            Step::Write(writes) => writes
                .iter()
                .map(|of| (of.switch.index(), of.address))
                .collect(),
            _ => panic!("{step:?}"),
        })
        .collect();
    assert_eq!(rounds[0][0], (0, 2));
    assert_eq!(rounds[1], [(1, 2)]);
    // In one round they may be lost between the two, or drop at the link that failed.
    let mut at_once = plan.clone();
    let Step::Write(last) = at_once.phases[0].steps.remove(1) else {
        panic!("{plan:?}");
    };
    let Step::Write(writes) = &mut at_once.phases[0].steps[0] else {
        panic!("{plan:?}");
    };
    writes.extend(last);
    let refused = check_transition([&before, &after], [&old, &new], &at_once);
    assert!(matches!(
        refused,
        Err(TransitionCheckError::NotAscending { .. })
    ));
}

/// A plan that leaves something out, or does it twice, is none.
#[test]
fn plans_that_do_not_end_with_the_new_tables_are_refused() {
    let fabric = fabric_of(&[1; 4], &RING);
    let [old, new] = [0, 2].map(|apex| ring_by_way_of(&fabric, apex));
    let (plan, _) = checked([&fabric; 2], [&old, &new]);
    let check = |change: &dyn Fn(&mut TransitionPlan)| {
        let mut changed = plan.clone();
        change(&mut changed);
        check_transition([&fabric; 2], [&old, &new], &changed).unwrap_err()
    };
    let unfinished = check(&|plan| drop(plan.phases.pop()));
    assert!(matches!(
        unfinished,
        TransitionCheckError::Unfinished { .. }
    ));
    let addresses = check(&|plan| drop(plan.addresses.pop()));
    assert!(matches!(addresses, TransitionCheckError::Addresses { .. }));
    let order = check(&|plan| plan.phases[1].order = Some(vec![0; 3]));
    assert!(matches!(
        order,
        TransitionCheckError::Order { phase: 1, .. }
    ));
    let twice = check(&|plan| match &mut plan.phases[0].steps[0] {
        Step::Write(writes) => writes.push(writes[0]),
        step => panic!("{step:?}"),
    });
    assert!(matches!(
        twice,
        TransitionCheckError::Write { phase: 0, .. }
    ));
    let swapped = check(&|plan| plan.phases.swap(0, 1));
    assert!(matches!(swapped, TransitionCheckError::NotAscending { .. }));
}

/// A port that leads elsewhere would lead packets of old entries there.
#[test]
fn a_port_with_another_cable_is_refused() {
    let [before, after] =
        [[(0, 1), (1, 2)], [(0, 2), (1, 2)]].map(|links| fabric_of(&[1; 3], &links));
    let [old, new] = [&before, &after].map(|fabric| tables_of(fabric, "down_preferred:per=host"));
    let refused = plan_transition([&before, &after], [&old, &new], &Progress::default());
    assert!(matches!(refused, Err(TransitionError::OtherCable { .. })));
}

/// Where the plan drains, no way would do without: on rings of four and five, with a chord and without, all
/// orders of single writes are tried, each after all packets of before are gone. Where none will do that is shown.
#[test]
fn what_is_drained_has_to_be() {
    let (mut drained, mut in_vain, mut shown) = (0, 0, 0);
    for (switches, has_chord) in [(4_usize, false), (4, true), (5, false), (5, true)] {
        let ring = (0..switches).map(|at| (at, (at + 1) % switches));
        let links: Vec<_> = ring.chain(has_chord.then_some((0, 2))).collect();
        for hosts in [[1; 5], [2, 1, 1, 2, 1], [1, 2, 2, 1, 2]] {
            let fabric = fabric_of(&hosts[..switches], &links);
            let tables: Vec<_> = (0..switches)
                .map(|root| tables_of(&fabric, &format!("down_preferred:per=host,root={root}")))
                .collect();
            for [old, new] in tables
                .iter()
                .flat_map(|old| tables.iter().map(move |new| [old, new]))
            {
                let (plan, _) = checked([&fabric; 2], [old, new]);
                let differ = differing_entries(&fabric, [old, new]);
                if plan.drained_count() > 0 && differ <= 10 {
                    let is_in_vain = a_way_without_draining([&fabric; 2], [old, new]);
                    drained += 1;
                    in_vain += usize::from(is_in_vain);
                    let found = obstructions([&fabric; 2], [old, new]).unwrap();
                    let least =
                        check_obstructions([&fabric; 2], [old, new], &plan, &found).unwrap();
                    assert!(least.len() <= plan.drained_count());
                    assert!(!is_in_vain || least.is_empty());
                    shown += usize::from(!least.is_empty());
                }
            }
        }
    }
    assert_eq!((drained, in_vain, shown), (32, 0, 32));
}

proptest! {
    #![proptest_config(cases(400))]

    /// Links may have failed, or have come back.
    #[test]
    fn every_transition_is_proved_at_every_moment(
        (hosts, links) in networks(3..10),
        names in names(),
        lanes in prop::sample::select(vec![[1, 1], [1, 4], [2, 1], [2, 3], [4, 4]]),
        roots in [0_usize..3, 0..3],
        cut in 0_u32..30,
        comes_back in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let whole = fabric_of(&hosts, &links);
        let part = with_links_cut(&whole, cut, seed);
        prop_assume!(part.switch_count() >= 3);
        let fabrics = if comes_back { [&part, &whole] } else { [&whole, &part] };
        let tables = [0, 1].map(|side| tables_of(fabrics[side], &spec(names[side], lanes[side], roots[side])));
        let tables = [&tables[0], &tables[1]];
        let plan = plan_transition(fabrics, tables, &Progress::default()).unwrap();
        let found = check_transition(fabrics, tables, &plan).unwrap();
        prop_assert_eq!(&found.dropped, &Vec::<u32>::new());
        // Tables that can deadlock are free once something is cleared.
        let may_deadlock = names[0] == "min_hop";
        prop_assert!(may_deadlock || plan.is_free_throughout());
        prop_assert!(plan.phases.len() - found.proved_phases <= 1);
    }
}

proptest! {
    #![proptest_config(cases(300))]

    /// The check finds what trying every order of writes finds, no less and no more.
    #[test]
    fn the_check_agrees_with_every_order_of_writes(
        (hosts, links) in networks(3..6),
        roots in [0_usize..3, 0..3],
        cut in 0_u32..25,
        seed in any::<u64>(),
    ) {
        let before = fabric_of(&hosts, &links);
        let after = with_links_cut(&before, cut, seed);
        prop_assume!(after.host_count() == before.host_count());
        prop_assume!(after.switch_count() == before.switch_count());
        let old = tables_of(&before, &format!("down_preferred:per=host,root={}", roots[0]));
        let new = tables_of(&after, &format!("down_preferred:per=host,root={}", roots[1]));
        let (plan, found) = checked([&before, &after], [&old, &new]);
        let tried = all_moments([&before, &after], [&old, &new], &plan);
        prop_assert!(tried.are_free());
        prop_assert_eq!(found.dependencies, tried.dependencies);
    }
}
