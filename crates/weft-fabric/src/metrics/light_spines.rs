//! Spines and cores that have some ends, though others in their places have none.

use super::between_leaves;
use super::graph::SwitchGraph;
use super::hung_leaves;
use crate::{Fabric, SwitchId};
use std::collections::{BTreeMap, BTreeSet};

/// Of all compute ends no more than one of so many is out of place.
const FEW_OF_ALL: usize = 20;
/// No more groups are looked at: where so many switches differ from those beside them, there is no rule.
const MOST_GROUPS: usize = 64;

/// The leaves that are none: half of the switches with the same neighbours or more have no compute end, and without those
/// of them that have some the tree is no higher, while they lie on a level where most have none.
///
/// A leaf that lacks some of its cables is one as long as no ways of others lead through it.
///
/// The only leaf of a pod that is in use is a leaf, as the others beside it would come to lie above the cores.
pub(super) fn among(
    fabric: &Fabric,
    graph: &SwitchGraph,
    part: &[SwitchId],
    leaves: &[SwitchId],
) -> BTreeSet<SwitchId> {
    let hosts = |switch: SwitchId| fabric.compute_hosts_of(switch);
    let none = BTreeSet::new();
    let is_alone = |leaf: &SwitchId| is_unlike_those_beside(fabric, graph, *leaf);
    let alone: Vec<SwitchId> = leaves.iter().copied().filter(is_alone).collect();
    let all: usize = part.iter().map(|&switch| hosts(switch)).sum();
    if alone.is_empty() || leaves.len() == part.len() {
        return none;
    }
    let groups = hung_leaves::groups(graph, &alone);
    if groups.len() > MOST_GROUPS {
        return none;
    }
    let height = |leaves: &[SwitchId], levels: &mut [Option<u32>]| {
        graph.distances_from(leaves, levels);
        part.iter().filter_map(|at| levels[at.index()]).max()
    };
    let unknown = || vec![None; fabric.switch_count()];
    let highest = height(leaves, &mut unknown());
    let mut odd = BTreeSet::new();
    for group in groups {
        let rest: Vec<SwitchId> = leaves
            .iter()
            .copied()
            .filter(|leaf| !group.contains(leaf))
            .collect();
        let mut levels = unknown();
        if height(&rest, &mut levels) > highest || rest.is_empty() {
            continue;
        }
        let mut counts: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
        for switch in part {
            if let Some(level) = levels[switch.index()] {
                let [with, beside] = counts.entry(level).or_default();
                *with += usize::from(hosts(*switch) > 0);
                *beside += 1;
            }
        }
        let is_few = |leaf: &SwitchId| {
            let level = levels[leaf.index()].and_then(|level| counts.get(&level));
            level.is_some_and(|&[with, beside]| 2 * with < beside)
        };
        let is_higher = |leaf: &&SwitchId| levels[leaf.index()] > Some(1);
        let higher: Vec<SwitchId> = group.iter().filter(is_higher).copied().collect();
        let are_between =
            || between_leaves::among(fabric, graph, &higher, &rest).len() == higher.len();
        if group.iter().all(is_few) && are_between() {
            odd.extend(group);
        }
    }
    let of_odd: usize = odd.iter().map(|&switch| hosts(switch)).sum();
    if FEW_OF_ALL * of_odd > all { none } else { odd }
}

/// Tells whether of the switches that share half of the neighbours of one, as many as a leaf may have left that lacks cables
/// or has some in error, half or more have no compute end.
fn is_unlike_those_beside(fabric: &Fabric, graph: &SwitchGraph, leaf: SwitchId) -> bool {
    let around = graph.of_switch(leaf.index());
    let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
    for near in around {
        for beside in graph.of_switch(near.switch as usize) {
            *shared.entry(beside.switch).or_default() += 1;
        }
    }
    let beside: Vec<SwitchId> = shared
        .into_iter()
        .filter(|&(beside, count)| {
            let theirs = graph.of_switch(beside as usize).len();
            2 * count >= around.len().max(theirs)
        })
        .map(|(beside, _)| SwitchId::new(beside))
        .collect();
    let has_hosts = |switch: &&SwitchId| fabric.compute_hosts_of(**switch) > 0;
    let with = beside.iter().filter(has_hosts).count();
    beside.len() <= 1 || 2 * with <= beside.len()
}
