//! `limits`: what no routing is below, and what random halves get of this one.

use crate::error::ExploreError;
use crate::kept::Kept;
use crate::numbers::number;
use crate::routed::UNIFORM;
use crate::state::State;
use serde_json::{Value, json};
use weft_fabric::HostId;
use weft_routing::{AnyRouting, BoundEffort, BoundedRoutes, Rounds, congestion, load_bound};

/// Pairs that the random halves have together, at least, and how many halves that may be.
const PAIRS: usize = 16_384;
const FEWEST_HALVES: usize = 8;
const MOST_HALVES: usize = 1_000;

const SEED: u64 = 1;

pub(crate) fn limits(kept: &Kept, state: &State) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let fabric = &routed.left.fabric;
    let bound = if state.pattern == UNIFORM {
        let bound = load_bound(fabric, BoundedRoutes::Any, BoundEffort::Quick)?;
        let has_several = match routed.network.routing() {
            AnyRouting::Fixed(routing) => routing.routes.most_addresses() > 1,
            AnyRouting::Adaptive(_) => false,
        };
        json!(if has_several {
            bound.of_several_routes().least_load
        } else {
            bound.least_load
        })
    } else {
        Value::Null
    };
    let bisection = match routed.network.routing() {
        AnyRouting::Adaptive(_) => Value::Null,
        AnyRouting::Fixed(routing) => {
            let hosts: Vec<HostId> = fabric.compute_hosts().collect();
            let pairs = (fabric.host_count() / 2).max(1);
            let count = (PAIRS / pairs).clamp(FEWEST_HALVES, MOST_HALVES);
            let rounds = Rounds::Bisections {
                count: weft_fabric::narrow(count, "few halves are drawn"),
                seed: SEED,
            };
            let found = congestion(fabric, &routing.routes, &hosts, rounds);
            let shares: f64 = found.iter().map(|round| round.mean_share).sum();
            number(100.0 * shares / found.len() as f64)
        }
    };
    Ok(json!({"bound": bound, "bisection_percent": bisection}))
}
