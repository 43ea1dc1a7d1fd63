//! Groups around forwarding tables: what a manager makes of the ways it knows.

use super::group_tables::{GroupEntry, GroupTables};
use super::port_group::{LidState, PortGroup, Subgroup};
use crate::form::{ForwardingTables, PairGranularity};
use std::collections::BTreeMap;
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};

/// Per switch and destination switch: the ports that packets may be sent by, gathered to groups.
#[derive(Clone, Debug)]
pub(crate) struct GroupMaker {
    switch_count: usize,
    /// Per switch: the number of each list of ports.
    numbers: Vec<BTreeMap<Vec<PortNumber>, u16>>,
    /// Per switch, then destination switch: the number of its list, if it has a choice.
    group_of: Vec<Option<u16>>,
}

impl GroupMaker {
    /// No groups yet.
    pub(crate) fn new(fabric: &Fabric) -> Self {
        let switch_count = fabric.switch_count();
        Self {
            switch_count,
            numbers: vec![BTreeMap::new(); switch_count],
            group_of: vec![None; switch_count * switch_count],
        }
    }

    /// Sets the ports, in any order, by which packets to a switch may leave another; one alone is no choice.
    pub(crate) fn set(&mut self, at: SwitchId, to: SwitchId, mut ports: Vec<PortNumber>) {
        ports.sort_unstable();
        ports.dedup();
        if ports.len() < 2 {
            return;
        }
        let numbers = &mut self.numbers[at.index()];
        let next = narrow(
            numbers.len(),
            "a switch has a group for each other switch at most",
        );
        let number = *numbers.entry(ports).or_insert(next);
        self.group_of[at.index() * self.switch_count + to.index()] = Some(number);
    }

    /// The tables of all switches: the static ports of tables between hosts, and the groups around them.
    ///
    /// # Panics
    /// When the tables are not between hosts, each of one address.
    pub(crate) fn around(
        self,
        fabric: &Fabric,
        tables: &ForwardingTables,
        state: LidState,
    ) -> GroupTables {
        assert_eq!(tables.granularity(), PairGranularity::Host);
        let hosts: Vec<u8> = fabric
            .host_ids()
            .map(|host| {
                narrow(
                    tables.addresses(host.index()).len(),
                    "each host has one address",
                )
            })
            .collect();
        let mut made = GroupTables::new(fabric, &hosts);
        for (switch, numbers) in fabric.switch_ids().zip(&self.numbers) {
            let mut lists: Vec<_> = numbers.iter().collect();
            lists.sort_by_key(|(_, number)| **number);
            let groups = lists.into_iter().map(|(ports, _)| {
                let ports = ports.clone();
                PortGroup::new(vec![Subgroup { ports, weight: 0 }])
            });
            let own = made.switch_mut(switch);
            own.groups = groups.collect();
            own.adaptive_levels = if own.groups.is_empty() { 0 } else { u16::MAX };
        }
        for host in fabric.host_ids() {
            let to = fabric.host_switch(host);
            for address in tables.addresses(host.index()) {
                for switch in fabric.switch_ids() {
                    let Some(static_port) = tables.next_port(switch, address) else {
                        continue;
                    };
                    let group = self.group_of[switch.index() * self.switch_count + to.index()];
                    let entry = GroupEntry {
                        static_port,
                        state: group.map_or(LidState::Static, |_| state),
                        group: group.unwrap_or(0),
                    };
                    made.set_entry(switch, 0, address, entry);
                }
            }
        }
        made
    }
}
