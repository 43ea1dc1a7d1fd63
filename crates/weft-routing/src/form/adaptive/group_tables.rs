//! Per switch and address: a group of ports that the switch chooses among, as the adaptive routing of `InfiniBand`
//! switches holds it.

use super::pair_levels::PairLevels;
use super::port_group::{LidState, PortGroup};
use crate::form::{Lane, LaneKey, LaneTables};
use weft_fabric::{Fabric, HostId, PortNumber, SwitchId};

/// What a switch knows of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupEntry {
    /// The port of packets that may not choose; 0 without one.
    pub static_port: PortNumber,
    /// What it does with packets to the address.
    pub state: LidState,
    /// The number of the group it chooses among.
    pub group: u16,
}

impl GroupEntry {
    /// Nothing is known.
    pub const NONE: Self = Self {
        static_port: NO_PORT,
        state: LidState::Static,
        group: 0,
    };
}

const NO_PORT: PortNumber = PortNumber::new(0);

/// The tables of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchGroups {
    /// The service levels whose packets may be sent by any port of a group, one bit each; 0 where the switch does not
    /// choose at all.
    pub adaptive_levels: u16,
    /// The service levels whose flows may be sent by the port of a group that a hash decides, one bit each; without,
    /// the same.
    pub hashed_levels: Option<u16>,
    /// The service levels whose packets the switch looks up by the lane they came on and not by their level, both
    /// where it chooses their next lane and where it chooses among its tables, one bit each.
    pub levels_by_lane: u16,
    /// Whether it leaves out ports that lead nowhere any more, and tells its neighbours of them.
    pub notifies: bool,
    /// The groups by number.
    pub groups: Vec<PortGroup>,
    /// Per table, then address: the entry. A switch has several tables where they depend on where packets come from.
    tables: Vec<Vec<GroupEntry>>,
    /// Per input port, 0 included, and service level, or lane of the levels that go by it: the table; empty: the first.
    pub(super) table_of: Vec<[u8; LaneTables::KEYS]>,
}

impl SwitchGroups {
    /// The entries of a table by address; empty where there is no such table.
    pub fn entries(&self, table: u8) -> &[GroupEntry] {
        self.tables
            .get(usize::from(table))
            .map_or(&[], Vec::as_slice)
    }

    /// Counts the tables.
    pub fn table_count(&self) -> usize {
        self.tables.len()
    }

    /// The group that packets of a service level may choose among by an entry; without, its static port is theirs.
    #[inline]
    pub fn group_of(&self, entry: &GroupEntry, service_level: u8) -> Option<&PortGroup> {
        let levels = match entry.state {
            LidState::Static => 0,
            LidState::Hashed => self.hashed_levels.unwrap_or(self.adaptive_levels),
            LidState::Free => self.adaptive_levels,
        };
        let group = self.groups.get(usize::from(entry.group))?;
        let chooses = levels >> service_level & 1 == 1 && !group.ports().is_empty();
        chooses.then_some(group)
    }

    /// Tells whether all packets are looked up in one table, wherever they come from.
    pub fn has_one_table(&self) -> bool {
        self.table_of.is_empty()
    }

    /// The table for packets that come in by a port and are looked up by a [key](GroupTables::key).
    #[inline]
    pub fn table(&self, input: PortNumber, key: Lane) -> u8 {
        let row = self.table_of.get(input.index());
        row.and_then(|row| row.get(key.index()))
            .copied()
            .unwrap_or(0)
    }
}

/// Where packets may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupChoice<'a> {
    /// Who decides: nobody, a hash of the flow, or every packet.
    pub state: LidState,
    /// The ports, ascending; none where nothing is known of the address.
    pub ports: &'a [PortNumber],
    /// The group they are of, where there is a choice.
    pub group: Option<&'a PortGroup>,
}

/// Tables of switches that choose among groups of ports: what adaptive routing of `InfiniBand` switches goes by.
///
/// Every host has one or more addresses (LIDs). For each address a switch knows a static port and a group. Packets
/// of the service levels that may choose go by any port of the group where the address is free, by the port that a
/// hash of their flow decides where it is hashed; all others by the static port. The lane is that of the service
/// level, or what lane tables say of the two ports and the service level or the lane before; each switch may go by
/// the lane before for some service levels (`levels_by_lane`).
///
/// # Memory
/// Four bytes per switch, table and address.
///
/// # Source
/// The dumps of `ibdiagnet` (NVIDIA, `IBUtils2` documentation 2.19 to 2.24, Routing Validation).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupTables {
    /// Per host: its first address; then the number of all.
    first_addresses: Vec<u32>,
    pub(super) switches: Vec<SwitchGroups>,
    /// Without, every packet keeps the lane of its service level.
    pub(super) lane_tables: Option<LaneTables>,
    pub(super) service_level: u8,
    /// Without, nobody tells the level of a pair.
    pub(super) pair_levels: Option<PairLevels>,
}

impl GroupTables {
    /// Tables without entries, by which no switch chooses: `addresses[h]` is the number of addresses of host `h`.
    ///
    /// # Panics
    /// With 2^32 addresses or more.
    pub fn new(fabric: &Fabric, addresses: &[u8]) -> Self {
        assert_eq!(addresses.len(), fabric.host_count());
        let mut first_addresses = vec![0_u32];
        let mut end = 0_u32;
        for &count in addresses {
            end += u32::from(count);
            first_addresses.push(end);
        }
        let switch = SwitchGroups {
            adaptive_levels: 0,
            hashed_levels: None,
            levels_by_lane: 0,
            notifies: false,
            groups: Vec::new(),
            tables: vec![vec![GroupEntry::NONE; end as usize]],
            table_of: Vec::new(),
        };
        Self {
            first_addresses,
            switches: vec![switch; fabric.switch_count()],
            lane_tables: None,
            service_level: 0,
            pair_levels: None,
        }
    }

    /// Counts the switches.
    pub fn switch_count(&self) -> usize {
        self.switches.len()
    }

    /// Counts the hosts.
    pub fn host_count(&self) -> usize {
        self.first_addresses.len() - 1
    }

    /// Counts the addresses of all hosts.
    pub fn address_count(&self) -> usize {
        self.first_addresses[self.host_count()] as usize
    }

    /// The addresses of a host, the first one first.
    pub fn addresses(&self, host: HostId) -> std::ops::Range<usize> {
        self.first_addresses[host.index()] as usize..self.first_addresses[host.index() + 1] as usize
    }

    /// The host of an address.
    ///
    /// # Panics
    /// When there is no such address.
    pub fn host_of(&self, address: usize) -> HostId {
        assert!(address < self.address_count(), "there is such an address");
        let after = self
            .first_addresses
            .partition_point(|&first| first as usize <= address);
        HostId::from_index(after - 1)
    }

    /// The tables of a switch.
    pub fn switch(&self, switch: SwitchId) -> &SwitchGroups {
        &self.switches[switch.index()]
    }

    /// The tables of a switch, to be filled.
    pub fn switch_mut(&mut self, switch: SwitchId) -> &mut SwitchGroups {
        &mut self.switches[switch.index()]
    }

    /// Sets what a switch knows of an address in one of its tables, which is made where there is none yet.
    ///
    /// # Panics
    /// When there is no such switch or address.
    pub fn set_entry(&mut self, switch: SwitchId, table: u8, address: usize, entry: GroupEntry) {
        let count = self.address_count();
        let tables = &mut self.switches[switch.index()].tables;
        while tables.len() <= usize::from(table) {
            tables.push(vec![GroupEntry::NONE; count]);
        }
        tables[usize::from(table)][address] = entry;
    }

    /// Sets the table a switch looks into for packets that come in by a port and are looked up by a
    /// [key](Self::key); without, it is the first.
    ///
    /// # Panics
    /// When the fabric has no such switch, the switch no such port or table, or hardware no such lane.
    pub fn set_table(
        &mut self,
        fabric: &Fabric,
        switch: SwitchId,
        (input, key): (PortNumber, Lane),
        table: u8,
    ) {
        let ports = usize::from(fabric.switch(switch).port_count) + 1;
        let switch = &mut self.switches[switch.index()];
        assert!(
            usize::from(table) < switch.tables.len(),
            "the switch has such a table"
        );
        if switch.table_of.is_empty() {
            if table == 0 {
                return;
            }
            switch.table_of = vec![[0; LaneTables::KEYS]; ports];
        }
        switch.table_of[input.index()][key.index()] = table;
    }

    /// The tables by which switches choose lanes, where there are any.
    pub fn lane_tables(&self) -> Option<&LaneTables> {
        self.lane_tables.as_ref()
    }

    /// Sets the tables by which switches choose lanes.
    pub fn set_lane_tables(&mut self, tables: LaneTables) {
        self.lane_tables = Some(tables);
    }

    /// Counts the lanes the hardware must have: one more than the highest of the first levels of all that are alike,
    /// and of the level nobody tells, or the highest of all pairs.
    pub fn lane_count(&self) -> u8 {
        if let Some(tables) = &self.lane_tables {
            return tables.lane_count();
        }
        if let Some(levels) = &self.pair_levels {
            return levels.in_use().iter().copied().fold(0, u8::max) + 1;
        }
        let firsts = self.levels().into_iter().map(|class| class[0]);
        firsts.fold(self.service_level, u8::max) + 1
    }

    /// What a switch looks packets up by that came in on a lane: that lane, where it or all switches go by lanes, else
    /// their service level, as if it were one.
    #[inline]
    pub fn key(&self, switch: SwitchId, service_level: u8, lane: Lane) -> Lane {
        let by_lane = match &self.lane_tables {
            Some(tables) => {
                let levels = self.switches[switch.index()].levels_by_lane;
                tables.key() == LaneKey::IncomingLane || levels >> service_level & 1 == 1
            }
            None => true,
        };
        if by_lane {
            lane
        } else {
            Lane::new(service_level)
        }
    }

    /// Where a switch may send packets of a service level to an address that come in by a port on a lane.
    #[inline]
    pub fn choice(
        &self,
        switch: SwitchId,
        (input, lane): (PortNumber, Lane),
        address: usize,
        service_level: u8,
    ) -> GroupChoice<'_> {
        let key = self.key(switch, service_level, lane);
        let table = self.switches[switch.index()].table(input, key);
        self.choice_of_table(switch, table, address, service_level)
    }

    /// Where a switch may send packets of a service level to an address that one of its tables is asked of.
    #[inline]
    pub fn choice_of_table(
        &self,
        switch: SwitchId,
        table: u8,
        address: usize,
        service_level: u8,
    ) -> GroupChoice<'_> {
        let switch = &self.switches[switch.index()];
        let Some(entry) = switch.entries(table).get(address) else {
            return GroupChoice {
                state: LidState::Static,
                ports: &[],
                group: None,
            };
        };
        if let Some(group) = switch.group_of(entry, service_level) {
            return GroupChoice {
                state: entry.state,
                ports: group.ports(),
                group: Some(group),
            };
        }
        let one = std::slice::from_ref(&entry.static_port);
        let ports = if entry.static_port == NO_PORT {
            &[]
        } else {
            one
        };
        GroupChoice {
            state: LidState::Static,
            ports,
            group: None,
        }
    }

    /// The lane of a packet of a service level on its host's channel, if there is one.
    #[inline]
    pub fn host_lane(&self, service_level: u8) -> Option<Lane> {
        match &self.lane_tables {
            Some(tables) => tables.host_lane(service_level),
            None => Some(Lane::new(service_level)),
        }
    }

    /// The next lane of a packet that comes in by one port on a lane and leaves by another, if there is one.
    #[inline]
    pub fn next_lane(
        &self,
        switch: SwitchId,
        ports: [PortNumber; 2],
        service_level: u8,
        incoming: Lane,
    ) -> Option<Lane> {
        match &self.lane_tables {
            Some(tables) => {
                let key = self.key(switch, service_level, incoming);
                tables
                    .row(switch, ports)
                    .get(key.index())
                    .copied()
                    .flatten()
            }
            None => Some(incoming),
        }
    }
}
