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
    /// Packets of the stage not yet noticed.
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

/// The packets a rank has sent and that were not noticed yet, by their number among its packets.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    first: u64,
    parcels: VecDeque<Option<Parcel>>,
}

impl UnderWay {
    pub(super) fn push(&mut self, parcel: Parcel) {
        self.parcels.push_back(Some(parcel));
    }

    pub(super) fn take(&mut self, sequence: u64) -> Parcel {
        let index = sequence.checked_sub(self.first);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let parcel = index.and_then(|index| self.parcels.get_mut(index)?.take());
        while let Some(None) = self.parcels.front() {
            self.parcels.pop_front();
            self.first += 1;
        }
        // Invariant: a simulator delivers what it was given, once.
        parcel.unwrap_or_else(|| unreachable!("packet {sequence} is under way"))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parcels.is_empty()
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
