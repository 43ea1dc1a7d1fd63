//! `ways`: the cables that packets of many pairs take.

use crate::error::ExploreError;
use crate::kept::Kept;
use crate::left::Left;
use crate::state::State;
use serde_json::{Value, json};
use weft_fabric::{ChannelId, HostId};
use weft_routing::{GroupTables, RouteHop, Routes, group_parts};

const NEEDS: &str = "the ways of pairs";

/// Of each pair: twice each cable on its way, and one more where it is taken backwards. Nothing of hosts
/// that are cut off; what is before a dead end of routes that have one.
pub(crate) fn ways(kept: &Kept, state: &State, pairs: &[[u32; 2]]) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let left = &routed.left;
    if let Some(tables) = routed.groups() {
        return Ok(told(left, pairs, |pair| one_of_ways(left, tables, pair)));
    }
    let routes = &routed.fixed(NEEDS)?.routes;
    Ok(told(left, pairs, |pair| way(left, routes, pair)))
}

fn told(left: &Left, pairs: &[[u32; 2]], taken: impl Fn([HostId; 2]) -> Vec<ChannelId>) -> Value {
    let cables = |pair: &[u32; 2]| -> Vec<u32> {
        let [Some(source), Some(destination)] = pair.map(|host| left.host_here(host)) else {
            return Vec::new();
        };
        let channels = taken([source, destination]).into_iter();
        let cables = channels.filter_map(|channel| left.cable(channel));
        cables
            .map(|(cable, forward)| 2 * cable + u32::from(!forward))
            .collect()
    };
    json!({ "ways": pairs.iter().map(cables).collect::<Vec<_>>() })
}

fn way(left: &Left, routes: &Routes, [source, destination]: [HostId; 2]) -> Vec<ChannelId> {
    let walk = routes.walk_hosts(&left.fabric, source, destination);
    let hops = walk.map_while(|step| step.hop.ok());
    let channels = hops.filter_map(|hop| match hop {
        RouteHop::Channel(channel) => Some(channel),
        RouteHop::InTransit(_) => None,
    });
    channels.collect()
}

/// Where switches choose: at each the channel that most packets of the pair take, the first of several.
fn one_of_ways(left: &Left, tables: &GroupTables, pair: [HostId; 2]) -> Vec<ChannelId> {
    let fabric = &left.fabric;
    let parts = group_parts(fabric, tables, tables.service_level(), pair).unwrap_or_default();
    let mut at = fabric.host_switch(pair[0]);
    let mut taken = Vec::new();
    // As many channels as there are at most: those of another service level may lead back.
    for _ in &parts {
        let from_here = parts.iter().filter(|(channel, _)| {
            fabric.is_switch_channel(*channel) && fabric.source(*channel).node.switch() == Some(at)
        });
        let most = from_here
            .rev()
            .max_by(|one, other| one.1.total_cmp(&other.1));
        let next =
            most.and_then(|&(channel, _)| Some((channel, fabric.target(channel).node.switch()?)));
        let Some((channel, switch)) = next.filter(|_| at != fabric.host_switch(pair[1])) else {
            break;
        };
        taken.push(channel);
        at = switch;
    }
    taken
}
