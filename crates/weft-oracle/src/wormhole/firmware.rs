//! The firmware of NICs, by the rules of [`weft_model::Firmware`].

use super::Oracle;
use super::flit::Flit;
use super::nic::{Outgoing, Place, Receiving};
use std::collections::VecDeque;
use weft_fabric::HostId;
use weft_model::{EARLY_FLITS, Firmware, NicModel, PacketRecord};

/// A transfer of the host's DMA engine.
#[derive(Clone, Debug)]
enum Transfer {
    /// Of a packet to the NIC, to be sent.
    ToNic(Outgoing, u32),
    /// Of a packet that has arrived, to host memory.
    ToHost(PacketRecord),
}

impl Transfer {
    fn bytes(&self) -> u32 {
        match self {
            Self::ToNic(_, payload_bytes) => *payload_bytes,
            Self::ToHost(record) => record.payload_bytes,
        }
    }
}

/// What the processor is doing.
#[derive(Clone, Debug)]
enum Handler {
    /// The first flits of a packet, in transit or not, are here; in transit, it may be sent at once.
    EarlyReceive {
        in_transit: bool,
        sends: bool,
    },
    Sent,
    Forward,
    /// A packet is here: what to bring to the host of it, unless it is in transit.
    Received(Option<PacketRecord>),
    Send,
    Transferred(Transfer),
    Doorbell(Outgoing, u32),
}

/// The firmware of one NIC at work.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// Packets of which the first flits are here: whether each is in transit.
    early: VecDeque<bool>,
    /// The packet that was being sent has left.
    pub(super) sent: bool,
    received: VecDeque<Option<PacketRecord>>,
    /// Packets of the host's that are here.
    ready: VecDeque<Outgoing>,
    transferred: VecDeque<Transfer>,
    /// The handler that runs, and the cycle it ends in.
    handler: Option<(u64, Handler)>,
    /// The transfer under way, and the cycle it is over in; those asked for.
    transfer: Option<(u64, Transfer)>,
    transfers: VecDeque<Transfer>,
    /// A handler has the Send machine, or a packet is being sent, or has been and it is not handled.
    is_send_taken: bool,
    sends_local: bool,
    buffers_taken: u32,
    /// Flits here of the packet that arrives.
    flits_here: u32,
}

impl Control {
    /// Notes a flit that has arrived and was not dropped.
    pub(super) fn note_flit(&mut self, flit: Flit, in_transit: bool, firmware: &Firmware) {
        self.flits_here += 1;
        let is_early =
            self.flits_here == EARLY_FLITS || (flit.is_last() && self.flits_here < EARLY_FLITS);
        if is_early && firmware.handles_in_transit {
            self.early.push_back(in_transit);
        }
        if flit.is_last() {
            self.flits_here = 0;
        }
    }

    /// Notes a packet that has arrived undamaged: its record, or that it is in transit.
    pub(super) fn note_received(&mut self, record: Option<PacketRecord>) {
        self.received.push_back(record);
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
        let control = &mut self.nics[host.index()].control;
        if let Some((_, transfer)) = control.transfer.take_if(|(over, _)| *over == now) {
            control.transferred.push_back(transfer);
        }
        if let Some((_, handler)) = control.handler.take_if(|(ends, _)| *ends == now) {
            self.take_effect(host, handler, delivered);
        }
        let nic = &mut self.nics[host.index()];
        if nic.control.transfer.is_none()
            && let Some(transfer) = nic.control.transfers.pop_front()
        {
            let receives = nic.receiving != Receiving::Nothing;
            let others = u32::from(nic.sending.is_some()) + u32::from(receives);
            let cycles = firmware.transfer_cycles(transfer.bytes(), others);
            nic.control.transfer = Some((now + cycles, transfer));
        }
        if nic.control.handler.is_none() {
            let next = self.next_handler(host, firmware);
            let control = &mut self.nics[host.index()].control;
            control.handler =
                next.map(|(handler, cost)| (now + firmware.handler_cycles(cost), handler));
        }
    }

    /// The handler of the most urgent event, and its cost.
    fn next_handler(&mut self, host: HostId, firmware: &Firmware) -> Option<(Handler, u32)> {
        let now = self.now;
        let nic = &mut self.nics[host.index()];
        let waits = nic.in_transit.front().is_some_and(|packet| packet.was_seen);
        let is_ready = nic
            .in_transit
            .front()
            .is_some_and(|packet| packet.ready_cycle <= now);
        let pooled = |packet: &Outgoing| packet.place == Place::Pool;
        let is_first_pooled = nic.in_transit.front().is_some_and(pooled);
        let control = &mut nic.control;
        if let Some(in_transit) = control.early.pop_front() {
            let sends = in_transit && !waits && is_first_pooled && !control.is_send_taken;
            control.is_send_taken |= sends;
            let forward = if sends { firmware.forward_cycles } else { 0 };
            let handler = Handler::EarlyReceive { in_transit, sends };
            return Some((handler, firmware.early_receive_cycles + forward));
        }
        if std::mem::take(&mut control.sent) {
            return Some((Handler::Sent, firmware.sent_cycles));
        }
        if waits && is_ready && !control.is_send_taken {
            control.is_send_taken = true;
            return Some((Handler::Forward, firmware.forward_cycles));
        }
        if let Some(record) = control.received.pop_front() {
            return Some((Handler::Received(record), firmware.received_cycles));
        }
        if !control.ready.is_empty() && !control.is_send_taken {
            control.is_send_taken = true;
            return Some((Handler::Send, firmware.send_cycles));
        }
        if let Some(transfer) = control.transferred.pop_front() {
            return Some((Handler::Transferred(transfer), firmware.transferred_cycles));
        }
        if control.buffers_taken < firmware.send_buffers.get() && nic.has_local(now) {
            let (sequence, packet) = nic.take_local(now);
            nic.control.buffers_taken += 1;
            let outgoing = self.begin_attempt(host, sequence, packet);
            let handler = Handler::Doorbell(outgoing, packet.payload_bytes);
            return Some((handler, firmware.doorbell_cycles));
        }
        None
    }

    fn take_effect(&mut self, host: HostId, handler: Handler, delivered: &mut Vec<PacketRecord>) {
        let now = self.now;
        let overflow_cycles = self.overflow_cycles();
        let nic = &mut self.nics[host.index()];
        match handler {
            Handler::EarlyReceive { sends: true, .. } | Handler::Forward => {
                nic.sending = nic.in_transit.pop_front();
                nic.control.sends_local = false;
                self.packet_hops += 1;
            }
            Handler::EarlyReceive {
                in_transit: true, ..
            } => {
                let unseen = nic.in_transit.iter_mut().find(|packet| !packet.was_seen);
                // Invariant: a packet in transit waits until its first flits were handled.
                let packet = unseen.unwrap_or_else(|| unreachable!("its mark came first"));
                packet.was_seen = true;
                packet.ready_cycle = match packet.place {
                    Place::HostMemory => now + overflow_cycles,
                    Place::Local | Place::Pool => now,
                };
            }
            Handler::EarlyReceive { .. } | Handler::Received(None) => {}
            Handler::Sent => {
                nic.control.is_send_taken = false;
                nic.control.buffers_taken -= u32::from(nic.control.sends_local);
            }
            Handler::Received(Some(record)) => {
                nic.control.transfers.push_back(Transfer::ToHost(record));
            }
            Handler::Send => {
                nic.sending = nic.control.ready.pop_front();
                nic.control.sends_local = true;
                self.packet_hops += 1;
            }
            Handler::Transferred(Transfer::ToNic(packet, _)) => {
                nic.control.ready.push_back(packet);
            }
            Handler::Transferred(Transfer::ToHost(record)) => {
                let delivery_cycle = now;
                let record = PacketRecord {
                    delivery_cycle,
                    ..record
                };
                self.deliver(record, delivered);
            }
            Handler::Doorbell(packet, bytes) => {
                let transfer = Transfer::ToNic(packet, bytes);
                nic.control.transfers.push_back(transfer);
            }
        }
    }
}
