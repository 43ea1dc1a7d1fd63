//! Plans by orders of single changes, which drain as few addresses as they can.

use super::joint::Joint;
use super::planner::{Manner, Planner};
use super::single_changes::{SingleChanges, Sought};
use super::{LevelChange, TransitionPlan, obstructions};
use weft_fabric::Fabric;

/// Most steps of packets that are followed to find an order that drains nobody.
const MOST_STEPS: usize = 1 << 22;
/// The same to find one that drains an address less.
const MOST_STEPS_FOR_ONE: usize = 1 << 19;

/// A plan that drains some of the destinations of another at most, each for as long as it is in the way; `None` where none is
/// found.
pub(super) fn plan(
    joint: &Joint,
    after: &Fabric,
    other: &TransitionPlan,
) -> Option<TransitionPlan> {
    let changes = SingleChanges::new(joint);
    if !changes.are_few() {
        return None;
    }
    let drained = other.addresses.iter().map(|address| address.is_drained);
    let (order, counts) = order(joint, &changes, drained.collect())?;
    let ordered = changes.drained_in(&order, &counts);
    let natural: Vec<usize> = (0..joint.addresses.len()).collect();
    let manner = Manner {
        parts: 1,
        is_by_entry: true,
        renews_in_turn: true,
    };
    let mut planner = Planner::new(joint, after, manner, &natural);
    let phase = planner.open()?;
    let phase = planner.follow(phase, &ordered)?;
    planner.change(phase);
    let levels = if joint.changes_levels() {
        LevelChange::InTurn
    } else {
        LevelChange::None
    };
    planner.finished(levels)
}

/// An order of the changes of all addresses but some of those drained, and which addresses it is of: as long as one is
/// found each is left in that can be.
fn order(
    joint: &Joint,
    changes: &SingleChanges<'_>,
    mut drained: Vec<bool>,
) -> Option<(Vec<usize>, Vec<bool>)> {
    let all: Vec<bool> = joint.addresses.iter().map(|of| of.is_left).collect();
    if !obstructions::is_impossible(joint)
        && let Sought::Order(order) = changes.order(&all, MOST_STEPS)
    {
        return Some((order, all));
    }
    let counted = |drained: &[bool]| -> Vec<bool> {
        let both = all.iter().zip(drained);
        both.map(|(is_left, is_drained)| *is_left && !is_drained)
            .collect()
    };
    let Sought::Order(mut found) = changes.order(&counted(&drained), MOST_STEPS_FOR_ONE) else {
        return None;
    };
    for number in 0..drained.len() {
        if !std::mem::take(&mut drained[number]) {
            continue;
        }
        match changes.order(&counted(&drained), MOST_STEPS_FOR_ONE) {
            Sought::Order(order) => found = order,
            Sought::None(..) | Sought::Unknown => drained[number] = true,
        }
    }
    let counts = counted(&drained);
    Some((found, counts))
}
