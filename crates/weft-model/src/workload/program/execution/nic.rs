//! NICs: what they take from their hosts, and what becomes of the packets that come.

use super::bus::{Bus, Crossing, Outgoing};
use super::handed::Handed;
use super::messages::{Parcel, Stage, Transfer};
use super::step::Step;
use crate::workload::program::{Acknowledged, Messaging};
use crate::workload::{Packet, Train};
use std::collections::VecDeque;

impl Messaging {
    /// Whether a stage of so many bytes is control that goes first.
    fn is_urgent(&self, bytes: u64, stage: Stage) -> bool {
        let is_control = bytes == 0 || matches!(stage, Stage::Announcement | Stage::Call);
        self.control_first && is_control
    }
}

/// A NIC between the messaging layer and the network.
#[derive(Clone, Debug, Default)]
pub(super) struct Nic {
    pub(super) handed: Handed,
    /// Packets taken that were not acknowledged.
    pub(super) unacknowledged: u64,
    /// With ack-wait: first cycle for the next packet.
    pub(super) free_cycle: u64,
    pub(super) bus: Bus,
    /// Acknowledgements and refusals to be generated: cycle, rank, which.
    pub(super) replies: VecDeque<(u64, u32, Parcel)>,
    /// Messages that were refused, and the cycle each is sent again in.
    pub(super) refused: VecDeque<(u64, usize)>,
}

impl Nic {
    /// Whether something was sent and not acknowledged, or refused and not sent again.
    pub(super) fn is_unacknowledged(&self) -> bool {
        self.unacknowledged > 0 || !self.refused.is_empty()
    }

    /// The first cycle in which the next packet may be taken, if that is known.
    pub(super) fn take_cycle(&self, acknowledged: Acknowledged) -> Option<u64> {
        if self.handed.is_empty() || self.bus.is_fetching() {
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
                self.answered();
                if let Some(task) = ends {
                    self.own().window.end(task);
                }
            }
            Parcel::Refusal { message } => {
                let again = self.now + messaging.resend_cycles;
                if messaging.acknowledged != Acknowledged::No {
                    self.answered();
                }
                self.own().nic.refused.push_back((again, message));
            }
            Parcel::Part { payload_bytes, .. } if messaging.has_bus() => {
                let cycles = messaging.bus_cycles(payload_bytes);
                self.own().nic.bus.bring(from, parcel, cycles);
            }
            Parcel::Part { .. } => self.store(from, parcel),
        }
    }

    /// A packet that was sent has its acknowledgement, or its message's refusal in place of it.
    fn answered(&mut self) {
        let messaging = &self.program.messaging;
        let free_cycle = self.now + messaging.next_packet_cycles;
        let nic = &mut self.own().nic;
        nic.unacknowledged -= 1;
        nic.free_cycle = free_cycle;
    }

    /// A packet of data is stored.
    fn store(&mut self, from: u32, parcel: Parcel) {
        let Parcel::Part { message, ends, .. } = parcel else {
            return;
        };
        let messaging = &self.program.messaging;
        let state = self.execution.messages.get(message);
        state.packets_left -= 1;
        let is_whole = state.packets_left == 0;
        let is_refused = is_whole && !self.has_room(message);
        let reply = if is_refused {
            Some(Parcel::Refusal { message })
        } else {
            (messaging.acknowledged != Acknowledged::No).then_some(Parcel::Acknowledgement { ends })
        };
        if let Some(reply) = reply {
            let due = self.now + messaging.acknowledge_cycles;
            self.own().nic.replies.push_back((due, from, reply));
        }
        if is_whole && !is_refused {
            self.stage_is_here(message);
        }
    }

    /// Whether there is room for a message that has come, which then takes it. Those before it must have
    /// found theirs, so that what has room never waits for what has none.
    fn has_room(&mut self, index: usize) -> bool {
        let Some(most) = self.program.messaging.receive_messages else {
            return true;
        };
        let message = *self.execution.messages.get(index);
        if matches!(message.stage, Stage::Call | Stage::Called) {
            // What it was sent for awaits it.
            return true;
        }
        let rank = self.own();
        let is_room = (rank.untaken.len() as u64) < most && rank.mailbox.is_next(&message);
        if is_room {
            rank.untaken.insert(index);
        }
        is_room
    }

    /// Sends again what was refused, as far as it is time.
    pub(super) fn resend(&mut self) {
        let now = self.now;
        while let Some(&(due, message)) = self.own().nic.refused.front()
            && due <= now
        {
            self.own().nic.refused.pop_front();
            let stage = self.execution.messages.get(message).stage;
            self.hand_over(message, stage);
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
            is_urgent: messaging.is_urgent(bytes, stage),
        };
        if stage == Stage::Called {
            let waited = self.now - message.sent_cycle;
            let announcements = &mut self.execution.announcements;
            announcements.called_messages += 1;
            announcements.waiting_cycles += waited;
        }
        let rank = self.own();
        if stage == Stage::Call {
            // The processor has taken the announcement.
            rank.untaken.remove(&index);
        }
        let has_queue_pairs = messaging.quantum_bytes.is_some();
        rank.nic.handed.push(transfer, has_queue_pairs);
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
            let Some(transfer) = nic.handed.front(messaging.quantum_bytes) else {
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
                is_urgent: transfer.is_urgent,
            };
            nic.handed
                .took(others + u64::from(last_payload_bytes), is_last);
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
            is_urgent,
        } = packets;
        let last = Parcel::Part {
            message,
            payload_bytes: last_payload_bytes,
            ends,
        };
        self.generate((to, is_urgent), count, payload_bytes, last);
        let messaging = &self.program.messaging;
        // With queue pairs it has yet to leave its own.
        let is_over =
            messaging.acknowledged == Acknowledged::No && messaging.quantum_bytes.is_none();
        let ended = ends.filter(|_| is_over);
        if let Some(task) = ended {
            self.own().window.end(task);
        }
        ended.is_some()
    }

    /// Generates so many packets to a rank, urgent or not, all with this payload but the last.
    pub(super) fn generate(
        &mut self,
        (to, is_urgent): (u32, bool),
        count: u64,
        payload_bytes: u32,
        last: Parcel,
    ) {
        let (last_payload_bytes, is_control) = match last {
            Parcel::Part { payload_bytes, .. } => (payload_bytes, false),
            Parcel::Acknowledgement { .. } | Parcel::Refusal { .. } => (payload_bytes, true),
        };
        let packet = Packet {
            generation_cycle: self.now,
            destination: self.program.host(to),
            payload_bytes,
            is_control,
            is_urgent,
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
