//! Entries of all switches, gathered into tables.

use super::ReadRoutes;
use crate::passed_over::PassedOver;
use std::collections::{BTreeMap, BTreeSet};
use weft_fabric::formats::{FormatError, Source};
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId};
use weft_routing::{AnyRouting, ForwardingTables, PairGranularity, Routing, ServiceEnds};

/// What an entry leads to.
#[derive(Clone, Copy)]
enum Destination {
    Host(HostId),
    Switch(SwitchId),
}

/// The entries of all switches, as they are read.
pub(super) struct Entries<'a> {
    source: Source<'a>,
    fabric: &'a Fabric,
    switches: BTreeMap<u64, SwitchId>,
    ports: BTreeMap<u64, Destination>,
    lids: BTreeMap<u16, Destination>,
    /// Per host: the LIDs that lead to it.
    addresses: Vec<BTreeSet<u16>>,
    ports_by_lid: Vec<(SwitchId, HostId, u16, PortNumber)>,
    /// The switch of the host whose entries whoever printed them leaves out, and the entries to the switch itself.
    left_out_at: Option<SwitchId>,
    ways_there: Vec<(SwitchId, PortNumber)>,
    /// The highest port that an entry leads to.
    highest_port: u8,
    /// Per switch: where its tables begin.
    met: Vec<Option<usize>>,
    /// Lines that say nothing, and entries to ports that the fabric does not have.
    pub(super) passed_over: PassedOver,
}

impl<'a> Entries<'a> {
    pub(super) fn new(source: Source<'a>, fabric: &'a Fabric) -> Self {
        let mut reader = Self {
            source,
            fabric,
            switches: BTreeMap::new(),
            ports: BTreeMap::new(),
            lids: BTreeMap::new(),
            addresses: vec![BTreeSet::new(); fabric.host_count()],
            ports_by_lid: Vec::new(),
            left_out_at: None,
            ways_there: Vec::new(),
            highest_port: 0,
            met: vec![None; fabric.switch_count()],
            passed_over: PassedOver::default(),
        };
        for id in fabric.switch_ids() {
            let switch = fabric.switch(id);
            if let Some(guid) = switch.guid {
                reader.switches.insert(guid, id);
                reader.ports.insert(guid, Destination::Switch(id));
            }
            for lid in switch.lids.into_iter().flat_map(LidRange::lids) {
                reader.lids.insert(lid, Destination::Switch(id));
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

    /// Begins the entries of the switch with a GUID.
    pub(super) fn switch(&mut self, offset: usize, guid: u64) -> Result<SwitchId, FormatError> {
        let name = self.fabric.name();
        let found = format!("switch 0x{guid:016x}");
        if self.switches.is_empty() {
            let expected = format!(
                "switches of fabric “{name}”, which has no GUIDs; make it from a discovery of the \
                 same cluster (ibnetdiscover)"
            );
            return Err(self.source.unexpected(offset, found, expected));
        }
        let Some(&switch) = self.switches.get(&guid) else {
            let expected = format!(
                "a switch of fabric “{name}”; the tables are of another fabric, or the cluster has \
                 changed since it was discovered"
            );
            return Err(self.source.unexpected(offset, found, expected));
        };
        if let Some(first) = self.met[switch.index()] {
            let first = self.source.line_of(first);
            let expected = format!("each switch once; it is listed at line {first} already");
            return Err(self.source.unexpected(offset, found, expected));
        }
        self.met[switch.index()] = Some(offset);
        Ok(switch)
    }

    /// Takes an entry: known by its GUID, where there is none by its LID.
    pub(super) fn enter(
        &mut self,
        offset: usize,
        switch: SwitchId,
        lid: u16,
        guid: Option<u64>,
        port: Option<u8>,
    ) -> Result<(), FormatError> {
        self.highest_port = self.highest_port.max(port.unwrap_or(0));
        let destination = match guid {
            Some(guid) => self.ports.get(&guid),
            None if self.lids.is_empty() => {
                let expected = format!(
                    "entries with the GUID of their port, as fabric “{}” has no LIDs; give \
                     opensm-lfts.dump, or make the fabric from a discovery with LIDs (ibnetdiscover)",
                    self.fabric.name()
                );
                return Err(self.source.unexpected(
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
                    self.ports_by_lid
                        .push((switch, *host, lid, PortNumber::new(port)));
                }
            }
            Some(Destination::Switch(there)) => {
                if let Some(port) = port.filter(|_| self.left_out_at == Some(*there)) {
                    self.ways_there.push((switch, PortNumber::new(port)));
                }
            }
            None => {
                let known_by = guid.map_or_else(
                    || format!("LID 0x{lid:04x}"),
                    |guid| format!("port 0x{guid:016x}"),
                );
                let name = self.fabric.name();
                let reason = format!("entries to a port that fabric “{name}” does not have");
                self.passed_over.add(offset, known_by, reason);
            }
        }
        Ok(())
    }

    /// Keeps what may stand in for the entries of a LID that whoever prints them leaves out, before any is read.
    pub(super) fn expect_left_out(&mut self, lid: u16) {
        if let Some(&Destination::Host(host)) = self.lids.get(&lid) {
            self.left_out_at = Some(self.fabric.host_switch(host));
        }
    }

    /// Lets the way to a LID be that to another host on the same switch, or to the switch itself, where it is of a host
    /// and has no entries because whoever printed them leaves them out.
    pub(super) fn complete(&mut self, offset: usize, lid: u16, reason: &str) {
        let fabric = self.fabric;
        let Some(&Destination::Host(host)) = self.lids.get(&lid) else {
            return;
        };
        if !self.addresses[host.index()].is_empty() {
            return;
        }
        let home = fabric.host_switch(host);
        let mut beside = fabric.hosts_of(home).iter().copied();
        let first_lid = |other: HostId| Some((other, *self.addresses[other.index()].first()?));
        let like = beside.find_map(first_lid);
        let mut ways = match like {
            Some(like) => {
                let ways = self.ports_by_lid.iter();
                let ways = ways.filter(|&&(_, to, at, _)| (to, at) == like);
                ways.map(|&(switch, .., port)| (switch, port)).collect()
            }
            None => std::mem::take(&mut self.ways_there),
        };
        ways.retain(|&(switch, _)| switch != home);
        let taken = match like {
            Some((other, _)) => format!("taken to be those of “{}”", fabric.host(other).name),
            None if ways.is_empty() => "not known".to_owned(),
            None => format!("taken to be those of switch “{}”", fabric.switch(home).name),
        };
        let what = format!(
            "no entries of LID 0x{lid:04x}, “{}”",
            fabric.host(host).name
        );
        self.passed_over
            .tell(offset, &what, &format!("{reason}; they are {taken}"));
        if ways.is_empty() {
            return;
        }
        ways.push((home, fabric.host_port(host)));
        let ways = ways.into_iter();
        self.ports_by_lid
            .extend(ways.map(|(switch, port)| (switch, host, lid, port)));
        self.addresses[host.index()].insert(lid);
    }

    /// Refuses tables without entries by ports from some number on, where a switch has cables there and lacks entries.
    pub(super) fn check_high_ports(&self, first: u8, reason: &str) -> Result<(), FormatError> {
        if self.highest_port >= first {
            return Ok(());
        }
        let fabric = self.fabric;
        let mut entries = vec![0_usize; fabric.switch_count()];
        for (switch, ..) in &self.ports_by_lid {
            entries[switch.index()] += 1;
        }
        let all: usize = self.addresses.iter().map(BTreeSet::len).sum();
        let is_high = |&switch: &SwitchId| {
            let mut ports = fabric
                .outgoing(switch)
                .iter()
                .map(|&out| fabric.source(out).port);
            entries[switch.index()] < all && ports.any(|port| port.number() >= first)
        };
        let Some(switch) = fabric.switch_ids().find(is_high) else {
            return Ok(());
        };
        let lacking = all - entries[switch.index()];
        let found = format!(
            "no entry by a port from {first} on, and {lacking} lacking at switch “{}”, which has cables there",
            fabric.switch(switch).name
        );
        let offset = self.met[switch.index()].unwrap_or(0);
        Err(self.source.unexpected(offset, found, reason))
    }

    pub(super) fn finish(self, format: &str) -> Result<ReadRoutes, FormatError> {
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
            return Err(self.source.unexpected(end, found, expected));
        }
        let mut counts = Vec::with_capacity(self.addresses.len());
        for (host, lids) in fabric.host_ids().zip(&self.addresses) {
            // Up to 2^7 by the specification; the file may hold anything.
            let count = u8::try_from(lids.len()).map_err(|_| {
                let found = format!("{} LIDs of host “{}”", lids.len(), fabric.host(host).name);
                self.source.unexpected(0, found, "128 at most")
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
        for (switch, host, lid, port) in self.ports_by_lid {
            if let Some(&address) = places[host.index()].get(&lid) {
                tables.set_next_port(switch, address, port);
            }
        }
        tables.send_to_any_address();
        Ok(ReadRoutes {
            routing: AnyRouting::from(Routing {
                algorithm: format.to_owned(),
                parameters: BTreeMap::new(),
                service: ServiceEnds::default(),
                routes: tables.into(),
            }),
            notes: self.passed_over.notes(self.source),
        })
    }
}
