//! The lane of each service level at every switch: `opensm-sl2vl.dump`, and ibdiagnet's `.slvl`.
//!
//! ```text
//! Switch 0x0002c90200000001, base LID 2, "sw0"
//! #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//! #--------------------------------------------------------
//! 0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//! ```
//!
//! or, in lines of their own, GUID, input and output port, and a hexadecimal digit for each level:
//!
//! ```text
//! 0x0002c90200000001 0 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67
//! ```

use crate::passed_over::PassedOver;
use crate::text::{lines, no_entry, number_after, start_of};
use std::collections::BTreeMap;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_fabric::{Fabric, PortNumber, SwitchId, narrow};
use weft_routing::{Lane, LaneKey, LaneRow, LaneTables};

/// The lane a packet leaves a switch on, by the port it came in by, the port it leaves by and its
/// service level (SL-to-VL mapping tables; InfiniBand Architecture Specification, volume 1, §7.6.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneMaps {
    pub(super) tables: LaneTables,
    /// Per service level: whether it has the lane of its number everywhere.
    pub(super) is_kept: [bool; LEVELS],
    /// Per service level: the highest lane that it has anywhere, if it has one.
    pub(super) highest: [Option<Lane>; LEVELS],
    /// The lanes of the first adapter that the file tells.
    host: Option<LaneRow>,
}

/// What is read, for people.
const EXPECTED: &str = "lanes of service levels (opensm-sl2vl.dump)";
/// Service levels there are.
const LEVELS: usize = LaneTables::KEYS;
/// The lane that means a packet is dropped: no data may travel on it.
const DROPPED: u8 = 15;

impl LaneMaps {
    /// Reads the maps of the switches of a fabric, and what was passed over.
    ///
    /// # Errors
    /// [`FormatError`] with the place: the file is of another kind, or an entry is damaged.
    pub fn read(
        bytes: &[u8],
        source_name: &str,
        fabric: &Fabric,
    ) -> Result<(Self, Vec<ReadNote>), FormatError> {
        let text = String::from_utf8_lossy(bytes);
        let source = Source {
            name: source_name,
            text: &text,
        };
        let switches: BTreeMap<u64, SwitchId> = fabric
            .switch_ids()
            .filter_map(|id| Some((fabric.switch(id).guid?, id)))
            .collect();
        let mut passed_over = PassedOver::default();
        let mut maps = Self {
            tables: LaneTables::new(fabric, LaneKey::ServiceLevel),
            is_kept: [true; LEVELS],
            highest: [None; LEVELS],
            host: None,
        };
        let mut section: Option<Section> = None;
        for (offset, line) in lines(source.text) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with("Channel Adapter 0x") {
                section = Some(Section::Adapter);
                continue;
            }
            if line.starts_with("Router 0x") {
                section = Some(Section::Unknown);
                continue;
            }
            let named = line.strip_prefix("Switch ").unwrap_or(line);
            if named.starts_with("0x")
                && let Some(guid) = number_after(named, "0x")
            {
                let switch = switches.get(&guid).copied();
                if switch.is_none() {
                    let text = format!("switch 0x{guid:016x}");
                    passed_over.add(offset, text, "the fabric has no such switch");
                }
                section = Some(switch.map_or(Section::Unknown, Section::Switch));
                if named.len() != line.len() {
                    continue;
                }
            }
            let Some(section) = section else {
                return Err(source.unexpected(offset, start_of(line), EXPECTED));
            };
            if !line.starts_with(|c: char| c.is_ascii_digit()) {
                passed_over.add_line(offset, line);
                continue;
            }
            let (port_in, port_out, row) = row(line)
                .or_else(|| packed_row(line))
                .ok_or_else(|| no_entry(source, offset, "0 1 : 0 1 2 … (16 lanes)"))?;
            let ports = [port_in, port_out];
            match section {
                Section::Unknown => {}
                Section::Adapter => {
                    let row = lanes_of(row);
                    if *maps.host.get_or_insert(row) != row {
                        let reason = "other lanes than those of the first adapter, which count";
                        passed_over.add(offset, "lanes of adapters", reason);
                    }
                }
                Section::Switch(switch)
                    if ports.into_iter().max() > Some(fabric.switch(switch).port_count) =>
                {
                    passed_over.add(offset, line, "the switch has no such port");
                }
                Section::Switch(switch) => {
                    maps.set(fabric, switch, ports.map(PortNumber::new), row);
                }
            }
        }
        if section.is_none() {
            return Err(source.unexpected(0, "an empty file", EXPECTED));
        }
        Ok((maps, passed_over.notes(source)))
    }

    fn set(
        &mut self,
        fabric: &Fabric,
        switch: SwitchId,
        ports: [PortNumber; 2],
        lanes: [u8; LEVELS],
    ) {
        let row = lanes_of(lanes);
        for (level, (entry, lane)) in row.into_iter().zip(lanes).enumerate() {
            self.is_kept[level] &= usize::from(lane) == level;
            self.highest[level] = self.highest[level].max(entry);
        }
        self.tables.set(fabric, switch, ports, row);
    }

    /// The tables for all service levels; adapters have the lanes that the file tells, else take those that switches
    /// have in turn.
    pub(crate) fn of_all_levels(&self) -> LaneTables {
        let highest = self.highest.into_iter().flatten().max();
        let lanes = highest.map_or(0, Lane::number) + 1;
        let levels = narrow(LEVELS, "there are 16 levels");
        let mut tables = self.tables.clone().in_use(levels, lanes);
        if let Some(host) = self.host {
            tables.set_host(host);
        }
        tables
    }
}

/// What rows are of.
#[derive(Clone, Copy)]
enum Section {
    Switch(SwitchId),
    Adapter,
    /// A router, or a switch that the fabric does not have.
    Unknown,
}

/// The lanes of a row, without that which drops.
fn lanes_of(lanes: [u8; LEVELS]) -> LaneRow {
    lanes.map(|lane| (lane != DROPPED).then_some(Lane::new(lane)))
}

/// Tells whether a line is a row of ports and lanes.
pub(crate) fn is_row(line: &str) -> bool {
    row(line).or_else(|| packed_row(line)).is_some()
}

/// The ports of a row and its lanes.
fn row(line: &str) -> Option<(u8, u8, [u8; LEVELS])> {
    let (ports, lanes) = line.split_once(':')?;
    let mut ports = ports.split_whitespace().map(str::parse::<u8>);
    let (port_in, port_out) = (ports.next()?.ok()?, ports.next()?.ok()?);
    let mut row = [0; LEVELS];
    let mut words = lanes.split_whitespace();
    for lane in &mut row {
        *lane = words.next()?.parse().ok().filter(|&lane| lane <= DROPPED)?;
    }
    (ports.next().is_none() && words.next().is_none()).then_some((port_in, port_out, row))
}

/// The ports and lanes of a row that begins with its GUID and has a digit for each level.
fn packed_row(line: &str) -> Option<(u8, u8, [u8; LEVELS])> {
    let mut words = line.split_whitespace().skip(1);
    let (port_in, port_out) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let mut row = [0; LEVELS];
    for two in row.chunks_exact_mut(2) {
        let word = words.next()?.strip_prefix("0x")?;
        let digits = u8::from_str_radix(word, 16).ok()?;
        if word.len() != 2 {
            return None;
        }
        two.copy_from_slice(&[digits >> 4, digits & 15]);
    }
    words.next().is_none().then_some((port_in, port_out, row))
}
