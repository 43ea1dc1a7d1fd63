//! Messages on their way, and what packets are.

use std::collections::BTreeSet;

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
    /// Its number among those of `from` to `to`, from 0 again after 2^32.
    pub(super) number: u32,
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

    /// A message, to be looked at.
    pub(super) fn look_at(&self, index: usize) -> &Message {
        &self.messages[index]
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
