//! Tables as `dump_fts` prints them, by LID, compared with those that `OpenSM` was given.

use std::collections::BTreeMap;

/// How the lines of a switch begin.
const HEADING: &[u8] = b"Unicast lids ";
/// What stands before the GUID of a switch, and of a destination.
const OF_SWITCH: &str = " guid 0x";
const OF_PORT: &str = " portguid 0x";
/// Hexadecimal digits of a GUID and a LID, and decimal ones of a port, as programs write them.
const GUID_DIGITS: usize = 16;
const LID_DIGITS: usize = 4;
const PORT_DIGITS: usize = 3;
/// LIDs there can be, all of four digits.
const LIDS: usize = 1 << 16;
/// No entry: no port has this number.
pub(super) const NONE: u8 = u8::MAX;

/// `dump_fts` asks for so many entries at once, and leaves out the last of a switch where it would begin
/// as many others.
const ASKED_AT_ONCE: u64 = 64;

/// `dump_fts` takes ports from here on for invalid in releases such as 44 of infiniband-diags, as it holds them in a signed
/// byte, and prints no entry by them.
pub(crate) const LEFT_OUT_FROM: u8 = 128;

/// What a LID leads to: the GUID of a port, and which of its LIDs.
type Goal = (u64, usize);

/// The lines of all switches.
pub(super) struct PrintedTables {
    /// By the GUID of a switch: ports by LID, as far as there are.
    rows: BTreeMap<u64, Vec<u8>>,
    /// Per LID: the GUID of its port.
    guids: Vec<Option<u64>>,
    /// Whether the program leaves out an entry of each switch.
    is_one_left_out: bool,
}

impl PrintedTables {
    /// Reads what a program printed. What is no table has no entries.
    pub(super) fn read(text: &[u8]) -> Self {
        let mut read = Self {
            rows: BTreeMap::new(),
            guids: vec![None; LIDS],
            is_one_left_out: false,
        };
        let (mut row, mut guid) = (Vec::new(), None);
        for line in text.split(|&byte| byte == b'\n') {
            if let Some((lid, port)) = entry(line) {
                if read.guids[lid].is_none() {
                    read.guids[lid] = guid_after(line, OF_PORT);
                }
                if row.len() <= lid {
                    row.resize(lid + 1, NONE);
                }
                row[lid] = port;
            } else if line.starts_with(HEADING) {
                read.keep(guid, &mut row);
                // No switch has GUID 0.
                guid = Some(guid_after(line, OF_SWITCH).unwrap_or(0));
                read.is_one_left_out |= top(line).is_some_and(|top| top % ASKED_AT_ONCE == 0);
            }
        }
        read.keep(guid, &mut row);
        read
    }

    fn keep(&mut self, guid: Option<u64>, row: &mut Vec<u8>) {
        let row = std::mem::take(row);
        if let Some(guid) = guid {
            self.rows.insert(guid, row);
        }
    }

    /// Counts the entries that are not those of switches, by their GUIDs, to some LIDs of ports,
    /// ascending. Destinations are known by the GUIDs of their ports.
    pub(super) fn differing_entries<'a>(
        &self,
        given: &[(usize, u64)],
        rows: impl Iterator<Item = (u64, &'a [u8])>,
    ) -> usize {
        let places = self.guids.iter().enumerate();
        let places: Vec<(usize, u64)> = places
            .filter_map(|(lid, guid)| Some((lid, (*guid)?)))
            .collect();
        let found: BTreeMap<Goal, usize> = goals_of(places.iter().copied())
            .into_iter()
            .zip(places.iter().map(|&(lid, _)| lid))
            .collect();
        // Where each given entry is found, and each found one given.
        let goals = goals_of(given.iter().copied());
        let lids: Vec<Option<usize>> = goals.iter().map(|goal| found.get(goal).copied()).collect();
        let mut given_at = vec![None; LIDS];
        for (place, lid) in lids.iter().enumerate() {
            if let Some(lid) = lid {
                given_at[*lid] = Some(place);
            }
        }
        let (mut count, mut switches) = (0, 0);
        let mut lacking = vec![0_usize; given.len()];
        let mut printed_ports = self.rows.values().flatten();
        let has_high = printed_ports.any(|&port| port >= LEFT_OUT_FROM && port != NONE);
        for (guid, row) in rows {
            switches += 1;
            let printed = self.rows.get(&guid).map_or(&[][..], Vec::as_slice);
            for ((&port, lid), lacking) in row.iter().zip(&lids).zip(&mut lacking) {
                if port == NONE {
                    continue;
                }
                let is = lid.and_then(|lid| printed.get(lid).copied());
                let is = is.unwrap_or(NONE);
                if is == NONE && port >= LEFT_OUT_FROM && !has_high {
                    continue;
                }
                count += usize::from(is != port);
                *lacking += usize::from(is == NONE);
            }
            let too_many = printed.iter().zip(&given_at).filter(|&(&port, place)| {
                port != NONE && place.is_none_or(|place: usize| row[place] == NONE)
            });
            count += too_many.count();
        }
        // What all lack is the entry that was left out, if it is one.
        let mut by_all = lacking.iter().filter(|&&by| by == switches && by > 0);
        match (self.is_one_left_out, by_all.next(), by_all.next()) {
            (true, Some(_), None) => count - switches,
            _ => count,
        }
    }
}

/// What LIDs lead to, ascending, each given with the GUID of its port.
pub(super) fn goals_of(lids: impl Iterator<Item = (usize, u64)>) -> Vec<Goal> {
    let mut firsts: BTreeMap<u64, usize> = BTreeMap::new();
    lids.map(|(lid, guid)| (guid, lid - *firsts.entry(guid).or_insert(lid)))
        .collect()
}

/// LID and port of an entry.
fn entry(line: &[u8]) -> Option<(usize, u8)> {
    let lid = number(line.get(2..2 + LID_DIGITS)?, 16)?;
    let port = line.get(3 + LID_DIGITS..3 + LID_DIGITS + PORT_DIGITS)?;
    // What has a number that is no port leads nowhere.
    let port = u8::try_from(number(port, 10)?).ok()?;
    line.starts_with(b"0x")
        .then_some((usize::try_from(lid).ok()?, port))
}

/// The last LID of a switch, as the heading of `dump_fts` has it.
fn top(heading: &[u8]) -> Option<u64> {
    let heading = std::str::from_utf8(heading).ok()?;
    let (range, _) = heading.split_once(']')?;
    let (_, digits) = range.rsplit_once("0x")?;
    number(digits.as_bytes(), 16)
}

fn guid_after(line: &[u8], mark: &str) -> Option<u64> {
    let mut places = line.windows(mark.len());
    let place = places.position(|window| window == mark.as_bytes())?;
    number(line.get(place + mark.len()..)?.get(..GUID_DIGITS)?, 16)
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
    use super::{NONE, PrintedTables};
    use std::fmt::Write;

    /// LIDs and GUIDs of ports, and the entries of switches.
    type Given<'a> = (&'a [(usize, u64)], &'a [(u64, &'a [u8])]);

    fn differing(given: &Given<'_>, found: &str) -> usize {
        PrintedTables::read(found.as_bytes()).differing_entries(given.0, given.1.iter().copied())
    }

    fn printed(guid: u64, entries: &[(u16, u8, u64)]) -> String {
        let mut text = format!("Unicast lids [0-9] of switch Lid 1 guid 0x{guid:016x} ('s'):\n");
        for (lid, port, to) in entries {
            writeln!(text, "0x{lid:04x} {port:03} portguid 0x{to:016x}").unwrap();
        }
        writeln!(text, "{} lids dumped", entries.len()).unwrap();
        text
    }

    #[test]
    fn entries_of_switches_are_counted_that_are_not_those_given() {
        let given: Given<'_> = (&[(2, 0x20), (3, 0x30)], &[(1, &[1, 2]), (2, &[1, NONE])]);
        let count = |found: String| differing(&given, &found);
        // Other LIDs are no difference, another port is, and so is what is missing or too much.
        let moved = printed(1, &[(7, 1, 0x20), (8, 2, 0x30)]);
        assert_eq!(count(moved.clone() + &printed(2, &[(7, 1, 0x20)])), 0);
        assert_eq!(count(moved.clone() + &printed(2, &[(7, 3, 0x20)])), 1);
        assert_eq!(count(moved.clone() + &printed(2, &[])), 1);
        assert_eq!(count(moved.clone()), 1);
        let more = printed(2, &[(7, 1, 0x20), (8, 1, 0x30)]);
        assert_eq!(count(moved.clone() + &more), 1);
        let more = printed(2, &[(7, 1, 0x20), (9, 1, 0x50)]);
        assert_eq!(count(moved + &more), 1);
        assert_eq!(count("é\n0x0 1\n0x00é1 001\n".to_owned()), 3);
    }

    #[test]
    fn entries_by_high_ports_may_be_left_out_where_none_is_printed() {
        let given: Given<'_> = (&[(2, 0x20), (3, 0x30)], &[(1, &[1, 128]), (2, &[127, 130])]);
        let low = printed(1, &[(2, 1, 0x20)]) + &printed(2, &[(2, 127, 0x20)]);
        assert_eq!(differing(&given, &low), 0);
        // One that is printed shows that they are; another port in its place is a difference, as is a low one that lacks.
        let high = printed(1, &[(2, 1, 0x20), (3, 128, 0x30)]) + &printed(2, &[(2, 127, 0x20)]);
        assert_eq!(differing(&given, &high), 1);
        let other = low.replace("0x0002 127", "0x0002 126");
        assert_eq!(differing(&given, &other), 1);
        let none = printed(1, &[(2, 1, 0x20)]) + &printed(2, &[]);
        assert_eq!(differing(&given, &none), 1);
    }

    #[test]
    fn the_last_entry_may_be_left_out_where_the_program_does_so() {
        let given: Given<'_> = (&[(63, 0x20), (64, 0x30)], &[(1, &[1, 2]), (2, &[NONE, 1])]);
        let found = printed(1, &[(63, 1, 0x20)]) + &printed(2, &[]);
        let count = |top: &str| {
            let found = found.replace("[0-9]", &format!("[0x0-0x{top}]"));
            differing(&given, &found)
        };
        assert_eq!((count("40"), count("41")), (0, 2));
        // Where one switch has it, the other lacks it.
        let given: Given<'_> = (&[(64, 0x30)], &[(1, &[2]), (2, &[1])]);
        let found = printed(1, &[(64, 2, 0x30)]) + &printed(2, &[]);
        let found = found.replace("[0-9]", "[0x0-0x40]");
        assert_eq!(differing(&given, &found), 1);
    }
}
