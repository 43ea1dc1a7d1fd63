//! Tables by LID alone: `opensm.fdbs`, and ibdiagnet's `.fdbs`.
//!
//! ```text
//! dump_ucast_routes: Switch 0x0002c90200000001
//! LID    : Port : Hops : Optimal
//! 0x0001 : 001  : 00   : yes
//! 0x0003 : UNREACHABLE
//! ```
//!
//! Newer ibdiagnets put `PLFT_NUM: 0` before the entries of each table of a switch.

use super::ReadRoutes;
use super::table_entries::Entries;
use crate::text::{UNREACHABLE, lid_and_rest, lines, no_entry, number_after, port, truncated};
use weft_fabric::Fabric;
use weft_fabric::formats::{FormatError, Source};

const EXAMPLE: &str = "0x0001 : 003  : 01   : yes";

/// A line of such a file.
pub(crate) enum FdbRow<'a> {
    /// The GUID of the switch whose entries follow.
    Switch(u64),
    /// The number of the table whose entries follow.
    Table(u8),
    /// A LID, and the port where it leads anywhere.
    Entry(u16, Option<u8>),
    /// What is none of these.
    Other(&'a str),
}

/// Gives all lines that say something, each with its place.
pub(crate) fn each_row<'a>(
    source: Source<'a>,
    mut take: impl FnMut(usize, FdbRow<'a>) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    let mut is_in_switch = false;
    for (offset, line) in lines(source.text) {
        let row = if let Some(guid) = fdbs_switch(line) {
            is_in_switch = true;
            FdbRow::Switch(guid)
        } else if line.is_empty() || line.starts_with('#') || line.starts_with("LID") {
            continue;
        } else if let Some(table) = line.strip_prefix("PLFT_NUM:") {
            let number = table.split(',').next().map(str::trim);
            let number = number.and_then(|number| number.parse().ok());
            FdbRow::Table(number.ok_or_else(|| no_entry(source, offset, "PLFT_NUM: 0"))?)
        } else if !line.starts_with("0x") {
            FdbRow::Other(line)
        } else if !is_in_switch {
            let expected = "a line “dump_ucast_routes: Switch 0x…” before the first entry";
            return Err(source.unexpected(offset, "an entry of no switch", expected));
        } else {
            entry(source, offset, line)?
        };
        take(offset, row)?;
    }
    // Nothing but the end of the last line tells that it is whole.
    if !source.text.ends_with('\n') {
        return Err(truncated(source, source.text.len(), "the end of the file"));
    }
    Ok(())
}

fn entry<'a>(source: Source<'_>, offset: usize, line: &str) -> Result<FdbRow<'a>, FormatError> {
    let (lid, rest) = lid_and_rest(line).ok_or_else(|| no_entry(source, offset, EXAMPLE))?;
    let mut fields = rest.split(':').map(str::trim);
    let mut fields = fields.by_ref().filter(|field| !field.is_empty());
    let port = match (fields.next(), fields.nth(1)) {
        (Some(word), _) if word.starts_with(UNREACHABLE) => None,
        (Some(word), Some(_)) => port(source, offset, word)?,
        _ => return Err(no_entry(source, offset, EXAMPLE)),
    };
    Ok(FdbRow::Entry(lid, port))
}

pub(crate) fn read_fdbs(source: Source<'_>, fabric: &Fabric) -> Result<ReadRoutes, FormatError> {
    let mut entries = Entries::new(source, fabric);
    let (mut switch, mut table) = (None, 0);
    each_row(source, |offset, row| {
        match row {
            FdbRow::Switch(guid) => {
                switch = Some(entries.switch(offset, guid)?);
                table = 0;
            }
            FdbRow::Table(number) => {
                table = number;
                if number > 0 {
                    let text = "private tables of switches";
                    let reason = "which packets are looked up in them a .plft file tells; give the \
                                  folder";
                    entries.passed_over.add(offset, text, reason);
                }
            }
            FdbRow::Entry(lid, port) => {
                if let (Some(switch), 0) = (switch, table) {
                    entries.enter(offset, switch, lid, None, port)?;
                }
            }
            FdbRow::Other(line) => entries.passed_over.add_line(offset, line),
        }
        Ok(())
    })?;
    entries.finish("opensm-fdbs")
}

/// The GUID of the switch that a line begins: `OpenSM` and ibdiagnet put the name of the
/// function that wrote it before, each in each version another.
fn fdbs_switch(line: &str) -> Option<u64> {
    let line = match line.split_once(':') {
        Some((function, rest)) if function.ends_with("dump_ucast_routes") => rest,
        _ => line,
    };
    line.trim_start()
        .starts_with("Switch 0x")
        .then(|| number_after(line, "Switch 0x"))?
}
