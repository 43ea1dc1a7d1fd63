//! What channels carry of given amounts between pairs of hosts.

use super::congestion::push_channels;
use crate::form::Routes;
use weft_fabric::{Fabric, HostId};

/// Adds up amounts that pairs of distinct hosts send each other, such as bytes, on every channel of their routes,
/// those of hosts included; routes that do not arrive load nothing, and those to addresses that sources may choose
/// from load in equal parts.
///
/// Shapes: one entry per channel, in the unit of the amounts.
///
/// # Panics
/// When the routes were made for a fabric with other switches, hosts or links.
pub fn pair_loads(fabric: &Fabric, routes: &Routes, pairs: &[([HostId; 2], f64)]) -> Vec<f64> {
    let mut loads = vec![0.0; fabric.channel_count()];
    let mut channels = Vec::new();
    for &(ends, amount) in pairs {
        let walks = routes.walks_of_hosts(fabric, ends);
        let part = amount / walks.len() as f64;
        for walk in walks {
            push_channels(fabric, walk, ends, &mut channels);
        }
        for channel in channels.drain(..) {
            loads[channel.index()] += part;
        }
    }
    loads
}
