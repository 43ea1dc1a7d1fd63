//! Messages on their way, and what each packet is a part of.

use std::collections::VecDeque;

/// What travels of a message at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The message, unannounced.
    Eager,
    /// Its announcement.
    Announcement,
    /// The call for it.
    Call,
    /// The message, called for.
    Called,
}

/// A message, from its handing to the NIC to its receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    pub(super) bytes: u64,
    /// Its number among those of `from` to `to`.
    pub(super) number: u64,
    pub(super) sent_cycle: u64,
    pub(super) stage: Stage,
    /// Packets of the stage that are to be stored, each or as one.
    pub(super) packets_left: u64,
    /// The task that sends it.
    pub(super) send: u64,
    /// The task that receives it, once known.
    pub(super) receive: Option<u64>,
}

/// The messages of all ranks, by number; numbers are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    messages: Vec<Message>,
    free: Vec<usize>,
}

impl Messages {
    pub(super) fn insert(&mut self, message: Message) -> usize {
        if let Some(index) = self.free.pop() {
            self.messages[index] = message;
            return index;
        }
        self.messages.push(message);
        self.messages.len() - 1
    }

    pub(super) fn get(&mut self, index: usize) -> &mut Message {
        &mut self.messages[index]
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.free.push(index);
    }
}

/// What a packet is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parcel {
    /// A packet of a message's stage; `ends` is the task whose end its acknowledgement is.
    Part {
        message: usize,
        payload_bytes: u32,
        ends: Option<u64>,
    },
    /// An acknowledgement; `ends` is the task whose end it is.
    Acknowledgement { ends: Option<u64> },
}

/// Packets that a rank sent one after another, parts of one message or alone.
#[derive(Clone, Debug)]
struct Sent {
    /// Number of the first among the rank's packets.
    first: u64,
    count: u64,
    /// Those not delivered.
    left: u64,
    /// The last of them.
    last: Parcel,
    /// Payload of the others.
    payload_bytes: u32,
}

impl Sent {
    fn parcel(&self, sequence: u64) -> Parcel {
        match self.last {
            Parcel::Part { message, .. } if sequence - self.first < self.count - 1 => {
                Parcel::Part {
                    message,
                    payload_bytes: self.payload_bytes,
                    ends: None,
                }
            }
            last => last,
        }
    }
}

/// The packets a rank has sent and that were not delivered yet, by their number among its packets.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    next: u64,
    sent: VecDeque<Sent>,
}

impl UnderWay {
    /// So many packets are sent, all with this payload but the last.
    pub(super) fn push(&mut self, count: u64, payload_bytes: u32, last: Parcel) {
        self.sent.push_back(Sent {
            first: self.next,
            count,
            left: count,
            last,
            payload_bytes,
        });
        self.next += count;
    }

    /// A packet is delivered: what it was, and whether it is the last of those it was sent with that is.
    pub(super) fn take(&mut self, sequence: u64) -> (Parcel, bool) {
        let is_of_first = |sent: &Sent| sequence < sent.first + sent.count;
        let place = match self.sent.front() {
            // Most are.
            Some(sent) if is_of_first(sent) => 0,
            _ => self
                .sent
                .partition_point(|sent| sent.first + sent.count <= sequence),
        };
        let Some(sent) = self.sent.get_mut(place) else {
            unreachable!("packet {sequence} is under way: a simulator delivers what it was given");
        };
        sent.left -= 1;
        let (parcel, is_last) = (sent.parcel(sequence), sent.left == 0);
        if is_last {
            while self.sent.front().is_some_and(|sent| sent.left == 0) {
                self.sent.pop_front();
            }
        }
        (parcel, is_last)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.is_empty()
    }
}

/// A stage of a message that the NIC was handed and has not sent whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) message: usize,
    pub(super) to: u32,
    pub(super) bytes_left: u64,
    /// Its packets are fetched from memory.
    pub(super) is_fetched: bool,
    /// The task that ends with it.
    pub(super) ends: Option<u64>,
}
