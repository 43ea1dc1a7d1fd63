//! What a plan has to be whatever packets there are.

use super::TransitionCheckError;
use std::collections::BTreeSet;
use weft_fabric::Fabric;
use weft_routing::{Phase, Step, TransitionPlan};

/// Makes sure that hosts are told the level of trees only where there are any, that it has a lane, and that they are told it
/// before new ones.
pub(super) fn check_trees(plan: &TransitionPlan) -> Result<(), TransitionCheckError> {
    let (found, lanes) = (plan.by_trees.map(|by| by.level), plan.lane_count);
    let mut is_told = vec![false; plan.addresses.len()];
    for step in plan.phases.iter().flat_map(|phase| &phase.steps) {
        match step {
            Step::Answer(of) | Step::Renew(of) => {
                for &one in of {
                    is_told[one as usize] = true;
                }
            }
            Step::RenewEach(of) => {
                for one in of {
                    is_told[one.address as usize] = true;
                }
            }
            Step::RenewForTrees(of) => {
                if found.is_none() {
                    return Err(TransitionCheckError::TreeLevel { found, lanes });
                }
                let mut all = of.iter().map(|one| one.address as usize);
                if let Some(late) = all.find(|&one| is_told[one]) {
                    let destination = plan.addresses[late].destination.clone();
                    return Err(TransitionCheckError::TreesLate { destination });
                }
            }
            Step::Write(_) | Step::WriteLanes(_) => {}
        }
    }
    if found.is_some_and(|level| level >= lanes) {
        return Err(TransitionCheckError::TreeLevel { found, lanes });
    }
    Ok(())
}

/// Makes sure that a phase is what it has to be whatever packets there are.
pub(super) fn check_shape(
    after: &Fabric,
    plan: &TransitionPlan,
    (number, phase): (usize, &Phase),
) -> Result<(), TransitionCheckError> {
    let expected = after.channel_count() * usize::from(plan.lane_count);
    match &phase.order {
        Some(order) if order.len() != expected => {
            return Err(TransitionCheckError::Order {
                phase: number,
                found: order.len(),
                expected,
            });
        }
        Some(_) => {}
        None => {
            let clears = |step: &Step| match step {
                Step::Write(writes) => writes.iter().all(|write| write.port.is_none()),
                Step::WriteLanes(_) | Step::RenewEach(_) | Step::RenewForTrees(_) => false,
                Step::Answer(of) | Step::Renew(of) => {
                    let mut all = of.iter().map(|&address| &plan.addresses[address as usize]);
                    all.all(|address| address.is_drained)
                }
            };
            if number > 0 || !phase.steps.iter().all(clears) {
                return Err(TransitionCheckError::Unproved { phase: number });
            }
        }
    }
    for step in &phase.steps {
        if let Step::WriteLanes(switches) = step {
            let mut unknown = switches.iter().map(|switch| switch.index());
            if let Some(switch) = unknown.find(|&switch| switch >= after.switch_count()) {
                return Err(TransitionCheckError::Write {
                    phase: number,
                    switch,
                });
            }
        }
        let Step::Write(writes) = step else { continue };
        let mut written = BTreeSet::new();
        for write in writes {
            let switch = write.switch.index();
            let is_known = switch < after.switch_count()
                && (write.address as usize) < plan.addresses.len()
                && written.insert((write.switch, write.address));
            if !is_known {
                return Err(TransitionCheckError::Write {
                    phase: number,
                    switch,
                });
            }
        }
    }
    Ok(())
}
