//! From the file to lane tables.

use super::read::{Document, Reader};
use crate::form::{Lane, LaneKey, LaneRow, LaneTables};
use serde_json::value::RawValue;
use weft_fabric::formats::FormatError;
use weft_fabric::{PortNumber, SwitchId};

impl<'a> Reader<'a> {
    pub(super) fn lane_tables(
        &self,
        document: &Document<'a>,
        part: &'a RawValue,
    ) -> Result<LaneTables, FormatError> {
        let key = match document.lane_key.map(|key| (key, key.get().trim())) {
            Some((_, "\"service_level\"")) => LaneKey::ServiceLevel,
            Some((_, "\"incoming_lane\"")) => LaneKey::IncomingLane,
            other => {
                let at = other.map_or(part, |(key, _)| key);
                let found = other.map_or("no “lane_key”", |(_, text)| text);
                return Err(self.refuse(at, found, "“service_level” or “incoming_lane”"));
            }
        };
        let mut tables = LaneTables::new(self.fabric, key);
        if let Some(part) = document.host_lanes {
            tables.set_host(self.lane_row(part)?);
        }
        let lines = self.rows(part, self.fabric.switch_count(), "switch")?;
        for (switch, line) in self.fabric.switch_ids().zip(lines) {
            let entries: Vec<&RawValue> = self.json.parse(line.get())?;
            for (place, entry) in entries.into_iter().enumerate() {
                self.lane_entry(&mut tables, switch, entry, place == 0)?;
            }
        }
        Ok(tables)
    }

    fn lane_entry(
        &self,
        tables: &mut LaneTables,
        switch: SwitchId,
        entry: &'a RawValue,
        is_first: bool,
    ) -> Result<(), FormatError> {
        let (input, output, row): (u8, u8, &RawValue) = self.json.parse(entry.get())?;
        let row = self.lane_row(row)?;
        let most = self.fabric.switch(switch).port_count;
        match [input, output] {
            [0, 0] if is_first => tables.set_switch(switch, row),
            ports if ports != [0, 0] && ports.iter().all(|&port| port <= most) => {
                tables.set(self.fabric, switch, ports.map(PortNumber::new), row);
            }
            _ => {
                let found = format!("ports {input} and {output}");
                let expected = format!(
                    "0 and 0 for all, in the first entry of a switch alone, or two from 0 to {most}"
                );
                return Err(self.refuse(entry, found, expected));
            }
        }
        Ok(())
    }

    fn lane_row(&self, part: &'a RawValue) -> Result<LaneRow, FormatError> {
        let lanes: Vec<Option<u8>> = self.json.parse(part.get())?;
        let mut row = [None; LaneTables::KEYS];
        if lanes.len() != row.len() {
            let found = format!("{} lanes", lanes.len());
            return Err(self.refuse(part, found, format!("{}, or null for none", row.len())));
        }
        for (place, lane) in row.iter_mut().zip(lanes) {
            if let Some(lane) = lane.filter(|&lane| usize::from(lane) >= LaneTables::KEYS) {
                let expected = format!("0 to {}", LaneTables::KEYS - 1);
                return Err(self.refuse(part, format!("lane {lane}"), expected));
            }
            *place = lane.map(Lane::new);
        }
        Ok(row)
    }
}
