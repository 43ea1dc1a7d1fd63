//! `loads_of_cable`: what a cable carries by each of several routings.

use super::cable::channel_of;
use super::routing::largest;
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::numbers::number;
use crate::state::State;
use serde_json::{Value, json};

pub(crate) fn loads_of_cable(kept: &Kept, state: &State, cable: u32, routings: &[String]) -> Value {
    let row = |routing: &String| {
        let of_routing = State {
            routing: routing.clone(),
            ..state.clone()
        };
        let told = row(kept, &of_routing, cable);
        told.unwrap_or_else(|error| json!({"routing": routing, "error": error.to_string()}))
    };
    json!({"rows": routings.iter().map(row).collect::<Vec<Value>>()})
}

fn row(kept: &Kept, state: &State, cable: u32) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let forward = channel_of(kept, &routed.left, cable)?;
    let loads = routed.loads(&state.pattern)?;
    let loads = loads.as_ref().as_ref();
    let load = |channel| loads.map_or(Value::Null, |loads| number(loads.of(channel)));
    Ok(json!({
        "routing": state.routing,
        "forward": load(forward),
        "back": load(forward.reverse()),
        "largest_load": largest(loads),
        "free": routed.proof()?.is_deadlock_free(),
    }))
}
