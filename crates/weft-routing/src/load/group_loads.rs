//! What channels carry where switches choose among groups of ports: in the mean, by hashes of flows, and at most.

use crate::form::{Entry, GroupStates, GroupTables};
use rayon::prelude::*;
use weft_fabric::{ChannelId, Fabric, HostId, Node};

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

/// Adds up what channels carry of packets of a service level; packets to a host spread evenly over its addresses.
///
/// # Complexity
/// Time O(A·S·(P + S/64)) for A addresses and S switches of P ports, on all cores.
///
/// # Determinism
/// The same on any number of cores.
///
/// # Panics
/// When the tables are for a fabric with other switches or hosts.
pub fn group_loads(fabric: &Fabric, tables: &GroupTables, service_level: u8) -> GroupLoads {
    let walks = Walks::new(fabric, tables, service_level);
    let destinations: Vec<HostId> = fabric.compute_hosts().collect();
    // As many parts whatever the cores, so that sums are made in one order.
    let size = destinations.len().div_ceil(64).max(1);
    let parts: Vec<GroupLoads> = destinations
        .par_chunks(size)
        .map(|part| {
            let mut walk = Walk::new(&walks);
            let mut loads = GroupLoads {
                mean: vec![0.0; fabric.channel_count()],
                most: vec![0; fabric.channel_count()],
                unreached_pairs: 0,
            };
            for &host in part {
                walk.load(host, &mut loads);
            }
            loads
        })
        .collect();
    let mut all = GroupLoads {
        mean: vec![0.0; fabric.channel_count()],
        most: vec![0; fabric.channel_count()],
        unreached_pairs: 0,
    };
    if tables.host_lane(service_level).is_none() {
        let hosts = destinations.len() as u64;
        all.unreached_pairs = hosts * hosts.saturating_sub(1);
    }
    for part in parts {
        let mean = all.mean.iter_mut().zip(part.mean);
        mean.for_each(|(sum, load)| *sum += load);
        let most = all.most.iter_mut().zip(part.most);
        most.for_each(|(sum, load)| *sum += load);
        all.unreached_pairs += part.unreached_pairs;
    }
    all
}

/// What all walks share.
pub(super) struct Walks<'a> {
    fabric: &'a Fabric,
    tables: &'a GroupTables,
    states: GroupStates,
    service_level: u8,
    /// Compute ends, each with the state that its packets are in first and its place among those who share that.
    sources: Vec<(HostId, usize, usize)>,
    /// Per place: how many share it.
    sharers: Vec<u64>,
}

impl<'a> Walks<'a> {
    pub(super) fn new(fabric: &'a Fabric, tables: &'a GroupTables, service_level: u8) -> Self {
        let states = GroupStates::new(fabric, tables);
        let mut places = vec![None; states.count()];
        let (mut sources, mut sharers) = (Vec::new(), Vec::new());
        let first_lane = tables.host_lane(service_level);
        for (source, lane) in fabric.compute_hosts().zip(first_lane.into_iter().cycle()) {
            let (switch, port) = (fabric.host_switch(source), fabric.host_port(source));
            let start = states.of(Entry { switch, port, lane });
            let place = *places[start].get_or_insert_with(|| {
                sharers.push(0);
                sharers.len() - 1
            });
            sharers[place] += 1;
            sources.push((source, start, place));
        }
        Self {
            fabric,
            tables,
            states,
            service_level,
            sources,
            sharers,
        }
    }
}

/// A port that packets in a state may take.
struct Way {
    channel: ChannelId,
    share: f64,
    next: Next,
}

/// Where it leads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Arrives,
    State(usize),
    Nowhere,
}

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    UnderWay,
    /// All packets arrive, or some do not.
    Done {
        arrive: bool,
    },
}

/// The packets to one address after the other.
pub(super) struct Walk<'a> {
    of: &'a Walks<'a>,
    known: Vec<Known>,
    /// States in which packets come, each before all that lead to it.
    order: Vec<usize>,
    /// Per state: its ways.
    ways: Vec<std::ops::Range<usize>>,
    all_ways: Vec<Way>,
    /// Per state: what packets come there, in routes.
    flow: Vec<f64>,
    /// Per state: those whose packets may come there, a bit for all that start in one state.
    senders: Vec<u64>,
    /// Per channel of the present destination: those that may be sent over it.
    over: Vec<u64>,
    channels: Vec<ChannelId>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(of: &'a Walks<'a>) -> Self {
        let count = of.states.count();
        let words = of.sharers.len().div_ceil(64);
        Self {
            of,
            known: vec![Known::Nothing; count],
            order: Vec::new(),
            ways: vec![0..0; count],
            all_ways: Vec::new(),
            flow: vec![0.0; count],
            senders: vec![0; count * words],
            over: vec![0; of.fabric.channel_count() * words],
            channels: Vec::new(),
        }
    }

    fn words(&self) -> usize {
        self.of.sharers.len().div_ceil(64)
    }

    /// Adds what all send to a host.
    fn load(&mut self, destination: HostId, loads: &mut GroupLoads) {
        let addresses = self.of.tables.addresses(destination);
        let share = 1.0 / addresses.len() as f64;
        let (words, mut lost) = (self.words(), vec![false; self.of.sources.len()]);
        for &(source, ..) in self.of.sources.iter().filter(|one| one.0 != destination) {
            loads.most[self.of.fabric.injection_channel(source).index()] += 1;
        }
        for address in addresses {
            self.follow(address, destination, &mut lost);
            self.spread(share, destination, loads);
        }
        loads.unreached_pairs += lost.iter().filter(|&&lost| lost).count() as u64;
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
            loads.most[channel.index()] += pairs - u64::from(has_own);
        }
    }

    /// Finds the states that packets to an address come into, and where they start.
    fn follow(&mut self, address: usize, destination: HostId, lost: &mut [bool]) {
        self.known.fill(Known::Nothing);
        self.order.clear();
        self.all_ways.clear();
        let words = self.words();
        for (number, &(source, start, place)) in self.of.sources.iter().enumerate() {
            if source == destination {
                continue;
            }
            if self.known[start] == Known::Nothing {
                self.follow_from(start, address, destination);
            }
            lost[number] |= self.known[start] != Known::Done { arrive: true };
            self.flow[start] += 1.0;
            self.senders[start * words + place / 64] |= 1 << (place % 64);
        }
        self.order.reverse();
    }

    /// Follows packets in depth; states are noted after all that follow them.
    fn follow_from(&mut self, start: usize, address: usize, destination: HostId) {
        let mut under_way: Vec<(usize, usize, bool)> = Vec::new();
        self.enter(start, address, destination);
        under_way.push((start, 0, true));
        while let Some((state, place, arrive)) = under_way.last_mut() {
            let range = self.ways[*state].clone();
            let Some(way) = self.all_ways[range.clone()].get_mut(*place) else {
                let (state, arrive) = (*state, *arrive && !range.is_empty());
                self.known[state] = Known::Done { arrive };
                self.order.push(state);
                under_way.pop();
                if let Some((_, _, before)) = under_way.last_mut() {
                    *before &= arrive;
                }
                continue;
            };
            *place += 1;
            match way.next {
                Next::Arrives => {}
                Next::Nowhere => *arrive = false,
                Next::State(next) => match self.known[next] {
                    Known::Done { arrive: all } => *arrive &= all,
                    Known::UnderWay => {
                        // Round and round: followed no further.
                        way.next = Next::Nowhere;
                        *arrive = false;
                    }
                    Known::Nothing => {
                        self.enter(next, address, destination);
                        under_way.push((next, 0, true));
                    }
                },
            }
        }
    }

    /// Notes the ways of a state.
    fn enter(&mut self, state: usize, address: usize, destination: HostId) {
        self.known[state] = Known::UnderWay;
        let of = self.of;
        let Entry { switch, port, lane } = of.states.entry(state);
        let level = of.service_level;
        let choice = of.tables.choice(switch, (port, lane), address, level);
        let first = self.all_ways.len();
        for &output in choice.ports {
            let Some(channel) = of.fabric.outgoing_at(switch, output) else {
                continue;
            };
            let end = of.fabric.target(channel);
            let lane = of.tables.next_lane(switch, [port, output], level, lane);
            let next = match (end.node, lane) {
                (Node::Host(host), Some(_)) if host == destination => Next::Arrives,
                (Node::Switch(switch), Some(lane)) => {
                    let port = end.port;
                    Next::State(of.states.of(Entry { switch, port, lane }))
                }
                (Node::Host(_), _) | (_, None) => Next::Nowhere,
            };
            let share = choice.group.map_or(1.0, |group| group.share(output));
            self.all_ways.push(Way {
                channel,
                share,
                next,
            });
        }
        self.ways[state] = first..self.all_ways.len();
    }

    /// Appends the channels that packets of a pair take, those of both hosts included, each with its part of them; tells
    /// whether all arrive. Of a pair of which some do not, nothing is appended.
    pub(super) fn parts(
        &mut self,
        [source, destination]: [HostId; 2],
        parts: &mut Vec<(ChannelId, f64)>,
    ) -> bool {
        let (of, first) = (self.of, parts.len());
        let Some(lane) = of.tables.host_lane(of.service_level) else {
            return false;
        };
        let (switch, port) = (of.fabric.host_switch(source), of.fabric.host_port(source));
        let start = of.states.of(Entry { switch, port, lane });
        let addresses = of.tables.addresses(destination);
        let share = 1.0 / addresses.len() as f64;
        parts.push((of.fabric.injection_channel(source), 1.0));
        let mut arrive = !addresses.is_empty();
        for address in addresses {
            self.order.clear();
            self.all_ways.clear();
            self.follow_from(start, address, destination);
            arrive &= self.known[start] == Known::Done { arrive: true };
            self.flow[start] = share;
            while let Some(state) = self.order.pop() {
                self.known[state] = Known::Nothing;
                let flow = std::mem::take(&mut self.flow[state]);
                for way in &self.all_ways[self.ways[state].clone()] {
                    let part = flow * way.share;
                    parts.push((way.channel, part));
                    if let Next::State(next) = way.next {
                        self.flow[next] += part;
                    }
                }
            }
        }
        if !arrive {
            parts.truncate(first);
        }
        arrive
    }

    /// Sends what comes into the states on, each before those that follow it.
    fn spread(&mut self, of_address: f64, destination: HostId, loads: &mut GroupLoads) {
        let words = self.words();
        let fabric = self.of.fabric;
        for &state in &self.order {
            let flow = std::mem::take(&mut self.flow[state]);
            let senders = self.senders[state * words..][..words].to_vec();
            self.senders[state * words..][..words].fill(0);
            for way in &self.all_ways[self.ways[state].clone()] {
                let part = flow * way.share;
                loads.mean[way.channel.index()] += part * of_address;
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
        for &(source, ..) in self.of.sources.iter().filter(|one| one.0 != destination) {
            let injection = fabric.injection_channel(source).index();
            loads.mean[injection] += of_address;
        }
    }
}

fn add_all(to: &mut [u64], bits: &[u64]) {
    to.iter_mut()
        .zip(bits)
        .for_each(|(word, bits)| *word |= bits);
}
