//! Service levels of pairs, where sources are told them.

use std::collections::BTreeMap;
use weft_fabric::{HostId, narrow};

/// Per source and address: the service level of its packets.
///
/// # Memory
/// A byte per address and row, which sources share that have the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PairLevels {
    /// Per source: its row.
    row_of: Vec<u32>,
    rows: Vec<Vec<u8>>,
    /// The levels of all pairs, ascending.
    in_use: Vec<u8>,
}

impl PairLevels {
    pub(super) fn new(hosts: usize, addresses: usize, level: impl Fn(HostId, usize) -> u8) -> Self {
        let mut numbers: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
        let mut rows = Vec::new();
        let row_of = (0..hosts).map(HostId::from_index).map(|source| {
            let row: Vec<u8> = (0..addresses)
                .map(|address| level(source, address))
                .collect();
            *numbers.entry(row).or_insert_with_key(|row| {
                rows.push(row.clone());
                narrow(rows.len() - 1, "a host has one row at most")
            })
        });
        let row_of = row_of.collect();
        let mut in_use: Vec<u8> = rows.iter().flatten().copied().collect();
        in_use.sort_unstable();
        in_use.dedup();
        Self {
            row_of,
            rows,
            in_use,
        }
    }

    #[inline]
    pub(super) fn level(&self, source: HostId, address: usize) -> u8 {
        self.rows[self.row_of[source.index()] as usize][address]
    }

    pub(super) fn in_use(&self) -> &[u8] {
        &self.in_use
    }
}
