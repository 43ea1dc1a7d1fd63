//! Old entries that new tables lack.

use super::edge::Edge;
use super::side::{HERE, NOWHERE};

/// Those of an address.
#[derive(Debug, Default)]
pub(super) struct Removal {
    /// The new exits with the old ones that are removed; `None` where none are.
    pub(super) kept: Option<Vec<u32>>,
    /// The switches where they are.
    pub(super) removed: Vec<u32>,
}

impl Removal {
    /// Finds the old entries that new tables lack. Those that hosts' packets come to by the new tables stay, and are put
    /// among the new ones; the others are removed once nobody comes to them. Switches that are gone keep theirs, by which
    /// packets may have come.
    pub(super) fn find(
        [old, new]: [&[u32]; 2],
        (edges, left): (&[Edge], usize),
        senders: impl Iterator<Item = u32>,
    ) -> (Self, Vec<u32>) {
        let lacks = |at: usize| new[at] == NOWHERE && old[at] != NOWHERE;
        let mut kept = new.to_vec();
        for at in (0..new.len()).filter(|&at| lacks(at)) {
            kept[at] = old[at];
        }
        if !(0..left).any(lacks) {
            return (Self::default(), kept);
        }
        let mut comes = vec![false; kept.len()];
        for from in senders {
            let mut at = from as usize;
            while !std::mem::replace(&mut comes[at], true) && kept[at] < HERE {
                at = edges[kept[at] as usize].to as usize;
            }
        }
        let mut exits = kept.clone();
        let mut removed = Vec::new();
        for (at, number) in (0..left).zip(0_u32..) {
            if lacks(at) && !comes[at] {
                exits[at] = NOWHERE;
                removed.push(number);
            }
        }
        let found = Self {
            kept: (!removed.is_empty()).then_some(kept),
            removed,
        };
        (found, exits)
    }
}
