//! Plans by an order of single changes, which drain nobody.

use super::joint::Joint;
use super::one_change::SingleChange;
use super::planner::{Manner, Planner};
use super::single_changes::{SingleChanges, Sought};
use super::{LevelChange, TransitionPlan, obstructions};
use weft_fabric::Fabric;

/// Most steps of packets that are followed to go through all changes once, where an order is searched.
const MOST_WORK: usize = 1 << 22;
/// Most steps that are followed to find an order of few changes, and of many how often as many as going through all once
/// takes: a few dead ends teach something there at most.
const MOST_STEPS: usize = 1 << 22;
const MOST_TIMES: usize = 8;

/// A plan in which every entry is written once, and nobody is drained; `None` where none is found.
pub(super) fn plan(joint: &Joint, after: &Fabric) -> Option<TransitionPlan> {
    let changes = SingleChanges::new(joint);
    let work = changes.work();
    let most_steps = if changes.are_few() {
        MOST_STEPS
    } else {
        MOST_TIMES * work
    };
    if work > MOST_WORK || obstructions::is_impossible(joint) {
        return None;
    }
    let all: Vec<bool> = joint.addresses.iter().map(|of| of.is_left).collect();
    let Sought::Order(order) = changes.order(&all, most_steps) else {
        return None;
    };
    let ordered: Vec<SingleChange> = order.iter().map(|&place| changes.all()[place]).collect();
    // The more changes are done before their turn, the fewer phases, and the more often there is no going on.
    let mut waiting =
        std::iter::successors(Some(ordered.len()), |&most| (most > 0).then_some(most / 16));
    waiting.find_map(|most| followed(joint, after, &ordered, most))
}

fn followed(
    joint: &Joint,
    after: &Fabric,
    ordered: &[SingleChange],
    most_waiting: usize,
) -> Option<TransitionPlan> {
    let natural: Vec<usize> = (0..joint.addresses.len()).collect();
    let manner = Manner {
        parts: 1,
        is_by_entry: true,
        renews_in_turn: true,
    };
    let mut planner = Planner::new(joint, after, manner, &natural);
    let phase = planner.open()?;
    let phase = planner.follow(phase, ordered, most_waiting)?;
    planner.change(phase);
    let levels = if joint.changes_levels() {
        LevelChange::InTurn
    } else {
        LevelChange::None
    };
    planner.finished(levels)
}
