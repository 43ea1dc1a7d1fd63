//! What each packet is a part of that is on its way.

use super::messages::{Arrived, Message, Messages, Parcel};
use super::posted::lowest_of;
use super::sent::{Count, Sent};
use super::sent_block::{Block, TOGETHER};
use super::window::give_back;
use std::cmp::Ordering;
use std::collections::VecDeque;
use weft_fabric::narrow;

/// What happens to a packet: it is delivered,
const DELIVERED: usize = 0;
/// or leaves its queue pair.
const LEFT: usize = 1;

/// Of so many blocks none is coded: what most hosts have under way is few, as with 32 others at a time.
const FEW: usize = 3;

/// So many packets of a host share one place in the index of what is under way.
const INDEXED: u64 = 8;

/// The packets a host has sent and that were not delivered yet, by their number among its packets.
#[derive(Clone, Debug, Default)]
pub(super) struct UnderWay {
    /// What was sent together, with how many of it are delivered: a packet that is delivered asks for both.
    blocks: VecDeque<Block>,
    /// So many were sent before these.
    first: u64,
    /// So many of the first block are forgotten.
    forgotten: usize,
    /// All that are not.
    count: usize,
    next: u64,
    /// For every so many packets, from those sent first on, the lowest bits of the number of what the first of them
    /// was sent with.
    index: VecDeque<u32>,
    /// The first of these, in so many packets.
    index_begin: u64,
    /// What waits may be coded, its messages with it: nobody asks for these before a packet is delivered or leaves.
    may_code: bool,
    /// What was opened last for a packet that was delivered, and for one that left: how many were sent before it.
    opened: [u64; 2],
}

impl UnderWay {
    /// Nothing is under way; `may_code` tells whether nobody asks for a message between the sending of its packets and the
    /// first that is delivered or leaves its queue pair.
    pub(super) fn new(may_code: bool) -> Self {
        Self {
            may_code,
            ..Self::default()
        }
    }

    /// So many packets are sent, all with this payload but the last.
    pub(super) fn push(
        &mut self,
        count: u64,
        payload_bytes: u32,
        last: Arrived,
        messages: &mut Messages,
    ) {
        if self.blocks.back().is_none_or(|last| last.len() == TOGETHER) {
            self.begin_block(messages);
        }
        let place = self.forgotten + self.count;
        self.next += count;
        let indexed = self.next.div_ceil(INDEXED) - self.index_begin;
        let places: usize = narrow(indexed, "packets under way fit memory");
        let number = lowest_of(self.first).wrapping_add(narrow(place, "they fit memory"));
        self.index.resize(places.max(self.index.len()), number);
        let count = Count {
            end: self.next,
            left: count,
            latest_cycle: 0,
        };
        if let Some(Block::Each(sent)) = self.blocks.back_mut() {
            sent.push((count, Sent::new(payload_bytes, &last)));
        }
        self.count += 1;
    }

    /// Begins a block, behind one that may wait for long.
    fn begin_block(&mut self, messages: &mut Messages) {
        let count = self.blocks.len();
        match count.cmp(&FEW) {
            Ordering::Less => {}
            Ordering::Equal => (1..count).for_each(|place| self.code(place, messages)),
            Ordering::Greater => self.code(count - 1, messages),
        }
        let mut sent = Vec::new();
        if self.next > 0 {
            // Many send little, but who sends more fills it.
            sent.reserve_exact(TOGETHER);
        }
        self.blocks.push_back(Block::Each(sent));
    }

    fn code(&mut self, place: usize, messages: &mut Messages) {
        if self.may_code
            && let Some(block) = self.blocks.get_mut(place)
        {
            block.code(messages);
        }
    }

    /// A packet is delivered in a cycle; the latest in which one of those was that it was sent with, if all are.
    #[inline]
    pub(super) fn take(
        &mut self,
        sequence: u64,
        cycle: u64,
        messages: &mut Messages,
    ) -> Option<u64> {
        let (count, _) = self.sent_with(sequence, DELIVERED, messages);
        count.left -= 1;
        count.latest_cycle = count.latest_cycle.max(cycle);
        (count.left == 0).then_some(count.latest_cycle)
    }

    /// All packets that one was sent with are delivered, this the last; what it is.
    #[inline]
    pub(super) fn take_all(&mut self, sequence: u64, messages: &mut Messages) -> Arrived {
        let (count, sent) = self.sent_with(sequence, DELIVERED, messages);
        count.left = 0;
        sent.arrived(sequence + 1 == count.end, messages)
    }

    /// What a packet that was taken is.
    pub(super) fn arrived(&mut self, sequence: u64, messages: &mut Messages) -> Arrived {
        let &mut (count, sent) = self.sent_with(sequence, DELIVERED, messages);
        sent.arrived(sequence + 1 == count.end, messages)
    }

    /// The rank and the task whose end a packet is that leaves its queue pair, if it is one.
    pub(super) fn ends(&mut self, sequence: u64, messages: &mut Messages) -> Option<(u32, u64)> {
        let &mut (count, sent) = self.sent_with(sequence, LEFT, messages);
        let Arrived { from, parcel, .. } = sent.arrived(sequence + 1 == count.end, messages);
        match parcel {
            Parcel::Part { ends, .. } => ends.map(|task| (from, task)),
            Parcel::Acknowledgement { .. } | Parcel::Refusal { .. } => None,
        }
    }

    /// What a packet was sent with, to which something happened.
    #[inline]
    fn sent_with(
        &mut self,
        sequence: u64,
        happened: usize,
        messages: &mut Messages,
    ) -> &mut (Count, Sent) {
        let place = self.place(sequence, happened, messages);
        let sent = place.and_then(|(block, place)| match self.blocks.get_mut(block)? {
            Block::Each(sent) => sent.get_mut(place),
            Block::Coded { .. } => None,
        });
        match sent {
            Some(sent) => sent,
            None => {
                unreachable!(
                    "packet {sequence} is under way: a simulator delivers what it was given"
                )
            }
        }
    }

    /// The place of what a packet was sent with: its block, which is open then, and the place in that.
    #[inline]
    fn place(
        &mut self,
        sequence: u64,
        happened: usize,
        messages: &mut Messages,
    ) -> Option<(usize, usize)> {
        let indexed = sequence / INDEXED - self.index_begin;
        let number = *self.index.get(usize::try_from(indexed).ok()?)?;
        let indexed = number.wrapping_sub(lowest_of(self.first)) as usize;
        // That of the first of these packets may be forgotten, where others came.
        let begin = if indexed < self.forgotten + self.count {
            indexed
        } else {
            0
        };
        let (mut block, mut begin) = (begin / TOGETHER, begin % TOGETHER);
        loop {
            match self.blocks.get(block)? {
                Block::Each(sent) => {
                    let mut places = begin..sent.len();
                    if let Some(place) = places.find(|&place| sequence < sent[place].0.end) {
                        return Some((block, place));
                    }
                    (block, begin) = (block + 1, 0);
                }
                Block::Coded { end, .. } if *end <= sequence => (block, begin) = (block + 1, 0),
                Block::Coded { .. } => self.open(block, happened, messages),
            }
        }
    }

    /// Opens a block, in place of that which was opened before for what happened to a packet.
    #[cold]
    fn open(&mut self, block: usize, happened: usize, messages: &mut Messages) {
        self.blocks[block].open(messages);
        let number = self.first + (block * TOGETHER) as u64;
        let before = std::mem::replace(&mut self.opened[happened], number);
        let place = before.saturating_sub(self.first) / TOGETHER as u64;
        let last = self.blocks.len().saturating_sub(1);
        if let Ok(place) = usize::try_from(place)
            && (1..last).contains(&place)
            && !self.opened.contains(&before)
        {
            self.code(place, messages);
        }
    }

    /// Forgets those sent first, as far as all are delivered.
    pub(super) fn forget(&mut self) {
        while let Some(Block::Each(sent)) = self.blocks.front()
            && let Some(&(Count { end, .. }, _)) = sent
                .get(self.forgotten)
                .filter(|(count, _)| count.left == 0)
        {
            self.forgotten += 1;
            self.count -= 1;
            while self.index_begin < end / INDEXED {
                self.index.pop_front();
                self.index_begin += 1;
            }
            if self.forgotten == TOGETHER {
                self.blocks.pop_front();
                self.forgotten = 0;
                self.first += TOGETHER as u64;
            }
        }
        give_back(&mut self.blocks);
        give_back(&mut self.index);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The messages coded here that no receive has found.
    pub(super) fn unmatched(&self) -> impl Iterator<Item = Message> {
        self.blocks.iter().flat_map(Block::unmatched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_found_in_whatever_order_they_are_delivered() {
        let reply = |to| Arrived {
            from: 0,
            to,
            nic: 0,
            parcel: Parcel::Acknowledgement { ends: None },
        };
        let mut messages = Messages::default();
        let mut under_way = UnderWay::default();
        let (mut sent, mut left) = (0, Vec::new());
        let mut draw = 1_u64;
        for round in 0..2000_u32 {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let count = [1, 1, 2, 8, 40][(draw >> 33) as usize % 5];
            under_way.push(count, 0, reply(round), &mut messages);
            left.extend((sent..sent + count).map(|packet| (packet, round)));
            sent += count;
            // As many are delivered on average as are sent; at times all.
            let delivered = if round % 500 == 499 {
                left.len()
            } else {
                left.len().min((draw >> 40) as usize % 20)
            };
            for _ in 0..delivered {
                draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (packet, of) = left.swap_remove((draw >> 33) as usize % left.len());
                let is_whole = !left.iter().any(|&(_, other)| other == of);
                assert_eq!(under_way.take(packet, 5, &mut messages).is_some(), is_whole);
                assert_eq!(under_way.arrived(packet, &mut messages).to, of);
                under_way.forget();
            }
            assert_eq!(under_way.is_empty(), left.is_empty());
        }
        assert!(under_way.index.len() <= 1);
    }
}
