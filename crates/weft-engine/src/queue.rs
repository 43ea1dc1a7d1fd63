//! The event queue: a wheel of one-cycle slots for the near future, a heap for the rest.
//!
//! Events of one cycle come out in no particular order; whoever handles them must not depend on
//! one. Nothing is ever cancelled: a handler checks that its event still means something.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Slots of the wheel, a power of two; a 2 KiB packet's events lie within it.
const SLOTS: usize = 4096;
const WORDS: usize = SLOTS / 64;

/// A time that never comes. Small enough that adding delays to it does not overflow.
pub(crate) const NEVER: u64 = u64::MAX / 4;

/// "No event" in the lists of events.
const END: u32 = u32::MAX;

/// An event in the list of its slot.
#[derive(Clone, Copy, Debug)]
struct Entry {
    event: u32,
    next: u32,
}

/// Events by cycle; an event is any 32-bit number.
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// First event of cycle `now + k` for `k < SLOTS`, at slot `(now + k) mod SLOTS`.
    slots: Box<[u32; SLOTS]>,
    /// The events of all slots, and those to be used again.
    entries: Vec<Entry>,
    free: u32,
    /// One bit per slot that is not empty, and one bit per word of those.
    occupied: [u64; WORDS],
    summary: u64,
    /// The earliest cycle the wheel can hold.
    now: u64,
    /// Events beyond the wheel, and the cycle of the first of them.
    far: BinaryHeap<Reverse<(u64, u32)>>,
    first_far: u64,
}

impl EventQueue {
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([END; SLOTS]),
            entries: Vec::new(),
            free: END,
            occupied: [0; WORDS],
            summary: 0,
            now: 0,
            far: BinaryHeap::new(),
            first_far: NEVER,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the slot number is taken modulo SLOTS"
    )]
    fn slot_of(cycle: u64) -> usize {
        cycle as usize & (SLOTS - 1)
    }

    /// This plans `event` for `cycle`, which must not lie before the cycle being handled.
    #[inline]
    pub(crate) fn push(&mut self, cycle: u64, event: u32) {
        debug_assert!(
            cycle >= self.now,
            "event planned for cycle {cycle}, now {}",
            self.now
        );
        if cycle - self.now >= SLOTS as u64 {
            self.push_far(cycle, event);
            return;
        }
        let slot = Self::slot_of(cycle);
        let entry = Entry {
            event,
            next: self.slots[slot],
        };
        self.slots[slot] = if self.free == END {
            self.new_entry(entry)
        } else {
            let index = self.free;
            let place = &mut self.entries[index as usize];
            self.free = place.next;
            *place = entry;
            index
        };
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.summary |= 1 << (slot / 64);
    }

    #[cold]
    fn new_entry(&mut self, entry: Entry) -> u32 {
        let index = self.entries.len();
        assert!(
            index < END as usize,
            "fewer than 2^32 events fit any memory"
        );
        self.entries.push(entry);
        #[expect(clippy::cast_possible_truncation, reason = "checked two lines above")]
        {
            index as u32
        }
    }

    #[cold]
    fn push_far(&mut self, cycle: u64, event: u32) {
        self.far.push(Reverse((cycle, event)));
        self.first_far = self.first_far.min(cycle);
    }

    /// This is the earliest cycle with an event, or `NEVER`.
    #[inline]
    pub(crate) fn next_cycle(&self) -> u64 {
        let near = match self.next_slot() {
            Some(slot) => {
                let offset = slot.wrapping_sub(Self::slot_of(self.now)) & (SLOTS - 1);
                self.now + offset as u64
            }
            None => NEVER,
        };
        near.min(self.first_far)
    }

    /// This is the first occupied slot at or after that of `now`, going round.
    #[inline]
    fn next_slot(&self) -> Option<usize> {
        if self.summary == 0 {
            return None;
        }
        let start = Self::slot_of(self.now);
        let (word, bit) = (start / 64, start % 64);
        let first = self.occupied[word] & (u64::MAX << bit);
        if first != 0 {
            return Some(word * 64 + first.trailing_zeros() as usize);
        }
        // Whole words after the first, then from the beginning; the first word's low bits last.
        let after = self.summary & (u64::MAX << word << 1);
        let word = if after == 0 { self.summary } else { after }.trailing_zeros() as usize;
        Some(word * 64 + self.occupied[word].trailing_zeros() as usize)
    }

    /// This moves all events of `cycle`, the earliest cycle with an event, into `events`.
    #[inline]
    pub(crate) fn take(&mut self, cycle: u64, events: &mut Vec<u32>) {
        self.now = cycle;
        let slot = Self::slot_of(cycle);
        events.clear();
        let mut index = self.slots[slot];
        if index != END {
            self.slots[slot] = END;
            while index != END {
                let entry = &mut self.entries[index as usize];
                events.push(entry.event);
                let next = entry.next;
                entry.next = self.free;
                self.free = index;
                index = next;
            }
            self.occupied[slot / 64] &= !(1 << (slot % 64));
            if self.occupied[slot / 64] == 0 {
                self.summary &= !(1 << (slot / 64));
            }
        }
        if self.first_far == cycle {
            self.take_far(cycle, events);
        }
    }

    #[cold]
    fn take_far(&mut self, cycle: u64, events: &mut Vec<u32>) {
        while let Some(&Reverse((due, event))) = self.far.peek() {
            if due != cycle {
                self.first_far = due;
                return;
            }
            events.push(event);
            self.far.pop();
        }
        self.first_far = NEVER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_out_by_cycle_whatever_the_order_they_were_planned_in() {
        let mut queue = EventQueue::new();
        let mut state = 1_u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 33
        };
        let mut expected = std::collections::BTreeMap::<u64, Vec<u32>>::new();
        let mut taken = Vec::new();
        let mut now = 0;
        for round in 0..20_000_u32 {
            let spread = match random() % 4 {
                0 => 3,
                1 => 70,
                2 => 5_000,
                _ => 40_000,
            };
            let cycle = now + random() % spread;
            queue.push(cycle, round);
            expected.entry(cycle).or_default().push(round);
            if random() % 2 == 0 {
                let (cycle, mut events) = expected.pop_first().unwrap();
                assert_eq!(queue.next_cycle(), cycle);
                queue.take(cycle, &mut taken);
                taken.sort_unstable();
                events.sort_unstable();
                assert_eq!(taken, events);
                now = cycle + 1;
            }
        }
    }

    #[test]
    fn an_empty_queue_has_no_next_cycle() {
        assert_eq!(EventQueue::new().next_cycle(), NEVER);
    }
}
