//! Swapped cables and slow links planted in fabrics of many shapes.

use super::{Draw, Ends, shapes, some, sorted, suspected, trunks, with_links};
use std::collections::BTreeSet;
use weft_fabric::metrics::{Suspicion, levels};
use weft_fabric::{Fabric, Link, LinkId, Node};

/// Two links between the same two levels, the lower ends first, that may exchange their upper ends.
fn two_uplinks(fabric: &Fabric, draw: &mut Draw) -> [(LinkId, Ends); 2] {
    let levels = levels(fabric);
    let level = |node: Node| levels[node.switch().unwrap().index()];
    let upwards = |id: LinkId| {
        let mut ends = fabric.link(id).ends;
        ends.sort_by_key(|end| (level(end.node), end.node));
        (id, ends)
    };
    loop {
        let pair = some(fabric, 2, draw);
        let [a, b] = [upwards(pair[0]), upwards(pair[1])];
        let is_alike = |at: usize| level(a.1[at].node) == level(b.1[at].node);
        let is_same = |at: usize| a.1[at].node == b.1[at].node;
        if is_alike(0) && is_alike(1) && !(is_same(0) && is_same(1)) {
            return [a, b];
        }
    }
}

#[test]
fn two_swapped_uplinks_are_found_by_what_other_leaves_have() {
    for fabric in shapes::all() {
        if levels(&fabric).iter().any(Option::is_none) || fabric.name() == "unordered" {
            continue;
        }
        let mut found = 0;
        for seed in 0..20 {
            let [(a, ends), (b, others)] = two_uplinks(&fabric, &mut Draw::new(seed));
            let mut links: Vec<Link> = fabric.link_ids().map(|id| *fabric.link(id)).collect();
            links[a.index()].ends = [ends[0], others[1]];
            links[b.index()].ends = [others[0], ends[1]];
            let planted = BTreeSet::from([a, b]);
            let damaged = with_links(&fabric, &links);
            let told = suspected(&damaged);
            let is_told = |suspicion: &Suspicion| match suspicion {
                Suspicion::SwappedCables { links, belong, .. } => {
                    let mut belong = belong.map(|ends| {
                        sorted(ends.map(|(id, port)| Node::Switch(id).at(port.number())))
                    });
                    belong.sort_unstable();
                    let mut meant = [sorted(ends), sorted(others)];
                    meant.sort_unstable();
                    BTreeSet::from(*links) == planted && belong == meant
                }
                _ => false,
            };
            assert!(
                told.iter().all(is_told) && told.len() <= 1,
                "{} {seed}: {told:?}",
                fabric.name()
            );
            found += told.len();
        }
        assert!(found >= 19, "{}: {found} of 20", fabric.name());
    }
}

#[test]
fn links_at_half_rate_are_told_by_kind_and_no_other() {
    for fabric in shapes::all() {
        let mut draw = Draw::new(11);
        let count = (trunks(&fabric).len() / 10).min(64);
        let slow: BTreeSet<LinkId> = some(&fabric, count, &mut draw).into_iter().collect();
        let slow_hosts: BTreeSet<LinkId> = fabric
            .host_ids()
            .filter(|_| draw.below(20) == 0)
            .map(|host| fabric.injection_channel(host).link())
            .collect();
        let links: Vec<Link> = fabric
            .link_ids()
            .map(|id| {
                let mut link = *fabric.link(id);
                let is_slow = slow.contains(&id) || slow_hosts.contains(&id);
                link.cable.rate = Some(if is_slow { "4xHDR" } else { "4xNDR" }.parse().unwrap());
                link
            })
            .collect();
        let mut told = BTreeSet::new();
        let found = suspected(&with_links(&fabric, &links));
        assert!(
            found.len() <= 8,
            "{}: {} groups",
            fabric.name(),
            found.len()
        );
        for suspicion in found {
            let Suspicion::SlowLinks { links, .. } = suspicion else {
                panic!("{}: {suspicion:?}", fabric.name())
            };
            told.extend(links);
        }
        let planted: BTreeSet<LinkId> = slow.union(&slow_hosts).copied().collect();
        assert_eq!(told, planted, "{}", fabric.name());
    }
}
