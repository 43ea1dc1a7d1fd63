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

/// How many of the packets that a host sent one after another are delivered.
#[derive(Clone, Copy, Debug)]
struct Count {
    /// Number of the first behind them among the host's packets.
    end: u64,
    /// Those not delivered.
    left: u64,
    /// The latest cycle in which one was: after failures one is told of later that was delivered sooner.
    latest_cycle: u64,
}

/// What packets are that a host sent one after another from one rank to another, parts of one message or alone.
#[derive(Clone, Debug)]
struct Sent {
    /// The last of them.
    last: Parcel,
    /// Payload of the others.
    payload_bytes: u32,
    from: u32,
    to: u32,
    nic: u8,
}

impl Sent {
    /// One of them, the last or another.
    fn parcel(&self, is_last: bool) -> Parcel {
        match self.last {
            Parcel::Part { message, .. } if !is_last => Parcel::Part {
                message,
                payload_bytes: self.payload_bytes,
                ends: None,
            },
            last => last,
        }
    }
}

/// The packets a host has sent and that were not delivered yet, by their number among its packets. Every one that is
/// delivered asks for its count, which mostly is that of those sent first: counts are kept together, apart from what
/// is asked for once all are there.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    first: Option<Count>,
    /// Those after the first.
    counts: VecDeque<Count>,
    /// Of all, the first among them.
    sent: VecDeque<Sent>,
    next: u64,
}

impl UnderWay {
    /// So many packets are sent, all with this payload but the last.
    pub(super) fn push(&mut self, count: u64, payload_bytes: u32, last: Arrived) {
        self.next += count;
        self.sent.push_back(Sent {
            last: last.parcel,
            payload_bytes,
            from: last.from,
            to: last.to,
            nic: last.nic,
        });
        let count = Count {
            end: self.next,
            left: count,
            latest_cycle: 0,
        };
        if self.first.is_none() {
            self.first = Some(count);
        } else {
            self.counts.push_back(count);
        }
    }

    /// A packet is delivered in a cycle; the latest in which one of those was that it was sent with, if all are.
    #[inline]
    pub(super) fn take(&mut self, sequence: u64, cycle: u64) -> Option<u64> {
        let (count, _) = self.count(sequence);
        count.left -= 1;
        count.latest_cycle = count.latest_cycle.max(cycle);
        (count.left == 0).then_some(count.latest_cycle)
    }

    /// What a packet that was taken is.
    pub(super) fn arrived(&mut self, sequence: u64) -> Arrived {
        let (sent, is_last) = self.sent(sequence);
        Arrived {
            from: sent.from,
            to: sent.to,
            nic: sent.nic,
            parcel: sent.parcel(is_last),
        }
    }

    /// The rank and the task whose end a packet is, if it is one.
    pub(super) fn ends(&mut self, sequence: u64) -> Option<(u32, u64)> {
        let (sent, is_last) = self.sent(sequence);
        let from = sent.from;
        match sent.parcel(is_last) {
            Parcel::Part { ends, .. } => ends.map(|task| (from, task)),
            Parcel::Acknowledgement { .. } | Parcel::Refusal { .. } => None,
        }
    }

    /// What those are that a packet was sent with, and whether it is the last of them.
    fn sent(&mut self, sequence: u64) -> (&Sent, bool) {
        let (count, place) = self.count(sequence);
        let is_last = sequence + 1 == count.end;
        (&self.sent[place], is_last)
    }

    /// The count of those that a packet was sent with, and its place among all.
    #[inline]
    fn count(&mut self, sequence: u64) -> (&mut Count, usize) {
        match &mut self.first {
            Some(count) if sequence < count.end => (count, 0),
            _ => {
                let place = place(&self.counts, sequence);
                let Some(count) = self.counts.get_mut(place) else {
                    unreachable!(
                        "packet {sequence} is under way: a simulator delivers what it was given"
                    );
                };
                (count, place + 1)
            }
        }
    }

    /// Forgets those sent first, as far as all are delivered.
    pub(super) fn forget(&mut self) {
        while self.first.is_some_and(|count| count.left == 0) {
            self.first = self.counts.pop_front();
            self.sent.pop_front();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

/// The place, among packets sent together, of those to which one belongs. Mostly as many are sent together each
/// time, so that its place follows from its number.
fn place(counts: &VecDeque<Count>, sequence: u64) -> usize {
    let is_before = |count: &Count| count.end <= sequence;
    if let (Some(front), Some(back)) = (counts.front(), counts.back())
        && is_before(front)
    {
        let rest = (counts.len() as u64 - 1).max(1);
        let together = ((back.end - front.end) / rest).max(1);
        let guess = usize::try_from((sequence - front.end) / together);
        let guess = guess.map_or(usize::MAX, |place| place.saturating_add(1));
        if counts.get(guess).is_some_and(|count| !is_before(count)) && is_before(&counts[guess - 1])
        {
            return guess;
        }
    }
    counts.partition_point(is_before)
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
