//! Tables that change while packets are under way.

use super::addresses::Addresses;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, Node, PortNumber, SwitchId};
use weft_routing::{ForwardingTables, Lane, LaneKey, PairGranularity, Routes};

/// What a host writes into a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    address: Option<usize>,
    level: u8,
    /// How far above the lanes that tables name it travels.
    pub(super) lanes_above: u8,
}

/// All tables there are, and who has which.
#[derive(Debug)]
pub(super) struct ChangingTables<'a> {
    all: Vec<&'a ForwardingTables>,
    of_switches: Vec<usize>,
    /// Entries that switches were given by themselves, by switch and address.
    single: BTreeMap<(SwitchId, usize), PortNumber>,
    of_hosts: Vec<usize>,
    /// By tables, source and endpoint: the turn of the next packet, where it is not 0.
    turns: BTreeMap<(usize, HostId, usize), u8>,
    addresses: Addresses,
}

impl<'a> ChangingTables<'a> {
    /// Everybody has the first tables; `None` where some routes are none.
    pub(super) fn new(
        fabric: &Fabric,
        first: &'a Routes,
        others: &'a [Routes],
        addresses: Addresses,
    ) -> Option<Self> {
        let tables = |routes: &'a Routes| match routes {
            Routes::Tables(tables) => Some(tables),
            Routes::Source(_) => None,
        };
        let all: Option<Vec<_>> = std::iter::once(first).chain(others).map(tables).collect();
        Some(Self {
            all: all?,
            of_switches: vec![0; fabric.switch_count()],
            single: BTreeMap::new(),
            of_hosts: vec![0; fabric.host_count()],
            turns: BTreeMap::new(),
            addresses,
        })
    }

    pub(super) fn set_switch(&mut self, switch: SwitchId, tables: usize) {
        self.of_switches[switch.index()] = tables;
        self.single.retain(|&(of, _), _| of != switch);
    }

    pub(super) fn set_switch_entry(&mut self, switch: SwitchId, address: usize, port: PortNumber) {
        self.single.insert((switch, address), port);
    }

    pub(super) fn set_host(&mut self, host: HostId, tables: usize) {
        self.of_hosts[host.index()] = tables;
    }

    /// The lane of the channel into the network, and the header, of a source's next packet.
    pub(super) fn next_header(
        &mut self,
        fabric: &Fabric,
        source: HostId,
        destination: HostId,
    ) -> (Lane, Header) {
        let place = self.of_hosts[source.index()];
        let tables = self.all[place];
        let [from, to] = [source, destination].map(|host| match tables.granularity() {
            PairGranularity::Host => host.index(),
            PairGranularity::Switch => fabric.host_switch(host).index(),
        });
        let next = self.turns.entry((place, source, to)).or_default();
        let turn = *next;
        *next = (turn + 1) % tables.turns();
        let level = tables.lane(from, to).number() + turn * tables.lanes_per_turn();
        let lane = match tables.lane_tables() {
            None => Lane::new(level),
            Some(lanes) => lanes.host()[usize::from(level)].unwrap_or(Lane::ZERO),
        };
        let header = Header {
            address: self
                .addresses
                .next((place, tables), [source, destination], [from, to]),
            level,
            lanes_above: 0,
        };
        (lane, header)
    }

    /// What a packet takes at a switch, where it came by a port on a lane; nothing where that leads nowhere.
    pub(super) fn look_up(
        &self,
        fabric: &Fabric,
        header: &Header,
        destination: HostId,
        (switch, came_by, came_on): (SwitchId, PortNumber, Lane),
    ) -> Option<(PortNumber, Lane)> {
        let tables = self.all[self.of_switches[switch.index()]];
        let port = if switch == fabric.host_switch(destination) {
            fabric.host_port(destination)
        } else {
            let address = header.address?;
            let port = match self.single.get(&(switch, address)) {
                Some(&port) => port,
                None => tables.next_port(switch, address)?,
            };
            let channel = fabric.outgoing_at(switch, port)?;
            match fabric.target(channel).node {
                Node::Host(_) => return None,
                Node::Switch(_) => port,
            }
        };
        let came_on = Lane::new(came_on.number() - header.lanes_above);
        let lane = match tables.lane_tables() {
            None => came_on,
            Some(lanes) => {
                let row = lanes.row(switch, [came_by, port]);
                let key = match lanes.key() {
                    LaneKey::ServiceLevel => header.level,
                    LaneKey::IncomingLane => came_on.number(),
                };
                row[usize::from(key)]?
            }
        };
        Some((port, Lane::new(lane.number() + header.lanes_above)))
    }
}
