//! The event queue: a wheel of one-cycle slots for the near future, a wheel of blocks of cycles for what
//! is to come later, a heap for the rest.
//!
//! Events of one cycle come out in no particular order; whoever handles them must not depend on
//! one. Nothing is ever cancelled: a handler checks that its event still means something.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

/// Slots of the wheel, a power of two; the events of a packet of two kilobytes lie within it.
const SLOTS: usize = 4096;
const WORDS: usize = SLOTS / 64;

/// A block is as many cycles as the wheel has slots; one bit tells whether a block has events.
const BLOCK_BITS: u32 = SLOTS.trailing_zeros();
const BLOCKS: usize = 64;

/// A time that never comes. Small enough that adding delays to it does not overflow.
pub(crate) const NEVER: u64 = u64::MAX / 4;

/// "No event", as an event and in the lists of events.
const END: u32 = u32::MAX;

/// An event in the list of its slot, the first of which, mostly the only one, is the slot itself.
#[derive(Clone, Copy, Debug)]
struct Entry {
    event: u32,
    next: u32,
}

impl Entry {
    /// A slot without events.
    const EMPTY: Self = Self {
        event: END,
        next: END,
    };
}

/// The events of one cycle behind the first, taken out of their slot.
#[derive(Debug)]
pub(crate) struct Taken(u32);

/// Events by cycle; an event is any 32-bit number but the highest.
#[derive(Debug)]
pub(crate) struct EventQueue {
    /// First event of cycle `now + k` for `k < SLOTS`, at slot `(now + k) mod SLOTS`.
    slots: Box<[Entry; SLOTS]>,
    /// The events of all slots behind the first, and places to be used again.
    entries: Vec<Entry>,
    free: u32,
    /// One bit per slot that is not empty, and one bit per word of those.
    occupied: [u64; WORDS],
    summary: u64,
    /// The earliest cycle the wheel can hold.
    now: u64,
    /// The earliest one with an event in the wheel; `NEVER` when it is empty.
    next: u64,
    /// Events beyond the wheel by block, at block modulo `BLOCKS`, and one bit per block that has some.
    blocks: [Vec<(u64, u32)>; BLOCKS],
    occupied_blocks: u64,
    /// Events beyond the blocks.
    far: BinaryHeap<Reverse<(u64, u32)>>,
    /// No event outside of the wheel is earlier.
    first_beyond: u64,
}

impl EventQueue {
    pub(crate) fn new() -> Self {
        let Ok(slots) = vec![Entry::EMPTY; SLOTS].try_into() else {
            unreachable!("they are as many as asked for")
        };
        Self {
            slots,
            entries: Vec::new(),
            free: END,
            occupied: [0; WORDS],
            summary: 0,
            now: 0,
            next: NEVER,
            blocks: [const { Vec::new() }; BLOCKS],
            occupied_blocks: 0,
            far: BinaryHeap::new(),
            first_beyond: NEVER,
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the slot number is taken modulo SLOTS"
    )]
    #[inline]
    fn slot_of(cycle: u64) -> usize {
        cycle as usize & (SLOTS - 1)
    }

    /// Plans `event` for `cycle`, which must not lie before the cycle being handled.
    #[inline]
    pub(crate) fn push(&mut self, cycle: u64, event: u32) {
        debug_assert!(event != END, "there is such an event");
        debug_assert!(
            cycle >= self.now,
            "event planned for cycle {cycle}, now {}",
            self.now
        );
        if cycle - self.now >= SLOTS as u64 {
            self.push_beyond(cycle, event);
            return;
        }
        self.next = self.next.min(cycle);
        let slot = Self::slot_of(cycle);
        if self.slots[slot].event != END {
            self.push_before(slot, event);
            return;
        }
        self.slots[slot].event = event;
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.summary |= 1 << (slot / 64);
    }

    /// Puts an event before the others of a slot.
    #[inline(never)]
    fn push_before(&mut self, slot: usize, event: u32) {
        let entry = self.slots[slot];
        let next = match self.entries.get_mut(self.free as usize) {
            Some(place) => std::mem::replace(&mut self.free, std::mem::replace(place, entry).next),
            None => self.new_entry(entry),
        };
        self.slots[slot] = Entry { event, next };
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

    #[inline(never)]
    fn push_beyond(&mut self, cycle: u64, event: u32) {
        let block = cycle >> BLOCK_BITS;
        if block - (self.now >> BLOCK_BITS) < BLOCKS as u64 {
            let place = Self::slot_of(block) % BLOCKS;
            self.blocks[place].push((cycle, event));
            self.occupied_blocks |= 1 << place;
            self.first_beyond = self.first_beyond.min(block << BLOCK_BITS);
        } else {
            self.far.push(Reverse((cycle, event)));
            self.first_beyond = self.first_beyond.min(cycle);
        }
    }

    /// Goes on to the earliest cycle with an event, if it is before `until`, and takes out its events, of which the
    /// first is handed out. Others may be planned for it again.
    #[expect(
        clippy::inline_always,
        reason = "a few instructions for each cycle in which something happens"
    )]
    #[inline(always)]
    pub(crate) fn next_before(&mut self, until: u64) -> Option<(u64, u32, Taken)> {
        loop {
            let cycle = self.next;
            if cycle < self.first_beyond.min(until) {
                self.now = cycle;
                let Entry { event, next } = self.take(Self::slot_of(cycle));
                self.next = cycle + self.cycles_to_next();
                return Some((cycle, event, Taken(next)));
            }
            if cycle < self.first_beyond || self.first_beyond >= until {
                return None;
            }
            self.bring_near();
        }
    }

    /// A cycle before which there is no event; `NEVER` when there is none at all.
    pub(crate) fn no_earlier_than(&self) -> u64 {
        self.next.min(self.first_beyond).min(NEVER)
    }

    /// Which of the 64 cycles from one on have events that are planned by now, the first lowest, as far as the wheel holds
    /// them.
    #[inline]
    pub(crate) fn soon(&self, cycle: u64) -> u64 {
        let slot = Self::slot_of(cycle);
        let (word, bit) = (slot / 64, slot % 64);
        let after = self.occupied[(word + 1) % WORDS];
        self.occupied[word] >> bit | after << 1 << (63 - bit)
    }

    /// The events planned by now for a cycle to come, as far as the wheel holds it.
    #[inline]
    pub(crate) fn planned(&self, cycle: u64) -> impl Iterator<Item = u32> {
        let mut entry = self.slots[Self::slot_of(cycle)];
        iter::from_fn(move || {
            let event = (entry.event != END).then_some(entry.event)?;
            let next = self.entries.get(entry.next as usize);
            entry = next.copied().unwrap_or(Entry::EMPTY);
            Some(event)
        })
    }

    /// Cycles from `now` to the first one with an event in the wheel; `NEVER` when it is empty.
    #[inline]
    fn cycles_to_next(&self) -> u64 {
        let start = Self::slot_of(self.now);
        match self.occupied[start / 64] >> (start % 64) {
            0 => self.cycles_to_next_word(start),
            ahead => ahead.trailing_zeros().into(),
        }
    }

    /// The same when the rest of the word of the slot of `now`, `start`, is empty.
    fn cycles_to_next_word(&self, start: usize) -> u64 {
        if self.summary == 0 {
            return NEVER;
        }
        // Whole words after the first, then from the beginning; the first word's low bits last.
        let after = self.summary & (u64::MAX << (start / 64) << 1);
        let word = if after == 0 { self.summary } else { after }.trailing_zeros() as usize;
        let slot = word * 64 + self.occupied[word].trailing_zeros() as usize;
        (slot.wrapping_sub(start) & (SLOTS - 1)) as u64
    }

    /// Moves the first events beyond the wheel into it, when none there are earlier.
    #[inline(never)]
    fn bring_near(&mut self) {
        self.now = self.first_beyond;
        let block = self.now >> BLOCK_BITS;
        let place = Self::slot_of(block) % BLOCKS;
        if self.occupied_blocks >> place & 1 != 0 {
            self.occupied_blocks &= !(1 << place);
            let mut events = std::mem::take(&mut self.blocks[place]);
            for (cycle, event) in events.drain(..) {
                self.push(cycle, event);
            }
            self.blocks[place] = events;
        }
        while let Some(&Reverse((cycle, event))) = self.far.peek()
            && cycle - self.now < SLOTS as u64
        {
            self.far.pop();
            self.push(cycle, event);
        }
        let next_block = match self.occupied_blocks {
            0 => NEVER,
            bits => {
                let after = bits & (u64::MAX << place);
                let next = if after == 0 { bits } else { after }.trailing_zeros() as usize;
                let blocks_on = next.wrapping_sub(place) % BLOCKS;
                (block + blocks_on as u64) << BLOCK_BITS
            }
        };
        let next_far = self.far.peek().map_or(NEVER, |&Reverse((cycle, _))| cycle);
        self.first_beyond = next_block.min(next_far);
    }

    /// Takes the events out of a slot.
    #[inline]
    fn take(&mut self, slot: usize) -> Entry {
        let word = self.occupied[slot / 64] & !(1 << (slot % 64));
        self.occupied[slot / 64] = word;
        // Whether the word is empty is not to be foreseen: no branch.
        self.summary &= !(u64::from(word == 0) << (slot / 64));
        std::mem::replace(&mut self.slots[slot], Entry::EMPTY)
    }

    /// The next of the events taken out.
    #[inline]
    pub(crate) fn pop(&mut self, taken: &mut Taken) -> Option<u32> {
        let index = taken.0;
        let entry = self.entries.get_mut(index as usize)?;
        taken.0 = std::mem::replace(&mut entry.next, self.free);
        self.free = index;
        Some(entry.event)
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
            let spread = match random() % 6 {
                0 => 3,
                1 => 70,
                2 => 5_000,
                3 => 40_000,
                4 => 300_000,
                _ => 2_000_000,
            };
            let cycle = now + random() % spread;
            queue.push(cycle, round);
            expected.entry(cycle).or_default().push(round);
            if random() % 2 == 0 {
                let (cycle, mut events) = expected.pop_first().unwrap();
                assert!(queue.next_before(cycle).is_none());
                let (found, first, mut list) = queue.next_before(cycle + 1).unwrap();
                assert_eq!(found, cycle);
                taken.clear();
                taken.push(first);
                while let Some(event) = queue.pop(&mut list) {
                    taken.push(event);
                }
                taken.sort_unstable();
                events.sort_unstable();
                assert_eq!(taken, events);
                now = cycle + 1;
            }
        }
    }

    #[test]
    fn an_empty_queue_has_no_next_cycle() {
        assert!(EventQueue::new().next_before(NEVER).is_none());
    }
}
