//! Addresses that all switches treat alike but the one their hosts are at.

use super::group_tables::GroupTables;
use super::port_group::LidState;
use crate::random::mix;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, SwitchId};

/// What a switch does with packets to an address.
type Treated = (LidState, u16);

impl GroupTables {
    /// The addresses that every switch treats alike for packets of a service level, but the one their hosts are at, which
    /// is the same: packets to any of them may go the same ways up to that switch. All addresses are in one class, which
    /// are in the order of their first, each ascending. Where every pair has a level of its own, none are alike.
    ///
    /// # Complexity
    /// Time O(S·T·A) for S switches of T tables and A addresses.
    ///
    /// # Panics
    /// When the tables are for a fabric with other switches or hosts.
    pub fn alike_addresses(&self, fabric: &Fabric, service_level: u8) -> Vec<Vec<usize>> {
        if self.has_pair_levels() {
            return (0..self.address_count())
                .map(|address| vec![address])
                .collect();
        }
        let homes: Vec<SwitchId> = (0..self.address_count())
            .map(|address| fabric.host_switch(self.host_of(address)))
            .collect();
        let mut hashes = vec![0; homes.len()];
        self.each_treatment(fabric, &homes, service_level, |address, treated| {
            hashes[address] = mixed(hashes[address], treated);
        });
        let mut first_of = BTreeMap::new();
        let mut first: Vec<usize> = (0..homes.len())
            .map(|address| {
                *first_of
                    .entry((homes[address], hashes[address]))
                    .or_insert(address)
            })
            .collect();
        // Whose hashes meet by chance are told apart.
        let mut is_alike = vec![true; homes.len()];
        let mut row = vec![(LidState::Static, 0); homes.len()];
        self.each_treatment(fabric, &homes, service_level, |address, treated| {
            // The first of all that are alike comes before them.
            row[address] = treated;
            is_alike[address] &= row[first[address]] == treated;
        });
        for (address, is_alike) in is_alike.into_iter().enumerate() {
            if !is_alike {
                first[address] = address;
            }
        }
        let mut classes: Vec<Vec<usize>> = Vec::new();
        let mut class_of = vec![0; homes.len()];
        for (address, &first) in first.iter().enumerate() {
            if first == address {
                class_of[address] = classes.len();
                classes.push(Vec::new());
            }
            classes[class_of[first]].push(address);
        }
        classes
    }

    /// Tells what each table of each switch does with each address whose host is at another switch.
    fn each_treatment(
        &self,
        fabric: &Fabric,
        homes: &[SwitchId],
        service_level: u8,
        mut tell: impl FnMut(usize, Treated),
    ) {
        for at in fabric.switch_ids() {
            let switch = self.switch(at);
            for table in 0..switch.table_count() {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a table's number is a byte"
                )]
                let entries = switch.entries(table as u8);
                for (address, entry) in entries.iter().enumerate() {
                    if homes[address] != at {
                        let group = switch.group_of(entry, service_level);
                        let port = u16::from(entry.static_port.number());
                        let treated =
                            group.map_or((LidState::Static, port), |_| (entry.state, entry.group));
                        tell(address, treated);
                    }
                }
            }
        }
    }
}

/// A step of `SplitMix64`, over what came before and what comes now.
fn mixed(before: u64, (state, number): Treated) -> u64 {
    let treated = u64::from(number) << 2 | state as u64;
    mix(before ^ treated)
}
