//! Tables as `OpenSM` dumps them: by LID, with GUIDs (`opensm-lfts.dump`, `dump_fts`) or without
//! (`opensm.fdbs`).
//!
//! ```text
//! Unicast lids [0-6] of switch Lid 2 guid 0x0002c90200000001 ('sw0'):
//! 0x0001 001 # Channel Adapter portguid 0x0002c90300000003: 'host0 HCA-1'
//! 0x0002 000 # Switch portguid 0x0002c90200000001: 'sw0'
//! 2 lids dumped
//! ```
//!
//! ```text
//! dump_ucast_routes: Switch 0x0002c90200000001
//! LID    : Port : Hops : Optimal
//! 0x0001 : 001  : 00   : yes
//! 0x0003 : UNREACHABLE
//! ```
//!
//! Where an entry names the GUID of its port, that counts and not the LID, as `OpenSM` has it.

use super::{ReadRoutes, unexpected};
use crate::routes::{PairGranularity, Routing};
use crate::tables::ForwardingTables;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::formats::{FormatError, FormatErrorKind, ReadNote, Source};
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId};

/// How the lines of a switch begin.
pub(super) const LFTS_START: &str = "Unicast lids";

/// This reads `opensm-lfts.dump`, or what `dump_fts` prints.
pub(super) fn read_lfts(source: Source<'_>, fabric: &Fabric) -> Result<ReadRoutes, FormatError> {
    let mut reader = Reader::new(source, fabric);
    let mut block: Option<Block> = None;
    let mut closed = 0_usize;
    for (offset, line) in lines(source.text) {
        if line.starts_with(LFTS_START) {
            if block.is_some() && closed > 0 {
                return Err(truncated(source, offset, "the next switch"));
            }
            let guid = number_after(line, " guid 0x").ok_or_else(|| {
                unexpected(
                    source,
                    offset,
                    "a switch without GUID",
                    "“guid 0x…” after it",
                )
            })?;
            block = Some(Block {
                switch: reader.switch(offset, guid)?,
                entries: 0,
            });
        } else if let Some(count) = line.strip_suffix("lids dumped") {
            let count = count.trim().trim_end_matches("valid").trim();
            let Some(ended) = block.take() else {
                return Err(unexpected(
                    source,
                    offset,
                    "the end of a switch",
                    "its beginning",
                ));
            };
            if count.parse() != Ok(ended.entries) {
                let found = format!("{} entries", ended.entries);
                let expected =
                    format!("{count}, as the line after them says; copy the file in full");
                return Err(unexpected(source, offset, found, expected));
            }
            closed += 1;
        } else if !line.is_empty() && !line.starts_with('#') {
            let Some(block) = &mut block else {
                let expected = "a line that begins with “Unicast lids” before the first entry";
                return Err(unexpected(
                    source,
                    offset,
                    "an entry of no switch",
                    expected,
                ));
            };
            let (lid, rest) = lid_and_rest(line)
                .ok_or_else(|| reader.no_entry(offset, "0x0001 003 # … portguid 0x…"))?;
            block.entries += 1;
            let port = rest.split_whitespace().next().unwrap_or("");
            let port = match port.parse::<u8>() {
                Ok(number) => Some(number).filter(|&number| number != UNREACHABLE),
                Err(_) if port.starts_with("UNREACHABLE") => None,
                Err(_) => return Err(reader.no_port(offset, port)),
            };
            let guid = number_after(rest, "portguid 0x");
            reader.enter(offset, block.switch, lid, guid, port)?;
        }
    }
    if block.is_some() && closed > 0 {
        return Err(truncated(
            source,
            source.text.trim_end().len(),
            "the end of the file",
        ));
    }
    reader.finish("opensm-lfts")
}

/// This reads `opensm.fdbs`.
pub(super) fn read_fdbs(source: Source<'_>, fabric: &Fabric) -> Result<ReadRoutes, FormatError> {
    let mut reader = Reader::new(source, fabric);
    let mut switch = None;
    for (offset, line) in lines(source.text) {
        if let Some(guid) = fdbs_switch(line) {
            switch = Some(reader.switch(offset, guid)?);
            continue;
        }
        if line.is_empty() || line.starts_with('#') || line.starts_with("LID") {
            continue;
        }
        let Some(switch) = switch else {
            let expected = "a line “dump_ucast_routes: Switch 0x…” before the first entry";
            return Err(unexpected(
                source,
                offset,
                "an entry of no switch",
                expected,
            ));
        };
        let (lid, rest) = lid_and_rest(line)
            .ok_or_else(|| reader.no_entry(offset, "0x0001 : 003  : 01   : yes"))?;
        let fields: Vec<&str> = rest
            .split(':')
            .map(str::trim)
            .filter(|f| !f.is_empty())
            .collect();
        let port = match fields.as_slice() {
            [word, ..] if word.starts_with("UNREACHABLE") => None,
            [port, _, _, ..] => match port.parse::<u8>() {
                Ok(number) => Some(number).filter(|&number| number != UNREACHABLE),
                Err(_) => return Err(reader.no_port(offset, port)),
            },
            _ => return Err(reader.no_entry(offset, "0x0001 : 003  : 01   : yes")),
        };
        reader.enter(offset, switch, lid, None, port)?;
    }
    // Nothing but the end of the last line tells that it is whole.
    if !source.text.ends_with('\n') {
        return Err(truncated(source, source.text.len(), "the end of the file"));
    }
    reader.finish("opensm-fdbs")
}

/// This is the GUID of the switch that a line of `opensm.fdbs` begins.
pub(super) fn fdbs_switch(line: &str) -> Option<u64> {
    let line = line.strip_prefix("dump_ucast_routes:").unwrap_or(line);
    line.trim_start()
        .starts_with("Switch 0x")
        .then(|| number_after(line, "Switch 0x"))?
}

/// The port that stands for no entry.
const UNREACHABLE: u8 = 255;

/// The lines of one switch.
struct Block {
    switch: SwitchId,
    entries: usize,
}

/// These are the lines without blanks around them, with their places.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().map(|line| {
        let line = line.trim();
        (line.as_ptr().addr() - text.as_ptr().addr(), line)
    })
}

/// This is the hexadecimal number after a mark.
fn number_after(line: &str, mark: &str) -> Option<u64> {
    let rest = &line[line.find(mark)? + mark.len()..];
    let end = rest
        .find(|c: char| !c.is_ascii_hexdigit())
        .unwrap_or(rest.len());
    u64::from_str_radix(&rest[..end], 16).ok()
}

/// This takes the LID off the start of an entry.
fn lid_and_rest(line: &str) -> Option<(u16, &str)> {
    let rest = line.strip_prefix("0x")?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit())?;
    let lid = u16::from_str_radix(&rest[..end], 16).ok()?;
    Some((lid, rest[end..].trim_start_matches([' ', '\t', ':'])))
}

fn truncated(source: Source<'_>, offset: usize, found: &str) -> FormatError {
    source.error(
        offset,
        FormatErrorKind::Truncated {
            found: found.to_owned(),
            expected: "the rest of a switch's entries".to_owned(),
        },
    )
}

/// What an entry leads to.
#[derive(Clone, Copy)]
enum Destination {
    Host(HostId),
    Switch,
}

/// Collects the entries of all switches.
struct Reader<'a> {
    source: Source<'a>,
    fabric: &'a Fabric,
    switches: BTreeMap<u64, SwitchId>,
    ports: BTreeMap<u64, Destination>,
    lids: BTreeMap<u16, Destination>,
    /// Per host: the LIDs that lead to it.
    addresses: Vec<BTreeSet<u16>>,
    entries: Vec<(SwitchId, HostId, u16, PortNumber)>,
    /// Per switch: where its tables begin.
    met: Vec<Option<usize>>,
    /// Entries to ports that the fabric does not have, by what they are known by: where the first is,
    /// and how many.
    unknown: BTreeMap<String, (usize, usize)>,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>, fabric: &'a Fabric) -> Self {
        let mut reader = Self {
            source,
            fabric,
            switches: BTreeMap::new(),
            ports: BTreeMap::new(),
            lids: BTreeMap::new(),
            addresses: vec![BTreeSet::new(); fabric.host_count()],
            entries: Vec::new(),
            met: vec![None; fabric.switch_count()],
            unknown: BTreeMap::new(),
        };
        for id in fabric.switch_ids() {
            let switch = fabric.switch(id);
            if let Some(guid) = switch.guid {
                reader.switches.insert(guid, id);
                reader.ports.insert(guid, Destination::Switch);
            }
            for lid in switch.lids.into_iter().flat_map(LidRange::lids) {
                reader.lids.insert(lid, Destination::Switch);
            }
        }
        for id in fabric.host_ids() {
            let host = fabric.host(id);
            if let Some(guid) = host.guid {
                reader.ports.insert(guid, Destination::Host(id));
            }
            for lid in host.lids.into_iter().flat_map(LidRange::lids) {
                reader.lids.insert(lid, Destination::Host(id));
            }
        }
        reader
    }

    fn switch(&mut self, offset: usize, guid: u64) -> Result<SwitchId, FormatError> {
        let name = self.fabric.name();
        let found = format!("switch 0x{guid:016x}");
        if self.switches.is_empty() {
            let expected = format!(
                "switches of fabric “{name}”, which has no GUIDs; make it from a discovery of the \
                 same cluster (ibnetdiscover)"
            );
            return Err(unexpected(self.source, offset, found, expected));
        }
        let Some(&switch) = self.switches.get(&guid) else {
            let expected = format!(
                "a switch of fabric “{name}”; the tables are of another fabric, or the cluster has \
                 changed since it was discovered"
            );
            return Err(unexpected(self.source, offset, found, expected));
        };
        if let Some(first) = self.met[switch.index()] {
            let first = self.source.line_of(first);
            let expected = format!("each switch once; it is listed at line {first} already");
            return Err(unexpected(self.source, offset, found, expected));
        }
        self.met[switch.index()] = Some(offset);
        Ok(switch)
    }

    /// This takes an entry: known by its GUID, where there is none by its LID.
    fn enter(
        &mut self,
        offset: usize,
        switch: SwitchId,
        lid: u16,
        guid: Option<u64>,
        port: Option<u8>,
    ) -> Result<(), FormatError> {
        let destination = match guid {
            Some(guid) => self.ports.get(&guid),
            None if self.lids.is_empty() => {
                let expected = format!(
                    "entries with the GUID of their port, as fabric “{}” has no LIDs; give \
                     opensm-lfts.dump, or make the fabric from a discovery with LIDs (ibnetdiscover)",
                    self.fabric.name()
                );
                return Err(unexpected(
                    self.source,
                    offset,
                    format!("LID 0x{lid:04x} alone"),
                    expected,
                ));
            }
            None => self.lids.get(&lid),
        };
        match destination {
            Some(Destination::Host(host)) => {
                self.addresses[host.index()].insert(lid);
                if let Some(port) = port {
                    self.entries
                        .push((switch, *host, lid, PortNumber::new(port)));
                }
            }
            Some(Destination::Switch) => {}
            None => {
                let known_by = guid.map_or_else(
                    || format!("LID 0x{lid:04x}"),
                    |guid| format!("port 0x{guid:016x}"),
                );
                self.unknown.entry(known_by).or_insert((offset, 0)).1 += 1;
            }
        }
        Ok(())
    }

    fn finish(self, format: &str) -> Result<ReadRoutes, FormatError> {
        let fabric = self.fabric;
        let missing = fabric
            .switch_ids()
            .find(|id| self.met[id.index()].is_none());
        if let Some(switch) = missing {
            let found = format!("no tables of switch “{}”", fabric.switch(switch).name);
            let expected = format!(
                "those of all {} switches of fabric “{}”",
                fabric.switch_count(),
                fabric.name()
            );
            let end = self.source.text.trim_end().len();
            return Err(unexpected(self.source, end, found, expected));
        }
        let mut counts = Vec::with_capacity(self.addresses.len());
        for (host, lids) in fabric.host_ids().zip(&self.addresses) {
            // Up to 2^7 by the specification; the file may hold anything.
            let count = u8::try_from(lids.len()).map_err(|_| {
                let found = format!("{} LIDs of host “{}”", lids.len(), fabric.host(host).name);
                unexpected(self.source, 0, found, "128 at most")
            })?;
            counts.push(count);
        }
        let switches = fabric.switch_count();
        let mut tables = ForwardingTables::new(PairGranularity::Host, switches, &counts);
        let places: Vec<BTreeMap<u16, usize>> = self
            .addresses
            .iter()
            .enumerate()
            .map(|(host, lids)| lids.iter().copied().zip(tables.addresses(host)).collect())
            .collect();
        for (switch, host, lid, port) in self.entries {
            if let Some(&address) = places[host.index()].get(&lid) {
                tables.set_next_port(switch, address, port);
            }
        }
        tables.send_to_any_address();
        let note = |(known_by, (first, count)): (String, (usize, usize))| ReadNote {
            line: Some(self.source.line_of(first)),
            text: known_by,
            reason: format!(
                "fabric “{}” has no such port; its {count} entries are passed over",
                fabric.name()
            ),
        };
        let mut notes: Vec<ReadNote> = self.unknown.into_iter().map(note).collect();
        notes.sort_by_key(|note| note.line);
        Ok(ReadRoutes {
            routing: Routing {
                algorithm: format.to_owned(),
                parameters: BTreeMap::new(),
                routes: tables.into(),
            },
            notes,
        })
    }

    fn no_entry(&self, offset: usize, example: &str) -> FormatError {
        let line = &self.source.text[offset..];
        let start: String = line.lines().next().unwrap_or("").chars().take(40).collect();
        unexpected(
            self.source,
            offset,
            format!("“{start}”"),
            format!("an entry such as “{example}”"),
        )
    }

    fn no_port(&self, offset: usize, found: &str) -> FormatError {
        let start: String = found.chars().take(20).collect();
        unexpected(
            self.source,
            offset,
            format!("port “{start}”"),
            "a port, 0 to 254",
        )
    }
}
