//! Links that are slower than the others.

use super::{Suspicion, is_self_link};
use crate::{Fabric, LinkId, LinkRate, Node, SwitchId};
use std::collections::BTreeMap;

/// Links of one kind share a rate when this many quarters of those with a known rate have it.
const QUARTERS: usize = 3;

/// Links are of one kind when they join the same levels; host links are a kind of their own.
type Kind = (bool, [Option<u32>; 2]);

/// The links slower than three quarters of their kind, or than another link between the
/// same two switches.
pub(super) fn too_low(fabric: &Fabric, levels: &[Option<u32>]) -> Vec<Suspicion> {
    let kind = |id: LinkId| -> Kind {
        let [a, b] = fabric.link(id).ends.map(|end| match end.node {
            Node::Switch(switch) => (false, levels[switch.index()]),
            Node::Host(_) => (true, None),
        });
        (a.0 || b.0, [a.1.min(b.1), a.1.max(b.1)])
    };
    let trunk = |id: LinkId| -> Option<[SwitchId; 2]> {
        match fabric.link(id).ends.map(|end| end.node) {
            [Node::Switch(a), Node::Switch(b)] => Some([a.min(b), a.max(b)]),
            _ => None,
        }
    };
    let mut by_kind: BTreeMap<Kind, Vec<LinkRate>> = BTreeMap::new();
    let mut by_trunk: BTreeMap<[SwitchId; 2], LinkRate> = BTreeMap::new();
    for id in fabric.link_ids().filter(|&id| !is_self_link(fabric, id)) {
        let Some(rate) = fabric.link(id).cable.rate else {
            continue;
        };
        by_kind.entry(kind(id)).or_default().push(rate);
        if let Some(ends) = trunk(id) {
            let fastest = by_trunk.entry(ends).or_insert(rate);
            *fastest = faster(*fastest, rate);
        }
    }
    let usual: BTreeMap<Kind, LinkRate> = by_kind
        .into_iter()
        .filter_map(|(kind, rates)| Some((kind, usual_rate(rates)?)))
        .collect();
    let slow = |id: LinkId| {
        let found = fabric
            .link(id)
            .cable
            .rate
            .filter(|_| !is_self_link(fabric, id))?;
        let of_kind = usual.get(&kind(id)).copied().unwrap_or(found);
        let of_trunk = trunk(id).and_then(|ends| by_trunk.get(&ends).copied());
        let expected = faster(of_kind, of_trunk.unwrap_or(found));
        (found.data_gbit_per_s() < expected.data_gbit_per_s()).then_some(Suspicion::SlowLink {
            link: id,
            found,
            expected,
        })
    };
    fabric.link_ids().filter_map(slow).collect()
}

fn faster(a: LinkRate, b: LinkRate) -> LinkRate {
    if b.data_gbit_per_s() > a.data_gbit_per_s() {
        b
    } else {
        a
    }
}

/// The rate that enough links have.
fn usual_rate(mut rates: Vec<LinkRate>) -> Option<LinkRate> {
    rates.sort_unstable();
    let same = rates
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| same.len())?;
    (4 * same.len() >= QUARTERS * rates.len()).then_some(same[0])
}
