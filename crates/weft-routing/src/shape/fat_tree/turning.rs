//! Where ways between hosts above the leaves may turn up again.

use crate::choose::sort_as_manager;
use crate::paths::PathSpace;
use crate::shape::FatTree;
use crate::shape::fat_tree::NO_LEVEL;
use std::cmp::Reverse;
use weft_fabric::{Fabric, SwitchId};

/// The leaf that most switches are above, of equals the first in the manager's order; `None` without levels.
///
/// Ways that turn from down to up do so there, for whatever they are made.
/// Time O(n·E) for n leaves and E links.
pub(crate) fn widest_leaf(fabric: &Fabric, space: &PathSpace, levels: &[u32]) -> Option<u32> {
    let mut leaves: Vec<SwitchId> = fabric.switch_ids().collect();
    leaves.retain(|leaf| levels[leaf.index()] == 0);
    sort_as_manager(fabric, &mut leaves);
    let above = |leaf: &SwitchId| and_above(space, levels, leaf.number()).len();
    let widest = leaves.into_iter().min_by_key(|leaf| Reverse(above(leaf)));
    widest.map(SwitchId::number)
}

/// A switch and all that links up lead to from it.
fn and_above(space: &PathSpace, levels: &[u32], from: u32) -> Vec<u32> {
    let mut is_met = vec![false; space.switch_count()];
    is_met[from as usize] = true;
    let mut met = vec![from];
    let mut next = 0;
    while let Some(&at) = met.get(next) {
        next += 1;
        for edge in space.edges_of(at) {
            let (here, there) = (levels[at as usize], levels[edge.to as usize]);
            let is_up = there != NO_LEVEL && there > here;
            if is_up && !std::mem::replace(&mut is_met[edge.to as usize], true) {
                met.push(edge.to);
            }
        }
    }
    met
}

/// The switches at which a way between two switches above the leaves may turn up after it went down: a
/// leaf, and all above it.
///
/// Such ways close no circle as long as no other turns down between two of these switches: after one
/// turned up it climbs within them, so it would have to come down between two of them to turn up there
/// again.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    /// Per switch; empty where no way needs it.
    is_in: Vec<bool>,
    /// Whether a way went down, and then up.
    is_used: bool,
    /// A switch at which a way turned down from one of these switches to another.
    crossed: Option<u32>,
}

impl Turning {
    /// Turns at the [widest leaf](widest_leaf).
    /// Time O(n·E) for n leaves and E links.
    pub(super) fn new(fabric: &Fabric, space: &PathSpace, tree: &FatTree) -> Self {
        let mut found = Self {
            is_in: Vec::new(),
            is_used: false,
            crossed: None,
        };
        if tree.higher().len() > 1
            && let Some(leaf) = widest_leaf(fabric, space, &tree.levels)
        {
            found.is_in = vec![false; space.switch_count()];
            for at in and_above(space, &tree.levels, leaf) {
                found.is_in[at as usize] = true;
            }
        }
        found
    }

    pub(super) fn has(&self, switch: u32) -> bool {
        self.is_in.get(switch as usize).is_some_and(|&is_in| is_in)
    }

    pub(super) fn turned_up(&mut self) {
        self.is_used = true;
    }

    /// Notes three switches that a way passes one after the other.
    pub(super) fn pass(&mut self, tree: &FatTree, [from, at, to]: [u32; 3]) {
        let is_top =
            tree.level_of(from) < tree.level_of(at) && tree.level_of(to) < tree.level_of(at);
        if is_top && from != to && self.has(from) && self.has(to) {
            self.crossed.get_or_insert(at);
        }
    }

    /// The switch at which the ways could close a circle.
    pub(super) fn doubtful(&self) -> Option<u32> {
        self.crossed.filter(|_| self.is_used)
    }
}
