//! Messages seen and receives posted at one rank, and which of them find each other.

use super::messages::Message;
use std::collections::{BTreeMap, VecDeque};

/// A receive that was posted.
#[derive(Clone, Copy, Debug)]
struct Posted {
    task: u64,
    from: Option<u32>,
    tag: Option<u32>,
}

/// A message that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    message: usize,
    from: u32,
    tag: u32,
}

fn suits(posted: &Posted, seen: &Seen) -> bool {
    posted.from.is_none_or(|from| from == seen.from) && posted.tag.is_none_or(|tag| tag == seen.tag)
}

#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    posted: VecDeque<Posted>,
    seen: VecDeque<Seen>,
    /// Per rank that sent something: how many of its messages were seen.
    counts: BTreeMap<u32, u64>,
    /// Messages that overtook others, by sender and number.
    early: BTreeMap<(u32, u64), usize>,
}

impl Mailbox {
    /// Takes a message that has arrived; [`next_in_order`](Self::next_in_order) tells which
    /// are seen now.
    pub(super) fn arrive(&mut self, index: usize, message: &Message) {
        self.early.insert((message.from, message.number), index);
    }

    /// The next message of a rank, if it has arrived.
    pub(super) fn next_in_order(&mut self, from: u32) -> Option<usize> {
        let count = self.counts.entry(from).or_insert(0);
        let index = self.early.remove(&(from, *count))?;
        *count += 1;
        Some(index)
    }

    /// Shows a message to the receives posted; the task of the first it suits, or it waits.
    pub(super) fn see(&mut self, index: usize, message: &Message) -> Option<u64> {
        let seen = Seen {
            message: index,
            from: message.from,
            tag: message.tag,
        };
        let place = self.posted.iter().position(|posted| suits(posted, &seen));
        if let Some(posted) = place.and_then(|place| self.posted.remove(place)) {
            return Some(posted.task);
        }
        self.seen.push_back(seen);
        None
    }

    /// Posts a receive; the first message seen that suits, or it waits.
    pub(super) fn post(&mut self, task: u64, from: Option<u32>, tag: Option<u32>) -> Option<usize> {
        let posted = Posted { task, from, tag };
        let place = self.seen.iter().position(|seen| suits(&posted, seen));
        if let Some(seen) = place.and_then(|place| self.seen.remove(place)) {
            return Some(seen.message);
        }
        self.posted.push_back(posted);
        None
    }

    /// Tells whether a receive still waits for its message.
    pub(super) fn is_posted(&self, task: u64) -> bool {
        self.posted.iter().any(|posted| posted.task == task)
    }

    /// The messages that nobody has received, as (sender, tag).
    pub(super) fn unclaimed(&self) -> impl Iterator<Item = (u32, u32)> {
        self.seen.iter().map(|seen| (seen.from, seen.tag))
    }
}
