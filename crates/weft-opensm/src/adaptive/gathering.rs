//! What the files tell of all switches, gathered into tables.

use super::group_rows::{LidRow, NO_PORT};
use super::switch_state::SwitchState;
use crate::passed_over::PassedOver;
use std::collections::BTreeMap;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId, narrow};
use weft_routing::{
    ForwardingTables, GroupEntry, GroupTables, Lane, LaneTables, LidState, PairGranularity,
    PortGroup,
};

/// Tables of one input port, by service level or lane.
pub(super) type TableRow = [u8; LaneTables::KEYS];

/// Tables a switch can have.
pub(super) const MOST_TABLES: u8 = 8;

/// What is known of a switch.
#[derive(Clone, Default)]
struct Draft {
    /// Whether a file has tables of it.
    is_met: bool,
    state: SwitchState,
    groups: Vec<PortGroup>,
    /// Per table, then place of a LID.
    tables: Vec<Vec<GroupEntry>>,
    table_rows: BTreeMap<u8, TableRow>,
    levels_by_lane: u16,
}

/// What an entry leads to, by LID: places of hosts' LIDs from 0, or one of these.
const UNKNOWN: u32 = u32::MAX;
const SWITCH: u32 = u32::MAX - 1;

/// The tables of all switches, as they are read.
pub(super) struct Gathering<'a> {
    fabric: &'a Fabric,
    by_guid: BTreeMap<u64, SwitchId>,
    /// Per LID: its place, where it is a host's.
    places: Vec<u32>,
    /// Per place: the host, its LID, and whether any table has it.
    lids: Vec<(HostId, u16, bool)>,
    switches: Vec<Draft>,
}

/// Why an entry was not taken.
pub(super) enum Refused {
    /// The fabric has no such LID.
    UnknownLid,
    /// The table has it already, otherwise.
    Twice,
    /// The port leads nowhere, or the switch has none such; the entry was taken without.
    NoPort,
    NoCable,
    /// The switch has no such group, or it is empty; the entry was taken.
    NoGroup,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(fabric: &'a Fabric) -> Self {
        let mut places = vec![UNKNOWN; 1 << 16];
        let mut lids = Vec::new();
        for host in fabric.host_ids() {
            for lid in fabric.host(host).lids.into_iter().flat_map(LidRange::lids) {
                places[usize::from(lid)] = narrow(lids.len(), "LIDs are fewer than 2^16 times 2^7");
                lids.push((host, lid, false));
            }
        }
        for switch in fabric.switch_ids() {
            let of_switch = fabric.switch(switch).lids;
            for lid in of_switch.into_iter().flat_map(LidRange::lids) {
                places[usize::from(lid)] = SWITCH;
            }
        }
        let guids = fabric.switch_ids();
        let guids = guids.filter_map(|id| Some((fabric.switch(id).guid?, id)));
        Self {
            fabric,
            by_guid: guids.collect(),
            places,
            lids,
            switches: vec![Draft::default(); fabric.switch_count()],
        }
    }

    pub(super) fn fabric(&self) -> &'a Fabric {
        self.fabric
    }

    /// The switch with a GUID; one that the fabric does not have is told.
    pub(super) fn switch_of(
        &self,
        source: Source<'_>,
        offset: usize,
        guid: u64,
        passed_over: &mut PassedOver,
    ) -> Result<Option<SwitchId>, FormatError> {
        let found = format!("switch 0x{guid:016x}");
        let name = self.fabric.name();
        if self.by_guid.is_empty() {
            let expected = format!(
                "switches of fabric “{name}”, which has no GUIDs; make it from a discovery of the \
                 same cluster (ibnetdiscover)"
            );
            return Err(source.unexpected(offset, found, expected));
        }
        let switch = self.by_guid.get(&guid).copied();
        if switch.is_none() {
            let reason = format!("fabric “{name}” does not have it");
            passed_over.add(offset, found, reason);
        }
        Ok(switch)
    }

    /// Tells whether a LID is a host's.
    #[inline]
    pub(super) fn is_of_host(&self, lid: u16) -> bool {
        self.places[usize::from(lid)] < SWITCH
    }

    /// The highest LID of a host.
    pub(super) fn highest_lid(&self) -> u16 {
        self.lids.iter().map(|&(_, lid, _)| lid).max().unwrap_or(0)
    }

    /// The error of LIDs where the fabric has none.
    pub(super) fn require_lids(
        &self,
        source: Source<'_>,
        offset: usize,
        lid: u16,
    ) -> Result<(), FormatError> {
        if !self.lids.is_empty() {
            return Ok(());
        }
        let expected = format!(
            "hosts of fabric “{}” with LIDs, of which it has none; make it from a discovery with LIDs \
             (ibnetdiscover, .lst, .db_csv)",
            self.fabric.name()
        );
        Err(source.unexpected(offset, format!("LID 0x{lid:04x}"), expected))
    }

    pub(super) fn port_count(&self, switch: SwitchId) -> u8 {
        self.fabric.switch(switch).port_count
    }

    /// Tells whether a file has tables of a switch.
    pub(super) fn is_met(&self, switch: SwitchId) -> bool {
        self.switches[switch.index()].is_met
    }

    pub(super) fn begin(&mut self, switch: SwitchId) {
        self.switches[switch.index()].is_met = true;
    }

    pub(super) fn set_state(&mut self, switch: SwitchId, state: SwitchState) {
        self.switches[switch.index()].state = state;
    }

    pub(super) fn set_groups(&mut self, switch: SwitchId, groups: Vec<PortGroup>) {
        self.switches[switch.index()].groups = groups;
    }

    pub(super) fn set_levels_by_lane(&mut self, switch: SwitchId, levels: u16) {
        self.switches[switch.index()].levels_by_lane |= levels;
    }

    /// Sets the tables for packets that come in by a port; tells whether the switch has them. Tables that it does not
    /// have are made, without entries.
    pub(super) fn set_table_row(&mut self, switch: SwitchId, port: u8, row: TableRow) -> bool {
        let known = self.switches[switch.index()].tables.len();
        for table in row {
            self.begin_table(switch, table);
        }
        let draft = &mut self.switches[switch.index()];
        draft.table_rows.insert(port, row);
        draft.tables.len() == known
    }

    /// Makes a table of a switch, if there is none yet.
    pub(super) fn begin_table(&mut self, switch: SwitchId, table: u8) {
        let tables = &mut self.switches[switch.index()].tables;
        if tables.len() <= usize::from(table) {
            tables.resize(
                usize::from(table) + 1,
                vec![GroupEntry::NONE; self.lids.len()],
            );
        }
    }

    /// The static port of an entry, and the place of its LID; `None` where it is no host's.
    pub(super) fn static_port(&self, switch: SwitchId, lid: u16) -> Option<u8> {
        let place = self.places[usize::from(lid)];
        let table = self.switches[switch.index()].tables.first()?;
        let entry = table.get(place as usize)?;
        Some(entry.static_port.number()).filter(|&port| port != 0)
    }

    /// Takes an entry.
    #[inline]
    pub(super) fn enter(
        &mut self,
        switch: SwitchId,
        table: u8,
        row: &LidRow,
    ) -> Result<(), Refused> {
        let place = match self.places[usize::from(row.lid)] {
            UNKNOWN => return Err(Refused::UnknownLid),
            SWITCH => return Ok(()),
            place => place as usize,
        };
        let ports = self.port_count(switch);
        let port = Some(row.static_port)
            .filter(|&port| port <= ports)
            .unwrap_or(0);
        let draft = &mut self.switches[switch.index()];
        let entry = GroupEntry {
            static_port: PortNumber::new(port),
            state: row.state,
            group: row.group,
        };
        let Some(known) = draft.tables.get_mut(usize::from(table)) else {
            return Ok(());
        };
        let known = &mut known[place];
        if *known != GroupEntry::NONE && *known != entry {
            return Err(Refused::Twice);
        }
        *known = entry;
        self.lids[place].2 = true;
        if row.static_port > ports && row.static_port != NO_PORT {
            return Err(Refused::NoPort);
        }
        let has_group = || {
            let group = draft.groups.get(usize::from(row.group));
            group.is_some_and(|group| !group.ports().is_empty())
        };
        if row.state != LidState::Static && !has_group() {
            return Err(Refused::NoGroup);
        }
        let has_cable = || {
            self.fabric
                .outgoing_at(switch, PortNumber::new(port))
                .is_some()
        };
        if port != 0 && !has_cable() {
            return Err(Refused::NoCable);
        }
        Ok(())
    }

    /// Notes of switches without tables, and of hosts without entries.
    pub(super) fn missing(&self) -> Vec<ReadNote> {
        let note = |kind: &str, names: Vec<&str>, reason: &str| {
            let shown: Vec<String> = names
                .iter()
                .take(3)
                .map(|name| format!("“{name}”"))
                .collect();
            let more = if names.len() > 3 { ", …" } else { "" };
            (!names.is_empty()).then(|| ReadNote {
                line: None,
                text: format!("{} {kind}: {}{more}", names.len(), shown.join(", ")),
                reason: reason.to_owned(),
            })
        };
        let fabric = self.fabric;
        let without_tables = fabric.switch_ids().filter(|&id| !self.is_met(id));
        let without_tables = without_tables.map(|id| &*fabric.switch(id).name);
        let mut has_entry = vec![false; fabric.host_count()];
        for &(host, _, is_met) in &self.lids {
            has_entry[host.index()] |= is_met;
        }
        let without_entry = fabric.host_ids().filter(|id| !has_entry[id.index()]);
        let without_entry = without_entry.map(|id| &*fabric.host(id).name);
        let notes = [
            note(
                "switches without tables",
                without_tables.collect(),
                "the wiring has them and the files do not; packets end there",
            ),
            note(
                "hosts without entries",
                without_entry.collect(),
                "no table has a LID of theirs; packets to them end",
            ),
        ];
        notes.into_iter().flatten().collect()
    }

    /// The tables of routing that leaves no choice, where there is none.
    pub(super) fn static_tables(&self) -> Option<ForwardingTables> {
        let is_static = |draft: &Draft| {
            let state = &draft.state;
            let never = state.adaptive_levels() == 0 && state.hashed_levels().unwrap_or(0) == 0;
            let chooses = |entry: &GroupEntry| {
                let group = draft.groups.get(usize::from(entry.group));
                let has_group = group.is_some_and(|group| !group.ports().is_empty());
                entry.state != LidState::Static && has_group
            };
            draft.tables.len() <= 1
                && draft.levels_by_lane == 0
                && (never || !draft.tables.iter().flatten().any(chooses))
        };
        if !self.switches.iter().all(is_static) {
            return None;
        }
        let (counts, addresses) = self.addresses(0);
        let switches = self.switches.len();
        let mut tables = ForwardingTables::new(PairGranularity::Host, switches, &counts);
        for (switch, draft) in self.fabric.switch_ids().zip(&self.switches) {
            for (entry, &address) in draft.tables.iter().flatten().zip(&addresses) {
                if let Some(address) = address
                    && entry.static_port.number() != 0
                {
                    tables.set_next_port(switch, address, entry.static_port);
                }
            }
        }
        tables.send_to_any_address();
        Some(tables)
    }

    /// How many addresses each host has, `least` or more, and per place the number of its address: those that tables
    /// have.
    fn addresses(&self, least: u8) -> (Vec<u8>, Vec<Option<usize>>) {
        let mut counts = vec![0_u8; self.fabric.host_count()];
        for &(host, _, is_met) in &self.lids {
            counts[host.index()] += u8::from(is_met);
        }
        for count in &mut counts {
            *count = least.max(*count);
        }
        let mut next = Vec::with_capacity(counts.len());
        let mut end = 0;
        for &count in &counts {
            next.push(end);
            end += usize::from(count);
        }
        let places = self.lids.iter().map(|&(host, _, is_met)| {
            let next = &mut next[host.index()];
            is_met.then(|| {
                *next += 1;
                *next - 1
            })
        });
        let places = places.collect();
        (counts, places)
    }

    /// The tables of routing that leaves choices.
    pub(super) fn finish(self, lanes: Option<LaneTables>) -> GroupTables {
        let (counts, addresses) = self.addresses(1);
        let fabric = self.fabric;
        let mut tables = GroupTables::new(fabric, &counts);
        for (id, draft) in fabric.switch_ids().zip(self.switches) {
            for (table, entries) in (0..).zip(draft.tables) {
                // A table without entries is one as well.
                if tables.address_count() > 0 {
                    tables.set_entry(id, table, 0, GroupEntry::NONE);
                }
                for (entry, &address) in entries.into_iter().zip(&addresses) {
                    if let Some(address) = address {
                        tables.set_entry(id, table, address, entry);
                    }
                }
            }
            for (port, row) in draft.table_rows {
                for (key, table) in (0..).zip(row) {
                    let at = (PortNumber::new(port), Lane::new(key));
                    tables.set_table(fabric, id, at, table);
                }
            }
            let switch = tables.switch_mut(id);
            switch.adaptive_levels = draft.state.adaptive_levels();
            switch.hashed_levels = draft.state.hashed_levels();
            switch.notifies = draft.state.notifies();
            switch.levels_by_lane = draft.levels_by_lane;
            switch.groups = draft.groups;
        }
        if let Some(lanes) = lanes {
            tables.set_lane_tables(lanes);
        }
        tables
    }
}
