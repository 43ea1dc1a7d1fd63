//! Groups of ports, and by LID who chooses among them: ibdiagnet's `.far`, and the older `.ar`.
//!
//! ```text
//! # comments
//! File version: 1
//!
//! Switch 0x0002c90200000001, ar_en: 1, enable_by_sl_mask: 0x00ff
//! Groups Definition:
//! Group  Sub Group  WHBF  Ports
//! -----------------------------
//! 1      0          0     19, 20, 21,
//!
//! LFT Definition:
//! PLFT_NUM: 0, top: 0x0017
//! LID     Static Port  Lid State  Group
//! -------------------------------------
//! 0x0004  19           Free       1
//! ```
//!
//! # Source
//! The grammar is that of `ibfar.pest` in `CrackedPoly/Rapimt`; what stands beside a switch's GUID is taken by
//! [its names](super::switch_state).

use super::gathering::{Gathering, MOST_TABLES, Refused};
use super::group_rows::{
    GroupColumns, GroupRow, LidColumns, LidRow, is_groups_heading, is_lids_heading,
    switch_and_rest, table_and_top,
};
use super::groups_of_switch::GroupsOfSwitch;
use super::switch_state::SwitchState;
use super::unknown_lids::UnknownLids;
use crate::passed_over::PassedOver;
use crate::text::{lines, no_entry, start_of, truncated};
use std::collections::BTreeMap;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_fabric::{PortNumber, SwitchId};
use weft_routing::Subgroup;

/// The version whose headings are known.
const VERSION: &str = "1";
/// Groups, and subgroups of one, that a switch can have.
const MOST_GROUPS: u16 = 4096;
const MOST_SUBGROUPS: u8 = 16;

const GROUP_EXAMPLE: &str = "1 0 0 19, 20, 21, (group 0 to 4095, subgroup 0 to 15, weight, ports)";
const LID_EXAMPLE: &str = "0x0004 19 Free 1";

/// What the lines are about.
enum Part {
    /// What comes before the first switch.
    Head,
    /// What the switch is told apart from tables.
    State,
    Groups(Option<GroupColumns>),
    Lids(Option<LidColumns>),
}

/// The table whose rows are being read.
#[derive(Clone, Copy, Default)]
struct Table {
    number: u8,
    /// Of hosts.
    last_lid: u16,
    top: Option<u16>,
}

/// The switch that lines are of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    BeforeAll,
    Unknown,
    Switch(SwitchId),
}

struct Reader<'a, 'g, 'f> {
    source: Source<'a>,
    gathering: &'g mut Gathering<'f>,
    passed_over: PassedOver,
    version: Option<&'a str>,
    part: Part,
    at: At,
    /// Where each switch begins.
    met: BTreeMap<u64, usize>,
    state: SwitchState,
    groups: GroupsOfSwitch,
    has_groups: bool,
    tables: Vec<u8>,
    table: Option<Table>,
    /// Per number of a table: the highest last LID of those of the switches before.
    highest: [u16; MOST_TABLES as usize],
    unknown: UnknownLids,
}

pub(super) fn read(
    source: Source<'_>,
    gathering: &mut Gathering<'_>,
) -> Result<Vec<ReadNote>, FormatError> {
    let mut reader = Reader {
        source,
        gathering,
        passed_over: PassedOver::default(),
        version: None,
        part: Part::Head,
        at: At::BeforeAll,
        met: BTreeMap::new(),
        state: SwitchState::default(),
        groups: GroupsOfSwitch::default(),
        has_groups: false,
        tables: Vec::new(),
        table: None,
        highest: [0; MOST_TABLES as usize],
        unknown: UnknownLids::default(),
    };
    for (offset, line) in lines(source.text) {
        reader.take(offset, line)?;
    }
    reader.end()
}

impl<'a> Reader<'a, '_, '_> {
    fn take(&mut self, offset: usize, line: &'a str) -> Result<(), FormatError> {
        // Most lines are rows.
        if line.starts_with("0x")
            && let Part::Lids(Some(columns)) = self.part
        {
            return self.take_lid(offset, line, columns);
        }
        if line.is_empty() || line.starts_with('#') || line.bytes().all(|byte| byte == b'-') {
            return Ok(());
        }
        if let Some((guid, rest)) = switch_and_rest(line) {
            self.begin_switch(offset, guid)?;
            self.take_state(offset, rest);
            return Ok(());
        }
        if is_groups_heading(line) {
            self.end_state();
            self.part = Part::Groups(None);
            return Ok(());
        }
        if is_lids_heading(line) {
            self.end_state();
            self.end_groups();
            self.part = Part::Lids(None);
            return match line.find("PLFT_NUM") {
                Some(place) => self.begin_table(offset, &line[place..]),
                None => Ok(()),
            };
        }
        match self.part {
            Part::Head => self.take_head(offset, line),
            Part::State => self.take_state(offset, line),
            Part::Groups(_) if line.starts_with("Group") => {
                let Some(columns) = GroupColumns::of(line) else {
                    let expected = "Group, Sub Group, WHBF, Ports";
                    return Err(self.other_version(offset, line, expected));
                };
                self.part = Part::Groups(Some(columns));
            }
            Part::Groups(Some(columns)) if line.starts_with(|c: char| c.is_ascii_digit()) => {
                self.take_group(offset, line, columns)?;
            }
            Part::Lids(_) if line.starts_with("PLFT_NUM") => self.begin_table(offset, line)?,
            Part::Lids(_) if line.starts_with("LID") => {
                let Some(columns) = LidColumns::of(line) else {
                    let expected = "LID, Static Port, Lid State, Group";
                    return Err(self.other_version(offset, line, expected));
                };
                self.part = Part::Lids(Some(columns));
            }
            Part::Groups(None) | Part::Lids(None) => {
                return Err(self.other_version(offset, line, "a heading of columns"));
            }
            Part::Lids(_) if line.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(no_entry(self.source, offset, LID_EXAMPLE));
            }
            Part::Groups(_) | Part::Lids(_) => self.passed_over.add_line(offset, line),
        }
        Ok(())
    }

    /// The error of columns that are not known.
    fn other_version(&self, offset: usize, line: &str, expected: &str) -> FormatError {
        let version = self.version.unwrap_or("unknown");
        let found = format!("{} in a file of version {version}", start_of(line));
        let expected = format!("{expected}, as files of version {VERSION} have them");
        self.source.unexpected(offset, found, expected)
    }

    fn take_head(&mut self, offset: usize, line: &'a str) {
        let Some(version) = line.strip_prefix("File version:") else {
            self.passed_over.add_line(offset, line);
            return;
        };
        let version = version.trim();
        self.version = Some(version);
        if version != VERSION {
            let reason = format!("version {VERSION} is known; the headings are the same");
            self.passed_over.add(offset, line, reason);
        }
    }

    fn begin_switch(&mut self, offset: usize, guid: u64) -> Result<(), FormatError> {
        self.end_switch(offset)?;
        if let Some(&first) = self.met.get(&guid) {
            let first = self.source.line_of(first);
            let found = format!("switch 0x{guid:016x}");
            let expected = format!("each switch once; it is listed at line {first} already");
            return Err(self.source.unexpected(offset, found, expected));
        }
        self.met.insert(guid, offset);
        let passed_over = &mut self.passed_over;
        let switch = self
            .gathering
            .switch_of(self.source, offset, guid, passed_over)?;
        self.at = switch.map_or(At::Unknown, At::Switch);
        self.part = Part::State;
        if let Some(switch) = switch {
            self.gathering.begin(switch);
        }
        Ok(())
    }

    fn take_state(&mut self, offset: usize, line: &str) {
        let passed_over = &mut self.passed_over;
        self.state.take(line, |unknown| {
            passed_over.add(offset, unknown, "nothing that is known of a switch");
        });
    }

    fn end_state(&mut self) {
        if let At::Switch(switch) = self.at {
            self.gathering.set_state(switch, self.state);
        }
    }

    fn take_group(
        &mut self,
        offset: usize,
        line: &str,
        columns: GroupColumns,
    ) -> Result<(), FormatError> {
        let row = GroupRow::of(line, columns)
            .filter(|row| row.group < MOST_GROUPS && row.subgroup < MOST_SUBGROUPS)
            .ok_or_else(|| no_entry(self.source, offset, GROUP_EXAMPLE))?;
        let At::Switch(switch) = self.at else {
            return Ok(());
        };
        let port_count = self.gathering.port_count(switch);
        let fabric = self.gathering.fabric();
        let mut ports = row.ports;
        ports.dedup();
        ports.retain(|port| {
            let is_one = (1..=port_count).contains(&port.number());
            if !is_one {
                let text = "ports in groups of switches that do not have them";
                self.passed_over
                    .add(offset, text, "nothing can leave by them");
            }
            is_one
        });
        let has_cable = |port: &PortNumber| fabric.outgoing_at(switch, *port).is_some();
        if !ports.iter().all(has_cable) {
            let text = "groups with ports that the wiring has no cable at";
            let reason = "they are kept as choices, by which packets end";
            self.passed_over.tell(offset, text, reason);
        }
        let weight = match self.state.has_weights {
            Some(false) => 0,
            _ => row.weight,
        };
        let subgroup = Subgroup { ports, weight };
        if !self.groups.add(row.group, row.subgroup, subgroup) {
            let found = format!("subgroup {} of group {}", row.subgroup, row.group);
            let expected = "each subgroup once; it is listed before already";
            return Err(self.source.unexpected(offset, found, expected));
        }
        Ok(())
    }

    fn end_groups(&mut self) {
        if self.has_groups {
            return;
        }
        self.has_groups = true;
        let groups = std::mem::take(&mut self.groups).made();
        if let At::Switch(switch) = self.at {
            self.gathering.set_groups(switch, groups);
        }
    }

    fn begin_table(&mut self, offset: usize, line: &str) -> Result<(), FormatError> {
        self.end_table();
        let found = table_and_top(line);
        let number = found.and_then(|(number, _)| u8::try_from(number).ok());
        let number = number.filter(|&number| number < MOST_TABLES);
        let (Some((_, top)), Some(number)) = (found, number) else {
            return Err(no_entry(
                self.source,
                offset,
                "PLFT_NUM: 0, top: 0x0017 (tables 0 to 7)",
            ));
        };
        if self.tables.contains(&number) {
            let found = format!("table {number} of a switch");
            let expected = "each table of a switch once; it has this one already";
            return Err(self.source.unexpected(offset, found, expected));
        }
        self.tables.push(number);
        self.table = Some(Table {
            number,
            last_lid: 0,
            top,
        });
        if let At::Switch(switch) = self.at {
            self.gathering.begin_table(switch, number);
        }
        self.part = Part::Lids(None);
        Ok(())
    }

    fn take_lid(
        &mut self,
        offset: usize,
        line: &str,
        columns: LidColumns,
    ) -> Result<(), FormatError> {
        let row =
            LidRow::of(line, columns).ok_or_else(|| no_entry(self.source, offset, LID_EXAMPLE))?;
        if self.table.is_none() {
            self.begin_table(offset, "PLFT_NUM: 0")?;
            self.part = Part::Lids(Some(columns));
        }
        let table = self.table.get_or_insert_default();
        if self.gathering.is_of_host(row.lid) {
            table.last_lid = table.last_lid.max(row.lid);
        }
        let number = table.number;
        let At::Switch(switch) = self.at else {
            return Ok(());
        };
        if row.is_bounded {
            let text = "LIDs in state Bounded";
            let reason = "a flow keeps its port for a while; read as Free, as it may take any";
            self.passed_over.tell(offset, text, reason);
        }
        let Err(refused) = self.gathering.enter(switch, number, &row) else {
            return Ok(());
        };
        let (text, reason) = match refused {
            Refused::Twice => {
                let found = format!("LID 0x{:04x}", row.lid);
                let expected = "each LID of a table once; it has another entry already";
                return Err(self.source.unexpected(offset, found, expected));
            }
            Refused::UnknownLid => {
                self.gathering.require_lids(self.source, offset, row.lid)?;
                self.unknown.add(offset, row.lid);
                return Ok(());
            }
            Refused::NoPort => (
                "static ports that their switch does not have",
                "packets that may not choose end there",
            ),
            Refused::NoCable => (
                "static ports that the wiring has no cable at",
                "packets that may not choose end there",
            ),
            Refused::NoGroup => (
                "LIDs of groups that their switch does not have, or that are empty",
                "packets take the static port",
            ),
        };
        self.passed_over.tell(offset, text, reason);
        Ok(())
    }

    fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            let highest = &mut self.highest[usize::from(table.number)];
            *highest = (*highest).max(table.last_lid);
        }
    }

    fn end_switch(&mut self, offset: usize) -> Result<(), FormatError> {
        if self.at != At::BeforeAll && self.tables.is_empty() {
            let found = "a switch without “LFT Definition”";
            return Err(self
                .source
                .unexpected(offset, found, "its LIDs before the next switch"));
        }
        self.end_table();
        self.state = SwitchState::default();
        self.groups = GroupsOfSwitch::default();
        self.has_groups = false;
        self.tables.clear();
        Ok(())
    }

    /// Makes sure that the last switch is whole, and that any is of the fabric.
    fn end(mut self) -> Result<Vec<ReadNote>, FormatError> {
        let source = self.source;
        let end = source.text.trim_end().len();
        if self.at == At::BeforeAll {
            let expected = "groups of ports of switches, as ibdiagnet dumps them (.far)";
            return Err(source.unexpected(0, "a file without switches", expected));
        }
        let cut = |found: &str| Err(truncated(source, end, found));
        if !source.text.ends_with('\n') || self.tables.is_empty() {
            return cut("the end of the file");
        }
        if let Some(Table {
            number,
            last_lid,
            top,
        }) = self.table
        {
            // Nothing is known of other switches where there is but one.
            let highest = match self.met.len() {
                1 => self.gathering.highest_lid(),
                _ => self.highest[usize::from(number)],
            };
            let expected = highest.min(top.unwrap_or(u16::MAX));
            if last_lid < expected && number == 0 {
                let found = format!("the end of the file after LID 0x{last_lid:04x}");
                return cut(&found);
            }
            if last_lid < expected {
                let text = "the last table, which ends before those of its number";
                self.passed_over
                    .tell(end, text, "the file may be cut there");
            }
        }
        let is_known = |guid: &u64| {
            let switches = self.gathering.fabric().switch_ids();
            let mut guids = switches.map(|id| self.gathering.fabric().switch(id).guid);
            guids.any(|of| of == Some(*guid))
        };
        if !self.met.keys().any(is_known) {
            let first = self.met.values().min().copied().unwrap_or(0);
            let expected = format!(
                "switches of fabric “{}”, of which there is none; the tables are of another",
                self.gathering.fabric().name()
            );
            return Err(source.unexpected(first, "switches of another fabric", expected));
        }
        self.unknown
            .tell(self.gathering.fabric(), &mut self.passed_over);
        Ok(self.passed_over.notes(source))
    }
}
