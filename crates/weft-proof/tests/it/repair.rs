//! Tables repaired after links failed: proved, little changed, and safe on the way.

use super::leading::check_led_back;
use super::longest_mixture::longest_mixture;
use super::mixtures::{Order, entry, keeps_management, mixed};
use super::proved::assert_proved;
use petgraph::algo::is_cyclic_directed;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU8;
use std::sync::Arc;
use weft_fabric::degrade::{Chosen, Failures, Keep, degrade};
use weft_fabric::generate::{JellyfishParameters, jellyfish};
use weft_fabric::metrics::connected_parts;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_routing::{
    ForwardingTables, Lane, PairGranularity, Repair, RepairError, RoundEntry, Routes,
    StandingTables, Transition, repair,
};
use weft_testing::{assert_has, cases, fabric_of, port_to, tables_of};

/// A network without some of its links, and those; `None` where hosts are parted.
fn without(hosts: &[usize], links: &[(usize, usize)], failed: &[usize]) -> Fabric {
    // Ports stay: a failed link becomes one from a switch of no hosts to itself, which none uses.
    let whole = fabric_of(hosts, links);
    let mut builder = weft_fabric::FabricBuilder::new("test");
    for switch in whole.switch_ids() {
        builder.add_switch(whole.switch(switch).clone()).unwrap();
    }
    for host in whole.host_ids() {
        let added = builder.add_host(whole.host(host).clone()).unwrap();
        let (switch, port) = (whole.host_switch(host), whole.host_port(host));
        builder.attach_host(added, switch, port).unwrap();
    }
    let between = whole.switch_channels().step_by(2);
    for (place, channel) in between.enumerate() {
        if !failed.contains(&place) {
            builder
                .add_link(whole.source(channel), whole.target(channel), None)
                .unwrap();
        }
    }
    builder.build().unwrap()
}

fn networks() -> impl Strategy<Value = (Vec<usize>, Vec<(usize, usize)>)> {
    (3_usize..10).prop_flat_map(|switches| {
        let hosts = prop::collection::vec(0_usize..3, switches);
        let further = prop::collection::vec((0..switches, 0..switches), switches..3 * switches);
        (hosts, further).prop_map(move |(mut hosts, further)| {
            hosts[0] = hosts[0].max(2);
            let ring = (0..switches).map(|at| (at, (at + 1) % switches));
            let chords = further.into_iter().filter(|(a, b)| a != b);
            (hosts, ring.chain(chords).collect())
        })
    })
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn repaired_tables_are_proved_and_so_is_the_way_there(
        (hosts, links) in networks(),
        failed in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        lanes in prop::sample::select(vec![1, 2, 4, 8]),
        name in prop::sample::select(vec!["best", "dfsssp", "down_preferred"]),
    ) {
        let before = fabric_of(&hosts, &links);
        let failed: Vec<usize> = failed.iter().map(|index| index.index(links.len())).collect();
        let after = without(&hosts, &links, &failed);
        let spec = match name {
            "best" => format!("best:starts=1,lanes={lanes}"),
            "dfsssp" => "dfsssp:lanes=15".to_owned(),
            _ => "down_preferred:per=host".to_owned(),
        };
        let old = tables_of(&before, &spec);
        let standing = StandingTables::new(Arc::new(before.clone()), &old).unwrap();
        let made = match standing.repaired_for(&after) {
            Ok((_, made)) => made,
            Err(RepairError::Routing(_)) => return Ok(()),
            // On one lane there are turns that leave a way for every pair.
            Err(RepairError::NoWay { .. }) if old.lane_count() > 1 => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        assert_proved(&after, &made.tables.clone().into());
        prop_assert!(made.tables.lane_count() <= old.lane_count());
        check_little_changed(&after, &old, &made)?;
        let counts = keeps_management(&before, &old);
        prop_assert_eq!(standing.counts_management(), counts);
        prop_assert!(counts == made.counts_management || counts && old.lane_count() > 1);
        let graph = mixed([&before, &after], [&old, &made.tables], Order::of(&made));
        prop_assert!(!is_cyclic_directed(&graph));
        let longest = longest_mixture([&before, &after], &old, &made);
        prop_assert!(longest <= made.most_switches, "{longest} of {}", made.most_switches);
        let half = without(&hosts, &links, &failed[..1]);
        let parts: &[Fabric] = if failed.len() > 1 { &[half, after] } else { &[after] };
        check_led_back(&before, &old, parts)?;
    }
}

/// Switches whose old way is whole keep their entry, unless some have to make way.
pub(super) fn check_little_changed(
    after: &Fabric,
    old: &ForwardingTables,
    made: &Repair,
) -> Result<(), TestCaseError> {
    let routes = Routes::from(old.clone());
    // Nothing can be written to switches that no host is joined to any more.
    let mut parts = connected_parts(after).into_iter();
    let has_hosts = |part: &Vec<SwitchId>| part.iter().any(|&at| !after.hosts_of(at).is_empty());
    let joined = parts.find(has_hosts).unwrap_or_default();
    let mut changed = 0;
    for host in after.host_ids() {
        for at in after.switch_ids() {
            let [was, is] = [old, &made.tables].map(|tables| entry(tables, at, host.index()));
            changed += usize::from(was != is && joined.contains(&at));
            let Some(&source) = after.hosts_of(at).first() else {
                continue;
            };
            let mut walk = routes.walk_hosts(after, source, host);
            let is_whole = walk.by_ref().all(|step| step.hop.is_ok());
            let stays = is_whole && walk.switch() == after.host_switch(host);
            if stays && made.transition != Transition::ClearFirst {
                prop_assert_eq!(was, is);
            }
        }
    }
    prop_assert_eq!(changed, made.changed_entries);
    Ok(())
}

/// A ring of four with a host each, whose routes of two links all avoid the link 0 – 1: when it fails,
/// what went over it goes round, and the entries of the two switches beside it alone change.
#[test]
fn a_ring_that_opens_changes_the_entries_beside_the_gap() {
    let links = [(1, 2), (2, 3), (3, 0), (0, 1)];
    let before = fabric_of(&[1; 4], &links);
    let old = tables_of(&before, "down_preferred:root=3,selection=first");
    let after = without(&[1; 4], &links, &[3]);
    let made = repair(&before, &old, &after).unwrap();
    assert_proved(&after, &made.tables.clone().into());
    // The link is at port 2 of both.
    let over = |switch: u32| {
        let is_over = |&host: &usize| entry(&old, SwitchId::new(switch), host) == Some(2);
        (0..4).filter(is_over).count()
    };
    assert_eq!([over(0), over(1)], [1, 1]);
    assert_eq!(made.changed_entries, 2);
    // Round the ring from one end of the gap to the other.
    assert_eq!(longest_mixture([&before, &after], &old, &made), 4);
    assert_eq!(made.most_switches, 4);
}

/// Every single link of a random network may fail: four lanes always hold another way beside the old
/// ones, and not many more entries change than led over the link.
#[test]
fn any_link_of_a_random_network_may_fail() {
    let fabric = jellyfish(&JellyfishParameters {
        switches: 12,
        degree: 4,
        hosts_per_switch: 2,
        seed: 3,
    });
    let whole = fabric.unwrap();
    let between = whole.switch_channels().step_by(2);
    let links: Vec<(usize, usize)> = between
        .map(|channel| whole.switches_of(channel).map(SwitchId::index).into())
        .collect();
    let before = fabric_of(&[2; 12], &links);
    let old = tables_of(&before, "best:lanes=4");
    let (mut changed, mut broken, mut in_any_order) = (0, 0, 0);
    for link in 0..links.len() {
        let after = without(&[2; 12], &links, &[link]);
        let made = repair(&before, &old, &after).unwrap();
        assert_proved(&after, &made.tables.clone().into());
        changed += made.changed_entries;
        in_any_order += usize::from(made.transition == Transition::AnyOrder);
        for host in 0..before.host_count() {
            for at in before.switch_ids() {
                let port = entry(&old, at, host).map(PortNumber::new);
                let stands = port.is_some_and(|port| after.outgoing_at(at, port).is_some());
                broken += usize::from(!stands);
            }
        }
    }
    assert!(
        4 * changed <= 7 * broken,
        "{changed} entries for {broken} that failed"
    );
    assert!(in_any_order > 0);
}

/// Tables of a host at each switch, by a rule that names the next switch for each switch and destination,
/// every pair on a lane.
fn tables_by(
    fabric: &Fabric,
    next: impl Fn(usize, usize) -> usize,
    lane: impl Fn(usize, usize) -> u8,
) -> ForwardingTables {
    let count = fabric.switch_count();
    let mut tables = ForwardingTables::with_one_address(fabric, PairGranularity::Host);
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to)));
    for (from, to) in pairs.clone() {
        let at = SwitchId::from_index(from);
        let port = if from == to {
            fabric.host_port(fabric.hosts_of(at)[0])
        } else {
            port_to(fabric, from, next(from, to))
        };
        tables.set_next_port(at, to, port);
    }
    tables.set_lanes(pairs.map(|(from, to)| Lane::new(lane(from, to))).collect());
    tables
}

/// Packets from switch 0 to 2 go by way of 1. When its link to 2 fails, 1 sends them by 3, and 0, which has a
/// shorter way by 3 than behind 1, does too; no pair changes its lane. Without a link to 3, 0 keeps its entry.
#[test]
fn entries_and_lanes_that_still_serve_stay() {
    let near = [(0, 1), (1, 3), (3, 2), (0, 3), (1, 2)];
    let far = [(0, 1), (1, 3), (3, 2), (1, 2)];
    for (links, next_of_zero, changed) in [(near.as_slice(), 3, 3), (far.as_slice(), 1, 3)] {
        let before = fabric_of(&[1; 4], links);
        let next = |from, to| match (from, to) {
            (0, 2) => 1,
            (0, 3) | (2 | 3, 0) if links.len() == 4 => 1,
            (2, 0) => 3,
            (_, to) => to,
        };
        let old = tables_by(&before, next, |from, to| u8::from((from, to) == (3, 0)));
        let after = without(&[1; 4], links, &[links.len() - 1]);
        let made = repair(&before, &old, &after).unwrap();
        assert_proved(&after, &made.tables.clone().into());
        let to_two = |switch: usize| entry(&made.tables, SwitchId::from_index(switch), 2);
        let port = |from, to| Some(port_to(&after, from, to).number());
        assert_eq!([to_two(0), to_two(1)], [port(0, next_of_zero), port(1, 3)]);
        // From 1 to 2, and from 2 to 1; then that of 0 to 2, or that of 2 to 0.
        assert_eq!((made.changed_entries, made.changed_lanes), (changed, 0));
    }
}

/// Of three cables between switches of four hosts one leads to two hosts each way, so that its 8 routes are most. What
/// another led to goes where it is no more than these, not to the one that has them already.
#[test]
fn a_way_goes_where_there_is_room_for_what_it_brings() {
    let (hosts, links) = ([4, 4], [(0, 1); 3]);
    let before = fabric_of(&hosts, &links);
    let old = tables_of(&before, "min_hop");
    for failed in 0..links.len() {
        let made = repair(&before, &old, &without(&hosts, &links, &[failed])).unwrap();
        for (at, others) in [(0, 4..8), (1, 0..4)] {
            let mut by_port = BTreeMap::new();
            for to in others {
                let port = entry(&made.tables, SwitchId::from_index(at), to);
                *by_port.entry(port).or_insert(0) += 1;
            }
            let counts: Vec<i32> = by_port.into_values().collect();
            assert_eq!(counts, [2, 2], "without cable {failed}");
        }
    }
}

/// Packets from 0 to 3 go by 1 and 2. When the link 0 – 1 fails, some are at 1 still and hold its channel to
/// 2 for that to 3, although nobody sends from 1; with it the old ways 3 – 5 – 1 and 5 – 1 – 2 leave one turn
/// of the ring 1, 2, 3, 5 free, that from 2 by 3 to 5. So 2, whose own link to 4 fails too, goes there by 1.
#[test]
fn packets_behind_a_failed_link_count() {
    let hosts = [1, 0, 1, 1, 1, 1];
    let links = [
        (2, 3),
        (1, 5),
        (1, 2),
        (3, 5),
        (4, 5),
        (0, 3),
        (0, 1),
        (2, 4),
    ];
    let before = fabric_of(&hosts, &links);
    let next = |from: usize, to: usize| match (from, to) {
        (0, 3) | (2, 5) | (2 | 5, 0) | (5, 2) => 1,
        (1, 3) => 2,
        (0, 2 | 4 | 5) => 3,
        (1 | 3, 4) | (4, 0 | 3) | (3, 0) => 5,
        (_, to) => to,
    };
    let mut old = ForwardingTables::with_one_address(&before, PairGranularity::Host);
    for host in before.host_ids() {
        let to = before.host_switch(host).index();
        for from in (0..6).filter(|&from| from != to) {
            let port = port_to(&before, from, next(from, to));
            old.set_next_port(SwitchId::from_index(from), host.index(), port);
        }
    }
    assert_proved(&before, &old.clone().into());
    let after = without(&hosts, &links, &[6, 7]);
    let made = repair(&before, &old, &after).unwrap();
    assert_proved(&after, &made.tables.clone().into());
    let host_of_four = before.hosts_of(SwitchId::new(4))[0].index();
    let port = entry(&made.tables, SwitchId::new(2), host_of_four);
    assert_eq!(port, Some(port_to(&after, 2, 1).number()));
    let graph = mixed([&before, &after], [&old, &made.tables], Order::of(&made));
    assert!(!is_cyclic_directed(&graph));
}

/// Packets from 0 to 2 go by 1, on lane 1. When both links of that way fail, some are at 1 still, which nobody
/// sends to any more on that lane: led on by 3, they would close the circle 3, 2, 4, 1 of ways on lane 1. What all send
/// to 5 and 6 is most, so that there is room for them by 3 as by 4.
#[test]
fn packets_between_two_failed_links_meet_new_entries() {
    let links = [
        (1, 3),
        (3, 2),
        (0, 3),
        (2, 4),
        (4, 1),
        (3, 5),
        (5, 6),
        (0, 1),
        (1, 2),
    ];
    let before = fabric_of(&[1; 7], &links);
    let next = |from: usize, to: usize| match (from, to) {
        (6, _) | (3, 5 | 6) => 5,
        (5, 6) => 6,
        (0, 2 | 4) | (4, 0 | 3 | 5 | 6) => 1,
        (3, 4) => 2,
        (5, _) | (_, 5 | 6) | (2, 0) => 3,
        (2, 1) => 4,
        (_, to) => to,
    };
    let on_lane_one = [(0, 2), (3, 4), (2, 1), (4, 3)];
    let old = tables_by(&before, next, |from, to| {
        u8::from(on_lane_one.contains(&(from, to)))
    });
    assert_proved(&before, &old.clone().into());
    let after = without(&[1; 7], &links, &[7, 8]);
    let made = repair(&before, &old, &after).unwrap();
    assert_proved(&after, &made.tables.clone().into());
    assert_eq!(made.transition, Transition::ClearFirst);
    let fabrics = [&before, &after];
    let graph = mixed(fabrics, [&old, &made.tables], Order::AT_ONCE);
    assert!(is_cyclic_directed(&graph));
}

/// Packets for 2 go by way of 1, whose link there fails: it leads them to 0, which leads them to 1 as long as
/// its entry is the old one.
#[test]
fn what_may_go_to_and_fro_is_not_set_in_any_order() {
    let links = [(0, 1), (0, 2), (1, 2)];
    let before = fabric_of(&[1; 3], &links);
    let next = |from: usize, to: usize| if (from, to) == (0, 2) { 1 } else { to };
    let old = tables_by(&before, next, |_, _| 0);
    let made = repair(&before, &old, &without(&[1; 3], &links, &[2])).unwrap();
    assert_eq!(made.transition, Transition::InRounds);
    // 0 has its entry for the host of 2 before 1 has.
    let goal = before.host(HostId::new(2)).name.clone();
    let to_goal = |of: &&RoundEntry| of.destination == goal;
    let switches = |of: &Vec<RoundEntry>| {
        of.iter()
            .filter(to_goal)
            .map(|of| of.switch.clone())
            .collect()
    };
    let switches: Vec<Vec<String>> = made.rounds.iter().map(switches).collect();
    assert_eq!(switches, [["sw0"], ["sw1"]]);
    assert_eq!(made.cleared, [""; 0]);
    // Straight from 0 there is nothing to go back to.
    let old = tables_by(&before, |_, to| to, |_, _| 0);
    let made = repair(&before, &old, &without(&[1; 3], &links, &[2])).unwrap();
    assert_eq!(made.transition, Transition::AnyOrder);
}

/// Around a ring of four go all turns but one of each direction on lane 0; those from 3 to 1 have a link of
/// their own. When that fails they take lane 1, since either way would close a cycle on lane 0, where
/// packets already on their way, or from where the lane is not yet told, still travel.
#[test]
fn a_pair_that_changes_its_lane_is_not_safe_in_any_order() {
    let links = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 1)];
    let before = fabric_of(&[2; 4], &links);
    let mut old = ForwardingTables::with_one_address(&before, PairGranularity::Host);
    for host in before.host_ids() {
        let to = before.host_switch(host).index();
        // To the first host of a switch clockwise, to the second the other way.
        let step = if host.index() % 2 == 0 { 1 } else { 3 };
        for from in 0..4 {
            let next = match (from, to) {
                (3, 1) => 1,
                (from, to) if (from + 2) % 4 == to => (from + step) % 4,
                (_, to) => to,
            };
            let at = SwitchId::from_index(from);
            let port = if from == to {
                before.host_port(host)
            } else {
                port_to(&before, from, next)
            };
            old.set_next_port(at, host.index(), port);
        }
    }
    // The first host to its neighbour alone is on lane 1, which has no turn yet.
    let lane = |place: usize| Lane::new(u8::from(place == 2));
    old.set_lanes((0..64).map(lane).collect());
    let after = without(&[2; 4], &links, &[4]);
    let made = repair(&before, &old, &after).unwrap();
    assert_proved(&after, &made.tables.clone().into());
    // From both hosts of switch 3 to both of switch 1, whose way is theirs alone.
    assert_eq!((made.changed_entries, made.changed_lanes), (2, 4));
    assert_eq!(made.transition, Transition::ClearFirst);
    let mixed = mixed([&before, &after], [&old, &made.tables], Order::AT_ONCE);
    assert!(is_cyclic_directed(&mixed));
}

/// Where packets of one switch are told apart by their lanes, those whose way is another get one lane that
/// holds it.
#[test]
fn all_hosts_of_a_switch_are_put_on_the_lane_that_holds_their_way() {
    let links = [(0, 1), (1, 2), (2, 3), (3, 0)];
    let before = fabric_of(&[2, 1, 1, 1], &links);
    let mut old = tables_of(&before, "down_preferred:per=host,root=2,selection=first");
    // The second host of switch 0 sends on lane 1.
    let lane = |place: usize| Lane::new(u8::from(place / 5 == 1));
    old.set_lanes((0..25).map(lane).collect());
    let over = |host: usize| entry(&old, SwitchId::new(0), host);
    let (by_one, by_three): (Vec<usize>, Vec<usize>) =
        (2..5).partition(|&host| over(host) == Some(port_to(&before, 0, 1).number()));
    assert!(!by_one.is_empty() && !by_three.is_empty());
    let after = without(&[2, 1, 1, 1], &links, &[0]);
    let made = repair(&before, &old, &after).unwrap();
    assert_proved(&after, &made.tables.clone().into());
    for host in by_one {
        assert_eq!(made.tables.lane(0, host), made.tables.lane(1, host));
    }
    for host in by_three {
        assert_eq!(made.tables.lane(1, host), Lane::new(1));
    }
}

/// Without its first switch all others have other numbers; entries and lanes are those of their names.
#[test]
fn switches_and_hosts_are_known_by_their_names() {
    // A ring of five in which every other switch is joined to the next but one.
    let links: Vec<_> = (0..5)
        .flat_map(|at| [(at, (at + 1) % 5), (at, (at + 2) % 5)])
        .collect();
    let before = fabric_of(&[1; 5], &links);
    let lane = |from: usize, to: usize| u8::from(from * to % 2 == 1);
    let old = tables_by(&before, |_, to| to, lane);
    let failures = Failures {
        switches: Chosen {
            names: vec!["sw0".to_owned()],
            share: None,
        },
        keep: Keep::LargestPart,
        ..Failures::default()
    };
    let after = degrade(&before, &failures).unwrap().fabric;
    let made = repair(&before, &old, &after).unwrap();
    assert_eq!((made.changed_entries, made.changed_lanes), (0, 0));
    for from in after.host_ids() {
        for to in after.host_ids().filter(|&to| to != from) {
            let [was_from, was_to] = [from, to].map(|host| {
                let name = &after.host(host).name;
                let mut all = before.host_ids();
                all.find(|&host| before.host(host).name == *name).unwrap()
            });
            let at = before.host_switch(was_from);
            let is = entry(&made.tables, after.host_switch(from), to.index());
            assert_eq!(is, entry(&old, at, was_to.index()));
            let is = made.tables.lane(from.index(), to.index());
            assert_eq!(is, old.lane(was_from.index(), was_to.index()));
        }
    }
}

#[test]
fn tables_of_forms_that_are_not_repaired_are_refused() {
    let fabric = fabric_of(&[1; 3], &[(0, 1), (1, 2)]);
    let plain = tables_of(&fabric, "down_preferred:per=host");
    assert!(repair(&fabric, &plain, &fabric).is_ok());
    let mut turning = plain.clone();
    turning
        .alternate(const { NonZeroU8::new(2).unwrap() })
        .unwrap();
    let mut wide = plain;
    wide.set_lanes([16, 0, 0, 0, 0, 0, 0, 0, 0].map(Lane::new).to_vec());
    let several = ForwardingTables::new(PairGranularity::Host, 3, &[2; 3]);
    for tables in [turning, wide, several] {
        assert_eq!(repair(&fabric, &tables, &fabric), Err(RepairError::Form));
    }
}

#[test]
fn what_was_not_there_before_is_refused() {
    let before = fabric_of(&[1, 1], &[(0, 1)]);
    let after = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let old = tables_of(&before, "best");
    let error = repair(&before, &old, &after).unwrap_err();
    assert_has(&error, "switch “sw2” is not part of the fabric");
}
