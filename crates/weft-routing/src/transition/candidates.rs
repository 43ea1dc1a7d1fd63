//! Plans that differ in when hosts are told new levels and in how many destinations are drained together, and
//! the best of them.

use super::addresses::Address;
use super::joint::Joint;
use super::planner::Planner;
use super::{LevelChange, PlannedAddress, Step, TransitionPlan};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, narrow};

/// Most destinations that are drained one after the other: each takes a phase.
const MOST_ONE_BY_ONE: usize = 32;

/// The plan that drops packets for the shortest, destinations and phases multiplied; of equals one that has no
/// host let go of what it was told, then one of fewest phases, then of fewest rounds.
pub(super) fn best(joint: &Joint, after: &Fabric) -> TransitionPlan {
    let changes: &[LevelChange] = if joint.addresses.iter().any(Address::changes_levels) {
        &[
            LevelChange::AtAnyTime,
            LevelChange::Last,
            LevelChange::First,
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
    let mut best: Option<(_, TransitionPlan)> = None;
    'all: for changes in both {
        // All that no order helps, the half of them, or one.
        for parts in [1, 2, usize::MAX] {
            let Some(plan) = plan(joint, after, changes, parts) else {
                continue;
            };
            let cost = (
                drained_phases(&plan),
                plan.renews(),
                plan.phases.len(),
                plan.round_count(),
            );
            let [drops_nothing, lets_go] = [cost.0 == 0, cost.1];
            let is_many = plan.drained_count() > MOST_ONE_BY_ONE;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, plan));
            }
            if drops_nothing && !lets_go {
                break 'all;
            }
            if drops_nothing || (parts == 2 && is_many) {
                break;
            }
        }
    }
    let Some((_, plan)) = best else {
        unreachable!("there is a way at least");
    };
    plan
}

/// Counts the phases from where addresses are cleared to where they are set, of all addresses together.
fn drained_phases(plan: &TransitionPlan) -> usize {
    let mut cleared = BTreeMap::new();
    let mut phases = 0;
    for (number, phase) in plan.phases.iter().enumerate() {
        let writes = phase.steps.iter().filter_map(|step| match step {
            Step::Write(writes) => Some(writes),
            Step::WriteLanes(_) | Step::Answer(_) | Step::Renew(_) => None,
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
    parts: usize,
) -> Option<TransitionPlan> {
    let mut planner = Planner::new(joint, after, parts);
    let mut phase = planner.open().unwrap_or_else(|| {
        planner.clear_until_free();
        planner.reopen()
    });
    if lanes == LaneChange::First {
        phase = planner.write_lanes(phase);
    }
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
        planner.change(phase);
    }
    if lanes == LaneChange::Last {
        let phase = planner.reopen();
        let phase = planner.write_lanes(phase);
        planner.change(phase);
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
