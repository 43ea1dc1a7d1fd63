//! What breaking circles of channels costs routes on one lane, added up by a program that did not look for the circles.

use crate::load_bound_error::LoadBoundError;
use crate::nearest_first::{ends_of, nearest_first};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use weft_fabric::{ChannelId, Fabric, Hop, Node, SwitchId};
use weft_routing::{BoundedRoutes, LoadBound, OneLane};

/// A way from one channel on to another.
type Turn = [ChannelId; 2];

/// Of the two shortest ways to a switch, how long each is, and the channel by which it comes.
#[derive(Clone, Copy, Debug, Default)]
struct Ways {
    shortest: Option<(u64, Option<ChannelId>)>,
    second: Option<u64>,
}

/// What all circles of a bound cost together, in weights.
///
/// Every circle has to be closed, and no turn may pay for more than leaving it out costs: of each pair whose routes make it
/// for want of another shortest way, the least of what a stop costs and of what other ways are longer, shared by its turns.
pub(crate) fn cost_of_circles(
    fabric: &Fabric,
    bound: &LoadBound,
    one_lane: &OneLane,
) -> Result<u128, LoadBoundError> {
    let mut asked: BTreeMap<Turn, u128> = BTreeMap::new();
    let mut sum = 0;
    for (number, circle) in one_lane.circles.iter().enumerate() {
        let next = circle.channels.iter().cycle().skip(1);
        for (&held, &wanted) in circle.channels.iter().zip(next) {
            if !is_turn(fabric, [held, wanted]) {
                return Err(LoadBoundError::NoCircle { number });
            }
            *asked.entry([held, wanted]).or_default() += u128::from(circle.price);
        }
        if circle.channels.is_empty() {
            return Err(LoadBoundError::NoCircle { number });
        }
        sum += u128::from(circle.price);
    }
    let channels: usize = fabric
        .switch_ids()
        .map(|switch| fabric.hops(switch).len())
        .sum();
    let room: u128 = bound.weights.iter().map(|&weight| u128::from(weight)).sum();
    let of_stop = one_lane
        .stop_cost
        .map(|cost| u128::from(cost) * room / (channels.max(1) as u128));
    let mut paid: BTreeMap<Turn, u128> = asked.keys().map(|&turn| (turn, 0)).collect();
    for source in fabric.switch_ids() {
        let ends = ends_of(fabric, source);
        if ends > 0 {
            pay_from(fabric, bound, source, of_stop, ends, &mut paid);
        }
    }
    for (turn, asked) in asked {
        let paid = paid[&turn];
        if asked > paid {
            let [held, wanted] = turn.map(|channel| fabric.describe_channel(channel));
            return Err(LoadBoundError::AsksTooMuch {
                held,
                wanted,
                asked,
                paid,
            });
        }
    }
    Ok(sum)
}

/// Tells whether a channel between switches leads to where another comes from.
fn is_turn(fabric: &Fabric, turn: Turn) -> bool {
    let [held, wanted] = turn;
    let is_there = turn.iter().all(|&channel| {
        channel.index() < fabric.channel_count() && fabric.is_switch_channel(channel)
    });
    is_there && fabric.target(held).node == fabric.source(wanted).node
}

/// Adds to each turn what leaving it out costs those that a switch sends to.
fn pay_from(
    fabric: &Fabric,
    bound: &LoadBound,
    source: SwitchId,
    of_stop: Option<u128>,
    ends: u128,
    paid: &mut BTreeMap<Turn, u128>,
) {
    let ways = two_ways(fabric, bound, source);
    for to in fabric.switch_ids().filter(|&to| to != source) {
        let sent = ends * ends_of(fabric, to);
        let Ways {
            shortest: Some((length, last)),
            second,
        } = ways[to.index()]
        else {
            continue;
        };
        let mut taken: Vec<ChannelId> = last.into_iter().collect();
        while let Some(&first) = taken.last() {
            let Node::Switch(before) = fabric.source(first).node else {
                break;
            };
            let Some((_, Some(earlier))) = ways[before.index()].shortest else {
                break;
            };
            taken.push(earlier);
        }
        let turns: Vec<Turn> = taken.windows(2).map(|two| [two[1], two[0]]).collect();
        let detour =
            second.map(|second| u128::from((second - length) / (turns.len().max(1) as u64)));
        let Some(price) = detour.into_iter().chain(of_stop).min() else {
            continue;
        };
        for turn in turns {
            if let Some(paid) = paid.get_mut(&turn) {
                *paid += price * sent;
            }
        }
    }
}

/// Per switch, the two shortest ways by the weights of a bound, of those that its routes may take.
fn two_ways(fabric: &Fabric, bound: &LoadBound, source: SwitchId) -> Vec<Ways> {
    let links = match bound.routes {
        BoundedRoutes::Any | BoundedRoutes::Tables => None,
        BoundedRoutes::Shortest => Some(nearest_first(fabric, source, |_, _| Some(1))),
    };
    let is_taken = |from: SwitchId, hop: &Hop| {
        links.as_ref().is_none_or(|links| {
            let [from, to] = [from, hop.switch].map(|switch| links[switch.index()]);
            from.zip(to).is_some_and(|(from, to)| from + 1 == to)
        })
    };
    let mut ways = vec![Ways::default(); fabric.switch_count()];
    let mut next = BinaryHeap::from([Reverse((0_u64, None, source))]);
    while let Some(Reverse((length, by, switch))) = next.pop() {
        let known = &mut ways[switch.index()];
        match known {
            Ways { shortest: None, .. } => known.shortest = Some((length, by)),
            Ways { second: None, .. } => known.second = Some(length),
            Ways { .. } => continue,
        }
        for hop in fabric.hops(switch) {
            if is_taken(switch, hop) {
                let weight = u64::from(bound.weights[hop.channel.index()]);
                next.push(Reverse((length + weight, Some(hop.channel), hop.switch)));
            }
        }
    }
    ways
}
