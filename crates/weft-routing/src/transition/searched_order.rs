//! Plans by an order of single changes, which drain nobody, or few.

use super::draining_order::{Draining, Part};
use super::joint::Joint;
use super::planner::{Manner, Planner};
use super::single_changes::{SingleChanges, Sought};
use super::{TransitionPlan, obstructions};
use weft_fabric::Fabric;

/// Most steps of packets that are followed to go through all changes once, where an order is searched.
const MOST_WORK: usize = 1 << 22;
/// Most steps that are followed to find an order of few changes, and of many how often as many as going through all once
/// takes: a few dead ends teach something there at most.
const MOST_STEPS: usize = 1 << 22;
const MOST_TIMES: usize = 8;

/// How often as many steps are followed to find whom to drain.
const TIMES_TO_DRAIN: usize = 4;

/// Plans in which entries are written one after the other: one that drains nobody, or, where none is found, some that drain
/// a part of the destinations; and one by which all stops that changes.
pub(super) fn plans(joint: &Joint, after: &Fabric) -> Vec<TransitionPlan> {
    let changes = SingleChanges::new(joint);
    let work = changes.work();
    let most_steps = if changes.are_few() {
        MOST_STEPS
    } else {
        MOST_TIMES * work
    };
    let mut orders = Vec::new();
    if work <= MOST_WORK {
        if let Some(order) = order(&changes, joint, most_steps) {
            orders.push(order);
        } else {
            let each = [Draining::All, Draining::One].into_iter();
            let steps = most_steps * TIMES_TO_DRAIN;
            orders.extend(each.filter_map(|of| changes.with_draining(of, steps)));
        }
    }
    orders.push(vec![changes.all_drained()]);
    let plans = orders
        .iter()
        .filter_map(|parts| by_order(joint, after, parts));
    plans.collect()
}

/// A plan that drains nobody, where its order is found by so few steps.
pub(super) fn undrained(joint: &Joint, after: &Fabric) -> Option<TransitionPlan> {
    let changes = SingleChanges::new(joint);
    let work = changes.work();
    let parts = (work <= MOST_WORK).then(|| order(&changes, joint, MOST_TIMES * work))??;
    by_order(joint, after, &parts)
}

/// An order that drains nobody.
fn order(changes: &SingleChanges<'_>, joint: &Joint, most_steps: usize) -> Option<Vec<Part>> {
    if obstructions::is_impossible(joint) {
        return None;
    }
    let all: Vec<bool> = joint.addresses.iter().map(|of| of.is_left).collect();
    let Sought::Order(order) = changes.order(&all, most_steps) else {
        return None;
    };
    let ordered = order.iter().map(|&place| changes.all()[place]);
    Some(vec![Part {
        cleared: Vec::new(),
        changes: ordered.collect(),
    }])
}

/// The more changes are done before their turn, the fewer phases, and the more often there is no going on.
fn by_order(joint: &Joint, after: &Fabric, parts: &[Part]) -> Option<TransitionPlan> {
    let count = parts.iter().map(|part| part.changes.len()).sum();
    let mut waiting = std::iter::successors(Some(count), |&most| (most > 0).then_some(most / 16));
    waiting.find_map(|most| followed(joint, after, parts, most))
}

/// Does changes in their order, so many of which may wait until others behind them are done.
pub(super) fn followed(
    joint: &Joint,
    after: &Fabric,
    parts: &[Part],
    most_waiting: usize,
) -> Option<TransitionPlan> {
    let natural: Vec<usize> = (0..joint.addresses.len()).collect();
    let mut planner = Planner::new(joint, after, Manner::ONE_BY_ONE, &natural);
    let phase = planner.open()?;
    let phase = planner.follow(phase, parts, most_waiting)?;
    planner.change(phase);
    planner.finished(joint.levels_in_turn())
}
