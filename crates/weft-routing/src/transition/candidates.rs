//! Plans that differ in when hosts are told new levels, and the best of them.

use super::addresses::Address;
use super::joint::Joint;
use super::planner::Planner;
use super::{LevelChange, PlannedAddress, TransitionPlan};
use weft_fabric::{Fabric, narrow};

/// The plan that drains the fewest destinations; of equals one that has no host let go of what it was
/// told, then one of fewest phases, then of fewest rounds.
pub(super) fn best(joint: &Joint, after: &Fabric) -> TransitionPlan {
    let changes_lanes = joint.addresses.iter().any(Address::changes_lanes);
    let changes: &[LevelChange] = if changes_lanes {
        &[
            LevelChange::AtAnyTime,
            LevelChange::Last,
            LevelChange::First,
        ]
    } else {
        &[LevelChange::None]
    };
    let mut best: Option<(_, TransitionPlan)> = None;
    for &levels in changes {
        for drains_at_once in [true, false] {
            let Some(plan) = plan(joint, after, levels, drains_at_once) else {
                continue;
            };
            let drained = plan.drained_count();
            let cost = (
                drained,
                plan.renews(),
                plan.phases.len(),
                plan.round_count(),
            );
            let is_good = drained == 0 && !plan.renews();
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, plan));
            }
            if is_good {
                break;
            }
            // One at a time takes a phase each.
            if drained > MOST_ONE_BY_ONE {
                break;
            }
        }
    }
    let Some((_, plan)) = best else {
        unreachable!("there is a way at least");
    };
    plan
}

/// Most destinations that are drained one at a time.
const MOST_ONE_BY_ONE: usize = 32;

fn plan(
    joint: &Joint,
    after: &Fabric,
    levels: LevelChange,
    drains_at_once: bool,
) -> Option<TransitionPlan> {
    let mut planner = Planner::new(joint, after, drains_at_once);
    let mut phase = planner.open().unwrap_or_else(|| {
        planner.clear_until_free();
        planner.reopen()
    });
    match levels {
        LevelChange::None | LevelChange::Last => {}
        LevelChange::AtAnyTime => planner.answer(&mut phase),
        LevelChange::First => {
            planner.answer(&mut phase);
            planner.renew(&mut phase);
            planner.close(phase);
            phase = planner.reopen();
        }
    }
    planner.change(phase);
    if levels == LevelChange::Last {
        let mut phase = planner.reopen();
        planner.answer(&mut phase);
        if phase.has_something() {
            planner.close(phase);
            phase = planner.reopen();
            planner.change(phase);
        }
    }
    if !planner.is_done() {
        return None;
    }
    planner.remove_unused();
    let addresses = joint.addresses.iter().zip(&planner.is_drained);
    Some(TransitionPlan {
        addresses: addresses
            .map(|(address, &is_drained)| PlannedAddress {
                destination: address.destination.clone(),
                alias: address.alias,
                is_drained,
            })
            .collect(),
        lane_count: narrow(joint.lane_count, "tables have at most 16 lanes"),
        levels,
        phases: planner.phases,
    })
}
