//! In which order the leaves of a tree come, and the parents of a switch.

use crate::choose::sort_as_manager;
use crate::paths::PathSpace;
use crate::shape::fat_tree::NO_LEVEL;
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::{Fabric, SwitchId};

const NOT_MET: u32 = u32::MAX;

/// Per switch: its place in an order that follows from GUIDs and cabling, whatever theirs is in a file: from the
/// first leaf in the manager's order neighbour by neighbour, those down before those up, each by port.
/// Source: `OpenSM`, `osm_ucast_ftree.c`, indexing of the switches.
pub(super) fn places(
    fabric: &Fabric,
    space: &PathSpace,
    levels: &[u32],
    by_level: &[Vec<u32>],
) -> Vec<u32> {
    let mut leaves: Vec<SwitchId> = by_level[0].iter().copied().map(SwitchId::new).collect();
    sort_as_manager(fabric, &mut leaves);
    let mut places = vec![NOT_MET; levels.len()];
    let mut queue: VecDeque<u32> = leaves
        .first()
        .map(|leaf| leaf.number())
        .into_iter()
        .collect();
    let mut next = 0;
    while let Some(at) = queue.pop_front() {
        if places[at as usize] != NOT_MET {
            continue;
        }
        places[at as usize] = next;
        next += 1;
        let is_up = |to: u32| levels[to as usize] > levels[at as usize];
        let around = || space.edges_of(at).iter().map(|edge| edge.to);
        queue.extend(around().filter(|&to| !is_up(to)));
        queue.extend(around().filter(|&to| is_up(to)));
    }
    places
}

/// Numbers the switches of each level by their parents' numbers; those with the same parents share
/// one, those without parents have one each, by their place among those met.
pub(super) fn classes(
    space: &PathSpace,
    levels: &[u32],
    by_level: &[Vec<u32>],
    places: &[u32],
) -> Vec<u32> {
    let mut classes = vec![0; levels.len()];
    for (level, switches) in by_level.iter().enumerate().rev() {
        let mut members: BTreeMap<(Vec<u32>, Option<u32>), Vec<u32>> = BTreeMap::new();
        for &at in switches {
            let parents = space.edges_of(at).iter().map(|edge| edge.to as usize);
            let parents = parents.filter(|&to| levels[to] as usize == level + 1);
            let mut above: Vec<u32> = parents.map(|to| classes[to]).collect();
            above.sort_unstable();
            above.dedup();
            let own = above.is_empty().then_some(places[at as usize]);
            members.entry((above, own)).or_default().push(at);
        }
        for (class, switches) in (0..).zip(members.values()) {
            for &at in switches {
                classes[at as usize] = class;
            }
        }
    }
    classes
}

/// The channels from a switch to its parents: by rounds over parallel links, in each by the
/// parents' classes, then places.
pub(super) fn ups(
    space: &PathSpace,
    levels: &[u32],
    classes: &[u32],
    places: &[u32],
    at: u32,
) -> Vec<u32> {
    if levels[at as usize] == NO_LEVEL {
        return Vec::new();
    }
    let above = levels[at as usize] + 1;
    let to = |edge: u32| space.edge(edge).to;
    let mut ups: Vec<u32> = space.edge_ids(at).collect();
    ups.retain(|&edge| levels[to(edge) as usize] == above);
    ups.sort_by_key(|&edge| (classes[to(edge) as usize], places[to(edge) as usize]));
    let mut rounds: Vec<(usize, u32)> = Vec::with_capacity(ups.len());
    for parallel in ups.chunk_by(|&one, &other| to(one) == to(other)) {
        rounds.extend(parallel.iter().copied().enumerate());
    }
    rounds.sort_by_key(|&(round, _)| round);
    rounds.into_iter().map(|(_, edge)| edge).collect()
}

/// The leaves: those that are joined below some level are next to each other, for every
/// level; else by places.
pub(super) fn leaves(
    space: &PathSpace,
    levels: &[u32],
    by_level: &[Vec<u32>],
    places: &[u32],
) -> Vec<u32> {
    let mut leaves = by_level[0].clone();
    leaves.sort_by_key(|&leaf| places[leaf as usize]);
    // Per leaf: the place of the first leaf that it is joined to within each level, the highest level first.
    let mut keys: Vec<Vec<u32>> = vec![Vec::new(); levels.len()];
    for highest in (1..by_level.len()).rev() {
        let mut met = vec![false; levels.len()];
        for &first in &leaves {
            if met[first as usize] {
                continue;
            }
            met[first as usize] = true;
            let mut queue = vec![first];
            while let Some(at) = queue.pop() {
                if levels[at as usize] == 0 {
                    keys[at as usize].push(places[first as usize]);
                }
                for edge in space.edges_of(at) {
                    let to = edge.to as usize;
                    if !met[to] && levels[to] as usize <= highest {
                        met[to] = true;
                        queue.push(edge.to);
                    }
                }
            }
        }
    }
    leaves.sort_by(|&one, &other| keys[one as usize].cmp(&keys[other as usize]));
    leaves
}
