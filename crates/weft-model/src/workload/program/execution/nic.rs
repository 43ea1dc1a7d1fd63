//! NICs: what they take from their hosts, and what becomes of the packets that come.

use super::bus::{Bus, Crossing, Outgoing};
use super::messages::{Parcel, Stage, Transfer};
use super::step::Step;
use crate::workload::program::messaging_parameters::Acknowledged;
use crate::workload::{Packet, Train};
use std::collections::VecDeque;

/// A NIC between the messaging layer and the network.
#[derive(Clone, Debug, Default)]
pub(super) struct Nic {
    pub(super) transfers: VecDeque<Transfer>,
    /// Packets taken that were not acknowledged.
    pub(super) unacknowledged: u64,
    /// With ack-wait: first cycle for the next packet.
    pub(super) free_cycle: u64,
    pub(super) bus: Bus,
    /// Acknowledgements to be generated: cycle, rank, the task there that ends with it.
    pub(super) acknowledgements: VecDeque<(u64, u32, Option<u64>)>,
}

impl Nic {
    /// The first cycle in which the next packet may be taken, if that is known.
    pub(super) fn take_cycle(&self, acknowledged: Acknowledged) -> Option<u64> {
        if self.transfers.is_empty() || self.bus.is_fetching() {
            return None;
        }
        match acknowledged {
            Acknowledged::Waited => (self.unacknowledged == 0).then_some(self.free_cycle),
            Acknowledged::No | Acknowledged::Unwaited => Some(0),
        }
    }
}

impl Step<'_> {
    /// What is across the bus leaves it.
    pub(super) fn leave_bus(&mut self) {
        if !self.program.messaging.has_bus() {
            // What waited for nothing but its preparing crosses in no time.
            self.begin_crossing();
        }
        let now = self.now;
        match self.own().nic.bus.across(now) {
            Some(Crossing::Out(packet)) => {
                self.send_packets(&packet);
            }
            Some(Crossing::In(from, parcel)) => self.store(from, parcel),
            None => {}
        }
    }

    pub(super) fn begin_crossing(&mut self) {
        let (now, messaging) = (self.now, &self.program.messaging);
        let cycles = |payload_bytes| messaging.bus_cycles(payload_bytes);
        self.own().nic.bus.begin(now, cycles);
    }

    /// A packet is noticed.
    pub(super) fn notice(&mut self, from: u32, parcel: Parcel) {
        let messaging = &self.program.messaging;
        match parcel {
            Parcel::Acknowledgement { ends } => {
                let free_cycle = self.now + messaging.next_packet_cycles;
                let rank = self.own();
                rank.nic.unacknowledged -= 1;
                rank.nic.free_cycle = free_cycle;
                if let Some(task) = ends {
                    rank.window.end(task);
                }
            }
            Parcel::Part { payload_bytes, .. } if messaging.has_bus() => {
                let cycles = messaging.bus_cycles(payload_bytes);
                self.own().nic.bus.bring(from, parcel, cycles);
            }
            Parcel::Part { .. } => self.store(from, parcel),
        }
    }

    /// A packet of data is stored.
    fn store(&mut self, from: u32, parcel: Parcel) {
        let Parcel::Part { message, ends, .. } = parcel else {
            return;
        };
        let messaging = &self.program.messaging;
        if messaging.acknowledged != Acknowledged::No {
            let due = self.now + messaging.acknowledge_cycles;
            self.own().nic.acknowledgements.push_back((due, from, ends));
        }
        let state = self.execution.messages.get(message);
        state.packets_left -= 1;
        if state.packets_left == 0 {
            self.stage_is_here(message);
        }
    }

    /// Hands a stage of a message to the NIC.
    pub(super) fn hand_over(&mut self, index: usize, stage: Stage) {
        let messaging = &self.program.messaging;
        let message = self.execution.messages.get(index);
        let (to, bytes) = match stage {
            Stage::Eager | Stage::Called => (message.to, message.bytes),
            Stage::Announcement => (message.to, u64::from(messaging.control_bytes)),
            Stage::Call => (message.from, u64::from(messaging.control_bytes)),
        };
        message.stage = stage;
        message.packets_left = if messaging.stores_as_one() {
            1
        } else {
            messaging.packets(bytes)
        };
        let ends_send = match stage {
            Stage::Eager => messaging.blocking,
            Stage::Called => true,
            Stage::Announcement | Stage::Call => false,
        };
        let transfer = Transfer {
            message: index,
            to,
            bytes_left: bytes,
            is_fetched: messaging.is_fetched(bytes),
            ends: ends_send.then_some(message.send),
        };
        self.own().nic.transfers.push_back(transfer);
    }

    /// The NIC takes packets; true if that ended a task.
    pub(super) fn transmit(&mut self) -> bool {
        let (now, messaging) = (self.now, &self.program.messaging);
        let mut has_ended = false;
        loop {
            let nic = &mut self.own().nic;
            let take_cycle = nic.take_cycle(messaging.acknowledged);
            if take_cycle.is_none_or(|cycle| cycle > now) {
                return has_ended;
            }
            let Some(transfer) = nic.transfers.front_mut() else {
                return has_ended;
            };
            let limit = messaging.packet_bytes;
            let is_fetched = transfer.is_fetched;
            // What neither waits for an acknowledgement nor crosses the bus goes all at once.
            let count = if is_fetched || messaging.acknowledged == Acknowledged::Waited {
                1
            } else {
                messaging.packets(transfer.bytes_left)
            };
            let others = (count - 1) * u64::from(limit);
            let last = transfer.bytes_left - others;
            // Invariant: the smaller of the two fits 32 bits.
            let last_payload_bytes = u32::try_from(last).map_or(limit, |bytes| bytes.min(limit));
            transfer.bytes_left = last - u64::from(last_payload_bytes);
            let is_last = transfer.bytes_left == 0;
            let packets = Outgoing {
                to: transfer.to,
                count,
                payload_bytes: if count > 1 { limit } else { last_payload_bytes },
                last_payload_bytes,
                message: transfer.message,
                ends: transfer.ends.filter(|_| is_last),
            };
            if is_last {
                nic.transfers.pop_front();
            }
            if messaging.acknowledged != Acknowledged::No {
                nic.unacknowledged += count;
            }
            if is_fetched {
                nic.bus.fetch(now + messaging.push_cycles, packets);
            } else {
                has_ended |= self.send_packets(&packets);
            }
        }
    }

    /// Generates packets that the NIC took; true if that ended a task.
    fn send_packets(&mut self, packets: &Outgoing) -> bool {
        let &Outgoing {
            to,
            count,
            payload_bytes,
            last_payload_bytes,
            message,
            ends,
        } = packets;
        let last = Parcel::Part {
            message,
            payload_bytes: last_payload_bytes,
            ends,
        };
        self.generate(to, count, payload_bytes, last);
        let ended = ends.filter(|_| self.program.messaging.acknowledged == Acknowledged::No);
        if let Some(task) = ended {
            self.own().window.end(task);
        }
        ended.is_some()
    }

    /// Generates so many packets, all with this payload but the last.
    pub(super) fn generate(&mut self, to: u32, count: u64, payload_bytes: u32, last: Parcel) {
        let (last_payload_bytes, is_control) = match last {
            Parcel::Part { payload_bytes, .. } => (payload_bytes, false),
            Parcel::Acknowledgement { .. } => (payload_bytes, true),
        };
        let packet = Packet {
            generation_cycle: self.now,
            destination: self.program.host(to),
            payload_bytes,
            is_control,
        };
        self.packets.push(Train {
            packet,
            last_payload_bytes,
            count,
        });
        let under_way = &mut self.execution.under_way[self.rank as usize];
        under_way.push(count, payload_bytes, last);
    }
}
