//! Plans that differ in when hosts are told new levels and in how many destinations are drained together, and
//! the best of them.

use super::joint::Joint;
use super::planner::{Manner, Planner, Renewing};
use super::searched_order;
use super::{LevelChange, Step, TransitionPlan};
use std::collections::BTreeMap;
use weft_fabric::Fabric;

/// Most destinations that are drained one after the other: each takes a phase.
const MOST_ONE_BY_ONE: usize = 32;
/// Orders that are tried in which addresses change.
const MOST_ORDERS: usize = 8;
/// The same where many destinations are drained.
const MOST_ORDERS_OF_MANY: usize = 2;
/// Addresses times switches up to which entries are changed some at a time where many destinations are drained: beyond, that
/// takes minutes, and hardly fewer are.
const MOST_WORK_OF_MANY: usize = 1 << 17;

/// The plan that drops packets for the shortest, destinations and phases multiplied, unless it drains many more for that; of
/// equals one that has no
/// host let go of what it was told, then one of fewest phases, then of fewest rounds.
pub(super) fn best(joint: &Joint, after: &Fabric) -> TransitionPlan {
    let changes: &[LevelChange] = if joint.changes_levels() {
        &[
            LevelChange::AtAnyTime,
            LevelChange::Last,
            LevelChange::First,
            LevelChange::InTurn,
        ]
    } else {
        &[LevelChange::None]
    };
    let lanes: &[LaneChange] = if joint.lanes.changed().is_empty() {
        &[LaneChange::None]
    } else {
        &[LaneChange::First, LaneChange::Last]
    };
    let both = lanes.iter().flat_map(|&lanes| {
        let levels = changes.iter();
        levels.map(move |&levels| (levels, lanes))
    });
    // Of each the order of addresses that is tried next, by what was drained in the one before.
    let natural: Vec<usize> = (0..joint.addresses.len()).collect();
    let mut tries: Vec<_> = both.map(|changes| (changes, natural.clone())).collect();
    let mut best: Option<(Cost, TransitionPlan)> = None;
    let again = std::iter::repeat_n((1, true), MOST_ORDERS);
    let drains = [(1, false)].into_iter().chain(again);
    let mut is_many = false;
    let is_large = joint.addresses.len() * after.switch_count() > MOST_WORK_OF_MANY;
    for (number, drain) in drains.chain([(2, true), (usize::MAX, true)]).enumerate() {
        if is_many && is_large && drain.1 {
            break;
        }
        if is_many && drain.0 == 1 && number > MOST_ORDERS_OF_MANY {
            continue;
        }
        for (changes, order) in &mut tries {
            let Some(plan) = plan(joint, after, *changes, drain, order) else {
                continue;
            };
            // Those that were left until nothing helped any more come first the next time.
            order.sort_by_key(|&number| !plan.addresses[number].is_drained);
            let cost = Cost::of(&plan);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, plan));
            }
            if cost.drained_phases == 0 && !cost.lets_go {
                break;
            }
        }
        let Some((least, plan)) = &best else { continue };
        is_many = plan.drained_count() > MOST_ONE_BY_ONE;
        if least.drained_phases == 0 || is_many && drain.0 == 2 {
            break;
        }
    }
    let Some((least, plan)) = best else {
        unreachable!("there is a way at least");
    };
    if least.drained_phases == 0 {
        return plan;
    }
    let others = searched_order::plans(joint, after);
    let other = others.into_iter().min_by_key(Cost::of);
    other
        .filter(|other| is_better([other, &plan]))
        .unwrap_or(plan)
}

/// Whether one plan is better than another: one that drains more destinations only where it drops packets for less than
/// half as long.
fn is_better([one, other]: [&TransitionPlan; 2]) -> bool {
    let costs = [one, other].map(Cost::of);
    let is_much = 2 * costs[0].drained_phases < costs[1].drained_phases;
    costs[0] < costs[1] && (is_much || one.drained_count() <= other.drained_count())
}

/// What is least in the best plan, the first first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    drained_phases: usize,
    /// Whether hosts let go of what they were told.
    lets_go: bool,
    phases: usize,
    rounds: usize,
}

impl Cost {
    fn of(plan: &TransitionPlan) -> Self {
        Self {
            drained_phases: drained_phases(plan),
            lets_go: plan.renews(),
            phases: plan.phases.len(),
            rounds: plan.round_count(),
        }
    }
}

/// Counts the phases from where addresses are cleared to where they are set, of all addresses together.
fn drained_phases(plan: &TransitionPlan) -> usize {
    let mut cleared = BTreeMap::new();
    let mut phases = 0;
    for (number, phase) in plan.phases.iter().enumerate() {
        let writes = phase.steps.iter().filter_map(|step| match step {
            Step::Write(writes) => Some(writes),
            Step::WriteLanes(_)
            | Step::Answer(_)
            | Step::Renew(_)
            | Step::RenewEach(_)
            | Step::RenewForTrees(_) => None,
        });
        for write in writes.flatten() {
            if !plan.addresses[write.address as usize].is_drained {
                continue;
            }
            if write.port.is_none() {
                cleared.insert(write.address, number);
            } else if let Some(from) = cleared.remove(&write.address) {
                phases += number - from;
            }
        }
    }
    phases
}

/// When the lane tables of switches are written, where any change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LaneChange {
    None,
    First,
    Last,
}

fn plan(
    joint: &Joint,
    after: &Fabric,
    (levels, lanes): (LevelChange, LaneChange),
    (parts, is_by_entry): (usize, bool),
    order: &[usize],
) -> Option<TransitionPlan> {
    let renewing = match levels {
        LevelChange::InTurn => Renewing::Eagerly,
        _ => Renewing::Together,
    };
    let manner = Manner {
        parts: Some(parts),
        is_by_entry,
        renewing,
        is_reversible: false,
    };
    let mut planner = Planner::new(joint, after, manner, order);
    let mut phase = planner.open().unwrap_or_else(|| {
        planner.clear_until_free();
        planner.reopen()
    });
    if lanes == LaneChange::First {
        phase = planner.write_lanes(phase);
    }
    match levels {
        LevelChange::None | LevelChange::Last | LevelChange::InTurn => {}
        LevelChange::AtAnyTime => planner.answer(&mut phase),
        LevelChange::First => {
            planner.answer(&mut phase);
            planner.renew(&mut phase);
            planner.close(phase);
            phase = planner.reopen();
        }
    }
    planner.change(phase);
    if matches!(levels, LevelChange::Last | LevelChange::InTurn) {
        let mut phase = planner.reopen();
        planner.answer(&mut phase);
        planner.change(phase);
    }
    if lanes == LaneChange::Last {
        let phase = planner.reopen();
        let phase = planner.write_lanes(phase);
        planner.change(phase);
    }
    planner.finished(levels)
}
