//! Which of its tables a switch looks into, by input port and service level: ibdiagnet's `.plft`.
//!
//! ```text
//! File version: 1
//! Switch 0x0002c90200000001
//! # port : table of each service level, or lane of the levels that go by it
//! 1      : 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1
//! ```

use super::gathering::{Gathering, MOST_TABLES, TableRow};
use super::group_rows::switch_and_rest;
use crate::passed_over::PassedOver;
use crate::text::{lines, no_entry, start_of};
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_routing::LaneTables;

const EXAMPLE: &str = "1 : 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 (16 tables, 0 to 7)";

/// Tells whether a line is a port with its tables.
pub(super) fn is_row(line: &str) -> bool {
    row(line).is_some()
}

/// A port and its tables.
fn row(line: &str) -> Option<(u8, TableRow)> {
    let (port, tables) = line.split_once(':')?;
    let port = port.trim().parse().ok()?;
    let mut words = tables
        .split([' ', '\t', ','])
        .filter(|word| !word.is_empty());
    let mut row = [0; LaneTables::KEYS];
    for table in &mut row {
        *table = words
            .next()?
            .parse()
            .ok()
            .filter(|&table| table < MOST_TABLES)?;
    }
    words.next().is_none().then_some((port, row))
}

/// Reads the tables of all switches.
pub(super) fn read(
    source: Source<'_>,
    gathering: &mut Gathering<'_>,
) -> Result<Vec<ReadNote>, FormatError> {
    let mut passed_over = PassedOver::default();
    let mut at = None;
    for (offset, line) in lines(source.text) {
        if line.is_empty() || line.starts_with('#') || line.starts_with("File version:") {
            continue;
        }
        if let Some((guid, _)) = switch_and_rest(line) {
            at = Some(gathering.switch_of(source, offset, guid, &mut passed_over)?);
        } else {
            // What is arranged otherwise would be read in part.
            let Some(switch) = at else {
                let expected = "a line “Switch 0x…” before the first port";
                return Err(source.unexpected(offset, start_of(line), expected));
            };
            let (port, row) = row(line).ok_or_else(|| no_entry(source, offset, EXAMPLE))?;
            let Some(switch) = switch else { continue };
            if port > gathering.port_count(switch) {
                let text = "ports that their switch does not have";
                passed_over.add(offset, text, "there is nothing to look up for them");
            } else if !gathering.set_table_row(switch, port, row) {
                let text = "ports of switches with fewer tables";
                let reason =
                    "the file of groups does not have them; packets that are looked up there end";
                passed_over.tell(offset, text, reason);
            }
        }
    }
    crate::text::unless_cut(source)?;
    Ok(passed_over.notes(source))
}
