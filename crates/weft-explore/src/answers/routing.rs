//! `routing`: the verdict, and what all cables carry.

use crate::error::ExploreError;
use crate::kept::Kept;
use crate::numbers::number;
use crate::routed::{Loads, Routed};
use crate::state::State;
use serde_json::{Value, json};
use weft_proof::{Dependency, Verdict, findings};
use weft_routing::AnyRoutes;

pub(crate) fn routing(kept: &Kept, state: &State) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let loads = routed.loads(&state.pattern)?;
    let loads = loads.as_ref().as_ref();
    let cables = kept.whole.cable_count();
    Ok(json!({
        "verdict": verdict(&routed)?,
        "lanes": routed.network.routing().routes().lane_count(),
        "adaptive": matches!(routed.network.routing().routes(), AnyRoutes::Adaptive(_)),
        "largest_load": largest(loads),
        "loads": loads.map(|loads| json!({
            "forward": loads_of_cables(&routed, loads, cables, true),
            "back": loads_of_cables(&routed, loads, cables, false),
        })),
        "cut_off": routed.left.cut_off,
        "unreached_pairs": unreached_pairs(&routed)?,
    }))
}

/// Whether no packets can deadlock, the proof in words, and the cycle where there is one.
pub(super) fn verdict(routed: &Routed) -> Result<Value, ExploreError> {
    let proof = routed.proof()?;
    let cycle = match &proof.verdict {
        Verdict::Deadlock(cycle) => {
            let steps = cycle.dependencies.iter().map(|step| held(routed, step));
            Value::Array(steps.collect())
        }
        Verdict::DeadlockFree(_) | Verdict::Unreachable(_) | Verdict::Loop(_) => Value::Null,
    };
    Ok(json!({
        "free": proof.is_deadlock_free(),
        "verdict": proof.verdict.word(),
        "words": proof.describe(&routed.left.fabric),
        "cycle": cycle,
    }))
}

/// A channel of a cycle, with the packet that holds it and wants the next.
fn held(routed: &Routed, step: &Dependency) -> Value {
    let left = &routed.left;
    let cable = left.cable(step.held);
    json!({
        "cable": cable.map(|(cable, _)| cable),
        "forward": cable.map(|(_, forward)| forward),
        "lane": step.held_lane.number(),
        "source": left.host(step.source),
        "destination": left.host(step.destination),
        "words": left.fabric.describe_channel(step.held),
    })
}

/// The largest load; null where nobody knows it.
pub(super) fn largest(loads: Option<&Loads>) -> Value {
    loads.map_or(Value::Null, |loads| number(loads.largest))
}

/// What each cable carries one way; null where it is gone.
fn loads_of_cables(routed: &Routed, loads: &Loads, cables: usize, forward: bool) -> Vec<Value> {
    let cables = (0..).take(cables);
    cables
        .map(|cable| match routed.left.forward(cable) {
            None => Value::Null,
            Some(channel) if forward => number(loads.of(channel)),
            Some(channel) => number(loads.of(channel.reverse())),
        })
        .collect()
}

/// Pairs of hosts that are left whose routes do not arrive.
fn unreached_pairs(routed: &Routed) -> Result<u64, ExploreError> {
    let is_reached = match &routed.proof()?.verdict {
        Verdict::DeadlockFree(_) | Verdict::Deadlock(_) => true,
        Verdict::Unreachable(_) | Verdict::Loop(_) => false,
    };
    match routed.network.routing().routes() {
        AnyRoutes::Fixed(routes) if !is_reached => {
            let found = findings(&routed.left.fabric, routes)?;
            Ok(found.unreached_pairs + found.circling_pairs)
        }
        AnyRoutes::Adaptive(_) | AnyRoutes::Fixed(_) => Ok(0),
    }
}
