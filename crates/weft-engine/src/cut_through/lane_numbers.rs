//! Lanes of channels: their numbers, and sets of those of one channel.

use crate::ids::{Id, InletId, OutletId};
use weft_fabric::ChannelId;
use weft_routing::Lane;

/// How lanes are numbered: `channel << bits | lane`, at both ends of the channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    count: u8,
    bits: u32,
    all: LaneSet,
}

/// Either end of a lane of a channel.
pub(super) trait LaneEnd: Id {}

impl LaneEnd for OutletId {}
impl LaneEnd for InletId {}

impl OutletId {
    /// The other end of the lane.
    #[inline]
    pub(super) fn far_end(self) -> InletId {
        InletId::from_number(self.to_number())
    }
}

impl InletId {
    /// The other end of the lane.
    #[inline]
    pub(super) fn near_end(self) -> OutletId {
        OutletId::from_number(self.to_number())
    }
}

impl Lanes {
    /// So many lanes of each channel.
    pub(super) fn new(count: u8) -> Self {
        let bits = count.next_power_of_two().trailing_zeros();
        let all = LaneSet(u16::MAX >> (16 - count));
        Self { count, bits, all }
    }

    /// Lanes of a channel that packets take.
    pub(super) fn count(self) -> u8 {
        self.count
    }

    /// Numbers of lanes there are for so many channels.
    pub(super) fn numbers(self, channel_count: usize) -> usize {
        channel_count << self.bits
    }

    /// All channels whose lanes have numbers below `limit`.
    pub(super) fn channels_below(self, limit: usize) -> usize {
        limit >> self.bits
    }

    /// The places of a channel among the numbers, more than its lanes where these are no power of two.
    pub(super) fn places(self) -> impl Iterator<Item = Lane> {
        (0..1 << self.bits).map(Lane::new)
    }

    /// All lanes of a channel.
    #[inline]
    pub(super) fn all(self) -> LaneSet {
        self.all
    }

    /// The lanes of a channel, at its source.
    pub(super) fn outlets(self, channel: ChannelId) -> impl Iterator<Item = OutletId> {
        (0..self.count).map(move |lane| self.outlet(channel, Lane::new(lane)))
    }

    #[inline]
    pub(super) fn outlet(self, channel: ChannelId, lane: Lane) -> OutletId {
        debug_assert!(lane.number() < self.count, "{lane:?} of {}", self.count);
        OutletId::from_number(channel.number() << self.bits | u32::from(lane.number()))
    }

    #[inline]
    pub(super) fn channel(self, end: impl LaneEnd) -> ChannelId {
        ChannelId::new(end.to_number() >> self.bits)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "lanes have four bits")]
    pub(super) fn lane(self, end: impl LaneEnd) -> Lane {
        Lane::new((end.to_number() & ((1 << self.bits) - 1)) as u8)
    }

    /// The lane after another in turn.
    #[inline]
    pub(super) fn after(self, lane: Lane) -> Lane {
        let next = lane.number() + 1;
        Lane::new(if next == self.count { 0 } else { next })
    }
}

/// Some lanes of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneSet(u16);

impl LaneSet {
    pub(super) const EMPTY: Self = Self(0);

    #[inline]
    pub(super) fn insert(&mut self, lane: Lane) {
        self.0 |= 1 << lane.number();
    }

    #[inline]
    pub(super) fn remove(&mut self, lane: Lane) {
        self.0 &= !(1 << lane.number());
    }

    #[inline]
    pub(super) fn has(self, lane: Lane) -> bool {
        self.0 & 1 << lane.number() != 0
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lanes of this set and those of another.
    #[inline]
    pub(super) fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The lanes that are not in another set.
    #[inline]
    pub(super) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The lane, if it is but one.
    #[inline]
    pub(super) fn only(self) -> Option<Lane> {
        #[expect(clippy::cast_possible_truncation, reason = "at most 15")]
        let first = self.0.trailing_zeros() as u8;
        self.0.is_power_of_two().then(|| Lane::new(first))
    }

    /// The lanes from `first` on, then those before it.
    #[inline]
    pub(super) fn in_turn(self, first: Lane) -> LaneIter {
        let first = first.number();
        LaneIter {
            rest: self.0.rotate_right(first.into()),
            first,
        }
    }
}

impl IntoIterator for LaneSet {
    type Item = Lane;
    type IntoIter = LaneIter;

    #[inline]
    fn into_iter(self) -> LaneIter {
        self.in_turn(Lane::ZERO)
    }
}

/// The lanes of a set in turn.
#[derive(Debug)]
pub(super) struct LaneIter {
    /// Lanes to come, each as its distance from the first.
    rest: u16,
    first: u8,
}

impl Iterator for LaneIter {
    type Item = Lane;

    #[inline]
    fn next(&mut self) -> Option<Lane> {
        if self.rest == 0 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 15")]
        let distance = self.rest.trailing_zeros() as u8;
        self.rest &= self.rest - 1;
        Some(Lane::new((self.first + distance) % 16))
    }
}
