//! Virtual lanes.

use std::fmt;

/// A virtual lane: one of several buffer classes that share a channel, numbered from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane(u8);

impl Lane {
    /// The lane of hardware that has no other.
    pub const ZERO: Self = Self(0);

    /// The lane with number `number`.
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// The lane as a number.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The lane as an array offset.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
