//! What a rank keeps of each other rank that it has to do with: in an exchange of all with all, as much as of
//! each message.

use super::counts::{Page, TOGETHER};
use weft_fabric::narrow;

/// So many ranks are on a page.
const ON_PAGE: u32 = 8;

const _: () = assert!(ON_PAGE as usize == TOGETHER);

/// Another rank, as one knows it.
#[derive(Debug)]
pub(super) struct Peer<'a> {
    page: &'a mut Page,
    place: usize,
}

impl Peer<'_> {
    /// Counts a message sent to it, and tells how many there were before; both, as of those seen, begin again after 2^32.
    #[inline]
    pub(super) fn send(&mut self) -> u32 {
        self.page.send(self.place)
    }

    /// How many messages of it were seen.
    #[inline]
    pub(super) fn seen(&self) -> u32 {
        self.page.seen(self.place)
    }

    /// One more of its messages is seen.
    #[inline]
    pub(super) fn see(&mut self) {
        self.page.see(self.place);
    }

    /// The last of the receives posted for it, if there is one, in the lowest bits of its number; see
    /// [`Window`](super::window::Window).
    #[inline]
    pub(super) fn last_posted(&self) -> Option<u32> {
        self.page.last_posted(self.place)
    }

    #[inline]
    pub(super) fn set_last_posted(&mut self, last: Option<u32>) {
        self.page.set_last_posted(self.place, last);
    }
}

/// So many pages are looked through one by one.
const FEW: usize = 8;

/// Where a page is, of the ranks that begin with so many times [`ON_PAGE`].
#[derive(Clone, Copy, Debug)]
struct Entry {
    number: u32,
    place: u32,
}

/// Of an empty entry, which no page has: there are fewer.
const EMPTY: Entry = Entry {
    number: u32::MAX,
    place: 0,
};

/// The ranks that one has to do with.
#[derive(Clone, Debug, Default)]
pub(super) struct Peers {
    pages: Vec<Page>,
    /// Where there are at most [`FEW`] pages: an entry for each. Where there are more: each behind where its page is looked
    /// for, with no empty one between, as many as a power of two, a quarter of them empty.
    table: Vec<Entry>,
}

impl Peers {
    /// What is known of a rank, which from now on is something.
    #[inline]
    pub(super) fn of(&mut self, rank: u32) -> Peer<'_> {
        let (number, on_page) = (rank / ON_PAGE, (rank % ON_PAGE) as usize);
        let place = match self.place(number) {
            Some(place) => place,
            None => self.add(number),
        };
        Peer {
            page: &mut self.pages[place],
            place: on_page,
        }
    }

    #[inline]
    fn place(&self, number: u32) -> Option<usize> {
        if self.table.len() <= FEW {
            let entry = self.table.iter().find(|entry| entry.number == number)?;
            return Some(entry.place as usize);
        }
        let mut at = self.begin(number);
        loop {
            let entry = self.table[at];
            if entry.number == number {
                return Some(entry.place as usize);
            }
            if entry.number == EMPTY.number {
                return None;
            }
            at = (at + 1) % self.table.len();
        }
    }

    /// Where in the table a page is looked for first. Those that follow one another are apart.
    #[inline]
    fn begin(&self, number: u32) -> usize {
        // 2^32 over the golden ratio.
        let mixed = number.wrapping_mul(0x9e37_79b9);
        let bits = self.table.len().trailing_zeros();
        (u64::from(mixed) << bits >> 32) as usize
    }

    #[cold]
    fn add(&mut self, number: u32) -> usize {
        let place = self.pages.len();
        if place == self.pages.capacity() {
            // Twice as many would mostly stay empty.
            self.pages.reserve_exact(place / 8 + 1);
        }
        self.pages.push(Page::default());
        let entry = Entry {
            number,
            place: narrow(place, "ranks are numbers of 32 bits"),
        };
        if place < FEW {
            self.table.push(entry);
            return place;
        }
        if place == FEW || 4 * self.pages.len() > 3 * self.table.len() {
            let room = (2 * self.pages.len()).next_power_of_two();
            let before = std::mem::replace(&mut self.table, vec![EMPTY; room]);
            let there = before.into_iter();
            there
                .filter(|entry| entry.number != EMPTY.number)
                .for_each(|entry| self.enter(entry));
        }
        self.enter(entry);
        place
    }

    /// Puts an entry into the table.
    fn enter(&mut self, entry: Entry) {
        let mut at = self.begin(entry.number);
        while self.table[at].number != EMPTY.number {
            at = (at + 1) % self.table.len();
        }
        self.table[at] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_each_rank_is_found_again() {
        for stride in [1, 5, 8, 64, 1 << 20] {
            let mut peers = Peers::default();
            let ranks = || (0..2000_u32).map(move |number| number.wrapping_mul(stride));
            for rank in ranks() {
                let mut peer = peers.of(rank);
                assert_eq!((peer.send(), peer.seen(), peer.last_posted()), (0, 0, None));
                (0..rank % 5).for_each(|_| peer.see());
                peer.set_last_posted((rank % 3 > 0).then_some(!rank));
            }
            for rank in ranks() {
                let mut peer = peers.of(rank);
                assert_eq!((peer.send(), peer.seen()), (1, rank % 5));
                assert_eq!(peer.last_posted(), (rank % 3 > 0).then_some(!rank));
                peer.set_last_posted(None);
                assert_eq!(peer.last_posted(), None);
            }
            assert_eq!(peers.of(u32::MAX).send(), 0);
        }
    }
}
