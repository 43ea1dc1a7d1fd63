//! A fabric with the LIDs that its tables need.

use super::OpensmError;
use super::port_lids::PortLids;
use std::collections::BTreeMap;
use weft_fabric::{Fabric, HostId, LidRange, PortNumber, SwitchId, narrow};
use weft_routing::{ForwardingTables, Lane};

/// A fabric, tables, and the LIDs and GUIDs of its ports.
pub(super) struct Subnet<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) tables: &'a ForwardingTables,
    /// Each host has 2 to this power LIDs.
    pub(super) lmc: u8,
    /// Ports whose LID is not the one that the fabric says.
    pub(super) new_lids: usize,
    /// Per switch.
    pub(super) switch_lids: Vec<u16>,
    /// Per host: the first.
    pub(super) host_lids: Vec<u16>,
    /// Per switch.
    pub(super) switch_guids: Vec<u64>,
    /// Per host: that of its port.
    pub(super) host_guids: Vec<u64>,
}

/// What a LID leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Destination {
    Switch(SwitchId),
    /// A host, and which of its LIDs, from 0.
    Host(HostId, usize),
}

/// Where tables tell how switches lead to one of a host's LIDs.
#[derive(Clone, Copy, Debug)]
pub(super) struct WayToHost {
    end: SwitchId,
    /// The port of the host there.
    last: PortNumber,
    /// The address of the tables that leads to that switch.
    address: Option<usize>,
}

impl WayToHost {
    /// The port that a switch goes on by.
    #[inline]
    pub(super) fn port(self, tables: &ForwardingTables, switch: SwitchId) -> Option<PortNumber> {
        if switch == self.end {
            return Some(self.last);
        }
        tables.next_port(switch, self.address?)
    }
}

impl<'a> Subnet<'a> {
    /// Gives every port the LIDs that the fabric says where these serve, and others where they do not.
    pub(super) fn new(
        fabric: &'a Fabric,
        tables: &'a ForwardingTables,
    ) -> Result<Self, OpensmError> {
        let (switch_guids, host_guids) = guids(fabric)?;
        let most = tables.most_addresses().next_power_of_two();
        let lmc = narrow(most.trailing_zeros(), "a number has 64 digits at most");
        let own = fabric.host_ids().map(|id| fabric.host(id).lids);
        let own: Vec<_> = own.map(|own| LidRange::new(own?.base(), lmc)).collect();
        let lids = PortLids::of(fabric, &own, lmc)?;
        let bases = |ranges: Vec<LidRange>| ranges.into_iter().map(LidRange::base).collect();
        Ok(Self {
            fabric,
            tables,
            lmc,
            new_lids: lids.new,
            switch_lids: bases(lids.switches),
            host_lids: bases(lids.hosts),
            switch_guids,
            host_guids,
        })
    }

    /// All LIDs, ascending, with what they lead to.
    pub(super) fn destinations(&self) -> Vec<(u16, Destination)> {
        let switches = self.fabric.switch_ids().zip(&self.switch_lids);
        let hosts = self.fabric.host_ids().zip(&self.host_lids);
        let hosts = hosts.flat_map(|(host, &first)| {
            let lid = move |alias: u16| (first + alias, Destination::Host(host, alias.into()));
            (0..1_u16 << self.lmc).map(lid)
        });
        let switches = switches.map(|(switch, &lid)| (lid, Destination::Switch(switch)));
        let mut all: Vec<_> = switches.chain(hosts).collect();
        all.sort_unstable_by_key(|&(lid, _)| lid);
        all
    }

    /// The port by which a switch leads to one of a host's LIDs.
    pub(super) fn port(&self, switch: SwitchId, host: HostId, alias: usize) -> Option<PortNumber> {
        self.way_to(host, alias).port(self.tables, switch)
    }

    /// Where the tables tell how switches lead to one of a host's LIDs.
    pub(super) fn way_to(&self, host: HostId, alias: usize) -> WayToHost {
        WayToHost {
            end: self.fabric.host_switch(host),
            last: self.fabric.host_port(host),
            address: self.address(host, alias),
        }
    }

    /// The address of the tables that one of a host's LIDs is; those beyond the addresses that the tables know begin with
    /// the first again.
    fn address(&self, host: HostId, alias: usize) -> Option<usize> {
        let addresses = self.tables.addresses(self.endpoint(host));
        Some(addresses.start + alias.checked_rem(addresses.len())?)
    }

    pub(super) fn level(&self, source: HostId, destination: HostId) -> Lane {
        self.tables
            .lane(self.endpoint(source), self.endpoint(destination))
    }

    /// Counts the service levels: one more than the highest of two distinct hosts.
    pub(super) fn level_count(&self) -> u8 {
        if self.tables.lane_tables().is_none() && self.tables.lane_count() == 1 {
            return 1;
        }
        let hosts = || self.fabric.host_ids();
        let of_source = |source| {
            let others = hosts().filter(move |&host| host != source);
            others.map(move |destination| self.level(source, destination).number())
        };
        let most = hosts().flat_map(of_source).max();
        most.unwrap_or(0).saturating_add(1)
    }

    /// Counts the lanes: one more than the highest of a level in use.
    pub(super) fn lane_count(&self) -> u8 {
        let levels = self.level_count();
        let Some(lanes) = self.tables.lane_tables() else {
            return levels;
        };
        let rows = self
            .fabric
            .switch_ids()
            .flat_map(|switch| lanes.entries(switch).map(|(_, row)| row))
            .chain([lanes.host()]);
        let used = rows.flat_map(|row| row.iter().take(levels.into()).flatten());
        let most = used.max();
        most.map_or(1, |lane| lane.number().saturating_add(1))
    }

    /// The LID that one host sends to another.
    pub(super) fn lid(&self, source: HostId, destination: HostId) -> u16 {
        let [from, to] = [source, destination].map(|host| self.endpoint(host));
        let first = self.tables.addresses(to).start;
        let alias = self.tables.address(from, to).map_or(0, |a| a - first);
        let alias: u16 = narrow(alias, "a destination has 255 addresses at most");
        self.host_lids[destination.index()] + alias
    }

    fn endpoint(&self, host: HostId) -> usize {
        self.tables.granularity().endpoint(self.fabric, host)
    }
}

/// The GUIDs of switches and of hosts' ports.
pub(crate) fn guids(fabric: &Fabric) -> Result<(Vec<u64>, Vec<u64>), OpensmError> {
    let mut names: BTreeMap<u64, &str> = BTreeMap::new();
    let mut known = |guid: Option<u64>, name| {
        let node = || String::from(name);
        let guid = guid.ok_or_else(|| OpensmError::NoGuid { node: node() })?;
        match names.insert(guid, name) {
            None => Ok(guid),
            Some(first) => Err(OpensmError::SharedGuid {
                guid,
                first: first.to_owned(),
                second: node(),
            }),
        }
    };
    let switches = fabric.switch_ids().map(|id| fabric.switch(id));
    let switches: Vec<u64> = switches
        .map(|switch| known(switch.guid, &switch.name))
        .collect::<Result<_, _>>()?;
    let hosts = fabric.host_ids().map(|id| fabric.host(id));
    let hosts = hosts.map(|host| known(host.guid, &host.name));
    Ok((switches, hosts.collect::<Result<_, _>>()?))
}
