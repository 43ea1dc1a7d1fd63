//! Points in time.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub};

/// A point in time, in cycles from the start. It is no length of time, which stays a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cycle(u64);

impl Cycle {
    /// The first cycle.
    pub(crate) const ZERO: Self = Self(0);
    /// A time that never comes, later than all others. Delays added to it do not overflow.
    pub(crate) const NEVER: Self = Self(u64::MAX / 4);

    /// The cycle of this number.
    #[inline]
    pub(crate) const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Its number.
    #[inline]
    pub(crate) const fn number(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn is_never(self) -> bool {
        self.0 >= Self::NEVER.0
    }

    /// The cycle before, if this is not the first.
    #[inline]
    pub(crate) const fn before(self) -> Option<Self> {
        match self.0 {
            0 => None,
            number => Some(Self(number - 1)),
        }
    }

    /// The cycle so much earlier, if there is one.
    #[inline]
    pub(crate) fn earlier_by(self, cycles: u64) -> Option<Self> {
        self.0.checked_sub(cycles).map(Self)
    }

    /// Cycles since another one; 0 when that comes later.
    #[inline]
    pub(crate) const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

// Written out, since what is derived compares three ways wherever two would do.
impl PartialOrd for Cycle {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.0 < other.0
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.0 <= other.0
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        self.0 > other.0
    }

    #[inline]
    fn ge(&self, other: &Self) -> bool {
        self.0 >= other.0
    }
}

impl Ord for Cycle {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }

    #[inline]
    fn max(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }

    #[inline]
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
}

impl Add<u64> for Cycle {
    type Output = Self;

    #[inline]
    fn add(self, cycles: u64) -> Self {
        Self(self.0 + cycles)
    }
}

impl AddAssign<u64> for Cycle {
    #[inline]
    fn add_assign(&mut self, cycles: u64) {
        self.0 += cycles;
    }
}

impl Sub<u64> for Cycle {
    type Output = Self;

    #[inline]
    fn sub(self, cycles: u64) -> Self {
        Self(self.0 - cycles)
    }
}

impl Sub for Cycle {
    type Output = u64;

    #[inline]
    fn sub(self, earlier: Self) -> u64 {
        self.0 - earlier.0
    }
}
