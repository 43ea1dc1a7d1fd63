//! What processors hand to NICs: stages of messages, or their packets one by one.

use super::messages::{Message, Stage, Transfer};
use super::processors::Job;
use super::step::Step;
use crate::workload::program::{Messaging, Program};
use weft_fabric::narrow;

impl Messaging {
    /// Whether a processor hands the NIC packet by packet.
    fn sends_packets(&self) -> bool {
        self.send.packet > 0.0
    }

    /// Whether a processor takes packet by packet.
    pub(super) fn takes_packets(&self) -> bool {
        self.receive.packet > 0.0
    }

    /// The payload of a packet of a message of this length, by its number among these.
    pub(super) fn payload_bytes(&self, bytes: u64, number: u64) -> u64 {
        let limit = u64::from(self.packet_bytes);
        (bytes - number * limit).min(limit)
    }

    /// How long a processor takes for a packet after the first, or for any of one that was called for.
    pub(super) fn prepare_cycles(&self, bytes: u64, number: u64) -> u64 {
        self.send
            .packet_cycles(self.payload_bytes(bytes, number), false)
    }

    /// How long it takes for a packet that has come before the last of its message.
    pub(super) fn take_cycles(&self) -> u64 {
        self.receive
            .packet_cycles(u64::from(self.packet_bytes), false)
    }
}

impl Program {
    /// What a message takes of the overheads though it does not use the network, if it does not.
    fn inner_share(&self, from: u32, to: u32) -> Option<f64> {
        if from == to {
            Some(1.0)
        } else {
            let is_inside = self.is_inside(from, to);
            is_inside.then_some(self.messaging.inner_overhead)
        }
    }

    /// How long a processor takes until a message, its announcement or its first packet can be sent.
    pub(super) fn send_cycles(&self, from: u32, to: u32, bytes: u64) -> u64 {
        let messaging = &self.messaging;
        if let Some(share) = self.inner_share(from, to) {
            messaging.send.shared_cycles(bytes, share)
        } else if !messaging.sends_packets() {
            messaging.send.shared_cycles(bytes, 1.0)
        } else if bytes > messaging.eager_bytes {
            messaging.send.packet_cycles(0, true)
        } else {
            messaging
                .send
                .packet_cycles(messaging.payload_bytes(bytes, 0), true)
        }
    }

    /// How long a processor takes for a message that is whole here.
    pub(super) fn receive_cycles(&self, from: u32, to: u32, bytes: u64) -> u64 {
        let messaging = &self.messaging;
        if let Some(share) = self.inner_share(from, to) {
            messaging.receive.shared_cycles(bytes, share)
        } else if messaging.takes_packets() {
            let payload = messaging.payload_bytes(bytes, messaging.packets(bytes) - 1);
            messaging.receive.packet_cycles(payload, true)
        } else {
            messaging.receive.shared_cycles(bytes, 1.0)
        }
    }
}

impl Step<'_> {
    /// A stage of a message is handed to the NIC, or the first packet of it; true if nothing is left of it to be
    /// handed.
    pub(super) fn begin_stage(&mut self, index: usize, stage: Stage) -> bool {
        let messaging = &self.program.messaging;
        let message = self.execution.messages.get(index);
        match stage {
            Stage::Eager if messaging.sends_packets() => {
                // Its overhead was that of the first packet.
                self.prepared(index, 0)
            }
            Stage::Called if messaging.sends_packets() => {
                message.stage = stage;
                self.prepare(index, 0);
                false
            }
            _ => {
                self.hand_over(index, stage);
                true
            }
        }
    }

    /// Hands a stage of a message to the NIC.
    pub(super) fn hand_over(&mut self, index: usize, stage: Stage) {
        self.hand(index, stage, None);
    }

    /// Hands the NIC one packet of a message's stage, or all of them.
    fn hand(&mut self, index: usize, stage: Stage, only: Option<u64>) {
        let messaging = &self.program.messaging;
        let message = self.execution.messages.get(index);
        let (from, to) = (message.from, message.to);
        let control_bytes = u64::from(messaging.control_bytes);
        let (from, to, bytes) = match stage {
            Stage::Eager | Stage::Called => (from, to, message.bytes),
            Stage::Announcement => (from, to, control_bytes),
            Stage::Call => (to, from, control_bytes),
        };
        message.stage = stage;
        let is_first = only.is_none_or(|number| number == 0);
        if is_first {
            message.packets_left = if messaging.stores_as_one() {
                1
            } else {
                messaging.packets(bytes)
            };
        }
        let is_last = only.is_none_or(|number| number + 1 == messaging.packets(bytes));
        let ends_send = match stage {
            Stage::Eager => messaging.blocking,
            Stage::Called => true,
            Stage::Announcement | Stage::Call => false,
        };
        let transfer = Transfer {
            message: index,
            from,
            to,
            place: narrow(
                self.program.placement.adapter_place(to, message.nic),
                "ranks are numbers of 32 bits",
            ),
            nic: message.nic,
            bytes_left: only.map_or(bytes, |number| messaging.payload_bytes(bytes, number)),
            is_fetched: messaging.is_fetched(bytes),
            ends: (ends_send && is_last).then_some(message.send),
            is_urgent: messaging.is_urgent(bytes, stage),
        };
        if stage == Stage::Called && is_first {
            let waited = self.now - message.sent_cycle;
            let announcements = &mut self.execution.announcements;
            announcements.called_messages += 1;
            announcements.waiting_cycles += waited;
        }
        if stage == Stage::Call {
            // The processor has taken the announcement.
            self.execution.ranks[from as usize].take(index);
        }
        self.hand_to_adapter(transfer);
    }

    /// A packet asks for the processor that sends its message.
    fn prepare(&mut self, index: usize, number: u64) {
        let send = self.execution.messages.get(index).send;
        let rank = self.own();
        let cpu = rank.window.cpu(send);
        rank.processors
            .ask_before_tasks(cpu, Job::Packet(index, number));
    }

    /// The processor is done with a packet, which the NIC is handed; true if it was the last.
    pub(super) fn prepared(&mut self, index: usize, number: u64) -> bool {
        let messaging = &self.program.messaging;
        let &mut Message {
            stage, bytes, send, ..
        } = self.execution.messages.get(index);
        self.hand(index, stage, Some(number));
        if number + 1 < messaging.packets(bytes) {
            self.prepare(index, number + 1);
            return false;
        }
        if number > 0 && stage == Stage::Eager && !messaging.blocking {
            self.own().window.end(send);
        }
        true
    }
}
