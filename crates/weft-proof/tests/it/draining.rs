//! Repairs for which routes that are whole have to make way.

use super::mixtures::{Order, mixed};
use super::proved::assert_proved;
use petgraph::algo::is_cyclic_directed;
use std::sync::Arc;
use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::generate::{IrregularParameters, irregular, torus};
use weft_fabric::{Fabric, SwitchId};
use weft_routing::{ForwardingTables, PairGranularity, Repair, StandingTables, Transition};
use weft_testing::{fabric_of, port_to, tables_of};

/// A fabric without some links, each told by one of its ends; `None` where hosts are parted.
pub(crate) fn without(whole: &Fabric, links: &[String]) -> Option<Fabric> {
    let names = links.to_vec();
    let failures = Failures {
        links: Chosen { names, share: None },
        ..Failures::default()
    };
    Some(degrade(whole, &failures).ok()?.fabric)
}

/// Repairs tables of a whole fabric and, when what failed is back, leads to those of before: proved, without a circle
/// at any moment. Tells whether routes that were whole are among those that change.
fn check(whole: &Fabric, old: &ForwardingTables, after: &Fabric) -> bool {
    let plan = StandingTables::new(Arc::new(whole.clone()), old).unwrap();
    checked(&plan, old, after).1.transition == Transition::ClearFirst
}

/// The same of tables that stand, and what stands then.
fn checked(
    plan: &StandingTables,
    old: &ForwardingTables,
    after: &Fabric,
) -> (StandingTables, Repair) {
    let whole = plan.fabric();
    let (left, made) = plan.repaired_for(after).unwrap();
    assert_proved(after, &made.tables.clone().into());
    let graph = mixed([whole, after], [old, &made.tables], Order::of(&made));
    assert!(!is_cyclic_directed(&graph));
    let back = plan.led_from(&left).unwrap();
    let rounds = Order {
        rounds: &back.rounds,
        cleared: &back.cleared,
        clears_first: !back.cleared.is_empty(),
        management: plan.counts_management(),
    };
    let graph = mixed([after, whole], [&made.tables, old], rounds);
    assert!(!is_cyclic_directed(&graph));
    (left, made)
}

/// Ends of links between switches, `step` apart from the first on.
fn ends(whole: &Fabric, first: usize, step: usize) -> Vec<String> {
    let links = whole.switch_channels().step_by(2).skip(first).step_by(step);
    let ends = links.map(|channel| whole.source(channel));
    ends.map(|end| format!("{}:{}", whole.node_name(end.node), end.port))
        .collect()
}

/// Each of the links of a torus on one lane, where many ways hold beside the others by no means.
#[test]
fn each_link_of_a_torus_on_one_lane_has_a_repair() {
    let whole = torus(4, 4, 1).unwrap();
    let old = tables_of(&whole, "best:lanes=1,starts=1");
    let all = ends(&whole, 0, 1);
    let drained = all.iter().filter(|end| {
        let after = without(&whole, std::slice::from_ref(*end)).unwrap();
        check(&whole, &old, &after)
    });
    assert!(drained.count() > 0);
}

/// Several links at once of irregular networks.
#[test]
fn several_links_of_irregular_networks_have_a_repair() {
    let (mut drained, mut all) = (0, 0);
    for seed in 0..12 {
        let whole = irregular(&IrregularParameters {
            switches: 32,
            hosts_per_switch: 1,
            ports_per_switch: 5,
            seed,
            ..IrregularParameters::default()
        });
        let whole = whole.unwrap();
        let old = tables_of(&whole, "down_preferred");
        for first in 0..6 {
            if let Some(after) = without(&whole, &ends(&whole, first, 17)) {
                drained += usize::from(check(&whole, &old, &after));
                all += 1;
            }
        }
    }
    assert!(all > 40 && drained > 0, "{drained} of {all}");
}

/// Ways on one lane that follow no levels around a switch make way for a few that failed, and not all of them: where
/// nothing but up*/down* around some switch was tried then, entries to all were cleared in half of all cases of the second.
#[test]
fn few_ways_make_way_where_none_follow_levels() {
    let (mut drained, mut changed, mut entries) = (0, 0, 0);
    for (switches, seed) in [(40, 5), (48, 8)] {
        let whole = irregular(&IrregularParameters {
            switches,
            hosts_per_switch: 1,
            ports_per_switch: 5,
            seed,
            ..IrregularParameters::default()
        });
        let whole = whole.unwrap();
        let old = tables_of(&whole, "nue:lanes=1");
        let plan = StandingTables::new(Arc::new(whole.clone()), &old).unwrap();
        let all = ends(&whole, 0, 1);
        for (place, pair) in all.chunks(2).enumerate().step_by(3) {
            let Some(after) = without(&whole, pair) else {
                continue;
            };
            let (left, made) = checked(&plan, &old, &after);
            assert!(made.cleared.len() < after.host_count());
            if made.transition == Transition::ClearFirst {
                drained += 1;
                changed += made.changed_entries;
                entries += after.switch_count() * after.host_count();
            }
            // What stands then is repaired as well.
            let next = &all[(2 * place + 9) % all.len()];
            let more = [pair, std::slice::from_ref(next)].concat();
            if let Some(then) = without(&whole, &more) {
                let (_, again) = left.repaired_for(&then).unwrap();
                assert_proved(&then, &again.tables.clone().into());
                let graph = mixed(
                    [&after, &then],
                    [&made.tables, &again.tables],
                    Order::of(&again),
                );
                assert!(!is_cyclic_directed(&graph));
            }
        }
    }
    assert!(drained > 15, "{drained}");
    assert!(10 * changed < entries, "{changed} of {entries}");
}

/// No route to the hosts of 0 passes 6, which has no entry to them. Once the link between 7 and 0 has failed, 7 comes
/// there by 6 alone.
#[test]
fn switches_that_no_route_passed_are_led_where_others_need_them() {
    let ring = (0..8).map(|at| (at, (at + 1) % 8));
    let further = [(2, 0), (6, 1), (0, 5), (1, 2), (2, 0), (0, 5)];
    let links: Vec<(usize, usize)> = ring.chain(further).collect();
    let whole = fabric_of(&[2, 0, 0, 0, 2, 1, 0, 1], &links);
    let old = tables_of(&whole, "best:starts=1,lanes=1");
    let end = format!("sw7:{}", port_to(&whole, 7, 0));
    let after = without(&whole, &[end]).unwrap();
    let six = SwitchId::new(6);
    let first = whole.hosts_of(SwitchId::new(0))[0].index();
    assert_eq!(old.next_port(six, first), None);
    let plan = StandingTables::new(Arc::new(whole.clone()), &old).unwrap();
    let (_, made) = checked(&plan, &old, &after);
    assert!(made.tables.next_port(six, first).is_some());
    assert_eq!(made.transition, Transition::InRounds);
}

/// Old tables lead nobody by 2. Without the link between 0 and 1 that leads both, and as nobody else has packets there the
/// entries may be set in any order.
#[test]
fn what_no_route_passed_leads_beside_all_others() {
    let whole = fabric_of(&[1, 1, 0], &[(0, 1), (1, 2), (2, 0)]);
    let mut old = ForwardingTables::with_one_address(&whole, PairGranularity::Host);
    for (at, to) in [(0, 1), (1, 0)] {
        old.set_next_port(SwitchId::new(at), to, port_to(&whole, at as usize, to));
    }
    let end = format!("sw0:{}", port_to(&whole, 0, 1));
    let after = without(&whole, &[end]).unwrap();
    let plan = StandingTables::new(Arc::new(whole.clone()), &old).unwrap();
    let (_, made) = checked(&plan, &old, &after);
    assert_eq!(made.transition, Transition::AnyOrder);
    let entries = [(0, 1, 2), (1, 0, 2), (2, 0, 0), (2, 1, 1)];
    for (at, to, next) in entries {
        let port = made.tables.next_port(SwitchId::new(at), to);
        assert_eq!(port, Some(port_to(&after, at as usize, next)));
    }
    assert_eq!(made.changed_entries, entries.len());
}

/// Of a ring of seven no route to the hosts of 0 and 2 passes 4 and 5. Without the link between 0 and 1 it is a line, of
/// which they are in the middle: they are led, though the host of 2 has to be cleared before.
#[test]
fn what_no_route_passed_leads_where_others_make_way() {
    let ring: Vec<(usize, usize)> = (0..7).map(|at| (at, (at + 1) % 7)).collect();
    let whole = fabric_of(&[1, 0, 1, 1, 0, 0, 1], &ring);
    let old = tables_of(&whole, "best:starts=1,lanes=1");
    let end = format!("sw0:{}", port_to(&whole, 0, 1));
    let after = without(&whole, &[end]).unwrap();
    let plan = StandingTables::new(Arc::new(whole.clone()), &old).unwrap();
    let (_, made) = checked(&plan, &old, &after);
    assert_eq!(made.transition, Transition::ClearFirst);
    assert_eq!(made.cleared, ["host2-3"]);
    for (at, to) in [(4, 0), (4, 1), (5, 0), (5, 1)] {
        let entry = |tables: &ForwardingTables| tables.next_port(SwitchId::new(at), to);
        assert!(entry(&old).is_none() && entry(&made.tables).is_some());
    }
}
