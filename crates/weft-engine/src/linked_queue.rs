//! Queues of items of a slab, each of which knows the next.

use crate::ids::{Id, Maybe};
use crate::slab::Slab;

/// An item that knows the one behind it in its queue.
pub(crate) trait Linked<I> {
    /// The item behind it.
    fn next(&self) -> Maybe<I>;

    /// Another item is behind it now, or none.
    fn set_next(&mut self, next: Maybe<I>);
}

/// A queue of items of a slab; an item is in one queue at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkedQueue<I: Id> {
    front: Maybe<I>,
    /// The last item while there is any.
    back: Maybe<I>,
}

impl<I: Id> LinkedQueue<I> {
    /// No items.
    pub(crate) const EMPTY: Self = Self {
        front: Maybe::NONE,
        back: Maybe::NONE,
    };

    /// The first item.
    #[inline]
    pub(crate) fn front(self) -> Option<I> {
        self.front.get()
    }

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.front.is_none()
    }

    /// Puts an item at the end, and tells whether it is the first.
    #[inline]
    pub(crate) fn push<T: Linked<I>>(&mut self, item: I, items: &mut Slab<T, I>) -> bool {
        items[item].set_next(Maybe::NONE);
        let is_first = self.front.is_none();
        if is_first {
            self.front = item.into();
        } else {
            let last = self.back.known("a queue that has a front has an end");
            items[last].set_next(item.into());
        }
        self.back = item.into();
        is_first
    }

    /// Takes the first item out.
    #[inline]
    pub(crate) fn pop<T: Linked<I>>(&mut self, items: &Slab<T, I>) -> Option<I> {
        let first = self.front.get()?;
        self.front = items[first].next();
        Some(first)
    }

    /// The items from the first to the last.
    #[inline]
    pub(crate) fn iter<T: Linked<I>>(self, items: &Slab<T, I>) -> impl Iterator<Item = &T> + Clone {
        let mut here = self.front;
        std::iter::from_fn(move || {
            let item = &items[here.get()?];
            here = item.next();
            Some(item)
        })
    }
}
