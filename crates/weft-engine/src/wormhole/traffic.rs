//! The packets under way, and the routes they take.

use super::carried_ports::{CARRIED, CarriedPorts};
use super::error::EngineError;
use super::routes::Ways;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId, Table};
use crate::probe::Motion;
use crate::slab::Slab;
use weft_fabric::{ChannelId, Fabric, HostId, PortNumber, SwitchId, narrow};
use weft_model::workload;
use weft_model::{NicModel, PacketRecord, WormholeModel};
use weft_routing::{
    Lane, MappedRoutes, PairGranularity, RouteMemory, SourceRoutes, Steps, StopCounts,
};

/// A packet under way: what every switch asks for in one cache line, the rest in another.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Packet {
    /// The next ports it takes, the final one included, a byte each, the next one lowest: as many as fit
    /// until `step` is a multiple of eight. They are carried along so that the routes of all pairs, too
    /// many for any cache, are looked at seldom.
    ports: u64,
    /// Cycle in which its routing flit reaches the switch it is at or on the way to, or never while that
    /// is not known.
    pub(super) head_arrival: Cycle,
    /// Cycle in which it asked for an output last.
    pub(super) asking_since: Cycle,
    /// Flits on the channel its head is on.
    pub(super) flits: u32,
    /// Steps of its route, the final one left out.
    pub(super) step_count: u16,
    /// Steps its head has taken.
    pub(super) step: u16,
    pub(super) source: HostId,
    pub(super) destination: HostId,
    pub(super) in_transit_stops: u16,
    /// Host that discards it as it arrives there.
    pub(super) dropped_at: Maybe<HostId>,
    pub(super) payload_bytes: u32,
    pub(super) generation_cycle: Cycle,
    pub(super) injection_cycle: Cycle,
    pub(super) sequence: u64,
    /// Whose routes it takes: 0 for the first ones, else the place among others from 1 on.
    routes: u32,
    /// How often it was sent again after failures.
    pub(super) tries: u32,
    /// Whether these routes lead to its destination.
    pub(super) has_route: bool,
    /// Whether a channel failed while it held it.
    pub(super) is_broken: bool,
}

impl Packet {
    /// The output port it takes at the switch its head is in front of.
    #[inline]
    pub(super) fn next_port(&self) -> PortNumber {
        PortNumber::new(self.ports.to_le_bytes()[0])
    }

    /// The output ports it takes from there on, as far as it carries them.
    #[inline]
    pub(super) fn carried_ports(&self) -> CarriedPorts {
        let left = (self.step_count + 1).saturating_sub(self.step);
        CarriedPorts::of(self.ports, left.min(CARRIED - self.step % CARRIED))
    }

    /// Whether the channel its head is on leads to its destination.
    #[inline]
    pub(super) fn is_at_end(&self) -> bool {
        self.step > self.step_count
    }
}

/// Routes that take the place of the first.
#[derive(Debug)]
struct OtherRoutes<'a> {
    mapped: &'a MappedRoutes,
    stops: StopCounts,
}

/// The packets under way, with their routes.
#[derive(Debug)]
pub(super) struct Traffic<'a> {
    pub(super) packets: Slab<Packet, PacketId>,
    /// Channels taken by packets.
    pub(super) hops: u64,
    model: WormholeModel,
    /// Seed of the draws of link errors.
    seed: u64,
    routes: &'a SourceRoutes,
    stops: &'a StopCounts,
    /// Routes that take the place of the first, and which hosts have them: nothing where none ever does.
    others: Vec<OtherRoutes<'a>>,
    of_hosts: Table<HostId, u32>,
    host_ports: Table<HostId, PortNumber>,
    pub(super) host_switches: Table<HostId, SwitchId>,
}

impl<'a> Traffic<'a> {
    /// No packets.
    pub(super) fn new(
        fabric: &Fabric,
        Ways { routes, stops }: Ways<'a>,
        model: &WormholeModel,
        seed: u64,
    ) -> Result<Self, EngineError> {
        if let NicModel::Firmware(firmware) = model.nic
            && !firmware.handles_in_transit
            && stops.are_any()
        {
            return Err(EngineError::NoInTransit);
        }
        let hosts = || fabric.host_ids();
        Ok(Self {
            packets: Slab::new(),
            hops: 0,
            model: model.clone(),
            seed,
            routes,
            stops,
            others: Vec::new(),
            of_hosts: Vec::new().into(),
            host_ports: hosts().map(|host| fabric.host_port(host)).collect(),
            host_switches: hosts().map(|host| fabric.host_switch(host)).collect(),
        })
    }

    /// Takes note of routes that hosts may be given.
    pub(super) fn add_routes(
        &mut self,
        fabric: &Fabric,
        others: &'a [MappedRoutes],
    ) -> Result<(), EngineError> {
        let are_handled = match self.model.nic {
            NicModel::Delays { .. } => true,
            NicModel::Firmware(firmware) => firmware.handles_in_transit,
        };
        for mapped in others {
            let lane_count = mapped.routes().lane_count();
            if lane_count > 1 {
                return Err(EngineError::Lanes { lane_count });
            }
            let stops = StopCounts::of_mapped(fabric, mapped)?;
            if stops.are_any() && !are_handled {
                return Err(EngineError::NoInTransit);
            }
            self.others.push(OtherRoutes { mapped, stops });
        }
        if !others.is_empty() {
            self.of_hosts = Table::of(0, fabric.host_count());
        }
        Ok(())
    }

    /// From now on a host's packets take other routes, by their place.
    pub(super) fn set_routes(&mut self, host: HostId, place: usize) {
        if !self.others.is_empty() {
            self.of_hosts[host] = narrow(place, "routes are fewer than 2^32");
        }
    }

    /// Makes a packet that a host has generated.
    pub(super) fn add(
        &mut self,
        source: HostId,
        sequence: u64,
        packet: &workload::Packet,
    ) -> PacketId {
        let new = Packet {
            ports: 0,
            head_arrival: Cycle::NEVER,
            asking_since: Cycle::NEVER,
            generation_cycle: Cycle::new(packet.generation_cycle),
            injection_cycle: Cycle::NEVER,
            sequence,
            step_count: 0,
            step: 0,
            source,
            destination: packet.destination,
            payload_bytes: packet.payload_bytes,
            flits: 0,
            in_transit_stops: 0,
            dropped_at: Maybe::NONE,
            routes: 0,
            tries: 0,
            has_route: true,
            is_broken: false,
        };
        let new = self.at_source(new);
        self.packets.insert(new)
    }

    /// Makes a packet like one that is lost, to be sent again.
    pub(super) fn add_again(&mut self, lost: PacketId) -> PacketId {
        let again = self.at_source(self.packets[lost].clone());
        self.packets.insert(again)
    }

    /// A packet that was lost is sent again, by the routes of today.
    pub(super) fn renew(&mut self, packet: PacketId) {
        if !self.others.is_empty() {
            self.packets[packet] = self.at_source(self.packets[packet].clone());
        }
    }

    /// Takes a packet out: another part of the fabric is to hold it.
    pub(super) fn take(&mut self, packet: PacketId) -> Packet {
        self.packets.remove(packet);
        self.packets[packet].clone()
    }

    /// Puts a packet at the beginning of its route.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn at_source(&self, mut packet: Packet) -> Packet {
        let (source, destination) = (packet.source, packet.destination);
        packet.has_route = true;
        if !self.others.is_empty() {
            packet.routes = self.of_hosts[source];
            packet.has_route = self.leads(packet.routes, source, destination);
        }
        let steps = self.steps_between(packet.routes, source, destination);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the check of the routes has refused longer ones"
        )]
        {
            packet.step_count = steps.len() as u16;
        }
        packet.ports = self.carried(steps, destination);
        let stops = self.stops_between(packet.routes, source, destination);
        let ports = u32::from(packet.step_count) + 1;
        packet.flits = self.model.packet_flits(ports, stops, packet.payload_bytes);
        packet.step = 0;
        packet.in_transit_stops = 0;
        packet.dropped_at = Maybe::NONE;
        packet.is_broken = false;
        packet
    }

    /// The head of a packet takes its next step: the switch strips the routing flit it acted on.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    pub(super) fn take_step(&mut self, packet: PacketId) {
        self.hops += 1;
        let state = &mut self.packets[packet];
        state.flits -= 1;
        state.step += 1;
        state.ports >>= 8;
        if state.step.is_multiple_of(CARRIED) {
            let step = state.step;
            self.packets[packet].ports = self.ports_from(packet, step);
        }
    }

    /// The head of a packet takes some steps back, which it was to take later.
    pub(super) fn take_back(&mut self, packet: PacketId, steps: u16) {
        self.hops -= u64::from(steps);
        let state = &mut self.packets[packet];
        state.flits += u32::from(steps);
        state.step -= steps;
        let step = state.step;
        let carried_from = step - step % CARRIED;
        let ports = self.ports_from(packet, carried_from);
        self.packets[packet].ports = ports >> (8 * (step - carried_from));
    }

    /// A switch discards the rest of a packet: it is at the end of its way.
    pub(super) fn end_way(&mut self, packet: PacketId) {
        let state = &mut self.packets[packet];
        state.flits -= 1;
        state.step = state.step_count + 1;
    }

    /// A host takes the mark of a packet that stops there: the flits that are left.
    pub(super) fn stop_in_transit(&mut self, packet: PacketId) -> u32 {
        let state = &mut self.packets[packet];
        state.in_transit_stops += 1;
        state.flits -= 1;
        state.flits
    }

    /// Whether links may damage packets.
    #[inline]
    pub(super) fn is_lossy(&self) -> bool {
        self.model.bit_error_rate > 0.0
    }

    /// Whether links have damaged a packet, the flits of which took so many channels in all.
    pub(super) fn is_damaged(&self, packet: PacketId, flit_hops: u64) -> bool {
        let state = &self.packets[packet];
        let injection_cycle = state.injection_cycle.number();
        let attempt = (state.source, state.sequence, injection_cycle);
        self.model.is_damaged(self.seed, attempt, flit_hops)
    }

    /// What there is to tell of a packet delivered in some cycle.
    #[inline]
    pub(super) fn record(&self, packet: PacketId, delivery: Cycle) -> PacketRecord {
        let state = &self.packets[packet];
        PacketRecord {
            source: state.source,
            sequence: state.sequence,
            destination: state.destination,
            payload_bytes: state.payload_bytes,
            generation_cycle: state.generation_cycle.number(),
            injection_cycle: state.injection_cycle.number(),
            delivery_cycle: delivery.number(),
            switches: state.step,
            in_transit_stops: state.in_transit_stops,
            overtaken_by: 0,
        }
    }

    /// A packet as it is seen on a channel, in no cycle yet.
    #[cold]
    pub(super) fn motion(&self, packet: PacketId, channel: ChannelId) -> Motion {
        let state = &self.packets[packet];
        Motion {
            channel,
            lane: Lane::ZERO,
            source: state.source,
            destination: state.destination,
            sequence: state.sequence,
            generation_cycle: state.generation_cycle.number(),
            start_cycle: 0,
            end_cycle: 0,
        }
    }

    /// Where the route lies of a packet that a host is to send next, if it is read from memory.
    #[inline]
    pub(super) fn route_memory(
        &self,
        source: HostId,
        destination: HostId,
    ) -> Option<RouteMemory<'a>> {
        let routes = self.routes;
        if !self.others.is_empty() {
            return None;
        }
        let (from, to) = self.pair(routes.granularity(), source, destination);
        routes.memory_of(from, to)
    }

    /// The first ports on the way of a packet that a host is to send next.
    #[inline]
    pub(super) fn first_ports(&self, source: HostId, destination: HostId) -> CarriedPorts {
        let place = if self.others.is_empty() {
            0
        } else {
            self.of_hosts[source]
        };
        let steps = self.steps_between(place, source, destination);
        let count = steps.len().min(usize::from(CARRIED) - 1) + 1;
        let ports = self.carried(steps, destination);
        CarriedPorts::of(ports, narrow(count, "packets carry a few ports"))
    }

    /// The ports on the way of a packet, the final one left out.
    pub(super) fn steps(&self, packet: PacketId) -> Steps<'a> {
        let state = &self.packets[packet];
        self.steps_between(state.routes, state.source, state.destination)
    }

    /// The routes at a place.
    #[inline]
    fn routes_at(&self, place: u32) -> &'a SourceRoutes {
        match place.checked_sub(1) {
            None => self.routes,
            Some(before) => self.others[before as usize].mapped.routes(),
        }
    }

    /// The ports on the way from one host to another by the routes at a place, the final one left out.
    #[inline]
    fn steps_between(&self, place: u32, source: HostId, destination: HostId) -> Steps<'a> {
        let routes = self.routes_at(place);
        let (row, column) = self.pair(routes.granularity(), source, destination);
        routes.steps_between(row, column)
    }

    /// The in-transit stops on that way.
    #[inline]
    fn stops_between(&self, place: u32, source: HostId, destination: HostId) -> u32 {
        let granularity = self.routes_at(place).granularity();
        let (row, column) = self.pair(granularity, source, destination);
        let stops = match place.checked_sub(1) {
            None => self.stops,
            Some(before) => &self.others[before as usize].stops,
        };
        stops.between(row, column).into()
    }

    /// Whether the routes at a place lead from one host to another.
    fn leads(&self, place: u32, source: HostId, destination: HostId) -> bool {
        place.checked_sub(1).is_none_or(|before| {
            self.others[before as usize]
                .mapped
                .leads(source, destination)
        })
    }

    /// The endpoints of routes that two hosts stand for.
    #[inline]
    fn pair(
        &self,
        granularity: PairGranularity,
        source: HostId,
        destination: HostId,
    ) -> (usize, usize) {
        match granularity {
            PairGranularity::Host => (source.index(), destination.index()),
            PairGranularity::Switch => (
                self.host_switches[source].index(),
                self.host_switches[destination].index(),
            ),
        }
    }

    /// The ports taken from a step on, as a packet carries them.
    fn ports_from(&self, packet: PacketId, step: u16) -> u64 {
        let destination = self.packets[packet].destination;
        let mut steps = self.steps(packet);
        if let Some(before) = step.checked_sub(1) {
            steps.nth(before.into());
        }
        self.carried(steps, destination)
    }

    /// The first ports of what is left of a way, as a packet carries them.
    #[expect(
        clippy::inline_always,
        reason = "once a packet and channel: a call costs more than it saves"
    )]
    #[inline(always)]
    fn carried(&self, left: Steps<'a>, destination: HostId) -> u64 {
        let mut ports = 0;
        let mut filled = 0;
        for port in left {
            if filled == u64::BITS {
                return ports;
            }
            ports |= u64::from(port.number()) << filled;
            filled += u8::BITS;
        }
        let last = u64::from(self.host_ports[destination].number());
        ports | last.checked_shl(filled).unwrap_or(0)
    }
}
