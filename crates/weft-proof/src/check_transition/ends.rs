//! The two fabrics side by side, by the names of what they have.

use super::TransitionCheckError;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::{ChannelId, Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, PairGranularity, Step, TransitionPlan};

/// Where packets start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sent {
    pub(super) at: SwitchId,
    /// Their service level.
    pub(super) level: Lane,
    /// The port by which they come to the switch, where it chooses lanes; else 0.
    pub(super) input: PortNumber,
}

/// Where packets of old entries may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Passed {
    pub(super) sent: Sent,
    /// The lane they came on; `None` for those that begin.
    pub(super) lane: Option<Lane>,
}

/// Where packets end: a switch, and its port to a host where it is a host.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) switch: SwitchId,
    pub(super) port: Option<PortNumber>,
}

/// Old and new.
pub(super) struct Ends<'a> {
    pub(super) fabrics: [&'a Fabric; 2],
    pub(super) tables: [&'a ForwardingTables; 2],
    granularity: PairGranularity,
    /// Per switch of before: the same of after.
    pub(super) left: Vec<Option<SwitchId>>,
    /// Per host of before: whether it is left.
    hosts_left: Vec<bool>,
    /// Per host of after: whether it sends, and is sent to, before anything is told: its switch is new or back, or it is
    /// itself and there is one service level.
    unasked: Vec<bool>,
}

/// An address: its destination before and after, and its place among the addresses of that.
#[derive(Clone, Copy)]
pub(super) struct Address {
    destinations: [Option<usize>; 2],
    alias: usize,
}

impl Address {
    pub(super) fn is_left(self) -> bool {
        self.destinations[1].is_some()
    }
}

impl<'a> Ends<'a> {
    pub(super) fn new(fabrics: [&'a Fabric; 2], tables: [&'a ForwardingTables; 2]) -> Self {
        let [before, after] = fabrics;
        let by_host = tables
            .iter()
            .any(|of| of.granularity() == PairGranularity::Host);
        let switches: BTreeMap<_, _> = after
            .switch_ids()
            .map(|id| (&after.switch(id).name, id))
            .collect();
        let hosts: BTreeSet<_> = after.host_ids().map(|id| &after.host(id).name).collect();
        let left = before
            .switch_ids()
            .map(|id| switches.get(&before.switch(id).name).copied());
        let left: Vec<_> = left.collect();
        let known: BTreeSet<_> = before.host_ids().map(|id| &before.host(id).name).collect();
        let stood: BTreeSet<_> = left.iter().flatten().collect();
        let has_levels = tables.iter().any(|tables| tables.lanes_per_turn() > 1);
        let unasked = after.host_ids().map(|host| {
            let is_known = known.contains(&after.host(host).name);
            !stood.contains(&after.host_switch(host)) || !is_known && !has_levels
        });
        let unasked = unasked.collect();
        let hosts_left = before
            .host_ids()
            .map(|id| hosts.contains(&before.host(id).name));
        Self {
            left,
            hosts_left: hosts_left.collect(),
            unasked,
            granularity: if by_host {
                PairGranularity::Host
            } else {
                PairGranularity::Switch
            },
            fabrics,
            tables,
        }
    }

    /// The addresses of a plan, in its order.
    pub(super) fn addresses(
        &self,
        plan: &TransitionPlan,
    ) -> Result<Vec<Address>, TransitionCheckError> {
        let mut expected: BTreeMap<(String, u8), Address> = BTreeMap::new();
        for side in 0..2 {
            for destination in 0..self.granularity.endpoint_count(self.fabrics[side]) {
                let name = self
                    .granularity
                    .endpoint_name(self.fabrics[side], destination);
                let count = self.tables[side]
                    .addresses(self.held(side, destination))
                    .len();
                for (number, alias) in (0..=u8::MAX).enumerate().take(count) {
                    let found = expected.entry((name.to_owned(), alias)).or_insert(Address {
                        destinations: [None; 2],
                        alias: number,
                    });
                    found.destinations[side] = Some(destination);
                }
            }
        }
        // One side may know a destination without any such address.
        for ((name, _), address) in &mut expected {
            for side in 0..2 {
                let mut all = 0..self.granularity.endpoint_count(self.fabrics[side]);
                if address.destinations[side].is_none() {
                    address.destinations[side] = all.find(|&end| {
                        self.granularity.endpoint_name(self.fabrics[side], end) == name
                    });
                }
            }
        }
        let mut found = Vec::new();
        for planned in &plan.addresses {
            let key = (planned.destination.clone(), planned.alias);
            let (destination, alias) = key.clone();
            let address = expected.remove(&key);
            found.push(address.ok_or(TransitionCheckError::Addresses { destination, alias })?);
        }
        match expected.into_keys().next() {
            Some((destination, alias)) => {
                Err(TransitionCheckError::Addresses { destination, alias })
            }
            None => Ok(found),
        }
    }

    /// The number by which tables know a destination.
    fn held(&self, side: usize, destination: usize) -> usize {
        let is_coarse = self.tables[side].granularity() != self.granularity;
        if is_coarse {
            let host = HostId::from_index(destination);
            self.fabrics[side].host_switch(host).index()
        } else {
            destination
        }
    }

    /// What packets to an address end at.
    pub(super) fn arrival(&self, address: Address) -> Option<Arrival> {
        let destination = address.destinations[1]?;
        let fabric = self.fabrics[1];
        let switch = self.granularity.endpoint_switch(fabric, destination);
        let port = match self.granularity {
            PairGranularity::Host => Some(fabric.host_port(HostId::from_index(destination))),
            PairGranularity::Switch => None,
        };
        Some(Arrival { switch, port })
    }

    /// The entry of a switch.
    fn port(&self, side: usize, address: Address, at: SwitchId) -> Option<PortNumber> {
        let destination = address.destinations[side]?;
        let (fabric, tables) = (self.fabrics[side], self.tables[side]);
        let place = tables
            .addresses(self.held(side, destination))
            .nth(address.alias)?;
        let is_coarse = tables.granularity() != self.granularity;
        let host = is_coarse.then(|| HostId::from_index(destination));
        match host {
            Some(host) if fabric.host_switch(host) == at => Some(fabric.host_port(host)),
            _ => tables.next_port(at, place),
        }
    }

    /// The entries of the switches that are left, old and new.
    pub(super) fn ports(&self, address: Address) -> [Vec<Option<PortNumber>>; 2] {
        let mut old = vec![None; self.fabrics[1].switch_count()];
        for (at, left) in self.fabrics[0].switch_ids().zip(&self.left) {
            if let Some(left) = left {
                old[left.index()] = self.port(0, address, at);
            }
        }
        let mut new: Vec<_> = self.fabrics[1]
            .switch_ids()
            .map(|at| self.port(1, address, at))
            .collect();
        if let (PairGranularity::Switch, Some(end)) = (self.granularity, self.arrival(address)) {
            old[end.switch.index()] = None;
            new[end.switch.index()] = None;
        }
        [old, new]
    }

    /// Who sends, of those that are left, by old tables and new. What nobody tells when to begin counts as old.
    pub(super) fn sent(&self, address: Address) -> [BTreeSet<Sent>; 2] {
        let old = self.senders(0, address, |host| self.hosts_left[host.index()]);
        let old = old.into_iter().filter_map(|sent| {
            Some(Sent {
                at: self.left[sent.at.index()]?,
                ..sent
            })
        });
        let has_begun = address.destinations[0].is_some();
        let fabric = self.fabrics[1];
        let sought = address.destinations[1].filter(|_| !has_begun);
        let is_new_address = sought.is_some_and(|to| match self.granularity {
            PairGranularity::Host => self.unasked[to],
            PairGranularity::Switch => {
                let mut hosts = fabric.hosts_of(SwitchId::from_index(to)).iter();
                hosts.all(|host| self.unasked[host.index()])
            }
        });
        let is_new = |host: HostId| is_new_address || self.unasked[host.index()];
        let unasked = self.senders(1, address, is_new);
        [
            old.chain(unasked).collect(),
            self.senders(1, address, |_| true),
        ]
    }

    /// Who sent before, of those that are gone too.
    pub(super) fn sent_before(&self, address: Address) -> BTreeSet<Sent> {
        self.senders(0, address, |_| true)
    }

    /// What switches without hosts send to any address, by which they answer the subnet manager: of before and of after.
    /// Nothing where old entries, or those there are at the end, let that wait in a circle all by themselves, or hosts'
    /// packets are kept apart by lanes.
    pub(super) fn management(
        &self,
        addresses: &[Address],
        plan: &TransitionPlan,
    ) -> [BTreeSet<Sent>; 2] {
        let counts = self.tables.iter().all(|tables| tables.lane_count() == 1)
            && !self.is_by_port()
            && self.keeps_everybody_apart(0, addresses, |number, at| {
                self.port(0, addresses[number], at)
            })
            && {
                let last = self.last_ports(addresses, plan);
                self.keeps_everybody_apart(1, addresses, |number, at| last[number][at.index()])
            };
        self.fabrics.map(|fabric| {
            let all = fabric.switch_ids().filter(|_| counts);
            let bare = all.filter(|&at| fabric.hosts_of(at).is_empty());
            let sent = |at| Sent {
                at,
                level: Lane::ZERO,
                input: PortNumber::new(0),
            };
            bare.map(sent).collect()
        })
    }

    /// Per address and switch that is left: the entry once all is written.
    fn last_ports(
        &self,
        addresses: &[Address],
        plan: &TransitionPlan,
    ) -> Vec<Vec<Option<PortNumber>>> {
        let old = |&address: &Address| {
            let [old, _] = self.ports(address);
            old
        };
        let mut last: Vec<_> = addresses.iter().map(old).collect();
        for step in plan.phases.iter().flat_map(|phase| &phase.steps) {
            let Step::Write(writes) = step else { continue };
            for write in writes {
                last[write.address as usize][write.switch.index()] = write.port;
            }
        }
        last
    }

    /// Tells whether no packets wait in a circle, from whatever switch they come by the entries of a side, told by the
    /// number of the address and the switch. Channels that wait for none are taken away until none is left, or a circle.
    fn keeps_everybody_apart(
        &self,
        side: usize,
        addresses: &[Address],
        entry: impl Fn(usize, SwitchId) -> Option<PortNumber>,
    ) -> bool {
        let fabric = self.fabrics[side];
        let mut waits: Vec<BTreeSet<ChannelId>> = vec![BTreeSet::new(); fabric.channel_count()];
        let mut waited = vec![BTreeSet::new(); fabric.channel_count()];
        for (number, address) in addresses.iter().enumerate() {
            let Some(destination) = address.destinations[side] else {
                continue;
            };
            let end = self.granularity.endpoint_switch(fabric, destination);
            let next = |at| {
                let channel = fabric.outgoing_at(at, entry(number, at)?)?;
                let to = fabric.target(channel).node.switch()?;
                Some((channel, to))
            };
            for at in fabric.switch_ids() {
                let Some((held, ahead)) = next(at) else {
                    continue;
                };
                if ahead == end {
                    continue;
                }
                if let Some((wanted, _)) = next(ahead) {
                    waits[held.index()].insert(wanted);
                    waited[wanted.index()].insert(held);
                }
            }
        }
        let is_last = |channel: &ChannelId| waits[channel.index()].is_empty();
        let mut open: Vec<ChannelId> = fabric.channel_ids().filter(is_last).collect();
        let mut taken = 0;
        while let Some(wanted) = open.pop() {
            taken += 1;
            for held in &waited[wanted.index()] {
                waits[held.index()].remove(&wanted);
                if waits[held.index()].is_empty() {
                    open.push(*held);
                }
            }
        }
        taken == fabric.channel_count()
    }

    fn senders(
        &self,
        side: usize,
        address: Address,
        keeps: impl Fn(HostId) -> bool,
    ) -> BTreeSet<Sent> {
        let (fabric, tables) = (self.fabrics[side], self.tables[side]);
        let Some(destination) = address.destinations[side] else {
            return BTreeSet::new();
        };
        let to = self.held(side, destination);
        let Some(place) = tables.addresses(to).nth(address.alias) else {
            return BTreeSet::new();
        };
        let hosts = fabric.host_ids().filter(|&host| keeps(host));
        let sent = hosts.filter_map(|host| {
            let from = tables.granularity().endpoint(fabric, host);
            // Hosts of one switch send to one another over no channel between switches.
            let end = self.granularity.endpoint_switch(fabric, destination);
            let is_near = fabric.host_switch(host) == end;
            let sends = tables.sends_to_any_address() || tables.address(from, to) == Some(place);
            (sends && !is_near).then(|| Sent {
                at: fabric.host_switch(host),
                level: tables.lane(from, to),
                input: if self.is_by_port() {
                    fabric.host_port(host)
                } else {
                    PortNumber::new(0)
                },
            })
        });
        sent.collect()
    }

    /// Tells whether switches choose lanes, by old tables or new.
    pub(super) fn is_by_port(&self) -> bool {
        self.tables
            .iter()
            .any(|tables| tables.lane_tables().is_some())
    }

    /// Where packets of old entries may be that went on before anything failed: any switch that is left, on
    /// any of their ways over the fabric as it was.
    pub(super) fn past(&self, address: Address, starts: &BTreeSet<Sent>) -> BTreeSet<Passed> {
        let (fabric, lanes) = (self.fabrics[0], self.tables[0].lane_tables());
        let mut found = BTreeSet::new();
        for start in starts {
            let mut sent = *start;
            let mut lane = None;
            for _ in 0..fabric.switch_count() {
                if let Some(left) = self.left[sent.at.index()] {
                    let sent = Sent { at: left, ..sent };
                    found.insert(Passed { sent, lane });
                }
                let port = self.port(0, address, sent.at);
                let channel = port.and_then(|port| fabric.outgoing_at(sent.at, port));
                let Some((channel, output)) = channel.zip(port) else {
                    break;
                };
                let level = sent.level;
                let next = match lanes {
                    None => Some(level),
                    Some(tables) => {
                        let incoming = lane.or_else(|| tables.host_lane(level.number()));
                        incoming.and_then(|incoming| {
                            let ports = [sent.input, output];
                            tables.lane(sent.at, ports, level.number(), incoming)
                        })
                    }
                };
                let target = fabric.target(channel);
                let (Node::Switch(at), Some(next)) = (target.node, next) else {
                    break;
                };
                if self.is_by_port() {
                    sent.input = target.port;
                    lane = Some(next);
                }
                sent.at = at;
            }
        }
        found
    }
}
