//! Packets of a service level to one address after the other, by whatever ports switches choose of their groups.

use crate::form::{Entry, GroupStates, GroupTables};
use weft_fabric::{ChannelId, Fabric, HostId, Node};

/// What all walks share.
pub(super) struct Walks<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) tables: &'a GroupTables,
    states: GroupStates,
    service_level: u8,
    /// Compute ends, each with the state that its packets are in first and its place among those who share that.
    pub(super) sources: Vec<(HostId, usize, usize)>,
    /// Per place: how many share it.
    pub(super) sharers: Vec<u64>,
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
            let mut new_place = || {
                sharers.push(0);
                sharers.len() - 1
            };
            // Where every pair has its level, those who start alike do not send alike.
            let place = if tables.has_pair_levels() {
                new_place()
            } else {
                *places[start].get_or_insert_with(new_place)
            };
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

impl Walks<'_> {
    /// Whether a host sends packets of the level to an address of another.
    pub(super) fn is_sent(&self, source: HostId, destination: HostId, address: usize) -> bool {
        source != destination && self.tables.may_have(source, address, self.service_level)
    }

    /// Whether packets to a host have nothing to do at its switch but to leave, in the states of those to another and in
    /// those of packets that come from there.
    pub(super) fn only_leave(&self, from: HostId, host: HostId, states: &[usize]) -> bool {
        let (fabric, level) = (self.fabric, self.service_level);
        let (home, own_port) = (fabric.host_switch(host), fabric.host_port(host));
        let start = self.sources.iter().find(|one| one.0 == from);
        let states = states.iter().copied().chain(start.map(|one| one.1));
        let mut entries = states.map(|state| self.states.entry(state));
        let addresses = self.tables.addresses(host);
        let only_leave = entries.all(|Entry { port, lane, .. }| {
            let mut addresses = addresses.clone();
            port == own_port
                || addresses.all(|address| {
                    let choice = self.tables.choice(home, (port, lane), address, level);
                    let next = self.tables.next_lane(home, [port, own_port], level, lane);
                    choice.ports == [own_port] && next.is_some()
                })
        });
        only_leave && !addresses.is_empty()
    }
}

/// A port that packets in a state may take.
pub(super) struct Way {
    pub(super) channel: ChannelId,
    pub(super) share: f64,
    pub(super) next: Next,
}

/// Where it leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    Arrives,
    State(usize),
    Nowhere,
}

/// What is known of a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Nothing,
    UnderWay,
    /// All packets arrive, or some do not.
    Done {
        arrive: bool,
    },
}

/// The packets to one address after the other.
pub(super) struct Walk<'a> {
    pub(super) of: &'a Walks<'a>,
    /// The service level of the packets.
    level: u8,
    pub(super) known: Vec<Known>,
    /// States in which packets come, each before all that lead to it.
    pub(super) order: Vec<usize>,
    /// Per state: its ways.
    pub(super) ways: Vec<std::ops::Range<usize>>,
    pub(super) all_ways: Vec<Way>,
    /// Per state: what packets come there, in routes.
    pub(super) flow: Vec<f64>,
    /// Per state: those whose packets may come there, a bit for all that start in one state.
    pub(super) senders: Vec<u64>,
    /// Per channel of the present destination: those that may be sent over it.
    pub(super) over: Vec<u64>,
    pub(super) channels: Vec<ChannelId>,
    /// What was added for the present destination behind the channels of those who send.
    pub(super) mean: Vec<(ChannelId, f64)>,
    pub(super) most: Vec<(ChannelId, u64)>,
    /// The states its packets come into at its switch.
    pub(super) last_states: Vec<usize>,
    /// Whether they have nothing to do there but to leave.
    pub(super) only_leave: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(of: &'a Walks<'a>) -> Self {
        let count = of.states.count();
        let words = of.sharers.len().div_ceil(64);
        Self {
            of,
            level: of.service_level,
            known: vec![Known::Nothing; count],
            order: Vec::new(),
            ways: vec![0..0; count],
            all_ways: Vec::new(),
            flow: vec![0.0; count],
            senders: vec![0; count * words],
            over: vec![0; of.fabric.channel_count() * words],
            channels: Vec::new(),
            mean: Vec::new(),
            most: Vec::new(),
            last_states: Vec::new(),
            only_leave: true,
        }
    }

    pub(super) fn words(&self) -> usize {
        self.of.sharers.len().div_ceil(64)
    }

    /// Finds the states that packets to an address come into, and where they start.
    pub(super) fn follow(&mut self, address: usize, destination: HostId, lost: &mut [bool]) {
        self.known.fill(Known::Nothing);
        self.order.clear();
        self.all_ways.clear();
        let words = self.words();
        for (number, &(source, start, place)) in self.of.sources.iter().enumerate() {
            if !self.of.is_sent(source, destination, address) {
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

    /// Nothing is known of a destination.
    pub(super) fn begin(&mut self) {
        self.last_states.clear();
        self.only_leave = true;
    }

    /// Of hosts of a switch with alike addresses, the first of which was followed: those to which packets do at that
    /// switch what they do to the first, and the rest.
    pub(super) fn like_first(&self, alike: &[HostId]) -> (Vec<HostId>, Vec<HostId>) {
        let others = alike.iter().skip(1);
        others.partition(|&&host| {
            self.only_leave && self.of.only_leave(alike[0], host, &self.last_states)
        })
    }

    /// Sends nothing on of what starts in the states that were found.
    pub(super) fn forget_senders(&mut self) {
        let words = self.words();
        for &state in &self.order {
            self.flow[state] = 0.0;
            self.senders[state * words..][..words].fill(0);
        }
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
        let level = self.level;
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
        let ways = first..self.all_ways.len();
        if switch == of.fabric.host_switch(destination) {
            let mut ways = self.all_ways[ways.clone()].iter();
            self.only_leave &= ways.all(|way| way.next == Next::Arrives);
            self.last_states.push(state);
        }
        self.ways[state] = ways;
    }

    /// Appends the channels that packets of a pair take, those of both hosts included, each with its part of them; tells
    /// whether all arrive. Of a pair of which some do not, nothing is appended.
    pub(super) fn parts(
        &mut self,
        [source, destination]: [HostId; 2],
        parts: &mut Vec<(ChannelId, f64)>,
    ) -> bool {
        let (of, first) = (self.of, parts.len());
        let (switch, port) = (of.fabric.host_switch(source), of.fabric.host_port(source));
        let addresses = of.tables.addresses(destination);
        let share = 1.0 / addresses.len() as f64;
        parts.push((of.fabric.injection_channel(source), 1.0));
        let mut arrive = !addresses.is_empty();
        for address in addresses {
            let level = of.tables.pair_level(source, address);
            self.level = level.unwrap_or(of.service_level);
            let Some(lane) = of.tables.host_lane(self.level) else {
                arrive = false;
                break;
            };
            let start = of.states.of(Entry { switch, port, lane });
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
}
