//! Whose packets may take a channel, and which channels those of a pair, where switches choose among groups of ports.

use super::group_loads::alike_hosts;
use super::group_walk::{Next, Walk, Walks};
use crate::form::GroupTables;
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId};

/// A part of the packets of a pair: source and destination.
pub type PartOfPair = ([HostId; 2], f64);

/// The channels that packets of a pair may take, those of both hosts included, each with its part of them in the mean, by
/// ascending channel; nothing where some are led nowhere, or round and round. They have the service level of the pair,
/// where it has one.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn group_parts(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
    pair: [HostId; 2],
) -> Option<Vec<(ChannelId, f64)>> {
    let walks = Walks::new(fabric, tables, service_level);
    let mut parts = Vec::new();
    let arrive = Walk::new(&walks).parts(pair, &mut parts);
    parts.sort_by_key(|part| part.0);
    let mut all: Vec<(ChannelId, f64)> = Vec::new();
    for (channel, part) in parts {
        match all.last_mut() {
            Some((last, sum)) if *last == channel => *sum += part,
            _ => all.push((channel, part)),
        }
    }
    arrive.then_some(all)
}

/// The pairs of compute ends whose packets may take each of two channels between switches, by ascending source and
/// destination, with the part of them that does in the mean.
///
/// # Complexity
/// That of [`group_loads`](super::group_loads), and the pairs.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn group_crossing(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
    channels: [ChannelId; 2],
) -> [Vec<PartOfPair>; 2] {
    let mut all = [Vec::new(), Vec::new()];
    for level in tables.judged_with(service_level) {
        let walks = Walks::new(fabric, tables, level);
        let found: Vec<[Vec<PartOfPair>; 2]> = alike_hosts(fabric, tables, level)
            .par_iter()
            .map_init(
                || Walk::new(&walks),
                |walk, alike| walk.crossing(alike, channels),
            )
            .collect();
        for of_hosts in found {
            for (all, pairs) in all.iter_mut().zip(of_hosts) {
                all.extend(pairs);
            }
        }
    }
    for pairs in &mut all {
        pairs.sort_by_key(|part| part.0);
    }
    all
}

impl Walk<'_> {
    /// The parts of packets to hosts of a switch whose addresses are alike.
    fn crossing(&mut self, alike: &[HostId], channels: [ChannelId; 2]) -> [Vec<PartOfPair>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        let Some(&first) = alike.first() else {
            return found;
        };
        let to_first = self.parts_to(first, channels);
        let (like_first, rest) = self.like_first(alike);
        self.add_parts(first, &to_first, &mut found);
        // Between hosts of their switch packets do nothing but leave it, so what holds for the first holds for all.
        for destination in like_first {
            self.add_parts(destination, &to_first, &mut found);
        }
        for destination in rest {
            let parts = self.parts_to(destination, channels);
            self.add_parts(destination, &parts, &mut found);
        }
        found
    }

    fn add_parts(&self, destination: HostId, parts: &[[f64; 2]], found: &mut [Vec<PartOfPair>; 2]) {
        for (&(source, ..), parts) in self.of.sources.iter().zip(parts) {
            for (pairs, &part) in found.iter_mut().zip(parts) {
                if part > 0.0 && source != destination {
                    pairs.push(([source, destination], part));
                }
            }
        }
    }

    /// Per source: the parts of its packets to a host that take each of two channels.
    fn parts_to(&mut self, destination: HostId, channels: [ChannelId; 2]) -> Vec<[f64; 2]> {
        let of = self.of;
        let addresses = of.tables.addresses(destination);
        let share = 1.0 / addresses.len() as f64;
        let mut lost = vec![false; of.sources.len()];
        self.begin();
        let mut to_host = vec![[0.0; 2]; of.sources.len()];
        let mut onward = vec![[0.0; 2]; self.known.len()];
        for address in addresses {
            self.follow(address, destination, &mut lost);
            self.forget_senders();
            // What follows a state is known before it.
            for &state in self.order.iter().rev() {
                onward[state] = [0.0; 2];
                for way in &self.all_ways[self.ways[state].clone()] {
                    let later = match way.next {
                        Next::State(next) => onward[next],
                        Next::Arrives | Next::Nowhere => [0.0; 2],
                    };
                    for place in 0..2 {
                        let here = f64::from(u8::from(way.channel == channels[place]));
                        onward[state][place] += way.share * (here + later[place]);
                    }
                }
            }
            for (parts, &(source, start, _)) in to_host.iter_mut().zip(&of.sources) {
                if of.is_sent(source, destination, address) {
                    for place in 0..2 {
                        parts[place] += share * onward[start][place];
                    }
                }
            }
        }
        self.only_leave &= !lost.contains(&true);
        to_host
    }
}
