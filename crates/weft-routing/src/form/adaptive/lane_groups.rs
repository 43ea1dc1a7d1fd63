//! Groups around tables whose packets keep their lanes: found for each lane and destination.

use super::group_tables::{GroupEntry, GroupTables};
use super::port_group::{LidState, PortGroup, Subgroup};
use crate::cycles::AcyclicDependencies;
use crate::form::{ForwardingTables, Lane, PairGranularity};
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId, narrow};

/// Per destination and lane: the ports that packets may take at the switches they come by.
pub(crate) struct LaneGroups {
    lanes: usize,
    /// Per endpoint of the tables, then lane: the switches where there is a choice, with the ports, ascending.
    choices: Vec<Vec<(SwitchId, Vec<PortNumber>)>>,
}

impl LaneGroups {
    /// Lanes that service levels can tell apart, but one that managers keep for themselves.
    pub(crate) const MOST_LANES: usize = 15;

    /// Adds ports to those of tables as long as the channels of no lane form a cycle; `None` where those of the tables do
    /// already.
    ///
    /// # Complexity
    /// Time O(E·S·L·P²) for E endpoints, S switches of P ports and L lanes, where few dependencies are new.
    pub(crate) fn around(fabric: &Fabric, tables: &ForwardingTables) -> Option<Self> {
        let lanes = usize::from(tables.lane_count());
        let mut orders = vec![AcyclicDependencies::new(fabric.channel_count()); lanes];
        for endpoint in 0..tables.endpoint_count() {
            let ways = Ways::of(fabric, tables, endpoint);
            for (lane, order) in orders.iter_mut().enumerate() {
                for switch in ways.on_lane(lane) {
                    let (held, wanted) = (ways.next[switch.index()]?, ways.after(fabric, switch));
                    if let Some(wanted) = wanted
                        && !order.add(held.number(), wanted.number())
                    {
                        return None;
                    }
                }
            }
        }
        let mut choices = Vec::with_capacity(tables.endpoint_count() * lanes);
        for endpoint in 0..tables.endpoint_count() {
            let ways = Ways::of(fabric, tables, endpoint);
            for (lane, order) in orders.iter_mut().enumerate() {
                let mut found = Choices::new(fabric, &ways, lane);
                found.grow(order);
                choices.push(found.into_ports());
            }
        }
        Some(Self { lanes, choices })
    }

    /// The tables of all switches, with a private table for each lane.
    pub(crate) fn tables(
        &self,
        fabric: &Fabric,
        tables: &ForwardingTables,
        state: LidState,
    ) -> GroupTables {
        let endpoint = |host: HostId| match tables.granularity() {
            PairGranularity::Host => host.index(),
            PairGranularity::Switch => fabric.host_switch(host).index(),
        };
        let mut made = GroupTables::new(fabric, &vec![1; fabric.host_count()]);
        let static_port = |at: SwitchId, host: HostId| {
            if at == fabric.host_switch(host) {
                return Some(fabric.host_port(host));
            }
            let address = tables.addresses(endpoint(host)).next()?;
            tables.next_port(at, address)
        };
        let mut numbers: Vec<BTreeMap<&[PortNumber], u16>> =
            vec![BTreeMap::new(); fabric.switch_count()];
        for lane in 0..self.lanes {
            let table: u8 = narrow(lane, "there are at most 15 lanes");
            for host in fabric.host_ids() {
                for at in fabric.switch_ids() {
                    if let Some(static_port) = static_port(at, host) {
                        let entry = GroupEntry {
                            static_port,
                            ..GroupEntry::NONE
                        };
                        made.set_entry(at, table, host.index(), entry);
                    }
                }
                for (at, ports) in &self.choices[endpoint(host) * self.lanes + lane] {
                    let numbers = &mut numbers[at.index()];
                    let next = u16::try_from(numbers.len());
                    // A switch that has no number left sends by the port of the tables.
                    let known = numbers.get(&ports[..]).copied();
                    let Some(group) = known.or_else(|| next.ok()) else {
                        continue;
                    };
                    if known.is_none() {
                        numbers.insert(ports, group);
                        let ports = ports.clone();
                        let group = PortGroup::new(vec![Subgroup { ports, weight: 0 }]);
                        made.switch_mut(*at).groups.push(group);
                    }
                    let entry = GroupEntry {
                        state,
                        group,
                        ..made.switch(*at).entries(table)[host.index()]
                    };
                    made.set_entry(*at, table, host.index(), entry);
                }
            }
            for at in fabric.switch_ids().filter(|_| lane > 0) {
                for &channel in fabric.outgoing(at) {
                    let input = fabric.source(channel).port;
                    let key = Lane::new(table);
                    made.set_table(fabric, at, (input, key), table);
                }
            }
        }
        for at in fabric.switch_ids() {
            let own = made.switch_mut(at);
            own.adaptive_levels = if own.groups.is_empty() { 0 } else { u16::MAX };
        }
        if self.lanes > 1 {
            made.set_pair_levels(|source, address| {
                // Every host has one address, of its own number.
                let to = endpoint(HostId::from_index(address));
                tables.lane(endpoint(source), to).number()
            });
        }
        made
    }
}

/// Ways to an endpoint by the tables.
struct Ways {
    to: SwitchId,
    /// Per switch: the channel by which the tables lead on; none where they do not, or at the last switch.
    next: Vec<Option<ChannelId>>,
    /// Per switch: links to the last switch by the tables; none where they do not lead there.
    links: Vec<Option<u32>>,
    /// Per switch: the lanes of the packets that come by, one bit each.
    lanes: Vec<u16>,
}

impl Ways {
    fn of(fabric: &Fabric, tables: &ForwardingTables, endpoint: usize) -> Self {
        let to = tables.granularity().endpoint_switch(fabric, endpoint);
        let address = tables.addresses(endpoint).next();
        let next = |switch: SwitchId| {
            let port = tables.next_port(switch, address?)?;
            let channel = fabric.outgoing_at(switch, port)?;
            (switch != to && fabric.is_switch_channel(channel)).then_some(channel)
        };
        let mut ways = Self {
            to,
            next: fabric.switch_ids().map(next).collect(),
            links: vec![None; fabric.switch_count()],
            lanes: vec![0; fabric.switch_count()],
        };
        ways.links[to.index()] = Some(0);
        for switch in fabric.switch_ids() {
            ways.count_links(fabric, switch);
        }
        for source in 0..tables.endpoint_count() {
            let from = tables.granularity().endpoint_switch(fabric, source);
            if from != to && !fabric.hosts_of(from).is_empty() {
                ways.come_by(fabric, from, 1 << tables.lane(source, endpoint).index());
            }
        }
        ways
    }

    fn following(&self, fabric: &Fabric, at: SwitchId) -> Option<SwitchId> {
        let channel = self.next[at.index()]?;
        fabric.target(channel).node.switch()
    }

    /// Counts the links from a switch and from those on its way.
    fn count_links(&mut self, fabric: &Fabric, from: SwitchId) {
        let mut way = Vec::new();
        let mut at = from;
        // A way of more switches than there are goes round.
        while self.links[at.index()].is_none() && way.len() <= self.next.len() {
            way.push(at);
            match self.following(fabric, at) {
                Some(next) => at = next,
                None => return,
            }
        }
        let Some(mut links) = self.links[at.index()] else {
            return;
        };
        while let Some(before) = way.pop() {
            links += 1;
            self.links[before.index()] = Some(links);
        }
    }

    /// Marks a lane on the way from a switch, up to where it was marked before.
    fn come_by(&mut self, fabric: &Fabric, from: SwitchId, lane: u16) {
        let mut at = from;
        while at != self.to && self.lanes[at.index()] & lane == 0 {
            self.lanes[at.index()] |= lane;
            match self.following(fabric, at) {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// The switches that packets on a lane come by and go on from.
    fn on_lane(&self, lane: usize) -> impl Iterator<Item = SwitchId> + '_ {
        let switches = (0..self.lanes.len()).map(SwitchId::from_index);
        switches.filter(move |switch| {
            self.lanes[switch.index()] >> lane & 1 == 1 && self.next[switch.index()].is_some()
        })
    }

    /// The channel after the one of a switch.
    fn after(&self, fabric: &Fabric, at: SwitchId) -> Option<ChannelId> {
        self.next[self.following(fabric, at)?.index()]
    }
}

/// What packets on a lane to an endpoint may take.
struct Choices<'a> {
    fabric: &'a Fabric,
    ways: &'a Ways,
    /// Per switch that they come by: the channels they may leave by, that of the tables first.
    outputs: BTreeMap<SwitchId, Vec<ChannelId>>,
    /// Per switch: the channels they come by.
    inputs: BTreeMap<SwitchId, Vec<ChannelId>>,
}

impl<'a> Choices<'a> {
    /// None but the tables.
    fn new(fabric: &'a Fabric, ways: &'a Ways, lane: usize) -> Self {
        let mut choices = Self {
            fabric,
            ways,
            outputs: BTreeMap::new(),
            inputs: BTreeMap::new(),
        };
        for switch in ways.on_lane(lane) {
            if let Some(channel) = ways.next[switch.index()] {
                choices.add(channel);
            }
        }
        choices
    }

    /// Lets packets take a channel.
    fn add(&mut self, channel: ChannelId) {
        let [from, to] = [self.fabric.source(channel), self.fabric.target(channel)];
        if let (Node::Switch(from), Node::Switch(to)) = (from.node, to.node) {
            self.outputs.entry(from).or_default().push(channel);
            self.inputs.entry(to).or_default().push(channel);
        }
    }

    /// Adds whatever leads nearer and closes no cycle, switch by switch from the endpoint's on.
    fn grow(&mut self, order: &mut AcyclicDependencies) {
        let links = &self.ways.links;
        let place = |switch: SwitchId| (links[switch.index()], switch);
        let mut open: BTreeSet<_> = self.outputs.keys().map(|&switch| place(switch)).collect();
        while let Some((own_links, switch)) = open.pop_first() {
            for &channel in self.fabric.outgoing(switch) {
                let Node::Switch(next) = self.fabric.target(channel).node else {
                    continue;
                };
                let is_nearer = links[next.index()].is_some_and(|links| Some(links) < own_links);
                let known = self.outputs.get(&switch);
                if !is_nearer || known.is_some_and(|known| known.contains(&channel)) {
                    continue;
                }
                let way = self.way_on(channel, next);
                if add_all(order, &self.dependencies(switch, &way)) {
                    for &channel in &way {
                        let from = self.fabric.source(channel).node.switch();
                        // Where packets did not come by before there may be more to choose.
                        open.extend(from.filter(|&from| from != switch).map(place));
                        self.add(channel);
                    }
                }
            }
        }
    }

    /// A channel, and those by which the tables lead on from there to a switch that packets come by already.
    fn way_on(&self, channel: ChannelId, next: SwitchId) -> Vec<ChannelId> {
        let mut way = vec![channel];
        let mut at = next;
        while at != self.ways.to && !self.outputs.contains_key(&at) {
            let (Some(channel), Some(next)) = (
                self.ways.next[at.index()],
                self.ways.following(self.fabric, at),
            ) else {
                break;
            };
            way.push(channel);
            at = next;
        }
        way
    }

    /// What packets that go a way from a switch hold and then want, more than before.
    fn dependencies(&self, switch: SwitchId, way: &[ChannelId]) -> Vec<[u32; 2]> {
        let (Some(&first), Some(&last)) = (way.first(), way.last()) else {
            return Vec::new();
        };
        let held = self.inputs.get(&switch).into_iter().flatten();
        let before = held.map(|&held| [held, first]);
        let between = way.windows(2).map(|pair| [pair[0], pair[1]]);
        let end = self.fabric.target(last).node.switch();
        let wanted = end.and_then(|end| self.outputs.get(&end));
        let after = wanted.into_iter().flatten().map(|&wanted| [last, wanted]);
        before
            .chain(between)
            .chain(after)
            .map(|pair| pair.map(ChannelId::number))
            .collect()
    }

    /// The switches at which there is a choice, with its ports, ascending.
    fn into_ports(self) -> Vec<(SwitchId, Vec<PortNumber>)> {
        let fabric = self.fabric;
        let ports = |channels: Vec<ChannelId>| {
            let port = |channel| fabric.source(channel).port;
            let mut ports: Vec<PortNumber> = channels.into_iter().map(port).collect();
            ports.sort_unstable();
            ports
        };
        let choices = self.outputs.into_iter();
        choices
            .filter(|(_, channels)| channels.len() > 1)
            .map(|(switch, channels)| (switch, ports(channels)))
            .collect()
    }
}

/// Adds dependencies, all of them or, if one would close a cycle, none; and tells which.
fn add_all(order: &mut AcyclicDependencies, dependencies: &[[u32; 2]]) -> bool {
    for (place, [held, wanted]) in dependencies.iter().enumerate() {
        if !order.add(*held, *wanted) {
            for pair in &dependencies[..place] {
                order.remove_route(pair);
            }
            return false;
        }
    }
    true
}
