//! `without`: what the tables would be without a part, repaired if they can be.

use super::routing::{largest, verdict};
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::repaired::repaired;
use crate::state::{Part, State};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn without(kept: &Kept, state: &State, part: Part) -> Result<Value, ExploreError> {
    let before = kept.routed(state)?;
    let failed = state.failed.and(part);
    let left = kept.left(&failed)?;
    let mended = repaired(&before.left.fabric, before.network.routing(), &left);
    let (after, changed, why_anew) = match mended {
        Ok((mended, changed)) => (Arc::new(mended), Some(changed), None),
        Err(why) => {
            let anew = State {
                failed,
                ..state.clone()
            };
            (kept.routed(&anew)?, None, Some(why.to_string()))
        }
    };
    let way = if changed.is_some() {
        "repaired"
    } else {
        "anew"
    };
    let was = before.loads(&state.pattern)?;
    let loads = after.loads(&state.pattern)?;
    let mut answer = verdict(&after)?;
    for (name, value) in [
        ("largest_load", largest(loads.as_ref().as_ref())),
        ("before", largest(was.as_ref().as_ref())),
        ("cut_off", json!(after.left.cut_off)),
        ("way", json!(way)),
        ("why_anew", json!(why_anew)),
        (
            "changed_entries",
            json!(changed.as_ref().map(|changed| changed.entries)),
        ),
        ("entries", json!(changed.as_ref().map(|changed| changed.of))),
    ] {
        answer[name] = value;
    }
    Ok(answer)
}
