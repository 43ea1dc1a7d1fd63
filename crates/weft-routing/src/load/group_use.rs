//! How packets use the groups that their switches may choose from, and what of a pair then takes which channel.

use crate::form::GroupTables;
use crate::random::{STEP, hash_of_flow, mix, part_of};
use weft_fabric::{ChannelId, Fabric, HostId, Node};

/// How packets use the groups of ports that they may choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupUse {
    /// All ports of a group alike, or by the weights of its subgroups.
    Even,
    /// A hash sends each flow of a pair its way, and to one of the addresses of its destination.
    Hashed {
        /// Flows of each pair, 1 or more.
        flows: u32,
        /// What the hashes are drawn by; a draw has the same ones under any traffic.
        seed: u64,
        /// The draw.
        draw: u32,
    },
    /// As is worst for each channel: all pairs choose it that can. Pairs then take more than one way at once.
    Alike,
}

/// Flows of pairs, each followed by its hash.
pub(super) struct Flows<'a> {
    fabric: &'a Fabric,
    tables: &'a GroupTables,
    service_level: u8,
    /// Links of the longest way that does not go round.
    longest: usize,
    count: u32,
    key: [u64; 2],
}

impl<'a> Flows<'a> {
    pub(super) fn new(
        fabric: &'a Fabric,
        tables: &'a GroupTables,
        service_level: u8,
        count: u32,
        key: [u64; 2],
    ) -> Self {
        Self {
            fabric,
            tables,
            service_level,
            // A way is no longer than all states, or it goes round.
            longest: fabric.channel_count() * usize::from(tables.lane_count()),
            count,
            key,
        }
    }

    /// Tells the channels that each flow of a pair takes, those of both hosts included; whether all arrive.
    pub(super) fn follow(&self, pair: [HostId; 2], mut takes: impl FnMut(ChannelId)) -> bool {
        // All are followed, whether or not one before is lost.
        let lost = (0..self.count).filter(|&flow| !self.follow_one(pair, flow, &mut takes));
        lost.count() == 0
    }

    /// Appends the channels that a pair takes, each flow by itself; of a pair of which some do not arrive nothing. Tells
    /// whether all arrive.
    pub(super) fn push(&self, pair: [HostId; 2], parts: &mut Vec<(ChannelId, f64)>) -> bool {
        let (first, part) = (parts.len(), 1.0 / f64::from(self.count));
        let arrive = self.follow(pair, |channel| parts.push((channel, part)));
        if !arrive {
            parts.truncate(first);
        }
        arrive
    }

    fn follow_one(
        &self,
        [source, destination]: [HostId; 2],
        flow: u32,
        takes: &mut impl FnMut(ChannelId),
    ) -> bool {
        let Self { fabric, tables, .. } = *self;
        let hash = hash_of_flow(self.key, [source, destination], flow);
        takes(fabric.injection_channel(source));
        let addresses = tables.addresses(destination);
        if addresses.is_empty() {
            return false;
        }
        let address = addresses.start + part_of(hash, addresses.len());
        let pair_level = tables.pair_level(source, address);
        let service_level = pair_level.unwrap_or(self.service_level);
        let Some(mut lane) = tables.host_lane(service_level) else {
            return false;
        };
        let (mut switch, mut port) = (fabric.host_switch(source), fabric.host_port(source));
        for _ in 0..self.longest {
            let choice = tables.choice(switch, (port, lane), address, service_level);
            let output = match choice.group {
                Some(group) => {
                    // Switches decide independently of one another, and of the address.
                    let here = (u64::from(switch.number()) + 1).wrapping_mul(STEP);
                    group.by_hash(mix(hash.wrapping_add(here)))
                }
                None => choice.ports.first().copied(),
            };
            let Some(channel) = output.and_then(|output| fabric.outgoing_at(switch, output)) else {
                return false;
            };
            takes(channel);
            let output = fabric.source(channel).port;
            let Some(next_lane) = tables.next_lane(switch, [port, output], service_level, lane)
            else {
                return false;
            };
            match fabric.target(channel).node {
                Node::Host(host) => return host == destination,
                Node::Switch(next_switch) => {
                    (switch, port, lane) = (next_switch, fabric.target(channel).port, next_lane);
                }
            }
        }
        false
    }
}

impl GroupUse {
    /// Its flows, where a hash decides.
    pub(super) fn flows<'a>(
        self,
        fabric: &'a Fabric,
        tables: &'a GroupTables,
        service_level: u8,
    ) -> Option<Flows<'a>> {
        let Self::Hashed { flows, seed, draw } = self else {
            return None;
        };
        let key = [seed, u64::from(draw)];
        Some(Flows::new(fabric, tables, service_level, flows, key))
    }

    /// Appends the channels that packets of a pair take, each with its part of them, from those that they may take with
    /// their parts where all ports are used evenly. Where pairs choose alike a channel comes once, else perhaps several
    /// times.
    pub(super) fn push(self, even: &[(ChannelId, f64)], parts: &mut Vec<(ChannelId, f64)>) {
        let first = parts.len();
        parts.extend_from_slice(even);
        if self == Self::Alike {
            parts[first..].sort_unstable_by_key(|part| part.0);
            let mut kept = first;
            for place in first..parts.len() {
                let channel = parts[place].0;
                if kept == first || parts[kept - 1].0 != channel {
                    parts[kept] = (channel, 1.0);
                    kept += 1;
                }
            }
            parts.truncate(kept);
        }
    }
}
