//! Items with numbers that are used again.

use crate::ids::{Id, Records};

/// Items in slots that are used again, so that numbers stay small and nothing is allocated in a
/// steady state.
#[derive(Debug)]
pub(crate) struct Slab<T, I> {
    items: Records<I, T>,
    free: Vec<I>,
}

impl<T, I: Id> Slab<T, I> {
    #[expect(unsafe_code, reason = "packets are looked up several times an event")]
    pub(crate) fn new() -> Self {
        // SAFETY: numbers are given by `insert` alone, are handed to nobody outside of the engine, and lose
        // their slots never.
        let items = unsafe { Records::of(Vec::new().into()) };
        Self {
            items,
            free: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, item: T) -> I {
        match self.free.pop() {
            Some(id) => {
                self.items[id] = item;
                id
            }
            None => self.items.push(item),
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: I) {
        self.free.push(id);
    }

    /// Items in use.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}

impl<T, I: Id> std::ops::Index<I> for Slab<T, I> {
    type Output = T;

    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id]
    }
}

impl<T, I: Id> std::ops::IndexMut<I> for Slab<T, I> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id]
    }
}
