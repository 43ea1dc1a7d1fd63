//! With credits: room at the end of a lane, as its source knows it.

use crate::ids::{CreditId, Maybe};
use crate::linked_queue::{Linked, LinkedQueue};
use crate::queue::NEVER;
use crate::slab::Slab;

/// What the source of a lane knows of the buffer at its end. The credit that comes next is kept here, as
/// mostly there is one at most; those behind it are in a slab.
#[derive(Clone, Debug)]
pub(super) struct FarRoom {
    /// Cycle in which the source knows of the next credit; `NEVER` if none is given back.
    next_at: u64,
    /// Up to this cycle no packet of the lane waits for room: the one that took some last has the link.
    taken_until: u64,
    next_flits: u32,
    /// Room in flits, without the credits that were not needed yet.
    room: u32,
    /// Credits given back after that, by arrival.
    others: LinkedQueue<CreditId>,
    /// The packet in front waits for a credit that is not given back yet.
    is_starved: bool,
}

/// The credits that are not the next of their lanes.
pub(super) type GivenBack = Slab<Credit, CreditId>;

/// Room given back to the source of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credit {
    /// Cycle in which the source knows of it.
    at: u64,
    flits: u32,
    /// The next credit of the same lane.
    next: Maybe<CreditId>,
}

impl Linked<CreditId> for Credit {
    #[inline]
    fn next(&self) -> Maybe<CreditId> {
        self.next
    }

    #[inline]
    fn set_next(&mut self, next: Maybe<CreditId>) {
        self.next = next;
    }
}

impl FarRoom {
    /// Room for so many flits.
    pub(super) fn new(room: u32) -> Self {
        Self {
            next_at: NEVER,
            taken_until: 0,
            next_flits: 0,
            room,
            others: LinkedQueue::EMPTY,
            is_starved: false,
        }
    }

    /// Takes the next credit.
    #[inline]
    fn take_next(&mut self, given_back: &mut GivenBack) {
        self.room += self.next_flits;
        self.next_at = NEVER;
        if let Some(next) = self.others.pop(given_back) {
            let Credit { at, flits, .. } = given_back[next];
            given_back.remove(next);
            self.next_at = at;
            self.next_flits = flits;
        }
    }

    /// The cycle from which on there is room for `flits`, 0 if there is without more credits, `NEVER` if
    /// too few are given back: whoever gives back the next is told.
    #[inline]
    pub(super) fn room_at(&mut self, flits: u32, given_back: &GivenBack) -> u64 {
        if self.room >= flits {
            return 0;
        }
        let at = self.room_with_credits_at(flits, given_back);
        self.is_starved = at == NEVER;
        at
    }

    fn room_with_credits_at(&self, flits: u32, given_back: &GivenBack) -> u64 {
        let mut room = self.room;
        if room >= flits {
            return 0;
        }
        let enough = self.credits(given_back).find(|&(_, credit)| {
            room += credit;
            room >= flits
        });
        enough.map_or(NEVER, |(at, _)| at)
    }

    /// Whether there is room for `flits` without more credits.
    #[inline]
    pub(super) fn has_room(&self, flits: u32) -> bool {
        self.room >= flits
    }

    /// A packet that has the link before cycle `until` takes room that there is, with credits that have
    /// arrived by the time.
    #[inline]
    pub(super) fn occupy(&mut self, flits: u32, until: u64, given_back: &mut GivenBack) {
        self.taken_until = until;
        while self.room < flits {
            self.take_next(given_back);
        }
        self.room -= flits;
    }

    /// Room that the source will know of in cycle `at`; tells whether it waits for it. What has come
    /// before the packet sent last had left, no packet can have waited for that is not sent: it is room now, if it comes by
    /// `known_until`, which is the present cycle where others look at the room as it is.
    #[inline]
    pub(super) fn give_back(
        &mut self,
        flits: u32,
        at: u64,
        known_until: u64,
        given_back: &mut GivenBack,
    ) -> bool {
        let settled = self.taken_until.min(known_until);
        // Whether the one before has come is not to be foreseen: one branch for it and for none.
        if self.others.is_empty() && (self.next_at <= settled || self.next_at == NEVER) {
            self.room += if self.next_at == NEVER {
                0
            } else {
                self.next_flits
            };
            self.next_at = at;
            self.next_flits = flits;
        } else {
            self.give_back_behind(flits, at, settled, given_back);
        }
        std::mem::take(&mut self.is_starved)
    }

    /// The same behind others, of which those that have come by a cycle are taken.
    #[inline(never)]
    fn give_back_behind(&mut self, flits: u32, at: u64, settled: u64, given_back: &mut GivenBack) {
        while self.next_at <= settled {
            self.take_next(given_back);
        }
        if self.next_at == NEVER {
            self.next_at = at;
            self.next_flits = flits;
        } else {
            let next = Maybe::NONE;
            let credit = given_back.insert(Credit { at, flits, next });
            self.others.push(credit, given_back);
        }
    }

    /// Room in flits, without credits.
    pub(super) fn room(&self) -> u32 {
        self.room
    }

    /// Credits that are not taken, each with its cycle and its flits, by arrival.
    pub(super) fn credits(&self, given_back: &GivenBack) -> impl Iterator<Item = (u64, u32)> {
        let next = (self.next_at != NEVER).then_some((self.next_at, self.next_flits));
        let others = self.others.iter(given_back);
        next.into_iter()
            .chain(others.map(|credit| (credit.at, credit.flits)))
    }

    /// Whether there is not room for so many flits, nor with all that is given back.
    pub(super) fn is_short_of(&self, flits: u32, given_back: &GivenBack) -> bool {
        self.room_with_credits_at(flits, given_back) == NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_are_taken_as_they_are_needed_and_tell_since_when_there_is_room() {
        let mut given_back = GivenBack::new();
        let mut room = FarRoom::new(10);
        assert_eq!(room.room_at(10, &given_back), 0);
        room.occupy(9, 0, &mut given_back);
        assert_eq!(room.room_at(2, &given_back), NEVER);
        assert!(room.give_back(2, 20, 0, &mut given_back), "it waited");
        assert!(!room.give_back(3, 25, 0, &mut given_back));
        assert!(!room.give_back(4, 30, 0, &mut given_back));
        assert_eq!(room.room_at(3, &given_back), 20);
        assert_eq!(room.room_at(6, &given_back), 25);
        room.occupy(4, 0, &mut given_back);
        assert!(!room.is_short_of(6, &given_back), "a credit is on its way");
        assert!(room.is_short_of(7, &given_back), "it is too small");
        let rest: Vec<_> = room.credits(&given_back).collect();
        assert_eq!((room.room(), rest), (2, vec![(30, 4)]));
        assert_eq!(given_back.len(), 0);
        assert_eq!(room.room_at(7, &given_back), NEVER);
        assert!(room.give_back(1, 35, 0, &mut given_back), "it waited");
        assert_eq!(room.room_at(7, &given_back), 35);
    }

    #[test]
    fn few_credits_are_kept_however_many_packets_a_buffer_holds() {
        let mut given_back = GivenBack::new();
        let mut room = FarRoom::new(1 << 20);
        for packet in 0..1_000 {
            room.occupy(8, packet * 10, &mut given_back);
            room.give_back(8, packet * 10 + 30, packet * 10, &mut given_back);
            assert!(room.credits(&given_back).count() <= 4);
        }
        let on_the_way: u32 = room.credits(&given_back).map(|(_, flits)| flits).sum();
        assert_eq!(room.room() + on_the_way, 1 << 20);
    }
}
