//! `ways`: the cables that packets of many pairs take.

use crate::error::ExploreError;
use crate::kept::Kept;
use crate::state::State;
use serde_json::{Value, json};
use weft_routing::RouteHop;

const NEEDS: &str = "the ways of pairs";

/// Of each pair: twice each cable on its way, and one more where it is taken backwards. Nothing of hosts
/// that are cut off; what is before a dead end of routes that have one.
pub(crate) fn ways(kept: &Kept, state: &State, pairs: &[[u32; 2]]) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let routes = &routed.fixed(NEEDS)?.routes;
    let left = &routed.left;
    let way = |pair: &[u32; 2]| -> Vec<u32> {
        let [Some(source), Some(destination)] = pair.map(|host| left.host_here(host)) else {
            return Vec::new();
        };
        let walk = routes.walk_hosts(&left.fabric, source, destination);
        let channels = walk.map_while(|step| match step.hop {
            Ok(RouteHop::Channel(channel)) => Some(left.cable(channel)),
            Ok(RouteHop::InTransit(_)) => Some(None),
            Err(_) => None,
        });
        let cables = channels.flatten();
        cables
            .map(|(cable, forward)| 2 * cable + u32::from(!forward))
            .collect()
    };
    let ways: Vec<_> = pairs.iter().map(way).collect();
    Ok(json!({ "ways": ways }))
}
