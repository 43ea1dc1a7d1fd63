//! The groups of a switch, as their rows are read.

use std::collections::BTreeMap;
use weft_routing::{PortGroup, Subgroup};

/// Subgroups by group and by their own number.
#[derive(Default)]
pub(super) struct GroupsOfSwitch {
    groups: BTreeMap<u16, BTreeMap<u8, Subgroup>>,
}

impl GroupsOfSwitch {
    /// Takes a subgroup; tells whether there was none of its numbers.
    pub(super) fn add(&mut self, group: u16, number: u8, subgroup: Subgroup) -> bool {
        let group = self.groups.entry(group).or_default();
        group.insert(number, subgroup).is_none()
    }

    /// The groups by number; those that no row tells of are empty, as are subgroups.
    pub(super) fn made(self) -> Vec<PortGroup> {
        let mut groups = Vec::new();
        for (number, subgroups) in self.groups {
            groups.resize_with(usize::from(number), PortGroup::default);
            let mut made = Vec::new();
            for (number, subgroup) in subgroups {
                made.resize_with(usize::from(number), Subgroup::default);
                made.push(subgroup);
            }
            groups.push(PortGroup::new(made));
        }
        groups
    }
}
