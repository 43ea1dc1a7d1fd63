//! An order of vertices in which some can be moved beside another, while any two are compared at once.

use weft_fabric::narrow;

/// An order of vertices: a list, and labels that ascend along it.
///
/// Labels leave room between them. Where it is used up, those of a stretch of the list are spread anew: the shortest
/// one that is sparse enough, the sparser the longer it is, so that a move takes time in proportion to the logarithm
/// of the number of vertices, over many.
///
/// # Source
/// Bender, Cole, Demaine, Farach-Colton, Zito, "Two simplified algorithms for maintaining order in a list", European
/// Symposium on Algorithms, 2002.
#[derive(Clone, Debug)]
pub(super) struct LinkedOrder {
    places: Vec<Place>,
    /// Per vertex, and for both ends of the list last: who comes next.
    next: Vec<u32>,
    /// And who comes before.
    before: Vec<u32>,
}

/// What searches look at of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    label: u64,
    /// What the last search that met it noted.
    mark: u32,
}

impl LinkedOrder {
    /// Vertices ranked as given, each rank once from 0 up.
    pub(super) fn with_ranks(ranks: &[u32]) -> Self {
        let end = ranks.len();
        let mut order = Self {
            places: vec![Place::default(); end],
            next: vec![0; end + 1],
            before: vec![0; end + 1],
        };
        let mut by_rank = vec![0; end];
        for (vertex, &rank) in (0..).zip(ranks) {
            by_rank[rank as usize] = vertex;
        }
        let mut last = order.end();
        for vertex in by_rank {
            order.link(last, vertex);
            last = vertex;
        }
        order.link(last, order.end());
        if end > 0 {
            order.spread(order.next[end], end as u64, 0, u64::BITS);
        }
        order
    }

    /// What vertices are compared by: the label of one is lower than that of any that comes later.
    #[inline]
    pub(super) fn label(&self, vertex: u32) -> u64 {
        self.places[vertex as usize].label
    }

    /// The label of a vertex, and what was noted there last.
    #[inline]
    pub(super) fn marked(&mut self, vertex: u32) -> (u64, &mut u32) {
        let place = &mut self.places[vertex as usize];
        (place.label, &mut place.mark)
    }

    /// Forgets all that was noted.
    pub(super) fn clear_marks(&mut self) {
        for place in &mut self.places {
            place.mark = 0;
        }
    }

    /// The place of every vertex, from 0 up.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.places.len()];
        let mut vertex = self.next[self.places.len()];
        for rank in (0..).take(ranks.len()) {
            ranks[vertex as usize] = rank;
            vertex = self.next[vertex as usize];
        }
        ranks
    }

    /// Moves vertices, given in the order that they are to have, to right after another.
    pub(super) fn move_after(&mut self, place: u32, vertices: impl Iterator<Item = u32> + Clone) {
        vertices.clone().for_each(|vertex| self.unlink(vertex));
        self.insert_after(place, vertices);
    }

    /// Moves vertices, given in the order that they are to have, to right before another.
    pub(super) fn move_before(&mut self, place: u32, vertices: impl Iterator<Item = u32> + Clone) {
        vertices.clone().for_each(|vertex| self.unlink(vertex));
        self.insert_after(self.before[place as usize], vertices);
    }

    /// What stands for both ends of the list.
    fn end(&self) -> u32 {
        narrow(self.places.len(), "vertices have numbers of 32 bits")
    }

    /// The label of a vertex, and none of the ends of the list.
    fn listed_label(&self, place: u32) -> Option<u64> {
        self.places.get(place as usize).map(|place| place.label)
    }

    fn link(&mut self, one: u32, other: u32) {
        self.next[one as usize] = other;
        self.before[other as usize] = one;
    }

    fn unlink(&mut self, vertex: u32) {
        let [before, next] = [&self.before, &self.next].map(|list| list[vertex as usize]);
        self.link(before, next);
    }

    fn insert_after(&mut self, place: u32, vertices: impl Iterator<Item = u32>) {
        let behind = self.next[place as usize];
        let (mut last, mut count) = (place, 0);
        // Labels that are not those of the list's end lie between 0 and the highest number, both left out.
        let start = self.listed_label(place).unwrap_or(0);
        for vertex in vertices {
            self.link(last, vertex);
            self.places[vertex as usize].label = start;
            (last, count) = (vertex, count + 1);
        }
        self.link(last, behind);
        let stop = self.listed_label(behind);
        let step = (stop.unwrap_or(u64::MAX) - start) / (count + 1);
        if step == 0 {
            self.make_room(self.next[place as usize]);
            return;
        }
        let (mut vertex, mut label) = (self.next[place as usize], start);
        while vertex != behind {
            label += step;
            self.places[vertex as usize].label = label;
            vertex = self.next[vertex as usize];
        }
    }

    /// Spreads the labels around a vertex that others share the label of.
    #[cold]
    fn make_room(&mut self, vertex: u32) {
        let label = self.label(vertex);
        let (mut first, mut last, mut count) = (vertex, vertex, 1_u64);
        let mut most = 1.0;
        for bits in 1..=u64::BITS {
            let low = label & lowest(bits);
            let high = low | !lowest(bits);
            while let Some(of) = self.listed_label(self.before[first as usize])
                && of >= low
            {
                first = self.before[first as usize];
                count += 1;
            }
            while let Some(of) = self.listed_label(self.next[last as usize])
                && of <= high
            {
                last = self.next[last as usize];
                count += 1;
            }
            // 2^64 labels are sparse enough for a hundred million vertices.
            most *= 4.0 / 3.0;
            if count as f64 <= most || bits == u64::BITS {
                self.spread(first, count, low, bits);
                return;
            }
        }
    }

    /// Spreads the labels of so many vertices of the list, from one on, over as many numbers as so many bits tell
    /// apart, from the lowest one on.
    fn spread(&mut self, first: u32, count: u64, low: u64, bits: u32) {
        let step = !lowest(bits) / (count + 1);
        let (mut vertex, mut label) = (first, low);
        for _ in 0..count {
            label += step;
            self.places[vertex as usize].label = label;
            vertex = self.next[vertex as usize];
        }
    }
}

/// The number whose lowest bits, so many, are not set.
fn lowest(bits: u32) -> u64 {
    u64::MAX.checked_shl(bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The vertices as listed, whose labels must ascend.
    fn listed(order: &LinkedOrder) -> Vec<u32> {
        let mut vertices: Vec<u32> = (0..order.end()).collect();
        vertices.sort_by_key(|&vertex| order.label(vertex));
        let labels = vertices.iter().map(|&vertex| order.label(vertex));
        assert!(labels.is_sorted_by(|one, next| one < next));
        let ranks = order.ranks();
        assert!(
            (0..)
                .zip(&vertices)
                .all(|(rank, &of)| ranks[of as usize] == rank)
        );
        vertices
    }

    #[test]
    fn there_is_always_room_at_the_same_place() {
        let mut order = LinkedOrder::with_ranks(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let mut expected: Vec<u32> = (0..8).collect();
        for round in 0..2_000 {
            // The third from the end comes right behind the second, and the other way round at the end.
            let moved = expected.remove(5);
            if round % 2 == 0 {
                order.move_after(expected[1], std::iter::once(moved));
            } else {
                order.move_before(expected[2], std::iter::once(moved));
            }
            expected.insert(2, moved);
            assert_eq!(listed(&order), expected, "round {round}");
        }
    }

    proptest! {
        /// Moved as in a plain list.
        #[test]
        fn vertices_come_where_they_are_moved(
            ranks in Just((0_u32..24).collect::<Vec<_>>()).prop_shuffle(),
            moves in prop::collection::vec((any::<bool>(), 0_usize..24, 1_u32..(1 << 24)), 0..200)
        ) {
            let mut order = LinkedOrder::with_ranks(&ranks);
            let mut expected = listed(&order);
            for (is_after, place, mask) in moves {
                let beside = expected[place];
                let goes = |of: u32| of != beside && mask >> of & 1 == 1;
                let moved: Vec<u32> = expected.iter().copied().filter(|&of| goes(of)).collect();
                expected.retain(|&of| !goes(of));
                let place = expected.iter().position(|&of| of == beside).unwrap();
                let place = place + usize::from(is_after);
                expected.splice(place..place, moved.iter().copied());
                if is_after {
                    order.move_after(beside, moved.into_iter());
                } else {
                    order.move_before(beside, moved.into_iter());
                }
                prop_assert_eq!(&listed(&order), &expected);
            }
        }
    }
}
