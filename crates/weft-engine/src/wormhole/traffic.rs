//! The packets under way, and the routes they take.

use super::error::EngineError;
use super::routes::Ways;
use crate::cycle::Cycle;
use crate::ids::{Maybe, PacketId, Table};
use crate::slab::Slab;
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};
use weft_model::workload;
use weft_model::{NicModel, PacketRecord, WormholeModel};
use weft_routing::{PairGranularity, SourceRoutes, Steps, StopCounts};

/// Ports a packet carries along.
const CARRIED: u16 = 8;

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
}

impl Packet {
    /// The output port it takes at the switch its head is in front of.
    #[inline]
    pub(super) fn next_port(&self) -> PortNumber {
        PortNumber::new(self.ports.to_le_bytes()[0])
    }

    /// Whether the channel its head is on leads to its destination.
    #[inline]
    pub(super) fn is_at_end(&self) -> bool {
        self.step > self.step_count
    }
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
            host_ports: hosts().map(|host| fabric.host_port(host)).collect(),
            host_switches: hosts().map(|host| fabric.host_switch(host)).collect(),
        })
    }

    /// Makes a packet that a host has generated.
    pub(super) fn add(
        &mut self,
        source: HostId,
        sequence: u64,
        packet: &workload::Packet,
    ) -> PacketId {
        let steps = self.steps_between(source, packet.destination);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the check of the routes has refused longer ones"
        )]
        let step_count = steps.len() as u16;
        let new = Packet {
            ports: self.carried(steps, packet.destination),
            head_arrival: Cycle::NEVER,
            asking_since: Cycle::NEVER,
            generation_cycle: Cycle::new(packet.generation_cycle),
            injection_cycle: Cycle::NEVER,
            sequence,
            step_count,
            step: 0,
            source,
            destination: packet.destination,
            payload_bytes: packet.payload_bytes,
            flits: 0,
            in_transit_stops: 0,
            dropped_at: Maybe::NONE,
        };
        self.insert_at_source(new)
    }

    /// Makes a packet like one that is lost, to be sent again.
    pub(super) fn add_again(&mut self, lost: PacketId) -> PacketId {
        let mut again = self.packets[lost].clone();
        again.ports = self.ports_from(again.source, again.destination, 0);
        self.insert_at_source(again)
    }

    /// Takes a packet out: another part of the fabric is to hold it.
    pub(super) fn take(&mut self, packet: PacketId) -> Packet {
        self.packets.remove(packet);
        self.packets[packet].clone()
    }

    /// Puts a packet, which carries its first ports, at the beginning of its route.
    fn insert_at_source(&mut self, mut packet: Packet) -> PacketId {
        let (source, destination) = (packet.source, packet.destination);
        let (row, column) = self.pair(source, destination);
        let stops = self.stops.between(row, column).into();
        let ports = u32::from(packet.step_count) + 1;
        packet.flits = self.model.packet_flits(ports, stops, packet.payload_bytes);
        packet.step = 0;
        packet.in_transit_stops = 0;
        packet.dropped_at = Maybe::NONE;
        self.packets.insert(packet)
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
            let (source, destination, step) = (state.source, state.destination, state.step);
            let ports = self.ports_from(source, destination, step);
            self.packets[packet].ports = ports;
        }
    }

    /// The head of a packet takes some steps back, which it was to take later.
    pub(super) fn take_back(&mut self, packet: PacketId, steps: u16) {
        self.hops -= u64::from(steps);
        let state = &mut self.packets[packet];
        state.flits += u32::from(steps);
        state.step -= steps;
        let (source, destination, step) = (state.source, state.destination, state.step);
        let carried_from = step - step % CARRIED;
        let ports = self.ports_from(source, destination, carried_from);
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
        }
    }

    /// The ports on the way of a packet, the final one left out.
    pub(super) fn steps(&self, packet: PacketId) -> Steps<'a> {
        let state = &self.packets[packet];
        self.steps_between(state.source, state.destination)
    }

    /// The ports on the way from one host to another, the final one left out.
    #[inline]
    fn steps_between(&self, source: HostId, destination: HostId) -> Steps<'a> {
        let (row, column) = self.pair(source, destination);
        self.routes.steps_between(row, column)
    }

    /// The endpoints of the routes that two hosts stand for.
    #[inline]
    fn pair(&self, source: HostId, destination: HostId) -> (usize, usize) {
        match self.routes.granularity() {
            PairGranularity::Host => (source.index(), destination.index()),
            PairGranularity::Switch => (
                self.host_switches[source].index(),
                self.host_switches[destination].index(),
            ),
        }
    }

    /// The ports taken from a step on, as a packet carries them.
    fn ports_from(&self, source: HostId, destination: HostId, step: u16) -> u64 {
        let mut steps = self.steps_between(source, destination);
        if let Some(before) = step.checked_sub(1) {
            steps.nth(before.into());
        }
        self.carried(steps, destination)
    }

    /// The first ports of what is left of a way, as a packet carries them.
    #[inline]
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
