//! Local identifiers: the addresses forwarding tables go by.

use std::fmt;
use std::ops::RangeInclusive;

/// The local identifiers (LIDs) of a port: 2^LMC consecutive ones, the first a multiple of 2^LMC.
///
/// Source: InfiniBand Architecture Specification, volume 1, §4.1.3 (unicast LIDs) and §3.5.10
/// (LID mask control).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LidRange {
    base: u16,
    mask_bits: u8,
}

impl LidRange {
    /// The highest unicast LID.
    pub const MAX: u16 = 0xbfff;
    /// The highest LMC.
    pub const MAX_MASK_BITS: u8 = 7;

    /// The 2^`mask_bits` LIDs from `base` on, if there can be such: LIDs run from 1 to
    /// [`LidRange::MAX`], `mask_bits` (the LMC) from 0 to [`LidRange::MAX_MASK_BITS`].
    pub fn new(base: u16, mask_bits: u8) -> Option<Self> {
        let is_valid = (1..=Self::MAX).contains(&base)
            && mask_bits <= Self::MAX_MASK_BITS
            && base.is_multiple_of(1 << mask_bits);
        is_valid.then_some(Self { base, mask_bits })
    }

    /// The first LID.
    pub const fn base(self) -> u16 {
        self.base
    }

    /// The LMC: the LIDs are 2 to this power in number.
    pub const fn mask_bits(self) -> u8 {
        self.mask_bits
    }

    /// The LIDs, ascending.
    pub const fn lids(self) -> RangeInclusive<u16> {
        self.base..=self.base + ((1 << self.mask_bits) - 1)
    }
}

impl fmt::Display for LidRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lid {} lmc {}", self.base, self.mask_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_aligned_unicast_lids_make_a_range() {
        assert_eq!(LidRange::new(0, 0), None);
        assert_eq!(LidRange::new(0xc000, 0), None);
        assert_eq!(LidRange::new(6, 2), None);
        assert_eq!(LidRange::new(256, 8), None);
        let range = LidRange::new(8, 3).map(LidRange::lids);
        assert_eq!(range, Some(8..=15));
        let last = LidRange::new(0xbf80, 7).map(LidRange::lids);
        assert_eq!(last, Some(0xbf80..=LidRange::MAX));
    }
}
