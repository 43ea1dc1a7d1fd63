//! NICs: what they take from their hosts, and what becomes of the packets that come.

use super::Execution;
use super::adapters::{FromOthers, News};
use super::bus::{Bus, Crossing, Outgoing};
use super::handed::Handed;
use super::messages::{Arrived, Parcel, Stage, Transfer};
use super::processors::Job;
use super::step::Step;
use crate::workload::program::{Acknowledged, Messaging};
use crate::workload::{Packet, Train};
use std::collections::VecDeque;

impl Messaging {
    /// Whether a stage of so many bytes is control that goes first.
    pub(super) fn is_urgent(&self, bytes: u64, stage: Stage) -> bool {
        let is_control = bytes == 0 || matches!(stage, Stage::Announcement | Stage::Call);
        self.control_first && is_control
    }
}

/// A packet delivered and not yet noticed.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    notice_cycle: u64,
    arrived: Arrived,
}

/// A NIC between the messaging layer of a host's ranks and the network.
#[derive(Clone, Debug, Default)]
pub(super) struct Nic {
    arrivals: VecDeque<Arrival>,
    /// With queue pairs: sends whose last packets have left: the cycle in which that is noticed, rank and task.
    pub(super) left: VecDeque<(u64, u32, u64)>,
    pub(super) handed: Handed,
    /// Has room of its own, and that once there is something: a host is looked through whenever it acts.
    besides: Option<Box<Besides>>,
}

/// What some messaging layers have their NICs keep.
#[derive(Clone, Debug, Default)]
pub(super) struct Besides {
    /// What ranks on other hosts handed it.
    pub(super) from_others: FromOthers<Transfer>,
    /// Packets taken that were not acknowledged.
    unacknowledged: u64,
    /// With ack-wait: first cycle for the next packet.
    free_cycle: u64,
    bus: Bus,
    /// Acknowledgements and refusals to be generated, and the cycle of each.
    replies: VecDeque<(u64, Arrived)>,
    /// Messages that were refused, and the cycle each is sent again in.
    refused: VecDeque<(u64, usize)>,
}

impl Besides {
    /// The next cycle in which something of this is to be done.
    fn next_cycle(&self) -> Option<u64> {
        [
            self.replies.front().map(|due| due.0),
            self.refused.front().map(|due| due.0),
            self.from_others.next_cycle(),
            self.bus.next_cycle(),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

impl Nic {
    /// The next cycle in which it has something to do.
    pub(super) fn next_cycle(&self, acknowledged: Acknowledged) -> Option<u64> {
        [
            self.arrivals.front().map(|arrival| arrival.notice_cycle),
            self.left.front().map(|due| due.0),
            self.besides
                .as_ref()
                .and_then(|besides| besides.next_cycle()),
            self.take_cycle(acknowledged),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// A packet is delivered, which is noticed in some cycle.
    pub(super) fn bring(&mut self, notice_cycle: u64, arrived: Arrived) {
        // What was on its way in a failure is told of when it arrives, later than what came behind it.
        let later = self.arrivals.iter().rev();
        let behind = later.take_while(|other| other.notice_cycle > notice_cycle);
        let place = self.arrivals.len() - behind.count();
        let arrival = Arrival {
            notice_cycle,
            arrived,
        };
        self.arrivals.insert(place, arrival);
    }

    /// Whether something was sent and not acknowledged, or refused and not sent again.
    pub(super) fn is_unacknowledged(&self) -> bool {
        let is_any = |besides: &Besides| besides.unacknowledged > 0 || !besides.refused.is_empty();
        self.besides.as_deref().is_some_and(is_any)
    }

    /// What only some have, which it has from now on.
    pub(super) fn besides(&mut self) -> &mut Besides {
        self.besides.get_or_insert_default()
    }

    /// The same, if it has it.
    pub(super) fn besides_if_any(&mut self) -> Option<&mut Besides> {
        self.besides.as_deref_mut()
    }

    /// The first cycle in which the next packet may be taken, if that is known.
    fn take_cycle(&self, acknowledged: Acknowledged) -> Option<u64> {
        if self.handed.is_empty() {
            return None;
        }
        match (&self.besides, acknowledged) {
            (Some(besides), _) if besides.bus.is_fetching() => None,
            (Some(besides), Acknowledged::Waited) => {
                (besides.unacknowledged == 0).then_some(besides.free_cycle)
            }
            _ => Some(0),
        }
    }
}

impl Step<'_> {
    /// That of the host.
    pub(super) fn nic(&mut self) -> &mut Nic {
        &mut self.execution.nics[self.place]
    }

    /// What was delivered in the cycle before is noticed, and what left its queue pair.
    pub(super) fn notice_delivered(&mut self) {
        let now = self.now;
        while let Some(&arrival) = self.nic().arrivals.front()
            && arrival.notice_cycle <= now
        {
            self.nic().arrivals.pop_front();
            self.notice(arrival.arrived);
        }
        while let Some(&(due, rank, task)) = self.nic().left.front()
            && due <= now
        {
            self.nic().left.pop_front();
            self.end(rank, task);
        }
    }

    /// A task of a rank is over; true if the rank knows that now.
    fn end(&mut self, rank: u32, task: u64) -> bool {
        let is_own = self.is_own(rank);
        if is_own {
            self.execution.ranks[rank as usize].window.end(task);
        } else {
            self.tell(rank, News::Over { task });
        }
        is_own
    }

    /// The acknowledgements and refusals that are due are generated.
    pub(super) fn reply(&mut self) {
        let now = self.now;
        while let Some(besides) = self.nic().besides_if_any()
            && let Some(&(due, reply)) = besides.replies.front()
            && due <= now
        {
            besides.replies.pop_front();
            let messaging = &self.program.messaging;
            let is_urgent = messaging.control_first;
            self.generate(is_urgent, 1, messaging.acknowledgement_bytes, reply);
        }
    }

    /// What is across the bus leaves it.
    pub(super) fn leave_bus(&mut self) {
        if !self.program.messaging.has_bus() {
            // What waited for nothing but its preparing crosses in no time.
            self.begin_crossing();
        }
        let now = self.now;
        let besides = self.nic().besides_if_any();
        match besides.and_then(|besides| besides.bus.across(now)) {
            Some(Crossing::Out(packet)) => {
                self.send_packets(&packet);
            }
            Some(Crossing::In(arrived)) => self.store(arrived),
            None => {}
        }
    }

    pub(super) fn begin_crossing(&mut self) {
        let (now, messaging) = (self.now, &self.program.messaging);
        let cycles = |payload_bytes| messaging.bus_cycles(payload_bytes);
        if let Some(besides) = self.nic().besides_if_any() {
            besides.bus.begin(now, cycles);
        }
    }

    /// A packet is noticed.
    fn notice(&mut self, arrived: Arrived) {
        let messaging = &self.program.messaging;
        match arrived.parcel {
            Parcel::Acknowledgement { ends } => {
                self.answered();
                if let Some(task) = ends {
                    self.end(arrived.to, task);
                }
            }
            Parcel::Refusal { message } => {
                let again = self.now + messaging.resend_cycles;
                if messaging.acknowledged != Acknowledged::No {
                    self.answered();
                }
                self.nic().besides().refused.push_back((again, message));
            }
            Parcel::Part { payload_bytes, .. } if messaging.has_bus() => {
                let cycles = messaging.bus_cycles(payload_bytes);
                self.nic().besides().bus.bring(arrived, cycles);
            }
            Parcel::Part { .. } => self.store(arrived),
        }
    }

    /// A packet that was sent has its acknowledgement, or its message's refusal in place of it.
    fn answered(&mut self) {
        let messaging = &self.program.messaging;
        let free_cycle = self.now + messaging.next_packet_cycles;
        let besides = self.nic().besides();
        besides.unacknowledged -= 1;
        besides.free_cycle = free_cycle;
    }

    /// A packet of data is stored.
    fn store(&mut self, arrived: Arrived) {
        let Parcel::Part { message, ends, .. } = arrived.parcel else {
            return;
        };
        self.rank = arrived.to;
        let messaging = &self.program.messaging;
        let state = self.execution.messages.get(message);
        state.packets_left -= 1;
        let is_whole = state.packets_left == 0;
        let is_data = matches!(state.stage, Stage::Eager | Stage::Called);
        if !is_whole && is_data && messaging.takes_packets() {
            if self.is_own(arrived.to) {
                self.own().processors.ask(0, Job::Take);
            } else {
                self.tell(arrived.to, News::Packet);
            }
        }
        let is_refused = is_whole && !self.has_room(message);
        let reply = if is_refused {
            Some(Parcel::Refusal { message })
        } else {
            (messaging.acknowledged != Acknowledged::No).then_some(Parcel::Acknowledgement { ends })
        };
        if let Some(reply) = reply {
            let due = self.now + messaging.acknowledge_cycles;
            let reply = Arrived {
                from: arrived.to,
                to: arrived.from,
                nic: arrived.nic,
                parcel: reply,
            };
            self.nic().besides().replies.push_back((due, reply));
        }
        if is_whole && !is_refused {
            if self.is_own(arrived.to) {
                self.stage_is_here(message);
            } else {
                self.tell(arrived.to, News::Here { message });
            }
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
        let seen = rank.peers.of(message.from).seen();
        let untaken = &mut rank.besides().untaken;
        let is_room = (untaken.len() as u64) < most && seen == message.number;
        if is_room {
            untaken.insert(index);
        }
        is_room
    }

    /// Sends again what was refused, as far as it is time.
    pub(super) fn resend(&mut self) {
        let now = self.now;
        while let Some(besides) = self.nic().besides_if_any()
            && let Some(&(due, message)) = besides.refused.front()
            && due <= now
        {
            besides.refused.pop_front();
            let stage = self.execution.messages.get(message).stage;
            self.hand_over(message, stage);
        }
    }

    /// The NIC takes packets; true if that ended a task.
    pub(super) fn transmit(&mut self) -> bool {
        let (now, messaging) = (self.now, &self.program.messaging);
        let mut has_ended = false;
        loop {
            let nic = &mut self.execution.nics[self.place];
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
                from: transfer.from,
                to: transfer.to,
                nic: transfer.nic,
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
                nic.besides().unacknowledged += count;
            }
            if is_fetched {
                let begin = now + messaging.push_cycles;
                nic.besides().bus.fetch(begin, packets);
            } else {
                has_ended |= self.send_packets(&packets);
            }
        }
    }

    /// Generates packets that the NIC took; true if that ended a task.
    fn send_packets(&mut self, packets: &Outgoing) -> bool {
        let &Outgoing {
            from,
            to,
            nic,
            message,
            ..
        } = packets;
        let parcel = Parcel::Part {
            message,
            payload_bytes: packets.last_payload_bytes,
            ends: packets.ends,
        };
        let last = Arrived {
            from,
            to,
            nic,
            parcel,
        };
        self.generate(
            packets.is_urgent,
            packets.count,
            packets.payload_bytes,
            last,
        );
        let messaging = &self.program.messaging;
        // With queue pairs it has yet to leave its own.
        let is_over =
            messaging.acknowledged == Acknowledged::No && messaging.quantum_bytes.is_none();
        let ended = packets.ends.filter(|_| is_over);
        ended.is_some_and(|task| self.end(from, task))
    }

    /// Generates so many packets, urgent or not, all with this payload but the last.
    fn generate(&mut self, is_urgent: bool, count: u64, payload_bytes: u32, last: Arrived) {
        let (last_payload_bytes, is_control) = match last.parcel {
            Parcel::Part { payload_bytes, .. } => (payload_bytes, false),
            Parcel::Acknowledgement { .. } | Parcel::Refusal { .. } => (payload_bytes, true),
        };
        let packet = Packet {
            generation_cycle: self.now,
            destination: self.program.adapter(last.to, last.nic),
            payload_bytes,
            is_control,
            is_urgent,
            queue_pair: last.nic,
        };
        self.packets.push(Train {
            packet,
            last_payload_bytes,
            count,
        });
        let Execution {
            under_way,
            messages,
            leaving,
            ..
        } = &mut *self.execution;
        let messaging = &self.program.messaging;
        if let Parcel::Part { ends: Some(_), .. } = last.parcel
            && messaging.acknowledged == Acknowledged::No
            && messaging.quantum_bytes.is_some()
        {
            leaving[self.place] += 1;
        }
        under_way[self.place].push(count, payload_bytes, last, messages);
    }
}
