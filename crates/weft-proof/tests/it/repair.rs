//! Tables repaired after links failed: proved, little changed, and safe on the way.

use super::proved::assert_proved;
use petgraph::algo::is_cyclic_directed;
use petgraph::graphmap::DiGraphMap;
use proptest::prelude::*;
use weft_fabric::generate::{JellyfishParameters, jellyfish};
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Repair, RepairError, Routes, Transition, repair};
use weft_testing::{assert_has, cases, fabric_of, host_pairs, tables_of};

/// Switch, port and lane of a channel, which mean the same in both fabrics.
type Place = (u32, u8, u8);

/// Walks a route over entries that are each of one or the other tables, and notes what waits for what.
fn walk(
    fabric: &Fabric,
    pick: &dyn Fn(SwitchId, usize) -> Option<u8>,
    [source, destination]: [HostId; 2],
    lane: u8,
    graph: &mut DiGraphMap<Place, ()>,
) {
    let mut at = fabric.host_switch(source);
    let mut held: Option<Place> = None;
    for _ in fabric.switch_ids() {
        let Some(port) = pick(at, destination.index()) else {
            return;
        };
        let wanted = (at.number(), port, lane);
        if let Some(held) = held {
            graph.add_edge(held, wanted, ());
        }
        held = Some(wanted);
        let channel = fabric.outgoing_at(at, PortNumber::new(port));
        match channel.map(|channel| fabric.target(channel).node) {
            Some(Node::Switch(next)) => at = next,
            _ => return,
        }
    }
}

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

fn entry(tables: &ForwardingTables, at: SwitchId, host: usize) -> Option<u8> {
    let address = tables.addresses(host).start;
    tables.next_port(at, address).map(PortNumber::number)
}

/// Walks as packets may while entries change one by one, on old lanes and new.
fn mixed(
    [before, after]: [&Fabric; 2],
    [old, new]: [&ForwardingTables; 2],
    transition: Transition,
    draws: &[u64],
) -> DiGraphMap<Place, ()> {
    let mut graph = DiGraphMap::new();
    let mixes = match transition {
        Transition::AnyOrder => draws,
        Transition::ClearFirst => &[],
    };
    for [source, destination] in host_pairs(before).into_iter().map(|(s, d)| [s, d]) {
        let lanes = [old, new].map(|t| t.lane(source.index(), destination.index()).number());
        let pair = [source, destination];
        // An old entry over a failed link leads nowhere.
        for (tables, lane) in [old, new].into_iter().zip(lanes) {
            walk(
                after,
                &|at, to| entry(tables, at, to),
                pair,
                lane,
                &mut graph,
            );
        }
        for &draw in mixes {
            for lane in lanes {
                let pick = |at: SwitchId, to: usize| {
                    let bit = (draw >> ((at.index() * 7 + to * 3) % 64)) & 1 == 1;
                    entry(if bit { old } else { new }, at, to)
                };
                walk(after, &pick, pair, lane, &mut graph);
            }
        }
    }
    graph
}

fn networks() -> impl Strategy<Value = (Vec<usize>, Vec<(usize, usize)>)> {
    (3_usize..10).prop_flat_map(|switches| {
        let hosts = prop::collection::vec(1_usize..3, switches);
        let further = prop::collection::vec((0..switches, 0..switches), switches..3 * switches);
        (hosts, further).prop_map(move |(hosts, further)| {
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
        draws in prop::collection::vec(any::<u64>(), 6),
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
        let made = match repair(&before, &old, &after) {
            Ok(made) => made,
            Err(RepairError::Routing(_) | RepairError::NoWay { .. }) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        assert_proved(&after, &made.tables.clone().into());
        prop_assert!(made.tables.lane_count() <= old.lane_count());
        check_little_changed(&after, &old, &made)?;
        let graph = mixed([&before, &after], [&old, &made.tables], made.transition, &draws);
        prop_assert!(!is_cyclic_directed(&graph));
    }
}

/// Switches whose old way is whole keep their entry.
fn check_little_changed(
    after: &Fabric,
    old: &ForwardingTables,
    made: &Repair,
) -> Result<(), TestCaseError> {
    let routes = Routes::from(old.clone());
    let mut changed = 0;
    for host in after.host_ids() {
        for at in after.switch_ids() {
            let [was, is] = [old, &made.tables].map(|tables| entry(tables, at, host.index()));
            let mut walk = routes.walk_hosts(after, after.hosts_of(at)[0], host);
            let is_whole = walk.by_ref().all(|step| step.hop.is_ok());
            let stands = was.filter(|&port| {
                let channel = after.outgoing_at(at, PortNumber::new(port));
                channel.is_some()
            });
            changed += usize::from(stands != is);
            if is_whole && walk.switch() == after.host_switch(host) {
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
}

/// Every single link of a random network may fail: four lanes always hold another way beside the old
/// ones, and hardly more entries change than led over the link.
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
        2 * changed <= 3 * broken,
        "{changed} entries for {broken} that failed"
    );
    assert!(in_any_order > 0);
}

#[test]
fn what_was_not_there_before_is_refused() {
    let before = fabric_of(&[1, 1], &[(0, 1)]);
    let after = fabric_of(&[1, 1, 1], &[(0, 1), (1, 2)]);
    let old = tables_of(&before, "best");
    let error = repair(&before, &old, &after).unwrap_err();
    assert_has(&error, "switch “sw2” is not part of the fabric");
}
