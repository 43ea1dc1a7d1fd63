//! What a NIC was handed and has not taken: one queue, or queue pairs that take turns.

use super::messages::Transfer;
use super::window::give_back;
use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};

/// Stages of messages that a NIC was handed and has not sent whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Handed {
    /// With queue pairs: those of which nothing was sent and that go to one host after another, each as far behind the first
    /// one's as none before it, so that all have queue pairs of their own and their order is that of the turns. Most are
    /// sent as soon as they are handed, as an exchange of all with all hands them.
    fresh: VecDeque<Transfer>,
    /// So many others, before which none of these goes.
    lined_up: usize,
    lines: Option<Box<Lines>>,
}

/// Where what was handed stands in line.
#[derive(Clone, Debug, Default)]
struct Lines {
    /// Without queue pairs: all.
    queue: VecDeque<Transfer>,
    urgent: QueuePairs,
    others: QueuePairs,
}

/// Queue pairs that have something, each by the number of the host it leads to and its own among those to there.
#[derive(Clone, Debug, Default)]
struct QueuePairs {
    transfers: BTreeMap<(u32, u8), InLine>,
    /// In turn: the first is served.
    turns: VecDeque<(u32, u8)>,
    /// Bytes that the first has sent in its turn.
    bytes: u64,
}

/// How far behind the host that one goes to that of another is.
fn behind(first: &Transfer, other: &Transfer) -> u32 {
    other.place.wrapping_sub(first.place)
}

impl Handed {
    pub(super) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.lined_up == 0
    }

    /// Adds what is to be sent.
    pub(super) fn push(&mut self, transfer: Transfer, has_queue_pairs: bool) {
        if has_queue_pairs && self.lined_up == 0 && self.goes_on(&transfer) {
            self.fresh.push_back(transfer);
            return;
        }
        self.line_up();
        self.lined_up += 1;
        let lines = self.lines.get_or_insert_default();
        if has_queue_pairs {
            lines.push(transfer);
        } else {
            lines.queue.push_back(transfer);
        }
    }

    /// Whether what is to be sent is after what is fresh as that is in itself.
    fn goes_on(&self, transfer: &Transfer) -> bool {
        let (Some(first), Some(last)) = (self.fresh.front(), self.fresh.back()) else {
            return true;
        };
        let are_urgent = first.is_urgent || transfer.is_urgent;
        !are_urgent && behind(first, last) < behind(first, transfer)
    }

    /// What is fresh takes its queue pairs.
    fn line_up(&mut self) {
        if !self.fresh.is_empty() {
            self.lined_up += self.fresh.len();
            let lines = self.lines.get_or_insert_default();
            self.fresh
                .drain(..)
                .for_each(|transfer| lines.push(transfer));
        }
    }

    /// What is taken from next, with queue pairs of a quantum.
    pub(super) fn front(&mut self, quantum_bytes: Option<u64>) -> Option<&mut Transfer> {
        if !self.fresh.is_empty() {
            return self.fresh.front_mut();
        }
        let lines = self.lines.as_deref_mut()?;
        match quantum_bytes {
            Some(quantum_bytes) => lines.served()?.front(quantum_bytes),
            None => lines.queue.front_mut(),
        }
    }

    /// So many bytes were taken from the front; `is_over` tells whether that was the last of it.
    pub(super) fn took(&mut self, bytes: u64, is_over: bool) {
        if is_over && self.fresh.pop_front().is_some() {
            give_back(&mut self.fresh);
            return;
        }
        self.line_up();
        if let Some(lines) = &mut self.lines {
            self.lined_up -= usize::from(is_over);
            lines.took(bytes, is_over);
        }
    }
}

impl Lines {
    /// What is to be sent takes its queue pair.
    fn push(&mut self, transfer: Transfer) {
        if transfer.is_urgent {
            self.urgent.push(transfer);
        } else {
            self.others.push(transfer);
        }
    }

    fn took(&mut self, bytes: u64, is_over: bool) {
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

/// What a queue pair has: mostly one.
#[derive(Clone, Debug)]
struct InLine {
    first: Transfer,
    others: VecDeque<Transfer>,
}

impl QueuePairs {
    fn push(&mut self, transfer: Transfer) {
        let name = (transfer.place, transfer.nic);
        match self.transfers.entry(name) {
            Entry::Occupied(mut there) => there.get_mut().others.push_back(transfer),
            Entry::Vacant(place) => {
                self.turns.push_back(name);
                place.insert(InLine {
                    first: transfer,
                    others: VecDeque::new(),
                });
            }
        }
    }

    /// The first in turn, after one whose turn is over has become the last.
    fn front(&mut self, quantum_bytes: u64) -> Option<&mut Transfer> {
        if self.bytes >= quantum_bytes {
            self.bytes = 0;
            self.turns.rotate_left(1);
        }
        let served = self.transfers.get_mut(self.turns.front()?)?;
        Some(&mut served.first)
    }

    fn took(&mut self, bytes: u64, is_over: bool) {
        self.bytes += bytes.max(1);
        let Some(first) = self.turns.front() else {
            return;
        };
        if !is_over {
            return;
        }
        let Entry::Occupied(mut served) = self.transfers.entry(*first) else {
            return;
        };
        if let Some(next) = served.get_mut().others.pop_front() {
            served.get_mut().first = next;
        } else {
            served.remove();
            self.turns.pop_front();
            self.bytes = 0;
            give_back(&mut self.turns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fresh_goes_as_by_queue_pairs() {
        let mut draw = 1_u64;
        let mut random = move |below: u64| {
            draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (draw >> 33) % below
        };
        let (mut fresh, mut lined_up) = (0, 0);
        for _ in 0..2000 {
            let (mut handed, mut lines) = (Handed::default(), Lines::default());
            // One host after another, as an exchange has them, or any.
            let begin = random(40);
            let is_in_order = random(2) > 0;
            for (message, number) in (0..).zip(0..random(20)) {
                let place = if is_in_order {
                    begin + number
                } else {
                    random(8)
                };
                let transfer = Transfer {
                    message,
                    from: 0,
                    to: 0,
                    place: u32::try_from(place % 41).unwrap(),
                    nic: u8::from(random(20) == 0),
                    bytes_left: 1 + random(300),
                    is_fetched: false,
                    ends: None,
                    is_urgent: random(30) == 0,
                };
                handed.push(transfer, true);
                lines.push(transfer);
            }
            fresh += handed.fresh.len();
            lined_up += handed.lined_up;
            let takes_all = random(3) > 0;
            while let Some(expected) = lines.served().and_then(|served| served.front(256)) {
                let found = handed.front(Some(256)).unwrap();
                assert_eq!(found.message, expected.message);
                let bytes = if takes_all { u64::MAX } else { 100 };
                let taken = bytes.min(expected.bytes_left);
                expected.bytes_left -= taken;
                found.bytes_left -= taken;
                let is_over = expected.bytes_left == 0;
                lines.took(taken, is_over);
                handed.took(taken, is_over);
            }
            assert!(handed.is_empty() && handed.front(Some(256)).is_none());
        }
        assert!(fresh > 3000 && lined_up > 3000, "{fresh} {lined_up}");
    }
}
