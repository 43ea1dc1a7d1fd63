//! Lengths of the parts that ranks have of something.

use weft_fabric::narrow;

/// A piece of something cut into so many.
pub(in super::super) fn piece_bytes(bytes: u64, number: u64, pieces: u64) -> u64 {
    let until = |number: u64| {
        let cut = u128::from(bytes) * u128::from(number) / u128::from(pieces);
        narrow::<_, u64>(cut, "a piece of the bytes is at most all of them")
    };
    until(number + 1) - until(number)
}

/// The lengths of all ranks' parts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parts<'a> {
    /// All as long.
    Even {
        /// Length of each.
        bytes: u64,
        /// How many there are.
        ranks: u32,
    },
    /// By rank.
    Each(&'a [u64]),
}

impl Parts<'_> {
    /// The length of one rank's part.
    pub(super) fn of(self, rank: u32) -> u64 {
        match self {
            Self::Even { bytes, .. } => bytes,
            Self::Each(parts) => parts.get(rank as usize).copied().unwrap_or(0),
        }
    }

    /// The length of `count` parts from that of `first` on, round the end.
    pub(super) fn stretch(self, first: u32, count: u32) -> u64 {
        match self {
            Self::Even { bytes, .. } => bytes * u64::from(count),
            Self::Each(parts) => {
                let round = parts.iter().cycle().skip(first as usize);
                round.take(count as usize).sum()
            }
        }
    }

    /// The length of everything.
    pub(super) fn total(self) -> u64 {
        match self {
            Self::Even { bytes, ranks } => bytes * u64::from(ranks),
            Self::Each(parts) => parts.iter().sum(),
        }
    }
}
