//! NICs with firmware, by the rules of [`weft_model::Firmware`]: steps 1 to 3 of a cycle are the three
//! of [`Oracle::run_firmware`], and the rows of the table of events the variants of [`Event`].

use super::Oracle;
use super::flit::Flit;
use super::nic::{Outgoing, Place, Receiving};
use crate::pauses::{Digest, Due};
use std::collections::VecDeque;
use weft_fabric::HostId;
use weft_model::{EARLY_FLITS, Firmware, NicModel, PacketRecord};

/// What a handler is run for, the most urgent first.
#[derive(Clone, Debug)]
enum Event {
    /// The first flits of a packet are here.
    EarlyReceive { in_transit: bool, is_sent_on: bool },
    /// The packet that was being sent has left.
    Sent,
    /// A packet in transit waits, and may be sent.
    Forward,
    /// A packet is here; with its record, the host is its destination.
    Received(Option<PacketRecord>),
    /// A packet of the host's is here, and may be sent.
    Send,
    /// The DMA engine of the host is done.
    Transferred(Transfer),
    /// The host has a packet, and there is a buffer for it; the packet, once the handler has started.
    Doorbell(Option<(Outgoing, u32)>),
}

impl Event {
    /// The row of the table that it stands in, and what its handler costs the processor.
    fn row(&self, firmware: &Firmware) -> (u32, u32) {
        match self {
            Self::EarlyReceive { is_sent_on, .. } => {
                let forward = u32::from(*is_sent_on) * firmware.forward_cycles;
                (1, firmware.early_receive_cycles + forward)
            }
            Self::Sent => (2, firmware.sent_cycles),
            Self::Forward => (3, firmware.forward_cycles),
            Self::Received(_) => (4, firmware.received_cycles),
            Self::Send => (5, firmware.send_cycles),
            Self::Transferred(_) => (6, firmware.transferred_cycles),
            Self::Doorbell(_) => (7, firmware.doorbell_cycles),
        }
    }
}

/// A packet that the DMA engine of the host moves.
#[derive(Clone, Debug)]
enum Transfer {
    /// From the host, with its payload in bytes.
    FromHost(Outgoing, u32),
    ToHost(PacketRecord),
}

/// The processor of a NIC and its DMA engine of the host.
#[derive(Debug, Default)]
pub(super) struct Machines {
    /// What has happened and no handler was run for, in that order.
    noted: VecDeque<Event>,
    /// What the processor does, and the cycle it ends in.
    running: Option<(Event, u64)>,
    /// What the DMA engine of the host moves, and the cycle it ends in.
    moving: Option<(Transfer, u64)>,
    /// What it is to move.
    to_move: VecDeque<Transfer>,
    /// Packets of the host's that are in the NIC.
    in_buffers: VecDeque<Outgoing>,
    buffers_taken: u32,
    is_send_taken: bool,
    /// What is being sent, or was and its end is not handled, came from a send buffer.
    sends_from_buffer: bool,
    /// Flits that are here of the packet that arrives.
    flits_arrived: u32,
}

impl Machines {
    pub(super) fn digest(&self, digest: &mut Digest) {
        digest.add([self.noted.len(), self.to_move.len(), self.in_buffers.len()]);
        digest.add(self.running.as_ref().map(|(_, end)| *end));
        digest.add(self.moving.as_ref().map(|(_, end)| *end));
        digest.add([self.buffers_taken, self.flits_arrived]);
        digest.add([self.is_send_taken, self.sends_from_buffer]);
    }

    /// What the passing of time alone brings about.
    pub(super) fn find_due(&self, due: &mut Due) {
        due.any(&self.running, |(_, end)| *end);
        due.any(&self.moving, |(_, end)| *end);
    }

    /// Notes that a flit has arrived and was not dropped: the mark of a packet in transit is one, too.
    pub(super) fn note_flit(&mut self, flit: Flit, in_transit: bool, firmware: &Firmware) {
        self.flits_arrived += 1;
        let is_short = flit.is_last() && self.flits_arrived < EARLY_FLITS;
        if firmware.handles_in_transit && (self.flits_arrived == EARLY_FLITS || is_short) {
            let is_sent_on = false;
            self.noted.push_back(Event::EarlyReceive {
                in_transit,
                is_sent_on,
            });
        }
        if flit.is_last() {
            self.flits_arrived = 0;
        }
    }

    /// Notes that a packet is here undamaged: its record at its destination, none in transit.
    pub(super) fn note_received(&mut self, record: Option<PacketRecord>) {
        self.noted.push_back(Event::Received(record));
    }

    /// Notes that the last flit of a packet has left.
    pub(super) fn note_sent(&mut self) {
        self.noted.push_back(Event::Sent);
    }
}

impl Oracle<'_> {
    pub(super) fn firmware(&self) -> Option<Firmware> {
        match self.model.nic {
            NicModel::Delays { .. } => None,
            NicModel::Firmware(firmware) => Some(firmware),
        }
    }

    /// Phase 3, a NIC with firmware.
    pub(super) fn run_firmware(
        &mut self,
        host: HostId,
        firmware: &Firmware,
        delivered: &mut Vec<PacketRecord>,
    ) {
        let now = self.now;
        let machines = &mut self.machines[host.index()];
        if let Some((transfer, _)) = machines.moving.take_if(|(_, end)| *end == now) {
            machines.noted.push_back(Event::Transferred(transfer));
        }
        if let Some((event, _)) = machines.running.take_if(|(_, end)| *end == now) {
            self.handled(host, event, delivered);
        }
        self.start_transfer(host, firmware);
        if self.machines[host.index()].running.is_none() {
            self.start_handler(host, firmware);
        }
    }

    /// Step 2.
    fn start_transfer(&mut self, host: HostId, firmware: &Firmware) {
        let nic = &self.nics[host.index()];
        let machines = &mut self.machines[host.index()];
        if machines.moving.is_some() {
            return;
        }
        let Some(transfer) = machines.to_move.pop_front() else {
            return;
        };
        let bytes = match &transfer {
            Transfer::FromHost(_, bytes) => *bytes,
            Transfer::ToHost(record) => record.payload_bytes,
        };
        let receives = nic.receiving != Receiving::Nothing;
        let others = u64::from(nic.sending.is_some()) + u64::from(receives);
        let per_kib = u64::from(firmware.transfer_cycles_per_kib);
        let start = u64::from(firmware.transfer_start_cycles);
        let alone = start + (u64::from(bytes) * per_kib).div_ceil(1024);
        let percent = 100 + u64::from(firmware.contention_percent) * others;
        let cycles = (alone * percent / 100).max(1);
        machines.moving = Some((transfer, self.now + cycles));
    }

    /// Step 3.
    fn start_handler(&mut self, host: HostId, firmware: &Firmware) {
        let Some(mut event) = self.take_most_urgent(host, firmware) else {
            return;
        };
        let is_connected = self.is_connected(host);
        let nic = &mut self.nics[host.index()];
        let first_in_transit = nic.in_transit.front();
        let machines = &mut self.machines[host.index()];
        match &mut event {
            Event::EarlyReceive {
                in_transit: true,
                is_sent_on,
            } => {
                // If none waits, the packet whose flits are here is the first.
                let may_leave = |packet: &Outgoing| !packet.was_seen && packet.place == Place::Pool;
                *is_sent_on = !machines.is_send_taken
                    && is_connected
                    && first_in_transit.is_some_and(may_leave);
                machines.is_send_taken |= *is_sent_on;
            }
            Event::Forward | Event::Send => machines.is_send_taken = true,
            Event::Doorbell(packet) => {
                let taken = nic.take_local(self.now);
                let bytes = taken.packet.payload_bytes;
                let Some(begun) = self.begin_attempt(host, taken) else {
                    return;
                };
                self.machines[host.index()].buffers_taken += 1;
                *packet = Some((begun, bytes));
            }
            _ => {}
        }
        let cycles = u64::from(firmware.dispatch_cycles) + u64::from(event.row(firmware).1);
        let end = self.now + cycles.max(1);
        self.machines[host.index()].running = Some((event, end));
    }

    /// The most urgent event there is, of those of a row the one that happened first.
    fn take_most_urgent(&mut self, host: HostId, firmware: &Firmware) -> Option<Event> {
        let (now, is_connected) = (self.now, self.is_connected(host));
        let nic = &self.nics[host.index()];
        let may_be_sent = |packet: &Outgoing| packet.was_seen && packet.ready_cycle <= now;
        let has_in_transit = nic.in_transit.front().is_some_and(may_be_sent);
        let has_local = nic.local_length(now) > 0;
        let machines = &mut self.machines[host.index()];
        let can_send = !machines.is_send_taken && is_connected;
        let has_buffer = machines.buffers_taken < firmware.send_buffers.get();
        let row = |event: &Event| event.row(firmware).0;
        let noted = (0..machines.noted.len()).min_by_key(|&place| row(&machines.noted[place]));
        let possible = [
            (has_in_transit && can_send, Event::Forward),
            (!machines.in_buffers.is_empty() && can_send, Event::Send),
            (has_local && has_buffer, Event::Doorbell(None)),
        ];
        let possible = possible.into_iter().find(|(is_so, _)| *is_so);
        match (noted, possible) {
            (Some(place), Some((_, event))) if row(&event) < row(&machines.noted[place]) => {
                Some(event)
            }
            (Some(place), _) => machines.noted.remove(place),
            (None, possible) => possible.map(|(_, event)| event),
        }
    }

    /// The handler of an event has ended.
    fn handled(&mut self, host: HostId, event: Event, delivered: &mut Vec<PacketRecord>) {
        let now = self.now;
        let overflow_cycles = self.overflow_cycles();
        let mut begins = false;
        let nic = &mut self.nics[host.index()];
        let machines = &mut self.machines[host.index()];
        match event {
            Event::EarlyReceive {
                is_sent_on: true, ..
            }
            | Event::Forward => {
                machines.sends_from_buffer = false;
                nic.sending = nic.in_transit.pop_front();
                self.packet_hops += 1;
                begins = true;
            }
            Event::EarlyReceive { in_transit, .. } => {
                let mut packets = nic.in_transit.iter_mut();
                if in_transit && let Some(packet) = packets.find(|packet| !packet.was_seen) {
                    packet.was_seen = true;
                    let is_outside = packet.place == Place::HostMemory;
                    packet.ready_cycle = now + u64::from(is_outside) * overflow_cycles;
                }
            }
            Event::Sent => {
                machines.is_send_taken = false;
                if machines.sends_from_buffer {
                    machines.buffers_taken -= 1;
                }
            }
            Event::Received(None) => {}
            Event::Received(Some(record)) => machines.to_move.push_back(Transfer::ToHost(record)),
            Event::Send => {
                machines.sends_from_buffer = true;
                nic.sending = machines.in_buffers.pop_front();
                self.packet_hops += 1;
                begins = true;
            }
            Event::Transferred(Transfer::FromHost(packet, _)) => {
                machines.in_buffers.push_back(packet);
            }
            Event::Transferred(Transfer::ToHost(mut record)) => {
                record.delivery_cycle = now;
                self.deliver(record, delivered);
            }
            Event::Doorbell(packet) => {
                let transfer = packet.map(|(packet, bytes)| Transfer::FromHost(packet, bytes));
                machines.to_move.extend(transfer);
            }
        }
        if begins && !self.is_connected(host) {
            let sending = self.nics[host.index()].sending.as_ref();
            self.break_attempt(sending.map(|packet| packet.attempt));
        }
    }
}
