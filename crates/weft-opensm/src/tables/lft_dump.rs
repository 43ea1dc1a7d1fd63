//! Tables by LID with GUIDs, as `OpenSM` dumps and loads them and `dump_fts` and `ibroute` print them.
//!
//! ```text
//! Unicast lids [0-6] of switch Lid 2 guid 0x0002c90200000001 ('sw0'):
//! 0x0001 001 # Channel Adapter portguid 0x0002c90300000003: 'host0 HCA-1'
//! 0x0002 000 # Switch portguid 0x0002c90200000001: 'sw0'
//! 2 lids dumped
//! ```

use super::ReadRoutes;
use super::table_entries::Entries;
use crate::export::LEFT_OUT_FROM;
use crate::text::{lid_and_rest, lines, no_entry, number_after, port, truncated};
use std::collections::BTreeSet;
use weft_fabric::formats::{FormatError, Source};
use weft_fabric::{Fabric, SwitchId};

/// How the lines of a switch begin.
pub(crate) const LFTS_START: &str = "Unicast lids";
/// How the headings go on that `dump_fts` and `ibroute` print above the entries.
const HEADINGS: [&str; 2] = ["Lid  Out", "Port     Info"];

/// LIDs of a block of a switch's table.
const BLOCK: u16 = 64;

/// The lines of one switch.
struct Block {
    switch: SwitchId,
    entries: usize,
}

pub(crate) fn read_lfts(source: Source<'_>, fabric: &Fabric) -> Result<ReadRoutes, FormatError> {
    let mut entries = Entries::new(source, fabric);
    let mut block: Option<Block> = None;
    let mut closed = 0_usize;
    // Where the headings of `dump_fts` are, and the LIDs that all of them end with.
    let mut printed: Option<(usize, BTreeSet<u16>)> = None;
    for (offset, line) in lines(source.text) {
        if line.starts_with(LFTS_START) {
            if block.is_some() && closed > 0 {
                return Err(truncated(source, offset, "the next switch"));
            }
            if let Some(last) = last_printed(line) {
                let (_, lasts) = printed.get_or_insert_with(|| (offset, BTreeSet::new()));
                lasts.insert(last);
                entries.expect_left_out(last);
            }
            block = Some(Block {
                switch: entries.switch(offset, switch_guid(source, offset, line)?)?,
                entries: 0,
            });
        } else if let Some(count) = line.strip_suffix("lids dumped") {
            let Some(ended) = block.take() else {
                let found = "the end of a switch";
                return Err(source.unexpected(offset, found, "its beginning"));
            };
            check_count(source, offset, count, ended.entries)?;
            closed += 1;
        } else if line.starts_with("0x") {
            let Some(block) = &mut block else {
                let expected = "a line that begins with “Unicast lids” before the first entry";
                return Err(source.unexpected(offset, "an entry of no switch", expected));
            };
            block.entries += 1;
            enter(source, &mut entries, block.switch, offset, line)?;
        } else if !is_blank(line) {
            entries.passed_over.add_line(offset, line);
        }
    }
    if block.is_some() && closed > 0 {
        let end = source.text.trim_end().len();
        return Err(truncated(source, end, "the end of the file"));
    }
    let is_printed = printed.is_some();
    if let Some((offset, lasts)) = printed
        && let Some(&last) = lasts.last()
        && last.is_multiple_of(BLOCK)
    {
        let reason = "`dump_fts` leaves out a last LID that is a multiple of 64";
        entries.complete(offset, last, reason);
    }
    if is_printed {
        entries.check_high_ports(
            LEFT_OUT_FROM,
            "these entries, too, which `dump_fts` leaves out in releases such as 44 of infiniband-diags; print \
             them by `dump_fts -a`, or give the opensm-lfts.dump of OpenSM",
        )?;
    }
    entries.finish("opensm-lfts")
}

/// The last LID of a switch by a heading of `dump_fts`, which `OpenSM` writes in decimal.
fn last_printed(heading: &str) -> Option<u16> {
    let (range, _) = heading.split_once('[')?.1.split_once(']')?;
    let (_, last) = range.split_once("-0x")?;
    u16::from_str_radix(last, 16).ok()
}

/// Compares the entries of a switch with the line after them. `dump_fts` counts them there,
/// `OpenSM` the LIDs there could be.
fn check_count(
    source: Source<'_>,
    offset: usize,
    said: &str,
    entries: usize,
) -> Result<(), FormatError> {
    let said = said.trim();
    let (count, is_exact) = match said.strip_suffix("valid") {
        Some(count) => (count.trim(), true),
        None => (said, false),
    };
    let fits = count
        .parse()
        .is_ok_and(|count: usize| entries == count || (entries < count && !is_exact));
    if fits {
        return Ok(());
    }
    let found = format!("{entries} entries");
    let most = if is_exact { "" } else { " at most" };
    let expected = format!("{count}{most}, as the line after them says; copy the file in full");
    Err(source.unexpected(offset, found, expected))
}

/// Tells whether a line says nothing, as comments and headings do.
fn is_blank(line: &str) -> bool {
    line.is_empty() || line.starts_with('#') || HEADINGS.iter().any(|h| line.starts_with(h))
}

fn switch_guid(source: Source<'_>, offset: usize, line: &str) -> Result<u64, FormatError> {
    number_after(line, " guid 0x").ok_or_else(|| {
        let found = "a switch without GUID";
        source.unexpected(offset, found, "“guid 0x…” after it")
    })
}

/// Takes an entry.
fn enter(
    source: Source<'_>,
    entries: &mut Entries<'_>,
    switch: SwitchId,
    offset: usize,
    line: &str,
) -> Result<(), FormatError> {
    let (lid, rest) = lid_and_rest(line)
        .ok_or_else(|| no_entry(source, offset, "0x0001 003 # … portguid 0x…"))?;
    let word = rest.split_whitespace().next().unwrap_or("");
    let port = port(source, offset, word)?;
    let guid = number_after(rest, "portguid 0x");
    entries.enter(offset, switch, lid, guid, port)
}
