//! The service level of each pair of ports: `opensm-path-records.dump`, and the path-SL files that
//! `ibdmchk` and ibdiagnet take.
//!
//! ```text
//! Channel Adapter 0x0002c90300000003, base LID 1, "host0 HCA-1", port 1
//! # LID  : SL : MTU : RATE
//! 0x0004 : 1  : 4   : 7
//! 0x0005 : UNREACHABLE
//! ```
//!
//! ```text
//! 0x0002c90300000002 4 1
//! ```
//!
//! ```text
//! source_port_guid,destination_port_guid,destination_lid,service_level
//! 0x0002c90300000003,0x0002c90300000005,4,1
//! ```
//!
//! The first kind names the source by its port, the second by its adapter, with a decimal LID. The
//! third is what is exported for `OpenSM` where sources have LIDs to choose; its LIDs count by the bits
//! in which those of a port differ. Where it has several of a pair, sources send to any.

use crate::passed_over::PassedOver;
use crate::text::{UNREACHABLE, lid_and_rest, lines, no_entry, number_after, start_of};
use std::collections::BTreeMap;
use weft_fabric::formats::{FormatError, ReadNote, Source};
use weft_fabric::{Fabric, HostId, LidRange};

/// The service level that each source is told for each destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceLevels {
    host_count: usize,
    /// Per ordered pair of hosts, source by source.
    levels: Vec<u8>,
    /// Per ordered pair of hosts the LID to send to; empty where sources send to any.
    chosen_lids: Vec<u16>,
}

/// Service levels as read from a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadServiceLevels {
    /// The service levels.
    pub levels: ServiceLevels,
    /// What was passed over, in the order of the file.
    pub notes: Vec<ReadNote>,
}

/// A pair without a service level.
const NONE: u8 = u8::MAX;
/// Service levels there are: 0 to 15.
const LEVELS: u8 = 16;

impl ServiceLevels {
    /// The service level of the packets from one host to another; `None` where the file had
    /// none.
    pub fn level(&self, source: HostId, destination: HostId) -> Option<u8> {
        let level = self.levels[source.index() * self.host_count + destination.index()];
        (level != NONE).then_some(level)
    }

    /// The LID that one host sends to another, where the file says one.
    pub(super) fn chosen_lid(&self, source: HostId, destination: HostId) -> Option<u16> {
        let place = source.index() * self.host_count + destination.index();
        self.chosen_lids.get(place).copied()
    }

    /// Reads service levels; which of the kinds the file is, its first line tells.
    ///
    /// # Errors
    /// [`FormatError`] with the place: the file is of another kind or another fabric, an entry is
    /// damaged, or a port has LIDs with different service levels.
    pub fn read(
        bytes: &[u8],
        source_name: &str,
        fabric: &Fabric,
    ) -> Result<ReadServiceLevels, FormatError> {
        let text = String::from_utf8_lossy(bytes);
        let source = Source {
            name: source_name,
            text: &text,
        };
        let mut reader = Reader::new(source, fabric);
        let mut sources: Option<Vec<HostId>> = None;
        let mut is_known = false;
        for (offset, line) in lines(source.text) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(guid) = records_source(line) {
                sources = Some(reader.port(offset, guid));
                is_known = true;
            } else if let Some((guid, lid, level)) = pair(line) {
                let hosts = reader.adapter(offset, guid);
                reader.enter(offset, &hosts, lid, level)?;
                is_known = true;
            } else if let Some((ports, lid, level)) = path(line) {
                reader.choose(offset, ports, lid, level)?;
                is_known = true;
            } else if line == PATHS_HEAD {
                is_known = true;
            } else if line.starts_with("0x") {
                let entry = record(line);
                let (Some(hosts), Some((lid, level))) = (&sources, entry) else {
                    return Err(no_entry(source, offset, "0x0004 : 1  : 4   : 7"));
                };
                if let Some(level) = level {
                    reader.enter(offset, hosts, lid, level)?;
                }
            } else if is_known {
                reader.passed_over.add_line(offset, line);
            } else {
                let expected = "service levels: opensm-path-records.dump, or lines of source GUID, \
                                destination LID and service level";
                return Err(source.unexpected(offset, start_of(line), expected));
            }
        }
        if !is_known {
            let expected = "service levels of pairs of ports";
            return Err(source.unexpected(0, "an empty file", expected));
        }
        if reader.are_several_chosen {
            reader.levels.chosen_lids.clear();
        }
        Ok(ReadServiceLevels {
            notes: reader.passed_over.notes(source),
            levels: reader.levels,
        })
    }
}

/// The GUID of the port that a section of path records is about.
fn records_source(line: &str) -> Option<u64> {
    ["Channel Adapter 0x", "Switch 0x", "Router 0x"]
        .into_iter()
        .find(|mark| line.starts_with(mark))
        .and_then(|mark| number_after(line, mark))
}

/// Source, LID and service level of a line of a path-SL file.
fn pair(line: &str) -> Option<(u64, u16, u8)> {
    let mut words = line.split_whitespace();
    let (guid, lid, level) = (words.next()?, words.next()?, words.next()?);
    let guid = u64::from_str_radix(guid.strip_prefix("0x")?, 16).ok()?;
    let level = level.parse().ok().filter(|&level| level < LEVELS)?;
    (words.next().is_none()).then_some((guid, lid.parse().ok()?, level))
}

/// The first line of a file that chooses LIDs.
pub(crate) const PATHS_HEAD: &str =
    "source_port_guid,destination_port_guid,destination_lid,service_level";

/// The ports, LID and service level of a line of a file that chooses LIDs.
fn path(line: &str) -> Option<([u64; 2], u16, u8)> {
    let mut fields = line.split(',');
    let mut guid = || u64::from_str_radix(fields.next()?.strip_prefix("0x")?, 16).ok();
    let ports = [guid()?, guid()?];
    let (lid, level) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    (fields.next().is_none() && level < LEVELS).then_some((ports, lid, level))
}

/// LID and service level of an entry of path records, without one of a port that is not
/// reached.
fn record(line: &str) -> Option<(u16, Option<u8>)> {
    let (lid, rest) = lid_and_rest(line)?;
    if rest.starts_with(UNREACHABLE) {
        return Some((lid, None));
    }
    let level = rest.split([':', ' ']).next()?;
    let level = level.parse().ok().filter(|&level| level < LEVELS)?;
    Some((lid, Some(level)))
}

struct Reader<'a> {
    source: Source<'a>,
    fabric: &'a Fabric,
    ports: BTreeMap<u64, Vec<HostId>>,
    adapters: BTreeMap<u64, Vec<HostId>>,
    lids: BTreeMap<u16, Option<HostId>>,
    levels: ServiceLevels,
    /// Whether a pair has several LIDs to send to.
    are_several_chosen: bool,
    passed_over: PassedOver,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>, fabric: &'a Fabric) -> Self {
        let mut reader = Self {
            source,
            fabric,
            ports: BTreeMap::new(),
            adapters: BTreeMap::new(),
            lids: BTreeMap::new(),
            levels: ServiceLevels {
                host_count: fabric.host_count(),
                levels: vec![NONE; fabric.host_count() * fabric.host_count()],
                chosen_lids: Vec::new(),
            },
            are_several_chosen: false,
            passed_over: PassedOver::default(),
        };
        for id in fabric.host_ids() {
            let host = fabric.host(id);
            if let Some(guid) = host.guid {
                reader.ports.entry(guid).or_default().push(id);
            }
            if let Some(guid) = host.adapter_guid.or(host.guid) {
                reader.adapters.entry(guid).or_default().push(id);
            }
            for lid in host.lids.into_iter().flat_map(LidRange::lids) {
                reader.lids.insert(lid, Some(id));
            }
        }
        for id in fabric.switch_ids() {
            let switch = fabric.switch(id);
            // Nobody asks for the levels between switches.
            if let Some(guid) = switch.guid {
                reader.ports.entry(guid).or_default();
            }
            for lid in switch.lids.into_iter().flat_map(LidRange::lids) {
                reader.lids.insert(lid, None);
            }
        }
        reader
    }

    fn port(&mut self, offset: usize, guid: u64) -> Vec<HostId> {
        let found = self.ports.get(&guid).cloned();
        self.known(offset, guid, found)
    }

    fn adapter(&mut self, offset: usize, guid: u64) -> Vec<HostId> {
        let found = self.adapters.get(&guid).cloned();
        self.known(offset, guid, found)
    }

    fn known(&mut self, offset: usize, guid: u64, found: Option<Vec<HostId>>) -> Vec<HostId> {
        found.unwrap_or_else(|| {
            let source = format!("source 0x{guid:016x}");
            self.passed_over
                .add(offset, source, "the fabric has no such port");
            Vec::new()
        })
    }

    fn enter(
        &mut self,
        offset: usize,
        sources: &[HostId],
        lid: u16,
        level: u8,
    ) -> Result<(), FormatError> {
        if self.lids.is_empty() {
            let found = format!("service levels by LID for fabric “{}”", self.fabric.name());
            let expected = "a fabric with LIDs; make it from a discovery (ibnetdiscover)";
            return Err(self.source.unexpected(offset, found, expected));
        }
        let destination = match self.lids.get(&lid) {
            Some(Some(host)) => *host,
            Some(None) => return Ok(()),
            None => {
                let text = format!("destination LID 0x{lid:04x}");
                self.passed_over
                    .add(offset, text, "the fabric has no such LID");
                return Ok(());
            }
        };
        self.set(offset, sources, destination, lid, level)
    }

    /// Takes a path by the GUIDs of its ports.
    fn choose(
        &mut self,
        offset: usize,
        ports: [u64; 2],
        lid: u16,
        level: u8,
    ) -> Result<(), FormatError> {
        let [sources, destinations] = ports.map(|guid| self.port(offset, guid));
        if self.levels.chosen_lids.is_empty() {
            self.levels.chosen_lids = vec![0; self.levels.levels.len()];
        }
        for destination in destinations {
            for source in &sources {
                let place = source.index() * self.levels.host_count + destination.index();
                let chosen = &mut self.levels.chosen_lids[place];
                self.are_several_chosen |= *chosen != 0 && *chosen != lid;
                *chosen = lid;
            }
            self.set(offset, &sources, destination, lid, level)?;
        }
        Ok(())
    }

    fn set(
        &mut self,
        offset: usize,
        sources: &[HostId],
        destination: HostId,
        lid: u16,
        level: u8,
    ) -> Result<(), FormatError> {
        for source in sources {
            let place = source.index() * self.levels.host_count + destination.index();
            let entry = &mut self.levels.levels[place];
            if *entry != NONE && *entry != level {
                let found = format!("service level {level} for LID 0x{lid:04x}");
                let expected = format!(
                    "{entry}, as this source is told for another LID of the port, or for another \
                     port of its adapter; give the levels of one LID of each port alone"
                );
                return Err(self.source.unexpected(offset, found, expected));
            }
            *entry = level;
        }
        Ok(())
    }
}
