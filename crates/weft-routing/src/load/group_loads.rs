//! What channels carry where switches choose among groups of ports: in the mean, by hashes of flows, and at most.

use super::group_walk::{Next, Walk, Walks};
use crate::form::GroupTables;
use rayon::prelude::*;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId};

/// Loads of channels under traffic between all compute ends, a route for each ordered pair.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupLoads {
    /// Per channel: routes in the mean, where what may choose takes the ports of its group alike, or by their weights.
    pub mean: Vec<f64>,
    /// Per channel: pairs that may be sent over it, so what it carries if all choose it that can.
    pub most: Vec<u64>,
    /// Pairs of which some may be led nowhere, or round and round; they count as far as they are led.
    pub unreached_pairs: u64,
}

impl GroupLoads {
    fn none(fabric: &Fabric) -> Self {
        Self {
            mean: vec![0.0; fabric.channel_count()],
            most: vec![0; fabric.channel_count()],
            unreached_pairs: 0,
        }
    }

    fn add(&mut self, other: &Self) {
        let mean = self.mean.iter_mut().zip(&other.mean);
        mean.for_each(|(sum, load)| *sum += load);
        let most = self.most.iter_mut().zip(&other.most);
        most.for_each(|(sum, load)| *sum += load);
        self.unreached_pairs += other.unreached_pairs;
    }
}

/// Adds up what channels carry of packets of a service level, or of all where every pair has its own; packets to a host
/// spread evenly over its addresses.
///
/// # Complexity
/// Time O(A·S·(P + S/64)) for A addresses and S switches of P ports, on all cores; of addresses that are
/// [alike](GroupTables::alike_addresses) one counts.
///
/// # Determinism
/// The same on any number of cores.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn group_loads(fabric: &Fabric, tables: &GroupTables, service_level: u8) -> GroupLoads {
    let mut all = GroupLoads::none(fabric);
    for level in tables.judged_with(service_level) {
        all.add(&loads_of_level(fabric, tables, level));
    }
    all
}

fn loads_of_level(fabric: &Fabric, tables: &GroupTables, service_level: u8) -> GroupLoads {
    let walks = Walks::new(fabric, tables, service_level);
    let destinations = alike_hosts(fabric, tables, service_level);
    // As many parts whatever the cores, so that sums are made in one order.
    let size = destinations.len().div_ceil(64).max(1);
    let parts: Vec<GroupLoads> = destinations
        .par_chunks(size)
        .map(|part| {
            let mut walk = Walk::new(&walks);
            let mut loads = GroupLoads::none(fabric);
            for alike in part {
                walk.load_alike(alike, &mut loads);
            }
            loads
        })
        .collect();
    let mut all = GroupLoads::none(fabric);
    if tables.host_lane(service_level).is_none() {
        let pairs = fabric.compute_hosts().flat_map(|destination| {
            let first = tables.addresses(destination).start;
            let sources = fabric.compute_hosts();
            sources.filter(move |&source| {
                source != destination && tables.may_have(source, first, service_level)
            })
        });
        all.unreached_pairs = pairs.count() as u64;
    }
    for part in &parts {
        all.add(part);
    }
    all
}

/// Compute ends, those together whose addresses are alike in turn.
pub(super) fn alike_hosts(
    fabric: &Fabric,
    tables: &GroupTables,
    service_level: u8,
) -> Vec<Vec<HostId>> {
    let mut class_of = vec![0; tables.address_count()];
    let classes = tables.alike_addresses(fabric, service_level);
    for (number, class) in classes.iter().enumerate() {
        for &address in class {
            class_of[address] = number;
        }
    }
    let mut place_of = BTreeMap::new();
    let mut alike: Vec<Vec<HostId>> = Vec::new();
    for host in fabric.compute_hosts() {
        let place = *place_of
            .entry((fabric.host_switch(host), &class_of[tables.addresses(host)]))
            .or_insert(alike.len());
        if place == alike.len() {
            alike.push(Vec::new());
        }
        alike[place].push(host);
    }
    alike
}

impl Walk<'_> {
    /// Adds what all send to hosts of a switch whose addresses are alike.
    fn load_alike(&mut self, alike: &[HostId], loads: &mut GroupLoads) {
        let Some(&first) = alike.first() else {
            return;
        };
        self.load(first, loads);
        let of = self.of;
        let (like_first, rest) = self.like_first(alike);
        let times = like_first.len() as f64;
        let own = of.fabric.ejection_channel(first);
        for (channel, part) in self.mean.drain(..) {
            if channel == own {
                for &host in &like_first {
                    loads.mean[of.fabric.ejection_channel(host).index()] += part;
                }
            } else {
                loads.mean[channel.index()] += part * times;
            }
        }
        for (channel, pairs) in self.most.drain(..) {
            if channel == own {
                for &host in &like_first {
                    loads.most[of.fabric.ejection_channel(host).index()] += pairs;
                }
            } else {
                loads.most[channel.index()] += pairs * like_first.len() as u64;
            }
        }
        for host in like_first {
            for &(source, ..) in of.sources.iter().filter(|one| one.0 != host) {
                let injection = of.fabric.injection_channel(source).index();
                loads.mean[injection] += 1.0;
                loads.most[injection] += 1;
            }
        }
        for host in rest {
            self.load(host, loads);
        }
    }

    /// Adds what all send to a host.
    fn load(&mut self, destination: HostId, loads: &mut GroupLoads) {
        self.mean.clear();
        self.most.clear();
        self.begin();
        let addresses = self.of.tables.addresses(destination);
        let share = 1.0 / addresses.len() as f64;
        let (words, mut lost) = (self.words(), vec![false; self.of.sources.len()]);
        let of = self.of;
        for &(source, ..) in &of.sources {
            let mut addresses = addresses.clone();
            if addresses.any(|address| of.is_sent(source, destination, address)) {
                loads.most[of.fabric.injection_channel(source).index()] += 1;
            }
        }
        for address in addresses {
            self.follow(address, destination, &mut lost);
            self.spread(share, loads);
            for &(source, ..) in &of.sources {
                if of.is_sent(source, destination, address) {
                    loads.mean[of.fabric.injection_channel(source).index()] += share;
                }
            }
        }
        let lost = lost.iter().filter(|&&lost| lost).count() as u64;
        self.only_leave &= lost == 0;
        loads.unreached_pairs += lost;
        let own = self.of.sources.iter().find(|one| one.0 == destination);
        let sharers = &self.of.sharers;
        for channel in self.channels.drain(..) {
            let over = &mut self.over[channel.index() * words..][..words];
            // The destination itself sends nothing to itself.
            let has_own =
                own.is_some_and(|&(_, _, place)| over[place / 64] >> (place % 64) & 1 == 1);
            let mut pairs = 0;
            for (first, word) in (0..).step_by(64).zip(over) {
                let mut left = std::mem::take(word);
                while left != 0 {
                    pairs += sharers[first + left.trailing_zeros() as usize];
                    left &= left - 1;
                }
            }
            pairs -= u64::from(has_own);
            loads.most[channel.index()] += pairs;
            self.most.push((channel, pairs));
        }
    }

    /// Sends what comes into the states on, each before those that follow it.
    fn spread(&mut self, of_address: f64, loads: &mut GroupLoads) {
        let words = self.words();
        for &state in &self.order {
            let flow = std::mem::take(&mut self.flow[state]);
            let senders = self.senders[state * words..][..words].to_vec();
            self.senders[state * words..][..words].fill(0);
            for way in &self.all_ways[self.ways[state].clone()] {
                let part = flow * way.share;
                loads.mean[way.channel.index()] += part * of_address;
                self.mean.push((way.channel, part * of_address));
                let over = &mut self.over[way.channel.index() * words..][..words];
                if over.iter().all(|&word| word == 0) {
                    self.channels.push(way.channel);
                }
                add_all(over, &senders);
                if let Next::State(next) = way.next {
                    self.flow[next] += part;
                    add_all(&mut self.senders[next * words..], &senders);
                }
            }
        }
    }
}

fn add_all(to: &mut [u64], bits: &[u64]) {
    to.iter_mut()
        .zip(bits)
        .for_each(|(word, bits)| *word |= bits);
}
