//! Circles of ranks, and distances round them.

/// Ranks in a circle, and where among them the own one is.
pub(super) struct Circle {
    pub(super) ranks: Vec<u32>,
    pub(super) own: usize,
}

impl Circle {
    /// The rank so many places further on.
    pub(super) fn at(&self, distance: usize) -> u32 {
        self.ranks[(self.own + distance) % self.ranks.len()]
    }

    pub(super) fn previous(&self) -> u32 {
        self.at(self.ranks.len() - 1)
    }

    /// The same circle as the rank so many places further on has it.
    pub(super) fn further(&self, distance: usize) -> Self {
        Self {
            ranks: self.ranks.clone(),
            own: (self.own + distance) % self.ranks.len(),
        }
    }
}

/// The distances 0 to `count` - 1 in NCCL's order for sends and receives: 0, 1, 3, 6, 10 … modulo the next
/// power of two, which meets each once.
pub(super) fn distances(count: u32) -> impl Iterator<Item = u32> {
    let modulus = count.next_power_of_two();
    let mut distance = 0;
    (0..modulus)
        .map(move |round| {
            distance = (distance + round) % modulus;
            distance
        })
        .filter(move |&distance| distance < count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_nccl() {
        let sixteen = [0, 1, 3, 6, 10, 15, 5, 12, 4, 13, 7, 2, 14, 11, 9, 8];
        assert_eq!(distances(16).collect::<Vec<_>>(), sixteen);
        for count in 1..=64 {
            let mut all: Vec<u32> = distances(count).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count), "{count}");
        }
    }
}
