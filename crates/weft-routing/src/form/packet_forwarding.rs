//! How a packet finds its way, one hop at a time: what simulators ask of routes.

use crate::form::grid_legs::GridLegs;
use crate::form::packet_addresses::Addressing;
use crate::form::{
    ForwardingTables, Lane, PacketAddresses, PairGranularity, PairNames, RouteMemory, Routes,
    Steps, StepsAhead,
};
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId, narrow};

/// Routes cannot carry packets over a fabric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages tell what fields are")]
pub enum ForwardingError {
    /// The routes are for another number of switches or hosts.
    #[error("the routes join {found} {what}, but the fabric has {expected}; route this fabric")]
    OtherFabric {
        what: &'static str,
        found: usize,
        expected: usize,
    },
    /// A route does not lead from its source to its destination.
    #[error("the route {0} does not lead there; prove the routes to see where it ends")]
    BrokenRoute(PairNames),
    /// A route leaves the network on the way.
    #[error(
        "the route {pair} stops in transit at host “{host}”, \
         for which hosts of cut-through hardware have no buffer; choose a routing without in-transit \
         stops"
    )]
    Stop { pair: PairNames, host: String },
    /// A switch's lane table has no lane for a packet.
    #[error(
        "service level {service_level} has no lane at “{at}” for packets {pair}; give it one in the SL-to-VL tables, or choose another service level"
    )]
    NoLane {
        service_level: u8,
        at: String,
        pair: PairNames,
    },
    /// Routes that are to change on the way are no tables.
    #[error(
        "only forwarding tables change switch by switch, but these routes are lists of ports or leave \
         packets a choice; make tables of them (to_tables), or choose another routing"
    )]
    NoTables,
    /// Tables that are to take each other's place have other addresses.
    #[error(
        "tables {place} of those that take each other's place give destinations other addresses than the \
         first; make all of them with as many addresses for each"
    )]
    OtherAddresses { place: usize },
}

impl ForwardingError {
    /// Makes sure that routes join as many switches or hosts as there are.
    ///
    /// # Errors
    /// [`Self::OtherFabric`].
    pub fn unless_made_for(what: &'static str, found: usize, expected: usize) -> Result<(), Self> {
        let error = Self::OtherFabric {
            what,
            found,
            expected,
        };
        (found == expected).then_some(()).ok_or(error)
    }
}

/// What the source of a packet writes into its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where it goes.
    pub destination: HostId,
    /// What leads it there.
    guide: Guide,
    /// Its service level: where no table says otherwise, the number of its lane.
    pub service_level: u8,
    /// What its turn among the packets of its pair adds to the lanes of a source route.
    first_lane: u8,
    /// How far above the lanes of its route the packet travels.
    lanes_above: u8,
}

/// What leads a packet on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guide {
    /// The list of ports between two endpoints, switches or hosts.
    Listed { endpoints: [u32; 2] },
    /// The tables, by an address of the destination; `None` where that has none, and the packet is at
    /// its switch from the start.
    Looked { address: Option<u32> },
    /// Where packets have a choice: the switches that it goes from, by way of, and to.
    Chosen { switches: [u32; 3] },
    /// Where switches choose among groups of ports: the flow, which is the source and the address.
    Grouped { source: HostId, address: u32 },
}

impl Header {
    /// The header of a packet that travels on lanes so many above those of its route, as
    /// packets of control do.
    #[must_use]
    pub fn above(self, lanes: u8) -> Self {
        Self {
            lanes_above: lanes,
            ..self
        }
    }

    /// How far above the lanes of its route the packet travels.
    pub fn lanes_above(&self) -> u8 {
        self.lanes_above
    }

    /// The header of a packet that goes from one switch by way of another to a third.
    pub(crate) fn by_way_of(destination: HostId, switches: [u32; 3]) -> Self {
        Self {
            destination,
            guide: Guide::Chosen { switches },
            service_level: 0,
            first_lane: 0,
            lanes_above: 0,
        }
    }

    /// The header of a packet that switches choose a way for by its address.
    pub(crate) fn to_address(
        destination: HostId,
        source: HostId,
        address: u32,
        service_level: u8,
    ) -> Self {
        Self {
            destination,
            guide: Guide::Grouped { source, address },
            service_level,
            first_lane: 0,
            lanes_above: 0,
        }
    }

    /// Its source, and the address it is sent to.
    pub(crate) fn flow(&self) -> (HostId, usize) {
        let Guide::Grouped { source, address } = self.guide else {
            unreachable!("where switches choose among groups, packets are led by their address");
        };
        (source, address as usize)
    }

    /// The switches it goes from, by way of, and to.
    pub(crate) fn switches(&self) -> [u32; 3] {
        let Guide::Chosen { switches } = self.guide else {
            unreachable!("packets with a choice are led from switch to switch");
        };
        switches
    }

    /// The packet goes straight from its source's switch to its destination's.
    pub fn go_straight(&mut self) {
        let [from, _, to] = self.switches();
        self.guide = Guide::Chosen {
            switches: [from, from, to],
        };
    }
}

/// Where a packet came into a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The switch.
    pub switch: SwitchId,
    /// The port of the switch it came in by.
    pub port: PortNumber,
    /// The lane it came on.
    pub lane: Lane,
}

/// Tells packets their way, from routes as they are held: nothing is written out per pair.
#[derive(Clone, Debug)]
pub struct Forwarding<'a> {
    routes: &'a Routes,
    host_switches: Vec<SwitchId>,
    host_ports: Vec<PortNumber>,
    /// Per source host and destination endpoint: turns taken, where packets of a pair alternate over
    /// lanes. Hosts do not share them, so that a host's lanes depend on its own packets alone.
    turns: Vec<u8>,
    addressing: Addressing,
    /// Of routes by rule on a small grid.
    legs: Option<GridLegs<'a>>,
}

impl<'a> Forwarding<'a> {
    /// Prepares to tell routes that were checked.
    pub(crate) fn of_checked(fabric: &Fabric, routes: &'a Routes) -> Self {
        let turns = if routes.turns() > 1 {
            vec![0; fabric.host_count() * routes.endpoint_count()]
        } else {
            Vec::new()
        };
        Self {
            routes,
            host_switches: fabric.host_ids().map(|h| fabric.host_switch(h)).collect(),
            host_ports: fabric.host_ids().map(|h| fabric.host_port(h)).collect(),
            turns,
            addressing: Addressing::default(),
            legs: match routes {
                Routes::Source(routes) => routes.legs(),
                Routes::Tables(_) => None,
            },
        }
    }

    /// From now on packets are sent to these of their destinations' addresses, where sources may send to any; to the first
    /// without.
    pub fn send_to(&mut self, addresses: PacketAddresses) {
        if let Routes::Tables(tables) = self.routes {
            self.addressing = Addressing::new(tables, self.host_switches.len(), addresses);
        }
    }

    /// Whether packets of a pair alternate over lanes or addresses.
    #[inline]
    pub fn takes_turns(&self) -> bool {
        !self.turns.is_empty() || self.addressing.takes_turns()
    }

    /// Where the route of a source's next packet to a destination lies in memory, if it is read from there.
    #[inline]
    pub fn route_memory(&self, source: HostId, destination: HostId) -> Option<RouteMemory<'a>> {
        let Routes::Source(routes) = self.routes else {
            return None;
        };
        let [from, to] = self.endpoints(source, destination);
        routes.memory_of(from, to)
    }

    /// Where it stands which port a packet takes at a switch, if that is read from memory.
    #[inline]
    pub fn entry_memory(&self, header: &Header, switch: SwitchId) -> Option<*const u8> {
        let (Routes::Tables(tables), Guide::Looked { address }) = (self.routes, header.guide)
        else {
            return None;
        };
        Some(tables.entry_memory(switch, address? as usize))
    }

    /// The header of a source's next packet to a destination, its first steps as far as they are to be
    /// carried along, and the lane of its channel into the network.
    ///
    /// Packets of a pair that alternate over lanes or addresses do so in the order in which this is asked.
    ///
    /// # Panics
    /// When a host does not exist.
    pub fn header(&mut self, source: HostId, destination: HostId) -> (Header, StepsAhead, Lane) {
        let [from, to] = self.endpoints(source, destination);
        let turn = match self
            .turns
            .get_mut(source.index() * self.routes.endpoint_count() + to)
        {
            None => 0,
            Some(next) => {
                let turn = *next;
                *next = (turn + 1) % self.routes.turns();
                turn
            }
        };
        let shift = self.routes.lane_shift(turn);
        let number = |index: usize| narrow(index, "endpoints and addresses have 32 bits");
        let mut ahead = StepsAhead::NONE;
        let (guide, service_level, lane) = match (self.routes, &self.legs) {
            (Routes::Source(_), Some(legs)) => {
                ahead = legs.steps(from, to);
                let [_, last] = ahead.end_lanes();
                if !ahead.is_full() {
                    ahead.push(self.host_ports[destination.index()], last);
                }
                ahead = ahead.above(shift);
                let [lane, _] = ahead.end_lanes();
                let endpoints = [from, to].map(number);
                (Guide::Listed { endpoints }, lane.number(), lane)
            }
            (Routes::Source(routes), None) => {
                let mut steps = routes.steps_between(from, to);
                let first = steps.next_on_lane();
                let lane = Lane::new(first.map_or(0, |(_, own)| own.number()) + shift);
                if let Some((port, _)) = first {
                    ahead.push(port, lane);
                }
                self.carry(&mut ahead, steps, lane, shift, destination);
                let endpoints = [from, to].map(number);
                (Guide::Listed { endpoints }, lane.number(), lane)
            }
            (Routes::Tables(tables), _) => {
                let service_level = tables.lane(from, to).number() + shift;
                // Where tables change, a level may have no lane: switches will have none either.
                let lane = match tables.lane_tables() {
                    Some(tables) => tables.host_lane(service_level).unwrap_or_default(),
                    None => Lane::new(service_level),
                };
                let pair = [source, destination];
                let address = self.addressing.next(tables, pair, [from, to]).map(number);
                (Guide::Looked { address }, service_level, lane)
            }
        };
        let header = Header {
            destination,
            guide,
            service_level,
            first_lane: shift,
            lanes_above: 0,
        };
        (header, ahead, lane)
    }

    /// The endpoints of a pair of hosts.
    #[inline]
    fn endpoints(&self, source: HostId, destination: HostId) -> [usize; 2] {
        let granularity = self.routes.granularity();
        [source, destination].map(|host| match granularity {
            PairGranularity::Host => host.index(),
            PairGranularity::Switch => self.host_switches[host.index()].index(),
        })
    }

    /// Adds the next steps of a source route, as many as fit, to those carried, the last of which is on a
    /// lane; then the one to the destination, on the same lane as the one before.
    fn carry(
        &self,
        ahead: &mut StepsAhead,
        mut steps: Steps<'_>,
        mut last: Lane,
        shift: u8,
        destination: HostId,
    ) {
        while !ahead.is_full() {
            let Some((port, own)) = steps.next_on_lane() else {
                ahead.push(self.host_ports[destination.index()], last);
                return;
            };
            last = Lane::new(own.number() + shift);
            ahead.push(port, last);
        }
    }

    /// The output port and lane of a packet at a switch, the port of its destination host at
    /// the end: the next of the steps that it carries, which are found out when there are none.
    /// `switches_before` counts the switches it passed before this one.
    #[inline]
    pub fn next(
        &self,
        header: &Header,
        ahead: &mut StepsAhead,
        entry: Entry,
        switches_before: usize,
    ) -> (PortNumber, Lane) {
        // Tables are looked up at every switch, mostly of packets that keep their lanes.
        if let Routes::Tables(tables) = self.routes
            && tables.lane_tables().is_none()
            && let Some(port) = self.port_by(tables, header, entry.switch)
        {
            return (port, entry.lane);
        }
        if ahead.is_empty() {
            *ahead = self.look_ahead(header, entry, switches_before);
        }
        ahead.pop()
    }

    /// The output port of a packet by the tables of a switch; none where these have no entry.
    #[inline]
    fn port_by(
        &self,
        tables: &ForwardingTables,
        header: &Header,
        switch: SwitchId,
    ) -> Option<PortNumber> {
        if self.is_there(header, switch) {
            return Some(self.host_ports[header.destination.index()]);
        }
        let Guide::Looked { address } = header.guide else {
            return None;
        };
        tables.next_port(switch, address? as usize)
    }

    /// The steps from a switch on, eight at most of a source route, one where tables are looked up.
    #[inline(never)]
    fn look_ahead(&self, header: &Header, entry: Entry, switches_before: usize) -> StepsAhead {
        let mut ahead = StepsAhead::NONE;
        let above = header.lanes_above;
        match (self.routes, header.guide) {
            (Routes::Source(routes), Guide::Listed { endpoints }) => {
                let [from, to] = endpoints.map(|endpoint| endpoint as usize);
                let steps = routes.steps_after(from, to, switches_before);
                let (shift, destination) = (header.first_lane, header.destination);
                let came_on = Lane::new(entry.lane.number() - above);
                self.carry(&mut ahead, steps, came_on, shift, destination);
            }
            (Routes::Tables(tables), Guide::Looked { .. }) => {
                let next_port = |address| tables.next_port(entry.switch, address);
                let Some((port, lane)) = self.looked_up(tables, header, entry, next_port) else {
                    unreachable!("every route was checked to lead to its destination");
                };
                ahead.push(port, lane);
            }
            _ => unreachable!("a header is made for the routes that read it"),
        }
        ahead.above(above)
    }

    /// The output port and lane of a packet by the tables of a switch, without what lies above the lanes of its
    /// route; none where these have no entry or no lane for it.
    fn looked_up(
        &self,
        tables: &ForwardingTables,
        header: &Header,
        entry: Entry,
        next_port: impl FnOnce(usize) -> Option<PortNumber>,
    ) -> Option<(PortNumber, Lane)> {
        let Guide::Looked { address } = header.guide else {
            unreachable!("a header is made for the routes that read it");
        };
        let came_on = Lane::new(entry.lane.number() - header.lanes_above);
        let destination = header.destination.index();
        let port = if self.is_there(header, entry.switch) {
            self.host_ports[destination]
        } else {
            next_port(address? as usize)?
        };
        let lane = match tables.lane_tables() {
            None => came_on,
            Some(lanes) => {
                let ports = [entry.port, port];
                lanes.lane(entry.switch, ports, header.service_level, came_on)?
            }
        };
        Some((port, lane))
    }

    /// Whether a switch is that of a packet's destination.
    #[inline]
    pub(crate) fn is_there(&self, header: &Header, switch: SwitchId) -> bool {
        switch == self.host_switches[header.destination.index()]
    }

    /// As [`next`](Self::next), of tables that need not lead anywhere and of which some entries are others: those
    /// that `written` has, by address.
    pub(crate) fn next_if_any(
        &self,
        header: &Header,
        entry: Entry,
        written: impl FnOnce(usize) -> Option<Option<PortNumber>>,
    ) -> Option<(PortNumber, Lane)> {
        let Routes::Tables(tables) = self.routes else {
            unreachable!("tables alone change");
        };
        let next_port =
            |address| written(address).unwrap_or_else(|| tables.next_port(entry.switch, address));
        let (port, lane) = self.looked_up(tables, header, entry, next_port)?;
        Some((port, Lane::new(lane.number() + header.lanes_above)))
    }
}
