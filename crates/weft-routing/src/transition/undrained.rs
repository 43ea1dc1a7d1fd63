//! Plans that drain nobody, or none: each change is done as soon as it closes no circle, from the old tables on or from the new
//! ones back.

use super::draining_order::Part;
use super::joint::Joint;
use super::one_change::SingleChange;
use super::planner::{Manner, Planner, Renewing};
use super::{Step, TransitionPlan, searched_order};
use weft_fabric::Fabric;

/// A plan from the old tables on, at whose end nobody uses old levels.
pub(super) fn forwards(joint: &Joint, after: &Fabric) -> Option<TransitionPlan> {
    greedy(joint, after, false)
}

/// The same found from the new tables back: what is to be the last change is done first, beside all the new tables lead by.
/// There is room then for what would find none at the end of the way, where all others have changed.
pub(super) fn backwards(joint: &Joint, after: &Fabric) -> Option<TransitionPlan> {
    let mut back = joint.clone();
    for address in &mut back.addresses {
        std::mem::swap(&mut address.old, &mut address.new);
        address.past.clone_from(&address.old.sent);
    }
    let changes = undone(&greedy(&back, after, true)?, joint);
    let part = Part {
        cleared: Vec::new(),
        changes,
    };
    searched_order::followed(joint, after, &[part], 0)
}

fn greedy(joint: &Joint, after: &Fabric, is_reversible: bool) -> Option<TransitionPlan> {
    let natural: Vec<usize> = (0..joint.addresses.len()).collect();
    let of_levels: &[Renewing] = if joint.changes_levels() {
        &[Renewing::Eagerly, Renewing::Carefully]
    } else {
        &[Renewing::Together]
    };
    of_levels.iter().find_map(|&renewing| {
        let manner = Manner {
            parts: None,
            is_by_entry: true,
            renewing,
            is_reversible,
        };
        let mut planner = Planner::new(joint, after, manner, &natural);
        let phase = planner.open()?;
        planner.change(phase);
        planner.finished_throughout(joint.levels_in_turn())
    })
}

/// The changes of a plan, the last first.
fn undone(plan: &TransitionPlan, joint: &Joint) -> Vec<SingleChange> {
    let steps = plan.phases.iter().flat_map(|phase| &phase.steps);
    let mut changes = Vec::new();
    for step in steps.rev() {
        match step {
            Step::Write(writes) => changes.extend(writes.iter().map(|write| SingleChange::Entry {
                number: write.address as usize,
                at: write.switch.number(),
            })),
            Step::Renew(addresses) => {
                for number in addresses.iter().map(|&address| address as usize) {
                    let each = joint.addresses[number].changing_levels();
                    changes.extend(each.map(|from| SingleChange::Levels { number, from }));
                }
            }
            // Whoever is told lets go of old levels in the same phase, and nothing else is done.
            Step::Answer(_) | Step::WriteLanes(_) | Step::RenewEach(_) | Step::RenewForTrees(_) => {
            }
        }
    }
    changes
}
