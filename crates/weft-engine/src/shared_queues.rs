//! Queues of many things, nearly all of them empty, in memory that all of them share.

use crate::ids::{EntryId, Id, Maybe, Table};
use crate::linked_queue::{Linked, LinkedQueue};
use crate::slab::Slab;

/// A queue for each thing of a kind.
///
/// # Memory
/// Eight bytes a thing; what is queued takes as much as was ever queued at once.
#[derive(Debug)]
pub(crate) struct SharedQueues<I, T> {
    queues: Table<I, LinkedQueue<EntryId>>,
    entries: Slab<Entry<T>, EntryId>,
}

#[derive(Debug)]
struct Entry<T> {
    item: T,
    next: Maybe<EntryId>,
}

impl<T> Linked<EntryId> for Entry<T> {
    fn next(&self) -> Maybe<EntryId> {
        self.next
    }

    fn set_next(&mut self, next: Maybe<EntryId>) {
        self.next = next;
    }
}

impl<I: Id, T: Copy> SharedQueues<I, T> {
    /// Empty queues of so many things.
    pub(crate) fn new(count: usize) -> Self {
        Self {
            queues: Table::of(LinkedQueue::EMPTY, count),
            entries: Slab::new(),
        }
    }

    pub(crate) fn is_empty(&self, of: I) -> bool {
        self.queues[of].is_empty()
    }

    /// Puts an item at the end of the queue of a thing.
    pub(crate) fn push(&mut self, of: I, item: T) {
        let next = Maybe::NONE;
        let entry = self.entries.insert(Entry { item, next });
        self.queues[of].push(entry, &mut self.entries);
    }

    /// Takes the first item out of the queue of a thing.
    pub(crate) fn pop(&mut self, of: I) -> Option<T> {
        let entry = self.queues[of].pop(&self.entries)?;
        self.entries.remove(entry);
        Some(self.entries[entry].item)
    }
}

#[cfg(test)]
mod tests {
    use super::SharedQueues;
    use std::collections::VecDeque;
    use weft_fabric::ChannelId;

    /// Each queue is a queue of its own, whatever is put into others and taken out in between.
    #[test]
    fn queues_that_share_memory_are_as_if_each_had_its_own() {
        let mut shared = SharedQueues::<ChannelId, u32>::new(7);
        let mut own = vec![VecDeque::new(); 7];
        let mut state = 1_u32;
        for step in 0..5_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let place = (state >> 16) as usize % 7;
            let of = ChannelId::from_index(place);
            // More goes in than out for a while, then the other way round.
            if (state >> 8) % 5 < 2 + step / 2_500 % 2 {
                assert_eq!(shared.pop(of), own[place].pop_front());
            } else {
                shared.push(of, step);
                own[place].push_back(step);
            }
            assert_eq!(shared.is_empty(of), own[place].is_empty());
        }
    }
}
