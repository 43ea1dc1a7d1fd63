//! Items with numbers that are used again.

/// Numbers from here on may mean something else.
const MOST: usize = u32::MAX as usize - 1;

/// Items in slots that are used again, so that numbers stay small and nothing is allocated in a
/// steady state.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Slab<T> {
    pub(crate) fn new() -> Self {
        Self {
            items: Vec::new(),
            free: Vec::new(),
        }
    }

    #[inline]
    pub(crate) fn insert(&mut self, item: T) -> u32 {
        if let Some(index) = self.free.pop() {
            self.items[index as usize] = item;
            return index;
        }
        let index = self.items.len();
        assert!(index < MOST, "fewer than 2^32 packets fit any memory");
        self.items.push(item);
        #[expect(clippy::cast_possible_truncation, reason = "checked two lines above")]
        {
            index as u32
        }
    }

    #[inline]
    pub(crate) fn remove(&mut self, index: u32) {
        self.free.push(index);
    }

    /// Items in use.
    pub(crate) fn len(&self) -> usize {
        self.items.len() - self.free.len()
    }
}

impl<T> std::ops::Index<u32> for Slab<T> {
    type Output = T;

    #[inline]
    fn index(&self, index: u32) -> &T {
        &self.items[index as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, index: u32) -> &mut T {
        &mut self.items[index as usize]
    }
}
