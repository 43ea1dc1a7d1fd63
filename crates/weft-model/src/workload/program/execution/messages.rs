//! Messages on their way, and what each packet is a part of.

use std::collections::{BTreeSet, VecDeque};

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

/// A message, from its handing to the NIC to its receive, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Message {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) tag: u32,
    pub(super) bytes: u64,
    /// Its number among those of `from` to `to`.
    pub(super) number: u64,
    pub(super) sent_cycle: u64,
    pub(super) stage: Stage,
    /// The queue pairs that all takes that is sent because of it.
    pub(super) nic: u8,
    /// Packets of the stage that are to be stored, each or as one.
    pub(super) packets_left: u64,
    /// The task that sends it.
    pub(super) send: u64,
    /// The task that receives it, once the two have found each other; [`NO_RECEIVE`] before.
    pub(super) receive: u64,
}

/// No task has this number.
pub(super) const NO_RECEIVE: u64 = u64::MAX;

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

    /// The messages that no receive has found.
    pub(super) fn unmatched(&self) -> impl Iterator<Item = &Message> {
        let free: BTreeSet<usize> = self.free.iter().copied().collect();
        let there = self.messages.iter().enumerate();
        there
            .filter(move |(index, message)| message.receive == NO_RECEIVE && !free.contains(index))
            .map(|(_, message)| message)
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
    /// A message was refused for want of room.
    Refusal { message: usize },
}

/// A packet that has come: which rank it comes from, which it is for, and what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrived {
    pub(super) from: u32,
    pub(super) to: u32,
    /// The queue pair it took.
    pub(super) nic: u8,
    pub(super) parcel: Parcel,
}

/// Packets that a host sent one after another from one rank to another, parts of one message or alone.
#[derive(Clone, Debug)]
#[repr(C)]
struct Sent {
    /// Number of the first behind them among the rank's packets.
    end: u64,
    /// Those not delivered.
    left: u64,
    /// The latest cycle in which one was: after failures one is told of later that was delivered sooner.
    latest_cycle: u64,
    /// The last of them.
    last: Parcel,
    /// Payload of the others.
    payload_bytes: u32,
    from: u32,
    to: u32,
    nic: u8,
}

impl Sent {
    fn parcel(&self, sequence: u64) -> Parcel {
        match self.last {
            Parcel::Part { message, .. } if sequence + 1 < self.end => Parcel::Part {
                message,
                payload_bytes: self.payload_bytes,
                ends: None,
            },
            last => last,
        }
    }
}

/// The packets a host has sent and that were not delivered yet, by their number among its packets. Most that
/// are delivered are of those sent first, which are kept where they are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    first: Option<Sent>,
    others: VecDeque<Sent>,
    next: u64,
}

impl UnderWay {
    /// So many packets are sent, all with this payload but the last.
    pub(super) fn push(&mut self, count: u64, payload_bytes: u32, last: Arrived) {
        self.next += count;
        let sent = Sent {
            end: self.next,
            left: count,
            latest_cycle: 0,
            last: last.parcel,
            payload_bytes,
            from: last.from,
            to: last.to,
            nic: last.nic,
        };
        if self.first.is_none() {
            self.first = Some(sent);
        } else {
            self.others.push_back(sent);
        }
    }

    /// A packet is delivered in a cycle: what it was and, if all that it was sent with are, the latest cycle in
    /// which one of them was.
    #[inline]
    pub(super) fn take(&mut self, sequence: u64, cycle: u64) -> (Arrived, Option<u64>) {
        let sent = self.sent(sequence);
        sent.left -= 1;
        sent.latest_cycle = sent.latest_cycle.max(cycle);
        let arrived = Arrived {
            from: sent.from,
            to: sent.to,
            nic: sent.nic,
            parcel: sent.parcel(sequence),
        };
        let all_cycle = (sent.left == 0).then_some(sent.latest_cycle);
        if all_cycle.is_some() {
            self.forget();
        }
        (arrived, all_cycle)
    }

    /// The rank and the task whose end a packet is, if it is one.
    pub(super) fn ends(&mut self, sequence: u64) -> Option<(u32, u64)> {
        let sent = self.sent(sequence);
        let from = sent.from;
        match sent.parcel(sequence) {
            Parcel::Part { ends, .. } => ends.map(|task| (from, task)),
            Parcel::Acknowledgement { .. } | Parcel::Refusal { .. } => None,
        }
    }

    /// Those that a packet was sent with.
    #[inline]
    fn sent(&mut self, sequence: u64) -> &mut Sent {
        match &mut self.first {
            Some(sent) if sequence < sent.end => sent,
            _ => {
                let place = place(&self.others, sequence);
                let Some(sent) = self.others.get_mut(place) else {
                    unreachable!(
                        "packet {sequence} is under way: a simulator delivers what it was given"
                    );
                };
                sent
            }
        }
    }

    /// Forgets those sent first, as far as all are delivered.
    fn forget(&mut self) {
        while self.first.as_ref().is_some_and(|sent| sent.left == 0) {
            self.first = self.others.pop_front();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

/// The place, among packets sent together, of those to which one belongs. Mostly as many are sent together each
/// time, so that its place follows from its number: every look at another is at memory that is in no cache.
fn place(others: &VecDeque<Sent>, sequence: u64) -> usize {
    let is_before = |sent: &Sent| sent.end <= sequence;
    if let (Some(front), Some(back)) = (others.front(), others.back())
        && is_before(front)
    {
        let rest = (others.len() as u64 - 1).max(1);
        let together = ((back.end - front.end) / rest).max(1);
        let guess = usize::try_from((sequence - front.end) / together);
        let guess = guess.map_or(usize::MAX, |place| place.saturating_add(1));
        if others.get(guess).is_some_and(|sent| !is_before(sent)) && is_before(&others[guess - 1]) {
            return guess;
        }
    }
    others.partition_point(is_before)
}

/// A stage of a message that the NIC was handed and has not sent whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub(super) message: usize,
    pub(super) from: u32,
    pub(super) to: u32,
    /// Number of the host that it goes to, among those with ranks.
    pub(super) place: u32,
    /// The queue pair to there that it takes.
    pub(super) nic: u8,
    pub(super) bytes_left: u64,
    /// Its packets are fetched from memory.
    pub(super) is_fetched: bool,
    /// The task that ends with it.
    pub(super) ends: Option<u64>,
    /// It goes before what is not.
    pub(super) is_urgent: bool,
}
