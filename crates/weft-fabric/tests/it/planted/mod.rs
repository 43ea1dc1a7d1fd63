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
