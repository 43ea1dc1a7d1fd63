//! Messages: announced or not, seen in order, received by who asks for them.

use super::packets::{Load, Part};
use super::processor::Asking;
use super::{Ranks, nearest};
use std::collections::BTreeMap;
use weft_model::workload::program::{Announcements, Work};

/// A message. Its number is that among all messages.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) tag: u32,
    pub(super) bytes: u64,
    /// The queue pairs that all takes that is sent because of it.
    pub(super) nic: u8,
    /// The processor of its sender that sends it.
    cpu: usize,
    /// Its number among those of the one rank to the other.
    number: u64,
    /// The task that sends it, if that is over only with it.
    pub(super) send: Option<usize>,
    /// It is announced, and sent when it is called for.
    is_announced: bool,
    /// The cycle in which it is sent, or announced.
    sent_cycle: u64,
    /// The task that receives it.
    pub(super) receive: Option<usize>,
}

/// What came to a rank, and what it asks for.
#[derive(Debug, Default)]
pub(super) struct Mailbox {
    /// Messages that are here, or their announcements, by sender and number among the sender's.
    here: BTreeMap<(usize, u64), usize>,
    /// Messages seen, by sender.
    seen: BTreeMap<usize, u64>,
    /// Messages that were seen and wait for a receive, in that order.
    pub(super) waiting: Vec<usize>,
    /// Receives that wait for a message, in the order of posting.
    pub(super) posted: Vec<usize>,
    /// Messages and announcements that take up room: the processor has not taken them.
    pub(super) untaken: Vec<usize>,
}

/// Tells whether a receive may have a message.
fn asks_for(work: Work, message: &Message) -> bool {
    let Work::Receive { from, tag } = work else {
        return false;
    };
    from.is_none_or(|from| from as usize == message.from) && tag.is_none_or(|t| t == message.tag)
}

impl Ranks<'_> {
    /// A rank sends a message, after the overhead; tells whether the task is over.
    pub(super) fn send(
        &mut self,
        rank: usize,
        task: usize,
        (to, tag, bytes): (u32, u32, u64),
    ) -> bool {
        let to = to as usize;
        let is_own = to == rank;
        let numbers = (self.all[rank].number, self.all[to].number);
        let is_inside = !is_own && self.program.are_neighbours(numbers.0, numbers.1);
        let uses_network = !is_own && !is_inside;
        let is_announced = uses_network && bytes > self.messaging.eager_bytes;
        let is_in_parts =
            self.messaging.send.packet > 0.0 && bytes > u64::from(self.messaging.packet_bytes);
        let has_to_wait = is_announced || self.messaging.blocking || is_in_parts;
        let is_over = is_own || (uses_network && !has_to_wait);
        let message = self.messages.len();
        let before = self.messages.iter();
        let before = before.filter(|other| (other.from, other.to) == (rank, to));
        self.messages.push(Message {
            from: rank,
            to,
            tag,
            bytes,
            nic: self.all[rank].processor.task(task).nic,
            cpu: self.all[rank].processor.task(task).cpu.into(),
            number: before.count() as u64,
            send: (uses_network && !is_over).then_some(task),
            is_announced,
            sent_cycle: self.now,
            receive: None,
        });
        if is_inside {
            return self.send_inside(rank, task, message);
        }
        if is_own {
            self.is_here(message);
        } else if is_announced {
            self.hand_over(message, Part::Announcement);
        } else {
            self.begin_part(message, Part::Whole);
        }
        is_over
    }

    /// A part of a message is handed to the NIC: how long one that was announced has waited for that.
    pub(super) fn note_wait(&mut self, message: usize, part: Part) {
        let message = &self.messages[message];
        if message.is_announced && part == Part::Whole {
            self.waits.push(self.now - message.sent_cycle);
        }
    }

    /// What was announced so far, and how long it waited to be called for.
    pub fn announcements(&self) -> Announcements {
        let announced = self.messages.iter().filter(|message| message.is_announced);
        Announcements {
            announced_messages: announced.count() as u64,
            called_messages: self.waits.len() as u64,
            waiting_cycles: self.waits.iter().sum(),
        }
    }

    /// Whether there is no room for a part of a message that is whole here; otherwise it takes up room, if
    /// nobody sent for it.
    pub(super) fn finds_no_room(&mut self, load: Load) -> bool {
        let Some(room) = self.messaging.receive_messages else {
            return false;
        };
        let Message {
            from,
            to,
            number,
            is_announced,
            ..
        } = self.messages[load.message];
        let is_sent_for = match load.part {
            Part::Announcement => false,
            Part::Whole => is_announced,
            Part::Call => true,
        };
        if is_sent_for {
            return false;
        }
        let mailbox = &mut self.all[to].mailbox;
        let seen = mailbox.seen.get(&from).copied().unwrap_or(0);
        let is_refused = number > seen || mailbox.untaken.len() as u64 >= room;
        if !is_refused {
            mailbox.untaken.push(load.message);
        }
        is_refused
    }

    /// A first processor with nothing to do takes what came and no receive asks for.
    pub(super) fn take_unasked(&mut self, rank: usize) {
        let own = &mut self.all[rank];
        if own.processor.cores[0].current.is_none() {
            own.mailbox.untaken.clear();
        }
    }

    /// All packets of a part of a message are stored.
    pub(super) fn is_whole(&mut self, load: Load) {
        let Message {
            from, is_announced, ..
        } = self.messages[load.message];
        match load.part {
            Part::Whole if is_announced => self.is_there(load.message),
            Part::Whole | Part::Announcement => self.is_here(load.message),
            Part::Call => {
                let cpu = self.messages[load.message].cpu;
                self.ask_to_hand_over((from, cpu), load.message, Part::Whole);
            }
        }
    }

    /// A message is here, or its announcement: it is seen once all before it were, and others after it
    /// may be, too.
    pub(super) fn is_here(&mut self, message: usize) {
        let Message {
            from, to, number, ..
        } = self.messages[message];
        self.all[to].mailbox.here.insert((from, number), message);
        loop {
            let mailbox = &mut self.all[to].mailbox;
            let seen = mailbox.seen.entry(from).or_default();
            let Some(next) = mailbox.here.remove(&(from, *seen)) else {
                return;
            };
            *seen += 1;
            self.see(to, next);
        }
    }

    /// A message goes to the first receive that asks for it.
    fn see(&mut self, rank: usize, message: usize) {
        let own = &mut self.all[rank];
        let is_asked_for = |&receive: &usize| {
            let work = own.processor.work(receive);
            asks_for(work, &self.messages[message])
        };
        match own.mailbox.posted.iter().position(is_asked_for) {
            Some(place) => {
                let receive = own.mailbox.posted.remove(place);
                self.have_found_each_other(message, receive);
            }
            None => own.mailbox.waiting.push(message),
        }
    }

    /// A receive takes the first message seen that it asks for.
    pub(super) fn post(&mut self, rank: usize, receive: usize) {
        let own = &mut self.all[rank];
        let work = own.processor.work(receive);
        let mut waiting = own.mailbox.waiting.iter();
        match waiting.position(|&message| asks_for(work, &self.messages[message])) {
            Some(place) => {
                let message = own.mailbox.waiting.remove(place);
                self.have_found_each_other(message, receive);
            }
            None => own.mailbox.posted.push(receive),
        }
    }

    /// A part of a longer message is handed to the NIC when a processor of a rank had its time.
    fn ask_to_hand_over(&mut self, (rank, cpu): (usize, usize), message: usize, part: Part) {
        if self.messaging.control_cycles > 0 {
            let answer = Asking::Answer(message, part);
            self.all[rank].processor.cores[cpu].asking.push_back(answer);
        } else {
            self.begin_part(message, part);
        }
    }

    /// The NIC is handed a part of a message, or the first packet of it.
    pub(super) fn begin_part(&mut self, message: usize, part: Part) {
        if part != Part::Whole || self.messaging.send.packet == 0.0 {
            self.hand_over(message, part);
        } else if self.messages[message].is_announced {
            self.prepare(message, 0);
        } else {
            // It was the first that the overhead of the send was spent on.
            self.prepared(message, 0);
        }
    }

    fn prepare(&mut self, message: usize, number: u64) {
        let Message { from, cpu, .. } = self.messages[message];
        let processor = &mut self.all[from].processor;
        processor.ask_for_packet(cpu, message, number);
    }

    /// How long a processor works on a packet that follows others, or that was called for.
    pub(super) fn preparing_cycles(&self, message: usize, number: u64) -> u64 {
        let of = self.messaging.send;
        let payload = self.payload_bytes(message, number);
        nearest(of.packet + of.byte * payload as f64)
    }

    /// Payload of a packet of a message.
    fn payload_bytes(&self, message: usize, number: u64) -> u64 {
        let packet_bytes = u64::from(self.messaging.packet_bytes);
        (self.messages[message].bytes - number * packet_bytes).min(packet_bytes)
    }

    /// A processor is done with a packet, and the next asks for it. With the last, a send that does not block
    /// is over.
    pub(super) fn prepared(&mut self, message: usize, number: u64) {
        let is_followed = self.hand_packet(message, number);
        if is_followed {
            self.prepare(message, number + 1);
        } else if !self.messages[message].is_announced
            && !self.messaging.blocking
            && let Some(send) = self.messages[message].send.take()
        {
            let from = self.messages[message].from;
            self.all[from].processor.end(send);
        }
    }

    fn have_found_each_other(&mut self, number: usize, receive: usize) {
        let message = &mut self.messages[number];
        message.receive = Some(receive);
        if message.is_announced {
            let rank = message.to;
            let cpu = self.all[rank].processor.task(receive).cpu.into();
            self.ask_to_hand_over((rank, cpu), number, Part::Call);
        } else {
            self.is_there(number);
        }
    }

    /// A message that has its receive is here whole.
    fn is_there(&mut self, message: usize) {
        let Message {
            from,
            to,
            bytes,
            receive,
            ..
        } = self.messages[message];
        let Some(receive) = receive else {
            unreachable!("it has its receive")
        };
        self.received_messages += 1;
        let packet_bytes = u64::from(self.messaging.packet_bytes);
        let packets = bytes.div_ceil(packet_bytes).max(1);
        let last = self.payload_bytes(message, packets - 1);
        let cycles = self.message_cycles(self.messaging.receive, (from, to), bytes, last);
        self.all[to].processor.give(receive, cycles);
    }
}
