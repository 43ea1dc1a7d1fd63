//! Service levels with the lanes that their packets are on, as sets of bits.

use crate::form::{ForwardingTables, Lane, LaneKey, LaneRow, LaneTables};
use weft_fabric::narrow;

/// Service levels, each with the lane of its packets: a bit for each pair that [`LanedLevels`] numbers.
pub(crate) type LanedSet = u64;

/// Bits of a set.
const MOST: usize = LanedSet::BITS as usize;

/// No number.
const NONE: u8 = u8::MAX;

/// Pairs of a service level and a lane that its packets may be on, numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LanedLevels {
    pairs: Vec<(u8, Lane)>,
    /// Per level and lane.
    numbers: [[u8; LaneTables::KEYS]; LaneTables::KEYS],
}

impl LanedLevels {
    /// Numbers pairs; `None` where there are more than 64, or a level or a lane above 15.
    pub(crate) fn new(pairs: impl IntoIterator<Item = (u8, Lane)>) -> Option<Self> {
        let mut known = Self {
            pairs: Vec::new(),
            numbers: [[NONE; LaneTables::KEYS]; LaneTables::KEYS],
        };
        for (level, lane) in pairs {
            let row = known.numbers.get_mut(usize::from(level))?;
            let number = row.get_mut(lane.index())?;
            if *number == NONE {
                *number = narrow(known.pairs.len(), "sets have 64 bits");
                known.pairs.push((level, lane));
            }
            if known.pairs.len() > MOST {
                return None;
            }
        }
        Some(known)
    }

    /// What tables let packets be on, with any of the levels set for pairs. Without lane tables every level has the
    /// lane of its number, and that number.
    pub(crate) fn of(tables: &ForwardingTables) -> Option<Self> {
        let levels = tables.lanes_per_turn();
        match tables.lane_tables() {
            None => Self::new((0..levels).map(|level| (level, Lane::new(level)))),
            Some(lanes) => Self::new(lanes.pairs(levels)),
        }
    }

    /// A level on a lane; nothing where that has no number.
    #[inline]
    pub(crate) fn one(&self, level: u8, lane: Lane) -> LanedSet {
        let row = self.numbers.get(usize::from(level));
        match row.and_then(|row| row.get(lane.index())) {
            Some(&number) if number != NONE => 1 << number,
            _ => 0,
        }
    }

    /// A level on all its lanes.
    pub(crate) fn of_level(&self, level: u8) -> LanedSet {
        let pairs = self.pairs.iter().filter(|pair| pair.0 == level);
        pairs.fold(0, |all, &(_, lane)| all | self.one(level, lane))
    }

    /// The lane of a pair, by its number.
    #[inline]
    pub(crate) fn lane(&self, number: u32) -> Lane {
        self.pairs[number as usize].1
    }

    /// What becomes of packets that a switch gives lanes by a row: those to which it gives none are dropped.
    pub(crate) fn by_row(&self, levels: LanedSet, key: LaneKey, row: &LaneRow) -> LanedSet {
        numbers(levels).fold(0, |all, number| {
            let (level, incoming) = self.pairs[number as usize];
            let place = match key {
                LaneKey::ServiceLevel => usize::from(level),
                LaneKey::IncomingLane => incoming.index(),
            };
            let lane = row.get(place).copied().flatten();
            all | lane.map_or(0, |lane| self.one(level, lane))
        })
    }
}

/// The numbers of what a set has, ascending.
#[inline]
pub(crate) fn numbers(mut levels: LanedSet) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let number = (levels != 0).then(|| levels.trailing_zeros())?;
        levels &= levels - 1;
        Some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(lanes: &[Option<u8>]) -> LaneRow {
        let mut row = [None; LaneTables::KEYS];
        for (lane, entry) in lanes.iter().zip(&mut row) {
            *entry = lane.map(Lane::new);
        }
        row
    }

    /// Three levels on lanes 0 and 1: a switch gives lanes by the level, or by the lane a packet came on.
    #[test]
    fn switches_give_lanes_by_level_or_by_lane() {
        let pairs = (0..3).flat_map(|level| [0, 1].map(|lane| (level, Lane::new(lane))));
        let laned = LanedLevels::new(pairs).unwrap();
        let one = |level, lane| laned.one(level, Lane::new(lane));
        let all = one(0, 0) | one(1, 1) | one(2, 0);
        let found = laned.by_row(all, LaneKey::ServiceLevel, &row(&[Some(1), Some(0), None]));
        assert_eq!(found, one(0, 1) | one(1, 0));
        let found = laned.by_row(all, LaneKey::IncomingLane, &row(&[Some(1), None]));
        assert_eq!(found, one(0, 1) | one(2, 1));
        let lanes: Vec<u8> = numbers(all).map(|of| laned.lane(of).number()).collect();
        assert_eq!(lanes, [0, 1, 0]);
        assert_eq!(laned.of_level(2), one(2, 0) | one(2, 1));
        assert_eq!([one(3, 0), one(0, 2)], [0; 2]);
    }

    #[test]
    fn sets_have_room_for_64_pairs() {
        let pairs = |count: u8| (0..count).map(|of| (of / 16, Lane::new(of % 16)));
        assert!(LanedLevels::new(pairs(64)).is_some());
        assert!(LanedLevels::new(pairs(65)).is_none());
        assert!(LanedLevels::new([(0, Lane::new(16))]).is_none());
        assert!(LanedLevels::new([(16, Lane::ZERO)]).is_none());
    }
}
