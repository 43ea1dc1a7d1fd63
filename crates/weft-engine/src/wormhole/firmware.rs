//! The firmware of NICs, by the rules of [`weft_model::Firmware`]: what has happened is noted when its
//! event comes, and the processor looked at then.

use super::Core;
use super::event::Event;
use super::run::{Run, Stride, Timing};
use super::state::NONE;
use crate::queue::NEVER;
use std::collections::VecDeque;
use weft_model::{EARLY_FLITS, Firmware, NicModel, PacketRecord};

/// A transfer of the host's DMA engine.
#[derive(Clone, Copy, Debug)]
enum Transfer {
    /// Of a packet to the NIC, to be sent.
    ToNic { packet: u32, bytes: u32 },
    /// Of a packet that has arrived, to host memory.
    ToHost(PacketRecord),
}

/// What the processor is doing.
#[derive(Clone, Copy, Debug)]
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
    Doorbell {
        packet: u32,
        bytes: u32,
    },
}

/// A packet on its way to the NIC, until enough of it is here for an early receive.
#[derive(Clone, Copy, Debug)]
struct Coming {
    head_arrival: u64,
    packet: u32,
    in_transit: bool,
    /// Index, among all flits that ever arrived at the host, of the first one that is not needed.
    needed_before: u64,
    /// Cycle a look is planned for.
    look_at: u64,
}

/// A packet that has left for the NIC as a whole.
#[derive(Clone, Copy, Debug)]
struct Reception {
    /// Cycle its last flit arrives in.
    due: u64,
    /// Flits that have ever arrived at the host by then.
    flits: u64,
    what: Received,
}

/// What has arrived with a packet's last flit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Received {
    /// Nothing of use: it was dropped or is damaged.
    Nothing,
    /// A packet in transit, unless it is dropped before.
    InTransit(u32),
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
    sent: bool,
    received: VecDeque<Option<PacketRecord>>,
    /// Packets of the host's that are here.
    ready: VecDeque<u32>,
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
            sends_local: false,
            buffers_taken: 0,
        }))
    }

    /// The packet that was being sent has left.
    pub(super) fn note_sent(&mut self) {
        self.sent = true;
    }

    /// A packet is dropped as it arrives: it raises no event.
    pub(super) fn forget(&mut self, packet: u32) {
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
}

impl<T: Timing> Core<'_, T> {
    /// Tells a NIC with firmware when the head of a packet arrives.
    pub(super) fn expect_early(&mut self, channel: u32, host: u32, arrival: u64) {
        let output = &self.channels[channel as usize].output;
        let needed = output.flits.min(EARLY_FLITS);
        let new = Coming {
            head_arrival: arrival,
            packet: output.packet,
            in_transit: !output.delivers,
            needed_before: output.total_before_run + u64::from(needed),
            look_at: NEVER,
        };
        let pace = self.timing.pace(channel).cycles();
        let Some(control) = &mut self.nics[host as usize].control else {
            return;
        };
        if !control.firmware.handles_in_transit {
            return;
        }
        let coming = match control.coming.back_mut() {
            Some(coming) if coming.needed_before == new.needed_before => coming,
            _ => {
                control.coming.push_back(new);
                let last = control.coming.len() - 1;
                &mut control.coming[last]
            }
        };
        coming.head_arrival = arrival;
        if arrival != NEVER {
            coming.look_at = arrival + u64::from(needed - 1) * pace;
            self.queue.push(coming.look_at, Event::Nic.on(host));
        }
    }

    /// Tells a NIC with firmware that a packet's tail has been sent to it, at the end of `run`.
    pub(super) fn expect_tail(&mut self, host: u32, run: Run<T::Stride>, what: Received) {
        let nic = &mut self.nics[host as usize];
        let ejection = nic.channel ^ 1;
        let Some(control) = &mut nic.control else {
            return;
        };
        let due = run.end + self.timing.latency(ejection);
        let flits = self.channels[ejection as usize].output.total_before_run;
        control.receptions.push_back(Reception { due, flits, what });
        if due > self.now {
            self.queue.push(due, Event::Nic.on(host));
        } else {
            self.undecided.push(host);
        }
    }

    /// Phase 3 of a NIC with firmware.
    pub(super) fn run_firmware(&mut self, host: u32, control: &mut Control) {
        let now = self.now;
        self.note_early(host, control);
        while let Some(reception) = control.receptions.front().filter(|r| r.due <= now) {
            control.whole_flits = reception.flits;
            match reception.what {
                Received::Nothing => {}
                Received::InTransit(_) => control.received.push_back(None),
                Received::Delivery(record) => control.received.push_back(Some(record)),
            }
            control.receptions.pop_front();
        }
        if let Some((_, transfer)) = control.transfer.take_if(|(over, _)| *over <= now) {
            control.transferred.push_back(transfer);
        }
        if let Some((_, handler)) = control.handler.take_if(|(ends, _)| *ends <= now) {
            self.take_effect(host, control, handler);
        }
        if control.transfer.is_none()
            && let Some(transfer) = control.transfers.pop_front()
        {
            let bytes = match transfer {
                Transfer::ToNic { bytes, .. } => bytes,
                Transfer::ToHost(record) => record.payload_bytes,
            };
            let injection = self.nics[host as usize].channel;
            let sends = self.channels[injection as usize].output.packet != NONE;
            let receives = self.arrived_through(injection ^ 1, now) > control.whole_flits;
            let others = u32::from(sends) + u32::from(receives);
            let over = now + control.firmware.transfer_cycles(bytes, others);
            control.transfer = Some((over, transfer));
            self.queue.push(over, Event::Nic.on(host));
        }
        if control.handler.is_none()
            && let Some((handler, cost)) = self.next_handler(host, control)
        {
            let ends = now + control.firmware.handler_cycles(cost);
            control.handler = Some((ends, handler));
            self.queue.push(ends, Event::Nic.on(host));
        }
    }

    /// Notes the packets of which enough is here.
    fn note_early(&mut self, host: u32, control: &mut Control) {
        let now = self.now;
        let ejection = self.nics[host as usize].channel ^ 1;
        while let Some(coming) = control.coming.front_mut() {
            if coming.head_arrival > now || coming.look_at > now {
                return;
            }
            if self.arrived_through(ejection, now) < coming.needed_before {
                // The flits behind the head were held up; that is rare, and soon over.
                coming.look_at = now + 1;
                self.queue.push(now + 1, Event::Nic.on(host));
                return;
            }
            control.early.push_back(coming.in_transit);
            control.coming.pop_front();
        }
    }

    /// The handler of the most urgent event, and its cost.
    fn next_handler(&mut self, host: u32, control: &mut Control) -> Option<(Handler, u32)> {
        let now = self.now;
        let firmware = control.firmware;
        let front = self.nics[host as usize].in_transit.front();
        let waits = front.is_some_and(|packet| packet.ready != NEVER);
        let is_ready = front.is_some_and(|packet| packet.ready <= now);
        let is_pooled = front.is_some_and(|packet| packet.pooled);
        if let Some(in_transit) = control.early.pop_front() {
            let sends = in_transit && !waits && is_pooled && !control.is_send_taken;
            control.is_send_taken |= sends;
            let forward = if sends { firmware.forward_cycles } else { 0 };
            let handler = Handler::EarlyReceive { in_transit, sends };
            return Some((handler, firmware.early_receive_cycles + forward));
        }
        if std::mem::take(&mut control.sent) {
            return Some((Handler::Sent, firmware.sent_cycles));
        }
        if is_ready && !control.is_send_taken {
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
        if control.buffers_taken < firmware.send_buffers.get() {
            if let Some(packet) = self.take_local(host) {
                control.buffers_taken += 1;
                let bytes = self.packets[packet].payload_bytes;
                return Some((
                    Handler::Doorbell { packet, bytes },
                    firmware.doorbell_cycles,
                ));
            }
            self.wake_for_local(host);
        }
        None
    }

    fn take_effect(&mut self, host: u32, control: &mut Control, handler: Handler) {
        let now = self.now;
        match handler {
            Handler::EarlyReceive { sends: true, .. } | Handler::Forward => {
                control.sends_local = false;
                self.packet_hops += 1;
                self.send_in_transit(host);
            }
            Handler::EarlyReceive {
                in_transit: true, ..
            } => {
                let overflow_cycles = self.overflow_cycles();
                let waiting = self.nics[host as usize].in_transit.iter_mut();
                let mut unseen = waiting.filter(|packet| packet.ready == NEVER);
                if let Some(packet) = unseen.next() {
                    packet.ready = now + if packet.pooled { 0 } else { overflow_cycles };
                    if packet.ready > now {
                        self.queue.push(packet.ready, Event::Nic.on(host));
                    }
                }
            }
            Handler::EarlyReceive { .. } | Handler::Received(None) => {}
            Handler::Sent => {
                control.is_send_taken = false;
                control.buffers_taken -= u32::from(control.sends_local);
            }
            Handler::Received(Some(record)) => {
                control.transfers.push_back(Transfer::ToHost(record));
            }
            Handler::Send => {
                control.sends_local = true;
                self.packet_hops += 1;
                // Invariant: the handler was started for a packet that is here.
                let Some(packet) = control.ready.pop_front() else {
                    unreachable!("a packet is here")
                };
                self.send_local(host, packet);
            }
            Handler::Transferred(Transfer::ToNic { packet, .. }) => control.ready.push_back(packet),
            Handler::Transferred(Transfer::ToHost(record)) => self.deliver(PacketRecord {
                delivery_cycle: now,
                ..record
            }),
            Handler::Doorbell { packet, bytes } => {
                let transfer = Transfer::ToNic { packet, bytes };
                control.transfers.push_back(transfer);
            }
        }
    }
}
