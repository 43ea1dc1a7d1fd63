//! `cable`: the pairs of hosts whose packets cross a cable.

use crate::asked::Shown;
use crate::crossing::Crossing;
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::left::Left;
use crate::numbers::number;
use crate::routed::{Routed, UNIFORM};
use crate::state::State;
use serde_json::{Value, json};
use weft_fabric::{ChannelId, Fabric};

/// What is asked: the pairs of a cable.
pub(super) const NEEDS: &str = "the pairs of hosts that cross a cable";

pub(crate) fn cable(
    kept: &Kept,
    state: &State,
    cable: u32,
    shown: &Shown,
) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let forward = channel_of(kept, &routed.left, cable)?;
    let both = [forward, forward.reverse()];
    let crossing = routed.crossing(NEEDS, both)?;
    let crossing = if state.pattern == UNIFORM {
        crossing.map(|pairs| between_compute_ends(&routed.left.fabric, pairs))
    } else {
        let crossing = crossing.map(|pairs| weighted(&routed, &state.pattern, &pairs));
        let [forward, back] = crossing;
        [forward?, back?]
    };
    let loads = routed.loads(&state.pattern)?;
    let load = |channel| match loads.as_ref() {
        Some(loads) => number(loads.of(channel)),
        None => Value::Null,
    };
    let [forward, back] = crossing.map(|pairs| told(&routed.left, pairs, shown));
    let with_load = |mut told: Value, channel| {
        told["load"] = load(channel);
        told
    };
    Ok(json!({
        "forward": with_load(forward, both[0]),
        "back": with_load(back, both[1]),
    }))
}

/// The forward channel of a cable.
///
/// # Errors
/// [`ExploreError::Gone`].
pub(super) fn channel_of(kept: &Kept, left: &Left, cable: u32) -> Result<ChannelId, ExploreError> {
    left.forward(cable).ok_or_else(|| ExploreError::Gone {
        what: "cable",
        name: {
            let whole = &kept.whole;
            whole.fabric.describe_link(whole.link(cable))
        },
    })
}

fn between_compute_ends(fabric: &Fabric, mut pairs: Vec<Crossing>) -> Vec<Crossing> {
    pairs.retain(|one| !one.pair.iter().any(|&host| fabric.is_service(host)));
    pairs
}

/// The pairs that send under a pattern, those first that bring most.
fn weighted(
    routed: &Routed,
    pattern: &str,
    pairs: &[Crossing],
) -> Result<Vec<Crossing>, ExploreError> {
    let demand = routed.destinations(pattern)?;
    let mut sending = Vec::new();
    for of_source in pairs.chunk_by(|one, other| one.pair[0] == other.pair[0]) {
        let mut amounts = demand.amounts(of_source[0].pair[0]);
        amounts.sort_by_key(|amount| amount.0);
        for one in of_source {
            let found = amounts.binary_search_by_key(&one.pair[1], |amount| amount.0);
            if let Ok(place) = found {
                let load = one.load * amounts[place].1;
                sending.push(Crossing { load, ..*one });
            }
        }
    }
    sending.retain(|one| one.load > 0.0);
    sending.sort_by(|one, other| other.load.total_cmp(&one.load));
    Ok(sending)
}

/// How many pairs there are, how many of them are searched for, and those that are shown.
fn told(left: &Left, pairs: Vec<Crossing>, shown: &Shown) -> Value {
    let total = pairs.len();
    let is_meant: Vec<bool> = left
        .fabric
        .host_ids()
        .map(|id| {
            let name = &left.fabric.host(id).name;
            shown.search.is_empty() || name.to_lowercase().contains(&shown.search)
        })
        .collect();
    let meant = |one: &Crossing| one.pair.iter().any(|host| is_meant[host.index()]);
    let matching: Vec<Crossing> = pairs.into_iter().filter(meant).collect();
    let page = matching.iter().skip(shown.first).take(shown.count);
    let page: Vec<Value> = page
        .map(|one| {
            let [source, destination] = one.pair.map(|host| left.host(host));
            json!({"source": source, "destination": destination, "load": number(one.load)})
        })
        .collect();
    json!({"pairs": total, "matching": matching.len(), "shown": page})
}
