//! The tables that `OpenSM`'s `file` engine loads: a port for each switch and LID, and their text.

use super::exported_subnet::{Destination, Subnet, WayToHost};
use super::plugin_lanes;
use super::printed_tables::{NONE, PrintedTables, goals_of};
use super::tables_layout::{Goal, Heading, Layout, shown};
use super::ways_to_switches::Management;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use weft_fabric::{PortNumber, SwitchId};

/// Bytes of a line, `0x0001 003 portguid 0x0002c90300000003` and its end.
const LINE_BYTES: usize = 39;
/// Where the digits of the port stand in it.
const PORT_PLACE: usize = 7;
/// What a line begins with that `OpenSM` passes over.
const COMMENT: u8 = b'#';
/// Lines between two that change from which on these are two pieces: about a page of memory.
const GAP_LINES: usize = 100;
/// So many entries of a switch are compared at once: mostly nearly all are alike.
const NEAR: usize = 64;
/// Entries to so many goals are filled in at once, of one switch after the other.
const SIDE_BY_SIDE: usize = 64;

/// The tables that `OpenSM` is given, by GUIDs of switches and ports, whatever fabric they are of.
///
/// Their text has a line for each switch and LID, whether there is an entry or not; without one the line
/// is a comment. So a change of entries changes the same few bytes of a file that holds others.
///
/// # Memory
/// A byte per switch and LID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedTables {
    layout: Arc<Layout>,
    /// Per switch and goal: the port, or [`NONE`].
    ports: Arc<Vec<u8>>,
}

/// What is known of the ways to a goal.
#[derive(Clone, Copy, Debug)]
enum Way {
    ToSwitch(SwitchId),
    ToHost(WayToHost),
}

impl LoadedTables {
    pub(super) fn of(subnet: &Subnet<'_>, management: &Management) -> Self {
        let fabric = subnet.fabric;
        let destinations = subnet.destinations();
        let goals = destinations.iter().map(|&(lid, destination)| Goal {
            lid,
            guid: match destination {
                Destination::Switch(to) => subnet.switch_guids[to.index()],
                Destination::Host(to, _) => subnet.host_guids[to.index()],
            },
        });
        let switches = fabric.switch_ids().map(|switch| Heading {
            guid: subnet.switch_guids[switch.index()],
            lid: subnet.switch_lids[switch.index()],
            name: shown(&fabric.switch(switch).name),
        });
        let width = destinations.len();
        let mut ports = vec![NONE; fabric.switch_count() * width];
        let ways = destinations
            .iter()
            .map(|&(_, destination)| match destination {
                Destination::Switch(to) => Way::ToSwitch(to),
                Destination::Host(to, alias) => Way::ToHost(subnet.way_to(to, alias)),
            });
        let ways: Vec<Way> = ways.collect();
        // Ways to switches lie by destination and these by switch: of some destinations both are near.
        for (first, some) in (0..).step_by(SIDE_BY_SIDE).zip(ways.chunks(SIDE_BY_SIDE)) {
            let rows = ports.chunks_exact_mut(width).zip(fabric.switch_ids());
            for (row, switch) in rows {
                for (entry, way) in row[first..].iter_mut().zip(some) {
                    let port = match *way {
                        Way::ToSwitch(to) => management.port(switch, to),
                        Way::ToHost(to) => to.port(subnet.tables, switch),
                    };
                    *entry = port.map_or(NONE, PortNumber::number);
                }
            }
        }
        Self {
            layout: Arc::new(Layout::new(switches.collect(), goals.collect())),
            ports: Arc::new(ports),
        }
    }

    /// Counts the switches that the text has lines of.
    pub fn switch_count(&self) -> usize {
        self.layout.switches.len()
    }

    /// Counts the bytes of the text.
    pub fn text_bytes(&self) -> u64 {
        self.layout.offsets[self.switch_count()]
    }

    /// The same tables with the lines that the text of others has, so that a file of these becomes one of
    /// them by few changes; `None` where a switch or LID is not among those.
    #[must_use]
    pub fn laid_out_as(&self, others: &Self) -> Option<Self> {
        let layout = Arc::clone(&others.layout);
        if self.layout == layout {
            let ports = Arc::clone(&self.ports);
            return Some(Self { layout, ports });
        }
        let places = self.layout.goals.iter();
        let places: Vec<usize> = places
            .map(|goal| layout.goals.binary_search(goal).ok())
            .collect::<Option<_>>()?;
        let rows = layout.switches.iter().enumerate();
        let rows: BTreeMap<u64, usize> = rows.map(|(row, switch)| (switch.guid, row)).collect();
        let width = layout.goals.len();
        let mut ports = vec![NONE; layout.switches.len() * width];
        for (own, switch) in self.layout.switches.iter().enumerate() {
            let row = *rows.get(&switch.guid)?;
            if layout.switches[row] != *switch {
                return None;
            }
            let target = &mut ports[row * width..][..width];
            for (&place, &port) in places.iter().zip(self.row(own)) {
                target[place] = port;
            }
        }
        let ports = Arc::new(ports);
        Some(Self { layout, ports })
    }

    /// These tables with the entries that others have where these have another or none, but without those to
    /// `cleared` ports.
    ///
    /// Switches and ports are known by their GUIDs, whatever LIDs they have in either.
    #[must_use]
    pub fn as_before(&self, others: &Self, cleared: impl Fn(u64) -> bool) -> Self {
        let places: BTreeMap<_, usize> = (others.goals().into_iter().zip(0..)).collect();
        // Of each goal the place among others', and whether it is cleared.
        let goals: Vec<(Option<usize>, bool)> = (self.goals().iter())
            .map(|goal| (places.get(goal).copied(), cleared(goal.0)))
            .collect();
        let switches = others.layout.switches.iter().enumerate();
        let rows: BTreeMap<u64, usize> = switches.map(|(row, switch)| (switch.guid, row)).collect();
        let is_alike = self.layout.goals == others.layout.goals;
        let mut ports = self.ports.to_vec();
        let width = self.layout.goals.len().max(1);
        let own = ports.chunks_exact_mut(width);
        for (switch, row) in self.layout.switches.iter().zip(own) {
            let other = rows.get(&switch.guid).map(|&row| others.row(row));
            for (first, some) in (0..).step_by(NEAR).zip(row.chunks_mut(NEAR)) {
                let near = other.filter(|_| is_alike);
                if near.is_some_and(|other| other[first..][..some.len()] == *some) {
                    continue;
                }
                for (entry, &(place, is_cleared)) in some.iter_mut().zip(&goals[first..]) {
                    let was = other.zip(place).map_or(NONE, |(row, at)| row[at]);
                    if was != *entry {
                        *entry = if is_cleared { NONE } else { was };
                    }
                }
            }
        }
        Self {
            layout: Arc::clone(&self.layout),
            ports: Arc::new(ports),
        }
    }

    /// The same with some entries written: by the GUID of the switch, that of the port and which of its LIDs it
    /// is, and with the port that leads there, `None` where there is to be no entry. Those of switches and ports
    /// that are not here are passed over.
    #[must_use]
    pub fn written(
        &self,
        writes: impl Iterator<Item = (u64, (u64, usize), Option<PortNumber>)>,
    ) -> Self {
        let goals = self.goals();
        let places: BTreeMap<_, usize> = (goals.into_iter().zip(0..)).collect();
        let switches = self.layout.switches.iter().enumerate();
        let rows: BTreeMap<u64, usize> = switches.map(|(row, switch)| (switch.guid, row)).collect();
        let width = self.layout.goals.len();
        let mut ports = self.ports.to_vec();
        for (switch, goal, port) in writes {
            if let (Some(row), Some(place)) = (rows.get(&switch), places.get(&goal)) {
                ports[row * width + place] = port.map_or(NONE, PortNumber::number);
            }
        }
        Self {
            layout: Arc::clone(&self.layout),
            ports: Arc::new(ports),
        }
    }

    /// Per goal: the GUID of its port, and which of the LIDs of that it is.
    fn goals(&self) -> Vec<(u64, usize)> {
        let goals = self.layout.goals.iter();
        goals_of(goals.map(|goal| (usize::from(goal.lid), goal.guid)))
    }

    /// Counts the entries of switches, as `dump_fts` prints them, that are not these.
    ///
    /// # Complexity
    /// Time in proportion to the lines.
    pub fn differing_entries(&self, printed: &[u8]) -> usize {
        let goals = self.layout.goals.iter();
        let goals: Vec<_> = goals
            .map(|goal| (usize::from(goal.lid), goal.guid))
            .collect();
        let rows = (0..self.switch_count()).filter(|&row| self.is_present(row));
        let rows = rows.map(|row| (self.layout.switches[row].guid, self.row(row)));
        PrintedTables::read(printed).differing_entries(&goals, rows)
    }

    /// The text of all switches.
    pub fn text(&self) -> Vec<u8> {
        let blocks = (0..self.switch_count()).map(|row| self.block(row));
        blocks.collect::<Vec<_>>().concat()
    }

    /// The lanes that our plugin loads, as they were made for other tables, for these: the plugin refuses those of others.
    pub fn lanes_beside(&self, lanes: &str) -> String {
        plugin_lanes::beside(lanes, &self.text())
    }

    /// Reads a text; `None` where it is not, to the byte, one that [`text`](Self::text) makes.
    pub fn read(text: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let (mut switches, mut goals, mut ports) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.split_inclusive('\n') {
            if let Some(heading) = line.strip_suffix("):\n") {
                switches.push(Heading::read(&format!("{heading}):"))?);
            } else if line.contains(" portguid ") {
                let (lid, rest) = (line.get(2..6)?, line.get(PORT_PLACE..)?);
                let (port, guid) = (rest.get(..3)?, rest.get(15..31)?);
                if switches.len() == 1 {
                    goals.push(Goal {
                        lid: u16::from_str_radix(lid, 16).ok()?,
                        guid: u64::from_str_radix(guid, 16).ok()?,
                    });
                }
                let is_entry = line.as_bytes()[0] != COMMENT;
                ports.push(if is_entry { port.parse().ok()? } else { NONE });
            }
        }
        if ports.len() != switches.len() * goals.len() || !goals.is_sorted() {
            return None;
        }
        let layout = Arc::new(Layout::new(switches, goals));
        let ports = Arc::new(ports);
        let read = Self { layout, ports };
        (read.text() == text.as_bytes()).then_some(read)
    }

    /// What is to be written of a switch, and where, so that a file that holds the text of others
    /// holds this one; all of its lines where there are none, or where they have other lines.
    ///
    /// # Panics
    /// When there is no such switch.
    pub fn pieces(&self, switch: usize, written: Option<&Self>) -> Vec<(u64, Vec<u8>)> {
        let offset = self.layout.offsets[switch];
        let written = written.filter(|written| {
            Arc::ptr_eq(&written.layout, &self.layout) || written.layout == self.layout
        });
        let Some(written) = written else {
            return vec![(offset, self.block(switch))];
        };
        let (new, old) = (self.row(switch), written.row(switch));
        if new == old {
            return Vec::new();
        }
        if self.is_present(switch) != written.is_present(switch) {
            return vec![(offset, self.block(switch))];
        }
        let lines = offset + self.layout.switches[switch].line(self.layout.last()).len() as u64;
        let mut pieces: Vec<std::ops::Range<usize>> = Vec::new();
        let near = new.chunks(NEAR).zip(old.chunks(NEAR));
        let near = (0..).step_by(NEAR).zip(near);
        for (first, (some, _)) in near.filter(|(_, (new, old))| new != old) {
            for place in (first..first + some.len()).filter(|&place| new[place] != old[place]) {
                match pieces.last_mut() {
                    Some(piece) if place - piece.end < GAP_LINES => piece.end = place + 1,
                    _ => pieces.push(place..place + 1),
                }
            }
        }
        let piece = |places: std::ops::Range<usize>| {
            let offset = lines + (places.start * LINE_BYTES) as u64;
            (offset, self.lines(switch, places))
        };
        pieces.into_iter().map(piece).collect()
    }

    /// All that tells these tables from others, in fewer bytes than their text: one part after the other.
    pub fn packed(&self) -> [Cow<'_, [u8]>; 3] {
        let layout = &self.layout;
        let headings = layout.switches.iter();
        let headings: String = headings.map(|switch| switch.line(layout.last())).collect();
        [
            Cow::Owned(headings.into_bytes()),
            Cow::Borrowed(&layout.lines),
            Cow::Borrowed(&self.ports),
        ]
    }

    /// The entries of a switch.
    pub(super) fn row(&self, switch: usize) -> &[u8] {
        let width = self.layout.goals.len();
        &self.ports[switch * width..][..width]
    }

    /// Tells whether a switch has entries: its own at least, if it is there.
    fn is_present(&self, switch: usize) -> bool {
        self.row(switch).iter().any(|&port| port != NONE)
    }

    /// The lines of a switch, those that name it included.
    fn block(&self, switch: usize) -> Vec<u8> {
        let layout = &self.layout;
        let heading = layout.switches[switch].line(layout.last());
        let count = layout.count_line();
        let mut block = Vec::with_capacity(heading.len() + layout.lines.len() + count.len());
        block.extend_from_slice(heading.as_bytes());
        block.extend(self.lines(switch, 0..layout.goals.len()));
        let end = block.len();
        block.extend_from_slice(count.as_bytes());
        if !self.is_present(switch) {
            block[0] = COMMENT;
            block[end] = COMMENT;
        }
        block
    }

    /// The lines of a switch to some goals.
    fn lines(&self, switch: usize, places: std::ops::Range<usize>) -> Vec<u8> {
        let of_text = places.start * LINE_BYTES..places.end * LINE_BYTES;
        let mut lines = self.layout.lines[of_text].to_vec();
        let own = lines.chunks_exact_mut(LINE_BYTES);
        for (line, &port) in own.zip(&self.row(switch)[places]) {
            if port == NONE {
                line[0] = COMMENT;
            } else {
                let digits = [port / 100, port / 10 % 10, port % 10].map(|digit| b'0' + digit);
                line[PORT_PLACE..PORT_PLACE + digits.len()].copy_from_slice(&digits);
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::{Goal, Heading, Layout, LoadedTables, NONE};
    use std::sync::Arc;
    use weft_fabric::PortNumber;

    fn tables(goals: &[(u16, u64)], rows: &[(u64, &[u8])]) -> LoadedTables {
        let switches = rows.iter().map(|&(guid, _)| Heading {
            guid,
            lid: 1,
            name: "s".to_owned(),
        });
        let goals = goals.iter().map(|&(lid, guid)| Goal { lid, guid });
        LoadedTables {
            layout: Arc::new(Layout::new(switches.collect(), goals.collect())),
            ports: Arc::new(rows.iter().flat_map(|(_, ports)| ports.to_vec()).collect()),
        }
    }

    #[test]
    fn what_both_say_stays_by_whatever_lid() {
        // Port 0x30 has two LIDs, and all LIDs are others in the new tables.
        let goals = [(2, 0x20), (4, 0x30), (5, 0x30), (6, 0x40)];
        let before = tables(&goals, &[(1, &[1, 2, 3, 4]), (2, &[1, NONE, NONE, NONE])]);
        let goals = [(3, 0x20), (8, 0x30), (9, 0x30), (10, 0x50)];
        let after = tables(&goals, &[(3, &[7, NONE, NONE, NONE]), (1, &[1, 2, 4, 4])]);
        let cleared = after.as_before(&before, |_| true);
        let expected = [(3, &[NONE; 4][..]), (1, &[1, 2, NONE, NONE])];
        assert_eq!(cleared, tables(&goals, &expected));
        assert_eq!(before.as_before(&before, |_| true), before);
        // Where one port alone is cleared, the other entries are as they were.
        let some = after.as_before(&before, |port| port == 0x30);
        let expected = [(3, &[NONE; 4][..]), (1, &[1, 2, NONE, NONE])];
        assert_eq!(some, tables(&goals, &expected));
        let was = after.as_before(&before, |_| false);
        let expected = [(3, &[NONE; 4][..]), (1, &[1, 2, 3, NONE])];
        assert_eq!(was, tables(&goals, &expected));
        // Entry by entry they become the new ones; what is of no switch or port here is passed over.
        let port = |number| Some(PortNumber::new(number));
        let writes = [
            (1, (0x30, 1), port(4)),
            (1, (0x50, 0), port(4)),
            (3, (0x20, 0), port(7)),
            (2, (0x20, 0), port(9)),
            (1, (0x40, 0), port(9)),
        ];
        assert_eq!(was.written(writes.into_iter()), after);
        let clears = [(1, (0x30, 0), None), (3, (0x20, 0), None)];
        let expected = [(3, &[NONE; 4][..]), (1, &[1, NONE, 4, 4])];
        assert_eq!(after.written(clears.into_iter()), tables(&goals, &expected));
    }

    #[test]
    fn the_text_is_what_opensm_loads_and_is_read_again() {
        let made = tables(
            &[(2, 0x20), (3, 0x30)],
            &[(1, &[0, 254]), (5, &[NONE, NONE]), (6, &[NONE, 17])],
        );
        let text = String::from_utf8(made.text()).unwrap();
        assert!(text.contains(
            "Unicast lids [0-3] of switch Lid 1 guid 0x0000000000000001 ('s'):\n\
             0x0002 000 portguid 0x0000000000000020\n\
             0x0003 254 portguid 0x0000000000000030\n\
             2 lids dumped\n"
        ));
        assert!(text.contains("#x0002 000 portguid 0x0000000000000020\n0x0003 017"));
        let lines = text.lines().skip(4).take(4);
        assert!(lines.into_iter().all(|line| line.starts_with('#')));
        assert_eq!(text.len() as u64, made.text_bytes());
        assert_eq!(LoadedTables::read(text.as_bytes()), Some(made));
        for damage in [text.replace("254", "25x"), text.replace("2 lids", "3 lids")] {
            assert_eq!(LoadedTables::read(damage.as_bytes()), None);
        }
        assert_eq!(
            LoadedTables::read(&text.as_bytes()[..text.len() - 80]),
            None
        );
    }

    #[test]
    fn pieces_make_one_text_of_another() {
        let goals: Vec<(u16, u64)> = (1..=400).map(|lid| (lid, lid.into())).collect();
        let row = |port: u8| vec![port; goals.len()];
        let rows = [row(1), row(2), row(NONE), row(4)];
        let old = tables(
            &goals,
            &[(1, &rows[0]), (2, &rows[1]), (3, &rows[2]), (4, &rows[3])],
        );
        let (mut one, mut other) = (row(1), row(2));
        (one[0], one[90], one[399]) = (7, NONE, 9);
        other[5] = 200;
        let new = tables(
            &goals,
            &[(1, &one), (2, &other), (3, &rows[3]), (4, &rows[2])],
        );
        let new = &new;
        let pieces = |written| (0..4).flat_map(move |switch| new.pieces(switch, written));
        let mut text = old.text();
        let mut bytes = 0;
        for (offset, piece) in pieces(Some(&old)) {
            let start = usize::try_from(offset).unwrap();
            text[start..start + piece.len()].copy_from_slice(&piece);
            bytes += piece.len();
        }
        assert_eq!(text, new.text());
        // Two of four switches whole, and of the others little.
        assert!(bytes < text.len() / 2 + 100 * 40);
        // Into a file of other lines all is written.
        let less = tables(&goals[1..], &[(1, &rows[0][1..])]);
        let all: usize = pieces(Some(&less)).map(|(_, piece)| piece.len()).sum();
        assert_eq!(all, text.len());
    }

    #[test]
    fn what_is_gone_keeps_its_lines_and_what_is_new_has_none() {
        let whole = tables(
            &[(2, 0x20), (3, 0x30), (4, 0x40)],
            &[(1, &[1, 2, 3]), (5, &[4, 5, 6])],
        );
        let less = tables(&[(2, 0x20), (4, 0x40)], &[(5, &[7, 8])]);
        let laid = less.laid_out_as(&whole).unwrap();
        assert_eq!(laid.text().len(), whole.text().len());
        let expected = [(1, &[NONE; 3][..]), (5, &[7, NONE, 8])];
        assert_eq!(laid, tables(&[(2, 0x20), (3, 0x30), (4, 0x40)], &expected));
        assert_eq!(whole.laid_out_as(&less), None);
        // Another LID, or another port of a LID, has no line.
        for goal in [(5, 0x40), (4, 0x50)] {
            let other = tables(&[(2, 0x20), goal], &[(5, &[7, 8])]);
            assert_eq!(other.laid_out_as(&whole), None);
        }
    }
}
