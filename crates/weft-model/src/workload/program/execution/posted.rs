//! Receives that were posted, through which those of one rank are found in the order of their posting.

use super::slot::{Phase, Slot};
use super::window::Window;

/// Receives that were posted: those for one rank are a ring, each of which tells how far the next is from it; whoever
/// keeps the last of them keeps all.
impl Window {
    /// The number that has these lowest bits, of a task under way.
    fn number(&self, lowest: u32) -> u64 {
        self.first + u64::from(lowest.wrapping_sub(lowest_of(self.first)))
    }

    /// How far the next receive for the same rank is from a task under way.
    #[inline]
    fn missing(&self, number: u64) -> u32 {
        self.look(number, |slot| slot.missing)
    }

    /// A receive was posted, the so manieth of all; for one rank, behind the last before it.
    pub(super) fn post(&mut self, task: u64, turn: u64, last: Option<u32>) {
        let own = lowest_of(task);
        let next = last.map_or(own, |last| {
            let last = self.number(last);
            let missing = self.missing(last);
            self.change(last, |slot| {
                slot.missing = own.wrapping_sub(lowest_of(last));
            });
            lowest_of(last).wrapping_add(missing)
        });
        self.change(task, |slot| {
            slot.phase = Phase::Posted;
            slot.amount = turn;
            slot.missing = next.wrapping_sub(own);
        });
    }

    /// The first receive posted for a rank that a message with a tag suits, by the last of these: the one before it, and its
    /// turn.
    pub(super) fn find_posted(&self, last: u32, tag: u32) -> Option<(u32, u64)> {
        let mut before = last;
        loop {
            let number = self.number(before);
            let own = before.wrapping_add(self.missing(number));
            let suits = |slot: &Slot| slot.suits(tag).then_some(slot.amount);
            if let Some(turn) = self.look(self.number(own), suits) {
                return Some((before, turn));
            }
            if own == last {
                return None;
            }
            before = own;
        }
    }

    /// The receive behind one of those for a rank found its message: which it is, and what is the last now.
    pub(super) fn take_posted(&mut self, before: u32, last: u32) -> (u64, Option<u32>) {
        let number = self.number(before);
        let own = before.wrapping_add(self.missing(number));
        let task = self.number(own);
        let next = own.wrapping_add(self.found(task));
        if own == before {
            return (task, None);
        }
        let number = self.number(before);
        self.change(number, |slot| slot.missing = next.wrapping_sub(before));
        let last = if own == last { before } else { last };
        (task, Some(last))
    }

    /// A receive found its message. It returns how far the next was from it.
    pub(super) fn found(&mut self, task: u64) -> u32 {
        let mut next = 0;
        self.change(task, |slot| {
            slot.phase = Phase::Started;
            next = std::mem::take(&mut slot.missing);
        });
        next
    }

    /// The turn of a receive that was posted, if a message with a tag suits it.
    pub(super) fn turn_of(&self, task: u64, tag: u32) -> Option<u64> {
        let slot = self.under_way(task);
        slot.suits(tag).then_some(slot.amount)
    }

    /// Whether a receive was posted and has not found its message.
    pub(super) fn is_posted(&self, task: u64) -> bool {
        self.slot(task)
            .is_some_and(|slot| slot.phase == Phase::Posted)
    }
}

/// The lowest bits of a task's number.
#[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
pub(super) fn lowest_of(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::program::{Task, Work};

    #[test]
    fn receives_posted_for_a_rank_are_found_in_their_order() {
        let mut window = Window::default();
        for (number, tag) in (0..).zip([5, 6, 5, 7]) {
            let (from, tag) = (Some(1), Some(tag));
            window.add(Task::new(Work::Receive { from, tag }, 0), &[]);
            window.start(number);
        }
        // Not in the order of their numbers.
        let mut last = None;
        for (turn, task) in [(10, 2), (11, 0), (12, 3), (13, 1)] {
            window.post(task, turn, last);
            last = Some(lowest_of(task));
        }
        let mut take = |tag: u32| {
            let of = last?;
            let (before, turn) = window.find_posted(of, tag)?;
            let (task, left) = window.take_posted(before, of);
            last = left;
            Some((task, turn))
        };
        assert_eq!(take(6), Some((1, 13)));
        assert_eq!(take(5), Some((2, 10)));
        assert_eq!(take(8), None);
        assert_eq!(take(7), Some((3, 12)));
        assert_eq!(take(5), Some((0, 11)));
        assert_eq!(take(5), None);
    }
}
