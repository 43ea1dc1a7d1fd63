//! Leaves that hang on higher levels of a tree than most: storage on the cores above several pods,
//! ends on modules of a director in whose others racks are.

use super::graph::SwitchGraph;
use crate::{Fabric, SwitchId};
use std::collections::BTreeMap;

/// Of so many groups of leaves at most it is tried which of them hang higher.
const MOST_GROUPS: usize = 256;

/// Lifts leaves to the level below the switches they hang on, where more pairs of neighbours come to lie
/// one level apart, and tells which.
///
/// Leaves that share a neighbour hang equally high. As long as pairs of neighbours do not lie one level
/// apart, the group is lifted that mends most of them, of equals that with fewest compute ends; what
/// is left keeps at least one group at the bottom.
pub(super) fn lift(
    fabric: &Fabric,
    graph: &SwitchGraph,
    part: &[SwitchId],
    leaves: &[SwitchId],
    levels: &mut [Option<u32>],
) -> Vec<SwitchId> {
    let mut lifted: Vec<SwitchId> = Vec::new();
    let mut uneven = uneven_pairs(graph, part, levels);
    if uneven == 0 {
        return lifted;
    }
    let mut at_bottom = groups(graph, leaves);
    if at_bottom.len() > MOST_GROUPS {
        return lifted;
    }
    while uneven > 0 && at_bottom.len() > 1 {
        let mut best: Option<(usize, usize, usize, Vec<Option<u32>>)> = None;
        for (place, group) in at_bottom.iter().enumerate() {
            let mut tried = levels.to_vec();
            let rest: Vec<SwitchId> = at_bottom
                .iter()
                .enumerate()
                .filter(|&(other, _)| other != place)
                .flat_map(|(_, leaves)| leaves)
                .copied()
                .collect();
            let above: Vec<SwitchId> = lifted.iter().chain(group).copied().collect();
            place_above(graph, part, &rest, &above, &mut tried);
            let left = uneven_pairs(graph, part, &tried);
            let hosts: usize = group.iter().map(|&s| fabric.compute_hosts_of(s)).sum();
            let is_better =
                |&(most, fewest, ..): &(usize, usize, usize, _)| (left, hosts) < (most, fewest);
            if best.as_ref().is_none_or(is_better) {
                best = Some((left, hosts, place, tried));
            }
        }
        let Some((left, _, place, tried)) = best.filter(|&(left, ..)| left < uneven) else {
            break;
        };
        lifted.extend(at_bottom.remove(place));
        levels.copy_from_slice(&tried);
        uneven = left;
    }
    lifted
}

/// Gives every switch of a part its links to the nearest of the leaves at the bottom, on ways that pass
/// no lifted leaf, and those the level below the lowest switch they hang on.
fn place_above(
    graph: &SwitchGraph,
    part: &[SwitchId],
    bottom: &[SwitchId],
    lifted: &[SwitchId],
    levels: &mut [Option<u32>],
) {
    for switch in part {
        levels[switch.index()] = None;
    }
    // A level that no other reaches, so that no way leads through.
    for switch in lifted {
        levels[switch.index()] = Some(u32::MAX);
    }
    graph.distances_from(bottom, levels);
    for switch in lifted {
        levels[switch.index()] = None;
    }
    for switch in lifted {
        let around = graph.of_switch(switch.index()).iter();
        let lowest = around.filter_map(|near| levels[near.switch as usize]).min();
        levels[switch.index()] = Some(lowest.map_or(0, |level| level.saturating_sub(1)));
    }
}

/// Counts the pairs of neighbours that do not lie one level apart, in both orders.
fn uneven_pairs(graph: &SwitchGraph, part: &[SwitchId], levels: &[Option<u32>]) -> usize {
    let of_switch = |switch: &SwitchId| {
        let around = graph.of_switch(switch.index()).iter();
        let is_uneven = |there: u32| match (levels[switch.index()], levels[there as usize]) {
            (Some(here), Some(there)) => here.abs_diff(there) != 1,
            _ => true,
        };
        around.filter(|near| is_uneven(near.switch)).count()
    };
    part.iter().map(of_switch).sum()
}

/// Groups leaves that share a neighbour, or are neighbours.
pub(super) fn groups(graph: &SwitchGraph, leaves: &[SwitchId]) -> Vec<Vec<SwitchId>> {
    let mut met: BTreeMap<u32, usize> = BTreeMap::new();
    let mut group_of: Vec<usize> = Vec::new();
    for (leaf, switch) in leaves.iter().enumerate() {
        group_of.push(leaf);
        let around = graph.of_switch(switch.index()).iter();
        for near in around.map(|near| near.switch).chain([switch.number()]) {
            let other = *met.entry(near).or_insert(leaf);
            let [a, b] = [leaf, other].map(|leaf| first_of(&mut group_of, leaf));
            group_of[a.max(b)] = a.min(b);
        }
    }
    let mut groups: BTreeMap<usize, Vec<SwitchId>> = BTreeMap::new();
    for (leaf, &switch) in leaves.iter().enumerate() {
        let first = first_of(&mut group_of, leaf);
        groups.entry(first).or_default().push(switch);
    }
    groups.into_values().collect()
}

/// The first leaf of a leaf's group.
fn first_of(group_of: &mut [usize], mut leaf: usize) -> usize {
    while group_of[leaf] != leaf {
        group_of[leaf] = group_of[group_of[leaf]];
        leaf = group_of[leaf];
    }
    leaf
}
