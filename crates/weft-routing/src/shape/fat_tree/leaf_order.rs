//! In which order the leaves of a tree come, and the parents of a switch.

use crate::paths::PathSpace;
use crate::shape::fat_tree::NO_LEVEL;
use std::collections::BTreeMap;

/// Numbers the switches of each level by their parents' numbers; those with the same parents share
/// one, those without parents have one each.
pub(super) fn classes(space: &PathSpace, levels: &[u32], by_level: &[Vec<u32>]) -> Vec<u32> {
    let mut classes = vec![0; levels.len()];
    for (level, switches) in by_level.iter().enumerate().rev() {
        let mut members: BTreeMap<(Vec<u32>, Option<u32>), Vec<u32>> = BTreeMap::new();
        for &at in switches {
            let parents = space.edges_of(at).iter().map(|edge| edge.to as usize);
            let parents = parents.filter(|&to| levels[to] as usize == level + 1);
            let mut above: Vec<u32> = parents.map(|to| classes[to]).collect();
            above.sort_unstable();
            above.dedup();
            let own = above.is_empty().then_some(at);
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
/// parents' classes, then ids.
pub(super) fn ups(space: &PathSpace, levels: &[u32], classes: &[u32], at: u32) -> Vec<u32> {
    if levels[at as usize] == NO_LEVEL {
        return Vec::new();
    }
    let above = levels[at as usize] + 1;
    let to = |edge: u32| space.edge(edge).to;
    let mut ups: Vec<u32> = space.edge_ids(at).collect();
    ups.retain(|&edge| levels[to(edge) as usize] == above);
    ups.sort_by_key(|&edge| (classes[to(edge) as usize], to(edge)));
    let mut rounds: Vec<(usize, u32)> = Vec::with_capacity(ups.len());
    for parallel in ups.chunk_by(|&one, &other| to(one) == to(other)) {
        rounds.extend(parallel.iter().copied().enumerate());
    }
    rounds.sort_by_key(|&(round, _)| round);
    rounds.into_iter().map(|(_, edge)| edge).collect()
}

/// The leaves: those that are joined below some level are next to each other, for every
/// level; else by ids.
pub(super) fn leaves(space: &PathSpace, levels: &[u32], by_level: &[Vec<u32>]) -> Vec<u32> {
    let leaves = &by_level[0];
    // Per leaf: the first leaf that it is joined to within each level, the highest level first.
    let mut keys: Vec<Vec<u32>> = vec![Vec::new(); levels.len()];
    for highest in (1..by_level.len()).rev() {
        let mut met = vec![false; levels.len()];
        for &first in leaves {
            if met[first as usize] {
                continue;
            }
            met[first as usize] = true;
            let mut queue = vec![first];
            while let Some(at) = queue.pop() {
                if levels[at as usize] == 0 {
                    keys[at as usize].push(first);
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
    let mut ordered = leaves.clone();
    ordered.sort_by(|&one, &other| {
        let key = |leaf: u32| (&keys[leaf as usize], leaf);
        key(one).cmp(&key(other))
    });
    ordered
}
