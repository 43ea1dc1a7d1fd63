//! Service levels that a switch looks up by the lane they came on: ibdiagnet's `.vl2vl`.
//!
//! ```text
//! File version: 1
//! Switch 0x0002c90200000001
//! SLs by VL: 0, 1, 2, 3
//! ```

use super::gathering::Gathering;
use super::group_rows::switch_and_rest;
use crate::passed_over::PassedOver;
use crate::text::{lines, no_entry, start_of};
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_routing::LaneTables;

/// What stands before the levels.
pub(super) const LEVELS_START: &str = "SLs by VL:";
const EXAMPLE: &str = "SLs by VL: 0, 1, 2, 3 (or none)";

/// The service levels that a line lists, one bit each.
pub(super) fn levels_of(line: &str) -> Option<u16> {
    let list = line.strip_prefix(LEVELS_START)?.trim();
    if list == "none" {
        return Some(0);
    }
    let mut levels = 0_u16;
    for word in list.split([',', ' ']).filter(|word| !word.is_empty()) {
        let level: u8 = word.parse().ok()?;
        if usize::from(level) >= LaneTables::KEYS {
            return None;
        }
        levels |= 1 << level;
    }
    Some(levels)
}

/// Reads the levels of all switches.
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
            continue;
        }
        let levels = levels_of(line).ok_or_else(|| no_entry(source, offset, EXAMPLE))?;
        match at {
            Some(Some(switch)) => gathering.set_levels_by_lane(switch, levels),
            Some(None) => {}
            None => {
                let expected = "a line “Switch 0x…” before the first levels";
                return Err(source.unexpected(offset, start_of(line), expected));
            }
        }
    }
    crate::text::unless_cut(source)?;
    Ok(passed_over.notes(source))
}
