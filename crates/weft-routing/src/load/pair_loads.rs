//! What a pair of hosts brings onto which channels.

use super::congestion::push_channels;
use crate::form::Routes;
use weft_fabric::{ChannelId, Fabric, HostId};

/// Tells `add` of every channel of the routes between two distinct hosts, those of the hosts included, with what of
/// an amount, such as bytes, goes over it: all of it, or equal parts where sources may choose among addresses.
/// Routes that do not arrive load nothing.
///
/// # Panics
/// When the routes were made for a fabric with other switches, hosts or links.
pub fn load_of_pair(
    fabric: &Fabric,
    routes: &Routes,
    ends: [HostId; 2],
    amount: f64,
    mut add: impl FnMut(ChannelId, f64),
) {
    let mut channels = Vec::new();
    let walks = routes.walks_of_hosts(fabric, ends);
    let part = amount / walks.len() as f64;
    for walk in walks {
        push_channels(fabric, walk, ends, &mut channels);
    }
    for channel in channels {
        add(channel, part);
    }
}
