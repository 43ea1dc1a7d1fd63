//! The firmware of NICs, by the rules of [`weft_model::Firmware`]: what has happened is noted when its
//! event comes, and the processor looked at then.

use super::backlog::{Backlog, Sending};
use crate::cycle::Cycle;
use crate::ids::PacketId;
use crate::wormhole::clock::Clock;
use crate::wormhole::event::Event;
use crate::wormhole::flow::{ComingHead, Flow, Timing};
use crate::wormhole::traffic::Traffic;
use std::collections::VecDeque;
use weft_fabric::{ChannelId, HostId};
use weft_model::workload::Workload;
use weft_model::{EARLY_FLITS, Firmware, NicModel, PacketRecord};

/// A transfer of the host's DMA engine.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transfer {
    /// Of a packet to the NIC, to be sent.
    ToNic { packet: PacketId, bytes: u32 },
    /// Of a packet that has arrived, to host memory.
    ToHost(PacketRecord),
}

/// What the processor is doing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Handler {
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
    Doorbell {
        packet: PacketId,
        bytes: u32,
    },
}

/// A packet on its way to the NIC, until enough of it is here for an early receive.
#[derive(Clone, Copy, Debug)]
struct Coming {
    head_arrival: Cycle,
    packet: PacketId,
    in_transit: bool,
    /// Index, among all flits that ever arrived at the host, of the first one that is not needed.
    needed_before: u64,
    /// Cycle a look is planned for.
    look_at: Cycle,
}

/// A packet that has left for the NIC as a whole.
#[derive(Clone, Copy, Debug)]
struct Reception {
    /// Cycle its last flit arrives in.
    due: Cycle,
    /// Flits that have ever arrived at the host by then.
    flits: u64,
    what: Received,
}

/// What firmware asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed {
    Send(Sending),
    /// A packet is in host memory.
    Deliver(PacketRecord),
}

/// What has arrived with a packet's last flit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Received {
    /// Nothing of use: it was dropped or is damaged.
    Nothing,
    /// A packet in transit, unless it is dropped before.
    InTransit(PacketId),
    Delivery(PacketRecord),
}

/// The firmware of one NIC at work.
#[derive(Debug)]
pub(super) struct Control {
    firmware: Firmware,
    coming: VecDeque<Coming>,
    receptions: VecDeque<Reception>,
    /// Flits of all packets that have arrived as a whole.
    whole_flits: u64,
    /// Packets of which the first flits are here: whether each is in transit.
    early: VecDeque<bool>,
    /// The packet that was being sent has left.
    pub(super) sent: bool,
    received: VecDeque<Option<PacketRecord>>,
    /// Packets of the host's that are here.
    ready: VecDeque<PacketId>,
    transferred: VecDeque<Transfer>,
    /// The handler that runs, and the cycle it ends in.
    handler: Option<(Cycle, Handler)>,
    /// The transfer under way, and the cycle it is over in; those asked for.
    transfer: Option<(Cycle, Transfer)>,
    transfers: VecDeque<Transfer>,
    /// A handler has the Send machine, or a packet is being sent, or has been and it is not handled.
    is_send_taken: bool,
    /// The channel out of the host works.
    pub(super) is_connected: bool,
    sends_local: bool,
    buffers_taken: u32,
}

impl Control {
    /// The firmware at work, if the model has any.
    pub(super) fn of(nic: NicModel) -> Option<Box<Self>> {
        let NicModel::Firmware(firmware) = nic else {
            return None;
        };
        Some(Box::new(Self {
            firmware,
            coming: VecDeque::new(),
            receptions: VecDeque::new(),
            whole_flits: 0,
            early: VecDeque::new(),
            sent: false,
            received: VecDeque::new(),
            ready: VecDeque::new(),
            transferred: VecDeque::new(),
            handler: None,
            transfer: None,
            transfers: VecDeque::new(),
            is_send_taken: false,
            is_connected: true,
            sends_local: false,
            buffers_taken: 0,
        }))
    }

    /// A packet is dropped as it arrives: it raises no event.
    pub(super) fn forget(&mut self, packet: PacketId) {
        if self
            .coming
            .front()
            .is_some_and(|coming| coming.packet == packet)
        {
            self.coming.pop_front();
        }
        for reception in &mut self.receptions {
            if matches!(reception.what, Received::InTransit(other) if other == packet) {
                reception.what = Received::Nothing;
            }
        }
    }

    /// The head of a packet will arrive in some cycle, or it is not known when.
    pub(super) fn expect_early(
        &mut self,
        clock: &mut Clock,
        host: HostId,
        head: &ComingHead,
        delivers: bool,
    ) {
        if !self.firmware.handles_in_transit {
            return;
        }
        let needed = head.flits.min(EARLY_FLITS);
        let needed_before = head.first_index + u64::from(needed);
        let known = self.coming.back();
        if known.is_none_or(|coming| coming.needed_before != needed_before) {
            self.coming.push_back(Coming {
                head_arrival: head.arrival,
                packet: head.packet,
                in_transit: !delivers,
                needed_before,
                look_at: Cycle::NEVER,
            });
        }
        if let Some(coming) = self.coming.back_mut() {
            coming.head_arrival = head.arrival;
            if !head.arrival.is_never() {
                coming.look_at = head.arrival + u64::from(needed - 1) * head.pace;
                clock.plan(coming.look_at, Event::Nic(host));
            }
        }
    }

    /// A packet's tail will have arrived when it is due, and so many flits in all.
    pub(super) fn expect_tail(
        &mut self,
        clock: &mut Clock,
        host: HostId,
        due: Cycle,
        flits: u64,
        what: Received,
    ) {
        self.receptions.push_back(Reception { due, flits, what });
        if due > clock.now() {
            clock.plan(due, Event::Nic(host));
        } else {
            clock.undecided.push(host);
        }
    }

    /// Notes what has arrived, and whether a transfer is over.
    pub(super) fn note_arrivals<T: Timing>(
        &mut self,
        clock: &mut Clock,
        flow: &Flow<T>,
        host: HostId,
        ejection: ChannelId,
    ) {
        self.note_early(clock, flow, host, ejection);
        let now = clock.now();
        while let Some(&reception) = self.receptions.front().filter(|r| r.due <= now) {
            self.receptions.pop_front();
            self.whole_flits = reception.flits;
            match reception.what {
                Received::Nothing => {}
                Received::InTransit(_) => self.received.push_back(None),
                Received::Delivery(record) => self.received.push_back(Some(record)),
            }
        }
        if let Some((_, transfer)) = self.transfer.take_if(|(over, _)| *over <= now) {
            self.transferred.push_back(transfer);
        }
    }

    /// Notes the packets of which enough is here.
    fn note_early<T: Timing>(
        &mut self,
        clock: &mut Clock,
        flow: &Flow<T>,
        host: HostId,
        ejection: ChannelId,
    ) {
        let now = clock.now();
        while let Some(coming) = self.coming.front_mut() {
            if coming.head_arrival > now || coming.look_at > now {
                return;
            }
            if flow.arrived_through(ejection, now) < coming.needed_before {
                // The flits behind the head were held up; that is rare, and soon over.
                coming.look_at = now + 1;
                clock.plan(now + 1, Event::Nic(host));
                return;
            }
            self.early.push_back(coming.in_transit);
            self.coming.pop_front();
        }
    }

    /// Begins a transfer that was asked for, if none is under way.
    pub(super) fn begin_transfer<T: Timing>(
        &mut self,
        clock: &mut Clock,
        flow: &Flow<T>,
        host: HostId,
        injection: ChannelId,
    ) {
        if self.transfer.is_some() {
            return;
        }
        let Some(transfer) = self.transfers.pop_front() else {
            return;
        };
        let now = clock.now();
        let bytes = match transfer {
            Transfer::ToNic { bytes, .. } => bytes,
            Transfer::ToHost(record) => record.payload_bytes,
        };
        let sends = flow.packet(injection).is_some();
        let receives = flow.arrived_through(injection.reverse(), now) > self.whole_flits;
        let others = u32::from(sends) + u32::from(receives);
        let over = now + self.firmware.transfer_cycles(bytes, others);
        self.transfer = Some((over, transfer));
        clock.plan(over, Event::Nic(host));
    }

    /// Begins the handler of the most urgent event, if none is running. None is for a packet that the host has no
    /// route for, which is returned.
    pub(super) fn begin_handler(
        &mut self,
        clock: &mut Clock,
        traffic: &mut Traffic<'_>,
        host: HostId,
        backlog: &mut Backlog,
        workload: &Workload,
    ) -> Option<PacketId> {
        if self.handler.is_some() {
            return None;
        }
        let (handler, cost) = self.next_handler(clock, traffic, backlog, workload)?;
        if let Handler::Doorbell { packet, .. } = handler {
            if !traffic.packets[packet].has_route {
                return Some(packet);
            }
            self.buffers_taken += 1;
        }
        let ends = clock.now() + self.firmware.handler_cycles(cost);
        self.handler = Some((ends, handler));
        clock.plan(ends, Event::Nic(host));
        None
    }

    /// The handler of the most urgent event, and its cost.
    fn next_handler(
        &mut self,
        clock: &mut Clock,
        traffic: &mut Traffic<'_>,
        backlog: &mut Backlog,
        workload: &Workload,
    ) -> Option<(Handler, u32)> {
        let now = clock.now();
        let firmware = self.firmware;
        let front = backlog.in_transit.front();
        let waits = front.is_some_and(|packet| !packet.ready.is_never());
        let is_ready = front.is_some_and(|packet| packet.ready <= now);
        let is_pooled = front.is_some_and(|packet| packet.pooled);
        let can_send = !self.is_send_taken && self.is_connected;
        if let Some(in_transit) = self.early.pop_front() {
            let sends = in_transit && !waits && is_pooled && can_send;
            self.is_send_taken |= sends;
            let forward = if sends { firmware.forward_cycles } else { 0 };
            let handler = Handler::EarlyReceive { in_transit, sends };
            return Some((handler, firmware.early_receive_cycles + forward));
        }
        if std::mem::take(&mut self.sent) {
            return Some((Handler::Sent, firmware.sent_cycles));
        }
        if is_ready && can_send {
            self.is_send_taken = true;
            return Some((Handler::Forward, firmware.forward_cycles));
        }
        if let Some(record) = self.received.pop_front() {
            return Some((Handler::Received(record), firmware.received_cycles));
        }
        if !self.ready.is_empty() && can_send {
            self.is_send_taken = true;
            return Some((Handler::Send, firmware.send_cycles));
        }
        if let Some(transfer) = self.transferred.pop_front() {
            return Some((Handler::Transferred(transfer), firmware.transferred_cycles));
        }
        if self.buffers_taken < firmware.send_buffers.get() {
            if let Some(packet) = backlog.take_local(now, workload, traffic) {
                let bytes = traffic.packets[packet].payload_bytes;
                let handler = Handler::Doorbell { packet, bytes };
                return Some((handler, firmware.doorbell_cycles));
            }
            backlog.wake_for_local(clock, workload);
        }
        None
    }

    /// What the handler that has ended by now, if one has, does and asks for.
    pub(super) fn take_effect(
        &mut self,
        clock: &mut Clock,
        host: HostId,
        backlog: &mut Backlog,
        overflow_cycles: u64,
    ) -> Option<Deed> {
        let now = clock.now();
        let (_, handler) = self.handler.take_if(|(ends, _)| *ends <= now)?;
        match handler {
            Handler::EarlyReceive { sends: true, .. } | Handler::Forward => {
                self.sends_local = false;
                let Some(packet) = backlog.in_transit.pop_front() else {
                    unreachable!("a packet in transit is here")
                };
                return Some(Deed::Send(Sending::InTransit(packet)));
            }
            Handler::EarlyReceive {
                in_transit: true, ..
            } => {
                let waiting = backlog.in_transit.iter_mut();
                let mut unseen = waiting.filter(|packet| packet.ready.is_never());
                if let Some(packet) = unseen.next() {
                    packet.ready = now + if packet.pooled { 0 } else { overflow_cycles };
                    if packet.ready > now {
                        clock.plan(packet.ready, Event::Nic(host));
                    }
                }
            }
            Handler::EarlyReceive { .. } | Handler::Received(None) => {}
            Handler::Sent => {
                self.is_send_taken = false;
                self.buffers_taken -= u32::from(self.sends_local);
            }
            Handler::Received(Some(record)) => {
                self.transfers.push_back(Transfer::ToHost(record));
            }
            Handler::Send => {
                self.sends_local = true;
                let Some(packet) = self.ready.pop_front() else {
                    unreachable!("a packet is here")
                };
                return Some(Deed::Send(Sending::Local(packet)));
            }
            Handler::Transferred(Transfer::ToNic { packet, .. }) => self.ready.push_back(packet),
            Handler::Transferred(Transfer::ToHost(record)) => {
                return Some(Deed::Deliver(PacketRecord {
                    delivery_cycle: now.number(),
                    ..record
                }));
            }
            Handler::Doorbell { packet, bytes } => {
                let transfer = Transfer::ToNic { packet, bytes };
                self.transfers.push_back(transfer);
            }
        }
        None
    }
}
