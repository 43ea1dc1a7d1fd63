//! Exported tables compared, entry by entry: with those before them, and with what switches have.

use std::collections::HashMap;

/// How the lines of a switch begin.
const HEADING: &[u8] = b"Unicast lids ";
/// What stands before the GUID of a switch, and of a destination.
const OF_SWITCH: &[u8] = b" guid 0x";
const OF_PORT: &[u8] = b" portguid 0x";
/// Hexadecimal digits of a GUID and a LID, and decimal ones of a port, as exports write them.
const GUID_DIGITS: usize = 16;
const LID_DIGITS: usize = 4;
const PORT_DIGITS: usize = 3;
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
pub fn cleared_tables(before: &[u8], after: &[u8]) -> Vec<u8> {
    let old_lid = same_goal(&goals(after), &goals(before));
    let blocks: HashMap<u64, &[u8]> = blocks(before).collect();
    let mut cleared = Vec::with_capacity(after.len());
    let mut ports = vec![NONE; LIDS];
    for (guid, block) in self::blocks(after) {
        let old = blocks.get(&guid).copied().unwrap_or_default();
        for entry in entries(old) {
            ports[entry.lid] = entry.port;
        }
        cleared.extend_from_slice(lines(block).next().unwrap_or_default());
        let mut count = 0_usize;
        for entry in entries(block) {
            if old_lid[entry.lid].is_some_and(|lid| ports[lid] == entry.port) {
                cleared.extend_from_slice(entry.line);
                count += 1;
            }
        }
        cleared.extend_from_slice(format!("{count} lids dumped\n").as_bytes());
        for entry in entries(old) {
            ports[entry.lid] = NONE;
        }
    }
    cleared
}

/// Counts the entries of switches, as `dump_fts` prints them, that are not those of exported tables.
///
/// # Complexity
/// Time in proportion to the lines.
pub fn differing_entries(given: &[u8], found: &[u8]) -> usize {
    let (given_goals, found_goals) = (goals(given), goals(found));
    let found_lid = same_goal(&given_goals, &found_goals);
    let given_lid = same_goal(&found_goals, &given_goals);
    let found_blocks: HashMap<u64, &[u8]> = blocks(found).collect();
    let is_one_left_out = lines(found)
        .filter(|line| line.starts_with(HEADING))
        .filter_map(top)
        .any(|top| top % ASKED_AT_ONCE == 0);
    let (mut count, mut lacking) = (0, vec![0_usize; LIDS]);
    let (mut ports, mut others) = (vec![NONE; LIDS], vec![NONE; LIDS]);
    let mut switches = 0;
    for (guid, block) in blocks(given) {
        switches += 1;
        let loaded = found_blocks.get(&guid).copied().unwrap_or_default();
        for entry in entries(loaded) {
            ports[entry.lid] = entry.port;
        }
        for entry in entries(block) {
            others[entry.lid] = entry.port;
            let port = found_lid[entry.lid].map_or(NONE, |lid| ports[lid]);
            count += usize::from(port != entry.port);
            lacking[entry.lid] += usize::from(port == NONE);
        }
        for entry in entries(loaded) {
            let is_given = given_lid[entry.lid].is_some_and(|lid| others[lid] != NONE);
            count += usize::from(!is_given);
            ports[entry.lid] = NONE;
        }
        for entry in entries(block) {
            others[entry.lid] = NONE;
        }
    }
    // What all lack is the entry that was left out, if it is one.
    let mut by_all = lacking.iter().filter(|&&by| by == switches && by > 0);
    match (is_one_left_out, by_all.next(), by_all.next()) {
        (true, Some(_), None) => count - switches,
        _ => count,
    }
}

/// The last LID of a switch, as the heading of `dump_fts` has it.
fn top(heading: &[u8]) -> Option<u64> {
    let rest = &heading[HEADING.len()..];
    let end = rest.iter().position(|&byte| byte == b']')?;
    let start = rest[..end].iter().rposition(|&byte| byte == b'x')? + 1;
    number(&rest[start..end], 16)
}

/// Per LID: that of the same destination in another file.
fn same_goal(from: &[Option<Goal>], to: &[Option<Goal>]) -> Vec<Option<usize>> {
    let lids = to.iter().enumerate();
    let lids: HashMap<Goal, usize> = lids
        .filter_map(|(lid, goal)| Some(((*goal)?, lid)))
        .collect();
    let lid = |goal: &Option<Goal>| goal.and_then(|goal| lids.get(&goal).copied());
    from.iter().map(lid).collect()
}

/// An entry of a switch.
struct Entry<'a> {
    lid: usize,
    port: u32,
    line: &'a [u8],
}

/// The lines with their ends.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

fn entries(block: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    lines(block).filter_map(|line| {
        let rest = line.strip_prefix(b"0x")?;
        let (lid, rest) = rest.split_at_checked(LID_DIGITS)?;
        let port = rest.strip_prefix(b" ")?.get(..PORT_DIGITS)?;
        Some(Entry {
            lid: usize::try_from(number(lid, 16)?).ok()?,
            port: u32::try_from(number(port, 10)?).ok()?,
            line,
        })
    })
}

/// The GUID of each switch, with its lines.
fn blocks(text: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = heading(rest)?;
        let inside = &rest[start..];
        let end = heading(&inside[HEADING.len()..]).map_or(inside.len(), |at| HEADING.len() + at);
        let (block, after) = inside.split_at(end);
        rest = after;
        Some(block)
    })
    .filter_map(|block| Some((guid_after(lines(block).next()?, OF_SWITCH)?, block)))
}

/// Where the next switch begins.
fn heading(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    for line in lines(text) {
        if line.starts_with(HEADING) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// What each LID leads to.
fn goals(text: &[u8]) -> Vec<Option<Goal>> {
    let mut guids: Vec<Option<u64>> = vec![None; LIDS];
    for entry in entries(text) {
        if guids[entry.lid].is_none() {
            guids[entry.lid] = guid_after(entry.line, OF_PORT);
        }
    }
    let mut firsts: HashMap<u64, usize> = HashMap::new();
    let places = guids.iter().enumerate();
    places
        .map(|(lid, guid)| {
            let guid = (*guid)?;
            let first = *firsts.entry(guid).or_insert(lid);
            Some((guid, u16::try_from(lid - first).ok()?))
        })
        .collect()
}

fn guid_after(line: &[u8], mark: &[u8]) -> Option<u64> {
    let at = line.windows(mark.len()).position(|part| part == mark)? + mark.len();
    number(line.get(at..at + GUID_DIGITS)?, 16)
}

fn number(digits: &[u8], radix: u32) -> Option<u64> {
    digits.iter().try_fold(0_u64, |sum, &digit| {
        let digit = char::from(digit).to_digit(radix)?;
        Some(sum * u64::from(radix) + u64::from(digit))
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
        let cleared = String::from_utf8(cleared_tables(before.as_bytes(), after.as_bytes()));
        assert_eq!(
            cleared.unwrap(),
            switch(3, &[]) + &switch(1, &[(3, 1, 0x20), (8, 2, 0x30)])
        );
        let same = cleared_tables(before.as_bytes(), before.as_bytes());
        assert_eq!(same, before.as_bytes());
    }

    #[test]
    fn entries_of_switches_are_counted_that_are_not_those_given() {
        let given = switch(1, &[(2, 1, 0x20), (3, 2, 0x30)]) + &switch(2, &[(2, 1, 0x20)]);
        let count = |found: String| differing_entries(given.as_bytes(), found.as_bytes());
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
            differing_entries(given.as_bytes(), found.as_bytes())
        };
        assert_eq!((count("40"), count("41")), (0, 2));
        // Where one switch has it, the other lacks it.
        let given = switch(1, &[(64, 2, 0x30)]) + &switch(2, &[(64, 1, 0x30)]);
        let found = switch(1, &[(64, 2, 0x30)]) + &switch(2, &[]);
        let found = found.replace("[0-9]", "[0x0-0x40]");
        assert_eq!(differing_entries(given.as_bytes(), found.as_bytes()), 1);
    }

    #[test]
    fn what_is_no_table_has_no_entries() {
        let table = switch(1, &[(2, 1, 0x20)]);
        assert_eq!(
            cleared_tables(b"0x", table.as_bytes()),
            switch(1, &[]).as_bytes()
        );
        assert_eq!(cleared_tables(table.as_bytes(), b"\xff\n0x0 1\n"), b"");
    }
}
