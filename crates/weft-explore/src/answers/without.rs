//! `without`: what the tables would be without a part, repaired if they can be.

use super::routing::{largest, verdict};
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::mended::{Mended, mended};
use crate::state::{Part, State};
use serde_json::{Value, json};

pub(crate) fn without(kept: &Kept, state: &State, part: Part) -> Result<Value, ExploreError> {
    let before = kept.routed(state)?;
    let Mended { after, how } = mended(kept, state, &before, part)?;
    let (way, why_anew) = match &how {
        Ok(_) => ("repaired", None),
        Err(why) => ("anew", Some(why)),
    };
    let changed = how.as_ref().ok();
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
            json!(changed.map(|changed| changed.entries)),
        ),
        ("entries", json!(changed.map(|changed| changed.of))),
    ] {
        answer[name] = value;
    }
    Ok(answer)
}
