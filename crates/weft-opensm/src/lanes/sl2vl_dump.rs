//! The lane of each service level at every switch: `opensm-sl2vl.dump`.
//!
//! ```text
//! Switch 0x0002c90200000001, base LID 2, "sw0"
//! #in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15
//! #--------------------------------------------------------
//! 0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//! ```

use crate::passed_over::PassedOver;
use crate::text::{lines, no_entry, number_after, start_of};
use std::collections::BTreeMap;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_fabric::{Fabric, PortNumber, SwitchId};
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
        };
        // The switch whose rows follow; none of an adapter's.
        let mut section: Option<Option<SwitchId>> = None;
        for (offset, line) in lines(source.text) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with("Channel Adapter 0x") || line.starts_with("Router 0x") {
                section = Some(None);
            } else if line.starts_with("Switch 0x")
                && let Some(guid) = number_after(line, "Switch 0x")
            {
                let switch = switches.get(&guid).copied();
                if switch.is_none() {
                    let text = format!("switch 0x{guid:016x}");
                    passed_over.add(offset, text, "the fabric has no such switch");
                }
                section = Some(switch);
            } else if let Some(switch) = section {
                if !line.starts_with(|c: char| c.is_ascii_digit()) {
                    passed_over.add_line(offset, line);
                    continue;
                }
                let (port_in, port_out, row) = row(line)
                    .ok_or_else(|| no_entry(source, offset, "0 1 : 0 1 2 … (16 lanes)"))?;
                let Some(switch) = switch else { continue };
                let ports = [port_in, port_out];
                if ports.into_iter().max() > Some(fabric.switch(switch).port_count) {
                    passed_over.add(offset, line, "the switch has no such port");
                } else {
                    maps.set(fabric, switch, ports.map(PortNumber::new), row);
                }
            } else {
                return Err(source.unexpected(offset, start_of(line), EXPECTED));
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
        let mut row: LaneRow = [None; LEVELS];
        for (level, (entry, lane)) in row.iter_mut().zip(lanes).enumerate() {
            *entry = (lane != DROPPED).then_some(Lane::new(lane));
            self.is_kept[level] &= usize::from(lane) == level;
            self.highest[level] = self.highest[level].max(*entry);
        }
        self.tables.set(fabric, switch, ports, row);
    }
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
