//! Messages seen and receives posted at one rank, and which of them find each other.
//!
//! Either kind is found by the rank it comes from or asks for, so that what one costs does not grow with
//! those of other ranks.

use super::messages::Message;
use super::peers::Peers;
use super::posted::lowest_of;
use super::window::Window;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A message that was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    message: usize,
    from: u32,
    tag: u32,
}

/// What has come to a rank and what it asks for; receives that ask for a rank are kept with that and in the window.
#[derive(Clone, Debug, Default)]
pub(super) struct Mailbox {
    /// Receives posted that ask for any rank, in that order.
    posted_for_any: VecDeque<u64>,
    posted_count: u64,
    /// Messages by the order in which they were seen, and that order by their ranks.
    seen: BTreeMap<u64, Seen>,
    seen_of: BTreeSet<(u32, u64)>,
    seen_count: u64,
    /// Messages that overtook others, by sender and number.
    early: BTreeMap<(u32, u32), usize>,
}

impl Mailbox {
    /// Takes a message that has arrived, and tells whether it is seen now, and after it those that
    /// [`next_in_order`](Self::next_in_order) tells.
    pub(super) fn arrive(&mut self, index: usize, message: &Message, peers: &mut Peers) -> bool {
        let mut peer = peers.of(message.from);
        let is_next = peer.seen() == message.number;
        if is_next {
            peer.see();
        } else {
            self.early.insert((message.from, message.number), index);
        }
        is_next
    }

    /// The next message of a rank, if it has arrived.
    pub(super) fn next_in_order(&mut self, from: u32, peers: &mut Peers) -> Option<usize> {
        if self.early.is_empty() {
            return None;
        }
        let mut peer = peers.of(from);
        let index = self.early.remove(&(from, peer.seen()))?;
        peer.see();
        Some(index)
    }

    /// Shows a message to the receives posted; the task of the first it suits, or it waits.
    pub(super) fn see(
        &mut self,
        index: usize,
        message: &Message,
        peers: &mut Peers,
        window: &mut Window,
    ) -> Option<u64> {
        let &Message { from, tag, .. } = message;
        let mut peer = peers.of(from);
        let last = peer.last_posted();
        let first = last.and_then(|last| Some((last, window.find_posted(last, tag)?)));
        let mut for_any = self.posted_for_any.iter().enumerate();
        let of_any = for_any.find_map(|(place, &task)| Some((place, window.turn_of(task, tag)?)));
        match (first, of_any) {
            (Some((last, (before, turn))), of_any)
                if of_any.is_none_or(|(_, other)| turn < other) =>
            {
                let (task, last) = window.take_posted(before, last);
                peer.set_last_posted(last);
                Some(task)
            }
            (_, Some((place, _))) => {
                let task = self.posted_for_any.remove(place)?;
                window.found(task);
                Some(task)
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
    pub(super) fn post(
        &mut self,
        task: u64,
        (from, tag): (Option<u32>, Option<u32>),
        peers: &mut Peers,
        window: &mut Window,
    ) -> Option<usize> {
        let suits = |seen: &Seen| tag.is_none_or(|asked| asked == seen.tag);
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
        let turn = self.posted_count;
        self.posted_count += 1;
        if let Some(from) = from {
            let mut peer = peers.of(from);
            window.post(task, turn, peer.last_posted());
            peer.set_last_posted(Some(lowest_of(task)));
        } else {
            window.post(task, turn, None);
            self.posted_for_any.push_back(task);
        }
        None
    }

    /// The messages that nobody has received, as (sender, tag).
    pub(super) fn unclaimed(&self) -> impl Iterator<Item = (u32, u32)> {
        self.seen.values().map(|seen| (seen.from, seen.tag))
    }
}
