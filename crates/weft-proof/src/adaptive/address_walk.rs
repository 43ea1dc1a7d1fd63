//! All that packets of a service level to one address may do, by whatever their switches choose.

use crate::verdict::{RouteLoop, UnreachedPair};
use crate::wiring::Wiring;
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId, narrow};
use weft_routing::{DeadEnd, Entry, GroupStates, GroupTables, Lane, LidState};

/// What packets are followed over.
pub(super) struct Setting<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) wiring: &'a Wiring,
    pub(super) tables: &'a GroupTables,
    pub(super) states: GroupStates,
    pub(super) lanes: usize,
}

impl Setting<'_> {
    /// The LID of an address, where the fabric knows LIDs and its host has so many.
    pub(super) fn lid(&self, address: usize) -> Option<u16> {
        let host = self.tables.host_of(address);
        let place = address - self.tables.addresses(host).start;
        self.fabric.host(host).lids?.lids().nth(place)
    }
}

/// The packets of a service level to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flows {
    pub(super) address: usize,
    pub(super) service_level: u8,
}

/// An output that packets in a state may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) port: PortNumber,
    pub(super) lane: Lane,
    /// The channel and lane, as a number.
    pub(super) vertex: u32,
    /// The state they come into; at their host none.
    next: Option<u32>,
}

/// A walk after a walk, which share their memory.
pub(super) struct AddressWalk<'a> {
    setting: &'a Setting<'a>,
    /// The number of the present walk.
    number: u32,
    /// Per state: the walk that reached it last, and whether its packets are being followed.
    seen: Vec<(u32, bool)>,
    /// Per state: its ways, and who decides among them.
    choices: Vec<(std::ops::Range<usize>, LidState)>,
    ways: Vec<Way>,
    /// Per state: the first channel and lane that led to it.
    via: Vec<u32>,
    /// Per channel and lane: the walk that reached it last, and what was held before it.
    held: Vec<(u32, u32)>,
    /// The channels and lanes reached, each with the state its packets are in.
    reached: Vec<(u32, u32)>,
    /// The states reached.
    states: Vec<u32>,
    /// The host that packets are followed to.
    destination: HostId,
    /// Whether nothing was wrong, and packets at the switch of their host have nothing to go on by but its port.
    is_plain: bool,
    /// Those of `reached` that lead to that switch, once they were picked out.
    last: Option<Vec<(u32, u32)>>,
    /// What is wrong, each once.
    pub(super) unreached: Vec<UnreachedPair>,
    /// A way round that packets may go for ever.
    pub(super) route_loop: Option<RouteLoop>,
}

impl<'a> AddressWalk<'a> {
    pub(super) fn new(setting: &'a Setting<'a>) -> Self {
        let states = setting.states.count();
        let vertices = setting.fabric.channel_count() * setting.lanes;
        Self {
            setting,
            number: 0,
            seen: vec![(0, false); states],
            choices: vec![(0..0, LidState::Static); states],
            ways: Vec::new(),
            via: vec![0; states],
            held: vec![(0, 0); vertices],
            reached: Vec::new(),
            states: Vec::new(),
            destination: HostId::new(0),
            is_plain: true,
            last: None,
            unreached: Vec::new(),
            route_loop: None,
        }
    }

    fn vertex(&self, channel: ChannelId, lane: Lane) -> u32 {
        let vertex = channel.index() * self.setting.lanes + lane.index();
        narrow(vertex, "lanes of channels are fewer than 2^32")
    }

    /// Follows packets from all other hosts.
    fn follow(&mut self, flows: Flows) {
        let fabric = self.setting.fabric;
        self.number += 1;
        self.ways.clear();
        self.reached.clear();
        self.states.clear();
        self.is_plain = true;
        self.last = None;
        let Some(lane) = self.setting.tables.host_lane(flows.service_level) else {
            return;
        };
        let destination = self.setting.tables.host_of(flows.address);
        self.destination = destination;
        let tables = self.setting.tables;
        let sends = |source: &HostId| {
            *source != destination && tables.may_have(*source, flows.address, flows.service_level)
        };
        for source in fabric.host_ids().filter(sends) {
            let (switch, port) = (fabric.host_switch(source), fabric.host_port(source));
            let start = self.setting.states.of(Entry { switch, port, lane });
            let vertex = self.vertex(fabric.injection_channel(source), lane);
            self.reach(vertex, vertex, start);
            self.follow_from(start, vertex, flows, destination);
        }
    }

    /// Follows packets to an address, which has a place among those that are treated alike up to their last switch: of all
    /// but the first only what is at that switch is seen, as far as that is enough.
    pub(super) fn follow_next(&mut self, place: usize, flows: Flows) {
        if place == 0 || !self.follow_alike(flows) {
            self.follow(flows);
        }
    }

    /// Turns the walk to an address into one to another that switches treat alike up to their last one. Only what is at
    /// that switch is seen anew, and all that is reached then. Where packets may do anything else there than leave to
    /// their host, or anything was wrong, the walk stays as it is: `false`.
    fn follow_alike(&mut self, flows: Flows) -> bool {
        let Setting {
            fabric,
            tables,
            states,
            ..
        } = self.setting;
        let destination = tables.host_of(flows.address);
        let home = fabric.host_switch(destination);
        let lane = tables.host_lane(flows.service_level);
        let (true, Some(lane)) = (self.is_plain, lane) else {
            return false;
        };
        let last = self.last.take().unwrap_or_else(|| {
            let at_home = |&&(_, state): &&(u32, u32)| states.entry(state as usize).switch == home;
            let mut last: Vec<_> = self.reached.iter().filter(at_home).copied().collect();
            let port = fabric.host_port(self.destination);
            let own = states.of(Entry {
                switch: home,
                port,
                lane,
            });
            let injection = self.vertex(fabric.injection_channel(self.destination), lane);
            last.push((injection, narrow(own, "states are fewer than 2^32")));
            last
        });
        let injection = self.vertex(fabric.injection_channel(destination), lane);
        self.reached.clear();
        let others = last.iter().filter(|(vertex, _)| *vertex != injection);
        self.reached.extend(others);
        self.last = Some(last);
        self.states.clear();
        self.states
            .extend(self.reached.iter().map(|(_, state)| state));
        self.states.sort_unstable();
        self.states.dedup();
        for at in 0..self.states.len() {
            let state = self.states[at] as usize;
            let way = self.way_out(state, flows, destination);
            let Some(way) = way else {
                return false;
            };
            let first = self.ways.len();
            self.ways.push(way);
            self.choices[state] = (first..first + 1, LidState::Static);
        }
        true
    }

    /// The way of packets at the last switch to their host, where they have no other.
    fn way_out(&self, state: usize, flows: Flows, destination: HostId) -> Option<Way> {
        let Setting {
            fabric,
            wiring,
            tables,
            states,
            ..
        } = self.setting;
        let Entry { switch, port, lane } = states.entry(state);
        let choice = tables.choice(switch, (port, lane), flows.address, flows.service_level);
        let &[output] = choice.ports else {
            return None;
        };
        let lane = tables.next_lane(switch, [port, output], flows.service_level, lane)?;
        let exit = wiring.exit(switch, output);
        let leaves = exit.behind == Some(Node::Host(destination));
        debug_assert!(!leaves || exit.channel == fabric.ejection_channel(destination));
        leaves.then(|| Way {
            port: output,
            lane,
            vertex: self.vertex(exit.channel, lane),
            next: None,
        })
    }

    /// The channels and lanes reached, each with the state of its packets.
    pub(super) fn reached(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.reached
            .iter()
            .map(|&(vertex, state)| (vertex, state as usize))
    }

    /// The states reached.
    pub(super) fn states(&self) -> impl Iterator<Item = usize> + '_ {
        self.states.iter().map(|&state| state as usize)
    }

    /// What packets in a state that was reached may take, and who decides.
    pub(super) fn choice(&self, state: usize) -> (&[Way], LidState) {
        let (ways, decides) = &self.choices[state];
        (&self.ways[ways.clone()], *decides)
    }

    fn reach(&mut self, vertex: u32, before: u32, state: usize) {
        let held = &mut self.held[vertex as usize];
        if held.0 != self.number {
            *held = (self.number, before);
            self.reached
                .push((vertex, narrow(state, "states are fewer than 2^32")));
        }
    }

    /// Follows packets from a state that a channel and lane led to, in depth, unless they were before.
    fn follow_from(&mut self, start: usize, via: u32, flows: Flows, destination: HostId) {
        if self.seen[start].0 == self.number {
            return;
        }
        let mut under_way: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
        let ways = self.enter(start, via, flows, destination);
        under_way.push((start, ways));
        while let Some((state, left)) = under_way.last_mut() {
            let state = *state;
            let Some(place) = left.next() else {
                self.seen[state].1 = false;
                under_way.pop();
                continue;
            };
            let Way {
                vertex,
                next: Some(next),
                ..
            } = self.ways[place]
            else {
                continue;
            };
            let next = next as usize;
            self.reach(vertex, self.via[state], next);
            if self.seen[next].0 != self.number {
                let ways = self.enter(next, vertex, flows, destination);
                under_way.push((next, ways));
            } else if self.seen[next].1 && self.route_loop.is_none() {
                let round = under_way
                    .iter()
                    .skip_while(|(state, _)| *state != next)
                    .skip(1);
                let round = round.map(|(state, _)| *state).chain([next]);
                let (source, mut nodes) = self.way_to(self.via[next]);
                let switch = |state| self.setting.states.entry(state).switch;
                nodes.extend(round.map(|state| Node::Switch(switch(state))));
                let switch = switch(next);
                self.is_plain = false;
                self.route_loop = Some(RouteLoop {
                    source,
                    destination,
                    switch,
                    nodes,
                });
            }
        }
    }

    /// Notes what packets in a state may take.
    fn enter(
        &mut self,
        state: usize,
        via: u32,
        flows: Flows,
        destination: HostId,
    ) -> std::ops::Range<usize> {
        let Setting {
            fabric,
            wiring,
            tables,
            states,
            ..
        } = self.setting;
        self.seen[state] = (self.number, true);
        self.via[state] = via;
        self.states
            .push(narrow(state, "states are fewer than 2^32"));
        let Entry { switch, port, lane } = states.entry(state);
        let choice = tables.choice(switch, (port, lane), flows.address, flows.service_level);
        let first = self.ways.len();
        if choice.ports.is_empty() {
            self.miss(
                via,
                destination,
                (switch, PortNumber::new(0)),
                DeadEnd::NoEntry,
            );
        }
        for &output in choice.ports {
            let exit = wiring.exit(switch, output);
            let lane = tables.next_lane(switch, [port, output], flows.service_level, lane);
            let dead_end = match (exit.behind, lane) {
                (None, _) => DeadEnd::NoCable,
                (Some(Node::Host(host)), _) if host != destination => DeadEnd::OtherHost(host),
                (Some(_), None) => DeadEnd::NoLane {
                    service_level: flows.service_level,
                },
                (Some(behind), Some(lane)) => {
                    let next = behind.switch().map(|next| {
                        let port = fabric.target(exit.channel).port;
                        let state = states.of(Entry {
                            switch: next,
                            port,
                            lane,
                        });
                        narrow(state, "states are fewer than 2^32")
                    });
                    let vertex = self.vertex(exit.channel, lane);
                    self.ways.push(Way {
                        port: output,
                        lane,
                        vertex,
                        next,
                    });
                    continue;
                }
            };
            self.miss(via, destination, (switch, output), dead_end);
        }
        let ways = first..self.ways.len();
        if switch == fabric.host_switch(destination) {
            self.is_plain &= self.ways[ways.clone()].iter().all(|way| way.next.is_none());
        }
        self.choices[state] = (ways.clone(), choice.state);
        ways
    }

    /// Packets that a channel and lane led here are led nowhere.
    fn miss(
        &mut self,
        via: u32,
        destination: HostId,
        at: (SwitchId, PortNumber),
        dead_end: DeadEnd,
    ) {
        let (source, _) = self.way_to(via);
        self.is_plain = false;
        let pair = UnreachedPair::by_dead_end([source, destination], at, dead_end);
        self.unreached.push(pair);
    }

    /// The host that packets on a channel and lane came from, and the switches on their way, up to the channel's end.
    pub(super) fn way_to(&self, vertex: u32) -> (HostId, Vec<Node>) {
        let fabric = self.setting.fabric;
        let mut nodes = Vec::new();
        let mut at = vertex;
        loop {
            let channel = ChannelId::from_index(at as usize / self.setting.lanes);
            nodes.push(fabric.target(channel).node);
            if let Node::Host(host) = fabric.source(channel).node {
                nodes.reverse();
                return (host, nodes);
            }
            at = self.held[at as usize].1;
        }
    }
}
