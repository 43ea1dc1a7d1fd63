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

    /// Takes the credits that have arrived until there is room for `flits`, tells whether there is,
    /// and since when if some were taken.
    #[inline]
    pub(super) fn has_room(
        &mut self,
        flits: u32,
        now: u64,
        given_back: &mut GivenBack,
    ) -> (bool, u64) {
        let mut since = 0;
        while self.room < flits && self.next_at <= now {
            since = self.next_at;
            self.take_next(given_back);
        }
        (self.room >= flits, since)
    }

    /// A packet takes room that there is.
    #[inline]
    pub(super) fn occupy(&mut self, flits: u32) {
        self.room -= flits;
    }

    /// Room that the source will know of in cycle `at`; tells whether it waits for it. What came by
    /// `settled`, which is not later than now, no packet can have waited for that is not sent.
    #[inline]
    pub(super) fn give_back(
        &mut self,
        flits: u32,
        at: u64,
        settled: u64,
        given_back: &mut GivenBack,
    ) -> bool {
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
        std::mem::take(&mut self.is_starved)
    }

    /// There is no room for the packet in front: the cycle of the next credit, or `NEVER`, when it is told
    /// of the next that is given back.
    #[inline]
    pub(super) fn wait(&mut self) -> u64 {
        self.is_starved = self.next_at == NEVER;
        self.next_at
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

    /// Whether there is not room for so many flits, and none is given back.
    pub(super) fn is_short_of(&self, flits: u32) -> bool {
        self.next_at == NEVER && self.room < flits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_are_taken_as_they_are_needed_and_tell_since_when_there_is_room() {
        let mut given_back = GivenBack::new();
        let mut room = FarRoom::new(10);
        room.occupy(9);
        assert_eq!(room.wait(), NEVER);
        assert!(room.give_back(2, 20, 0, &mut given_back), "it waited");
        assert!(!room.give_back(3, 25, 0, &mut given_back));
        assert!(!room.give_back(4, 30, 0, &mut given_back));
        assert_eq!(room.wait(), 20);
        assert_eq!(room.has_room(6, 24, &mut given_back), (false, 20));
        assert_eq!(room.has_room(6, 40, &mut given_back), (true, 25));
        assert!(!room.is_short_of(10), "a credit is on its way");
        let rest: Vec<_> = room.credits(&given_back).collect();
        assert_eq!((room.room(), rest), (6, vec![(30, 4)]));
        assert_eq!(given_back.len(), 0);
    }

    #[test]
    fn few_credits_are_kept_however_many_packets_a_buffer_holds() {
        let mut given_back = GivenBack::new();
        let mut room = FarRoom::new(1 << 20);
        for packet in 0..1_000 {
            room.occupy(8);
            room.give_back(8, packet * 10 + 30, packet * 10, &mut given_back);
            assert!(room.credits(&given_back).count() <= 4);
        }
        let on_the_way: u32 = room.credits(&given_back).map(|(_, flits)| flits).sum();
        assert_eq!(room.room() + on_the_way, 1 << 20);
    }
}
