//! Faults planted in fabrics of many shapes: each is to be named, and nothing else.

mod differences;
mod others;
mod shapes;
mod tenth;

use std::collections::BTreeSet;
use tenth::told_of_pulled;
use weft_fabric::metrics::{Suspicion, levels, suspicions};
use weft_fabric::{Endpoint, Fabric, FabricBuilder, Link, LinkId, Node};
pub(crate) use weft_testing::machines::Draw;

/// The fabric with other links.
pub(crate) fn with_links(fabric: &Fabric, links: &[Link]) -> Fabric {
    let mut builder = FabricBuilder::new(fabric.name());
    for id in fabric.switch_ids() {
        builder.add_switch(fabric.switch(id).clone()).unwrap();
    }
    for id in fabric.host_ids() {
        builder.add_host(fabric.host(id).clone()).unwrap();
    }
    for link in links {
        builder
            .add_link(link.ends[0], link.ends[1], link.cable)
            .unwrap();
    }
    builder.build().unwrap()
}

/// The links between two switches.
pub(crate) fn trunks(fabric: &Fabric) -> Vec<LinkId> {
    let between = |&id: &LinkId| {
        let ends = fabric.link(id).ends.map(|end| end.node);
        matches!(ends, [Node::Switch(a), Node::Switch(b)] if a != b)
    };
    fabric.link_ids().filter(between).collect()
}

/// Several different links between switches.
pub(crate) fn some(fabric: &Fabric, count: usize, draw: &mut Draw) -> Vec<LinkId> {
    let trunks = trunks(fabric);
    let mut chosen = BTreeSet::new();
    while chosen.len() < count {
        chosen.insert(trunks[draw.below(trunks.len())]);
    }
    chosen.into_iter().collect()
}

type Ends = [Endpoint; 2];

fn sorted(mut ends: Ends) -> Ends {
    ends.sort_unstable();
    ends
}

fn suspected(fabric: &Fabric) -> Vec<Suspicion> {
    suspicions(fabric, &levels(fabric))
}

#[test]
fn whole_fabrics_raise_no_suspicion() {
    for fabric in shapes::all() {
        assert_eq!(suspected(&fabric), [], "{}", fabric.name());
    }
}

/// A cable in so many can be pulled in small flat fabrics, in others, before some are not told.
const FEW: usize = 100;
const MANY: usize = 40;

#[test]
fn cables_pulled_are_named_and_no_other() {
    for fabric in shapes::all() {
        let is_tree = levels(&fabric).iter().any(Option::is_some);
        let share = if is_tree { MANY } else { FEW };
        let most = trunks(&fabric).len() / share;
        for count in [1, most.clamp(1, 4)] {
            let (mut told, mut all) = (0, 0);
            for seed in 0..8 {
                let found = told_of_pulled(&fabric, count, seed);
                assert_eq!(found.wrong, [""; 0], "{}", fabric.name());
                told += found.named;
                all += count;
            }
            assert!(20 * told >= 17 * all, "{}: {told} of {all}", fabric.name());
        }
    }
}

/// The fabric with ports numbered by lanes, as those of Ethernet are, as far as there are numbers.
fn by_lanes(fabric: &Fabric) -> Option<Fabric> {
    const LANES: u8 = 4;
    let number = |port: u8| (port - 1).checked_mul(LANES)?.checked_add(1);
    let mut builder = FabricBuilder::new(fabric.name());
    for id in fabric.switch_ids() {
        let mut switch = fabric.switch(id).clone();
        switch.port_count = number(switch.port_count)?;
        builder.add_switch(switch).ok()?;
    }
    for id in fabric.host_ids() {
        builder.add_host(fabric.host(id).clone()).ok()?;
    }
    for id in fabric.link_ids() {
        let link = fabric.link(id);
        let [one, other] = link.ends.map(|end| match end.node {
            Node::Switch(_) => Some(end.node.at(number(end.port.number())?)),
            Node::Host(_) => Some(end),
        });
        builder.add_link(one?, other?, link.cable).ok()?;
    }
    builder.build().ok()
}

#[test]
fn no_cable_is_missed_at_numbers_between_those_of_ports() {
    let mut told = 0;
    for fabric in shapes::all() {
        let mut draw = Draw::new(1);
        let pulled = some(&fabric, 1, &mut draw);
        let left: Vec<Link> = fabric
            .link_ids()
            .filter(|id| !pulled.contains(id))
            .map(|id| *fabric.link(id))
            .collect();
        let Some(numbered) = by_lanes(&with_links(&fabric, &left)) else {
            continue;
        };
        for suspicion in suspected(&numbered) {
            let Suspicion::MissingCable { ends } = suspicion else {
                continue;
            };
            for port in ends.iter().flat_map(|end| &end.ports) {
                assert_eq!(port.number() % 4, 1, "{}", fabric.name());
                told += 1;
            }
        }
    }
    assert!(told > 0);
}
