//! Which file of routes a text is, found from what stands in it.

use super::group_rows::{is_groups_heading, is_lids_heading, switch_and_rest};
use super::lane_switching::levels_of;
use super::private_tables::is_row as is_row_of_tables;
use crate::lanes::sl2vl_dump::is_row as is_row_of_lanes;
use crate::tables::lft_dump::LFTS_START;
use crate::text::lines;

/// What a file of routes tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutesFileKind {
    /// Tables by LID, with or without GUIDs: `opensm-lfts.dump`, `.fdbs`.
    StaticTables,
    /// Groups of ports that switches choose among: `.far`, `.ar`.
    GroupTables,
    /// Which of several tables: `.plft`.
    PrivateTables,
    /// The service levels that go by lanes: `.vl2vl`.
    LaneSwitching,
    /// Lanes by service level: `.slvl`, `opensm-sl2vl.dump`.
    LaneMaps,
}

/// Lines after the first switch by which the kind is told; then they are entries.
const LOOKED_AT: usize = 64;

/// The kind of a file of routes, found from its first lines; `None` where it is none of them, or has no entries.
pub fn routes_file_kind(bytes: &[u8]) -> Option<RoutesFileKind> {
    let text = String::from_utf8_lossy(bytes);
    kind_of(&text)
}

pub(crate) fn kind_of(text: &str) -> Option<RoutesFileKind> {
    let mut in_switch = None;
    for (_, line) in lines(text) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(LFTS_START) {
            return Some(RoutesFileKind::StaticTables);
        }
        if switch_and_rest(line).is_some() {
            in_switch.get_or_insert(0);
            continue;
        }
        let is_packed_row = line.starts_with("0x") && is_row_of_lanes(line);
        let Some(count) = &mut in_switch else {
            if is_packed_row {
                return Some(RoutesFileKind::LaneMaps);
            }
            continue;
        };
        *count += 1;
        if is_groups_heading(line) || is_lids_heading(line) {
            return Some(RoutesFileKind::GroupTables);
        }
        if is_packed_row || is_row_of_lanes(line) {
            return Some(RoutesFileKind::LaneMaps);
        }
        if line.starts_with("0x") {
            return Some(RoutesFileKind::StaticTables);
        }
        if is_row_of_tables(line) {
            return Some(RoutesFileKind::PrivateTables);
        }
        if levels_of(line).is_some() {
            return Some(RoutesFileKind::LaneSwitching);
        }
        if *count == LOOKED_AT {
            break;
        }
    }
    None
}
