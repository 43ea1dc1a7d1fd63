//! The channels that most routes take, and the pairs of hosts whose routes they are.

use crate::form::Routes;
use crate::load::{PARTS, push_channels};
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId};

/// A channel with the routes over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotChannel {
    /// The channel, between switches.
    pub channel: ChannelId,
    /// Ordered pairs of distinct hosts whose routes take it; where sources may send to any address of a
    /// destination, a pair counts by the part of its routes that do, and the sum is rounded.
    pub pairs: u64,
    /// The first of these pairs, source and destination, by ascending source.
    pub first_pairs: Vec<[HostId; 2]>,
}

/// Finds the channels between switches that most routes of distinct `hosts` take, the fullest
/// first, of equal ones that with the lowest number first; channels without any route are left out.
/// Each comes with its first `most_pairs` pairs, by the order in which the hosts are given.
///
/// Routes that do not arrive are left out.
///
/// # Complexity
/// Time in proportion to the hops of the routes between all hosts, on all cores.
///
/// # Panics
/// When the routes were made for a fabric with other switches, hosts or links.
pub fn hottest_channels(
    fabric: &Fabric,
    routes: &Routes,
    hosts: &[HostId],
    count: usize,
    most_pairs: usize,
) -> Vec<HotChannel> {
    let loads = channel_loads(fabric, routes, hosts);
    let mut channels: Vec<ChannelId> = fabric
        .channel_ids()
        .filter(|&channel| fabric.is_switch_channel(channel) && loads[channel.index()] > 0)
        .collect();
    channels.sort_by_key(|channel| u64::MAX - loads[channel.index()]);
    channels.truncate(count);
    let mut hottest: Vec<HotChannel> = channels
        .into_iter()
        .map(|channel| HotChannel {
            channel,
            pairs: loads[channel.index()],
            first_pairs: Vec::new(),
        })
        .collect();
    add_pairs(fabric, routes, hosts, most_pairs, &mut hottest);
    hottest
}

/// Counts the routes of distinct hosts over every channel, those of hosts included; routes that
/// do not arrive load nothing, and those to addresses that sources may choose from load in equal parts.
///
/// Shapes: one entry per channel.
pub fn channel_loads(fabric: &Fabric, routes: &Routes, hosts: &[HostId]) -> Vec<u64> {
    let from = |mut loads: Vec<u64>, &source: &HostId| {
        let mut channels = Vec::new();
        for &destination in hosts.iter().filter(|&&host| host != source) {
            let walks = routes.walks_of_hosts(fabric, [source, destination]);
            let part = PARTS / walks.len() as u64;
            for walk in walks {
                push_channels(fabric, walk, [source, destination], &mut channels);
            }
            for channel in channels.drain(..) {
                loads[channel.index()] += part;
            }
        }
        loads
    };
    let none = || vec![0; fabric.channel_count()];
    let parts = hosts
        .par_iter()
        .fold(none, from)
        .reduce(none, |one, other| {
            one.into_iter().zip(other).map(|(a, b)| a + b).collect()
        });
    let whole = |parts: u64| (parts + PARTS / 2) / PARTS;
    parts.into_iter().map(whole).collect()
}

fn add_pairs(
    fabric: &Fabric,
    routes: &Routes,
    hosts: &[HostId],
    most_pairs: usize,
    hottest: &mut [HotChannel],
) {
    let mut place = vec![None; fabric.channel_count()];
    for (number, hot) in hottest.iter().enumerate() {
        place[hot.channel.index()] = Some(number);
    }
    let wanted = |hot: &HotChannel| hot.pairs.min(most_pairs as u64);
    let mut open = hottest.iter().filter(|hot| wanted(hot) > 0).count();
    let mut channels = Vec::new();
    for &source in hosts {
        for &destination in hosts.iter().filter(|&&host| host != source) {
            if open == 0 {
                return;
            }
            for walk in routes.walks_of_hosts(fabric, [source, destination]) {
                push_channels(fabric, walk, [source, destination], &mut channels);
            }
            for channel in channels.drain(..) {
                let Some(number) = place[channel.index()] else {
                    continue;
                };
                let hot: &mut HotChannel = &mut hottest[number];
                // Routes of a pair may take a channel twice: to two addresses, or on either side of a stop.
                let pair = [source, destination];
                if hot.first_pairs.len() < most_pairs && hot.first_pairs.last() != Some(&pair) {
                    hot.first_pairs.push(pair);
                    open -= usize::from(hot.first_pairs.len() as u64 == wanted(hot));
                }
            }
        }
    }
}
