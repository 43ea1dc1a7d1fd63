//! Random choices of the tests.

use std::collections::BTreeSet;

/// A random choice, the same on every machine.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// Choices by a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `below`. Source: splitmix64 (Steele, Lea, Flood 2014).
    pub fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % below as u64).unwrap()
    }
}

/// Some of them, the same on every machine.
pub fn some<T: Copy + Ord>(of: &[T], count: usize, draw: &mut Draw) -> BTreeSet<T> {
    let mut chosen = BTreeSet::new();
    while chosen.len() < count {
        chosen.insert(of[draw.below(of.len())]);
    }
    chosen
}
