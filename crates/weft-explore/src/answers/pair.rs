//! `pair`: the routes of two hosts, there and back.

use super::latency::idle_latency_ns;
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::numbers::number;
use crate::routed::Routed;
use crate::state::State;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use weft_fabric::{ChannelId, HostId};
use weft_model::hardware::Hardware;
use weft_proof::{UnreachedPair, UnreachedReason};
use weft_routing::{GroupTables, Lane, RouteHop, Routes, group_parts};

const NEEDS: &str = "the way of a pair";

pub(crate) fn pair(kept: &Kept, state: &State, numbers: [u32; 2]) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let [source, destination] = numbers.map(|host| {
        routed
            .left
            .host_here(host)
            .ok_or_else(|| ExploreError::Gone {
                what: "host",
                name: kept.whole.fabric.host(HostId::new(host)).name.clone(),
            })
    });
    let there = [source?, destination?];
    let [source, destination] = there;
    let back = [destination, source];
    let mut taken = BTreeSet::new();
    let [mut there_told, mut back_told] = if let Some(tables) = routed.groups() {
        [there, back].map(|pair| choices(&routed, tables, pair, &mut taken))
    } else {
        let routes = &routed.fixed(NEEDS)?.routes;
        [there, back].map(|pair| way(&routed, routes, pair, &mut taken))
    };
    if let Some(preset) = &state.hardware {
        let hardware = Hardware::preset(preset).map_err(weft::Error::from)?;
        for (told, pair) in [(&mut there_told, there), (&mut back_told, back)] {
            if told["arrives"] == true {
                match idle_latency_ns(&routed, &hardware, pair) {
                    Ok(latency) => told["idle_latency_ns"] = latency.map_or(Value::Null, number),
                    // The ways are what they are on any hardware.
                    Err(refusal) => told["no_latency"] = refusal.to_string().into(),
                }
            }
        }
    }
    let loads = routed.loads(&state.pattern)?;
    let shares = taken.into_iter().filter_map(|channel| {
        let (cable, forward) = routed.left.cable(channel)?;
        let load = loads.as_ref().as_ref();
        let load = load.map_or(Value::Null, |loads| number(loads.of(channel)));
        Some(json!({"cable": cable, "forward": forward, "load": load}))
    });
    Ok(json!({
        "there": there_told,
        "back": back_told,
        "shares": shares.collect::<Vec<Value>>(),
    }))
}

/// The route of a pair step by step; its channels are added to `taken`.
fn way(
    routed: &Routed,
    routes: &Routes,
    pair: [HostId; 2],
    taken: &mut BTreeSet<ChannelId>,
) -> Value {
    let [source, destination] = pair;
    let (left, fabric) = (&routed.left, &routed.left.fabric);
    let mut walk = routes.walk_hosts(fabric, source, destination);
    let (mut hops, mut stops) = (Vec::new(), Vec::new());
    let mut reason = None;
    for step in walk.by_ref() {
        let cable = match step.hop {
            Ok(RouteHop::Channel(channel)) => {
                taken.insert(channel);
                left.cable(channel)
            }
            Ok(RouteHop::InTransit(host)) => {
                stops.push(left.host(host));
                None
            }
            Err(dead_end) => {
                reason = Some(UnreachedReason::DeadEnd {
                    switch: step.switch,
                    port: step.port,
                    dead_end,
                });
                break;
            }
        };
        hops.push(json!({
            "switch": left.switch(step.switch),
            "port": step.port.number().to_string(),
            "cable": cable.map(|one| one.0),
            "forward": cable.map(|one| one.1),
            "lane": step.lane.number(),
        }));
    }
    let end = walk.switch();
    let is_there = end == fabric.host_switch(destination) && !walk.is_in_a_circle();
    if reason.is_none() && !is_there {
        reason = Some(UnreachedReason::EndsAt(end));
    }
    if reason.is_none() {
        let port = fabric.host_port(destination);
        let lane = walk.ejection_lane(port);
        hops.push(json!({
            "switch": left.switch(end),
            "port": port.number().to_string(),
            "cable": null,
            "forward": null,
            "lane": lane.map(Lane::number),
        }));
    }
    let words = reason.map(|reason| {
        let unreached = UnreachedPair {
            source,
            destination,
            reason,
        };
        unreached.describe(fabric)
    });
    let service_level = match routes {
        Routes::Source(_) => None,
        Routes::Tables(_) => Some(walk.service_level()),
    };
    json!({
        "hops": hops,
        "arrives": words.is_none(),
        "words": words,
        "service_level": service_level,
        "addresses": routes.walks_of_hosts(fabric, pair).len(),
        "stops": stops,
        "choices": null,
        "idle_latency_ns": null,
        "no_latency": null,
    })
}

/// The channels between switches that packets of a pair may be sent over, each with its part of them; these are added
/// to `taken`.
fn choices(
    routed: &Routed,
    tables: &GroupTables,
    pair: [HostId; 2],
    taken: &mut BTreeSet<ChannelId>,
) -> Value {
    let fabric = &routed.left.fabric;
    let [source, destination] = pair;
    let addresses = tables.addresses(destination);
    let level = tables.level_of(source, addresses.start);
    let parts = group_parts(fabric, tables, level, pair);
    let words = parts.is_none().then(|| {
        let names = pair.map(|host| fabric.host(host).name.as_str());
        let [from, to] = names;
        format!("some packets from {from} to {to} are led nowhere, or round and round")
    });
    let mut told = Vec::new();
    for (channel, part) in parts.unwrap_or_default() {
        if let Some((cable, forward)) = routed.left.cable(channel) {
            taken.insert(channel);
            told.push(json!({"cable": cable, "forward": forward, "part": number(part)}));
        }
    }
    json!({
        "hops": [],
        "arrives": words.is_none(),
        "words": words,
        "service_level": level,
        "addresses": addresses.len(),
        "stops": [],
        "choices": told,
        "idle_latency_ns": null,
        "no_latency": null,
    })
}
