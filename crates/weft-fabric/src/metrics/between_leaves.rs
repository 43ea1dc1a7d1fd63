//! Switches between leaves: the shortest ways of others lead through them.

use super::graph::SwitchGraph;
use crate::{Fabric, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Of all compute ends no more than one of so many is on switches that are no leaves.
pub(super) const FEW_OF_ALL: usize = 5;
/// No more switches are looked at: where so many have fewer ends than others, there is no rule.
const MOST: usize = 256;

/// The switches of some that have compute ends, half as many as the fullest at most, and lie between the other
/// leaves; none where they have more than few of all ends.
///
/// However many ends there are above the pods of a tree, ways from pod to pod lead through the switches they
/// hang on; through a leaf, at whatever height it hangs, no shortest way of others leads.
pub(super) fn with_ends(
    fabric: &Fabric,
    graph: &SwitchGraph,
    part: &[SwitchId],
    leaves: &[SwitchId],
) -> BTreeSet<SwitchId> {
    let hosts = |switch: SwitchId| fabric.compute_hosts_of(switch);
    let fullest = part.iter().map(|&switch| hosts(switch)).max().unwrap_or(0);
    let (some, full): (Vec<SwitchId>, Vec<SwitchId>) = leaves
        .iter()
        .copied()
        .partition(|&leaf| 2 * hosts(leaf) <= fullest);
    let found = among(fabric, graph, &some, &full);
    let all: usize = part.iter().map(|&switch| hosts(switch)).sum();
    let of_found: usize = found.iter().map(|&switch| hosts(switch)).sum();
    if FEW_OF_ALL * of_found > all {
        return BTreeSet::new();
    }
    found
}

/// The switches of some that lie in the middle of a shortest way between two leaves, two links or more from both,
/// as far as most ends of leaves are.
pub(super) fn among(
    fabric: &Fabric,
    graph: &SwitchGraph,
    some: &[SwitchId],
    leaves: &[SwitchId],
) -> BTreeSet<SwitchId> {
    if some.len() > MOST {
        return BTreeSet::new();
    }
    let from = |switch: SwitchId| {
        let mut distances = vec![None; fabric.switch_count()];
        graph.distances_from(&[switch], &mut distances);
        distances
    };
    let mut of_leaf: BTreeMap<SwitchId, Vec<Option<u32>>> = BTreeMap::new();
    let mut is_between = |switch: SwitchId| {
        let distances = from(switch);
        let mut ends: BTreeMap<u32, usize> = BTreeMap::new();
        for leaf in leaves {
            if let Some(links) = distances[leaf.index()] {
                *ends.entry(links).or_default() += fabric.compute_hosts_of(*leaf);
            }
        }
        let most = ends.into_iter().max_by_key(|&(_, ends)| ends);
        let Some(links) = most.map(|(links, _)| links).filter(|&links| links > 1) else {
            return false;
        };
        let mut far =
            (leaves.iter().copied()).filter(|leaf| distances[leaf.index()] == Some(links));
        let Some(first) = far.next() else {
            return false;
        };
        let of_first = of_leaf.entry(first).or_insert_with(|| from(first));
        far.any(|leaf| of_first[leaf.index()] == Some(2 * links))
    };
    some.iter()
        .copied()
        .filter(|&switch| is_between(switch))
        .collect()
}
