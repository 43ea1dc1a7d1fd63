//! Queue pairs that are far behind in their line, as bytes: in an exchange of all with all that is sent at once those of
//! all other hosts wait, most of them for one packet.

use crate::pair_names::Name;
use std::collections::{BTreeMap, VecDeque};
use weft_fabric::{HostId, narrow};
use weft_model::rows::{Rows, decoded};

/// So many are coded, and decoded, together.
const TOGETHER: usize = 16;

/// A queue pair that is far behind, but for what is kept by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FarPair {
    pub(crate) destination: HostId,
    pub(crate) sequence: u64,
    pub(crate) generation_cycle: u64,
    pub(crate) count: u32,
    pub(crate) last_payload_bytes: u32,
    pub(crate) number: u8,
    pub(crate) is_control: bool,
    pub(crate) ends_train: bool,
}

const COLUMNS: usize = 6;

impl FarPair {
    fn row(self) -> [u64; COLUMNS] {
        let flags = u64::from(self.is_control) << 1 | u64::from(self.ends_train);
        [
            self.destination.number().into(),
            self.sequence,
            self.generation_cycle,
            self.count.into(),
            self.last_payload_bytes.into(),
            u64::from(self.number) << 2 | flags,
        ]
    }

    fn of_row(row: [u64; COLUMNS]) -> Self {
        let [
            destination,
            sequence,
            generation_cycle,
            count,
            last_payload_bytes,
            rest,
        ] = row;
        let short = |number: u64| -> u32 { narrow(number, "it was of 32 bits") };
        Self {
            destination: HostId::new(short(destination)),
            sequence,
            generation_cycle,
            count: short(count),
            last_payload_bytes: short(last_payload_bytes),
            number: narrow(rest >> 2, "it was of 8 bits"),
            is_control: rest >> 1 & 1 != 0,
            ends_train: rest & 1 != 0,
        }
    }
}

/// Queue pairs in the order of their line, none of them urgent.
#[derive(Debug, Default)]
pub(crate) struct FarPairs {
    blocks: VecDeque<Box<[u8]>>,
    /// The last, of which there are not as many as are decoded together.
    rows: Rows<COLUMNS>,
    count: usize,
    /// By number a bit for each host whether the one with it that leads there is here.
    here: BTreeMap<u8, Vec<u64>>,
}

/// Where the bit of a host is.
fn bit(destination: HostId) -> (usize, u64) {
    (destination.index() / 64, 1 << (destination.index() % 64))
}

impl FarPairs {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.count == 0
    }

    /// Whether the queue pair with a name is here.
    pub(crate) fn has(&self, (waits, destination, number): Name) -> bool {
        let (word, bit) = bit(destination);
        let words = self.here.get(&number).filter(|_| waits);
        let word = words.and_then(|words| words.get(word));
        word.is_some_and(|word| word & bit != 0)
    }

    /// Adds the last.
    pub(crate) fn push(&mut self, pair: FarPair) {
        let (word, bit) = bit(pair.destination);
        let words = self.here.entry(pair.number).or_default();
        if words.len() <= word {
            words.resize(word + 1, 0);
        }
        words[word] |= bit;
        self.rows.push(pair.row());
        self.count += 1;
        if self.count == TOGETHER {
            self.count = 0;
            self.blocks
                .push_back(std::mem::take(&mut self.rows).coded());
        }
    }

    /// Takes out the first, as many as are decoded together or all that there are.
    pub(crate) fn take_first(&mut self) -> impl Iterator<Item = FarPair> {
        let first = self.blocks.pop_front().unwrap_or_else(|| {
            self.count = 0;
            std::mem::take(&mut self.rows).coded()
        });
        let mut rows = Vec::with_capacity(TOGETHER);
        rows.extend(decoded(&first));
        rows.into_iter().map(|row| {
            let pair = FarPair::of_row(row);
            let (word, bit) = bit(pair.destination);
            if let Some(words) = self.here.get_mut(&pair.number) {
                words[word] &= !bit;
            }
            pair
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_pairs_come_back_in_their_order_and_are_found_until_then() {
        let pair = |number: u32| FarPair {
            destination: HostId::new(number % 500),
            sequence: 1 << 40 | u64::from(number),
            generation_cycle: u64::from(number / 3),
            count: if number.is_multiple_of(7) {
                u32::MAX
            } else {
                1
            },
            last_payload_bytes: 2048,
            number: if number < 500 { 0 } else { 255 },
            is_control: number.is_multiple_of(5),
            ends_train: !number.is_multiple_of(4),
        };
        let name = |pair: FarPair| (true, pair.destination, pair.number);
        let mut far = FarPairs::default();
        (0..990).for_each(|number| far.push(pair(number)));
        assert!((0..990).all(|number| far.has(name(pair(number)))));
        assert!(!far.has((false, HostId::new(3), 0)) && !far.has((true, HostId::new(3), 1)));
        assert!(!far.has((true, HostId::new(495), 255)) && !far.has((true, HostId::new(9000), 0)));
        let mut taken: Vec<FarPair> = far.take_first().collect();
        assert_eq!(taken.len(), TOGETHER);
        assert!(!far.has(name(pair(15))) && far.has(name(pair(16))));
        far.push(pair(15));
        assert!(far.has(name(pair(15))));
        while !far.is_empty() {
            taken.extend(far.take_first());
        }
        assert!((0..990).chain([15]).map(pair).eq(taken));
        assert!((0..990).all(|number| !far.has(name(pair(number)))));
    }
}
