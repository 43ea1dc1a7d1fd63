//! LIDs that the fabric does not have, each counted.

use crate::passed_over::PassedOver;
use std::collections::BTreeMap;
use weft_fabric::Fabric;

/// How often each was met, and where the first is.
#[derive(Default)]
pub(super) struct UnknownLids {
    first: Option<usize>,
    counts: BTreeMap<u16, usize>,
}

impl UnknownLids {
    pub(super) fn add(&mut self, offset: usize, lid: u16) {
        self.first.get_or_insert(offset);
        *self.counts.entry(lid).or_default() += 1;
    }

    /// Tells of all in one note.
    pub(super) fn tell(self, fabric: &Fabric, passed_over: &mut PassedOver) {
        let (Some(first), Some((lid, _))) = (self.first, self.counts.first_key_value()) else {
            return;
        };
        let text = match self.counts.len() {
            1 => format!("LID 0x{lid:04x}"),
            count => format!("LID 0x{lid:04x} and others, {count} in all"),
        };
        let entries: usize = self.counts.values().sum();
        let name = fabric.name();
        let reason = format!("fabric “{name}” does not have them; {entries} entries");
        passed_over.add(first, text, reason);
    }
}
