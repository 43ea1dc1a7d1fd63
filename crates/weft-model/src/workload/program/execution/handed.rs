//! What a NIC was handed and has not taken: one queue, or queue pairs that take turns.

use super::messages::Transfer;
use super::window::give_back;
use std::collections::{BTreeMap, VecDeque};

/// Stages of messages that a NIC was handed and has not sent whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Handed {
    /// Without queue pairs: all of them.
    queue: VecDeque<Transfer>,
    /// With queue pairs: the only one, of which nothing was sent. Most are sent as soon as they are handed.
    only: Option<Transfer>,
    urgent: QueuePairs,
    others: QueuePairs,
}

/// Queue pairs that have something, each by the number of the host it leads to and its own among those to there.
#[derive(Clone, Debug, Default)]
struct QueuePairs {
    transfers: BTreeMap<(u32, u8), VecDeque<Transfer>>,
    /// In turn: the first is served.
    turns: VecDeque<(u32, u8)>,
    /// Bytes that the first has sent in its turn.
    bytes: u64,
}

impl Handed {
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
            && self.only.is_none()
            && self.urgent.turns.is_empty()
            && self.others.turns.is_empty()
    }

    /// Adds what is to be sent.
    pub(super) fn push(&mut self, transfer: Transfer, has_queue_pairs: bool) {
        if !has_queue_pairs {
            self.queue.push_back(transfer);
        } else if self.is_empty() {
            self.only = Some(transfer);
        } else {
            self.line_up_only();
            self.line_up(transfer);
        }
    }

    /// What was the only one takes its queue pair.
    fn line_up_only(&mut self) {
        if let Some(only) = self.only.take() {
            self.line_up(only);
        }
    }

    /// What is to be sent takes its queue pair.
    fn line_up(&mut self, transfer: Transfer) {
        if transfer.is_urgent {
            self.urgent.push(transfer);
        } else {
            self.others.push(transfer);
        }
    }

    /// What is taken from next, with queue pairs of a quantum.
    pub(super) fn front(&mut self, quantum_bytes: Option<u64>) -> Option<&mut Transfer> {
        let Some(quantum_bytes) = quantum_bytes else {
            return self.queue.front_mut();
        };
        if self.only.is_some() {
            return self.only.as_mut();
        }
        self.served()?.front(quantum_bytes)
    }

    /// So many bytes were taken from the front; `is_over` tells whether that was the last of it.
    pub(super) fn took(&mut self, bytes: u64, is_over: bool) {
        if is_over && self.only.take().is_some() {
            return;
        }
        self.line_up_only();
        if let Some(served) = self.served() {
            served.took(bytes, is_over);
        } else if is_over {
            self.queue.pop_front();
            give_back(&mut self.queue);
        }
    }

    /// The queue pairs that are served, if there are any with something.
    fn served(&mut self) -> Option<&mut QueuePairs> {
        let both = [&mut self.urgent, &mut self.others];
        both.into_iter().find(|pairs| !pairs.turns.is_empty())
    }
}

impl QueuePairs {
    fn push(&mut self, transfer: Transfer) {
        let name = (transfer.place, transfer.nic);
        let queue = self.transfers.entry(name).or_default();
        if queue.is_empty() {
            self.turns.push_back(name);
        }
        queue.push_back(transfer);
    }

    /// The first in turn, after one whose turn is over has become the last.
    fn front(&mut self, quantum_bytes: u64) -> Option<&mut Transfer> {
        if self.bytes >= quantum_bytes {
            self.bytes = 0;
            self.turns.rotate_left(1);
        }
        let queue = self.transfers.get_mut(self.turns.front()?)?;
        queue.front_mut()
    }

    fn took(&mut self, bytes: u64, is_over: bool) {
        self.bytes += bytes.max(1);
        let Some(first) = self.turns.front() else {
            return;
        };
        let Some(queue) = self.transfers.get_mut(first).filter(|_| is_over) else {
            return;
        };
        queue.pop_front();
        if queue.is_empty() {
            self.transfers.remove(first);
            self.turns.pop_front();
            self.bytes = 0;
            give_back(&mut self.turns);
        }
    }
}
