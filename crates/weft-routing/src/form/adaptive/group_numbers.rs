//! Groups of a switch, each under a number of its own.

use super::group_tables::{GroupEntry, SwitchGroups};
use super::port_group::{LidState, PortGroup, Subgroup};
use std::collections::BTreeMap;
use weft_fabric::{PortNumber, narrow};

/// The groups that entries of a switch need, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupNumbers(BTreeMap<Vec<Vec<PortNumber>>, u16>);

impl GroupNumbers {
    /// An entry that leads by one port.
    pub(crate) fn one(port: PortNumber) -> GroupEntry {
        GroupEntry {
            static_port: port,
            ..GroupEntry::NONE
        }
    }

    /// An entry with a static port and a group of subgroups, the preferred one first; ports of one subgroup alone are no
    /// choice, and without a static port there is no entry.
    pub(crate) fn entry(
        &mut self,
        static_port: Option<PortNumber>,
        mut subgroups: Vec<Vec<PortNumber>>,
        state: LidState,
    ) -> GroupEntry {
        let Some(static_port) = static_port else {
            return GroupEntry::NONE;
        };
        subgroups.retain(|ports| !ports.is_empty());
        if subgroups.iter().map(Vec::len).sum::<usize>() < 2 {
            return Self::one(static_port);
        }
        let next = narrow(self.0.len(), "a switch has fewer than 2^16 groups");
        let group = *self.0.entry(subgroups).or_insert(next);
        GroupEntry {
            static_port,
            state,
            group,
        }
    }

    /// Gives a switch the groups, among which it chooses for packets of all service levels.
    pub(crate) fn give(self, switch: &mut SwitchGroups) {
        let mut groups: Vec<_> = self.0.into_iter().collect();
        groups.sort_by_key(|(_, number)| *number);
        switch.adaptive_levels = if groups.is_empty() { 0 } else { u16::MAX };
        let group = |(subgroups, _): (Vec<Vec<PortNumber>>, u16)| {
            let subgroups = subgroups.into_iter();
            PortGroup::new(
                subgroups
                    .map(|ports| Subgroup { ports, weight: 0 })
                    .collect(),
            )
        };
        switch.groups = groups.into_iter().map(group).collect();
    }
}
