//! What switches without hosts send that answer the subnet manager, on one of several lanes.

use crate::draining::without;
use weft_fabric::{Fabric, SwitchId};
use weft_routing::{
    ForwardingTables, Lane, Managed, PairGranularity, StandingTables, Transition, repair,
};
use weft_testing::{fabric_of, port_to, tables_of};

/// A ring of six with a host on every second switch, by tables that lead the two others beside each host to it. The one
/// on the other side goes clockwise or not, or has no entry.
pub(crate) fn ring_of_six(far: impl Fn(usize) -> Option<bool>) -> (Fabric, ForwardingTables) {
    let links: Vec<(usize, usize)> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let fabric = fabric_of(&[1, 0, 1, 0, 1, 0], &links);
    let mut tables = ForwardingTables::with_one_address(&fabric, PairGranularity::Host);
    for host in fabric.host_ids() {
        let to = fabric.host_switch(host).index();
        for at in (0..6).filter(|&at| at != to) {
            let clockwise = match (to + 6 - at) % 6 {
                3 => far(at),
                links => Some(links < 3),
            };
            let next = clockwise.map(|clockwise| if clockwise { at + 1 } else { at + 5 });
            if let Some(next) = next {
                let port = port_to(&fabric, at, next % 6);
                tables.set_next_port(SwitchId::from_index(at), host.index(), port);
            }
        }
    }
    (fabric, tables)
}

/// The same where hosts send to one another on lane 1. From the switches between a packet to the host on the other side
/// goes round by what `is_clockwise` tells of its switch.
fn ring(is_clockwise: impl Fn(usize) -> bool) -> (Fabric, ForwardingTables) {
    let (fabric, mut tables) = ring_of_six(|at| Some(is_clockwise(at)));
    tables.set_lanes(vec![Lane::new(1); 9]);
    (fabric, tables)
}

/// Tables by which they wait in a circle already leave nothing to be kept.
#[test]
fn what_waits_in_a_circle_already_does_not_count() {
    let (fabric, old) = ring(|_| true);
    let (_, new) = ring(|at| at != 1);
    for (tables, counts) in [(&old, false), (&new, true)] {
        let standing = StandingTables::new(fabric.clone().into(), tables).unwrap();
        assert_eq!(standing.counts_management(), counts);
    }
}

/// The repair of a ring whose switches have further cables: what failed stood between 1 and the host that it sends to.
#[test]
fn repairs_keep_it_so_where_hosts_have_a_lane_of_their_own() {
    let (_, plain) = ring(|at| at != 5);
    let links: Vec<(usize, usize)> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let chord = [links, vec![(5, 2)]].concat();
    let before = fabric_of(&[1, 0, 1, 0, 1, 0], &chord);
    let after = without(&before, &[format!("sw5:{}", port_to(&before, 5, 2))]).unwrap();
    // From 5 to the host of 2 there is a cable, which fails. Clockwise the ring would close, the other way it does not.
    let mut old = plain.clone();
    let host = before.hosts_of(SwitchId::new(2))[0].index();
    old.set_next_port(SwitchId::new(5), host, port_to(&before, 5, 2));
    let standing = StandingTables::new(before.into(), &old).unwrap();
    let (_, made) = standing.repaired_for(&after).unwrap();
    assert!(made.counts_management && made.transition == Transition::AnyOrder);
    let port = made.tables.next_port(SwitchId::new(5), host);
    assert_eq!(port, Some(port_to(&after, 5, 4)));
}

/// Switches of which the first so many have a host each.
fn tree(switches: usize, leaves: usize, links: &[(usize, usize)]) -> Fabric {
    let mut hosts = vec![1; leaves];
    hosts.resize(switches, 0);
    fabric_of(&hosts, links)
}

/// Three pods of three leaves and three spines, nine cables of which are missing. Destination by destination, ways to the
/// first bar those to another, which two switches lack then.
#[test]
fn ways_that_others_would_bar_come_first() {
    let links = [
        (0, 9),
        (1, 9),
        (2, 9),
        (9, 18),
        (9, 19),
        (1, 10),
        (2, 10),
        (10, 20),
        (0, 11),
        (1, 11),
        (2, 11),
        (11, 23),
        (3, 12),
        (4, 12),
        (12, 18),
        (4, 13),
        (5, 13),
        (13, 20),
        (13, 21),
        (3, 14),
        (4, 14),
        (14, 22),
        (14, 23),
        (6, 15),
        (15, 18),
        (15, 19),
        (7, 16),
        (8, 16),
        (16, 20),
        (16, 21),
        (6, 17),
        (7, 17),
        (8, 17),
        (17, 22),
        (17, 23),
    ];
    let fabric = tree(24, 9, &links);
    let tables = tables_of(&fabric, "best:lanes=1,starts=1");
    let managed = StandingTables::new(fabric.into(), &tables)
        .unwrap()
        .managed();
    assert!(!managed.found.is_empty());
    assert_eq!(managed.lacking, []);
}

/// Two pods of two leaves and three spines that lose three cables: in the order of destinations four ways of switches
/// without hosts would be lost.
#[test]
fn repairs_lead_first_where_switches_would_lose_their_ways() {
    let links = [
        (0, 4),
        (1, 4),
        (4, 11),
        (1, 5),
        (5, 12),
        (5, 13),
        (0, 6),
        (1, 6),
        (6, 14),
        (2, 7),
        (3, 7),
        (7, 10),
        (7, 11),
        (2, 8),
        (3, 8),
        (8, 12),
        (8, 13),
        (2, 9),
        (3, 9),
        (9, 14),
        (9, 15),
    ];
    let (left, transition) = after_failures(16, 4, &links, "best:lanes=1,starts=1", &[10, 18, 2]);
    assert_eq!((left.lacking, transition), (vec![], Transition::InRounds));
}

/// And in another tree all packets to a host would be dropped for a while.
#[test]
fn repairs_lead_first_where_ways_would_be_cleared() {
    let links = [
        (0, 4),
        (1, 4),
        (4, 8),
        (0, 5),
        (1, 5),
        (5, 10),
        (5, 11),
        (2, 6),
        (3, 6),
        (6, 8),
        (2, 7),
        (3, 7),
        (7, 10),
        (7, 11),
    ];
    let (left, transition) = after_failures(12, 4, &links, "down_preferred", &[4, 13]);
    assert_eq!((left.lacking, transition), (vec![], Transition::InRounds));
}

/// What switches without hosts have after links fail of a tree whose tables lead them everywhere, and how the repair is set.
fn after_failures(
    switches: usize,
    leaves: usize,
    links: &[(usize, usize)],
    spec: &str,
    failed: &[usize],
) -> (Managed, Transition) {
    let fabric = tree(switches, leaves, links);
    let plain = tables_of(&fabric, spec);
    let managed = StandingTables::new(fabric.clone().into(), &plain)
        .unwrap()
        .managed();
    assert_eq!(managed.lacking, []);
    let tables = managed.tables.tables(&fabric).unwrap();
    let port = |&link: &usize| {
        let (from, to) = links[link];
        format!("sw{from}:{}", port_to(&fabric, from, to))
    };
    let names: Vec<String> = failed.iter().map(port).collect();
    let after = without(&fabric, &names).unwrap();
    let made = repair(&fabric, &tables, &after).unwrap();
    let standing = StandingTables::new(after.into(), &made.tables).unwrap();
    assert!(standing.counts_management());
    (standing.managed(), made.transition)
}
