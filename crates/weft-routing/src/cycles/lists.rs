//! Many short lists, one behind the other in memory.

use weft_fabric::narrow;

/// Lists by number, with some room behind each.
///
/// A list that needs more room is moved behind all others; once what is left empty so is as much as the rest, all are
/// put in order again, so that an item takes the same time wherever it comes, over many.
#[derive(Clone, Debug)]
pub(super) struct Lists<T> {
    spans: Vec<Span>,
    items: Vec<T>,
    /// Places that no list has.
    lost: usize,
}

/// Where a list lies.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: u32,
    length: u32,
    /// Places that it has.
    room: u32,
}

/// Room that is left behind each list where all are put in order.
const SPARE: usize = 2;

impl<T: Copy + Default + PartialEq> Lists<T> {
    /// So many without items.
    pub(super) fn new(count: usize) -> Self {
        Self {
            spans: vec![Span::default(); count],
            items: Vec::new(),
            lost: 0,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.spans.len()
    }

    #[inline]
    pub(super) fn get(&self, list: u32) -> &[T] {
        let span = self.spans[list as usize];
        &self.items[span.start as usize..][..span.length as usize]
    }

    /// Begins to read a list that is asked for a little later: nothing waits for that, so that several are read at once.
    #[inline]
    pub(super) fn read_ahead(&self, list: u32) {
        std::hint::black_box(self.get(list).first().copied());
    }

    #[inline]
    pub(super) fn get_mut(&mut self, list: u32) -> &mut [T] {
        let span = self.spans[list as usize];
        &mut self.items[span.start as usize..][..span.length as usize]
    }

    /// Adds an item at the end of a list.
    pub(super) fn push(&mut self, list: u32, item: T) {
        let span = self.spans[list as usize];
        if span.length == span.room {
            self.make_room(list);
        }
        let span = &mut self.spans[list as usize];
        self.items[(span.start + span.length) as usize] = item;
        span.length += 1;
    }

    /// Takes an item out of a list, whose others stay in order.
    pub(super) fn remove(&mut self, list: u32, place: usize) -> T {
        let items = self.get_mut(list);
        let item = items[place];
        items.copy_within(place + 1.., place);
        self.spans[list as usize].length -= 1;
        item
    }

    /// Takes the first such item out of a list that has one.
    pub(super) fn remove_item(&mut self, list: u32, item: T) {
        let place = self.get(list).iter().position(|&other| other == item);
        if let Some(place) = place {
            self.remove(list, place);
        }
    }

    /// Takes all items out of a list.
    pub(super) fn clear(&mut self, list: u32) {
        self.spans[list as usize].length = 0;
    }

    /// Puts all lists behind one another by number.
    pub(super) fn put_in_order(&mut self) {
        let length = |span: &Span| span.length as usize + SPARE;
        let mut items = Vec::with_capacity(self.spans.iter().map(length).sum());
        for span in &mut self.spans {
            let start = items.len();
            items.extend_from_slice(&self.items[span.start as usize..][..span.length as usize]);
            items.resize(items.len() + SPARE, T::default());
            span.start = number(start);
            span.room = number(items.len() - start);
        }
        self.items = items;
        self.lost = 0;
    }

    /// Gives a list twice the room behind all others.
    #[cold]
    fn make_room(&mut self, list: u32) {
        if 2 * self.lost > self.items.len() {
            self.put_in_order();
            return;
        }
        let Span { start, room, .. } = self.spans[list as usize];
        let [start, room] = [start, room].map(|number| number as usize);
        let moved = self.items.len();
        self.items.extend_from_within(start..start + room);
        self.items
            .resize(moved + (2 * room).max(SPARE), T::default());
        self.lost += room;
        let span = &mut self.spans[list as usize];
        span.start = number(moved);
        span.room = number(self.items.len() - moved);
    }
}

fn number(place: usize) -> u32 {
    narrow(place, "places have numbers of 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// As lists of their own.
        #[test]
        fn each_list_has_its_items_in_order(
            changes in prop::collection::vec((0_u32..5, 0_u8..8, 0_u32..9), 0..400)
        ) {
            let mut lists = Lists::new(5);
            let mut expected = vec![Vec::new(); 5];
            for (list, change, item) in changes {
                let of = &mut expected[list as usize];
                match change {
                    0 => {
                        lists.remove_item(list, item);
                        if let Some(place) = of.iter().position(|&other| other == item) {
                            of.remove(place);
                        }
                    }
                    1 if !of.is_empty() => {
                        let place = item as usize % of.len();
                        prop_assert_eq!(lists.remove(list, place), of.remove(place));
                    }
                    2 if item == 0 => {
                        lists.clear(list);
                        of.clear();
                    }
                    3 if item == 0 => lists.put_in_order(),
                    _ => {
                        lists.push(list, item);
                        of.push(item);
                    }
                }
                let found: Vec<Vec<u32>> = (0..5).map(|list| lists.get(list).to_vec()).collect();
                prop_assert_eq!(&found, &expected);
                let most: usize = expected.iter().map(Vec::len).sum();
                prop_assert!(lists.items.len() >= most);
            }
        }
    }
}
