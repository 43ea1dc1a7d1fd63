//! What switches without hosts send that answer the subnet manager, on one of several lanes.

use weft_fabric::degrade::{Chosen, Failures, degrade};
use weft_fabric::{Fabric, SwitchId};
use weft_routing::{ForwardingTables, Lane, PairGranularity, StandingTables, Transition};
use weft_testing::{fabric_of, port_to};

/// A ring of six, with a host on every second switch: on lane 1 hosts send to one another by the switch between. From
/// those between a packet to the host on the other side goes round by what `is_clockwise` tells of its switch.
fn ring(is_clockwise: impl Fn(usize) -> bool) -> (Fabric, ForwardingTables) {
    let links: Vec<(usize, usize)> = (0..6).map(|at| (at, (at + 1) % 6)).collect();
    let fabric = fabric_of(&[1, 0, 1, 0, 1, 0], &links);
    let mut tables = ForwardingTables::with_one_address(&fabric, PairGranularity::Host);
    for host in fabric.host_ids() {
        let to = fabric.host_switch(host).index();
        for at in (0..6).filter(|&at| at != to) {
            let clockwise = match (to + 6 - at) % 6 {
                3 => is_clockwise(at),
                links => links < 3,
            };
            let next = if clockwise { at + 1 } else { at + 5 };
            let port = port_to(&fabric, at, next % 6);
            tables.set_next_port(SwitchId::from_index(at), host.index(), port);
        }
    }
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
    let failures = Failures {
        links: Chosen {
            names: vec![format!("sw5:{}", port_to(&before, 5, 2))],
            share: None,
        },
        ..Failures::default()
    };
    let after = degrade(&before, &failures).unwrap().fabric;
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
