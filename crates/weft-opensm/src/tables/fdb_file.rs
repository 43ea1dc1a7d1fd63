//! Tables by LID alone: `opensm.fdbs`, and ibdiagnet's `.fdbs`.
//!
//! ```text
//! dump_ucast_routes: Switch 0x0002c90200000001
//! LID    : Port : Hops : Optimal
//! 0x0001 : 001  : 00   : yes
//! 0x0003 : UNREACHABLE
//! ```

use super::ReadRoutes;
use super::table_entries::Entries;
use crate::text::{UNREACHABLE, lid_and_rest, lines, no_entry, number_after, port, truncated};
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatError, Source};

const EXAMPLE: &str = "0x0001 : 003  : 01   : yes";

pub(super) fn read_fdbs(source: Source<'_>, fabric: &Fabric) -> Result<ReadRoutes, FormatError> {
    let mut entries = Entries::new(source, fabric);
    let mut switch = None;
    for (offset, line) in lines(source.text) {
        if let Some(guid) = fdbs_switch(line) {
            switch = Some(entries.switch(offset, guid)?);
            continue;
        }
        if line.is_empty() || line.starts_with('#') || line.starts_with("LID") {
            continue;
        }
        if !line.starts_with("0x") {
            entries.passed_over.add_line(offset, line);
            continue;
        }
        let Some(switch) = switch else {
            let expected = "a line “dump_ucast_routes: Switch 0x…” before the first entry";
            return Err(source.unexpected(offset, "an entry of no switch", expected));
        };
        let (lid, rest) = lid_and_rest(line).ok_or_else(|| no_entry(source, offset, EXAMPLE))?;
        let fields: Vec<&str> = rest
            .split(':')
            .map(str::trim)
            .filter(|field| !field.is_empty())
            .collect();
        let port = match fields.as_slice() {
            [word, ..] if word.starts_with(UNREACHABLE) => None,
            [word, _, _, ..] => port(source, offset, word)?,
            _ => return Err(no_entry(source, offset, EXAMPLE)),
        };
        entries.enter(offset, switch, lid, None, port)?;
    }
    // Nothing but the end of the last line tells that it is whole.
    if !source.text.ends_with('\n') {
        return Err(truncated(source, source.text.len(), "the end of the file"));
    }
    entries.finish("opensm-fdbs")
}

/// The GUID of the switch that a line begins: `OpenSM` and ibdiagnet put the name of the
/// function that wrote it before, each in each version another.
pub(super) fn fdbs_switch(line: &str) -> Option<u64> {
    let line = match line.split_once(':') {
        Some((function, rest)) if function.ends_with("dump_ucast_routes") => rest,
        _ => line,
    };
    line.trim_start()
        .starts_with("Switch 0x")
        .then(|| number_after(line, "Switch 0x"))?
}
