//! Exported tables compared, entry by entry: with those before them, and with what switches have.

use std::collections::BTreeMap;
use std::fmt::Write;

/// How the lines of a switch begin.
const HEADING: &str = "Unicast lids ";
/// What stands before the GUID of a switch, and of a destination.
const OF_SWITCH: &str = " guid 0x";
const OF_PORT: &str = " portguid 0x";
/// Hexadecimal digits of a GUID and a LID, and decimal ones of a port, as exports write them.
const GUID_DIGITS: usize = 16;
const LID_DIGITS: usize = 4;
const PORT_DIGITS: usize = 3;
/// LIDs there can be, all of four digits.
const LIDS: usize = 1 << 16;
/// No entry.
const NONE: u32 = u32::MAX;

/// `dump_fts` asks for so many entries at once, and leaves out the last of a switch where it would begin
/// as many others.
const ASKED_AT_ONCE: u64 = 64;

/// What a LID leads to: the GUID of a port, and which of its LIDs.
type Goal = (u64, u16);

/// Leaves out of exported tables the entries that others, exported before, lack or lead elsewhere.
///
/// Destinations are known by the GUIDs of their ports, whatever LIDs they have in either. What is no
/// exported table has no entries.
///
/// # Complexity
/// Time in proportion to the lines.
pub fn cleared_tables(before: &str, after: &str) -> String {
    let (before, after) = (Tables::of(before), Tables::of(after));
    let old_lid = same_goal(&after.goals(), &before.goals());
    let blocks = before.by_guid();
    let mut cleared = String::with_capacity(after.length);
    let mut ports = before.ports();
    for block in &after.blocks {
        note(&mut ports, blocks.get(&block.guid).copied());
        cleared.push_str(block.heading);
        let mut count = 0_usize;
        for entry in block.entries() {
            if old_lid[entry.lid].is_some_and(|lid| ports[lid] == entry.port) {
                cleared.push_str(entry.line);
                count += 1;
            }
        }
        // Writing to a text does not fail.
        let _ = writeln!(cleared, "{count} lids dumped");
    }
    cleared
}

/// Counts the entries of switches, as `dump_fts` prints them, that are not those of exported tables.
///
/// # Complexity
/// Time in proportion to the lines.
pub fn differing_entries(given: &str, found: &str) -> usize {
    let (given, found) = (Tables::of(given), Tables::of(found));
    let (given_goals, found_goals) = (given.goals(), found.goals());
    let found_lid = same_goal(&given_goals, &found_goals);
    let given_lid = same_goal(&found_goals, &given_goals);
    let found_blocks = found.by_guid();
    let mut tops = found.blocks.iter().filter_map(|block| top(block.heading));
    let is_one_left_out = tops.any(|top| top % ASKED_AT_ONCE == 0);
    let (mut count, mut lacking) = (0, vec![0_usize; LIDS]);
    let (mut ports, mut others) = (found.ports(), given.ports());
    for block in &given.blocks {
        let loaded = found_blocks.get(&block.guid).copied();
        note(&mut ports, loaded);
        note(&mut others, Some(block));
        for entry in block.entries() {
            let port = found_lid[entry.lid].map_or(NONE, |lid| ports[lid]);
            count += usize::from(port != entry.port);
            lacking[entry.lid] += usize::from(port == NONE);
        }
        for entry in loaded.into_iter().flat_map(Block::entries) {
            let is_given = given_lid[entry.lid].is_some_and(|lid| others[lid] != NONE);
            count += usize::from(!is_given);
        }
    }
    // What all lack is the entry that was left out, if it is one.
    let switches = given.blocks.len();
    let mut by_all = lacking.iter().filter(|&&by| by == switches && by > 0);
    match (is_one_left_out, by_all.next(), by_all.next()) {
        (true, Some(_), None) => count - switches,
        _ => count,
    }
}

/// An entry of a switch.
struct Entry<'a> {
    lid: usize,
    port: u32,
    line: &'a str,
}

/// The lines of a switch.
struct Block<'a> {
    guid: u64,
    heading: &'a str,
    lines: &'a str,
}

impl<'a> Block<'a> {
    fn entries(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let lines = self.lines.split_inclusive('\n');
        lines.filter_map(Entry::of)
    }
}

/// The lines of all switches.
struct Tables<'a> {
    length: usize,
    blocks: Vec<Block<'a>>,
    /// Per LID: the GUID of its port.
    guids: Vec<Option<u64>>,
}

impl<'a> Tables<'a> {
    fn of(text: &'a str) -> Self {
        let mut blocks: Vec<Block<'a>> = Vec::new();
        let mut guids = vec![None; LIDS];
        let (mut at, mut start) = (0, 0);
        for line in text.split_inclusive('\n') {
            if let Some(entry) = Entry::of(line) {
                if guids[entry.lid].is_none() {
                    guids[entry.lid] = guid_after(entry.line, OF_PORT);
                }
            } else if line.starts_with(HEADING) {
                if let Some(block) = blocks.last_mut() {
                    block.lines = &text[start..at];
                }
                start = at + line.len();
                blocks.push(Block {
                    // No switch has GUID 0.
                    guid: guid_after(line, OF_SWITCH).unwrap_or(0),
                    heading: line,
                    lines: "",
                });
            }
            at += line.len();
        }
        if let Some(block) = blocks.last_mut() {
            block.lines = &text[start..];
        }
        Self {
            length: text.len(),
            blocks,
            guids,
        }
    }

    /// Room for the port of every LID there is.
    fn ports(&self) -> Vec<u32> {
        let last = self.guids.iter().rposition(Option::is_some);
        vec![NONE; last.map_or(0, |last| last + 1)]
    }

    fn by_guid(&self) -> BTreeMap<u64, &Block<'a>> {
        let blocks = self.blocks.iter();
        blocks.map(|block| (block.guid, block)).collect()
    }

    /// What each LID leads to.
    fn goals(&self) -> Vec<Option<Goal>> {
        let mut firsts: BTreeMap<u64, usize> = BTreeMap::new();
        let places = self.guids.iter().enumerate();
        places
            .map(|(lid, guid)| {
                let guid = (*guid)?;
                let first = *firsts.entry(guid).or_insert(lid);
                Some((guid, u16::try_from(lid - first).ok()?))
            })
            .collect()
    }
}

impl<'a> Entry<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let digits = line.as_bytes();
        let lid = number(digits.get(2..2 + LID_DIGITS)?, 16)?;
        let port = number(
            digits.get(3 + LID_DIGITS..3 + LID_DIGITS + PORT_DIGITS)?,
            10,
        )?;
        Some(Self {
            lid: usize::try_from(lid).ok()?,
            port: u32::try_from(port).ok()?,
            line,
        })
    }
}

/// Notes the ports of a switch in place of those of another, by LID.
fn note(ports: &mut [u32], block: Option<&Block<'_>>) {
    ports.fill(NONE);
    for entry in block.into_iter().flat_map(Block::entries) {
        // An entry that names no port leads to nothing that is known.
        if let Some(port) = ports.get_mut(entry.lid) {
            *port = entry.port;
        }
    }
}

/// The last LID of a switch, as the heading of `dump_fts` has it.
fn top(heading: &str) -> Option<u64> {
    let (range, _) = heading.split_once(']')?;
    let (_, digits) = range.rsplit_once("0x")?;
    number(digits.as_bytes(), 16)
}

/// Per LID: that of the same destination in another file.
fn same_goal(from: &[Option<Goal>], to: &[Option<Goal>]) -> Vec<Option<usize>> {
    let lids = to.iter().enumerate();
    let lids: BTreeMap<Goal, usize> = lids
        .filter_map(|(lid, goal)| Some(((*goal)?, lid)))
        .collect();
    let lid = |goal: &Option<Goal>| goal.and_then(|goal| lids.get(&goal).copied());
    from.iter().map(lid).collect()
}

fn guid_after(line: &str, mark: &str) -> Option<u64> {
    let (_, rest) = line.split_once(mark)?;
    number(rest.as_bytes().get(..GUID_DIGITS)?, 16)
}

fn number(digits: &[u8], radix: u8) -> Option<u64> {
    digits.iter().try_fold(0_u64, |sum, &digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        (value < radix).then(|| sum * u64::from(radix) + u64::from(value))
    })
}

#[cfg(test)]
mod tests {
    use super::{cleared_tables, differing_entries};

    fn switch(guid: u64, entries: &[(u16, u8, u64)]) -> String {
        use std::fmt::Write;
        let mut text = format!("Unicast lids [0-9] of switch Lid 1 guid 0x{guid:016x} ('s'):\n");
        for (lid, port, to) in entries {
            writeln!(text, "0x{lid:04x} {port:03} portguid 0x{to:016x}").unwrap();
        }
        writeln!(text, "{} lids dumped", entries.len()).unwrap();
        text
    }

    #[test]
    fn what_both_say_stays_by_whatever_lid() {
        // Port 0x30 has two LIDs, and all LIDs are others in the new tables.
        let before = switch(1, &[(2, 1, 0x20), (4, 2, 0x30), (5, 3, 0x30), (6, 4, 0x40)])
            + &switch(2, &[(2, 1, 0x20)]);
        let after = switch(3, &[(3, 7, 0x20)])
            + &switch(
                1,
                &[(3, 1, 0x20), (8, 2, 0x30), (9, 4, 0x30), (10, 4, 0x50)],
            );
        let cleared = cleared_tables(&before, &after);
        assert_eq!(
            cleared,
            switch(3, &[]) + &switch(1, &[(3, 1, 0x20), (8, 2, 0x30)])
        );
        let same = cleared_tables(&before, &before);
        assert_eq!(same, before);
    }

    #[test]
    fn entries_of_switches_are_counted_that_are_not_those_given() {
        let given = switch(1, &[(2, 1, 0x20), (3, 2, 0x30)]) + &switch(2, &[(2, 1, 0x20)]);
        let count = |found: String| differing_entries(&given, &found);
        assert_eq!(count(given.clone()), 0);
        // Other LIDs are no difference, another port is, and so is what is missing or too much.
        let moved = switch(1, &[(7, 1, 0x20), (8, 2, 0x30)]);
        assert_eq!(count(moved.clone() + &switch(2, &[(7, 1, 0x20)])), 0);
        assert_eq!(count(moved.clone() + &switch(2, &[(7, 3, 0x20)])), 1);
        assert_eq!(count(moved.clone() + &switch(2, &[])), 1);
        assert_eq!(count(moved.clone()), 1);
        assert_eq!(count(moved + &switch(2, &[(7, 1, 0x20), (8, 1, 0x30)])), 1);
    }

    #[test]
    fn the_last_entry_may_be_left_out_where_the_program_does_so() {
        let given = switch(1, &[(63, 1, 0x20), (64, 2, 0x30)]) + &switch(2, &[(64, 1, 0x30)]);
        let found = switch(1, &[(63, 1, 0x20)]) + &switch(2, &[]);
        let count = |top: &str| {
            let found = found.replace("[0-9]", &format!("[0x0-0x{top}]"));
            differing_entries(&given, &found)
        };
        assert_eq!((count("40"), count("41")), (0, 2));
        // Where one switch has it, the other lacks it.
        let given = switch(1, &[(64, 2, 0x30)]) + &switch(2, &[(64, 1, 0x30)]);
        let found = switch(1, &[(64, 2, 0x30)]) + &switch(2, &[]);
        let found = found.replace("[0-9]", "[0x0-0x40]");
        assert_eq!(differing_entries(&given, &found), 1);
    }

    #[test]
    fn what_is_no_table_has_no_entries() {
        let table = switch(1, &[(2, 1, 0x20)]);
        assert_eq!(cleared_tables("0x", &table), switch(1, &[]));
        assert_eq!(cleared_tables(&table, "é\n0x0 1\n0x00é1 001\n"), "");
    }
}
