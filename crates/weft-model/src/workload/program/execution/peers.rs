//! What a rank keeps of each other rank that it has to do with: in an exchange of all with all, as much as of
//! each message.

use weft_fabric::narrow;

/// Another rank, and how many messages went between the two. Counts begin again after 2^32, so that they tell the
/// order of those under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer {
    rank: u32,
    /// Messages sent to it.
    pub(super) sent: u32,
    /// Messages of it that were seen.
    pub(super) seen: u32,
    /// The last of the receives posted for it, in the lowest bits of its number; see [`Window`](super::window::Window).
    pub(super) last_posted: u32,
    /// Whether there is one.
    pub(super) is_posted: bool,
}

const _: () = assert!(size_of::<Peer>() == 20);

/// So many are looked through one by one.
const FEW: usize = 8;

/// An empty place of the table.
const EMPTY: u32 = u32::MAX;

/// The ranks that one has to do with.
#[derive(Clone, Debug, Default)]
pub(super) struct Peers {
    peers: Vec<Peer>,
    /// Where there are more than [`FEW`]: places among them, each behind where its rank is looked for, with no empty one
    /// between. As many as a power of two, a quarter of them empty.
    table: Vec<u32>,
}

impl Peers {
    /// What is known of a rank, which from now on is something.
    #[inline]
    pub(super) fn of(&mut self, rank: u32) -> &mut Peer {
        let place = match self.place(rank) {
            Some(place) => place,
            None => self.add(rank),
        };
        &mut self.peers[place]
    }

    /// What is known of a rank, if it is anything.
    #[inline]
    pub(super) fn get(&mut self, rank: u32) -> Option<&mut Peer> {
        let place = self.place(rank)?;
        self.peers.get_mut(place)
    }

    #[inline]
    fn place(&self, rank: u32) -> Option<usize> {
        if self.table.is_empty() {
            return self.peers.iter().position(|peer| peer.rank == rank);
        }
        let mut at = self.begin(rank);
        loop {
            let place = self.table[at];
            if place == EMPTY {
                return None;
            }
            if self.peers[place as usize].rank == rank {
                return Some(place as usize);
            }
            at = (at + 1) % self.table.len();
        }
    }

    /// Where in the table a rank is looked for first. Ranks that follow one another are apart.
    #[inline]
    fn begin(&self, rank: u32) -> usize {
        // 2^32 over the golden ratio.
        let mixed = rank.wrapping_mul(0x9e37_79b9);
        let bits = self.table.len().trailing_zeros();
        (u64::from(mixed) << bits >> 32) as usize
    }

    fn add(&mut self, rank: u32) -> usize {
        let place = self.peers.len();
        self.peers.push(Peer {
            rank,
            sent: 0,
            seen: 0,
            last_posted: 0,
            is_posted: false,
        });
        if place < FEW {
            return place;
        }
        if 4 * self.peers.len() > 3 * self.table.len() {
            let room = (2 * self.peers.len()).next_power_of_two();
            self.table.clear();
            self.table.resize(room, EMPTY);
            (0..self.peers.len()).for_each(|place| self.enter(place));
        } else {
            self.enter(place);
        }
        place
    }

    /// Puts a place into the table.
    fn enter(&mut self, place: usize) {
        let mut at = self.begin(self.peers[place].rank);
        while self.table[at] != EMPTY {
            at = (at + 1) % self.table.len();
        }
        self.table[at] = narrow(place, "ranks are numbers of 32 bits");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_each_rank_is_found_again() {
        for stride in [1, 64, 1 << 20] {
            let mut peers = Peers::default();
            let ranks = || (0..2000_u32).map(move |number| number.wrapping_mul(stride));
            for (number, rank) in (0..).zip(ranks()) {
                assert!(number > 0 || peers.get(rank).is_none());
                peers.of(rank).sent += 1;
                peers.of(rank).seen = rank;
            }
            for rank in ranks() {
                let peer = peers.get(rank).unwrap();
                assert_eq!((peer.rank, peer.seen), (rank, rank));
            }
            assert!(peers.get(u32::MAX).is_none());
        }
    }
}
