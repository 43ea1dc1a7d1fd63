//! `cable`: the pairs of hosts whose packets cross a cable.

use crate::asked::Shown;
use crate::error::ExploreError;
use crate::kept::Kept;
use crate::left::Left;
use crate::numbers::number;
use crate::routed::{Routed, UNIFORM};
use crate::state::State;
use rayon::prelude::*;
use serde_json::{Value, json};
use weft_fabric::{ChannelId, Fabric, HostId};
use weft_routing::{RouteHop, Routes, SharedRoute, SharedRoutes};

/// What is asked: the pairs of a cable.
pub(super) const NEEDS: &str = "the pairs of hosts that cross a cable";

/// A pair with what it brings onto a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    pair: [HostId; 2],
    load: f64,
}

/// Those who cross a cable forward and back.
type Both = [Vec<Crossing>; 2];

pub(crate) fn cable(
    kept: &Kept,
    state: &State,
    cable: u32,
    shown: &Shown,
) -> Result<Value, ExploreError> {
    let routed = kept.routed(state)?;
    let forward = channel_of(kept, &routed.left, cable)?;
    let routes = &routed.fixed(NEEDS)?.routes;
    let both = [forward, forward.reverse()];
    let crossing = crossing(&routed.left.fabric, routes, both);
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

/// The pairs whose routes take channels, by ascending source and destination, with how many of their
/// routes do.
fn crossing(fabric: &Fabric, routes: &Routes, channels: [ChannelId; 2]) -> Both {
    let shared = routes.by_groups(fabric);
    let search = Search {
        fabric,
        routes,
        shared: &shared,
        channels,
        is_led: led_over(fabric, routes, channels),
    };
    let sources = (0..shared.sources().len()).into_par_iter();
    let groups: Vec<Both> = sources.map(|from| search.from(from)).collect();
    let mut all = Both::default();
    for group in groups {
        for (all, of_group) in all.iter_mut().zip(group) {
            all.extend(of_group);
        }
    }
    for pairs in &mut all {
        pairs.sort_by_key(|crossing| crossing.pair);
    }
    all
}

/// Per endpoint: whether packets to it may take one of the channels at all. Of tables that is what the entries
/// of the switches there say, which is looked up once instead of on each way.
fn led_over(fabric: &Fabric, routes: &Routes, channels: [ChannelId; 2]) -> Vec<bool> {
    let Routes::Tables(tables) = routes else {
        return vec![true; routes.endpoint_count()];
    };
    let outputs = channels.map(|channel| fabric.source(channel));
    let leads = |address: usize| {
        outputs.iter().any(|output| {
            let next = output.node.switch().map(|at| tables.next_port(at, address));
            next.flatten() == Some(output.port)
        })
    };
    let endpoints = 0..routes.endpoint_count();
    endpoints
        .map(|to| tables.addresses(to).any(leads))
        .collect()
}

/// What is looked for: the routes that take channels.
struct Search<'a> {
    fabric: &'a Fabric,
    routes: &'a Routes,
    shared: &'a SharedRoutes<'a>,
    channels: [ChannelId; 2],
    /// Per endpoint: whether packets to it may take one of them.
    is_led: Vec<bool>,
}

impl Search<'_> {
    /// The pairs of a group of sources.
    fn from(&self, from: usize) -> Both {
        let mut found = Both::default();
        for (to, group) in self.shared.destinations().iter().enumerate() {
            if !self.is_led[group.endpoint] {
                continue;
            }
            for route in self.shared.between(from, to) {
                if route.turn == 0 {
                    self.walk(&route, &mut found);
                }
            }
        }
        found
    }

    fn walk(&self, route: &SharedRoute<'_>, found: &mut Both) {
        let mut times = [0_u32; 2];
        for step in self.routes.walk_shared(self.fabric, route) {
            if let Ok(RouteHop::Channel(taken)) = step.hop {
                for (times, channel) in times.iter_mut().zip(self.channels) {
                    *times += u32::from(taken == channel);
                }
            }
        }
        for (pairs, times) in found.iter_mut().zip(times) {
            if times > 0 {
                let load = f64::from(times) / f64::from(route.choices);
                add(pairs, route, load);
            }
        }
    }
}

/// Adds the pairs of a route. Those of a pair to several addresses come one after the other.
fn add(pairs: &mut Vec<Crossing>, route: &SharedRoute<'_>, load: f64) {
    let block = route.sources.len() * route.destinations.len();
    let start = pairs.len().saturating_sub(block);
    for &source in route.sources {
        for &destination in route.destinations {
            if source == destination {
                continue;
            }
            let pair = [source, destination];
            let known = pairs[start..].iter_mut();
            match known
                .filter(|_| route.alias > Some(0))
                .find(|one| one.pair == pair)
            {
                Some(known) => known.load += load,
                None => pairs.push(Crossing { pair, load }),
            }
        }
    }
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
        let mut shares = demand.probabilities(of_source[0].pair[0]);
        shares.sort_by_key(|share| share.0);
        for one in of_source {
            let share = shares.binary_search_by_key(&one.pair[1], |share| share.0);
            if let Ok(place) = share {
                let load = one.load * shares[place].1;
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
