//! Does a metric of the channels show the load that it is said to? This program shares nothing with the search that
//! found it.

use crate::check_one_lane::cost_of_circles;
use crate::load_bound_error::LoadBoundError;
use crate::nearest_first::{ends_of, nearest_first};
use weft_fabric::{ChannelId, Fabric, Hop, Node, SwitchId};
use weft_routing::{BoundedRoutes, LoadBound};

/// Checks that some channel between switches carries as many routes as a bound says, whatever the routing, when
/// each compute end has one route to every other.
///
/// Lengths from each switch are found, and then looked at once more as if somebody else had found them: where no channel
/// brings a switch nearer, no route is shorter than these. What all routes are together at least as long as, over the
/// sum of all weights, is what some channel carries.
///
/// # Errors
/// [`LoadBoundError`].
///
/// # Complexity
/// Time O(S·E log S) for S switches and E links.
pub fn check_load_bound(fabric: &Fabric, bound: &LoadBound) -> Result<(), LoadBoundError> {
    let (found, expected) = (bound.weights.len(), fabric.channel_count());
    if found != expected {
        return Err(LoadBoundError::WrongChannelCount {
            fabric: fabric.name().to_owned(),
            found,
            expected,
        });
    }
    let mut room = 0_u128;
    for channel in fabric.channel_ids() {
        let weight = bound.weights[channel.index()];
        if weight > 0 && !fabric.is_switch_channel(channel) {
            return Err(LoadBoundError::HostChannel {
                channel: fabric.describe_channel(channel),
                weight,
            });
        }
        // A cable from a switch to itself is on no shortest way; to count it shows less, which is no
        // mistake.
        room += u128::from(weight);
    }
    let ends = |switch| ends_of(fabric, switch);
    let mut sum = 0_u128;
    for source in fabric.switch_ids().filter(|&switch| ends(switch) > 0) {
        let lengths = lengths_from(fabric, bound, source);
        for switch in fabric.switch_ids().filter(|&switch| switch != source) {
            // Ends that nothing leads to have no route, and load nothing.
            let length = lengths[switch.index()].unwrap_or(0);
            sum += ends(source) * ends(switch) * u128::from(length);
        }
    }
    let lengths = sum;
    if let Some(one_lane) = &bound.one_lane {
        sum += cost_of_circles(fabric, bound, one_lane)?;
    }
    let has_stops = matches!(&bound.one_lane, Some(one_lane) if one_lane.stop_cost.is_some());
    let shown = match room {
        0 => 0,
        // Stops come in parts of a load, without which it is whole.
        _ if has_stops => (sum / room).max(lengths.div_ceil(room)),
        _ => sum.div_ceil(room),
    };
    let shown = match bound.routes {
        BoundedRoutes::Tables if !has_stops => of_whole_flows(fabric, &bound.weights, shown),
        BoundedRoutes::Any | BoundedRoutes::Shortest | BoundedRoutes::Tables => shown,
    };
    if shown < u128::from(bound.least_load) {
        return Err(LoadBoundError::ShowsLess {
            shown,
            claimed: bound.least_load,
        });
    }
    Ok(())
}

/// What is shown of tables by destination, where weights show so much of any routes.
///
/// The ends of a switch take one channel to an end elsewhere, so the load of a channel is a sum of numbers of ends of switches.
/// Where the weights are those of all channels out of one switch, each of the ends elsewhere is reached by one of them.
fn of_whole_flows(fabric: &Fabric, weights: &[u32], shown: u128) -> u128 {
    let ends = |switch| ends_of(fabric, switch);
    let mut common = 0;
    for switch in fabric.switch_ids() {
        let (mut larger, mut smaller) = (ends(switch).max(common), ends(switch).min(common));
        while smaller != 0 {
            (larger, smaller) = (smaller, larger % smaller);
        }
        common = larger;
    }
    let shown = shown.next_multiple_of(common.max(1));
    let is_weighted = |channel: &ChannelId| weights[channel.index()] > 0;
    let mut sources = fabric
        .channel_ids()
        .filter(is_weighted)
        .map(|channel| fabric.source(channel).node);
    let Some(Node::Switch(switch)) = sources.next() else {
        return shown;
    };
    let ports: Vec<&Hop> = fabric
        .hops(switch)
        .iter()
        .filter(|hop| hop.switch != switch)
        .collect();
    if sources.any(|source| source != Node::Switch(switch))
        || !ports.iter().all(|hop| is_weighted(&hop.channel))
    {
        return shown;
    }
    let links = nearest_first(fabric, switch, |_, _| Some(1));
    let is_elsewhere = |&other: &SwitchId| other != switch && links[other.index()].is_some();
    let elsewhere: u128 = fabric.switch_ids().filter(is_elsewhere).map(ends).sum();
    shown.max(elsewhere.div_ceil(ports.len().max(1) as u128) * ends(switch))
}

/// Per switch: a length that no route from the source is shorter than; none where none leads.
fn lengths_from(fabric: &Fabric, bound: &LoadBound, source: SwitchId) -> Vec<Option<u64>> {
    let links = match bound.routes {
        BoundedRoutes::Any | BoundedRoutes::Tables => None,
        BoundedRoutes::Shortest => Some(nearest_first(fabric, source, |_, _| Some(1))),
    };
    let weight = |from: SwitchId, hop: Hop| {
        let is_taken = links.as_ref().is_none_or(|links| {
            let [from, to] = [from, hop.switch].map(|switch| links[switch.index()]);
            from.zip(to).is_some_and(|(from, to)| from + 1 == to)
        });
        is_taken.then(|| u64::from(bound.weights[hop.channel.index()]))
    };
    let lengths = nearest_first(fabric, source, weight);
    let is_nearer_by = |from: SwitchId, hop: Hop| {
        let so_far = lengths[from.index()].zip(weight(from, hop));
        let by_it = so_far.map(|(length, weight)| length + weight);
        by_it.is_some_and(|by_it| lengths[hop.switch.index()].is_none_or(|known| known > by_it))
    };
    let mut channels = fabric
        .switch_ids()
        .flat_map(|from| fabric.hops(from).iter().map(move |&hop| (from, hop)));
    if channels.any(|(from, hop)| is_nearer_by(from, hop)) {
        return vec![None; lengths.len()];
    }
    lengths
}
