//! Two fabrics compared: what was planted between them is told, and nothing else.

use super::{Draw, shapes, some, sorted, trunks, with_links};
use std::collections::BTreeSet;
use weft_fabric::compare::{
    Change, ComparedCable, Comparison, MatchedBy, compare, wiring_fingerprint,
};
use weft_fabric::{Endpoint, Fabric, FabricBuilder, Host, Link, Node, Switch};

/// The fabric with other names, no GUIDs, and its nodes and links in another order.
fn renamed(fabric: &Fabric, draw: &mut Draw) -> Fabric {
    let mut shuffled = |count: usize| -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, draw.below(at + 1));
        }
        order
    };
    let (switches, hosts) = (
        shuffled(fabric.switch_count()),
        shuffled(fabric.host_count()),
    );
    let place = |order: &[usize]| -> Vec<usize> {
        let mut place = vec![0; order.len()];
        for (at, &node) in order.iter().enumerate() {
            place[node] = at;
        }
        place
    };
    let (switch_at, host_at) = (place(&switches), place(&hosts));
    let mut builder = FabricBuilder::new("renamed");
    let ids: Vec<_> = fabric.switch_ids().collect();
    for (at, &node) in switches.iter().enumerate() {
        let ports = fabric.switch(ids[node]).port_count;
        builder
            .add_switch(Switch::new(format!("x{at}"), ports))
            .unwrap();
    }
    let added: Vec<_> = (0..hosts.len())
        .map(|at| builder.add_host(Host::new(format!("y{at}"))).unwrap())
        .collect();
    for link in fabric.link_ids().map(|id| fabric.link(id)) {
        let ends = link.ends.map(|end| Endpoint {
            node: match end.node {
                Node::Switch(id) => Node::Switch(ids[switch_at[id.index()]]),
                Node::Host(id) => Node::Host(added[host_at[id.index()]]),
            },
            port: end.port,
        });
        builder.add_link(ends[1], ends[0], link.cable).unwrap();
    }
    builder.build().unwrap()
}

/// Some links pulled and some pairs of links that have exchanged an end; no link is in two of these.
struct Planted {
    fabric: Fabric,
    pulled: BTreeSet<[Endpoint; 2]>,
    swapped: BTreeSet<BTreeSet<[Endpoint; 2]>>,
}

fn planted(fabric: &Fabric, pulls: usize, swaps: usize, draw: &mut Draw) -> Planted {
    let chosen = some(fabric, pulls + 2 * swaps, draw);
    let mut order = chosen;
    for at in (1..order.len()).rev() {
        order.swap(at, draw.below(at + 1));
    }
    let mut links: Vec<Link> = fabric.link_ids().map(|id| *fabric.link(id)).collect();
    let mut swapped = BTreeSet::new();
    for pair in order[pulls..].chunks(2) {
        let [a, b] = [pair[0], pair[1]].map(|id| fabric.link(id).ends);
        // A cable is not made to lead back to its own switch, and ends of one switch change nothing
        // but ports, which counts.
        if a[0].node == b[1].node || b[0].node == a[1].node {
            continue;
        }
        links[pair[0].index()].ends = [a[0], b[1]];
        links[pair[1].index()].ends = [b[0], a[1]];
        swapped.insert([sorted([a[0], b[1]]), sorted([b[0], a[1]])].into());
    }
    let pulled: BTreeSet<_> = order[..pulls]
        .iter()
        .map(|&id| sorted(fabric.link(id).ends))
        .collect();
    links.retain(|link| !pulled.contains(&sorted(link.ends)));
    Planted {
        fabric: with_links(fabric, &links),
        pulled,
        swapped,
    }
}

fn planned(cable: ComparedCable) -> [Endpoint; 2] {
    sorted(cable.map(|end| end.planned.unwrap().at(end.port)))
}

/// The cables pulled and swapped, by the names of the plan; nothing else may be told.
fn told(found: &Comparison) -> (BTreeSet<[Endpoint; 2]>, BTreeSet<BTreeSet<[Endpoint; 2]>>) {
    let (mut pulled, mut swapped) = (BTreeSet::new(), BTreeSet::new());
    for change in &found.changes {
        match change {
            Change::Missing { cable } => {
                pulled.insert(planned(*cable));
            }
            Change::Swapped { found, .. } => {
                swapped.insert(found.map(planned).into_iter().collect());
            }
            other => panic!("{other:?}"),
        }
    }
    (pulled, swapped)
}

#[test]
fn two_hundred_swaps_and_pulls_are_told_and_nothing_else() {
    for fabric in shapes::all() {
        let changes = (trunks(&fabric).len() / 4).min(200);
        let (pulls, swaps) = (changes - changes / 2, changes / 2);
        let planted = planted(&fabric, pulls, swaps, &mut Draw::new(7));
        let found = compare(&fabric, &planted.fabric);
        assert_eq!(
            told(&found),
            (planted.pulled, planted.swapped),
            "{}",
            fabric.name()
        );
        assert_eq!(
            found.matched.name,
            fabric.switch_count() + fabric.host_count()
        );
    }
}

#[test]
fn each_of_two_hundred_alone_is_told_with_both_ports() {
    for fabric in [shapes::unordered(), shapes::rails()] {
        for seed in 0..200 {
            let swaps = usize::from(seed % 2 == 0);
            let planted = planted(&fabric, 1 - swaps, swaps, &mut Draw::new(seed));
            let found = compare(&fabric, &planted.fabric);
            assert_eq!(told(&found), (planted.pulled, planted.swapped), "{seed}");
        }
    }
}

#[test]
fn where_neither_names_nor_guids_hold_nodes_are_told_by_their_place() {
    for fabric in shapes::all() {
        let mut draw = Draw::new(3);
        let other = renamed(&fabric, &mut draw);
        assert_eq!(
            wiring_fingerprint(&fabric),
            wiring_fingerprint(&other),
            "{}",
            fabric.name()
        );
        let whole = compare(&fabric, &other);
        assert_eq!(whole.changes, [], "{}", fabric.name());
        let shape = fabric.switch_count() + fabric.host_count();
        assert_eq!(
            whole.matched,
            MatchedBy {
                guid: 0,
                name: 0,
                shape
            }
        );
        assert_eq!(whole.same_cables, fabric.link_count());

        let count = (trunks(&fabric).len() / 60).clamp(1, 6);
        let planted = planted(&fabric, count, count, &mut draw);
        let damaged = renamed(&planted.fabric, &mut draw);
        assert_ne!(wiring_fingerprint(&fabric), wiring_fingerprint(&damaged));
        let found = compare(&fabric, &damaged);
        let kinds =
            |change: &&Change| matches!(change, Change::Missing { .. } | Change::Swapped { .. });
        println!(
            "{}: {} of {}",
            fabric.name(),
            found.changes.iter().filter(kinds).count(),
            found.changes.len()
        );
        assert_eq!(
            found.changes.len(),
            planted.pulled.len() + planted.swapped.len(),
            "{}",
            fabric.name()
        );
    }
}

/// The cluster that the guide shows.
fn cluster() -> Fabric {
    let text = include_bytes!("../../../../../examples/cluster.ibnetdiscover");
    weft_fabric::formats::read(text, "cluster").unwrap().fabric
}

#[test]
fn a_tenth_of_the_cables_pulled_and_swapped_hides_no_place() {
    let mut fabrics = shapes::all();
    fabrics.push(cluster());
    for fabric in fabrics.iter().filter(|fabric| fabric.switch_count() <= 400) {
        for seed in 0..2 {
            let mut draw = Draw::new(seed);
            let count = (trunks(fabric).len() / 20).max(1);
            let planted = planted(fabric, count, count, &mut draw);
            let damaged = renamed(&planted.fabric, &mut draw);
            let found = compare(fabric, &damaged);
            let events = planted.pulled.len() + planted.swapped.len();
            let name = fabric.name();
            assert!(
                found.changes.len() <= events,
                "{name} {seed}: {}",
                found.changes.len()
            );
            // Some switches of four cables have lost half of them.
            let uncertain = found.uncertain.len();
            assert!(
                6 * uncertain <= fabric.switch_count(),
                "{name} {seed}: {uncertain}"
            );
        }
    }
}

#[test]
fn thirty_events_in_a_cluster_without_names_are_told_one_by_one() {
    let fabric = cluster();
    for seed in 0..10 {
        let mut draw = Draw::new(seed);
        let planted = planted(&fabric, 15, 15, &mut draw);
        let found = compare(&fabric, &renamed(&planted.fabric, &mut draw));
        assert_eq!(told(&found), (planted.pulled, planted.swapped), "{seed}");
    }
}

#[test]
fn switches_that_hardly_agree_are_told_to_be_uncertain() {
    let (one, other) = (shapes::unordered(), shapes::rails());
    let found = compare(&one, &renamed(&other, &mut Draw::new(1)));
    assert!(!found.uncertain.is_empty());
    let whole = compare(&one, &renamed(&one, &mut Draw::new(1)));
    assert_eq!(whole.uncertain, []);
}
