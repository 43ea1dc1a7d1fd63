//! Messages seen and receives posted at one rank, and which of them find each other.
//!
//! Either kind is found by the rank it comes from or asks for, so that what one costs does not grow with
//! those of other ranks.

use super::messages::Message;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A receive that was posted.
#[derive(Clone, Copy, Debug)]
struct Posted {
    task: u64,
    tag: Option<u32>,
}

impl Posted {
    fn suits(&self, tag: u32) -> bool {
        self.tag.is_none_or(|asked| asked == tag)
    }
}

/// A message that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    message: usize,
    from: u32,
    tag: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    /// Receives that ask for a rank, by that and the order of posting.
    posted: BTreeMap<(u32, u64), Posted>,
    /// Those that ask for any, by the order of posting.
    posted_for_any: VecDeque<(u64, Posted)>,
    posted_count: u64,
    /// Messages by the order in which they were seen, and that order by their ranks.
    seen: BTreeMap<u64, Seen>,
    seen_of: BTreeSet<(u32, u64)>,
    seen_count: u64,
    /// Per rank that sent something: how many of its messages were seen.
    counts: BTreeMap<u32, u64>,
    /// Messages that overtook others, by sender and number.
    early: BTreeMap<(u32, u64), usize>,
}

impl Mailbox {
    /// Whether all messages that its sender sent before it were seen.
    pub(super) fn is_next(&self, message: &Message) -> bool {
        self.counts.get(&message.from).copied().unwrap_or(0) == message.number
    }

    /// Takes a message that has arrived, and tells whether it is seen now, and after it those that
    /// [`next_in_order`](Self::next_in_order) tells.
    pub(super) fn arrive(&mut self, index: usize, message: &Message) -> bool {
        let count = self.counts.entry(message.from).or_insert(0);
        let is_next = *count == message.number;
        if is_next {
            *count += 1;
        } else {
            self.early.insert((message.from, message.number), index);
        }
        is_next
    }

    /// The next message of a rank, if it has arrived.
    pub(super) fn next_in_order(&mut self, from: u32) -> Option<usize> {
        if self.early.is_empty() {
            return None;
        }
        let count = self.counts.get_mut(&from)?;
        let index = self.early.remove(&(from, *count))?;
        *count += 1;
        Some(index)
    }

    /// Shows a message to the receives posted; the task of the first it suits, or it waits.
    pub(super) fn see(&mut self, index: usize, message: &Message) -> Option<u64> {
        let &Message { from, tag, .. } = message;
        let asking_for_it = self.posted.range((from, 0)..=(from, u64::MAX));
        let mut asking_for_it = asking_for_it.filter(|(_, posted)| posted.suits(tag));
        let first = asking_for_it.next().map(|(&(_, order), _)| order);
        let is_for_any = |(_, posted): &(u64, Posted)| posted.suits(tag);
        let place = self.posted_for_any.iter().position(is_for_any);
        let of_any = place.map(|place| self.posted_for_any[place].0);
        match (first, of_any) {
            (Some(first), of_any) if of_any.is_none_or(|order| first < order) => {
                let posted = self.posted.remove(&(from, first))?;
                Some(posted.task)
            }
            (_, Some(_)) => {
                let (_, posted) = self.posted_for_any.remove(place?)?;
                Some(posted.task)
            }
            (_, None) => {
                let message = Seen {
                    message: index,
                    from,
                    tag,
                };
                self.seen.insert(self.seen_count, message);
                self.seen_of.insert((from, self.seen_count));
                self.seen_count += 1;
                None
            }
        }
    }

    /// Posts a receive; the first message seen that suits, or it waits.
    pub(super) fn post(&mut self, task: u64, from: Option<u32>, tag: Option<u32>) -> Option<usize> {
        let posted = Posted { task, tag };
        let suits = |seen: &Seen| posted.suits(seen.tag);
        let found = if let Some(from) = from {
            let of_it = self.seen_of.range((from, 0)..=(from, u64::MAX));
            let mut orders = of_it.map(|&(_, order)| order);
            orders.find(|order| self.seen.get(order).is_some_and(suits))
        } else {
            let found = self.seen.iter().find(|(_, seen)| suits(seen));
            found.map(|(&order, _)| order)
        };
        if let Some(order) = found {
            let seen = self.seen.remove(&order)?;
            self.seen_of.remove(&(seen.from, order));
            return Some(seen.message);
        }
        let order = self.posted_count;
        self.posted_count += 1;
        match from {
            Some(from) => {
                self.posted.insert((from, order), posted);
            }
            None => self.posted_for_any.push_back((order, posted)),
        }
        None
    }

    /// Tells whether a receive still waits for its message.
    pub(super) fn is_posted(&self, task: u64) -> bool {
        let for_any = self.posted_for_any.iter().map(|(_, posted)| posted);
        let mut posted = self.posted.values().chain(for_any);
        posted.any(|posted| posted.task == task)
    }

    /// The messages that nobody has received, as (sender, tag).
    pub(super) fn unclaimed(&self) -> impl Iterator<Item = (u32, u32)> {
        self.seen.values().map(|seen| (seen.from, seen.tag))
    }
}
