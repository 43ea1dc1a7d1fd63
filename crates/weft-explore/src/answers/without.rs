//! `without`: what the tables would be without a part, repaired if they can be.

use super::routing::{largest, verdict};
use crate::error::ExploreError;
use crate::explorer::Explorer;
use crate::left::Left;
use crate::routed::Routed;
use crate::state::{Part, State};
use serde_json::{Value, json};
use std::sync::Arc;
use weft_routing::{AnyRouting, RepairError, Routes, Routing, repair};

pub(crate) fn without(
    explorer: &Explorer,
    state: &State,
    part: Part,
) -> Result<Value, ExploreError> {
    let before = explorer.routed(state)?;
    let failed = state.failed.and(part);
    let left = explorer.left(&failed)?;
    let (after, way) = match repaired(&before, &left) {
        Ok(repaired) => repaired,
        Err(why) => {
            let anew = State {
                failed,
                ..state.clone()
            };
            let way = json!({"way": "anew", "why_anew": why.to_string()});
            (explorer.routed(&anew)?, way)
        }
    };
    let was = before.loads(&state.pattern)?;
    let loads = after.loads(&state.pattern)?;
    let mut answer = verdict(&after)?;
    for (name, value) in [
        ("largest_load", largest(loads.as_ref().as_ref())),
        ("before", largest(was.as_ref().as_ref())),
        ("cut_off", json!(after.left.cut_off)),
        ("way", way["way"].clone()),
        ("why_anew", way["why_anew"].clone()),
        ("changed_entries", way["changed_entries"].clone()),
        ("entries", way["entries"].clone()),
    ] {
        answer[name] = value;
    }
    Ok(answer)
}

/// The tables repaired for what is left, and how many of their entries changed.
///
/// # Errors
/// Why they cannot be.
fn repaired(before: &Routed, left: &Arc<Left>) -> Result<(Arc<Routed>, Value), RepairError> {
    let AnyRouting::Fixed(routing) = before.network.routing() else {
        return Err(RepairError::Form);
    };
    let Routes::Tables(tables) = &routing.routes else {
        return Err(RepairError::Form);
    };
    let repair = repair(&before.left.fabric, tables, &left.fabric)?;
    let entries = left.fabric.switch_count() * tables.granularity().endpoint_count(&left.fabric);
    let way = json!({
        "way": "repaired",
        "why_anew": null,
        "changed_entries": repair.changed_entries,
        "entries": entries,
    });
    let mended = Routing {
        algorithm: routing.algorithm.clone(),
        parameters: routing.parameters.clone(),
        service: routing.service.clone(),
        routes: repair.tables.into(),
    };
    Ok((Arc::new(Routed::of(Arc::clone(left), mended.into())), way))
}
