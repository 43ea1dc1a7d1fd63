//! A change that is done by itself.

/// What is changed by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SingleChange {
    /// The entry of a switch for an address is written.
    Entry { number: usize, at: u32 },
    /// The hosts of a switch let go of their old service levels for an address.
    Levels { number: usize, from: u32 },
    /// Switches are given their new lane tables.
    Lanes,
}

impl SingleChange {
    /// The address, by its number, that it is for.
    pub(super) fn address(self) -> Option<usize> {
        match self {
            Self::Entry { number, .. } | Self::Levels { number, .. } => Some(number),
            Self::Lanes => None,
        }
    }
}
